"""The token bar: every token with its id, and what the model thinks comes next.

Always visible, right under the sentence. In: the session's tokens, selection and trace.
Out: wishes for another query or key token.
"""

from dataclasses import replace

import numpy as np
from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from app.frame.words_line import WordsLine
from app.session import Session
from app.style.fonts import BASE, mono
from app.widgets.token_strip import Chip, State, TokenStrip
from core.tokenizers.base import Encoding, Piece
from core.trace.selection import Selection
from core.trace.trace import Trace
from core.trace.views.places import LabelOf, Words

N_NEXT = 3
"""How many of the likeliest next tokens stand at the right."""
N_SHOWN = 2
"""Widgets before the buttons: the chips and the next tokens."""
LONGEST_LABEL = 12
MOST_CHIPS = 4096
"""While no model says how many tokens it reads."""
BEYOND_NOTE = "More tokens than the model can read at once."
UNKNOWN_SUB = "no id"
UNKNOWN_NOTE = "The model has no token for this; its training text did not have it."
UNREAD_NOTE = "The model has written this token and not looked at it."
ADDED_NOTE = "The tokenizer puts it around every text; nobody typed it."
STAND_IN_NOTE = "It stands for what the tokenizer has no token for."
SPACE_NOTE = "The dot is a space: it belongs to the token."


class TokenBar(QFrame):
    """Chips at the left, the likeliest next tokens at the right."""

    def __init__(self, session: Session) -> None:
        """Show what the session has by now."""
        super().__init__()
        self._session = session
        self._encoding: Encoding | None = None
        self._n_unread = 0
        self._marks: tuple[int | None, ...] = (None, None)
        self.setProperty("bar", "top")
        self.strip = TokenStrip()
        self.strip.setObjectName("token.strip")
        self.next = WordsLine(mono(BASE))
        self._row = row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 14, 0)
        row.setSpacing(14)
        row.addWidget(self.strip, 1)
        row.addWidget(self.next, 0, Qt.AlignmentFlag.AlignVCenter)
        self.strip.query_requested.connect(self._on_strip_query_requested)
        self.strip.key_requested.connect(self._on_strip_key_requested)
        session.encoding_changed.connect(self._on_session_encoding_changed)
        session.selection_changed.connect(self._on_session_selection_changed)
        session.trace_changed.connect(self._on_session_trace_changed)
        session.pointed_changed.connect(self._on_session_pointed_changed)
        session.too_long_changed.connect(self._on_session_fit_changed)
        session.unknown_changed.connect(self._on_session_fit_changed)

    def add_button(self, button: QWidget) -> None:
        """Put a button behind the next tokens."""
        self._row.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)

    def put_first(self, button: QWidget) -> None:
        """Put a button before those that are there."""
        self._row.insertWidget(N_SHOWN, button, 0, Qt.AlignmentFlag.AlignVCenter)

    # What the reader does.

    @Slot(int)
    def _on_strip_query_requested(self, place: int) -> None:
        self._session.request_selection(
            replace(self._session.selection, query=place, focus=None)
        )

    @Slot(int)
    def _on_strip_key_requested(self, place: int) -> None:
        self._session.request_selection(
            replace(self._session.selection, key=place, focus=None)
        )

    # What the session tells.

    @Slot(object)
    def _on_session_encoding_changed(self, encoding: Encoding) -> None:
        n_before = len(self._encoding.pieces) if self._encoding else 0
        self._encoding = encoding
        self._show_chips(encoding)
        self._mark(self._session.selection)
        if max(self._session.n_typed, n_before) < len(encoding.pieces):
            self.strip.show_end()  # tokens were added

    def _show_chips(self, encoding: Encoding) -> None:
        session = self._session
        most = session.model.n_ctx if session.model else MOST_CHIPS
        self._n_unread = session.n_unread
        chips = chips_of(encoding, most, session.n_typed, self._n_unread)
        self.strip.show_chips(chips)

    @Slot(object)
    def _on_session_selection_changed(self, selection: Selection) -> None:
        self._mark(selection)

    @Slot(object)
    def _on_session_trace_changed(self, trace: Trace | None) -> None:
        scene, encoding = self._session.scene, self._encoding
        is_read = self._n_unread and encoding is self._session.encoding
        if is_read and encoding is not None:
            self._show_chips(encoding)
        if trace is None or scene is None:
            self.next.show_words(())
            return
        words = next_words(trace, scene.tokenizer.label)
        self.next.show_words(words, tip=f"{trace.text}\n{NEXT_NOTE}")
        self._mark(self._session.selection)

    @Slot(object)
    def _on_session_pointed_changed(self, places: tuple[int, int] | None) -> None:
        self.strip.set_pointed(*(places or (None, None)))

    @Slot()
    def _on_session_fit_changed(self) -> None:
        """What was likely after another sentence is not said of this one."""
        self.next.setVisible(self._session.fits)
        self._mark(self._session.selection)

    def _mark(self, selection: Selection) -> None:
        """Mark query and key, where the sentence has them."""
        is_of_another = not self._session.fits
        n = len(self._encoding.pieces) if self._encoding and not is_of_another else 0
        places = (selection.query, selection.key)
        marks = tuple(place if place < n else None for place in places)
        if marks != self._marks:  # most steps move nothing here: no need to paint
            self._marks = marks
            self.strip.set_marks(*marks)


NEXT_NOTE = "The likeliest next tokens, and their probabilities"


def chips_of(
    encoding: Encoding,
    most: int = MOST_CHIPS,
    n_typed: int = MOST_CHIPS,
    n_unread: int = 0,
) -> tuple[Chip, ...]:
    """A chip a token; those that share a character stand in one bracket.

    Those behind the first `n_typed` are dressed as new, the last `n_unread` as unread.
    Tokens beyond the `most` that a model can read are counted by one chip at the end.
    """
    bracket_of = {
        place: number
        for number, (start, stop) in enumerate(encoding.brackets)
        for place in range(start, stop)
    }
    first_unread = len(encoding.pieces) - n_unread
    chips = tuple(
        Chip(
            label=piece.label,
            sub=UNKNOWN_SUB if piece.is_unknown else str(piece.id),
            bracket=bracket_of.get(place),
            note=UNREAD_NOTE if place >= first_unread else note_of(piece),
            state=(
                "unread"
                if place >= first_unread
                else state_of(piece, is_new=place >= n_typed)
            ),
        )
        for place, piece in enumerate(encoding.pieces[:most])
    )
    n_more = len(encoding.pieces) - len(chips)
    more = (Chip("…", f"{n_more:,} more", note=BEYOND_NOTE),) if n_more else ()
    return chips + more


def note_of(piece: Piece) -> str:
    """What the tip adds: no token, nobody's, part of a character, a space at the front.

    The first of these that is so.
    """
    if piece.is_unknown:
        return UNKNOWN_NOTE
    if piece.is_added:
        return ADDED_NOTE
    if piece.is_stand_in:
        return STAND_IN_NOTE
    if piece.part is not None:
        first, n_bytes = piece.part
        return f"from byte {first} of {n_bytes} of one character"
    return SPACE_NOTE if piece.data.startswith(b" ") and len(piece.data) > 1 else ""


def state_of(piece: Piece, *, is_new: bool) -> State:
    """How the chip is drawn."""
    if piece.is_unknown:
        return "bad"
    if piece.is_special:
        return "special"
    return "new" if is_new else "plain"


def next_words(trace: Trace, label_of: LabelOf) -> tuple[Words, ...]:
    """The likeliest tokens after the last one: ("next", "·CAT", "0.41", ...)."""
    if not trace.config.writes:
        return ()
    shares = trace.part("output.probs", (trace.n - 1,))
    if not np.isfinite(shares).all():
        return (Words("next: not a number", "warning"),)
    words = [Words("next")]
    for token in np.argsort(-shares, kind="stable")[:N_NEXT]:
        label = label_of(int(token))
        is_long = len(label) > LONGEST_LABEL
        shown = f"{label[: LONGEST_LABEL - 1]}…" if is_long else label
        words += [Words(shown, "text"), Words(f"{shares[token]:.2f} ")]
    return tuple(words)
