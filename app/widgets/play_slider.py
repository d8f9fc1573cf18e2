"""A slider over a few steps, with a button that plays them one after another.

Place: the merges of a word, the layers of a rollout. In: how many steps there are and
which one is shown. Out: which one is wanted. It never moves by itself: who hears the
wish sets the position.
"""

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QHBoxLayout, QSlider, QToolButton, QWidget

from app.style.fonts import SMALL, mono
from app.style.icons import show_icon
from app.widgets.card import plain_label
from app.widgets.qt_calls import tells_faults

PLAY_MS = 700
"""From one step to the next: time to read a row."""
GAP = 8


@tells_faults
class PlaySlider(QWidget):
    """Play, the slider, and the place in words."""

    position_requested = Signal(int)
    """The reader wants this step, or playing has come to it."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        """`name` is what a screen reader calls the slider."""
        super().__init__(parent)
        self._timer = QTimer(self, interval=PLAY_MS)
        self._timer.timeout.connect(self._on_timer_timeout)
        self._play = QToolButton()
        self._play.setCheckable(True)
        self._play.setToolTip("play")
        self._play.setAccessibleName(f"play {name}")
        self._play.toggled.connect(self._on_play_toggled)
        self._slider = QSlider(Qt.Orientation.Horizontal)
        self._slider.setAccessibleName(name)
        self._slider.setPageStep(1)
        self._slider.valueChanged.connect(self.position_requested)
        for part in (self._play, self._slider):
            part.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves the arrows
        self._words = plain_label(ink="muted")
        self._words.setFont(mono(SMALL))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(GAP)
        row.addWidget(self._play)
        row.addWidget(self._slider, 1)
        row.addWidget(self._words)
        self._dress()

    def show_position(self, position: int, last: int, first: int = 0) -> None:
        """Stand at `position` of the places `first` to `last`."""
        with QSignalBlocker(self._slider):
            self._slider.setRange(first, last)
            self._slider.setValue(position)
        self._words.setText(f"{position} of {last}")
        self.setEnabled(last > first)
        if position >= last:
            self._play.setChecked(False)

    @property
    def position(self) -> int:
        """Where the slider stands."""
        return self._slider.value()

    @property
    def is_playing(self) -> bool:
        """Whether it walks on by itself."""
        return self._timer.isActive()

    def stop(self) -> None:
        """Play no further."""
        self._play.setChecked(False)

    def _dress(self) -> None:
        show_icon(self._play, "pause" if self._play.isChecked() else "play")

    @Slot(bool)
    def _on_play_toggled(self, is_on: bool) -> None:
        self._dress()
        if not is_on:
            self._timer.stop()
            return
        self._timer.start()
        first, last = self._slider.minimum(), self._slider.maximum()
        here = self._slider.value()
        self.position_requested.emit(first if here >= last else here + 1)

    @Slot()
    def _on_timer_timeout(self) -> None:
        if self._slider.value() < self._slider.maximum():
            self.position_requested.emit(self._slider.value() + 1)
        else:
            self.stop()

    def hideEvent(self, event: QHideEvent) -> None:
        """Do not play on unseen."""
        self.stop()
        super().hideEvent(event)
