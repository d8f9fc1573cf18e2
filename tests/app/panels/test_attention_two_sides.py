"""The attention studio of a model that reads one text and writes another."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtWidgets import QPushButton

from app.panels.attention.help_note import HelpNote
from app.panels.attention.kind_switch import KindSwitch
from app.panels.attention.lines_page import LinesPage
from app.panels.attention.overview_page import OverviewPage, orders_of
from app.panels.attention.panel import AttentionPanel
from app.panels.attention.rollout_page import RolloutPage
from app.panels.attention.stage_switch import StageSwitch
from app.panels.attention.text_page import TextPage
from app.scene import Scene
from app.studies import Studies
from core.analysis.heads import CROSS_SCORES, HeadScores
from core.analysis.rollout import rollout
from core.errors import MissingWeightError
from core.generation.sampling import Sampling
from core.trace.attentions import kinds_of_attention
from core.trace.selection import Selection
from core.trace.viewing import PLAIN, Viewing
from core.trace.views.attention_map import STAGE_WORDS, stages_of
from tests.helpers.bundles import (
    TWO_SIDES,
    encoder_decoder_bundle,
    encoder_decoder_trace,
    tiny_bundle,
    tiny_trace,
)
from tests.helpers.scenes import AskedSession

CROSS = "decoder.layers.1.cross.pattern"
SMALLEST = {
    "residual": False,
    "mix_heads": False,
    "norm": "none",
    "feed_forward": False,
    "n_heads": 1,
}


@pytest.fixture
def session(qapp):
    session = AskedSession()
    yield session
    session.close()


@pytest.fixture
def panel(qtbot, session):
    panel = AttentionPanel(session)
    qtbot.addWidget(panel)
    panel.resize(782, 560)
    return panel


def scene_at(step, kind="T5", target="a dog ran", viewing=PLAIN, **place):
    trace = encoder_decoder_trace(kind, target=target)
    tokenizer = encoder_decoder_bundle(kind).tokenizer
    return Scene(trace, Selection(step=step, **place), tokenizer, Sampling(), viewing)


def shown(panel, step, **fields):
    scene = scene_at(step, **fields)
    panel.display(scene)
    panel.grab()
    return panel.page(scene), scene


@pytest.mark.parametrize(
    "target", [pytest.param("", marks=pytest.mark.thorough), "a dog ran"]
)
@pytest.mark.parametrize("kind", TWO_SIDES)
def test_every_step_of_every_attention_is_drawn(panel, kind, target):
    for step in encoder_decoder_trace(kind).steps:
        if step.attention and step.layer == 1:
            scene = scene_at(step.key, kind, target, query=0, key=0, head=1)
            parts = panel.parts(scene)
            assert all(scene.trace.is_at_hand(*part) for part in parts)
            panel.display(scene)
            assert not panel.grab().isNull()
            for sheet in panel.numbers(scene):
                names = {"trace": scene.trace, "np": np}
                exec("\n".join(sheet.code), names)
                np.testing.assert_array_equal(names["values"], sheet.values)


def test_every_step_of_the_smallest_model_is_drawn(panel):
    trace = tiny_trace(**SMALLEST)
    tokenizer = tiny_bundle(**SMALLEST).tokenizer
    for step in trace.steps:
        if step.attention:
            panel.display(Scene(trace, Selection(step=step.key), tokenizer, Sampling()))
            assert not panel.grab().isNull()


@pytest.mark.parametrize("kind", ["2017", "T5"])
def test_the_switch_has_the_stages_of_the_attention(panel, kind):
    for of in kinds_of_attention(encoder_decoder_trace(kind).config):
        page, scene = shown(panel, of.key("pattern"), kind=kind)
        switch = page.findChild(StageSwitch)
        buttons = switch.findChildren(QPushButton)
        seen = [each.text() for each in buttons if each.isVisibleTo(switch)]
        stages = stages_of(scene.trace, of.paths[0])
        assert seen == [*(STAGE_WORDS.get(each, each) for each in stages), "weighted"]


@pytest.mark.parametrize("step", ["encoder.layers.0.attn.bias", CROSS])
def test_the_question_mark_answers_what_one_wonders_about_there(panel, step):
    page, _ = shown(panel, step)
    note = page.findChild(HelpNote)
    assert note.isVisibleTo(page)
    told = note.accessibleDescription()
    assert ("share a number" in told) == step.endswith("bias")
    assert ("Why is no cell empty?" in told) == step.endswith("pattern")
    assert "row 1 always" not in told
    decoder, _ = shown(panel, "decoder.layers.0.attn.pattern")
    assert "row 1 always" in decoder.findChild(HelpNote).accessibleDescription()


def test_of_the_encoder_there_is_no_effect_on_a_logit(panel):
    scene = scene_at("encoder.layers.0.attn.pattern", viewing=Viewing(picture="effect"))
    with pytest.raises(MissingWeightError, match="cross attention"):
        panel.parts(scene)
    for step in ("decoder.layers.0.attn.pattern", CROSS):
        page, _ = shown(panel, step, viewing=Viewing(picture="effect"))
        assert page._table._view.token_label


def test_heads_gathered_in_one_kind_are_not_those_of_another(panel, session):
    gathered = Viewing(picture="lines", kind="encoder", gathered=((1, 0), (1, 1)))
    page, _ = shown(panel, "encoder.layers.1.attn.pattern", viewing=gathered)
    assert page._view.heads == (0, 1)
    page, _ = shown(panel, CROSS, viewing=gathered, head=1)
    assert page._view.heads == (1,)
    page._heads.gathered.emit((0, 1))
    assert session.viewing.kind == "cross"
    assert session.viewing.gathered == ((1, 0), (1, 1))


def test_lines_join_the_target_at_the_left_with_the_source_at_the_right(panel):
    page, scene = shown(panel, CROSS, viewing=Viewing(picture="lines"))
    assert isinstance(page, LinesPage)
    lines = page._lines
    assert len(lines._left) == scene.trace.n
    assert len(lines._right) == len(scene.trace.source.pieces)
    captions = [label.text() for label in page._captions]
    assert captions == ["target: who looks", "source: who is looked at"]
    page, _ = shown(
        panel, "encoder.layers.0.attn.pattern", viewing=Viewing(picture="lines")
    )
    assert "queries" in page._captions[0].text()


@pytest.mark.parametrize("looks_back", [False, True])
def test_a_token_of_one_text_is_pointed_at_and_the_other_is_shaded(
    panel, session, looks_back
):
    viewing = Viewing(picture="text", kind="cross", looks_back=looks_back)
    page, scene = shown(panel, CROSS, viewing=viewing, query=2, key=4)
    assert isinstance(page, TextPage)
    pattern = scene.trace[CROSS][0]
    expected = pattern[:, 4] if looks_back else pattern[2]
    target, source = page._texts
    pointed, shaded = (source, target) if looks_back else (target, source)
    np.testing.assert_allclose(shaded.shade.values, expected, rtol=1e-6)
    assert pointed.shade.focus == (4 if looks_back else 2)
    wishes = session.wishes
    pointed.token_clicked.emit(1)
    at = wishes[-1]
    assert (at.query, at.key) == ((2, 1) if looks_back else (1, 4))
    assert session.viewing.pinned == 1
    shaded.token_clicked.emit(3)
    at = wishes[-1]
    assert (at.query, at.key) == ((3, 4) if looks_back else (2, 3))


def test_of_one_text_no_second_one_is_seen(panel):
    page, _ = shown(panel, CROSS, viewing=Viewing(picture="text"))
    assert page._texts[1].isVisibleTo(page)
    page, _ = shown(
        panel, "decoder.layers.0.attn.pattern", viewing=Viewing(picture="text")
    )
    assert not page._texts[1].isVisibleTo(page)
    assert not page._names[0].isVisibleTo(page)


class Known(Studies):
    """Scores and rollouts are known from the start."""

    def want_scores(self, kind=""):
        values = np.array([[0.1, 0.9], [0.5, 0.2]], np.float32)
        by_name = {score.name: values for score in CROSS_SCORES}
        return HeadScores(by_name, {}, CROSS_SCORES)

    def want_rollout(self, joining, kind=""):
        return rollout(encoder_decoder_trace("T5"), joining, kind)


def lent(qtbot, session, page):
    page.studies = Known(session)
    qtbot.addWidget(page)
    page.resize(782, 560)
    return page


@pytest.fixture
def overview(qtbot, session):
    return lent(qtbot, session, OverviewPage())


def test_the_overview_has_the_heads_of_the_kind_and_leads_to_the_others(
    overview, qtbot
):
    viewing = Viewing(picture="heads", kind="cross")
    overview.display(scene_at(CROSS, viewing=viewing, query=2, key=4, head=1))
    names = [overview._order.itemData(i) for i in range(overview._order.count())]
    cross = kinds_of_attention(encoder_decoder_trace("T5").config)[2]
    assert names == [name for name, _ in orders_of(cross)]
    assert overview._table._model.columnCount() == 2 + len(CROSS_SCORES)
    with qtbot.waitSignal(overview.selection_requested) as asked:
        overview._tiles.tile_clicked.emit(0)
    assert asked.args[0].step == "decoder.layers.0.cross.pattern"
    switch = overview.findChild(KindSwitch)
    assert switch.isVisibleTo(overview)
    for name, step, tokens in (
        ("encoder", "encoder.layers.1.attn.pattern", (4, 2)),
        ("decoder", "decoder.layers.1.attn.pattern", (2, 4)),
    ):
        with qtbot.waitSignal(overview.selection_requested) as asked:
            overview.findChild(QPushButton, f"kind.{name}").click()
        at = asked.args[0]
        assert (at.step, at.query, at.other) == (step, *tokens)


def test_a_shift_has_no_place_in_cross_attention_and_leads_to_its_scores(
    overview, qtbot
):
    step = "encoder.layers.0.attn.bias"
    overview.display(scene_at(step, viewing=Viewing(kind="encoder")))
    with qtbot.waitSignal(overview.selection_requested) as asked:
        overview.findChild(QPushButton, "kind.cross").click()
    assert asked.args[0].step == "decoder.layers.0.cross.scores"


def test_the_order_of_another_kind_is_by_layer(overview):
    viewing = replace(PLAIN, kind="cross", order="previous")
    overview.display(scene_at(CROSS, viewing=viewing))
    assert overview._order.currentText() == "by layer"
    overview.display(scene_at(CROSS, viewing=replace(viewing, order="diagonal")))
    assert overview._order.currentText() == "by diagonal"
    assert overview._tiles.tiles[0].caption == "L1 H2 .90"


@pytest.mark.parametrize(
    ("step", "words"),
    [
        ("encoder.layers.0.attn.pattern", "token of the source"),
        ("decoder.layers.1.attn.pattern", "from the source is left out"),
        (CROSS, "both attentions of every layer"),
    ],
)
def test_rollout_says_of_each_kind_what_it_is(qtbot, session, step, words):
    page = lent(qtbot, session, RolloutPage())
    scene = scene_at(step)
    kind = next(
        k for k in kinds_of_attention(scene.trace.config) if step[:-8] in k.paths
    )
    page.display(replace(scene, viewing=Viewing(kind=kind.name)))
    assert words in page._about.text()
    shown = page._map.matrix
    assert shown.values.shape == (
        scene.trace.rows_of(step).n,
        scene.trace.keys_of(step).n,
    )
    with qtbot.waitSignal(page.selection_requested) as asked:
        page._layers.position_requested.emit(1)
    assert asked.args[0].step == kind.key("pattern", 0)
