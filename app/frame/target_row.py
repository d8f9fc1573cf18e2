"""The target so far: what a model of two sides has written, or is said to have.

Second row of the sentence bar, seen only while such a model is open. In: the session's
target. Out: wishes for another one: what is typed here is what the decoder goes on
from. The model's start token stands before it and is no part of the text.
"""

from PySide6.QtCore import QObject, QSignalBlocker, Qt, Slot
from PySide6.QtWidgets import QGridLayout, QWidget

from app.frame.parts import begin_typing, plain_label, sentence_field
from app.frame.text_counts import TextCounts
from app.frame.text_marks import mark_tokens, places_on
from app.session import Session
from app.style.fonts import SMALL, sans
from app.widgets.label import as_tip
from core.trace.step import DECODER

CAPTION = "Target so far"
HINT = "Nothing yet: type how it begins, or let the model write"
WHAT = (
    "What the model has written so far, behind its start token. Type here to say how "
    "it begins, or what it should have written (teacher forcing)."
)
RECORDED = "This is a trace file: two texts and no model. Open a model to type."


class TargetRow(QObject):
    """Caption, field and counts, side by side in the grid of the sentence bar."""

    def __init__(self, session: Session, bar: QWidget) -> None:
        """Not seen until a model of two sides is open."""
        super().__init__(bar)
        self._session, self._bar = session, bar
        self.caption = plain_label(CAPTION, sans(SMALL), "muted")
        self.edit = sentence_field()
        self.counts = TextCounts("target")
        self._parts: tuple[QWidget, ...] = (self.caption, self.edit, self.counts)
        self._dress()
        self.edit.whole_text_edited.connect(session.request_target)
        self.counts.keep.clicked.connect(session.keep_last_of_target)
        self.counts.leave_out.clicked.connect(session.leave_out_of_target)
        session.target_text_changed.connect(self._on_session_target_text_changed)
        session.model_changed.connect(self._on_session_model_changed)
        session.pointed_changed.connect(self._on_session_pointed_changed)

    def _dress(self) -> None:
        self.edit.setObjectName("target.edit")
        self.edit.setAccessibleName(CAPTION)
        self.edit.setPlaceholderText(HINT)
        for part in self._parts:
            part.setToolTip(as_tip(WHAT))
            part.hide()

    def put_into(self, grid: QGridLayout, row: int, field: int, last: int) -> None:
        """Stand in a row, the field in the column `field`, counts up to `last`."""
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        grid.addWidget(self.caption, row, 0, 1, field, right)
        grid.addWidget(self.edit, row, field)
        grid.addWidget(self.counts, row, field + 1, 1, last - field, left)

    @Slot()
    def begin_typing(self) -> None:
        """Go to the field, with all of it selected."""
        begin_typing(self.edit)

    def show_counts(self, *, is_roomy: bool) -> None:
        """Count the target."""
        session = self._session
        if session.target is not None and session.model is not None:
            fit, n_ctx = session.target_fit, session.model.n_ctx
            self.counts.show_counts(session.target, fit, n_ctx, is_roomy=is_roomy)

    @Slot(object)
    def _on_session_model_changed(self, _: object) -> None:
        session = self._session
        has_target = session.model is not None and session.model.config.has_encoder
        for part in self._parts:
            part.setVisible(has_target)
        self.edit.setEnabled(not session.is_recorded)
        self.edit.setToolTip(as_tip(RECORDED if session.is_recorded else WHAT))

    @Slot(object)
    def _on_session_target_text_changed(self, text: str) -> None:
        if text != self.edit.whole_text:
            with QSignalBlocker(self.edit):
                self.edit.setText(text)

    @Slot(object)
    def _on_session_pointed_changed(self, places: tuple[int, int] | None) -> None:
        target = self._session.target
        if target is not None:
            own = places_on(self._session, DECODER, *(places or (None, None)))
            mark_tokens(self.edit, target, own)
