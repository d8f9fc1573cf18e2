import pytest
from PySide6.QtCore import QByteArray, QLocale, QSettings

from app import settings as rows
from app.settings import (
    APPLICATION,
    ORGANISATION,
    SETTINGS,
    Settings,
    bytes_of_text,
    text_of_bytes,
)
from core.generation.sampling import Sampling


def stored():
    """The settings as Qt has them."""
    scope = QSettings.Scope.UserScope
    return QSettings(QSettings.defaultFormat(), scope, ORGANISATION, APPLICATION)


def test_every_row_has_its_own_key():
    assert len({setting.key for setting in SETTINGS}) == len(SETTINGS)


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.key)
def test_a_default_is_usable_and_is_what_a_first_start_reads(setting):
    assert setting.is_usable(setting.default)
    assert Settings().read(setting) == setting.default


def test_the_default_sampling_can_be_sampled_with():
    read = Settings().read
    assert Sampling(
        temperature=read(rows.TEMPERATURE),
        top_k=read(rows.TOP_K),
        top_p=read(rows.TOP_P),
        repetition_penalty=read(rows.PENALTY),
        seed=read(rows.SEED),
    )


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        (rows.TEXT, 'a\ud800b\0 🙂, "x"; <s>\r\n'),
        (rows.MODEL, "/models/Модель 模型 é #%20"),
        (rows.TEMPERATURE, 0.7),
        (rows.SEED, 2**63 - 1),
        (rows.SHOWS_INSPECTOR, False),
    ],
)
def test_a_value_is_there_at_the_next_start(setting, value):
    settings = Settings()
    settings.write(setting, value)
    settings.sync()
    assert Settings().read(setting) == value


def test_numbers_are_stored_with_a_point_in_a_german_locale():
    QLocale.setDefault(QLocale(QLocale.Language.German))
    try:
        Settings().write(rows.TEMPERATURE, 0.7)
    finally:
        QLocale.setDefault(QLocale.c())
    assert stored().value(rows.TEMPERATURE.key) == "0.7"


@pytest.mark.parametrize("damage", ["{", "", '"puce"', "-1", "1e999", "true", "null"])
@pytest.mark.parametrize("setting", [rows.THEME, rows.TOP_K, rows.TOP_P])
def test_a_damaged_value_reads_as_the_default(setting, damage):
    stored().setValue(setting.key, damage)
    assert Settings().read(setting) == setting.default


def test_a_value_that_cannot_be_is_refused_by_name():
    with pytest.raises(ValueError, match="view/theme"):
        Settings().write(rows.THEME, "puce")


def test_a_change_is_told_once(qtbot):
    settings = Settings()
    heard = []
    settings.setting_changed.connect(heard.append)
    for _ in range(2):
        settings.write(rows.THEME, "dark")
    assert heard == ["view/theme"]


def test_a_window_state_survives_as_text():
    state = QByteArray(bytes(range(256)))
    assert bytes_of_text(text_of_bytes(state)) == state
