"""The rows of the cached passes make the trace that a fresh pass would."""

from itertools import islice

import numpy as np
import pytest
import torch

from core.bundle import make_bundle
from core.config import ModelConfig
from core.errors import TraceError
from core.generation.generate import generate
from core.generation.recorded import Recording
from core.generation.sampling import Sampling
from core.model.transformer import Transformer
from core.pipeline import run_trace
from tests.helpers.grid import thin_grid
from tests.helpers.traces import LETTERS, random_model

PROMPT = (5, 6, 7)
N_CTX = 8
CONFIG = ModelConfig(
    n_vocab=97, n_ctx=N_CTX, d_model=12, n_layers=2, n_heads=3, position="learned"
)


def written(config, n_new):
    """A bundle, its recording of `n_new` tokens, and all ids."""
    bundle = make_bundle(random_model(config, 0), LETTERS, name="random")
    recording = Recording(config, len(PROMPT) + n_new)
    ids = list(PROMPT)
    for new in generate(bundle.model, PROMPT, Sampling(), n_new, watch=recording):
        ids.append(new.token_id)
    return bundle, recording, ids


def assert_equal_traces(ours, fresh):
    assert ours.keys == fresh.keys
    assert ours.ids == fresh.ids
    for key in ours.keys:
        assert ours.is_kept(key) == fresh.is_kept(key)
        if ours.step(key).axes:
            np.testing.assert_allclose(ours[key], fresh[key], atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("config", thin_grid())
def test_recorded_rows_are_the_trace_of_the_same_tokens(config):
    bundle, recording, ids = written(config, N_CTX - len(PROMPT))
    read = ids[:-1]
    ours = recording.trace(bundle, LETTERS.encoding_of(read))
    assert_equal_traces(ours, run_trace(bundle, ids=read))
    for layer in range(config.n_layers):
        rows = ours[f"layers.{layer}.attn.pattern"].sum(axis=-1)
        np.testing.assert_allclose(rows, 1, atol=1e-5)


def test_the_newest_token_is_not_in_the_trace():
    bundle, recording, ids = written(CONFIG, 3)
    assert recording.n == len(ids) - 1
    with pytest.raises(TraceError, match="5 tokens were read and 6 are named"):
        recording.trace(bundle, LETTERS.encoding_of(ids))


def test_traces_on_the_way_stay_as_they_were_and_share_their_rows():
    bundle = make_bundle(random_model(CONFIG, 0), LETTERS, name="random")
    recording = Recording(CONFIG, N_CTX)
    ids, traces = list(PROMPT), []
    for new in generate(bundle.model, PROMPT, Sampling(), 5, watch=recording):
        traces.append(recording.trace(bundle, LETTERS.encoding_of(ids)))
        ids.append(new.token_id)
    for trace in traces:
        assert_equal_traces(trace, run_trace(bundle, ids=trace.ids))
    first, last = (trace["layers.1.attn.k"] for trace in (traces[0], traces[-1]))
    assert np.shares_memory(first, last)
    assert not last.flags.writeable


def test_where_the_window_slides_the_trace_is_of_what_is_still_read():
    bundle = make_bundle(random_model(CONFIG, 0), LETTERS, name="random")
    recording = Recording(CONFIG, 100)
    ids, before = list(PROMPT), None
    for new in islice(generate(bundle.model, ids, Sampling(), 9, watch=recording), 9):
        if recording.n == N_CTX and before is None:
            before = recording.trace(bundle, LETTERS.encoding_of(ids))
        ids.append(new.token_id)
    read = ids[:-1][-N_CTX:]
    ours = recording.trace(bundle, LETTERS.encoding_of(read))
    assert_equal_traces(ours, run_trace(bundle, ids=read))
    assert_equal_traces(before, run_trace(bundle, ids=before.ids))


def test_a_damaged_weight_is_recorded_as_a_trace_would_record_it():
    torch.manual_seed(0)
    model = Transformer(CONFIG)
    with torch.no_grad():
        model.weights()["layers.1.attn.W_Q"][0, 1, 0] = float("nan")
    bundle = make_bundle(model, LETTERS, name="damaged")
    recording = Recording(CONFIG, N_CTX)
    with pytest.raises(TraceError):
        list(generate(model, PROMPT, Sampling(), 3, watch=recording))
    ours = recording.trace(bundle, LETTERS.encoding_of(PROMPT))
    fresh = run_trace(bundle, ids=PROMPT)
    assert np.isnan(ours["layers.1.attn.heads"][1]).all()
    np.testing.assert_allclose(
        ours["layers.1.attn.heads"], fresh["layers.1.attn.heads"], atol=1e-6
    )
