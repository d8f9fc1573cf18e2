"""What a large chart is made of: curves, heights across, points that stand out."""

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import Qt

from app.widgets.decimate import Floats

LineKind = Literal["solid", "dashed", "dotted", "dash_dotted"]
PEN_STYLES: dict[LineKind, Qt.PenStyle] = {
    "solid": Qt.PenStyle.SolidLine,
    "dashed": Qt.PenStyle.DashLine,
    "dotted": Qt.PenStyle.DotLine,
    "dash_dotted": Qt.PenStyle.DashDotLine,
}
"""How a line is drawn; it tells apart what colour alone does not."""


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """One curve."""

    name: str
    """In the legend; "" keeps it out of there."""
    x: Floats
    """[n], rising."""
    y: Floats
    """[n]; what is not finite has no place and is passed over.

    [n, k] are k lines of one look, drawn as one: a crowd.
    """
    role: str = "accent"
    """The theme colour it wears."""
    opacity: float = 1.0
    """Less for what stays in the background."""
    width: float = 1.5
    """1 draws a hair line, which is much faster."""
    line: LineKind = "solid"


@dataclass(frozen=True, slots=True)
class Level:
    """A height that means something, drawn across."""

    y: float
    text: str
    role: str = "residual"


@dataclass(frozen=True, slots=True)
class Mark:
    """A point that stands out, with words beside it."""

    x: float
    y: float
    text: str
    role: str = "checked"
