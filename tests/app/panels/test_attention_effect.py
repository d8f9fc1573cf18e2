"""The effect page draws every case, and a click on a number asks for that number."""

from dataclasses import replace

import numpy as np
import pytest

import core.trace.views.attention_output as output
from app.panels.attention.effect_page import EffectPage
from app.widgets.lanes import Lanes
from app.widgets.number_table import NumberTable
from app.widgets.paired_table import PairedTable
from app.widgets.segments import Segments
from app.widgets.zoom_map import ZoomMap
from core.trace.matrix import Cell
from core.trace.viewing import PLAIN, Viewing
from tests.helpers.scenes import scene_of

ATTN, TEXT = "layers.1.attn", "the cat sat on the mat"
ROTARY = {"position": "rotary", "n_heads": 4, "n_kv_heads": 2}


@pytest.fixture
def page(qtbot):
    page = EffectPage()
    qtbot.addWidget(page)
    page.resize(786, 540)
    page.wishes, page.looks = [], []
    page.selection_requested.connect(page.wishes.append)
    page.viewing_requested.connect(page.looks.append)
    return page


def shown(page, text=TEXT, viewing=PLAIN, **place):
    scene = scene_of(text, **{"step": f"{ATTN}.pattern", **place})
    scene = replace(scene, viewing=viewing)
    page.display(scene)
    assert not page.grab().isNull()
    return scene


def child(page, kind, name):
    return page.findChild(kind, f"effect.{name}")


@pytest.mark.parametrize("joining", ["head", "mean"])
@pytest.mark.parametrize(
    ("text", "config"),
    [
        ("t", {}),
        (TEXT, ROTARY),
        (TEXT, {"norm_place": "post"}),
        ("the cat " * 8, {"d_model": 128}),
        ("the cat sat", {"d_model": 2}),
    ],
)
def test_every_case_is_drawn_from_parts_at_hand(page, text, config, joining):
    scene = shown(page, text, Viewing(joining=joining), config=config)
    assert all(scene.trace.is_at_hand(*part) for part in page.parts(scene))


def test_a_click_on_the_map_asks_for_its_tokens(page):
    scene = shown(page, head=1)
    child(page, ZoomMap, "map").cell_clicked.emit(3, 1)
    assert page.wishes == [replace(scene.selection, query=3, key=1)]


def test_the_switch_asks_for_all_heads_and_back(page):
    shown(page, head=1)
    switch = next(s for s in page.findChildren(Segments) if s is page._heads)
    switch.choose(1)
    switch.choose(0)
    assert [look.joining for look in page.looks] == ["mean", "head"]


def test_a_map_of_all_heads_stays_while_the_head_changes(page):
    everything = Viewing(joining="mean")
    shown(page, viewing=everything, head=0)
    before = child(page, ZoomMap, "map").matrix
    scene = shown(page, viewing=everything, head=1)
    again = replace(scene, selection=replace(scene.selection, head=0))
    first = child(page, ZoomMap, "map").matrix
    page.display(again)
    assert child(page, ZoomMap, "map").matrix is first
    np.testing.assert_array_equal(before.values, first.values)


def test_each_number_of_the_table_leads_to_its_cell(page):
    scene = shown(page, query=4, head=3, token=97, config=ROTARY)
    table = child(page, PairedTable, "table")
    for column in range(3):
        table.number_clicked.emit(2, column)
    weight, effect, logit = page.wishes
    assert (weight.step, weight.key) == (f"{ATTN}.pattern", 2)
    assert effect.focus == Cell(f"{ATTN}.v", (1, 2, 0))
    assert logit.focus == Cell("output.logits", (4, 97))
    assert {wish.step for wish in page.wishes} == {scene.selection.step}


def test_a_row_leads_to_its_key_whatever_the_order(page):
    shown(page, query=4, head=1)
    table = child(page, PairedTable, "table")
    page._table._orders.choose(1)
    view = page._table._view
    table.row_clicked.emit(0)
    assert page.wishes[-1].key == view.keys[view.weights.argmax()]
    weights = [float(row.numbers[0]) for row in table.rows]
    assert weights == sorted(weights, reverse=True)


def test_the_row_of_the_others_leads_nowhere(page):
    scene = scene_of("the cat sat " * 24, config={"n_ctx": 128})
    n = scene.trace.n
    shown(page, "the cat sat " * 24, query=n - 1, config={"n_ctx": 128})
    table = child(page, PairedTable, "table")
    assert table.rows[-1].label == f"{n - 60} others"
    table.row_clicked.emit(60)
    assert page.wishes == []


def test_the_chosen_key_is_marked_and_a_masked_one_is_not(page):
    shown(page, query=3, key=2)
    assert child(page, PairedTable, "table").selected == 2
    shown(page, query=3, key=5)
    assert child(page, PairedTable, "table").selected is None


def test_a_raised_token_becomes_the_one_whose_logit_is_looked_at(page):
    scene = shown(page, query=4, head=1)
    pushes = page._output._pushes
    child(page, NumberTable, "raised").row_clicked.emit(0)
    child(page, NumberTable, "lowered").row_clicked.emit(1)
    assert page.wishes == [
        replace(scene.selection, token=pushes.raised[0].token),
        replace(scene.selection, token=pushes.lowered[1].token),
    ]


def test_a_feature_of_the_output_leads_to_the_sum_it_is_part_of(page):
    scene = shown(page, query=4, head=1)
    child(page, Lanes, "output").cell_clicked.emit(0, 5)
    cell = Cell(f"{ATTN}.out", (4, 5))
    assert page.wishes == [replace(scene.selection, focus=cell, feature=5)]


def test_a_large_vocabulary_is_ranked_after_the_rest_is_seen(page, qtbot, monkeypatch):
    monkeypatch.setattr(output, "EASY_MULTIPLICATIONS", 1)
    scene = shown(page, query=4, head=1)
    raised = child(page, NumberTable, "raised")
    assert raised.rows == ()
    qtbot.waitUntil(lambda: len(raised.rows) > 0)
    assert scene.trace.n > 4  # a page keeps no trace alive


def test_a_vocabulary_too_large_is_not_ranked_and_says_so(page, monkeypatch):
    monkeypatch.setattr(output, "MOST_MULTIPLICATIONS", 1)
    shown(page, query=4, head=1)
    assert child(page, NumberTable, "raised").message == output.TOO_LARGE
    assert page._output._reading.text == output.TOO_LARGE


def test_hidden_tokens_leave_the_map_and_the_marks(page):
    shown(page, query=4, key=0, viewing=Viewing(sink="left out"))
    matrix = child(page, ZoomMap, "map").matrix
    assert matrix.values.shape[1] == matrix.values.shape[0] - 1
    child(page, ZoomMap, "map").cell_clicked.emit(4, 0)
    assert page.wishes[-1].key == 1


@pytest.mark.parametrize("config", [{}, ROTARY])
def test_what_it_exports_is_what_its_code_makes(page, config):
    scene = shown(page, query=4, key=2, head=1, config=config)
    for sheet in page.numbers(scene):
        made = {"trace": scene.trace, "np": np}
        exec("\n".join(sheet.code), made)
        np.testing.assert_array_equal(made["values"], sheet.values)
        assert not sheet.values.flags.writeable
        assert sheet.values.shape == tuple(len(axis.labels) for axis in sheet.axes)


def test_what_it_exports_are_the_numbers_on_the_screen(page):
    joined = Viewing(whole_words=True, joining="mean")
    scene = shown(page, query=4, key=2, head=1, viewing=joined)
    mapped, table, vector, lengths, _ = page.numbers(scene)
    seen = child(page, ZoomMap, "map").matrix.values
    np.testing.assert_array_equal(mapped.values, seen)
    rows = child(page, PairedTable, "table").rows
    told = [[float(n.replace("−", "-")) for n in row.numbers] for row in rows]
    np.testing.assert_allclose(table.values, told, rtol=0.06, atol=1e-9)
    for sheet, name in ((vector, "output"), (lengths, "lengths")):
        lane = child(page, Lanes, name).lanes[0]
        np.testing.assert_array_equal(sheet.values, lane.values)
