import pytest
from PySide6.QtCore import QLocale, Qt
from PySide6.QtTest import QTest

from app.dialogs.fields import field_rows
from app.dialogs.form import EDITORS, Form
from core.config import ModelConfig
from core.errors import ConfigError
from core.training.config import TrainingConfig, WatchConfig

OWNERS = (ModelConfig, TrainingConfig, WatchConfig)


@pytest.fixture
def form_of(qtbot):
    def make(owner, **values):
        form = Form(owner)
        qtbot.addWidget(form)
        form.show_values(values)
        return form

    return make


def type_into(form, name, text):
    """Put a text in the place of what a field holds, key by key."""
    editor = form.editors[name]
    editor.clear()
    QTest.keyClicks(editor, text)


@pytest.mark.parametrize("owner", OWNERS)
def test_every_field_is_in_the_form_with_its_sentence(form_of, owner):
    form = form_of(owner)
    expected = [row.name for row in field_rows(owner) if row.kind in EDITORS]
    assert list(form.editors) == expected
    for row in field_rows(owner):
        assert form.editors[row.name].accessibleDescription() == row.sentence
        assert form.fault_of(row.name) == ""


@pytest.mark.parametrize("owner", OWNERS)
def test_an_untouched_form_gives_the_defaults(form_of, owner):
    assert form_of(owner).config() == owner()


@pytest.mark.parametrize("owner", OWNERS)
def test_every_number_says_what_is_wrong_below_itself_while_one_types(form_of, owner):
    for row in field_rows(owner):
        if row.kind in ("whole", "number"):
            form = form_of(owner)
            type_into(form, row.name, "-1")
            assert row.range in form.fault_of(row.name)
            with pytest.raises(ConfigError, match=row.name):
                form.config()
            type_into(form, row.name, str(row.default))
            assert form.error == ""


def test_heads_that_do_not_divide_the_width_are_refused_with_those_that_do(form_of):
    form = form_of(ModelConfig, d_model=48, n_heads=4)
    type_into(form, "n_heads", "5")
    assert "n_heads = 4 or 6" in form.fault_of("n_heads")
    assert form.fault_of("d_model") == ""


def test_as_many_heads_as_the_width_are_allowed_but_cannot_be_turned(form_of):
    form = form_of(ModelConfig, d_model=48)
    type_into(form, "n_heads", "48")
    assert form.config().d_head == 1
    form.editors["position"].setCurrentText("rotary")
    assert "even" in form.fault_of("position")


@pytest.mark.parametrize("name", ["n_heads", "d_model", "n_layers", "n_ctx"])
def test_zero_is_refused_at_entry(form_of, name):
    form = form_of(ModelConfig)
    type_into(form, name, "0")
    assert form.fault_of(name) == f"{name} = 0 must be at least 1."


def test_a_point_is_a_point_in_a_german_locale(form_of):
    before = QLocale()
    QLocale.setDefault(QLocale(QLocale.Language.German))
    try:
        form = form_of(ModelConfig)
        for typed, value in (("0,7", 0.7), ("0.7", 0.7), ("0.15", 0.15)):
            type_into(form, "dropout", typed)
            assert form.config().dropout == value
        type_into(form, "dropout", "1.5")
        assert "dropout = 1.5" in form.fault_of("dropout")
        assert form.editors["dropout"].text() == "1.5"
    finally:
        QLocale.setDefault(before)


def test_a_field_that_is_half_typed_is_told_and_mended_by_going_on(form_of):
    form = form_of(TrainingConfig)
    type_into(form, "learning_rate", "3e")
    assert "must be a number" in form.fault_of("learning_rate")
    QTest.keyClicks(form.editors["learning_rate"], "-4")
    assert form.config().learning_rate == 3e-4


def test_every_change_is_told_once(form_of, qtbot):
    form = form_of(TrainingConfig)
    with qtbot.waitSignal(form.changed, timeout=100):
        QTest.keyClick(form.editors["n_steps"], Qt.Key.Key_0)
    with qtbot.assertNotEmitted(form.changed):
        form.show_values({"n_steps": 7})
    assert form.config().n_steps == 7


def test_a_field_that_is_decided_elsewhere_says_where(qtbot):
    form = Form(ModelConfig, {"n_vocab": "decided by the tokenizer"})
    qtbot.addWidget(form)
    assert not form.editors["n_vocab"].isEnabled()
    form.show_values({"n_vocab": 300})
    assert form.config().n_vocab == 300
