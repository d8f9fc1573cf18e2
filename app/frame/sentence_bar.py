"""The sentence bar: which model reads, what it reads, and how much of it there is.

Top of the window. In: the session's model, text and tokens. Out: wishes for another
text, another model, a shorter sentence.
"""

import os
from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Slot
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QMenu, QPushButton, QWidget

import resources
from app.frame.parts import (
    HINT,
    MENU_BUTTON_HEIGHT,
    begin_typing,
    menu_button,
    sentence_field,
)
from app.frame.recent import RecentModels, name_in
from app.frame.sizes import BAR_MARGINS, BAR_SPACING
from app.frame.target_row import TargetRow
from app.frame.text_counts import TextCounts
from app.frame.text_marks import mark_tokens, places_on, side_of_text
from app.model_card import ModelCard
from app.session import Session
from app.style.fonts import MEDIUM, sans
from app.widgets.label import as_tip
from app.widgets.qt_calls import tells_faults
from core.checkpoints.places import SNAPSHOTS, installed_models
from core.texts import Example, examples
from core.tokenizers.base import Encoding

RECORDED = "This is a trace file: one sentence and no model. Open a model to type."
DEFAULT_MODEL = Path(resources.__file__).parent / "models" / "default"
NUMBER_WORDS = DEFAULT_MODEL.parent / "number-words"
"""A model of two sides that comes with the program."""
MOST_CHARACTERS = 10_000_000
"""What the field takes; how much the model can read is another matter."""
CHECKPOINTS = "checkpoints"
"""The folder of a run's models, as in `core.training.checkpoint`, which loads torch."""
NO_MODEL, OPENING = "no model", "opening…"
TRAIN = "Train…"
SOURCE_HINT, SENTENCE_NAME, SOURCE_NAME = "Type a source text", "Sentence", "Source"
OF_THE_RUN = "From the samples of the run in which this model learned"
FIELD_COLUMN, COUNTS_COLUMN = 2, 4
"""Of the grid, where the fields stand below each other, and the counts."""
ROW_SPACING = 6
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
        self._run: Path | None = None
        self.edit = sentence_field()
        self.examples_button = menu_button("Examples", "text.examples")
        self._counts = TextCounts("sentence")
        self.keep, self.leave_out = self._counts.keep, self._counts.leave_out
        self.specials = self._counts.specials
        self.target = TargetRow(session, self)
        self.train_button = QPushButton(TRAIN)
        self._arrange()
        self._fill_menus()
        self.edit.whole_text_edited.connect(session.request_text)
        self.keep.clicked.connect(session.keep_last_tokens)
        self.leave_out.clicked.connect(session.leave_out_unknown)
        for counts in (self._counts, self.target.counts):
            counts.specials.clicked.connect(self._on_specials_clicked)
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
        self.edit.setAccessibleName(SENTENCE_NAME)
        self.edit.setMaxLength(MOST_CHARACTERS)
        self.model_button.setFont(sans(weight=MEDIUM))
        self.train_button.setObjectName("training.open")
        self.train_button.setFixedHeight(MENU_BUTTON_HEIGHT)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(*BAR_MARGINS)
        self._grid.setHorizontalSpacing(BAR_SPACING)
        self._grid.setVerticalSpacing(ROW_SPACING)
        self._grid.setColumnStretch(FIELD_COLUMN, 1)
        parts = (self.model_button, self.edit, self.examples_button, self._counts)
        for column, part in enumerate((*parts, self.train_button), start=1):
            self._grid.addWidget(part, 0, column)
        self.target.put_into(self._grid, 1, FIELD_COLUMN, COUNTS_COLUMN)

    @Slot()
    def begin_typing(self) -> None:
        """Go to the field, with all of it selected."""
        begin_typing(self.edit)

    def add_left(self, button: QWidget) -> None:
        """Put a button before the model."""
        self._grid.addWidget(button, 0, 0)

    def add_right(self, *buttons: QWidget) -> None:
        """Put buttons at the right end."""
        for column, button in enumerate(buttons, start=self._grid.columnCount()):
            self._grid.addWidget(button, 0, column)

    def _fill_menus(self) -> None:
        self._prompts: tuple[str, ...] | None = None
        self._offer_examples(())
        self.model_menu = QMenu(self.model_button)
        self.model_menu.setToolTipsVisible(True)
        self.model_menu.aboutToShow.connect(self._on_model_menu_about_to_show)
        self.model_button.setMenu(self.model_menu)
        self.open_actions: tuple[QAction, ...] = ()

    def _offer_examples(self, prompts: tuple[str, ...]) -> None:
        """First what the model knows from its training, then the program's own."""
        if prompts == self._prompts:
            return
        self._prompts = prompts
        menu = QMenu(self.examples_button)
        menu.setToolTipsVisible(True)
        for prompt in prompts:
            menu.addAction(self._example_action(Example(prompt, OF_THE_RUN), menu))
        if prompts:
            menu.addSeparator()
        for example in examples():
            menu.addAction(self._example_action(example, menu))
        before = self.examples_button.menu()
        self.examples_button.setMenu(menu)
        if before is not None:
            before.deleteLater()

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
        return self._counts.text

    # What the reader does.

    @Slot()
    def _on_example_triggered(self) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            self._session.request_text(action.data())

    @Slot()
    def _on_specials_clicked(self) -> None:
        """Read special tokens as what they are; in both texts, as the switch does."""
        self._session.set_specials(True)

    @Slot()
    def _on_model_menu_about_to_show(self) -> None:
        self.model_menu.clear()
        self.model_menu.addActions(self.open_actions)
        own = (DEFAULT_MODEL, NUMBER_WORDS)
        folders = [*own, *installed_models(), *self._recent.folders]
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
        """Colour the two tokens where they are in the sentence."""
        session = self._session
        side = side_of_text(session, is_target=False)
        own = places_on(session, side, *(places or (None, None)))
        mark_tokens(self.edit, session.encoding, own)

    @Slot()
    def _on_session_fit_changed(self) -> None:
        self._show_counts(self._session.encoding)

    @Slot(object)
    def _on_session_model_changed(self, card: ModelCard) -> None:
        self._show_model(card)
        self._recent.note(card.folder)
        is_source = card.config.has_encoder
        self.edit.setPlaceholderText(SOURCE_HINT if is_source else HINT)
        self.edit.setAccessibleName(SOURCE_NAME if is_source else SENTENCE_NAME)
        self.edit.setEnabled(not card.is_recorded)
        self.edit.setToolTip(as_tip(RECORDED if card.is_recorded else ""))
        self.examples_button.setEnabled(not card.is_recorded)
        self._offer_examples(card.prompts)

    @Slot(object)
    def _show_model(self, card: ModelCard) -> None:
        kind = " · trace file" if card.is_recorded else ""
        mark = f" {mark_of(card)}" * bool(card.badge)
        name = short_name(card.name).replace("&", "&&")
        self.model_button.setText(name + mark + kind)
        self.model_button.setToolTip(as_tip(model_tip(card)))
        self._hold_width(card.folder)

    def _hold_width(self, folder: Path | None) -> None:
        """Let the field stay where it is while the checkpoints of a run go by."""
        run = folder.parent if folder and folder.parent.name == CHECKPOINTS else None
        is_same, self._run = run is not None and run == self._run, run
        before = self.model_button.minimumWidth() if is_same else 0
        self.model_button.setMinimumWidth(0)
        width = self.model_button.sizeHint().width() if run else 0
        self.model_button.setMinimumWidth(max(before, width))

    @Slot(str)
    def _on_session_activity_changed(self, activity: str) -> None:
        if self._session.model is None:
            self.model_button.setText(OPENING if activity else NO_MODEL)

    def _show_counts(self, encoding: Encoding) -> None:
        session, is_roomy = self._session, self.width() >= ROOMY
        n_ctx = session.model.n_ctx if session.model else 0
        fit = session.sentence_fit
        specials = plain_specials(session) if is_roomy else ()
        for counts, text, read in (
            (self._counts, session.text, encoding),
            (self.target.counts, session.target_text, session.target),
        ):
            counts.offer_specials(text, unread(specials, read))
        self._counts.show_counts(encoding, fit, n_ctx, is_roomy=is_roomy)
        self.target.show_counts(is_roomy=is_roomy)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Count no more than there is room for."""
        super().resizeEvent(event)
        self._show_counts(self._session.encoding)


def unread(specials: Iterable[str], encoding: Encoding | None) -> tuple[str, ...]:
    """Those that are no token of a text yet, as one that the model wrote is."""
    pieces = encoding.pieces if encoding is not None else ()
    read = {piece.data for piece in pieces if piece.is_special}
    return tuple(special for special in specials if special.encode() not in read)


def plain_specials(session: Session) -> Iterable[str]:
    """The special tokens whose text is read as characters, though it need not be."""
    tokenizer = session.tokenizer
    if tokenizer is None or session.reads_specials or session.is_recorded:
        return ()
    return tokenizer.specials


def short_name(name: str) -> str:
    """A model's name, cut to fit its button."""
    return name if len(name) <= MOST_NAME else f"{name[: MOST_NAME - 1]}…"


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
