"""Lists that scroll on the screen stand whole in a picture, or the dialog says so."""

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QAbstractScrollArea

from app.dialogs.export.picture_page import CUT, PicturePage
from app.export.figure import STYLES, figure_of
from app.widgets.card import plain_label
from app.widgets.score_table import ScoreTable
from tests.helpers.sessions import session_showing

LINES = "layers.1.attn.pattern"


def scene_at(session, step, picture):
    session.go_to(step)
    session.request_viewing(replace(session.viewing, picture=picture))
    return session.scene


@pytest.fixture(scope="module")
def session(qapp):
    session = session_showing("the cat sat on " * 12, n_ctx=512)
    yield session
    session.close()


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.name)
@pytest.mark.parametrize(
    ("step", "picture"),
    [
        (LINES, "lines"),
        (LINES, "text"),
        (LINES, "effect"),
        (LINES, "compare"),
        ("tokens.ids", "map"),
        ("layers.1.ffn.hidden", "map"),
        ("layers.0.resid_mid", "map"),
    ],
)
def test_nothing_in_a_picture_has_to_be_scrolled_to(session, step, picture, style):
    scene = scene_at(session, step, picture)
    with figure_of(session, scene, style, 1200) as figure:
        areas = figure.widget.findChildren(QAbstractScrollArea)
        seen = [area for area in areas if area.isVisible()]
        assert seen
        assert not any(area.verticalScrollBar().maximum() for area in seen)
        assert not figure.is_cut
        inside = figure.widget.rect()
        for area in seen:
            place = area.mapTo(figure.widget, area.rect().bottomRight())
            assert inside.contains(place), type(area)


@pytest.mark.parametrize("width", [720, 1200])
def test_the_table_of_heads_has_all_its_columns(qtbot, width):
    session = session_showing("the cat sat on the mat")
    scene = scene_at(session, LINES, "heads")
    with figure_of(session, scene, STYLES[0], width) as figure:
        table = figure.widget.findChild(ScoreTable)
        assert table.isVisible()
        for area in figure.widget.findChildren(QAbstractScrollArea):
            assert not (area.isVisible() and area.horizontalScrollBar().maximum())
        right = table.mapTo(figure.widget, table.rect().topRight())
        assert figure.widget.rect().contains(right)
        assert figure.size[0] == width
    session.close()


def test_of_a_list_that_is_too_long_a_part_is_shown_and_the_dialog_says_so(qtbot):
    session = session_showing("the cat sat on " * 120, n_ctx=1024)
    scene = scene_at(session, LINES, "lines")
    page = PicturePage(session, scene, "lines")
    qtbot.addWidget(page)
    page.draw()
    notes = [each.text() for each in page.findChildren(type(plain_label("")))]
    assert any(CUT in note for note in notes)
    session.close()
