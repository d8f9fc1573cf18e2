"""The residual panel: what is marked and written, and where a click leads."""

import numpy as np
import pytest
from PySide6.QtCore import QObject

from app.panels.residual import (
    MEASURES,
    POST_NOTE,
    ResidualPanel,
    cut_words,
    texts_of,
)
from app.scene import Scene
from core.generation.sampling import Sampling
from core.trace.selection import Selection
from core.trace.views.residual import measure_cells
from tests.helpers.bundles import tiny_bundle, tiny_trace
from tests.helpers.scenes import pair_scene


class Asked(QObject):
    """Stands in for the session: remembers what was asked for."""

    def __init__(self):
        super().__init__()
        self.selections = []

    def request_selection(self, selection):
        self.selections.append(selection)


def scene_of(step, query=1, feature=3, text="the cat sat", **config):
    trace = tiny_trace(text, **config)
    selection = Selection(step=f"layers.{step}", query=query, feature=feature)
    return Scene(trace, selection, tiny_bundle(**config).tokenizer, Sampling())


@pytest.fixture
def panel(qtbot):
    widget = ResidualPanel(Asked())
    qtbot.addWidget(widget)
    widget.resize(782, 560)
    widget.show()
    return widget


@pytest.mark.parametrize("step", ["0.resid_in", "0.resid_mid", "1.resid_in"])
@pytest.mark.parametrize("text", ["c", "the cat sat on the mat"])
@pytest.mark.parametrize("place", ["pre", "post"])
def test_every_step_draws(panel, step, text, place):
    panel.display(scene_of(step, 0, text=text, norm_place=place))
    assert not panel.grab().isNull()


def test_the_table_writes_what_a_reader_would_measure(panel):
    scene = scene_of("1.resid_mid")
    panel.display(scene)
    before = scene.trace.part("layers.1.resid_in", (1,))
    out = scene.trace.part("layers.1.attn.out", (1,))
    cosine = before @ out / np.linalg.norm(before) / np.linalg.norm(out)
    lengths = [np.linalg.norm(row) for row in (before, out, before + out)]
    expected = [*lengths[:2], cosine, lengths[2]]
    row = panel._table.rows[2]
    assert row.label == "2 attn"
    assert [float(text.replace("−", "-")) for text in row.numbers] == pytest.approx(
        expected, abs=0.0051
    )


@pytest.mark.parametrize(
    ("step", "marked"), [("0.resid_in", None), ("1.resid_in", 1), ("1.resid_out", 3)]
)
def test_the_present_station_is_marked(panel, step, marked):
    panel.display(scene_of(step))
    assert panel._table.selected == marked


def test_a_station_leads_to_its_sum_and_token(panel):
    panel.display(scene_of("0.resid_in"))
    panel._stream.station_clicked.emit(2, 3)
    asked = panel.session.selections[-1]
    assert (asked.step, asked.query, asked.feature) == ("layers.1.resid_out", 2, 3)


def test_a_row_of_the_table_leads_to_its_sum_for_the_same_token(panel):
    panel.display(scene_of("0.resid_in"))
    panel._table.row_clicked.emit(2)
    asked = panel.session.selections[-1]
    assert (asked.step, asked.query) == ("layers.1.resid_mid", 1)


def test_a_number_of_the_table_goes_to_its_sum_and_is_explained(panel):
    scene = scene_of("0.resid_mid")
    panel.display(scene)
    panel._table.number_clicked.emit(2, 1)
    asked = panel.session.selections[-1]
    assert (asked.step, asked.query, asked.feature) == ("layers.1.resid_mid", 1, 3)
    assert asked.focus == measure_cells(scene.trace, "layers.1.resid_mid", 1)[1]


def test_a_part_of_the_addition_leads_to_its_step(panel):
    panel.display(scene_of("1.resid_mid"))
    panel._strips.cell_clicked.emit(1, 6)
    asked = panel.session.selections[-1]
    assert (asked.step, asked.query, asked.feature) == ("layers.1.attn.out", 1, 6)


def test_a_norm_behind_the_sum_is_said(panel):
    panel.display(scene_of("1.resid_mid"))
    assert panel._lengths.note == MEASURES
    panel.display(scene_of("1.resid_mid", norm_place="post"))
    assert panel._lengths.note == f"{MEASURES} {POST_NOTE}"


def test_another_step_moves_no_card(panel, qtbot):
    sizes = []
    for step in ("0.resid_in", "1.resid_mid", "1.resid_out"):
        panel.display(scene_of(step))
        qtbot.wait(1)
        sizes.append((panel._streams.geometry(), panel._sum.geometry()))
    assert sizes[0] == sizes[1] == sizes[2]


def test_where_nothing_is_added_there_is_no_cosine():
    assert texts_of((2.0, 0.0, float("nan"), 2.0)) == ("2.00", "0.00", "–", "2.00")
    assert texts_of((2.0, 1.0, 0.5, 2.6)) == ("2.00", "1.00", "0.50", "2.60")


@pytest.mark.parametrize("target", ["", "a dog ran"])
@pytest.mark.parametrize("kind", ["2017", "T5"])
def test_each_side_has_the_streams_of_its_own_tokens(panel, kind, target):
    scene = pair_scene("encoder.layers.1.resid_out", kind, target=target, query=3)
    panel.display(scene)
    assert len(panel._stream._rows) == scene.trace.tokens("encoder").n
    assert [row.label for row in panel._table.rows] == [
        "1 attn", "1 ffn", "2 attn", "2 ffn",
    ]  # fmt: skip
    assert "source" in panel._streams.title
    panel.display(pair_scene("decoder.layers.1.resid_cross", kind, target=target))
    assert len(panel._stream._rows) == scene.trace.n
    assert [row.label for row in panel._table.rows][3:] == [
        "2 attn", "2 cross", "2 ffn",
    ]  # fmt: skip
    assert panel._table.selected == 4
    assert not panel.grab().isNull()


def test_a_station_of_cross_attention_leads_to_its_sum(panel):
    panel.display(pair_scene("decoder.layers.0.resid_in"))
    panel._stream.station_clicked.emit(2, 4)
    asked = panel.session.selections[-1]
    assert (asked.step, asked.query) == ("decoder.layers.1.resid_cross", 2)


def test_tokens_that_are_cut_are_named():
    assert cut_words([]) == ""
    one = "The: far longer than the others, cut where the scale ends"
    assert cut_words(["The"]) == one
    assert cut_words(list("abcde")).startswith("a, b, c and 2 more: ")
