"""The sentence bar: which model reads, what it reads, and how much of it there is.

Top of the window. In: the session's model, text and tokens. Out: wishes for another
text, another model, a shorter sentence.
"""

import os
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Slot
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QPushButton

import resources
from app.frame.parts import (
    MENU_BUTTON_HEIGHT,
    menu_button,
    plain_label,
    sentence_field,
    set_ink,
)
from app.frame.recent import RecentModels, name_in
from app.frame.sizes import BAR_MARGINS, BAR_SPACING
from app.model_card import ModelCard
from app.session import Session
from app.style.fonts import MEDIUM, SMALL, sans
from app.style.theme import theme
from app.widgets.label import as_tip
from app.widgets.qt_calls import tells_faults
from core.checkpoints.places import SNAPSHOTS, installed_models
from core.texts import Example, examples
from core.tokenizers.base import Encoding

RECORDED = "This is a trace file: one sentence and no model. Open a model to type."
DEFAULT_MODEL = Path(resources.__file__).parent / "models" / "default"
MOST_CHARACTERS = 10_000_000
"""What the field takes; how much the model can read is another matter."""
NO_MODEL, OPENING = "no model", "opening…"
TRAIN = "Train…"
LEAVE_OUT = "Leave them out"
MOST_NOTE = 60
"""Characters of a note on the sentence; the tip has all of it."""
ROOMY = 1000
"""Below this width the bar counts tokens alone."""
MOST_NAME = 22
"""Characters of a model's name on the button; the tip has all of it."""


@tells_faults
class SentenceBar(QFrame):
    """Model menu, sentence, examples, counts, Train."""

    def __init__(self, session: Session, recent: RecentModels) -> None:
        """Show what the session has by now."""
        super().__init__()
        self._session = session
        self._recent = recent
        self.setProperty("bar", "top")
        self.model_button = menu_button(NO_MODEL, "model.menu")
        self.edit = sentence_field()
        self.examples_button = menu_button("Examples", "text.examples")
        self._counts = plain_label("", sans(SMALL), "muted")
        self.keep = QPushButton()
        self.leave_out = QPushButton(LEAVE_OUT)
        self.train_button = QPushButton(TRAIN)
        self._arrange()
        self._fill_menus()
        self.edit.whole_text_edited.connect(session.request_text)
        self.keep.clicked.connect(session.keep_last_tokens)
        self.leave_out.clicked.connect(session.leave_out_unknown)
        session.text_changed.connect(self._on_session_text_changed)
        session.encoding_changed.connect(self._on_session_encoding_changed)
        session.too_long_changed.connect(self._on_session_fit_changed)
        session.unknown_changed.connect(self._on_session_fit_changed)
        session.model_changed.connect(self._on_session_model_changed)
        session.badge_changed.connect(self._show_model)
        session.activity_changed.connect(self._on_session_activity_changed)
        session.pointed_changed.connect(self._on_session_pointed_changed)
        self._on_session_text_changed(session.text)

    def _arrange(self) -> None:
        self.edit.setObjectName("sentence.edit")
        self.edit.setAccessibleName("Sentence")
        self.edit.setMaxLength(MOST_CHARACTERS)
        self.model_button.setFont(sans(weight=MEDIUM))
        self.keep.setObjectName("sentence.keep")
        self.keep.hide()
        self.leave_out.setObjectName("sentence.leave_out")
        self.leave_out.hide()
        self.train_button.setObjectName("training.open")
        self.train_button.setFixedHeight(MENU_BUTTON_HEIGHT)
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(*BAR_MARGINS)
        self.row.setSpacing(BAR_SPACING)
        self.row.addWidget(self.model_button)
        self.row.addWidget(self.edit, 1)
        self.row.addWidget(self.examples_button)
        self.row.addWidget(self._counts)
        self.row.addWidget(self.keep)
        self.row.addWidget(self.leave_out)
        self.row.addWidget(self.train_button)

    def _fill_menus(self) -> None:
        menu = QMenu(self.examples_button)
        menu.setToolTipsVisible(True)
        for example in examples():
            menu.addAction(self._example_action(example, menu))
        self.examples_button.setMenu(menu)
        self.model_menu = QMenu(self.model_button)
        self.model_menu.setToolTipsVisible(True)
        self.model_menu.aboutToShow.connect(self._on_model_menu_about_to_show)
        self.model_button.setMenu(self.model_menu)
        self.open_actions: tuple[QAction, ...] = ()

    def _example_action(self, example: Example, menu: QMenu) -> QAction:
        action = QAction(example.text.replace("&", "&&"), menu)
        action.setToolTip(as_tip(example.shows))
        action.setData(example.text)
        action.triggered.connect(self._on_example_triggered)
        return action

    def offer_open(self, *actions: QAction) -> None:
        """Put what can be asked about models at the top of the model menu."""
        self.open_actions = actions

    def offer_training(self, action: QAction) -> None:
        """Let the button do what the action does."""
        self.train_button.setToolTip(
            as_tip(f"Train a model ({action.shortcut().toString()})")
        )
        self.train_button.clicked.connect(action.trigger)

    @property
    def counts(self) -> str:
        """What is said of the sentence's length."""
        return self._counts.text()

    # What the reader does.

    @Slot()
    def _on_example_triggered(self) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            self._session.request_text(action.data())

    @Slot()
    def _on_model_menu_about_to_show(self) -> None:
        self.model_menu.clear()
        self.model_menu.addActions(self.open_actions)
        folders = [DEFAULT_MODEL, *installed_models(), *self._recent.folders]
        shown = list(filter(os.path.exists, dict.fromkeys(folders)))
        if shown:
            self.model_menu.addSeparator()
        for folder in shown:
            action = self.model_menu.addAction(menu_name(folder).replace("&", "&&"))
            action.setData(str(folder))
            action.setCheckable(True)
            action.setChecked(self._is_open(folder))
            action.setToolTip(as_tip(str(folder)))
            action.triggered.connect(self._on_folder_triggered)

    def _is_open(self, folder: Path) -> bool:
        card = self._session.model
        opened = card.folder if card is not None else None
        return opened is not None and opened.resolve() == folder.resolve()

    @Slot()
    def _on_folder_triggered(self) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            self._session.open_model(Path(action.data()))

    # What the session tells.

    @Slot(object)
    def _on_session_text_changed(self, text: str) -> None:
        if text != self.edit.whole_text:
            with QSignalBlocker(self.edit):
                self.edit.setText(text)

    @Slot(object)
    def _on_session_encoding_changed(self, encoding: Encoding) -> None:
        self._show_counts(encoding)

    @Slot(object)
    def _on_session_pointed_changed(self, places: tuple[int, int] | None) -> None:
        """Colour the two tokens in the sentence, the query over the key."""
        pieces = self._session.encoding.pieces
        stretches = []
        for place, name in zip(places or (), ("query", "key"), strict=False):
            if place < len(pieces):
                start, stop = pieces[place].char_span
                colours = theme().colour(f"{name}_soft"), theme().colour(name)
                stretches.append((start, stop, *colours))
        self.edit.mark(tuple(reversed(stretches)))

    @Slot()
    def _on_session_fit_changed(self) -> None:
        self._show_counts(self._session.encoding)

    @Slot(object)
    def _on_session_model_changed(self, card: ModelCard) -> None:
        self._show_model(card)
        self._recent.note(card.folder)
        self.edit.setEnabled(not card.is_recorded)
        self.edit.setToolTip(as_tip(RECORDED if card.is_recorded else ""))
        self.examples_button.setEnabled(not card.is_recorded)

    @Slot(object)
    def _show_model(self, card: ModelCard) -> None:
        kind = " · trace file" if card.is_recorded else ""
        mark = f" {mark_of(card)}" * bool(card.badge)
        name = short_name(card.name).replace("&", "&&")
        self.model_button.setText(name + mark + kind)
        self.model_button.setToolTip(as_tip(model_tip(card)))

    @Slot(str)
    def _on_session_activity_changed(self, activity: str) -> None:
        if self._session.model is None:
            self.model_button.setText(OPENING if activity else NO_MODEL)

    def _show_counts(self, encoding: Encoding) -> None:
        n_too_long, card = self._session.n_too_long, self._session.model
        unknown = self._session.unknown
        self.leave_out.setVisible(bool(unknown))
        self.keep.setVisible(bool(n_too_long) and not unknown)
        set_ink(self._counts, "muted" if self._session.fits else "warning")
        if unknown:
            is_roomy = self.width() >= ROOMY
            few = f"{len(encoding.unknown):,} unknown"
            self._counts.setText(short_note(unknown) if is_roomy else few)
            self._counts.setToolTip(as_tip(unknown))
        elif n_too_long and card is not None:
            n = len(encoding.pieces)
            self._counts.setText(f"{counted(n, 'token')}, {n_too_long:,} too many")
            self.keep.setText(f"Keep the last {card.n_ctx:,}")
        else:
            counts = counts_of(encoding)
            shown = counts if self.width() >= ROOMY else counts[:1]
            self._counts.setText(" · ".join(shown))
            self._counts.setToolTip(as_tip(" · ".join(counts)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Count no more than there is room for."""
        super().resizeEvent(event)
        self._show_counts(self._session.encoding)


def counted(n: int, what: str) -> str:
    """How many of something: "1 token", "1,024 tokens"."""
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"


def counts_of(encoding: Encoding) -> tuple[str, ...]:
    """How long the sentence is: "6 tokens", "24 characters", "24 bytes"."""
    counts = (
        (len(encoding.pieces), "token"),
        (encoding.n_characters, "character"),
        (encoding.n_bytes, "byte"),
    )
    return tuple(counted(*count) for count in counts)


def short_name(name: str) -> str:
    """A model's name, cut to fit its button."""
    return name if len(name) <= MOST_NAME else f"{name[: MOST_NAME - 1]}…"


def short_note(note: str) -> str:
    """A note on the sentence, cut to fit beside it."""
    return note if len(note) <= MOST_NOTE else f"{note[: MOST_NOTE - 1]}…"


def menu_name(folder: Path) -> str:
    """A model and its folder, for models of one training have one name."""
    if folder.is_file():
        return folder.name
    if folder.parent.name == SNAPSHOTS:
        return f"{name_in(folder)} · Hugging Face cache"
    place = "default" if folder == DEFAULT_MODEL else folder.name
    return f"{name_in(folder)} · {place}"


def mark_of(card: ModelCard) -> str:
    """Whether the model agreed with the program that it was held to, in a sign."""
    return "≠" if card.badge.startswith("differs") else "✓"


TIED = "tied: one table for embeddings and logits"


def model_tip(card: ModelCard) -> str:
    """A model in a few lines."""
    config = card.config
    has_model = f"{card.n_parameters:,} parameters on {card.device}"
    lines = (
        card.name,
        "trace file, no model" if card.is_recorded else has_model,
        f"{config.n_layers} layers, {config.n_heads} heads, width {config.d_model}",
        f"{config.n_vocab:,} tokens known, {config.n_ctx:,} read at once",
        *(TIED,) * config.tie_embeddings,
        *(card.badge,) * bool(card.badge),
        *card.notes,
        *card.warnings,
    )
    return "\n".join(lines)
