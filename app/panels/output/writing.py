"""Putting tokens to the sentence: Append, Generate, Stop, Undo, and what came of it."""

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QHBoxLayout

from app.session import Session
from app.style.fonts import SMALL, mono, sans
from app.widgets.card import GAP, Card, plain_label
from app.widgets.elided import ElidedLabel
from app.widgets.label import elided
from app.widgets.number_field import WholeField
from app.widgets.steady_button import SteadyButton

N_NEW = 20
"""Tokens that Generate writes unless told otherwise."""
MOST_NEW = 100_000
FIELD_WIDTH = 76
LABEL_WIDTH = 110.0
"""Room for the token on the Append button, in pixels."""


class WritingCard(Card):
    """The buttons under the controls. What they can do is the session's to say."""

    def __init__(self, session: Session) -> None:
        """Follow the session's news."""
        super().__init__("Write on")
        self._session = session
        self._pick = ""
        self.append = push_button("output.append", "Put the picked token to the end")
        self.append.setProperty("kind", "primary")
        self.undo = push_button("output.undo", "Take back what was added last")
        self.undo.setText("Undo")
        self.generate = push_button("output.generate", "Pick and append one by one")
        self.n_new = WholeField(1, MOST_NEW)
        self.n_new.setObjectName("output.n_new")
        self.n_new.setAccessibleName("tokens to generate")
        self.n_new.setFixedWidth(FIELD_WIDTH)
        self.n_new.show_number(N_NEW)
        self._added, self._state = ElidedLabel("checked"), plain_label(ink="muted")
        self._added.setFont(mono(SMALL))
        self._state.setFont(sans(SMALL))
        self._state.setWordWrap(True)
        self._lay_out()
        self._connect()
        self._refresh()

    def show_pick(self, label: str) -> None:
        """Name the token that Append would put; "" where there is none."""
        self._pick = label
        self._refresh()

    def _lay_out(self) -> None:
        first, second = QHBoxLayout(), QHBoxLayout()
        for row, widgets in (
            (first, (self.append, self.undo)),
            (second, (self.n_new, plain_label("tokens"), self.generate)),
        ):
            row.setSpacing(GAP)
            for widget in widgets:
                row.addWidget(widget, int(widget in (self.append, self.generate)))
            self.body.addLayout(row)
        self.body.addWidget(self._added)
        self.body.addWidget(self._state)

    def _connect(self) -> None:
        session = self._session
        self.append.clicked.connect(session.append_pick)
        self.undo.clicked.connect(session.undo_append)
        self.generate.clicked.connect(self._on_generate_clicked)
        session.encoding_changed.connect(self._refresh)
        session.is_generating_changed.connect(self._refresh)
        session.trace_changed.connect(self._refresh)
        session.model_changed.connect(self._refresh)

    @Slot()
    def _on_generate_clicked(self) -> None:
        if self._session.is_generating:
            self._session.stop_generating()
        else:
            self._session.generate(self.n_new.number)

    @Slot()
    def _refresh(self) -> None:
        session = self._session
        is_writing, can_pick = session.is_generating, session.can_append_pick
        label = elided(self._pick, self.append.font(), LABEL_WIDTH)
        self.append.setText(f"Append {label}".rstrip().replace("&", "&&"))
        self.append.set_usable(can_pick)
        self.undo.set_usable(session.can_undo and not is_writing)
        self.n_new.setEnabled(not is_writing)
        self.generate.setText("Stop" if is_writing else "Generate")
        self.generate.set_usable(is_writing or (can_pick and session.n_room > 0))
        labels = [piece.label for piece in session.written.pieces[session.n_typed :]]
        self._added.setVisible(bool(labels))
        self._added.show_text(f"+{len(labels)} {''.join(labels)}")
        self._state.setText(state_words(session))


def push_button(name: str, tip: str) -> SteadyButton:
    """A button with an objectName; its text may change."""
    button = SteadyButton()
    button.setObjectName(name)
    button.setToolTip(tip)
    return button


def state_words(session: Session) -> str:
    """How much fits, or why nothing can be added."""
    if session.broken_from:
        return f"Sampling is off: not a number since {session.broken_from}."
    n_ctx = session.model.n_ctx if session.model else 0
    if session.n_room:
        return f"Room for {session.n_room:,} more; then Generate stops."
    if session.has_target:
        return f"The target fills all {n_ctx:,} tokens; take some back to write on."
    return (
        f"The window of {n_ctx:,} tokens is full: Generate stops here. One more by "
        "Append, and the first token can no longer be seen."
    )
