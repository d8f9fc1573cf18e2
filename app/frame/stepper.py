"""The stepper: back, next, play, and the whole walk as one slider.

Bottom of the window. At its right: which step this is, whether its numbers check, where
and how fast the trace was made. Actions of the window stand behind the buttons.
"""

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Slot
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QToolButton

from app.frame.parts import icon_button, plain_label, set_ink
from app.frame.step_slider import StepSlider
from app.model_card import ModelCard
from app.scene import Scene
from app.session import Session
from app.style.fonts import SMALL, sans
from app.style.icons import show_icon
from app.widgets.label import as_tip
from app.widgets.qt_calls import tells_faults
from app.widgets.steady_button import SteadyButton
from app.workers.tracing import TraceTiming
from core.config import ModelConfig
from core.trace.numbers import short
from core.trace.selection import Selection
from core.trace.steps import Step, steps_for
from core.trace.views.check import Check, check_of

CHECK_PAUSE_MS = 120
"""The check waits until the reader rests on a step."""
TELL_AFTER_MS = 250
"""Work that is done sooner is not spoken of: words that flash are noise."""
FAULTY = 1e-3
"""Differences beyond rounding are shown as a fault."""
NEXT, APPEND = "Next", "Append"
WIDEST_PLACE, WIDEST_CHECK = "step 88 of 88", "checked: largest difference 8e−08"
BUTTON_HEIGHT = 30
ROOMY = 1000
"""Below this width the check and the timing give way to the slider."""


@tells_faults
class Stepper(QFrame):
    """Buttons, slider, place, check and timing."""

    def __init__(self, session: Session, play_pause_ms: int) -> None:
        """At rest."""
        super().__init__()
        self._session = session
        self._steps: tuple[Step, ...] = ()
        self._timing = ""
        self._play_action: QAction | None = None
        self.setProperty("bar", "bottom")
        self.previous = QPushButton()
        self.previous.setObjectName("step.previous")
        self.previous.setAccessibleName("Previous step")
        self.previous.setToolTip(as_tip("Previous step (Left)"))
        self.next = SteadyButton(NEXT)
        self.next.setObjectName("step.next")
        self.next.setProperty("kind", "primary")
        self.play = QPushButton("Play")
        self.play.setObjectName("step.play")
        self.up = icon_button("up", "Previous layer (Up)", "layer.previous")
        self.down = icon_button("down", "Next layer (Down)", "layer.next")
        self.slider = StepSlider()
        self.place = plain_label("", sans(SMALL), "muted")
        self.check = plain_label("", sans(SMALL), "checked")
        self.timing = plain_label("", sans(SMALL), "muted")
        self._clock = QTimer(self, interval=play_pause_ms)
        self._rest = QTimer(self, singleShot=True, interval=CHECK_PAUSE_MS)
        self._patience = QTimer(self, singleShot=True, interval=TELL_AFTER_MS)
        self._arrange()
        self._connect()
        self._refresh()

    def _arrange(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 6, 14, 6)
        row.setSpacing(8)
        show_icon(self.previous, "back")
        show_icon(self.next, "next", "on_accent")
        self.next.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # icon behind
        show_icon(self.play, "play")
        self.next.setMinimumWidth(92)
        self.play.setMinimumWidth(84)
        for button in (self.previous, self.next, self.play):
            button.setFixedHeight(BUTTON_HEIGHT)
        for widget in (self.previous, self.next, self.play, self.up, self.down):
            row.addWidget(widget)
        row.addSpacing(4)
        row.addWidget(self.slider, 1)
        row.addSpacing(4)
        widest = ((self.place, WIDEST_PLACE), (self.check, WIDEST_CHECK))
        for label, text in widest:  # so that the slider does not change its length
            label.setMinimumWidth(label.fontMetrics().horizontalAdvance(text))
        for label in (self.place, self.check, self.timing):
            row.addWidget(label)

    def _connect(self) -> None:
        session = self._session
        self.slider.valueChanged.connect(self._on_slider_value_changed)
        self._clock.timeout.connect(self._on_clock_timeout)
        self._rest.timeout.connect(self._on_rest_timeout)
        self._patience.timeout.connect(self._show_timing)
        session.model_changed.connect(self._on_session_model_changed)
        session.selection_changed.connect(self._on_session_selection_changed)
        session.scene_changed.connect(self._on_session_scene_changed)
        session.timing_changed.connect(self._on_session_timing_changed)
        session.activity_changed.connect(self._on_session_activity_changed)
        session.encoding_changed.connect(self._on_session_encoding_changed)
        session.is_generating_changed.connect(self._on_session_is_generating_changed)

    def use_actions(self, actions: dict[str, QAction]) -> None:
        """Let the buttons do what the window's actions do."""
        buttons: tuple[tuple[QPushButton | QToolButton, str], ...] = (
            (self.previous, "step.previous"),
            (self.next, "step.next"),
            (self.up, "layer.previous"),
            (self.down, "layer.next"),
        )
        for button, name in buttons:
            button.clicked.connect(actions[name].trigger)
        self._play_action = actions["step.play"]
        self.play.clicked.connect(self._play_action.trigger)
        self._play_action.toggled.connect(self._on_play_toggled)

    @property
    def is_playing(self) -> bool:
        """Whether the walk goes on by itself."""
        return self._clock.isActive()

    def stop(self) -> None:
        """Play no further."""
        if self._play_action is not None:
            self._play_action.setChecked(False)

    # What the reader does.

    @Slot(bool)
    def _on_play_toggled(self, is_on: bool) -> None:
        if is_on and self._is_walkable():
            self._clock.start()
        else:
            self._clock.stop()
            self.stop()
        self.play.setText("Pause" if self.is_playing else "Play")
        show_icon(self.play, "pause" if self.is_playing else "play")

    @Slot()
    def _on_clock_timeout(self) -> None:
        session = self._session
        if session.activity and not session.is_current:
            return  # the trace of the newest token is on its way
        session.next_step()
        if not (self._is_walkable() or session.activity):
            self.stop()

    @Slot(int)
    def _on_slider_value_changed(self, place: int) -> None:
        if place < len(self._steps):
            self._session.go_to(self._steps[place].key)

    def _is_walkable(self) -> bool:
        """Whether there is a next step; appending a token is not one to play into.

        But behind an encoder, which has read its text, the decoder writes token by
        token until the target ends or is full.
        """
        session = self._session
        if not session.can_step(1):
            return False
        writes_on = session.has_target and session.n_room and not session.has_ended
        return bool(writes_on) or not self._is_last()

    def _is_last(self) -> bool:
        keys = [step.key for step in self._steps]
        return bool(keys) and self._session.selection.step == keys[-1]

    # What the session tells.

    @Slot(object)
    def _on_session_model_changed(self, card: ModelCard) -> None:
        self.show_steps(card.config)

    def show_steps(self, config: ModelConfig) -> None:
        """Take the steps of a model."""
        self._steps = steps_for(config)
        with QSignalBlocker(self.slider):
            self.slider.show_steps(self._steps)
        self._refresh()

    @Slot(object)
    def _on_session_selection_changed(self, selection: Selection) -> None:
        if self._session.scene is None:  # else the scene changes, too
            self._refresh()

    @Slot(object)
    def _on_session_scene_changed(self, scene: Scene | None) -> None:
        self.check.clear()
        self._rest.start()
        self._refresh()

    @Slot(object)
    def _on_session_encoding_changed(self, encoding: object) -> None:
        self._refresh()

    @Slot(bool)
    def _on_session_is_generating_changed(self, is_generating: bool) -> None:
        self._refresh()

    @Slot(object)
    def _on_session_timing_changed(self, timing: TraceTiming) -> None:
        duration = timing.milliseconds
        took = "" if duration is None else f" · {short(duration, 2)} ms"
        self._timing = f"{timing.device}{took}"
        self._show_timing()

    @Slot(str)
    def _on_session_activity_changed(self, activity: str) -> None:
        if activity:
            self._patience.start()
        else:
            self._patience.stop()
            self._show_timing()

    @Slot()
    def _show_timing(self) -> None:
        is_late = not self._patience.isActive()
        activity = self._session.activity if is_late else ""
        self.timing.setText(activity or self._timing)

    def _refresh(self) -> None:
        session = self._session
        keys = [step.key for step in self._steps]
        key = session.selection.step
        place = keys.index(key) if key in keys else 0
        with QSignalBlocker(self.slider):
            self.slider.setValue(place)
        self.place.setText(f"step {place + 1} of {len(keys)}" if keys else "")
        self.slider.setEnabled(bool(keys))
        trace = session.trace
        writes = trace is None or trace.config.writes
        self.next.setText(APPEND if writes and self._is_last() else NEXT)
        self.next.set_usable(session.can_step(1))
        self.previous.setEnabled(session.can_step(-1))
        self.up.setEnabled(session.can_change_layer(-1))
        self.down.setEnabled(session.can_change_layer(1))
        self.play.setEnabled(self.is_playing or self._is_walkable())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the slider its room on a narrow window."""
        super().resizeEvent(event)
        is_roomy = self.width() >= ROOMY
        for widget in (self.check, self.timing):
            widget.setVisible(is_roomy)

    @Slot()
    def _on_rest_timeout(self) -> None:
        scene = self._session.scene
        if scene is None:
            return
        check = check_of(scene.trace, scene.selection)
        self.check.setText("" if check is None else check_text(check))
        if check is not None:
            self.check.setToolTip(as_tip(check_tip(check)))
            set_ink(self.check, "error" if check.difference > FAULTY else "checked")


def check_text(check: Check) -> str:
    """What recomputing gave, in a few words."""
    digits = "0" if check.difference == 0 else short(check.difference, 1)
    return f"checked: largest difference {digits}"


def check_tip(check: Check) -> str:
    """What was compared with what."""
    kept = (
        "with what the model's pass kept"
        if check.is_kept
        else "with what is shown, which follows from what the pass kept"
    )
    return (
        f"{check.n_numbers:,} numbers of this step, recomputed from its inputs\n"
        f"and compared {kept}."
    )
