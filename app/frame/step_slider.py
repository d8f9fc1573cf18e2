"""The slider of the stepper: the whole walk, and where each layer of it begins."""

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSlider, QStyle, QStyleOptionSlider

from app.style.fonts import CAPTION, sans
from app.style.theme import theme
from app.widgets.label import Align, draw_label
from core.trace.steps import Step

HEIGHT = 36
TICK_FROM, TICK_HEIGHT = 5.0, 10.0
"""A tick begins so far under the middle, and how long it is."""
NUMBER_GAP, NUMBER_WIDTH = 4.0, 28.0


class StepSlider(QSlider):
    """A slider over all steps, with a tick and a number where each layer begins."""

    def __init__(self) -> None:
        """No steps yet."""
        super().__init__(Qt.Orientation.Horizontal)
        self._ticks: tuple[int, ...] = ()
        self.setObjectName("step.slider")
        self.setAccessibleName("Step")
        self.setFixedHeight(HEIGHT)
        self.setPageStep(10)

    def show_steps(self, steps: tuple[Step, ...]) -> None:
        """Take the range and the layers of a model's steps."""
        self._ticks = tuple(
            place
            for place, step in enumerate(steps)
            if step.layer is not None and step.layer != steps[place - 1].layer
        )
        self.setRange(0, len(steps) - 1)
        self.update()

    @property
    def ticks(self) -> tuple[int, ...]:
        """Where the layers begin."""
        return self._ticks

    def paintEvent(self, event: QPaintEvent) -> None:
        """The slider, and under it the layers."""
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setFont(sans(CAPTION))
        every, top = self._every(), self.height() / 2 + TICK_FROM
        for number, place in enumerate(self._ticks):
            x = self._x_of(place)
            painter.setPen(QPen(theme().colour("line"), 1))
            painter.drawLine(QLineF(x, top, x, top + TICK_HEIGHT))
            if number % every == 0:
                painter.setPen(theme().ink("muted"))
                box = QRectF(x + NUMBER_GAP, top, NUMBER_WIDTH, TICK_HEIGHT + 2)
                draw_label(painter, box, str(number + 1), Align.AlignLeft)

    def _every(self) -> int:
        """Number every layer, or so many apart that the numbers do not touch."""
        if len(self._ticks) < 2:
            return 1
        pitch = self._x_of(self._ticks[1]) - self._x_of(self._ticks[0])
        return max(1, round(NUMBER_WIDTH / max(pitch, 1.0)))

    def _x_of(self, place: int) -> float:
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        handle = self.style().subControlRect(
            QStyle.ComplexControl.CC_Slider,
            option,
            QStyle.SubControl.SC_SliderHandle,
            self,
        )
        room = self.width() - handle.width()
        span = max(1, self.maximum() - self.minimum())
        return handle.width() / 2 + room * (place - self.minimum()) / span
