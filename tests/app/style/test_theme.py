"""Both themes name the same colours, can be read, and switch while running."""

from itertools import product

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QLabel

from app.style.contrast import channels, contrast, linear
from app.style.ramp import TO_CONES, TO_LAB
from app.style.theme import (
    DARK,
    LIGHT,
    THEMES,
    ThemeSwitch,
    apply_theme,
    palette_of,
    theme,
)

COLOURS = [f for f in type(LIGHT).__dataclass_fields__ if f not in ("name", "is_dark")]
MAP_COLOURS = ("query", "key", "value", "pattern", "residual", "feed_forward")

# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB.
SIGHTS = {
    "full": np.eye(3),
    "protan": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deutan": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritan": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}


@pytest.fixture
def switch(qapp):
    owner = ThemeSwitch(qapp)
    yield owner
    owner.deleteLater()
    apply_theme(qapp, LIGHT)


def seen(colour, sight):
    """OKLab of a colour as a reader of that sight sees it."""
    light = np.clip(sight @ np.array([linear(c) for c in channels(colour)]), 0, 1)
    return TO_LAB @ np.cbrt(TO_CONES @ light)


@pytest.mark.parametrize("chosen", THEMES, ids=lambda t: t.name)
@pytest.mark.parametrize("name", COLOURS)
def test_every_colour_is_one_that_qt_can_read(chosen, name):
    assert QColor(getattr(chosen, name)).isValid()
    assert len(getattr(chosen, name)) == 7


@pytest.mark.parametrize("chosen", THEMES, ids=lambda t: t.name)
def test_words_can_be_read_on_every_ground(chosen):
    for ink, ground in product(("text", "muted"), ("window", "surface", "sunken")):
        assert contrast(getattr(chosen, ink), getattr(chosen, ground)) >= 4.5
    assert contrast(chosen.on_accent, chosen.accent) >= 4.5
    assert contrast(chosen.ink_on("accent", "accent_soft"), chosen.accent_soft) >= 4.5


@pytest.mark.parametrize("chosen", THEMES, ids=lambda t: t.name)
@pytest.mark.parametrize("name", [*MAP_COLOURS, "faint", "error", "warning"])
def test_the_ink_of_a_colour_can_be_read(chosen, name):
    ink = chosen.ink(name).name()
    assert contrast(ink, chosen.surface) >= 4.5
    assert contrast(ink, chosen.window) >= 4.5


@pytest.mark.parametrize("chosen", THEMES, ids=lambda t: t.name)
@pytest.mark.parametrize("name", MAP_COLOURS)
@pytest.mark.parametrize("sight", SIGHTS)
def test_signs_stay_apart_for_colour_blind_readers(chosen, name, sight):
    positive = seen(getattr(chosen, name), SIGHTS[sight])
    negative = seen(chosen.opposite(name), SIGHTS[sight])
    assert np.linalg.norm(positive - negative) > 0.07  # 0.02 is just noticeable


def test_the_query_is_the_accent():
    assert all(each.query == each.accent for each in THEMES)


def test_choosing_a_theme_dresses_the_program_and_says_so(qtbot, switch, qapp):
    with qtbot.waitSignal(switch.theme_changed) as told:
        switch.choose("dark")
    assert told.args == ["dark"]
    assert theme() is DARK
    assert qapp.palette().color(QPalette.ColorRole.Window) == DARK.colour("window")
    assert DARK.accent in qapp.styleSheet()


def test_choosing_the_theme_in_force_changes_nothing(qtbot, switch):
    switch.choose("dark")
    with qtbot.assertNotEmitted(switch.theme_changed):
        switch.choose("dark")


def test_the_system_theme_follows_the_desktop_while_running(switch, monkeypatch):
    switch.choose("system")
    monkeypatch.setattr("app.style.theme.system_theme", lambda: DARK)
    switch._on_desktop_scheme_changed()
    assert theme() is DARK
    monkeypatch.setattr("app.style.theme.system_theme", lambda: LIGHT)
    switch._on_desktop_scheme_changed()
    assert theme() is LIGHT


def test_a_chosen_theme_ignores_the_desktop(switch, monkeypatch):
    switch.choose("dark")
    monkeypatch.setattr("app.style.theme.system_theme", lambda: LIGHT)
    switch._on_desktop_scheme_changed()
    assert theme() is DARK


def test_an_unknown_choice_means_the_system(switch):
    switch.choose("solarised")
    assert switch.choice == "system"


@pytest.mark.parametrize("chosen", THEMES, ids=lambda t: t.name)
def test_disabled_words_can_still_be_read(chosen):
    palette = palette_of(chosen)
    ink = palette.color(QPalette.ColorGroup.Disabled, QPalette.ColorRole.ButtonText)
    assert contrast(ink.name(), chosen.window) >= 4.5


def test_a_label_wears_the_ink_it_names(qtbot):
    label = QLabel("key")
    label.setProperty("ink", "key")
    qtbot.addWidget(label)
    label.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    label.show()
    assert label.palette().color(QPalette.ColorRole.WindowText) == LIGHT.ink("key")
