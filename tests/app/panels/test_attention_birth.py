"""The q · k page draws every case, and a click on a number asks for that number."""

from dataclasses import replace

import numpy as np
import pytest

from app.panels.attention.birth_page import BirthPage
from app.widgets.chain import Chain
from app.widgets.lanes import Lanes
from core.trace.matrix import Cell
from core.trace.viewing import Viewing
from tests.helpers.scenes import scene_of

ATTN = "layers.1.attn"
ROTARY = {"position": "rotary", "n_heads": 4, "n_kv_heads": 2}


@pytest.fixture
def page(qtbot):
    page = BirthPage()
    qtbot.addWidget(page)
    page.resize(786, 540)
    page.wishes = []
    page.selection_requested.connect(page.wishes.append)
    return page


def shown(page, step="pattern", text="the cat sat on the mat", **place):
    scene = scene_of(text, step=f"{ATTN}.{step}", **place)
    page.display(scene)
    assert not page.grab().isNull()
    return scene


def lanes_of(page, name):
    return page.findChild(Lanes, f"birth.{name}")


@pytest.mark.parametrize("step", ["scores", "scaled", "masked", "pattern"])
@pytest.mark.parametrize(
    ("text", "config"),
    [
        ("t", {}),
        ("the cat sat on the mat", ROTARY),
        ("the cat " * 8, {"d_model": 128}),
        ("the cat sat", {"d_model": 2}),
    ],
)
def test_every_case_is_drawn_from_parts_at_hand(page, step, text, config):
    scene = scene_of(text, step=f"{ATTN}.{step}", config=config)
    assert all(scene.trace.is_at_hand(*part) for part in page.parts(scene))
    page.display(scene)
    assert not page.grab().isNull()


def test_the_lanes_hold_the_numbers_of_the_trace(page):
    scene = shown(page, query=4, key=2, head=1)
    q, k, products, _ = (lane.values for lane in lanes_of(page, "vectors").lanes)
    np.testing.assert_array_equal(q, scene.trace[f"{ATTN}.q"][1, 4])
    np.testing.assert_array_equal(k, scene.trace[f"{ATTN}.k"][1, 2])
    np.testing.assert_array_equal(products, q * k)


def test_a_number_of_q_is_asked_for_without_leaving_the_picture(page):
    scene = shown(page, query=4, key=2, head=1)
    lanes_of(page, "vectors").cell_clicked.emit(0, 3)
    cell = Cell(f"{ATTN}.q", (1, 4, 3))
    assert page.wishes == [replace(scene.selection, focus=cell)]


def test_the_number_that_was_asked_for_is_outlined(page):
    cell = Cell(f"{ATTN}.k", (1, 2, 3))
    shown(page, query=4, key=2, head=1, focus=cell)
    assert lanes_of(page, "vectors").selected == (1, 3)


def test_a_product_leads_to_the_score_it_is_part_of(page):
    scene = shown(page, query=4, key=2, head=1)
    lanes_of(page, "vectors").cell_clicked.emit(2, 3)
    assert page.wishes == [replace(scene.selection, step=f"{ATTN}.scores", feature=3)]


def test_a_share_of_the_row_leads_to_its_key(page):
    scene = shown(page, "scores", query=4, key=2, head=1)
    lanes_of(page, "row").cell_clicked.emit(2, 1)
    assert page.wishes == [replace(scene.selection, step=f"{ATTN}.pattern", key=1)]


def test_each_link_of_the_chain_leads_to_its_stage(page):
    scene = shown(page, query=4, key=0, head=1)
    chain = page.findChild(Chain)
    at_max = page._view.largest_at
    for link in range(len(chain.links)):
        chain.link_clicked.emit(link)
    stages = [wish.step.rpartition(".")[2] for wish in page.wishes]
    assert stages[:3] == ["scores", "scaled", "masked"]
    assert stages[-2:] == ["pattern", "pattern"]
    if at_max != scene.selection.key:
        assert page.wishes[3].focus == Cell(f"{ATTN}.masked", (1, 4, at_max))


@pytest.mark.parametrize(
    ("step", "link"), [("scores", 0), ("scaled", 1), ("masked", 2), ("pattern", 5)]
)
def test_the_link_of_the_present_step_is_lit(page, step, link):
    shown(page, step, query=4, key=2)
    assert page.findChild(Chain)._selected == link


def test_a_masked_key_has_no_number_in_the_row(page):
    shown(page, query=1, key=3)
    assert all(np.isnan(lane.values[3]) for lane in lanes_of(page, "row").lanes)


def test_where_maps_join_words_it_says_that_tokens_stay_as_recorded(page):
    scene = shown(page, query=4, key=2)
    assert "as it was recorded" not in page._reading.text
    page.display(replace(scene, viewing=Viewing(whole_words=True)))
    assert "every token as it was recorded" in page._reading.text


@pytest.mark.parametrize("config", [{}, ROTARY])
def test_what_it_exports_is_what_its_code_makes(page, config):
    scene = shown(page, query=4, key=2, head=1, config=config)
    for sheet in page.numbers(scene):
        made = {"trace": scene.trace, "np": np}
        exec("\n".join(sheet.code), made)
        np.testing.assert_array_equal(made["values"], sheet.values)
        assert not sheet.values.flags.writeable
        assert sheet.values.shape == tuple(len(axis.labels) for axis in sheet.axes)
