"""The position panel: what it shows of a scene and what a click asks for."""

import numpy as np
import pytest

from app.panels.position import PositionPanel
from core.trace.views.position import similarity_cell
from tests.helpers.scenes import AskedSession, pair_scene, scene_of


@pytest.fixture
def panel(qtbot):
    session = AskedSession()
    panel = PositionPanel(session)
    qtbot.addWidget(panel)
    panel.resize(782, 560)
    panel.show()
    yield panel
    session.close()


@pytest.mark.parametrize(
    ("place", "step"),
    [(0, "embed.token"), (1, "embed.position"), (2, "embed.sum")],
)
def test_a_number_of_a_map_asks_for_that_place_of_its_step(panel, place, step):
    panel.display(scene_of(step="embed.sum"))
    panel.sum.shown_maps[place].cell_clicked.emit(2, 5)
    (wish,) = panel.session.wishes
    assert (wish.step, wish.query, wish.feature) == (step, 2, 5)


def test_all_three_maps_outline_the_same_place(panel):
    panel.display(scene_of(step="embed.sum", query=1, feature=4))
    assert [shown._selected for shown in panel.sum.shown_maps] == [(1, 4)] * 3


def test_a_click_on_a_wave_asks_for_the_token_there(panel):
    panel.display(scene_of(step="embed.position", query=0, feature=2))
    panel.waves.lines.x_clicked.emit(2.0)
    (wish,) = panel.session.wishes
    assert (wish.step, wish.query, wish.feature) == ("embed.position", 2, 2)


def test_the_chosen_waves_carry_the_tokens_as_dots(panel):
    panel.display(scene_of(step="embed.position", query=1, feature=2))
    dotted = [curve.name for curve in panel.waves.lines._curves if curve.dots]
    assert dotted == ["3 sin", "4 cos"]
    assert panel.waves.lines.item_count() == 3


def test_two_positions_become_query_and_key_and_their_cosine_is_explained(panel):
    panel.display(scene_of(step="embed.position"))
    panel.similarity.map.cell_clicked.emit(2, 1)
    (wish,) = panel.session.wishes
    assert (wish.step, wish.query, wish.key) == ("embed.position", 2, 1)
    assert wish.focus == similarity_cell(2, 1)


def test_learned_positions_have_no_formula(panel):
    panel.display(scene_of(config={"position": "learned"}, step="embed.sum"))
    assert panel.waves.note.startswith("Learned in training")


def test_one_token_is_an_addition_too(panel):
    panel.display(scene_of("a", step="embed.sum"))
    token, position, total = (shown.matrix.values for shown in panel.sum.shown_maps)
    np.testing.assert_allclose(token + position, total, atol=1e-6)
    assert panel.similarity.map.matrix.values.tolist() == [[pytest.approx(1)]]


def test_a_model_with_segments_adds_three_rows(panel):
    scene = scene_of(step="embed.sum", config={"position": "learned", "n_segments": 2})
    panel.display(scene)
    arrays = [shown.matrix.values for shown in panel.sum.shown_maps]
    assert len(arrays) == 4
    np.testing.assert_allclose(sum(arrays[:3]), arrays[3], rtol=1e-6)
    panel.display(scene_of(step="embed.sum"))
    assert len(panel.sum.shown_maps) == 3


def test_positions_are_named_as_the_model_counts_them(panel):
    fields = {"position": "learned", "position_offset": 2}
    panel.display(scene_of(step="embed.sum", config=fields))
    assert panel.similarity.map.matrix.rows.labels[:3] == ("2", "3", "4")


@pytest.mark.parametrize("kind", ["2017", "Marian", "BART"])
@pytest.mark.parametrize("target", ["", "a dog ran"])
def test_both_sides_are_drawn_one_after_the_other(panel, kind, target):
    for side in ("encoder", "decoder"):
        for name in ("position", "sum"):
            scene = pair_scene(f"{side}.embed.{name}", kind, target=target)
            panel.display(scene)
            n = scene.trace.tokens(side).n
            assert len(panel.sum.maps[0].matrix.rows.labels) == n
            assert panel.similarity.map.matrix.values.shape == (n, n)
            assert panel.sum.maps[0].matrix.key.startswith(side)
            assert not panel.grab().isNull()
