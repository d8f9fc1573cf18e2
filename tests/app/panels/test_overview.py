"""All heads at once: maps, scores, and what a click asks for."""

from dataclasses import replace

import numpy as np
import pytest

from app.panels.attention.overview_page import OverviewPage
from app.studies import Studies
from app.widgets.score_table import FIRST, NAME
from core.analysis.heads import HEAD_SCORES, HeadScores
from core.trace.viewing import PLAIN
from tests.helpers.scenes import AskedSession, scene_of

KEY = "layers.1.attn.pattern"
RISING = np.array([[0.1, 0.2], [0.3, 0.9]], np.float32)
SCORES = HeadScores({score.name: RISING for score in HEAD_SCORES}, {})


class KnownStudies(Studies):
    """The scores are known from the start."""

    def want_scores(self, kind=""):
        return SCORES


@pytest.fixture
def page(qtbot):
    page = OverviewPage()
    page.studies = KnownStudies(AskedSession())
    qtbot.addWidget(page)
    page.resize(782, 560)
    return page


def shown(page, **viewing):
    scene = scene_of(step=KEY, query=2, key=1)
    scene = replace(scene, viewing=replace(PLAIN, **viewing))
    page.display(scene)
    page.grab()
    return scene


def captions(page):
    return [tile.caption for tile in page._tiles.tiles]


def test_every_head_of_every_layer_has_its_map(page):
    scene = shown(page)
    pattern = scene.trace["layers.0.attn.pattern"]
    seen = scene.trace.part("mask")
    assert captions(page) == ["L1 H1", "L1 H2", "L2 H1", "L2 H2"]
    values = page._tiles.tiles[1].values
    np.testing.assert_allclose(values[seen], pattern[1][seen], atol=1e-6)


def test_a_head_is_not_looked_for_among_the_scores_of_a_smaller_model(
    page, monkeypatch
):
    shown(page)
    monkeypatch.setattr(KnownStudies, "want_scores", lambda *_: None)
    page.display(scene_of(step=KEY, head=3, config={"n_heads": 4}))
    assert page._table.isHidden()


def test_heads_are_ordered_by_a_score(page):
    shown(page, order="induction")
    assert captions(page) == ["L2 H2 .90", "L2 H1 .30", "L1 H2 .20", "L1 H1 .10"]


def test_a_click_chooses_the_head_and_its_layer(page, qtbot):
    shown(page, order="induction")
    with qtbot.waitSignal(page.selection_requested) as asked:
        page._tiles.tile_clicked.emit(3)
    assert (asked.args[0].step, asked.args[0].head) == ("layers.0.attn.pattern", 0)


def test_a_click_on_the_chosen_head_enlarges_it(page, qtbot):
    shown(page)
    with qtbot.waitSignal(page.viewing_requested) as asked:
        page._tiles.tile_clicked.emit(2)
    assert asked.args[0].picture == "map"


def test_heads_are_gathered_and_let_go(page, qtbot):
    shown(page, gathered=((0, 1),))
    assert [tile.is_gathered for tile in page._tiles.tiles] == [0, 1, 0, 0]
    with qtbot.waitSignal(page.viewing_requested) as asked:
        page._tiles.tile_toggled.emit(3)
    assert asked.args[0].gathered == ((0, 1), (1, 1))
    with qtbot.waitSignal(page.viewing_requested) as asked:
        page._release.click()
    assert asked.args[0].gathered == ()


def test_a_row_of_the_table_chooses_its_head(page, qtbot):
    shown(page)
    with qtbot.waitSignal(page.selection_requested) as asked:
        page._table.row_clicked.emit(1)
    assert (asked.args[0].step, asked.args[0].head) == ("layers.0.attn.pattern", 1)


def test_an_order_sorts_the_table_too(page, qtbot):
    shown(page)
    place = page._order.findData("induction")
    with qtbot.waitSignal(page.viewing_requested) as asked:
        page._order.activated.emit(place)
    assert asked.args[0].order == "induction"
    shown(page, order="induction")
    assert page._table.rows == (3, 2, 1, 0)


def test_the_score_that_orders_the_heads_stands_beside_their_labels(page):
    shown(page, order="induction")
    titles = [score.name for score in HEAD_SCORES]
    section = FIRST + titles.index("induction")
    assert page._table.horizontalHeader().visualIndex(section) == NAME
    shown(page)
    assert page._table.horizontalHeader().visualIndex(section) == section


def test_gathered_heads_wear_their_colour_of_the_sequence(page):
    shown(page, gathered=((0, 1),))
    assert [tile.colour for tile in page._tiles.tiles] == [0, 1, 0, 1]


def test_until_heads_are_scored_the_page_says_so_in_place_of_the_table(page):
    page.studies.want_scores = lambda kind: None
    shown(page)
    assert page._table.isHidden()
    assert not page._waiting.isHidden()


class NotedStudies(Studies):
    """Nothing is ever there; which maps were wanted last is noted."""

    def want_scores(self, kind=""):
        return None

    def want_maps(self, trace, stage, viewing, heads):
        self.wanted = heads
        return {}


def test_an_order_that_no_head_has_a_score_for_says_why(page, monkeypatch):
    shown(page, order="induction")
    assert page._status.text == ""
    lacking = HeadScores(SCORES.by_name, {"induction": "needs the model"})
    monkeypatch.setattr(KnownStudies, "want_scores", lambda *_: lacking)
    shown(page, order="induction")
    assert page._status.text == "no head has this score: needs the model"
    shown(page, order="previous")
    assert page._status.text == ""


def test_the_maps_in_sight_are_wanted_first(page):
    page.studies = NotedStudies(AskedSession())
    page.show()
    page.display(scene_of(step=KEY, query=2, key=1, config={"n_layers": 40}))
    page.grab()
    bar = page._tiles.verticalScrollBar()
    bar.setValue(bar.maximum())
    wanted = page.studies.wanted
    seen = [page._heads[place] for place in page._tiles.in_sight()]
    assert (39, 1) in seen
    assert (0, 0) not in seen
    assert wanted[: len(seen)] == tuple(seen)
    assert sorted(wanted) == sorted(page._heads)


def test_a_moved_selection_marks_and_draws_nothing_anew(page):
    shown(page)
    before = page._tiles.tiles
    page.display(scene_of_same(page, head=1))
    assert page._tiles.tiles is before
    assert page._tiles._selected == 3


def scene_of_same(page, **selection):
    """The scene that is shown, with another selection."""
    scene = page._scene
    return replace(scene, selection=replace(scene.selection, **selection))
