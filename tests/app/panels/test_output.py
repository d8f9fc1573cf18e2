"""The output panel: the numbers it shows, what clicks and fields ask for."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QScrollArea

from app.panels import panel_of
from app.panels.output import OutputPanel
from app.panels.output.find_token import token_ids
from app.panels.output.words import share_digits, share_text
from app.scene import Scene
from core.generation.sampling import Sampling
from core.tokenizers.simple import learn_characters
from core.trace.matrix import Cell
from core.trace.trace import Trace
from core.trace.views.output import entropy_cell, pick_view
from tests.helpers.bundles import TWO_SIDES, encoder_decoder_trace, tiny_tokenizer
from tests.helpers.scenes import AskedSession, pair_scene, scene_of

STEPS = ("output.norm", "output.logits", "output.probs", "output.pick")
DIRECT = Qt.FindChildOption.FindDirectChildrenOnly
LAST = 2  # the last token of "the cat sat"


class SamplingSession(AskedSession):
    """Notes the sampling that is asked for, too."""

    def request_sampling(self, sampling):
        self.wishes.append(sampling)


@pytest.fixture
def panel(qtbot):
    session = SamplingSession()
    panel = OutputPanel(session)
    qtbot.addWidget(panel)
    panel.resize(782, 536)
    panel.show()
    yield panel
    session.close()


def shown(panel, step, sampling=None, **selection):
    """The scene of a step, displayed, and the step's page."""
    scene = scene_of(step=step, **{"query": LAST, **selection})
    scene = replace(scene, sampling=sampling or Sampling())
    panel.display(scene)
    return scene, panel._stack.currentWidget()


def bars_of(page):
    ranked = getattr(page, "drawn", None) or page._row
    return ranked.bars._window._bars


def broken(scene: Scene) -> Scene:
    """The same sentence in a model whose last row of logits is no number."""
    trace = scene.trace
    kept = {key: trace._kept[key] for key in trace.keys if trace.is_kept(key)}
    last = f"layers.{trace.config.n_layers - 1}.resid_out"
    kept[last] = kept[last].clone()
    kept[last][-1, 0] = float("nan")
    wrong = Trace(
        config=trace.config,
        weights=trace._weights,
        encoding=trace.encoding,
        kept=kept,
        given=trace._given,
    )
    return replace(scene, trace=wrong)


def test_the_entropy_is_a_button_that_has_it_explained(panel, qtbot):
    _, page = shown(panel, "output.probs", query=1)
    links = page._certainty._links
    visible = [link for link in links if link.isVisible()]
    qtbot.mouseClick(visible[0], Qt.MouseButton.LeftButton)
    assert [link.text() for link in visible] == [page._certainty._labels[0][1].text()]
    assert panel.session.wishes[-1].focus == entropy_cell(1)


@pytest.mark.parametrize("step", STEPS)
def test_each_step_is_drawn_and_asks_for_its_own_row_alone(panel, step):
    scene, page = shown(panel, step, query=1)
    assert type(page).__module__.endswith(f"{step.split('.')[1]}_page")
    assert not panel.grab().isNull()
    for key, index in panel.parts(scene):
        assert scene.trace.is_stored(key, scene.trace.checked(key, index))
    if step in ("output.logits", "output.probs"):
        assert not scene.trace.is_stored("output.logits", (0, None))


@pytest.mark.parametrize("step", ["output.logits", "output.probs"])
def test_the_bars_are_the_rows_numbers_likeliest_first(panel, step):
    scene, page = shown(panel, step, query=1)
    logits = scene.trace["output.logits"][1]
    order = np.argsort(-logits, kind="stable")
    for rank, bar in enumerate(bars_of(page)):
        assert bar.label == scene.tokenizer.label(int(order[rank]))
        assert bar.value[0] == f"{logits[order[rank]]:.2f}".replace("-", "−")


def test_the_probabilities_in_sight_and_the_others_add_up_to_one(panel):
    scene, page = shown(panel, "output.probs")
    probs = np.sort(scene.trace["output.probs"][LAST])[::-1]
    n_seen = len(bars_of(page))
    rest = probs[n_seen:].sum()
    assert page._row.note == f"{len(probs) - n_seen:,} others: {rest:.4f} together"


def test_every_logit_is_counted(panel):
    scene, page = shown(panel, "output.logits")
    assert page._histogram._counts.sum() == scene.trace.config.n_vocab


def test_a_row_inside_the_sentence_says_what_really_follows(panel):
    scene, page = shown(panel, "output.probs", query=0)
    prob = scene.trace["output.probs"][0, scene.trace.ids[1]]
    texts = [label.text() for row in page._certainty._labels for label in row]
    assert scene.tokenizer.label(scene.trace.ids[1]) in texts
    assert any(f"{-np.log2(prob):.2f} bits" in text for text in texts)


@pytest.mark.parametrize("step", ["output.logits", "output.probs", "output.pick"])
def test_a_click_on_a_bar_selects_its_token(panel, step):
    scene, page = shown(panel, step)
    label, bars = (
        bars_of(page)[3].label,
        (getattr(page, "drawn", None) or page._row).bars,
    )
    bars.row_clicked.emit(bars.seen.start + 3)
    (wish,) = panel.session.wishes
    assert scene.tokenizer.label(wish.token) == label


@pytest.mark.parametrize("query", [0, LAST])
def test_a_click_on_the_draw_asks_for_the_softmax_of_the_token(panel, query):
    _, page = shown(panel, "output.pick", query=query)
    page.drawn.bars.row_clicked.emit(3)
    page.drawn.bar.segment_clicked.emit(3)
    for wish in panel.session.wishes:
        assert wish.focus == Cell("output.probs", (LAST, wish.token))
        assert wish.step != "output.probs"


def test_places_in_the_order_are_ranks_and_the_draw_names_its_token(panel):
    _, page = shown(panel, "output.pick")
    assert page.drawn.how.text().startswith("rank ")
    assert page.controls._hints["seed"].text().startswith(f"token {LAST + 2}: u = ")


def test_typing_a_token_finds_it(panel, qtbot):
    scene, page = shown(panel, "output.logits")
    qtbot.keyClicks(page._row._find.edit, "cat")
    ids = token_ids("cat", scene.tokenizer)
    logits = scene.trace["output.logits"][LAST]
    assert panel.session.wishes[-1].token == max(ids, key=lambda i: logits[i])


def test_a_token_is_found_with_and_without_its_space():
    tokenizer = tiny_tokenizer()
    spaced = tokenizer.encode(" cat").ids
    assert len(spaced) == 1
    assert spaced[0] in token_ids("cat", tokenizer)
    assert token_ids("·cat", tokenizer) == token_ids(" cat", tokenizer) == spaced
    assert token_ids("quixotic", tokenizer) == token_ids(" ", tokenizer) == ()


def test_the_pick_that_is_shown_is_the_pick_of_the_last_row(panel):
    sampling = Sampling(temperature=1.5, top_k=9, seed=4)
    scene, page = shown(panel, "output.pick", sampling, query=0)
    view = pick_view(scene.trace, sampling)
    assert page.drawn.token.text() == scene.tokenizer.label(view.draw.token_id)
    picked = [bar.label for bar in bars_of(page) if bar.state == "picked"]
    assert picked == [page.drawn.token.text()]
    assert f"u = {view.draw.u:.4f}" in page.drawn.how.text()
    bar = page.drawn.bar
    assert bar._segments[bar.drawn_index].label == picked[0]


def test_another_row_is_told_how_likely_its_follower_was(panel):
    scene, page = shown(panel, "output.pick", query=0)
    prob = scene.trace["output.probs"][0, scene.trace.ids[1]]
    assert f"{prob:.4f}" in page.drawn.note
    shown(panel, "output.pick", query=LAST)
    assert page.drawn.note == ""


@pytest.mark.parametrize(
    ("sampling", "name", "hint"),
    [
        (Sampling(temperature=0), "temperature", "greedy: always the likeliest"),
        (Sampling(temperature=0), "top_k", "not used: greedy"),
        (Sampling(top_k=0), "top_k", "off: all {n} tokens stay"),
        (Sampling(top_k=5000), "top_k", "5,000 → all {n}"),
        (Sampling(top_k=5), "top_k", "keeps 5 of {n}"),
        (Sampling(top_k=5), "top_p", "off: all 5 stay"),
        (Sampling(top_k=5, top_p=0.0001), "top_p", "keeps 1 of 5"),
        (Sampling(), "repetition_penalty", "off"),
    ],
)
def test_each_control_says_what_it_does(panel, sampling, name, hint):
    scene, page = shown(panel, "output.pick", sampling)
    n_vocab = scene.trace.config.n_vocab
    assert page.controls._hints[name].text() == hint.format(n=n_vocab)


def test_what_is_cut_is_struck_out_and_says_by_what(panel):
    _, page = shown(panel, "output.pick", Sampling(top_k=3, top_p=0.0001))
    bars = bars_of(page)
    assert [bar.state for bar in bars[:5]] == ["picked", "cut", "cut", "cut", "cut"]
    assert ["top-p" in bar.note for bar in bars[1:5]] == [True, True, False, False]
    assert "top-k" in bars[3].note
    assert page.drawn.bars._ranked.cut_label == "top-p 0.0001 keeps 1 of the top-k 3"


def test_greedy_is_labelled_and_draws_nothing(panel):
    _, page = shown(panel, "output.pick", Sampling(temperature=0))
    assert "greedy" in page.drawn.bars._ranked.cut_label
    assert page.drawn.bar._draw is None
    assert [bar.value[-1] for bar in bars_of(page)[:2]] == ["1.0000", "0.0000"]


@pytest.mark.parametrize(
    ("name", "text", "number"),
    [
        ("temperature", "0,7", 0.7),
        ("top_k", "50", 50),
        ("top_p", "0.9", 0.9),
        ("repetition_penalty", "1.2", 1.2),
        ("seed", str(2**63 - 1), 2**63 - 1),
    ],
)
def test_each_field_asks_for_its_number(panel, qtbot, name, text, number):
    shown(panel, "output.pick")
    field = panel._stack.currentWidget().controls.fields[name]
    field.selectAll()
    qtbot.keyClicks(field, text)
    assert panel.session.wishes == []
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert panel.session.wishes == [replace(Sampling(), **{name: number})]


def test_the_fields_show_the_scenes_sampling_and_ask_for_nothing(panel):
    sampling = Sampling(0.5, 7, 0.8, 1.1, 2**40)
    _, page = shown(panel, "output.pick", sampling)
    numbers = {name: field.number for name, field in page.controls.fields.items()}
    assert Sampling(**numbers) == sampling
    assert panel.session.wishes == []


def test_a_new_seed_is_asked_for_by_its_number(panel, qtbot):
    _, page = shown(panel, "output.pick")
    qtbot.mouseClick(page.controls.new_seed, Qt.MouseButton.LeftButton)
    (wish,) = panel.session.wishes
    scene = replace(scene_of(step="output.pick"), sampling=wish)
    panel.display(scene)
    assert page.controls.fields["seed"].text() == str(wish.seed)


@pytest.mark.parametrize("step", STEPS)
def test_logits_that_are_no_numbers_give_words_instead(panel, step):
    scene, page = shown(panel, step)
    panel.display(broken(scene))
    assert not panel.grab().isNull()
    if step != "output.norm":
        assert bars_of(page) == ()
    if step == "output.pick":
        assert "Sampling is off" in page.drawn.bars._window.message
        assert not page.drawn.token.isVisible()


@pytest.mark.parametrize("step", STEPS[1:])
def test_a_model_without_a_norm_before_the_logits_is_shown(panel, step):
    scene = scene_of(step=step, query=LAST, config={"norm_place": "post"})
    panel.display(scene)
    assert not panel.grab().isNull()


@pytest.mark.parametrize(
    ("share", "likeliest", "text"),
    [
        (0.31138, 0.4, "0.3114"), (0.00003, 0.4, "<0.0001"), (0, 0.4, "0"),
        (0.00003, 0.005, "0.000030"), (1e-9, 0.005, "<0.000001"), (1, 1, "1.0000"),
    ],
)  # fmt: skip
def test_probabilities_are_written_to_the_digits_that_tell_them_apart(
    share, likeliest, text
):
    assert share_text(share, share_digits(likeliest)) == text


def test_on_a_low_page_the_controls_scroll_and_what_writes_stays_in_sight(panel):
    _, page = shown(panel, "output.pick", Sampling(temperature=0.8, top_k=5))
    for height, is_low in ((420, True), (800, False)):
        panel.resize(900, height)
        QApplication.processEvents()
        writing, controls = page.writing, page.controls
        foot = writing.mapTo(page, QPoint(0, writing.height())).y()
        assert foot <= page.height()
        assert (
            controls.visibleRegion().boundingRect().height() < controls.height()
        ) == (is_low)
        assert writing.width() == controls.width()


def test_on_a_narrow_page_the_controls_stand_under_the_draw_and_nothing_is_cut(panel):
    _, page = shown(panel, "output.pick", Sampling(temperature=0.8, top_k=5))
    QApplication.processEvents()
    drawn, writing = page.drawn, page.writing
    assert writing.mapTo(page, QPoint()).x() > drawn.width()
    panel.resize(500, 190)
    QApplication.processEvents()
    below = writing.mapTo(page, QPoint())
    assert below.x() == 0
    assert below.y() > drawn.mapTo(page, QPoint()).y() + drawn.height()
    assert len(drawn.bars.seen) >= 3
    (area,) = page.findChildren(QScrollArea, options=DIRECT)
    area.verticalScrollBar().setValue(area.verticalScrollBar().maximum())
    foot = writing.mapTo(page, QPoint()).y() + writing.height()
    assert foot <= page.height()
    panel.resize(900, 500)
    QApplication.processEvents()
    assert writing.mapTo(page, QPoint()).x() > drawn.width()


def test_of_characters_one_is_found_a_space_too_and_an_unknown_one_not():
    tokenizer = learn_characters(["a b"])
    assert token_ids("a", tokenizer) == (1,)
    assert token_ids("·", tokenizer) == (0,)
    assert token_ids(" ", tokenizer) == token_ids("?", tokenizer) == ()


def test_another_pick_is_scrolled_into_sight_and_the_same_one_left_alone(panel):
    ranks = []
    for seed in range(12):
        scene, page = shown(panel, "output.pick", Sampling(seed=seed))
        bars = page.drawn.bars
        rank = pick_view(scene.trace, scene.sampling).rank
        if rank not in ranks[-1:]:
            assert rank in bars.seen
        ranks.append(rank)
        bars._scroll.setValue(bars._scroll.maximum())
        panel.display(scene)
        assert bars._scroll.value() == bars._scroll.maximum()
    assert max(ranks) > len(bars.seen)


# Two sides.


@pytest.mark.parametrize("kind", TWO_SIDES)
@pytest.mark.parametrize("target", ["", "a dog ran"])
def test_every_step_of_an_output_behind_an_encoder_draws(panel, kind, target):
    keys = encoder_decoder_trace(kind).keys
    for key in keys:
        if panel_of(key).name == "output":
            scene = pair_scene(key, kind, target=target)
            panel.display(scene)
            assert not panel.grab().isNull(), key


def test_the_last_norm_of_an_encoder_is_of_the_source(panel):
    scene = pair_scene("encoder.output.norm", "T5", query=7, target="")
    panel.display(scene)
    page = panel._stack.currentWidget()
    tokens = scene.trace.tokens("encoder")
    assert len(page._after.map.matrix.rows.labels) == tokens.n
    assert page._before.note.startswith(tokens.label(7))


def test_what_follows_is_spoken_of_as_the_target(panel):
    panel.display(pair_scene("output.pick", query=1))
    note = panel._stack.currentWidget().drawn.note
    assert "the target goes on with" in note


@pytest.mark.parametrize(
    ("kind", "row"),
    [("2017", "the normed row x̂"), ("T5", "the scaled row"), ("BART", "plus its own")],
)
def test_a_logit_is_said_to_be_made_of_what_is_compared(panel, kind, row):
    panel.display(pair_scene("output.logits", kind, query=1))
    assert row in panel._stack.currentWidget()._meaning.text()
