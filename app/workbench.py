"""What fills the window: bars, pipeline, panel and inspector put together.

It makes the actions, hands them to menus and buttons, and remembers how it stood. What
is shown is each part's own business; what happens is the session's.
"""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPoint, Qt, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QMenu,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.actions import ACTIONS, MENUS, MODEL_ACTIONS, SECTION_STARTS, make_actions
from app.drops import Drops
from app.exports import Exports
from app.frame.body import Body
from app.frame.inspector import Inspector
from app.frame.message_bar import MessageBar
from app.frame.parts import icon_button
from app.frame.pipeline import Pipeline
from app.frame.recent import RecentModels
from app.frame.sentence_bar import SentenceBar
from app.frame.stepper import Stepper
from app.frame.time_bar import TimeBar
from app.frame.token_bar import TokenBar
from app.frame.tour_strip import TourStrip
from app.masking import Masking
from app.model_card import ModelCard
from app.model_windows import ModelWindows
from app.panel_host import PanelHost
from app.run_windows import RunWindows
from app.session import Session
from app.session_files import SessionFiles
from app.settings import (
    APPLICATION,
    MAP_COLOURS,
    N_NEW,
    PLAY_PAUSE,
    READS_SPECIALS,
    SHOWS_INSPECTOR,
    SHOWS_PIPELINE,
    STATE,
    THEME,
    Setting,
    Settings,
)
from app.tour import TourGuide
from app.widgets.formula import use_renderer
from app.workers.formulas import FormulaRenderer

if TYPE_CHECKING:
    from app.dialogs.training.studio import Studio

MENU_GAP = 4
ABOUT = (
    "Glassformer walks a sentence through a transformer. Every number on the screen is "
    "one the model computed; click one to see what it is made of."
)
CHOICES: tuple[tuple[str, Setting[str]], ...] = (
    ("view.theme", THEME),
    ("view.maps", MAP_COLOURS),
)
"""Groups of actions of which one is on, and the setting each of them chooses."""


class Workbench(QWidget):
    """Everything the reader sees in the window."""

    def __init__(self, session: Session, settings: Settings) -> None:
        """Put together from a session that may have nothing yet."""
        super().__init__()
        self._session = session
        self._settings = settings
        self._studio: Studio | None = None
        self._is_leaving = False
        """The window was to close, and the studio asked what becomes of its run."""
        self._formulas = FormulaRenderer(self)
        use_renderer(self._formulas)  # before the first formula's view is made
        self.sentence = SentenceBar(session, RecentModels(settings))
        self.tokens = TokenBar(session)
        self.actions_by_id = make_actions(self)
        self.time = TimeBar(session, self.actions_by_id)
        self.message = MessageBar(session.failed)
        self.pipeline = Pipeline(session)
        self.host = PanelHost(session)
        self.inspector = Inspector(session)
        self.tour = TourStrip(TourGuide(session))
        self.stepper = Stepper(session, settings.read(PLAY_PAUSE))
        self.body = Body(self.pipeline, self.host, self.inspector)
        self.runs = RunWindows(session, settings, self.host, self)
        self.models = ModelWindows(session, settings, self)
        self.exports = Exports(session, settings, self)
        self.session_files = SessionFiles(session, settings, self)
        fields = self.sentence.edit, self.sentence.target.edit
        self._drops = Drops(session, self.session_files, self, *fields)
        self._arrange()
        self._connect_actions()
        self._connect_session()
        self._restore()

    def _arrange(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for bar in (self.sentence, self.tokens, self.time, self.message, self.tour):
            column.addWidget(bar)
        column.addWidget(self.body, 1)
        column.addWidget(self.stepper)
        # So that arrows step from the start, and again after a click on empty space.
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        left = self._action_button("sidebar", "view.pipeline", "fold.pipeline")
        right = self._action_button("inspector", "view.inspector", "fold.inspector")
        export = self._action_button("export", "view.export", "panel.export")
        self.host.header.add_button(export)
        why = self._action_button("help", "tour.start", "token.why")
        self.tokens.add_button(why)
        self.tour.guide.reason_changed.connect(why.setToolTip)
        menu = self._menu_button()
        self.sentence.add_left(left)
        self.sentence.add_right(right, menu)
        self._order_tabs(left, right, menu, why)

    def _order_tabs(
        self, left: QWidget, right: QWidget, menu: QWidget, why: QWidget
    ) -> None:
        """Let Tab go from the top left to the bottom right."""
        bars: list[QWidget] = [self.time, self.message, self.tour, self.pipeline]
        bars += [self.inspector, self.stepper]
        parts = [left, self.sentence.model_button, self.sentence.edit]
        parts += [self.sentence.examples_button, self.sentence.specials]
        parts += [self.sentence.keep]
        parts += [self.sentence.train_button, right, menu]
        target = self.sentence.target
        parts += [target.edit, target.counts.keep, target.counts.leave_out]
        parts += [target.counts.specials]
        parts += [self.tokens.strip, self.tokens.target_strip, why]
        for bar in bars:
            inside = bar.findChildren(QWidget) if bar is not self.pipeline else [bar]
            parts += [w for w in inside if w.focusPolicy() & Qt.FocusPolicy.TabFocus]
        for before, after in pairwise(parts):
            QWidget.setTabOrder(before, after)
        self.host.tab_after = self.pipeline

    def _action_button(self, icon: str, action_id: str, name: str) -> QToolButton:
        action = self.actions_by_id[action_id]
        tip = f"{action.text().replace('&', '')} ({action.shortcut().toString()})"
        button = icon_button(icon, tip, name)
        button.clicked.connect(action.trigger)
        action.enabledChanged.connect(button.setEnabled)
        return button

    def _menu_button(self) -> QToolButton:
        """One button for all menus: the window has no bar for them."""
        whole = QMenu(self)
        menus = {key: whole.addMenu(title) for key, title in MENUS}
        for row in ACTIONS:
            if row.id in SECTION_STARTS:
                menus[row.menu].addSeparator()
            menus[row.menu].addAction(self.actions_by_id[row.id])
        button = icon_button("menu", "Menu", "window.menu")
        button.clicked.connect(self._on_menu_clicked)
        self._menu = whole
        return button

    @Slot()
    def _on_menu_clicked(self) -> None:
        button = self.sender()
        if isinstance(button, QWidget):
            corner = button.rect().bottomRight()
            left = QPoint(self._menu.sizeHint().width(), -MENU_GAP)
            self._menu.popup(button.mapToGlobal(corner - left))

    # Actions

    def _connect_actions(self) -> None:
        session, actions = self._session, self.actions_by_id
        doings: dict[str, Callable[..., Any]] = {
            "model.open": self.models.ask_and_open_folder,
            "model.file": self.models.ask_and_open_file,
            "model.browse": self.models.open_browser,
            "model.card": self.models.open_card,
            "model.check": self.models.open_check,
            "trace.open": self.exports.ask_and_open_trace,
            "trace.save": self.exports.ask_and_save_trace,
            "session.open": self.session_files.ask_and_open,
            "session.save": self.session_files.ask_and_save,
            "view.export": self.exports.open_dialog,
            "training.open": self.open_studio,
            "runs.open": self.runs.open_runs,
            "time.export": self.runs.ask_and_export,
            "app.quit": self._on_app_quit_triggered,
            "edit.sentence": self.sentence.begin_typing,
            "edit.target": self.sentence.target.begin_typing,
            "text.examples": self.sentence.examples_button.showMenu,
            "edit.copy": self.inspector.copy_text,
            "step.next": session.next_step,
            "step.previous": session.previous_step,
            "layer.next": session.next_layer,
            "layer.previous": session.previous_layer,
            "token.append": session.append_pick,
            "token.undo": session.undo_append,
            "text.generate": self._on_text_generate_triggered,
            "generate.stop": session.stop_generating,
            "help.about": self._on_help_about_triggered,
        }
        for name, do in doings.items():
            actions[name].triggered.connect(do)
        actions["text.specials"].toggled.connect(session.set_specials)
        actions["view.pipeline"].toggled.connect(self._on_pipeline_toggled)
        actions["view.inspector"].toggled.connect(self._on_inspector_toggled)
        for group, _ in CHOICES:
            for action in self._choice_actions(group):
                action.triggered.connect(self._on_choice_triggered)
        self.stepper.use_actions(actions)
        self.sentence.offer_open(*(actions[name] for name in MODEL_ACTIONS))
        self.sentence.offer_training(actions["training.open"])
        self.inspector.trail.use_actions(actions)
        self.tour.guide.use_actions(actions)
        self._masking = Masking(session, actions, self.tokens)

    def _choice_actions(self, group: str) -> list[QAction]:
        named = self.actions_by_id.items()
        return [action for name, action in named if name.startswith(f"{group}.")]

    @Slot()
    def open_studio(self) -> "Studio":
        """Bring the training studio to the front; it is made when first asked for."""
        if self._studio is None:
            from app.dialogs.training.studio import Studio

            self._studio = Studio(self._settings, self.window())
            self._studio.open_requested.connect(self._on_studio_open_requested)
            asks = self._studio.ask_close
            asks.answered.connect(self._on_ask_close_answered)  # after the studio
        self._studio.show()
        self._studio.activateWindow()  # it stays above the window that it belongs to
        return self._studio

    @Slot(object)
    def _on_studio_open_requested(self, folder: Path) -> None:
        """Open a checkpoint, and let it be seen: the studio may lie over the window."""
        self._session.open_model(folder)
        studio, window = self._studio, self.window()
        if studio and studio.frameGeometry().intersects(window.frameGeometry()):
            studio.hide()  # its run goes on, and Train brings it back
            window.activateWindow()

    @Slot(str)
    def _on_ask_close_answered(self, answer: str) -> None:
        is_leaving, self._is_leaving = self._is_leaving, False
        if is_leaving and answer != "cancel":
            self.window().close()

    @Slot(object, bool)
    def _on_runs_continue_requested(self, folder: Path, is_to_start: bool) -> None:
        studio = self.open_studio()
        if is_to_start:
            studio.start_run(folder)
        else:
            studio.show_run(folder)

    @Slot(object, object)
    def _on_runs_renamed(self, run: Path, renamed: Path) -> None:
        if self._studio is not None:
            self._studio.runs.rename(run, renamed)

    @Slot()
    def _on_app_quit_triggered(self) -> None:
        self.window().close()

    @Slot()
    def _on_text_generate_triggered(self) -> None:
        self._session.generate(self._settings.read(N_NEW))

    @Slot()
    def _on_help_about_triggered(self) -> None:
        self.message.say(ABOUT, "accent")

    @Slot(bool)
    def _on_pipeline_toggled(self, is_shown: bool) -> None:
        self.body.show_pipeline(is_shown)
        self._settings.write(SHOWS_PIPELINE, is_shown)

    @Slot(bool)
    def _on_inspector_toggled(self, is_shown: bool) -> None:
        self.body.show_inspector(is_shown)
        if not self.body.is_narrow:  # a drawer is pulled out for the moment
            self._settings.write(SHOWS_INSPECTOR, is_shown)

    @Slot(bool)
    def _on_body_is_narrow_changed(self, is_narrow: bool) -> None:
        is_shown = not is_narrow and self._settings.read(SHOWS_INSPECTOR)
        self.actions_by_id["view.inspector"].setChecked(is_shown)
        self.body.show_inspector(is_shown)

    @Slot()
    def _on_choice_triggered(self) -> None:
        action = self.sender()
        for group, setting in CHOICES:
            for each in self._choice_actions(group):
                if each is action:
                    self._settings.write(setting, each.objectName().rpartition(".")[2])

    # The session

    def _connect_session(self) -> None:
        session = self._session
        self.body.is_narrow_changed.connect(self._on_body_is_narrow_changed)
        self.runs.continue_requested.connect(self._on_runs_continue_requested)
        self.runs.train_requested.connect(self.open_studio)
        self.runs.renamed.connect(self._on_runs_renamed)
        for teller in (session, self.runs, self.exports, self.session_files):
            teller.told.connect(self._on_told)
        session.model_changed.connect(self._on_session_model_changed)
        for changed in (
            session.selection_changed,
            session.trace_changed,
            session.encoding_changed,
            session.is_generating_changed,
            session.too_long_changed,
            session.unknown_changed,
        ):
            changed.connect(self._on_session_changed)
        self._on_session_changed(None)

    @Slot(str)
    def _on_told(self, sentence: str) -> None:
        self.message.say(sentence, "checked")

    @Slot(object)
    def _on_session_model_changed(self, card: ModelCard) -> None:
        self.window().setWindowTitle(f"{card.name} · {APPLICATION}")
        if card.warnings:
            self.message.say(" ".join(card.warnings), "warning")

    @Slot(object)
    def _on_session_changed(self, _: object) -> None:
        """Let an action be chosen only where it would do something."""
        session = self._session
        can_add = session.can_append_pick and session.n_room > 0
        is_open = session.model is not None
        possible = {
            "model.card": is_open,
            "session.save": is_open,
            "trace.save": session.is_current,
            "view.export": session.scene is not None,
            "text.examples": not session.is_recorded,
            "text.specials": not session.is_recorded,
            "edit.target": session.has_target and not session.is_recorded,
            "step.next": session.can_step(1),
            "step.previous": session.can_step(-1),
            "layer.next": session.can_change_layer(1),
            "layer.previous": session.can_change_layer(-1),
            "token.append": can_add,
            "token.undo": session.can_undo,
            "text.generate": can_add,
            "generate.stop": session.is_generating,
        }
        for name, is_possible in possible.items():
            self.actions_by_id[name].setEnabled(is_possible)
        if session.tokenizer is not None:
            self.actions_by_id["text.specials"].setChecked(session.reads_specials)

    # How it stood

    def _restore(self) -> None:
        read, actions = self._settings.read, self.actions_by_id
        actions["view.pipeline"].setChecked(read(SHOWS_PIPELINE))
        actions["view.inspector"].setChecked(read(SHOWS_INSPECTOR))
        actions["text.specials"].setChecked(read(READS_SPECIALS))
        self.body.show_pipeline(read(SHOWS_PIPELINE))
        self.body.show_inspector(read(SHOWS_INSPECTOR))
        for group, setting in CHOICES:
            actions[f"{group}.{read(setting)}"].setChecked(True)
        self.body.restore(read(STATE))

    def may_leave(self) -> bool:
        """Whether the window may close; a run that is at work asks for an answer."""
        if self._studio is None or self._studio.close():
            return True
        self._is_leaving = True
        return False

    def leave(self) -> None:
        """Remember how the columns stood, and let the last formula be set."""
        if not self.body.is_narrow:
            self._settings.write(STATE, self.body.state())
        self.runs.close_down()
        self.models.close_down()
        self.exports.close_down()
        use_renderer(None)
        self._formulas.close()
