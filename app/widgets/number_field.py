"""Fields for numbers that are read the same in every locale.

Place: sampling controls, training settings. In: a number and its bounds. Out: the
number a person committed: by Enter, by a step, or by leaving the field. A decimal point
is a point; a comma typed for one becomes one, since a German "0,7" must not be 7.
"""

from PySide6.QtCore import QLocale, QSignalBlocker, Qt, Signal, Slot
from PySide6.QtGui import QValidator, QWheelEvent
from PySide6.QtWidgets import QAbstractSpinBox, QDoubleSpinBox, QSpinBox, QWidget

from app.style.fonts import mono
from app.widgets.qt_calls import tells_faults

MOST_DECIMALS = 6

Steps = QAbstractSpinBox.StepEnabledFlag
Verdict = QValidator.State


@tells_faults
class DecimalField(QDoubleSpinBox):
    """A number with a decimal point. Trailing zeros are not shown."""

    number_changed = Signal(float)
    """The person committed another number."""

    def __init__(
        self, low: float, high: float, step: float = 0.1, parent: QWidget | None = None
    ) -> None:
        """`low` and `high` are the first and last number it takes."""
        super().__init__(parent)
        make_plain(self)
        self.setDecimals(MOST_DECIMALS)
        self.setRange(low, high)
        self.setSingleStep(step)
        self.valueChanged.connect(self.number_changed)

    @property
    def number(self) -> float:
        """The number last committed or shown."""
        return self.value()

    def show_number(self, number: float) -> None:
        """Show a number that somebody else chose; nothing is told.

        What is being typed stays where the number is no other.
        """
        if number != self.value():
            with QSignalBlocker(self):
                self.setValue(number)

    # Qt's calls.

    def validate(self, text: str, position: int) -> tuple[Verdict, str, int]:
        """Take a comma for a point."""
        verdict: tuple[Verdict, str, int]
        verdict = super().validate(text.replace(",", "."), position)
        return verdict

    def textFromValue(self, value: float) -> str:
        """Write "0.7", not "0.700000"."""
        text = f"{value:.{MOST_DECIMALS}f}".rstrip("0")
        return text + "0" if text.endswith(".") else text

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Change by the wheel only where the keyboard is."""
        turn_if_focused(self, event)


@tells_faults
class WholeField(QSpinBox):
    """A whole number of any size; Qt's own box stops at 2,147,483,647.

    The box serves for its looks and its keys; the number is kept here.
    """

    number_changed = Signal(object)
    """The person committed another number: int, as an object: Qt's end at 32 bits."""

    def __init__(self, low: int, high: int, parent: QWidget | None = None) -> None:
        """`low` (at least 0) and `high` are the first and last number it takes."""
        super().__init__(parent)
        self._low, self._high = low, high
        self._number = self._read = low
        make_plain(self)
        self.editingFinished.connect(self._on_self_editing_finished)
        self.lineEdit().setText(str(low))

    @property
    def number(self) -> int:
        """The number last committed or shown."""
        return self._number

    def show_number(self, number: float) -> None:
        """Show a number that somebody else chose; nothing is told.

        What is being typed stays where the number is no other.
        """
        if number != self._number:
            self._number = self._read = int(number)
            self.lineEdit().setText(str(self._read))

    def set_range(self, low: int, high: int) -> None:
        """Take numbers from `low` to `high` from now on."""
        self._low, self._high = low, high

    def _commit(self, number: int) -> None:
        if number != self._number:
            self._number = number
            self.number_changed.emit(number)

    @Slot()
    def _on_self_editing_finished(self) -> None:
        self._commit(self._read)

    # Qt's calls.

    def validate(self, text: str, position: int) -> tuple[Verdict, str, int]:
        """Take digits up to the upper bound.

        A point may be typed, and the whole is refused: without it 1.5 would be 15.
        """
        digits = text.replace(".", "").replace(",", "") or "0"
        if not (digits.isascii() and digits.isdigit()) or int(digits) > self._high:
            return Verdict.Invalid, text, position
        is_number = digits == text and int(text) >= self._low
        verdict = Verdict.Acceptable if is_number else Verdict.Intermediate
        return verdict, text, position

    def fixup(self, text: str) -> str:
        """Mend nothing: the last number comes back."""
        return text

    def valueFromText(self, text: str) -> int:
        """Read what was typed; the box's own value stays 0."""
        self._read = int(text)
        return 0

    def textFromValue(self, value: int) -> str:
        """Write the number, not the box's own value."""
        return str(self._read)

    def stepEnabled(self) -> Steps:
        """Up to the bounds."""
        down = Steps.StepDownEnabled if self._read > self._low else Steps.StepNone
        up = Steps.StepUpEnabled if self._read < self._high else Steps.StepNone
        return down | up

    def stepBy(self, steps: int) -> None:
        """Step from what is typed."""
        self.interpretText()
        self._read = min(max(self._read + steps, self._low), self._high)
        self.lineEdit().setText(str(self._read))
        self.selectAll()
        self._commit(self._read)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Change by the wheel only where the keyboard is."""
        turn_if_focused(self, event)


def make_plain(box: QAbstractSpinBox) -> None:
    """Numbers as in a program text, told when they are whole."""
    locale = QLocale.c()
    locale.setNumberOptions(
        QLocale.NumberOption.OmitGroupSeparator
        | QLocale.NumberOption.RejectGroupSeparator
    )
    box.setLocale(locale)
    box.setFont(mono())
    box.setKeyboardTracking(False)
    box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)


def turn_if_focused(box: QAbstractSpinBox, event: QWheelEvent) -> None:
    """Let a wheel that only passes by scroll what is behind the box."""
    if box.hasFocus():
        QAbstractSpinBox.wheelEvent(box, event)
    else:
        event.ignore()
