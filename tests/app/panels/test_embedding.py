"""The embedding panel: which rows it shows and what a click asks for."""

from dataclasses import replace

import numpy as np
import pytest

from app.panels.embedding import EmbeddingPanel
from app.panels.embedding.neighbours import NO_DIRECTION
from core.bundle import make_bundle
from core.pipeline import run_trace
from core.trace.matrix import Cell
from core.trace.views.embedding import TABLE, cosine_cell
from tests.helpers.bundles import random_model, tiny_bundle, tiny_tokenizer
from tests.helpers.scenes import AskedSession, pair_scene, scene_of

SCALED = {"scale_embeddings": True}


@pytest.fixture
def panel(qtbot):
    session = AskedSession()
    panel = EmbeddingPanel(session)
    qtbot.addWidget(panel)
    panel.resize(782, 560)
    panel.show()
    yield panel
    session.close()


def test_the_rows_in_use_are_led_from_their_places_in_the_table(panel):
    scene = scene_of(" the cat the", step="embed.token", query=1)
    panel.display(scene)
    strip = panel.table.strip
    assert strip._used == scene.trace.ids
    middles = [strip.row_middle(row) for row in scene.trace.ids]
    assert middles[0] == middles[2]
    ends = [panel.table._row_middle(place) for place in range(3)]
    assert ends == sorted(ends)


def test_a_number_of_a_row_asks_for_that_place_of_the_step(panel):
    panel.display(scene_of(step="embed.token", query=1))
    panel.table.rows.map.cell_clicked.emit(2, 5)
    (wish,) = panel.session.wishes
    assert (wish.step, wish.query, wish.feature) == ("embed.token", 2, 5)


def test_a_number_of_the_table_asks_for_that_weight(panel):
    scene = scene_of("a", step="embed.token")
    panel.display(scene)
    panel.table.around.strip.cell_clicked.emit(0, 3)
    assert panel.session.wishes[-1].focus == Cell(TABLE, (95, 3))


def test_a_neighbour_asks_for_its_cosine(panel):
    panel.display(scene_of("a", step="embed.token", feature=2))
    panel.neighbours.bars.bar_clicked.emit(0)
    panel.map.scatter.dot_clicked.emit(1)
    asked = [wish.focus for wish in panel.session.wishes]
    nearest = panel.neighbours._ids[0]
    assert asked == [cosine_cell(ord("a"), nearest)] * 2
    assert nearest != ord("a")


def test_a_row_that_is_not_all_numbers_is_left_out_and_the_cards_say_so(panel):
    model = random_model(tiny_bundle().config)
    row = tiny_tokenizer().encode("b").ids[0]
    model.get_parameter(TABLE).data[row, 3] = float("nan")
    bundle = make_bundle(model, tiny_tokenizer(), name="broken")
    scene = scene_of("ab", step="embed.token")
    scene = replace(scene, trace=run_trace(bundle, "ab"))
    panel.display(scene)
    assert panel.map.scatter.item_count() == 25
    assert f"Row {row} is left out" in panel.map.note
    panel.display(replace(scene, selection=replace(scene.selection, query=1)))
    assert panel.neighbours.bars.item_count() == panel.map.scatter.item_count() == 0
    assert panel.neighbours.bars.message == NO_DIRECTION
    assert f"Row {row} is left out" in panel.neighbours.note


def test_the_scaled_rows_stand_below_the_unscaled_ones(panel):
    scene = scene_of(config=SCALED, step="embed.scaled", query=1)
    panel.display(scene)
    assert panel.table.scaled.isVisible()
    assert not panel.table.around.isVisible()
    before = panel.table.rows.map.matrix.values
    after = panel.table.scaled.map.matrix.values
    np.testing.assert_allclose(after, before * np.sqrt(8), rtol=1e-5)


def test_a_model_without_scaling_shows_the_table_around_the_row(panel):
    panel.display(scene_of(step="embed.token"))
    assert panel.table.around.isVisible()
    assert not panel.table.scaled.isVisible()


def test_one_token_has_a_row_and_neighbours(panel):
    panel.display(scene_of("a", step="embed.token"))
    assert panel.table.rows.map.matrix.values.shape == (1, 8)
    assert panel.neighbours.bars.item_count() == 7
    assert panel.map.scatter.item_count() == 25


@pytest.mark.parametrize("target", ["", "a dog ran"])
def test_both_sides_take_their_rows_of_one_table(panel, target):
    for side, text in (("encoder", "source"), ("decoder", "target")):
        for name in ("token", "scaled"):
            scene = pair_scene(f"{side}.embed.{name}", target=target)
            panel.display(scene)
            tokens = scene.trace.tokens(side)
            shown = panel.table.rows.map.matrix
            assert (shown.key, len(shown.values)) == (f"{side}.embed.token", tokens.n)
            if name == "token":
                assert text in panel.table.rows.caption.text
            label = tokens.label(0)
            assert panel.neighbours.title.startswith(label)
