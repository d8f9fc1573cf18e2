from dataclasses import replace

import numpy as np
import pytest

from app.session import Session
from app.workers import generating
from core.generation.sampling import Sampling
from core.pipeline import run_trace
from core.trace.selection import Selection
from core.trace.viewing import PLAIN
from tests.helpers.bundles import save_tiny, tiny_tokenizer

GREEDY = Sampling(temperature=0)
WAIT_MS = 20_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return save_tiny(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture
def closed_session(qapp):
    session = Session(pause_ms=0)
    yield session
    session.close()


@pytest.fixture
def session(closed_session, folder, qtbot):
    """Open, with "the cat sat" traced."""
    with qtbot.waitSignal(closed_session.scene_changed, timeout=WAIT_MS):
        closed_session.open_model(folder)
        closed_session.request_text("the cat sat")
        closed_session.start()
    return closed_session


def traced(qtbot, session, act, *args):
    """Do something and wait for the trace of the whole sentence."""
    act(*args)
    qtbot.waitUntil(lambda: session.is_current, timeout=WAIT_MS)
    return session.trace


def test_the_first_trace_selects_the_last_token_and_the_one_before(session):
    assert session.trace.text == "the cat sat"
    assert (session.selection.query, session.selection.key) == (2, 1)


def test_the_pieces_are_there_before_the_model_is(closed_session, folder):
    closed_session.open_model(folder)
    closed_session.request_text("the cat")
    assert closed_session.encoding.ids == tiny_tokenizer().encode("the cat").ids
    assert closed_session.model is None


def test_the_same_sentence_twice_gives_the_same_numbers(session, qtbot):
    first = session.trace
    traced(qtbot, session, session.request_text, "the dog")
    second = traced(qtbot, session, session.request_text, "the cat sat")
    assert second is not first
    for key in ("layers.0.attn.pattern", "layers.1.resid_out", "output.probs"):
        np.testing.assert_array_equal(first[key], second[key])


def test_the_chosen_place_outlives_the_sentence_and_is_clamped(session, qtbot):
    chosen = Selection("layers.1.attn.pattern", query=2, key=0, head=1, feature=3)
    session.request_selection(chosen)
    traced(qtbot, session, session.request_text, "the cat sat on the mat")
    assert session.selection == chosen
    traced(qtbot, session, session.request_text, "the dog")
    assert session.selection == replace(chosen, query=session.trace.n - 1)


def test_a_place_outside_the_trace_is_clamped_when_asked_for(session):
    session.request_selection(replace(session.selection, query=99, head=99))
    assert (session.selection.query, session.selection.head) == (2, 1)


def test_without_text_there_is_nothing_to_show(session):
    heard = []
    session.trace_changed.connect(heard.append)
    session.scene_changed.connect(heard.append)
    session.request_text("")
    assert heard == [None, None]
    assert (session.trace, session.scene, session.encoding.ids) == (None, None, ())


def test_an_outdated_trace_is_not_taken(session):
    request, answer = session._shown
    session.request_text("the dog")
    heard = []
    session.trace_changed.connect(heard.append)
    session.accept(request, answer)
    assert heard == []


def test_a_sentence_that_is_too_long_says_by_how_much_and_can_be_cut(session, qtbot):
    with qtbot.waitSignal(session.too_long_changed) as heard:
        session.request_text("the cat sat" * 20)
    n = len(session.encoding.ids)
    assert heard.args == [n - 32] == [session.n_too_long]
    last = session.encoding.ids[-32:]
    trace = traced(qtbot, session, session.keep_last_tokens)
    assert (trace.ids, session.n_too_long) == (last, 0)
    session.undo_append()
    assert session.n_too_long == n - 32


def test_stepping_walks_every_step_and_back(session):
    session.go_to(session.trace.keys[0])
    walked = [session.selection.step]
    while session.selection.step != "output.pick":
        session.next_step()
        if session.selection.step != walked[-1]:
            walked.append(session.selection.step)
    assert tuple(walked) == session.trace.keys
    session.previous_step()
    assert session.selection.step == session.trace.keys[-2]


def test_the_step_after_the_last_appends_the_pick(session, qtbot):
    session.request_sampling(GREEDY)
    session.go_to("output.pick")
    likeliest = int(session.trace["output.pick"][-1])
    trace = traced(qtbot, session, session.next_step)
    assert trace.ids[-1] == likeliest
    assert session.selection.step == "output.pick"
    assert session.selection.query == trace.n - 1


def test_a_chosen_next_token_is_not_chosen_in_the_list_behind_a_new_one(session, qtbot):
    chosen = replace(session.selection, step="output.pick", token=5)
    session.request_selection(chosen)
    traced(qtbot, session, session.append_pick)
    assert session.selection.token is None
    assert session.scene.selection.token is None


def test_there_is_no_step_before_the_first(session):
    session.go_to(session.trace.keys[0])
    assert not session.can_step(-1)
    assert session.can_step(1)


def test_layers_change_at_the_same_step(session):
    session.go_to("layers.0.attn.q")
    assert session.can_change_layer(1)
    session.next_layer()
    assert session.selection.step == "layers.1.attn.q"
    assert not session.can_change_layer(1)
    session.previous_layer()
    assert session.selection.step == "layers.0.attn.q"


def test_a_drawn_token_is_the_one_that_generate_writes(session, qtbot):
    session.request_sampling(Sampling(seed=7))
    appended = traced(qtbot, session, session.append_pick).ids
    traced(qtbot, session, session.undo_append)
    with qtbot.waitSignal(
        session.is_generating_changed, check_params_cb=lambda b: not b
    ):
        session.generate(1)
    assert session.encoding.ids == appended


def test_a_seed_gives_the_same_text_again_and_again(session, qtbot):
    session.request_sampling(Sampling(seed=7))
    written = []
    for _ in range(3):
        with qtbot.waitSignal(
            session.is_generating_changed, check_params_cb=lambda b: not b
        ):
            session.generate(20)
        written.append(session.encoding.ids)
        session.undo_append()
        assert session.text == "the cat sat"
    assert written[0] == written[1] == written[2]
    assert len(written[0]) > 3


def test_while_the_model_writes_all_but_the_newest_token_is_shown(
    session, qtbot, monkeypatch
):
    monkeypatch.setattr(generating, "TELL_EVERY_S", 0)
    monkeypatch.setattr(generating, "TIMES_AS_LONG", 0)
    shown = []
    session.encoding_changed.connect(
        lambda encoding: shown.append((session.trace, encoding.ids, session.n_unread))
    )
    with qtbot.waitSignal(
        session.is_generating_changed, check_params_cb=lambda b: not b
    ):
        session.generate(6)
    assert len(shown) == len(session.encoding.ids) - 3
    for trace, ids, n_unread in shown:
        assert (trace.ids, n_unread) == (ids[:-1], 1)
        fresh = run_trace(session._bundle, ids=trace.ids)
        for key in ("layers.1.attn.pattern", "output.logits"):
            np.testing.assert_allclose(trace[key], fresh[key], atol=1e-5)
    qtbot.waitUntil(lambda: session.is_current, timeout=WAIT_MS)
    assert session.trace.ids == session.encoding.ids
    assert session.n_unread == 0


def test_generation_ends_where_the_model_cannot_read_on(session, qtbot):
    with qtbot.waitSignal(
        session.is_generating_changed, check_params_cb=lambda b: not b
    ):
        session.generate(1000)
    assert len(session.encoding.ids) <= 32
    assert session.n_too_long == 0


def test_typing_ends_generation_and_nothing_of_it_arrives_later(session, qtbot):
    session.generate(29)
    session.request_text("the dog")
    assert not session.is_generating
    trace = traced(qtbot, session, qtbot.wait, 50)
    assert trace.text == session.text == "the dog"


def test_an_unfinished_character_is_a_token_and_not_yet_text(session, qtbot):
    smiley = "🙂".encode()
    for count, byte in enumerate(smiley, start=1):
        session.append_token(byte)
        assert session.encoding.ids[-count:] == tuple(smiley[:count])
        assert session.text == "the cat sat" + ("🙂" if count == 4 else "")


def test_appending_a_special_token_keeps_its_id(session):
    end = tiny_tokenizer().specials["<|endoftext|>"]
    session.append_token(end)
    assert session.encoding.ids[-1] == end
    assert session.encoding.pieces[-1].is_special


def test_special_tokens_are_characters_unless_asked_for(session):
    end = tiny_tokenizer().specials["<|endoftext|>"]
    session.request_text("the cat<|endoftext|>")
    assert end not in session.encoding.ids
    session.set_specials(True)
    assert session.encoding.ids[-1] == end


@pytest.mark.parametrize("text", ["a\ud800b", "a\0b", "\ufeffa", "<s>", "\t \r\n"])
def test_odd_text_arrives_unchanged(session, qtbot, text):
    with qtbot.waitSignal(session.text_changed) as heard:
        session.request_text(text)
    assert heard.args == [text]
    assert traced(qtbot, session, qtbot.wait, 0).text == text


def test_a_long_text_is_cut_into_tokens_without_holding_the_window_up(session, qtbot):
    with qtbot.waitSignal(session.too_long_changed, timeout=WAIT_MS):
        session.request_text("a" * 12_000)
    assert session.encoding.n_characters == 12_000


def test_a_model_that_cannot_be_opened_leaves_the_last_one(session, qtbot, tmp_path):
    card, trace = session.model, session.trace
    with qtbot.waitSignal(session.failed, timeout=WAIT_MS) as heard:
        session.open_model(tmp_path / "nowhere")
    assert "nowhere" in heard.args[0].sentence
    assert (session.model, session.trace, session.activity) == (card, trace, "")


def test_of_two_folders_opened_at_once_the_second_wins(session, qtbot, tmp_path):
    other = save_tiny(tmp_path / "other", name="other", n_layers=1)
    with qtbot.waitSignal(
        session.model_changed,
        timeout=WAIT_MS,
        check_params_cb=lambda card: card.name == "other",
    ):
        session.open_model(save_tiny(tmp_path / "one", name="one"))
        session.open_model(other)
    trace = traced(qtbot, session, qtbot.wait, 0)
    assert (session.model.name, trace.config.n_layers) == ("other", 1)


def test_a_nan_is_found_where_it_begins_and_stops_sampling(
    qtbot, closed_session, tmp_path
):
    from core.checkpoints.native import save_model
    from core.config import ModelConfig
    from tests.helpers.bundles import TINY, random_model

    tokenizer = tiny_tokenizer()
    config = ModelConfig(**TINY, n_vocab=tokenizer.n_vocab)
    weights = dict(random_model(config).weights())
    weights["layers.1.ffn.W_1"].data[0, 0] = float("nan")
    save_model(tmp_path, config, weights, tokenizer, name="spoiled")
    session = closed_session
    session.open_model(tmp_path)
    session.start()
    traced(qtbot, session, session.request_text, "the cat")
    assert session.broken_from == "layers.1.ffn.hidden"
    assert "layers.1.ffn.W_1" in session.model.warnings[0]
    assert not session.can_append_pick
    with qtbot.waitSignal(session.failed) as heard:
        session.append_pick()
    assert "not a number" in heard.args[0].sentence


def test_activity_is_said_and_taken_back(session, qtbot):
    said = []
    session.activity_changed.connect(said.append)
    traced(qtbot, session, session.request_text, "the dog")
    assert said == ["thinking…", ""]


def test_large_parts_are_derived_by_the_worker_first(session, qtbot, monkeypatch):
    at_hand = set()
    monkeypatch.setattr(
        type(session.trace), "is_at_hand", lambda _, key, index: key in at_hand
    )
    trace, parts = session.trace, [("layers.0.attn.pattern", ())]
    with qtbot.waitSignal(session.scene_changed):
        assert not session.prepare(trace, parts)
    assert session.prepare(trace, parts)
    assert not session.prepare(trace, [("layers.1.attn.pattern", ())])
    at_hand.add("layers.0.attn.pattern")
    assert session.prepare(trace, parts)
    qtbot.waitUntil(lambda: not session.activity)


@pytest.mark.parametrize("when", ["opening", "tracing", "generating"])
def test_closing_in_the_middle_of_work_ends_every_thread(qtbot, qapp, folder, when):
    session = Session(pause_ms=0)
    session.open_model(folder)
    session.start()
    if when != "opening":
        qtbot.waitUntil(lambda: session.model is not None, timeout=WAIT_MS)
        traced(qtbot, session, session.request_text, "the cat sat")
    if when == "generating":
        session.generate(29)
    if when == "tracing":
        session.append_token(5)
    session.close()
    assert not session._tracing._thread.isRunning()
    assert not session._generating._thread.isRunning()


def test_another_way_of_looking_keeps_trace_and_place(session, qtbot):
    before = session.scene
    with qtbot.waitSignals([session.viewing_changed, session.scene_changed]):
        session.request_viewing(replace(PLAIN, picture="lines"))
    assert session.scene.viewing == replace(PLAIN, picture="lines")
    assert session.scene.trace is before.trace
    assert session.scene.selection == before.selection


def test_another_sentence_is_traced_beside_by_the_model_of_the_window(session, qtbot):
    with qtbot.waitSignal(session.beside_changed):
        session.request_beside("the dog")
    assert session.scene.beside.text == "the dog"
    assert session.scene.trace.text == "the cat sat"
    with qtbot.waitSignal(session.scene_changed):
        session.request_beside("")
    assert session.scene.beside is None


def test_a_sentence_beside_that_is_too_long_is_refused_in_words(session, qtbot):
    with qtbot.waitSignal(session.failed) as failed:
        session.request_beside("the cat " * 100)
    assert "shorten" in failed.args[0].sentence
    assert session.scene.beside is None
