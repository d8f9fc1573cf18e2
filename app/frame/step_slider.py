"""The slider of the stepper: the whole walk, and where each layer of it begins.

Of two sides a layer wears the letter of its own: "E1", "D1".
"""

from math import ceil

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSlider, QStyle, QStyleOptionSlider

from app.style.fonts import CAPTION, sans
from app.style.theme import theme
from app.widgets.label import Align, draw_label
from app.widgets.qt_calls import tells_faults
from core.trace.step import Step, layer_path

HEIGHT = 36
TICK_FROM, TICK_HEIGHT = 5.0, 10.0
"""A tick begins so far under the middle, and how long it is."""
NUMBER_GAP, NUMBER_WIDTH = 4.0, 20.0


@tells_faults
class StepSlider(QSlider):
    """A slider over all steps, with a tick and a number where each layer begins."""

    def __init__(self) -> None:
        """No steps yet."""
        super().__init__(Qt.Orientation.Horizontal)
        self._ticks: dict[int, str] = {}
        self.setObjectName("step.slider")
        self.setAccessibleName("Step")
        self.setFixedHeight(HEIGHT)
        self.setPageStep(10)

    def show_steps(self, steps: tuple[Step, ...]) -> None:
        """Take the range and the layers of a model's steps."""
        paths = [layer_path(step.key) for step in steps]
        self._ticks = {
            place: f"{step.side[:1].upper()}{(step.layer or 0) + 1}"
            for place, step in enumerate(steps)
            if paths[place] and paths[place] != paths[place - 1]
        }
        self.setRange(0, len(steps) - 1)
        self.update()

    @property
    def ticks(self) -> dict[int, str]:
        """Where the layers begin, and what they are called there."""
        return dict(self._ticks)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The slider, and under it the layers."""
        super().paintEvent(event)
        with QPainter(self) as painter:
            painter.setFont(sans(CAPTION))
            top, xs = self.height() / 2 + TICK_FROM, self._tick_positions()
            every = every_of(xs)
            for number, (name, x) in enumerate(
                zip(self._ticks.values(), xs, strict=True)
            ):
                painter.setPen(QPen(theme().colour("line"), 1))
                painter.drawLine(QLineF(x, top, x, top + TICK_HEIGHT))
                if number % every == 0:
                    painter.setPen(theme().ink("muted"))
                    box = QRectF(x + NUMBER_GAP, top, NUMBER_WIDTH, TICK_HEIGHT + 2)
                    draw_label(painter, box, name, Align.AlignLeft)

    def _tick_positions(self) -> list[float]:
        """Where the handle's middle stands at the first step of each layer."""
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        handle = self.style().subControlRect(
            QStyle.ComplexControl.CC_Slider,
            option,
            QStyle.SubControl.SC_SliderHandle,
            self,
        )
        room, half = self.width() - handle.width(), handle.width() / 2
        return [half + room * place / max(1, self.maximum()) for place in self._ticks]


def every_of(positions: list[float]) -> int:
    """Number every layer, or so many apart that the numbers do not touch."""
    if len(positions) < 2:
        return 1
    return max(1, ceil(NUMBER_WIDTH / max(positions[1] - positions[0], 1.0)))
