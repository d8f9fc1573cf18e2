"""How much of a text there is, and what can be done about how a model reads it.

In: a text's tokens and whether they fit. Out: wishes to shorten the text, to leave out
what the model has no token for, or to read "<|im_start|>" in it as the one token it
names. The sentence has one, and the target so far.
"""

from collections.abc import Iterable

from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app.frame.parts import plain_label, set_ink
from app.sentence import Fit
from app.style.fonts import SMALL, sans
from app.widgets.label import as_tip
from core.tokenizers.base import Encoding
from core.trace.views.tokens import special_in

LEAVE_OUT = "Leave them out"
READ_AS_ONE = "Read {special} as one token"
WHY_AS_ONE = (
    "The text holds {special}, which this tokenizer knows as one special token. It is "
    "read as plain characters now."
)
LOOKED_THROUGH = 20_000
"""Characters in which special tokens are looked for: more would hold up the typing."""
MOST_SPECIAL = 16
"""Characters of a special token on the button; the tip has all of it."""
MOST_NOTE = 60
"""Characters of a note on a text; the tip has all of it."""
GAP = 10


class TextCounts(QWidget):
    """Counts, or what is wrong, and the buttons that mend it."""

    def __init__(self, name: str) -> None:
        """Of the text with the field `name`.edit."""
        super().__init__()
        self._label = plain_label("", sans(SMALL), "muted")
        self.keep = QPushButton()
        self.leave_out = QPushButton(LEAVE_OUT)
        self.keep.setObjectName(f"{name}.keep")
        self.leave_out.setObjectName(f"{name}.leave_out")
        self.specials = QPushButton()
        self.specials.setObjectName(f"{name}.specials")
        self.specials.setProperty("kind", "figure")
        self.specials.setFont(sans(SMALL))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GAP)
        self.specials.hide()
        row.addWidget(self.specials)
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
        """Count a text; its tokens alone on a narrow window, or beside an offer."""
        has_room = is_roomy and self.specials.isHidden()
        self.leave_out.setVisible(bool(fit.unknown))
        self.keep.setVisible(bool(fit.n_too_long) and not fit.unknown)
        set_ink(self._label, "muted" if fit else "warning")
        if fit.unknown:
            few = f"{len(encoding.unknown):,} unknown"
            self._say(short_note(fit.unknown) if has_room else few, fit.unknown)
        elif fit.n_too_long:
            n = counted(len(encoding.pieces), "token")
            self._say(f"{n}, {fit.n_too_long:,} too many")
            self.keep.setText(f"Keep the last {n_ctx:,}")
        else:
            counts = counts_of(encoding)
            shown = counts if has_room else counts[:1]
            self._say(" · ".join(shown), " · ".join(counts))

    def offer_specials(self, text: str, specials: Iterable[str]) -> None:
        """Offer to read the first of these tokens that stands in a text as what it is.

        None is offered where there is none.
        """
        special = special_in(text[:LOOKED_THROUGH], specials)
        self.specials.setVisible(bool(special))
        is_long = len(special) > MOST_SPECIAL
        shown = f"{special[: MOST_SPECIAL - 1]}…" if is_long else special
        words = READ_AS_ONE.format(special=shown)
        self.specials.setText(words.replace("&", "&&"))
        self.specials.setToolTip(as_tip(WHY_AS_ONE.format(special=special)))

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
