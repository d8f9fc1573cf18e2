"""The tour "Why did it say that?": its one owner.

In: the wish to begin, and to go on. Out: ordinary wishes to the session, a stop each,
and the sentence that the strip shows. The reader may wander off and go on later; with
another sentence or model the tour is over.
"""

from collections.abc import Mapping

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAction

from app.scene import Scene
from app.session import Session
from app.widgets.label import as_tip
from core.analysis.why import TourStop
from core.errors import CoreError
from core.trace.selection import likeliest
from core.trace.views.output import pick_view

NO_WEIGHTS = (
    "Why it said that cannot be told: a trace file lacks the weights that the reasons "
    "are found with. Open the model to ask."
)

NO_WAY = (
    "Why it said that can be told of models whose last rows are compared with tokens "
    "as they are; this one bends them first, or says nothing."
)


class TourGuide(QObject):
    """Owns the stops and which of them is the present one."""

    tour_changed = Signal()
    """The tour has begun, moved or ended."""

    reason_changed = Signal(str)
    """What a tour is, or why there can be none: a tip for its button."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        """No tour yet."""
        super().__init__(parent)
        self._session = session
        self._stops: tuple[TourStop, ...] = ()
        self._place = 0
        self._action: QAction | None = None
        self.label = ""
        """The chip of the token that the tour is about."""
        session.studies.tour_changed.connect(self._on_studies_tour_changed)
        session.trace_changed.connect(self._on_session_trace_changed)

    def use_actions(self, actions: Mapping[str, QAction]) -> None:
        """Let menu and key begin a tour, where there is a trace to tour."""
        self._action = actions["tour.start"]
        self._action.triggered.connect(self.start)
        for changed in (self._session.trace_changed, self._session.encoding_changed):
            changed.connect(self._on_session_changed)
        self._on_session_changed()

    @property
    def is_on(self) -> bool:
        """Whether there is a tour."""
        return bool(self._stops)

    @property
    def place(self) -> tuple[int, int]:
        """The present stop, counted from 1, and how many there are."""
        return self._place + 1, len(self._stops)

    @property
    def sentence(self) -> str:
        """What is to say at the present stop; "" without a tour."""
        return self._stops[self._place].sentence if self._stops else ""

    def can_go(self, by: int) -> bool:
        """Whether there is a stop before (-1) or after (1) the present one."""
        return 0 <= self._place + by < len(self._stops)

    @Slot()
    def start(self) -> None:
        """Ask why the token was said that the reader looks at, or the picked one."""
        scene = self._session.scene
        if scene is None:
            return
        position, token_id = asked_token(scene)
        label_of = scene.target_tokenizer.label
        self.label = label_of(token_id)
        stops = self._session.studies.want_tour(position, token_id, label_of)
        if stops is not None:
            self._on_studies_tour_changed(stops)

    @Slot()
    def next(self) -> None:
        """Go to the next stop."""
        self._go(1)

    @Slot()
    def previous(self) -> None:
        """Go back to the stop before."""
        self._go(-1)

    @Slot()
    def end(self) -> None:
        """Leave the tour; the reader stays where it led."""
        if self._stops:
            self._stops = ()
            self.tour_changed.emit()

    def _go(self, by: int) -> None:
        if self.can_go(by):
            self._stand_at(self._place + by)

    def _stand_at(self, place: int) -> None:
        self._place = place
        self._session.request_selection(self._stops[place].selection)
        self.tour_changed.emit()

    @Slot(object)
    def _on_studies_tour_changed(self, stops: tuple[TourStop, ...]) -> None:
        self._stops = stops
        self._stand_at(0)

    @Slot()
    def _on_session_changed(self) -> None:
        if self._action is not None:
            is_recorded = self._session.is_recorded
            trace = self._session.trace
            has_way = trace is None or trace.config.output_head == "unembed"
            can_ask = self._session.is_current and not is_recorded and has_way
            self._action.setEnabled(can_ask)
            key = self._action.shortcut().toString()
            asked = f"{self._action.text().replace('&', '')} ({key})"
            reason = NO_WEIGHTS if is_recorded else NO_WAY
            is_possible = has_way and not is_recorded
            self.reason_changed.emit(as_tip(asked if is_possible else reason))

    @Slot(object)
    def _on_session_trace_changed(self, _: object) -> None:
        self.end()


def asked_token(scene: Scene) -> tuple[int, int]:
    """The token whose row is asked about, and the entry of the vocabulary.

    At the output it is the chosen token after the chosen one; elsewhere the token that
    Append would put to the end.
    """
    selection, trace = scene.selection, scene.trace
    is_output = selection.step.startswith("output.")
    position = selection.query if is_output else trace.n - 1
    if is_output and selection.token is not None:
        return position, selection.token
    if position == trace.n - 1:
        try:
            return position, pick_view(trace, scene.sampling).draw.token_id
        except CoreError:  # the logits are no numbers, which the tour will say
            return position, 0
    return position, likeliest(trace, selection)
