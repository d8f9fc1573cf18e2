"""The time bar: the run that the open model is a checkpoint of, as a slider.

Under the tokens, and only while there is such a run. In: the session's timeline and
model. Out: the wish to look with the weights of another checkpoint. While the slider is
dragged its words run ahead; the panels follow as fast as the checkpoints can be read.
"""

from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Slot
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSlider

from app.frame.parts import caption, icon_button, plain_label
from app.model_card import ModelCard
from app.session import Session
from app.style.fonts import SMALL, mono
from app.style.icons import show_icon
from app.widgets.label import as_tip
from app.widgets.qt_calls import tells_faults
from core.training.timeline import Moment, Timeline

PLAY_MS = 350
"""The least time from one checkpoint to the next."""
MARGINS = (14, 5, 14, 5)
ROOMY = 1000
"""Below this width the title gives way to the slider."""
LOSS_TIP = (
    "The tested loss is that of the validation text, or of the training text where "
    "none is kept for it."
)


@tells_faults
class TimeBar(QFrame):
    """Back, play, on, slider, and the checkpoint in words."""

    def __init__(self, session: Session, actions: dict[str, QAction]) -> None:
        """Hidden until a checkpoint of a run is open."""
        super().__init__()
        self._session = session
        self._asked: Path | None = None
        """The checkpoint that was wished for and is not open yet."""
        self._actions = actions
        self.setProperty("bar", "top")
        self.setObjectName("time.bar")
        self.title = caption("Training")
        self.previous = icon_button("back", "Earlier checkpoint", "time.previous")
        self.play = icon_button("play", "Play the training", "time.play")
        self.next = icon_button("next", "Later checkpoint", "time.next")
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.words = plain_label("", mono(SMALL), "muted")
        self.more = icon_button("export", "Export as pictures", "time.export")
        self._buttons = tuple(
            (button, button.objectName())
            for button in (self.previous, self.play, self.next, self.more)
        )
        self._clock = QTimer(self, singleShot=True, interval=PLAY_MS)
        self._arrange()
        self._connect()
        self._refresh()
        self.hide()

    def _arrange(self) -> None:
        self.slider.setObjectName("time.slider")
        self.slider.setAccessibleName("Checkpoint")
        self.slider.setPageStep(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(*MARGINS)
        row.setSpacing(4)
        row.addWidget(self.title)
        row.addSpacing(4)
        for button in (self.previous, self.play, self.next):
            row.addWidget(button)
        row.addSpacing(4)
        row.addWidget(self.slider, 1)
        row.addSpacing(8)
        row.addWidget(self.words)
        row.addWidget(self.more)

    def _connect(self) -> None:
        session, actions = self._session, self._actions
        for button, name in self._buttons:
            button.clicked.connect(actions[name].trigger)
        actions["time.previous"].triggered.connect(self._on_previous_triggered)
        actions["time.next"].triggered.connect(self._on_next_triggered)
        actions["time.play"].toggled.connect(self._on_play_toggled)
        self.slider.valueChanged.connect(self._on_slider_value_changed)
        self._clock.timeout.connect(self._on_clock_timeout)
        session.timeline_changed.connect(self._on_session_timeline_changed)
        session.model_changed.connect(self._on_session_model_changed)
        session.failed.connect(self._on_session_failed)

    @property
    def is_playing(self) -> bool:
        """Whether the checkpoints go by by themselves."""
        return self._actions["time.play"].isChecked()

    # What the reader does.

    @Slot(int)
    def _on_slider_value_changed(self, place: int) -> None:
        timeline = self._session.timeline
        if timeline is not None and place < len(timeline.moments):
            self._asked = timeline.moments[place].folder
            self._session.request_moment(self._asked)
            self._refresh()

    @Slot()
    def _on_previous_triggered(self) -> None:
        self.slider.setValue(self.slider.value() - 1)

    @Slot()
    def _on_next_triggered(self) -> None:
        self.slider.setValue(self.slider.value() + 1)

    @Slot(bool)
    def _on_play_toggled(self, is_on: bool) -> None:
        show_icon(self.play, "pause" if is_on else "play")
        if not is_on:
            self._clock.stop()
        elif self.slider.value() >= self.slider.maximum():
            self.slider.setValue(0)
        else:
            self._on_next_triggered()

    @Slot()
    def _on_clock_timeout(self) -> None:
        if self.slider.value() < self.slider.maximum():
            self._on_next_triggered()
        else:
            self._stop()

    def _stop(self) -> None:
        self._actions["time.play"].setChecked(False)

    # What the session tells.

    @Slot(object)
    def _on_session_timeline_changed(self, timeline: Timeline | None) -> None:
        self.setVisible(timeline is not None)
        if timeline is None:
            self._asked = None
            self._stop()
        else:
            n = len(timeline.moments)
            kept = "The one checkpoint" if n == 1 else f"The {n:,} checkpoints"
            self.setToolTip(as_tip(f"{kept} of {timeline.name}. {LOSS_TIP}"))
            texts = [words_of(moment, timeline) for moment in timeline.moments]
            widths = map(self.words.fontMetrics().horizontalAdvance, texts)
            widest = max(widths, default=0)
            self.words.setMinimumWidth(widest)  # the slider keeps its length
        self._refresh()

    @Slot(object)
    def _on_session_model_changed(self, card: ModelCard) -> None:
        if card.folder == self._asked:
            self._asked = None
            if self.is_playing:
                self._clock.start()
        self._refresh()

    @Slot(object)
    def _on_session_failed(self, _: object) -> None:
        self._asked = None
        self._stop()
        self._refresh()

    def _refresh(self) -> None:
        """Stand where the newest wish is, or else where the open model is."""
        timeline = self._session.timeline
        moments = timeline.moments if timeline is not None else ()
        place = None if timeline is None else timeline.place_of(self._asked)
        place = self._session.moment if place is None else place
        with QSignalBlocker(self.slider):
            self.slider.setRange(0, max(0, len(moments) - 1))
            self.slider.setValue(place or 0)
        self.slider.setEnabled(len(moments) > 1)
        if timeline is None or place is None:
            self.words.clear()
        else:
            self.words.setText(words_of(moments[place], timeline))
        self._show_what_is_possible(place or 0, len(moments))

    def _show_what_is_possible(self, place: int, n: int) -> None:
        """Let an action be chosen only where it would do something."""
        possible = {
            "time.previous": place > 0,
            "time.next": place < n - 1,
            "time.play": n > 1,
            "time.export": n > 1,
        }
        for name, is_possible in possible.items():
            self._actions[name].setEnabled(is_possible)
        for button, name in self._buttons:
            button.setEnabled(possible[name])

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the slider its room on a narrow window."""
        super().resizeEvent(event)
        self.title.setVisible(self.width() >= ROOMY)


def words_of(moment: Moment, timeline: Timeline) -> str:
    """A checkpoint in words: "step 200 of 5,000 · tested loss 3.41"."""
    loss = "" if moment.loss is None else f" · tested loss {moment.loss:.2f}"
    return f"step {moment.step:,} of {timeline.n_steps:,}{loss}"
