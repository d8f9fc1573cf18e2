"""One token as a chip: what it says, how it is dressed, how much room it takes.

Place: below the token strip, which lays chips in a row and paints them.
"""

from dataclasses import dataclass
from itertools import accumulate, groupby, pairwise
from typing import Literal

from PySide6.QtCore import QRectF, QSizeF, Qt

from app.style.fonts import CAPTION, LARGE, mono
from app.widgets.label import advance, elided, line_height

State = Literal["plain", "new", "unread", "special", "start", "bad"]

MARGIN, GAP, GAP_IN_BRACKET = 14, 4, 2
LABEL_LIMIT = 160
"""Wider labels are cut, so that a chip stays under about 180 pixels."""


@dataclass(frozen=True, slots=True)
class Chip:
    """One token as it is drawn."""

    label: str
    """Ready to read: a space as "·", a lone byte as "⟨F0⟩"."""
    sub: str = ""
    """The small line below: the token's id."""
    bracket: int | None = None
    """Neighbours with the same number share one character and stand in one bracket."""
    note: str = ""
    """What the tooltip adds."""
    state: State = "plain"


@dataclass(frozen=True, slots=True)
class Look:
    """How the chips of one state are drawn, in theme colour names."""

    fill: str
    border: str
    label: str
    sub: str
    line: Qt.PenStyle
    words: str


LOOKS: dict[State, Look] = {
    "plain": Look("surface", "line", "text", "muted", Qt.PenStyle.SolidLine, ""),
    "new": Look(
        "surface", "checked", "text", "checked", Qt.PenStyle.DashLine, "generated"
    ),
    "unread": Look(
        "sunken", "checked", "muted", "muted", Qt.PenStyle.DotLine, "not read yet"
    ),
    "special": Look(
        "sunken", "line", "muted", "muted", Qt.PenStyle.SolidLine, "special token"
    ),
    "start": Look(
        "sunken", "muted", "muted", "muted", Qt.PenStyle.DashLine, "the model's own"
    ),
    "bad": Look(
        "surface", "error", "error", "error", Qt.PenStyle.DashDotLine, "cannot be used"
    ),
}


def chip_edges(
    widths: list[float], brackets: list[int | None]
) -> tuple[list[float], list[float]]:
    """Left and right edges of chips in a row, closer together within a bracket."""
    gaps = [
        GAP if a is None or a != b else GAP_IN_BRACKET for a, b in pairwise(brackets)
    ]
    steps = [w + gap for w, gap in zip(widths, [*gaps, 0.0], strict=False)]
    lefts = list(accumulate(steps, initial=float(MARGIN)))[: len(widths)]
    return lefts, [left + w for left, w in zip(lefts, widths, strict=True)]


def bracket_runs(brackets: list[int | None]) -> list[tuple[int, int]]:
    """First and last index of each run of chips that stand in one bracket."""
    runs = []
    for number, group in groupby(range(len(brackets)), key=lambda i: brackets[i]):
        indices = list(group)
        if number is not None:
            runs.append((indices[0], indices[-1]))
    return runs


@dataclass(frozen=True, slots=True)
class ChipShape:
    """How the label and the small line of a chip stand together. Pixels."""

    is_flat: bool
    """The small line stands at the right of the label, not under it."""
    above: int
    """Room above and below the chips."""
    inside: int
    """Room within a chip above and below its text."""
    padding: int
    """Room within a chip at the left and at the right."""
    gap: int = 6
    """Between a label and a small line beside it."""
    drop: int = 2
    """How far above the label's foot a small line beside it ends."""

    @property
    def height(self) -> float:
        """Of a chip."""
        label, sub = line_height(mono(LARGE)), line_height(mono(CAPTION))
        return (label if self.is_flat else label + sub) + 2 * self.inside

    def width_of(self, chip: Chip) -> float:
        """Of a chip."""
        shown = elided(chip.label, mono(LARGE), LABEL_LIMIT)
        widths = advance(shown, mono(LARGE)), advance(chip.sub, mono(CAPTION))
        if self.is_flat:
            return round(sum(widths) + self.gap * bool(chip.sub) + 2 * self.padding)
        return round(max(widths) + 2 * self.padding)

    def rows(self, chip: Chip, box: QRectF) -> tuple[QRectF, QRectF]:
        """Where label and small line stand in the box of a chip."""
        # One pixel more than measured, so that rounding never elides.
        inner = box.adjusted(self.padding, self.inside, 1 - self.padding, 0)
        label_height, sub_height = line_height(mono(LARGE)), line_height(mono(CAPTION))
        label = QRectF(inner.topLeft(), QSizeF(inner.width(), label_height))
        sub = QRectF(label.bottomLeft(), QSizeF(inner.width(), sub_height))
        if self.is_flat:
            sub.setLeft(inner.right() - advance(chip.sub, mono(CAPTION)) - 1)
            sub.moveBottom(label.bottom() - self.drop)
            label.setRight(sub.left() - self.gap * bool(chip.sub) + 1)
        return label, sub


TALL = ChipShape(is_flat=False, above=6, inside=4, padding=10)
FLAT = ChipShape(is_flat=True, above=4, inside=2, padding=7)
