"""Number fields: the same number in every locale, of any size, told once."""

import pytest
from PySide6.QtCore import QEvent, QLocale, Qt
from PySide6.QtGui import QFocusEvent, QValidator
from PySide6.QtWidgets import QApplication

from app.widgets.number_field import DecimalField, WholeField

LARGEST_SEED = 2**63 - 1


@pytest.fixture(params=["C", "de_DE", "en_US"])
def _locale(request):
    before = QLocale()
    QLocale.setDefault(QLocale(request.param))
    yield
    QLocale.setDefault(before)


def shown(qtbot, field):
    qtbot.addWidget(field)
    field.show()
    field.setFocus()
    return field


def leave(field):
    QApplication.sendEvent(field, QFocusEvent(QEvent.Type.FocusOut))


def typed(qtbot, field, text, key=Qt.Key.Key_Return):
    field.selectAll()
    qtbot.keyClicks(field, text)
    qtbot.keyClick(field, key)
    return field.number


@pytest.mark.usefixtures("_locale")
@pytest.mark.parametrize(
    ("text", "number"),
    [("0.7", 0.7), ("0,7", 0.7), ("1.5", 1.5), ("12", 12.0), ("0.0001", 0.0001)],
)
def test_a_point_is_a_point_in_every_locale(qtbot, text, number):
    field = shown(qtbot, DecimalField(0.0, 100.0))
    assert typed(qtbot, field, text) == number


@pytest.mark.usefixtures("_locale")
@pytest.mark.parametrize(
    ("number", "text"), [(0.7, "0.7"), (1, "1.0"), (1234.5, "1234.5"), (0, "0.0")]
)
def test_numbers_are_written_plainly_in_every_locale(qtbot, number, text):
    field = shown(qtbot, DecimalField(0.0, 10_000.0))
    field.show_number(1e-6)
    field.show_number(number)
    assert field.text() == text


@pytest.mark.parametrize("number", [0, 7, 2**31, LARGEST_SEED])
def test_a_whole_field_takes_numbers_up_to_its_bound(qtbot, number):
    field = shown(qtbot, WholeField(0, LARGEST_SEED))
    assert typed(qtbot, field, str(number)) == number
    assert field.text() == str(number)


@pytest.mark.parametrize("text", ["1.5", "1,000", ".", "", "2."])
def test_a_whole_field_refuses_what_is_no_whole_number(qtbot, text):
    field = shown(qtbot, WholeField(0, LARGEST_SEED))
    field.show_number(5)
    field.lineEdit().clear()
    assert typed(qtbot, field, text) == 5
    assert field.text() == "5"


@pytest.mark.parametrize("text", ["-1", "٣", "²", "x", "1e3"])
def test_what_is_no_digit_cannot_be_typed(qapp, text):
    verdict, *_ = WholeField(0, LARGEST_SEED).validate(text, len(text))
    assert verdict == QValidator.State.Invalid


def test_nothing_beyond_the_bounds_can_be_typed(qtbot):
    field = shown(qtbot, WholeField(0, 50))
    assert typed(qtbot, field, "51") == 5


def test_too_small_a_number_leaves_the_last_one(qtbot):
    field = shown(qtbot, WholeField(10, 50))
    field.show_number(20)
    assert typed(qtbot, field, "3") == 20


@pytest.mark.parametrize(
    ("field_type", "bounds"), [(DecimalField, (0.0, 99.0)), (WholeField, (0, 99))]
)
def test_a_number_is_told_once_when_it_is_committed(qtbot, field_type, bounds):
    field, told = shown(qtbot, field_type(*bounds)), []
    field.number_changed.connect(told.append)
    field.selectAll()
    qtbot.keyClicks(field, "12")
    assert told == []
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    leave(field)
    assert told == [12]


@pytest.mark.parametrize(
    ("field_type", "bounds"), [(DecimalField, (0.0, 99.0)), (WholeField, (0, 99))]
)
def test_a_number_shown_by_the_program_is_not_told(qtbot, field_type, bounds):
    field, told = shown(qtbot, field_type(*bounds)), []
    field.number_changed.connect(told.append)
    field.show_number(7)
    leave(field)
    assert (field.number, told) == (7, [])


def test_leaving_the_field_commits(qtbot):
    field, told = shown(qtbot, WholeField(0, 99)), []
    field.number_changed.connect(told.append)
    field.selectAll()
    qtbot.keyClicks(field, "33")
    leave(field)
    assert told == [33]


def test_arrow_keys_step_within_the_bounds(qtbot):
    field = shown(qtbot, WholeField(0, LARGEST_SEED))
    field.show_number(LARGEST_SEED - 1)
    for key, number in (
        (Qt.Key.Key_Up, LARGEST_SEED),
        (Qt.Key.Key_Up, LARGEST_SEED),
        (Qt.Key.Key_Down, LARGEST_SEED - 1),
        (Qt.Key.Key_PageDown, LARGEST_SEED - 11),
    ):
        qtbot.keyClick(field, key)
        assert (field.number, field.text()) == (number, str(number))


def test_a_step_starts_from_what_is_typed(qtbot):
    field = shown(qtbot, WholeField(0, 99))
    assert typed(qtbot, field, "40", Qt.Key.Key_Up) == 41


def test_what_is_being_typed_outlives_the_same_number_shown_again(qtbot):
    field = shown(qtbot, WholeField(0, 99))
    field.show_number(5)
    field.selectAll()
    qtbot.keyClicks(field, "42")
    field.show_number(5)
    assert field.text() == "42"
