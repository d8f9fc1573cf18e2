"""The feed-forward panel: which page a step has, what it shows, what a click asks."""

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from app.panels.feed_forward import FeedForwardPanel
from app.panels.feed_forward.experts_page import ExpertsPage
from app.panels.feed_forward.hidden_page import HiddenPage
from app.panels.feed_forward.norm_page import NormPage
from app.panels.feed_forward.out_page import OutPage
from app.scene import Scene
from app.widgets.number_table import NumberTable
from app.widgets.strip import VectorStrip
from core.generation.sampling import Sampling
from core.trace.selection import Selection
from core.trace.views.experts import EXPERT_STEPS
from tests.helpers.bundles import tiny_bundle, tiny_trace
from tests.helpers.scenes import pair_scene

FFN = "layers.1.ffn"


class Asked(QObject):
    """Stands in for the session: remembers what was asked for."""

    def __init__(self):
        super().__init__()
        self.selections = []

    def request_selection(self, selection):
        self.selections.append(selection)


def scene_of(step, query=1, feature=3, text="the cat sat", **config):
    trace = tiny_trace(text, **config)
    selection = Selection(step=step, query=query, feature=feature)
    return Scene(trace, selection, tiny_bundle(**config).tokenizer, Sampling())


@pytest.fixture
def panel(qtbot):
    widget = FeedForwardPanel(Asked())
    qtbot.addWidget(widget)
    widget.resize(782, 560)
    widget.show()
    return widget


@pytest.mark.parametrize(
    ("step", "page"),
    [
        ("norm", NormPage), ("gate", HiddenPage), ("hidden", HiddenPage),
        ("active", HiddenPage), ("out", OutPage),
    ],
)  # fmt: skip
@pytest.mark.parametrize("text", ["c", "the cat sat on the mat"])
def test_every_step_has_a_page_that_draws(panel, step, page, text):
    scene = scene_of(f"{FFN}.{step}", 0, text=text, gated=True, norm="rms_norm")
    panel.display(scene)
    assert type(panel.page(scene.selection.step)) is page
    assert not panel.grab().isNull()


@pytest.mark.parametrize("step", ["norm", "gate", "hidden", "active", "out"])
def test_nothing_is_derived_that_was_not_asked_for_before(panel, step, monkeypatch):
    scene = scene_of(f"{FFN}.{step}", gated=True, norm="rms_norm")
    for part in panel.parts(scene):
        scene.trace.part(*part)
    asked = []
    derive = scene.trace._derive

    def noted(row, index):
        if all(place is None for place in index):
            asked.append(row.key)
        return derive(row, index)

    monkeypatch.setattr(scene.trace, "_derive", noted)
    panel.display(scene)
    assert asked == []


EXPERTS = {"n_experts": 4, "n_experts_per_token": 2, "gated": True}


@pytest.mark.parametrize("step", EXPERT_STEPS)
@pytest.mark.parametrize("text", ["c", "the cat sat on the mat"])
def test_every_step_of_a_layer_with_experts_draws(panel, step, text):
    scene = scene_of(f"{FFN}.{step}", 0, text=text, **EXPERTS)
    panel.display(scene)
    page = panel.page(scene.selection.step, has_experts=True)
    assert type(page) is ExpertsPage
    assert page.isVisible()
    assert not panel.grab().isNull()


def test_a_click_on_an_expert_asks_for_it_in_the_present_step(panel):
    for step, shown in (("chosen", "chosen"), ("hidden", "hidden"), ("out", "experts")):
        scene = scene_of(f"{FFN}.{step}", **EXPERTS)
        panel.display(scene)
        panel.findChild(ExpertsPage).findChild(NumberTable).row_clicked.emit(2)
        asked = panel.session.selections[-1]
        assert (asked.step, asked.expert, asked.query) == (f"{FFN}.{shown}", 2, 1)


def test_a_click_on_an_answer_asks_for_its_expert(panel):
    scene = scene_of(f"{FFN}.out", **EXPERTS)
    panel.display(scene)
    weights = scene.trace.part(f"{FFN}.chosen", (1,))
    strips = panel.findChild(ExpertsPage).findChild(VectorStrip)
    strips.cell_clicked.emit(0, 5)
    asked = panel.session.selections[-1]
    assert (asked.step, asked.expert) == (f"{FFN}.experts", int(weights.argmax()))
    strips.cell_clicked.emit(2, 5)
    assert panel.session.selections[-1].step == f"{FFN}.out"
    assert panel.session.selections[-1].feature == 5


def test_a_click_on_the_map_selects_token_and_neuron(panel):
    panel.display(scene_of(f"{FFN}.hidden"))
    panel.page(f"{FFN}.hidden")._map.map.cell_clicked.emit(2, 17)
    asked = panel.session.selections[-1]
    assert (asked.step, asked.query, asked.feature) == (f"{FFN}.hidden", 2, 17)


def test_a_click_on_a_strip_goes_to_that_stage(panel):
    panel.display(scene_of(f"{FFN}.hidden"))
    panel.findChild(VectorStrip).cell_clicked.emit(1, 9)
    asked = panel.session.selections[-1]
    assert (asked.step, asked.query, asked.feature) == (f"{FFN}.active", 1, 9)


def test_a_listed_neuron_and_a_listed_token_can_be_chosen(panel):
    panel.display(scene_of(f"{FFN}.active"))
    page = panel.page(f"{FFN}.active")
    neurons, tokens = page._neuron._neurons, page._neuron._tokens
    neurons.row_clicked.emit(0)
    asked = panel.session.selections[-1]
    assert str(asked.feature + 1) == neurons.rows[0].label
    assert asked.query == 1
    tokens.row_clicked.emit(2)
    asked = panel.session.selections[-1]
    assert tokens.rows[2].note == f"token {asked.query + 1}"
    assert asked.feature == 3


def test_a_dot_on_the_curve_is_its_token(panel):
    scene = scene_of(f"{FFN}.active")
    panel.display(scene)
    value = scene.trace.part(f"{FFN}.hidden", (None, 3))[2]
    panel.page(f"{FFN}.active")._neuron._curve.x_clicked.emit(float(value))
    assert panel.session.selections[-1].query == 2


def test_the_chosen_neuron_is_marked_where_it_is_listed(panel):
    panel.display(scene_of(f"{FFN}.active"))
    table = panel.page(f"{FFN}.active")._neuron._neurons
    chosen = int(table.rows[3].label) - 1
    panel.display(scene_of(f"{FFN}.active", feature=chosen))
    assert table.selected == 3


def test_a_click_on_the_product_selects_a_number_of_the_output(panel):
    panel.display(scene_of(f"{FFN}.out"))
    panel.page(f"{FFN}.out")._board.picture.cell_clicked.emit(2, 6)
    asked = panel.session.selections[-1]
    assert (asked.step, asked.query, asked.feature) == (f"{FFN}.out", 2, 6)


def test_the_output_lists_the_neurons_that_add_most(panel):
    panel.display(scene_of(f"{FFN}.out"))
    page = panel.page(f"{FFN}.out")
    table = page.findChild(NumberTable)
    shares = [abs(row.share) for row in table.rows]
    assert shares[0] == pytest.approx(1)
    assert shares == sorted(shares, reverse=True)
    page._board._table.row_clicked.emit(0)
    assert str(panel.session.selections[-1].feature + 1) == table.rows[0].label


def test_a_feature_beyond_a_steps_width_shows_the_last_one(panel):
    panel.display(scene_of(f"{FFN}.out", feature=31))
    assert "feature 8 ·" in panel.page(f"{FFN}.out")._board._product.title


def test_few_tokens_stand_above_each_other_and_many_beside(panel):
    for text, is_wide in (("c", True), ("the cat sat on the mat " * 2, False)):
        panel.display(scene_of(f"{FFN}.norm", 0, text=text))
        QApplication.processEvents()
        page = panel.page(f"{FFN}.norm")
        assert (page._before.width() > panel.width() / 2) == is_wide


@pytest.mark.parametrize("kind", ["2017", "T5"])
@pytest.mark.parametrize("target", ["", "a dog ran"])
def test_both_sides_have_a_network_for_tokens_of_their_own(panel, kind, target):
    for side in ("encoder", "decoder"):
        trace = pair_scene("output.pick", kind, target=target).trace
        last = trace.tokens(side).n - 1
        for key in trace.keys:
            if key.startswith(f"{side}.layers.1.ffn."):
                panel.display(pair_scene(key, kind, target=target, query=last))
                assert not panel.grab().isNull(), key
        label = trace.tokens(side).label(last)
        key = f"{side}.layers.1.ffn.hidden"
        panel.display(pair_scene(key, kind, target=target, query=last))
        page = panel.findChild(HiddenPage)
        assert page._token.title.startswith(label)
