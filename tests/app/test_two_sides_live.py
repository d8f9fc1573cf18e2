"""A model that reads one text and writes another: a session with its threads."""

import numpy as np
import pytest

from app.session import TARGET_FULL, Session
from app.workers import generating
from app.workers.tracing import Opened, card_of
from core.generation.sampling import Sampling
from core.pipeline import run_trace
from tests.helpers.bundles import (
    SOURCE_TEXT,
    TARGET_TEXT,
    encoder_decoder_bundle,
    save_tiny,
)

WAIT_MS = 20_000
GREEDY = Sampling(temperature=0)
START = encoder_decoder_bundle().config.start_id


@pytest.fixture
def live(qapp, qtbot):
    """With its threads, and the model of two sides in them."""
    bundle = encoder_decoder_bundle()
    session = Session(sampling=Sampling(seed=7), pause_ms=0)
    session._on_opened(Opened(bundle, card_of(bundle)))
    session.request_text(SOURCE_TEXT)
    session.request_target(TARGET_TEXT)
    session.start()
    qtbot.waitUntil(lambda: session.is_current, timeout=WAIT_MS)
    yield session
    session.close()


def written_on(session, qtbot, n):
    with qtbot.waitSignal(
        session.is_generating_changed, check_params_cb=lambda on: not on
    ):
        session.generate(n)
    qtbot.waitUntil(lambda: session.is_current, timeout=WAIT_MS)


def test_generating_writes_the_target_and_shows_true_traces(live, qtbot, monkeypatch):
    monkeypatch.setattr(generating, "TELL_EVERY_S", 0)
    monkeypatch.setattr(generating, "TIMES_AS_LONG", 0)
    shown = []
    live.encoding_changed.connect(
        lambda _: shown.append((live.trace, live.target.ids, live.n_unread))
    )
    n = len(live.target.ids)
    written_on(live, qtbot, 6)
    assert 1 <= len(shown) == len(live.target.ids) - n
    for trace, ids, n_unread in shown:
        assert (trace.ids, n_unread) == (ids[:-1], 1)
        fresh = run_trace(live._bundle, ids=trace.source.ids, target=trace.ids[1:])
        for key in ("encoder.layers.1.attn.pattern", "output.logits"):
            np.testing.assert_allclose(trace[key], fresh[key], atol=1e-5)
    assert live.text == SOURCE_TEXT
    assert live.n_unread == 0
    live.undo_append()
    assert live.target_text == TARGET_TEXT


def test_a_token_by_hand_is_the_one_that_generate_writes(live, qtbot):
    live.append_pick()
    by_hand = live.target.ids
    live.undo_append()
    qtbot.waitUntil(lambda: live.is_current, timeout=WAIT_MS)
    written_on(live, qtbot, 1)
    assert live.target.ids == by_hand


def test_generation_ends_where_the_target_is_full(live, qtbot):
    told = []
    live.told.connect(told.append)
    live.request_sampling(GREEDY)
    written_on(live, qtbot, 1000)
    assert len(live.target.ids) == 32
    assert live.fits
    assert told == [TARGET_FULL.format(n=32)]


def test_a_long_target_is_cut_into_tokens_without_holding_the_window_up(live, qtbot):
    with qtbot.waitSignal(live.too_long_changed, timeout=WAIT_MS):
        live.request_target("a" * 12_000)
    assert live.target.n_characters == 12_000
    assert live.target.ids[0] == START


def test_another_source_is_compared_with_the_same_target(live, qtbot):
    with qtbot.waitSignal(live.beside_changed):
        live.request_beside("the dog")
    beside = live.scene.beside
    assert (beside.source.text, beside.ids) == ("the dog", live.target.ids)
    live.append_pick()
    qtbot.waitUntil(
        lambda: (
            live.scene.beside is not None
            and live.scene.beside.ids == live.trace.ids == live.target.ids
        ),
        timeout=WAIT_MS,
    )


def test_a_moment_keeps_the_target_and_what_can_be_undone(live, qtbot, tmp_path):
    folder = save_tiny(tmp_path / "one", n_encoder_layers=2)
    live.open_model(folder)
    qtbot.waitUntil(
        lambda: live.model.folder == folder and live.is_current, timeout=WAIT_MS
    )
    live.request_target(TARGET_TEXT)
    live.append_token(33)
    qtbot.waitUntil(lambda: live.is_current, timeout=WAIT_MS)
    other = save_tiny(tmp_path / "other", n_encoder_layers=2)
    live.request_moment(other)
    qtbot.waitUntil(
        lambda: live.model.folder == other and live.is_current, timeout=WAIT_MS
    )
    assert live.target_text == f"{TARGET_TEXT}!"
    live.undo_append()
    assert live.target_text == TARGET_TEXT
