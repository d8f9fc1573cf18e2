"""One text as a line of chips: the sentence, or behind an encoder source and target.

In: the session's tokens, selection and trace. Out: wishes to look at another token. The
chips of a text that the present step does not read are quiet; its chosen token is
marked all the same.
"""

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from app.frame.parts import caption
from app.frame.text_marks import places_on, side_of_text, sides_now
from app.frame.token_chips import MOST_CHIPS, chips_of
from app.session import Session
from app.widgets.token_strip import TokenStrip
from core.tokenizers.base import Encoding
from core.trace.selection import Selection

CAPTION_WIDTH = 56
"""Room for the longer of the two captions, so that chips begin at one edge."""
GAP = 14
Places = tuple[int | None, int | None, int | None]
"""The query, the key, and the token that is chosen for another step."""


class TokenLine(QWidget):
    """A caption, which is seen where there are two lines, and the chips."""

    def __init__(self, session: Session, *, is_target: bool = False) -> None:
        """Show what the session has by now."""
        super().__init__()
        self._session, self._is_target = session, is_target
        self._encoding: Encoding | None = None
        self._dress: tuple[int, int, int] = (0, 0, 0)
        self._places: Places = (None, None, None)
        self.strip = TokenStrip()
        self.strip.setObjectName("target.strip" if is_target else "token.strip")
        name = "Tokens of the target so far" if is_target else "Tokens of the sentence"
        self.strip.setAccessibleName(name)
        self._caption = caption("Target" if is_target else "Source")
        self._lay_out(self._caption)
        self.strip.query_requested.connect(self._on_strip_query_requested)
        self.strip.key_requested.connect(self._on_strip_key_requested)
        session.encoding_changed.connect(self._on_session_encoding_changed)
        session.model_changed.connect(self._on_session_model_changed)
        session.selection_changed.connect(self._on_session_selection_changed)
        session.trace_changed.connect(self._on_session_trace_changed)
        session.pointed_changed.connect(self._on_session_pointed_changed)
        for changed in (session.too_long_changed, session.unknown_changed):
            changed.connect(self._on_session_fit_changed)
        self.setVisible(not is_target)

    def _lay_out(self, name: QLabel) -> None:
        name.setFixedWidth(CAPTION_WIDTH)
        name.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        name.hide()
        self._row = row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GAP)
        row.addWidget(name)
        row.addWidget(self.strip, 1)

    def put_behind(self, widget: QWidget) -> None:
        """Let a widget stand at the right end."""
        self._row.addWidget(widget, 0, Qt.AlignmentFlag.AlignVCenter)

    @property
    def side(self) -> str:
        """Whose tokens these are: "encoder", "decoder"; "" for the only ones."""
        return side_of_text(self._session, is_target=self._is_target)

    @property
    def _is_written(self) -> bool:
        """Whether Append and Generate add to this text."""
        return self._is_target == self._session.has_target

    # What the reader does.

    @Slot(int)
    def _on_strip_query_requested(self, place: int) -> None:
        self._session.point_at_token(self.side, place)

    @Slot(int)
    def _on_strip_key_requested(self, place: int) -> None:
        self._session.point_at_token(self.side, place, as_key=True)

    # What the session tells.

    @Slot(object)
    def _on_session_model_changed(self, _: object) -> None:
        self._show_room()

    @Slot(object)
    def _on_session_encoding_changed(self, _: Encoding) -> None:
        session = self._session
        self._show_room()
        encoding = session.target if self._is_target else session.encoding
        if encoding is None:
            self._encoding = None
            return
        n_before = len(self._encoding.pieces) if self._encoding else 0
        is_another = encoding is not self._encoding
        self._encoding = encoding
        self._show_chips(encoding, is_another=is_another)
        self._mark()
        is_longer = max(session.n_typed, n_before) < len(encoding.pieces)
        if self._is_written and is_another and is_longer:
            self.strip.show_end()  # tokens were added

    def _show_room(self) -> None:
        """Two lines are flat and have captions; the only one is tall."""
        has_target = self._session.has_target
        self.strip.lay_flat(has_target)
        self._caption.setVisible(has_target)
        self.setVisible(has_target or not self._is_target)

    def _show_chips(self, encoding: Encoding, *, is_another: bool) -> None:
        session = self._session
        most = session.model.n_ctx if session.model else MOST_CHIPS
        n_typed, n_unread = len(encoding.pieces), 0
        if self._is_written:
            n_typed, n_unread = session.n_typed, session.n_unread
        dress = most, n_typed, n_unread
        if is_another or dress != self._dress:
            self._dress = dress
            self.strip.show_chips(chips_of(encoding, *dress, is_target=self._is_target))

    @Slot(object)
    def _on_session_selection_changed(self, _: Selection) -> None:
        self._mark()

    @Slot(object)
    def _on_session_trace_changed(self, _: object) -> None:
        encoding, session = self._encoding, self._session
        texts = session.encoding, session.target
        if encoding is not None and any(encoding is text for text in texts):
            self._show_chips(encoding, is_another=False)  # they may be read by now
        self._mark()

    @Slot(object)
    def _on_session_pointed_changed(self, places: tuple[int, int] | None) -> None:
        session, side = self._session, self.side
        self.strip.set_pointed(*places_on(session, side, *(places or (None, None))))

    @Slot()
    def _on_session_fit_changed(self) -> None:
        self._mark()

    def _mark(self) -> None:
        """Mark query and key, where the text has them, or what is chosen in it."""
        session, at = self._session, self._session.selection
        is_live = self.side in sides_now(session)
        places = (*places_on(session, self.side, at.query, at.key), at.other)
        encoding = self._encoding if session.fits else None
        n = len(encoding.pieces) if encoding else 0
        query, key, other = (p if p is not None and p < n else None for p in places)
        other = None if is_live else other
        self.strip.set_live(is_live)
        if (query, key, other) != self._places:  # most steps move nothing here
            self._places = (query, key, other)
            self.strip.set_marks(query, key, other)
