"""Every attention step has a picture, and a click on it asks for the right place."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QPushButton

from app.panels.attention import AttentionPanel
from app.panels.attention.help_note import HelpNote
from app.panels.attention.panel import PAGES
from app.panels.attention.status import StatusLine
from app.scene import Scene
from app.widgets.cell_text import range_text
from app.widgets.colour_bar import ColourBar
from app.widgets.head_grid import HeadGrid
from app.widgets.heatmap import Heatmap
from app.widgets.mixture import MixtureMap
from app.widgets.product import ProductMap
from app.widgets.zoom_map import ZoomMap
from core.analysis.effect import weighted_pattern
from core.config import ModelConfig
from core.trace.matrix import Cell
from core.trace.numbers import short
from core.trace.selection import cell_of
from core.trace.steps import steps_for
from core.trace.viewing import PLAIN
from core.trace.views.attention_map import STAGES as EVERY_STAGE
from tests.helpers.scenes import AskedSession, scene_of

ATTN = "layers.1.attn"
ROTARY = {"position": "rotary", "n_heads": 4, "n_kv_heads": 2}
STAGES = ("scores", "scaled", "masked", "pattern")
STEPS = ("norm", "q", "k", "v", *STAGES, "heads", "concat", "out")


@pytest.fixture
def panel(qtbot):
    panel = AttentionPanel(AskedSession())
    qtbot.addWidget(panel)
    panel.resize(782, 560)
    return panel


def attention(step, text="the cat sat", **place):
    return scene_of(text, step=f"{ATTN}.{step}", **place)


def shown(panel, step, **place):
    """The page of a step with the scene on it, and the scene."""
    scene = attention(step, **place)
    panel.display(scene)
    panel.grab()
    return panel.page(scene), scene


def test_every_attention_step_of_every_model_has_a_page():
    for config in (
        ModelConfig(),
        ModelConfig(position="rotary", norm_place="post"),
        ModelConfig(position="relative"),
    ):
        names = {s.name for s in steps_for(config) if s.name.startswith("attn.")}
        shown = {*PAGES, *EVERY_STAGE}
        assert {name.removeprefix("attn.") for name in names} <= shown


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("text", ["t", "the cat sat"])
def test_every_step_is_drawn_for_one_token_and_for_some(panel, step, text):
    scene = attention(step, text)
    assert all(scene.trace.is_at_hand(*part) for part in panel.parts(scene))
    panel.display(scene)
    assert not panel.grab().isNull()


@pytest.mark.parametrize("step", ["q", "k", "v", "q_rotated", "k_rotated", "heads"])
def test_rotated_and_grouped_heads_are_drawn(panel, step):
    panel.display(attention(step, config=ROTARY, head=3))
    assert not panel.grab().isNull()


def test_the_stages_pass_through_one_map(panel):
    pages = [shown(panel, step, head=1)[0] for step in STAGES]
    assert len(set(pages)) == 1
    assert pages[0].findChild(Heatmap, "attention.map").matrix.prefix == (1,)


def test_the_map_shows_the_numbers_of_the_chosen_head(panel):
    page, scene = shown(panel, "scores", head=1)
    matrix = page.findChild(Heatmap, "attention.map").matrix
    np.testing.assert_array_equal(matrix.values, scene.trace[f"{ATTN}.scores"][1])


def test_a_click_on_a_cell_asks_for_its_query_key_and_head(panel):
    page, scene = shown(panel, "pattern", head=1)
    heard = panel.session.wishes
    page.findChild(Heatmap, "attention.map").cell_clicked.emit(2, 1)
    assert cell_of(heard[-1], scene.trace).index == (1, 2, 1)


def test_a_click_on_a_stage_keeps_layer_head_and_cell(panel, qtbot):
    page, scene = shown(panel, "pattern", head=1, query=2, key=1)
    heard = panel.session.wishes
    button = page.findChild(QPushButton, "stage.scaled")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert heard[-1] == replace(scene.selection, step=f"{ATTN}.scaled")


def test_a_click_in_the_grid_asks_for_that_head(panel):
    page, scene = shown(panel, "pattern", head=0, query=2, key=1)
    heard = panel.session.wishes
    page.findChild(HeadGrid).head_clicked.emit(1)
    assert heard[-1] == replace(scene.selection, head=1)


def test_the_tip_names_layer_head_both_tokens_and_the_value(panel):
    page, scene = shown(panel, "scores", head=1)
    labels = [piece.label for piece in scene.trace.encoding.pieces]
    tip = page._map_tip(2, 0)
    assert tip.startswith(
        f"layer 2 · head 2\nquery {labels[2]} (3) → key {labels[0]} (1)\nq · k = "
    )


def test_the_line_below_the_map_says_what_is_under_the_mouse(panel):
    page, _ = shown(panel, "pattern")
    assert page._status.text.endswith("each row sums to 1")
    page.findChild(Heatmap, "attention.map").cell_hovered.emit(1, 0)
    assert page._status.text.startswith("layer 2 · head 1 · query ")
    page.findChild(Heatmap, "attention.map").cell_hovered.emit(-1, -1)
    assert page._status.text.endswith("each row sums to 1")


@pytest.mark.parametrize(("step", "field"), [("q", "query"), ("k", "key")])
def test_a_click_in_a_projection_moves_the_token_its_rows_belong_to(panel, step, field):
    page, scene = shown(panel, step, query=0, key=0)
    heard = panel.session.wishes
    page.findChild(ProductMap).cell_clicked.emit(2, 3)
    assert heard[-1] == replace(scene.selection, **{field: 2}, feature=3)


def test_a_small_product_leads_to_its_step(panel, qtbot):
    page, scene = shown(panel, "q")
    heard = panel.session.wishes
    button = page.findChild(QPushButton, "projection.v")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert heard[-1] == replace(scene.selection, step=f"{ATTN}.v")


def test_a_key_head_leads_to_the_first_query_head_that_uses_it(panel):
    scene = attention("k", config=ROTARY, head=0)
    panel.display(scene)
    heard = panel.session.wishes
    panel.page(scene).findChild(HeadGrid).head_clicked.emit(1)
    assert heard[-1].head == 2


def test_the_sum_follows_the_token_that_looks(panel):
    for query in (0, 2):
        page, scene = shown(panel, "heads", query=query, head=1)
        mixture = page.findChild(MixtureMap).mixture
        expected = scene.trace[f"{ATTN}.heads"][1, query]
        np.testing.assert_array_equal(mixture.total, expected)


def test_a_head_in_the_joined_row_leads_to_its_first_feature(panel):
    page, scene = shown(panel, "concat")
    heard = panel.session.wishes
    page.findChild(HeadGrid).head_clicked.emit(1)
    assert (heard[-1].head, heard[-1].feature) == (1, scene.trace.config.d_head)


def test_a_moved_selection_draws_no_map_anew(panel):
    page, scene = shown(panel, "pattern", query=0, key=0)
    matrix = page.findChild(Heatmap, "attention.map").matrix
    panel.display(replace_selection(scene, query=2))
    assert page.findChild(Heatmap, "attention.map").matrix is matrix


def replace_selection(scene, **fields):
    at = replace(scene.selection, **fields)
    return Scene(scene.trace, at, scene.tokenizer, scene.sampling)


def test_a_product_is_clicked_by_its_row_and_its_column(panel, qtbot):
    page, _ = shown(panel, "q", query=0, feature=0)
    product = page.findChild(ProductMap)
    heard = []
    product.cell_clicked.connect(lambda *at: heard.append(at))
    for factor, (row, column) in (("left", (2, 5)), ("right", (5, 3))):
        cells = product.picture.layout.cells(factor)
        x, y, width, height = cells.rectangle(row, column)
        point = QPoint(int(x + width / 2), int(y + height / 2))
        qtbot.mouseClick(product, Qt.MouseButton.LeftButton, pos=point)
    assert heard == [(2, 0), (0, 3)]


def test_what_is_said_of_a_hovered_cell_follows_the_numbers(panel):
    page, _ = shown(panel, "scores")
    page.findChild(HeadGrid)._hover((1, 2, 0))
    _, scene = shown(panel, "scaled")
    number = short(float(scene.trace[f"{ATTN}.scaled"][1, 2, 0]), 4)
    assert page.findChild(StatusLine).text.endswith(f"q · k / √d = {number}")
    shown(panel, "scaled", text="the cat sat on the mat")
    assert page.findChild(StatusLine).text.startswith("rows look at columns")


@pytest.mark.parametrize(("step", "kind"), [("k", ProductMap), ("heads", MixtureMap)])
def test_nothing_is_said_of_a_hovered_product_that_is_gone(panel, step, kind):
    page, _ = shown(panel, step)
    status = page.findChild(StatusLine)
    picture = status.parentWidget().findChild(kind)
    quiet = status.text
    picture._hover(("total" if kind is MixtureMap else "left", 0, 1))
    assert status.text != quiet
    shown(panel, step, head=1)
    assert "layer" not in status.text


@pytest.mark.parametrize("step", STAGES)
def test_the_words_on_spare_attention_stand_only_beside_shares(panel, step):
    page, _ = shown(panel, step)
    assert page.findChild(HelpNote).isVisibleTo(page) == (step == "pattern")


def test_the_norm_says_that_its_learned_numbers_are_in_what_it_shows(panel):
    page, _ = shown(panel, "norm")
    assert page._after.title == "After: normed, then × γ + β"


@pytest.mark.parametrize("step", ["q", "k", "v", "out"])
def test_a_large_product_has_the_key_to_its_colours(panel, step):
    page, _ = shown(panel, step)
    limit = page.findChild(ProductMap).product.result.scale.limit
    assert page.findChild(ColourBar).text().endswith(f"+{range_text(limit)}")


@pytest.mark.parametrize(
    ("step", "index", "place"),
    [
        ("q", (6, 1, 2), (6, 2)),
        ("q", (6, 0, 2), None),
        ("out", (6, 2), (6, 2)),
    ],
)
def test_a_weight_that_was_followed_is_outlined(panel, step, index, place):
    weight = {"q": "W_Q", "out": "W_O"}[step]
    focus = Cell(f"{ATTN}.{weight}", index)
    page, _ = shown(panel, step, head=1, focus=focus)
    assert page.findChild(ProductMap)._marked == place
    shown(panel, step, head=1)
    assert page.findChild(ProductMap)._marked is None


def test_weighted_shares_are_one_stage_more_of_the_map(panel):
    scene = attention("pattern", head=1, query=2, key=1)
    panel.display(replace(scene, viewing=replace(PLAIN, is_weighted=True)))
    page = panel.page(scene)
    shown = page.findChild(ZoomMap).matrix.values
    seen = scene.trace.part("mask")
    expected = weighted_pattern(scene.trace, ATTN, 1)
    np.testing.assert_allclose(shown[seen], expected[seen], rtol=1e-6)
    page.findChild(QPushButton, "stage.weighted").click()
    assert panel.session.viewing.is_weighted
    assert panel.session.wishes[-1].step == f"{ATTN}.pattern"


def test_a_hovered_cell_is_told_to_the_frame(panel, qtbot):
    page, _ = shown(panel, "pattern", head=1)
    with qtbot.waitSignal(panel.session.pointed_changed) as told:
        page.findChild(ZoomMap).cell_hovered.emit(2, 1)
    assert told.args == [(2, 1)]
    with qtbot.waitSignal(panel.session.pointed_changed) as told:
        page.findChild(HeadGrid).cell_hovered.emit(-1, -1, -1)
    assert told.args == [None]
