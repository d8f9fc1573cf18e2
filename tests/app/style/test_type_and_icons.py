"""The type is our own, its weights are real, icons are drawn when the time has come."""

import subprocess
import sys

import qtawesome
from PySide6.QtGui import QFontInfo, QFontMetricsF
from PySide6.QtWidgets import QPushButton

from app.style import icons
from app.style.fonts import BASE, SEMIBOLD, TITLE, mono, sans


def test_the_families_are_ibm_plex(qapp):
    assert QFontInfo(sans()).family() == "IBM Plex Sans"
    assert QFontInfo(mono()).family() == "IBM Plex Mono"


def test_a_size_is_in_points(qapp):
    assert sans(TITLE).pointSizeF() == TITLE
    assert mono().pointSizeF() == BASE


def test_a_heavier_weight_has_wider_letters(qapp):
    light, heavy = (QFontMetricsF(sans(BASE, weight)) for weight in (400, SEMIBOLD))
    assert heavy.horizontalAdvance("attention") > light.horizontalAdvance("attention")


def test_every_letter_of_mono_is_equally_wide(qapp):
    metrics = QFontMetricsF(mono())
    assert metrics.horizontalAdvance("iiii") == metrics.horizontalAdvance("MMMM")


def test_every_icon_can_be_drawn(qapp):
    assert not [name for name in icons.ICONS if icons.icon(name).isNull()]


def test_an_icon_waits_until_icons_are_loaded(qtbot, monkeypatch):
    monkeypatch.setattr(icons, "_is_loaded", [False])
    button = QPushButton()
    qtbot.addWidget(button)
    icons.show_icon(button, "play")
    assert button.icon().isNull()
    icons.load_icons()
    assert not button.icon().isNull()


def test_an_icon_survives_that_its_button_does_not(qtbot, monkeypatch):
    monkeypatch.setattr(icons, "_is_loaded", [False])
    button = QPushButton()
    icons.show_icon(button, "play")
    button.deleteLater()
    qtbot.wait(1)
    icons.load_icons()


def test_icons_that_nobody_wears_are_let_go_and_can_be_drawn_again(qtbot, monkeypatch):
    monkeypatch.setattr(icons, "_is_loaded", [True])
    button = QPushButton()
    qtbot.addWidget(button)
    icons.show_icon(button, "play")
    assert qtawesome._instance().icon_cache
    icons.forget_icons()
    assert not qtawesome._instance().icon_cache
    assert not button.icon().pixmap(16).isNull()
    assert not icons.icon("play").pixmap(16).isNull()


def test_nothing_slow_is_imported_before_the_first_paint():
    code = (
        "import sys, app.style.theme, app.style.icons, app.widgets.heatmap, "
        "app.widgets.head_grid, app.widgets.formula, app.workers.formulas; "
        "slow = {'torch', 'qtawesome', 'ziamath', 'pyqtgraph'}; "
        "print(sorted(slow & set(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[]"
