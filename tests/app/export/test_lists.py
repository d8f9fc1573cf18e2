"""Lists that scroll on the screen stand whole in a picture, or the dialog says so."""

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QAbstractScrollArea

from app.dialogs.export.picture_page import CUT, PicturePage
from app.export.figure import STYLES, figure_of
from app.panels.attention.compare_page import LEAST_MAP
from app.panels.attention.status import StatusLine
from app.widgets.card import plain_label
from app.widgets.heatmap import Heatmap
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


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.name)
def test_the_table_of_heads_has_all_its_rows(qtbot, style):
    session = session_showing("the cat sat", n_layers=16)
    with figure_of(session, scene_at(session, LINES, "heads"), style, 900) as figure:
        table = figure.widget.findChild(ScoreTable)
        assert table.isVisible()
        assert table.model().rowCount() == 32
        assert table.verticalScrollBar().maximum() == 0
        assert not figure.is_cut
    session.close()


def test_on_paper_nothing_tells_what_a_click_does(qtbot):
    session = session_showing("the cat sat")
    for picture in ("heads", "lines", "text"):
        scene = scene_at(session, LINES, picture)
        with figure_of(session, scene, STYLES[1], 1200) as figure:
            lines = figure.widget.findChildren(StatusLine)
            assert not any("click" in each.text for each in lines if each.isVisible())
    session.close()


def test_a_long_table_leaves_the_compared_maps_their_height(session):
    scene = scene_at(session, LINES, "compare")
    with figure_of(session, scene, STYLES[1], 1200) as figure:
        maps = [at for at in figure.widget.findChildren(Heatmap) if at.isVisible()]
        assert len(maps) == 3
        assert all(each.height() >= LEAST_MAP for each in maps)


def test_of_a_list_that_is_too_long_a_part_is_shown_and_the_dialog_says_so(qtbot):
    session = session_showing("the cat sat on " * 120, n_ctx=1024)
    scene = scene_at(session, LINES, "lines")
    page = PicturePage(session, scene, "lines")
    qtbot.addWidget(page)
    page.draw()
    notes = [each.text() for each in page.findChildren(type(plain_label("")))]
    assert any(CUT in note for note in notes)
    session.close()
