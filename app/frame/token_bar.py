"""The token bar: every token with its id, and what the model thinks comes next.

Always visible, right under the sentence. In: the session's trace. Out: two lines of
chips where one text is read and another written, or else one; and the likeliest next
tokens.
"""

import numpy as np
from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.frame.token_line import TokenLine
from app.frame.words_line import WordsLine
from app.session import Session
from app.style.fonts import BASE, mono
from core.trace.reduce import largest_places
from core.trace.trace import Trace
from core.trace.views.places import LabelOf, Words

N_NEXT = 3
"""How many of the likeliest next tokens stand at the right."""
N_SHOWN = 1
"""Widgets before the buttons: the lines of chips, with the next tokens."""
LONGEST_LABEL = 12
NEXT_NOTE = "The likeliest next tokens, and their probabilities"


class TokenBar(QFrame):
    """Chips at the left, the likeliest next tokens at the right."""

    def __init__(self, session: Session) -> None:
        """Show what the session has by now."""
        super().__init__()
        self._session = session
        self.setProperty("bar", "top")
        self.lines = (TokenLine(session), TokenLine(session, is_target=True))
        self.strip, self.target_strip = (line.strip for line in self.lines)
        self.next = WordsLine(mono(BASE))
        column = QVBoxLayout()
        column.setSpacing(0)
        for line in self.lines:
            column.addWidget(line)
        self._row = row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 14, 0)
        row.setSpacing(14)
        row.addLayout(column, 1)
        self._on_session_model_changed(None)
        session.model_changed.connect(self._on_session_model_changed)
        session.trace_changed.connect(self._on_session_trace_changed)
        session.too_long_changed.connect(self._on_session_fit_changed)
        session.unknown_changed.connect(self._on_session_fit_changed)

    def add_button(self, button: QWidget) -> None:
        """Put a button behind the next tokens."""
        self._row.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)

    def put_first(self, button: QWidget) -> None:
        """Put a button before those that are there."""
        self._row.insertWidget(N_SHOWN, button, 0, Qt.AlignmentFlag.AlignVCenter)

    # What the session tells.

    @Slot(object)
    def _on_session_model_changed(self, _: object) -> None:
        """The next tokens are those of the text that is written."""
        card = self._session.model
        has_target = card is not None and card.config.has_encoder
        self.lines[int(has_target)].put_behind(self.next)

    @Slot(object)
    def _on_session_trace_changed(self, trace: Trace | None) -> None:
        scene = self._session.scene
        if trace is None or scene is None:
            self.next.show_words(())
            return
        words = next_words(trace, scene.target_tokenizer.label)
        self.next.show_words(words, tip=f"{trace.text}\n{NEXT_NOTE}")

    @Slot()
    def _on_session_fit_changed(self) -> None:
        """What was likely after another sentence is not said of this one."""
        self.next.setVisible(self._session.fits)


def next_words(trace: Trace, label_of: LabelOf) -> tuple[Words, ...]:
    """The likeliest tokens after the last one: ("next", "·CAT", "0.41", ...)."""
    if not trace.config.writes:
        return ()
    shares = trace.part("output.probs", (trace.n - 1,))
    if not np.isfinite(shares).all():
        return (Words("next: not a number", "warning"),)
    words = [Words("next")]
    for token in largest_places(shares, N_NEXT):
        label = label_of(int(token))
        is_long = len(label) > LONGEST_LABEL
        shown = f"{label[: LONGEST_LABEL - 1]}…" if is_long else label
        words += [Words(shown, "text"), Words(f"{shares[token]:.2f} ")]
    return tuple(words)
