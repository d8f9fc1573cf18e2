"""How much of a text there is, and what can be done where a model cannot read it.

In: a text's tokens and whether they fit. Out: wishes to shorten the text, or to leave
out what the model has no token for. The sentence has one, and the target so far.
"""

from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app.frame.parts import plain_label, set_ink
from app.sentence import Fit
from app.style.fonts import SMALL, sans
from app.widgets.label import as_tip
from core.tokenizers.base import Encoding

LEAVE_OUT = "Leave them out"
MOST_NOTE = 60
"""Characters of a note on a text; the tip has all of it."""
GAP = 10


class TextCounts(QWidget):
    """Counts, or what is wrong, and up to two buttons."""

    def __init__(self, name: str) -> None:
        """Of the text with the field `name`.edit."""
        super().__init__()
        self._label = plain_label("", sans(SMALL), "muted")
        self.keep = QPushButton()
        self.leave_out = QPushButton(LEAVE_OUT)
        self.keep.setObjectName(f"{name}.keep")
        self.leave_out.setObjectName(f"{name}.leave_out")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GAP)
        row.addWidget(self._label)
        for button in (self.keep, self.leave_out):
            button.hide()
            row.addWidget(button)

    @property
    def text(self) -> str:
        """What is said of the text's length."""
        return self._label.text()

    def show_counts(
        self, encoding: Encoding, fit: Fit, n_ctx: int, *, is_roomy: bool
    ) -> None:
        """Count a text; on a narrow window its tokens alone."""
        self.leave_out.setVisible(bool(fit.unknown))
        self.keep.setVisible(bool(fit.n_too_long) and not fit.unknown)
        set_ink(self._label, "muted" if fit else "warning")
        if fit.unknown:
            few = f"{len(encoding.unknown):,} unknown"
            self._say(short_note(fit.unknown) if is_roomy else few, fit.unknown)
        elif fit.n_too_long:
            n = counted(len(encoding.pieces), "token")
            self._say(f"{n}, {fit.n_too_long:,} too many")
            self.keep.setText(f"Keep the last {n_ctx:,}")
        else:
            counts = counts_of(encoding)
            shown = counts if is_roomy else counts[:1]
            self._say(" · ".join(shown), " · ".join(counts))

    def _say(self, words: str, tip: str = "") -> None:
        self._label.setText(words)
        self._label.setToolTip(as_tip(tip or words))


def counted(n: int, what: str) -> str:
    """How many of something: "1 token", "1,024 tokens"."""
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"


def counts_of(encoding: Encoding) -> tuple[str, ...]:
    """How long a text is: "6 tokens", "24 characters", "24 bytes"."""
    counts = (
        (len(encoding.pieces), "token"),
        (encoding.n_characters, "character"),
        (encoding.n_bytes, "byte"),
    )
    return tuple(counted(*count) for count in counts)


def short_note(note: str) -> str:
    """A note on a text, cut to fit beside it."""
    return note if len(note) <= MOST_NOTE else f"{note[: MOST_NOTE - 1]}…"
