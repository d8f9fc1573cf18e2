"""The middle of the window: the present step's heading and the panel that shows it.

In: the session's scene. A panel is made when it is first needed and draws only while it
is seen. Without a trace a page of the same shape says why.
"""

from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from PySide6.QtCore import Qt, QTimer, Slot
from PySide6.QtWidgets import QStackedWidget, QToolTip, QVBoxLayout, QWidget

from app.frame.panel_header import PanelHeader, lengths_of
from app.frame.sizes import MIDDLE_MARGINS, MIDDLE_SPACING
from app.frame.state_page import (
    COMPUTING,
    EMPTY,
    NO_MODEL,
    OPENING,
    TARGET_TOO_LONG,
    TARGET_UNKNOWN,
    TOO_LONG,
    UNKNOWN,
    State,
    StatePage,
)
from app.panels import ANY_STEP, PanelSpec, panel_of
from app.panels.base import Panel
from app.scene import Scene
from app.session import Session
from core.config import ModelConfig
from core.errors import MissingWeightError
from core.texts import MERGES
from core.trace.steps import Step, steps_for
from core.trace.trace import Trace
from core.trace.viewing import PLAIN, Viewing

REST_MS = 50
"""What can wait until the reader rests on a step waits so long."""
STALE = "This is still the {text} before; the new one is too long for the model."
STALE_UNKNOWN = (
    "This is still the {text} before; of the new one the model knows not all."
)


class PanelHost(QWidget):
    """Heading and panel; which panel, the step decides.

    `tab_after` is the widget before the panels in the order of Tab.
    """

    def __init__(self, session: Session) -> None:
        """No panel yet."""
        super().__init__()
        self._session = session
        self._panels: dict[str, Panel] = {}
        self._has_failed = False
        self._trace: Trace | None = None
        self._lacking: dict[tuple[str, Viewing], str] = {}
        """Steps of a trace file that need weights, so looked at; what to say of it."""
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._rest.timeout.connect(self._on_rest_timeout)
        self._chained: dict[Panel, tuple[QWidget, ...]] = {}
        self.tab_after: QWidget | None = None
        self.header = PanelHeader()
        self.page = StatePage()
        self._stack = QStackedWidget()
        self._stack.addWidget(self.page)
        column = QVBoxLayout(self)
        column.setContentsMargins(*MIDDLE_MARGINS)
        column.setSpacing(MIDDLE_SPACING)
        column.addWidget(self.header)
        column.addWidget(self._stack, 1)
        session.scene_changed.connect(self._on_session_scene_changed)
        session.failed.connect(self._on_session_failed)
        for changed in (
            session.model_changed,
            session.selection_changed,
            session.encoding_changed,
        ):
            changed.connect(self._on_session_changed)
        session.too_long_changed.connect(self._on_session_fit_changed)
        session.unknown_changed.connect(self._on_session_fit_changed)
        self._show_state()

    @property
    def panel(self) -> Panel | None:
        """The panel that is seen; None while there is nothing to show."""
        seen = self._stack.currentWidget()
        return seen if isinstance(seen, Panel) else None

    @Slot(object)
    def _on_session_scene_changed(self, scene: Scene | None) -> None:
        QToolTip.hideText()  # it speaks of the numbers before
        if scene is None:
            self._show_state()
            return
        self._has_failed = False
        if scene.trace is not self._trace:
            self._trace, self._lacking = scene.trace, {}
        reason = self._show_its_own(scene)
        if reason and self._show_its_own(replace(scene, viewing=PLAIN)):
            self._show(self._panel_for(ANY_STEP), scene)
        if reason:
            self.header.warn(reason)

    def _show(self, panel: Panel, scene: Scene) -> None:
        if not self._is_prepared(panel, scene):
            return  # what is seen stays until the worker has derived the rest
        self._show_header()
        panel.display(scene)
        self._rest.start()
        self._stack.setCurrentWidget(panel)

    def _show_its_own(self, scene: Scene) -> str:
        """Show a step on its panel. -> "", or which weight of it is not there."""
        asked = scene.selection.step, scene.viewing
        try:
            if asked not in self._lacking:
                self._show(self._panel_for(panel_of(asked[0])), scene)
        except MissingWeightError as error:
            self._lacking[asked] = str(error)
        return self._lacking.get(asked, "")

    def _is_prepared(self, panel: Panel, scene: Scene) -> bool:
        """Whether the panel can be drawn now; else it is once the rest is derived."""
        session = self._session
        if not session.prepare(scene.trace, panel.parts(scene)):
            return False
        if scene.beside is None:
            return True
        return session.prepare(scene.beside, panel.parts_beside(scene))

    @Slot(object)
    def _on_session_changed(self, _: object) -> None:
        if self._session.scene is None:
            self._show_state()

    @Slot()
    def _on_session_fit_changed(self) -> None:
        self._show_header()
        self._on_session_changed(None)

    @Slot(object)
    def _on_session_failed(self, _: object) -> None:
        self._has_failed = True
        self._on_session_changed(None)

    def _panel_for(self, spec: PanelSpec) -> Panel:
        if spec.name not in self._panels:
            panel = spec.create(self._session)
            self._panels[spec.name] = panel
            self._stack.addWidget(panel)
        return self._panels[spec.name]

    @Slot()
    def _on_rest_timeout(self) -> None:
        """Let Tab come to the parts of a panel where it stands, though made late."""
        panel = self.panel
        if panel is None:
            return
        parts = tuple(
            part
            for part in panel.findChildren(QWidget)
            if part.focusPolicy() & Qt.FocusPolicy.TabFocus
            and part.window() is self.window()  # and not in a menu of its own
        )
        if self.tab_after is None or self._chained.get(panel) == parts:
            return
        self._chained[panel] = parts
        for before, after in pairwise((self.tab_after, *parts)):
            QWidget.setTabOrder(before, after)

    def _show_state(self) -> None:
        self._show_header()
        self.page.show_state(state_of(self._session, self._has_failed))
        self._stack.setCurrentWidget(self.page)

    def _show_header(self) -> None:
        session, card = self._session, self._session.model
        if card is None:
            self.header.clear()
            return
        trace = session.trace
        config = card.config if trace is None else trace.config
        by_key = steps_by_key(config)
        step = by_key.get(session.selection.step, next(iter(by_key.values())))
        place, sampling = session.selection, session.sampling
        lengths = lengths_of(trace)
        method = session.tokenizer.method if session.tokenizer else MERGES
        self.header.show_step(step, config, place, lengths, sampling, method)
        broken = session.broken_from
        keys = list(by_key)
        if broken in by_key and keys.index(broken) <= keys.index(step.key):
            self.header.warn(f"Not a number since {broken}: nothing here can be told.")
        elif not session.fits and trace is not None:
            self.header.warn(stale_note(session))


@lru_cache(maxsize=8)
def steps_by_key(config: ModelConfig) -> dict[str, Step]:
    """The steps of a model by their keys, in order."""
    return {step.key: step for step in steps_for(config)}


def stale_note(session: Session) -> str:
    """Which text the numbers are not of, and why."""
    text = "target" if session.sentence_fit else "source"
    note = STALE_UNKNOWN if session.unknown else STALE
    return note.format(text=text if session.has_target else "sentence")


def state_of(session: Session, has_failed: bool) -> State:
    """Why there is nothing to show."""
    if session.model is None:
        is_over = has_failed and not session.activity
        return NO_MODEL if is_over else OPENING
    is_of_target = bool(session.sentence_fit)
    if session.unknown:
        return TARGET_UNKNOWN if is_of_target else UNKNOWN
    if session.n_too_long:
        return TARGET_TOO_LONG if is_of_target else TOO_LONG
    return COMPUTING if session.text or session.encoding.pieces else EMPTY
