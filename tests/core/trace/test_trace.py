"""A trace: its laws, its parts, its edits, its refusals."""

import gc
import weakref

import numpy as np
import pytest
import torch

from core.config import ModelConfig
from core.errors import TokenizerError, TraceError
from core.trace.cache import PartCache
from core.trace.edits import Edit
from core.trace.steps import kept_keys
from core.trace.trace import Trace
from tests.helpers.traces import traced_ids

CONFIG = ModelConfig(n_vocab=16, n_ctx=8, d_model=16, n_layers=2, n_heads=4)
IDS = (3, 1, 4, 1, 5)


@pytest.fixture
def trace() -> Trace:
    return traced_ids(CONFIG, IDS)


def test_pattern_rows_sum_to_one_and_nothing_is_above_the_diagonal(trace):
    pattern = trace["layers.1.attn.pattern"]
    np.testing.assert_allclose(pattern.sum(-1), 1, atol=1e-6)
    assert not np.triu(pattern, 1).any()
    assert (pattern[:, 0, 0] == 1).all()


def test_what_was_added_to_the_stream_is_the_parts_output(trace):
    for i in range(CONFIG.n_layers):
        layer = trace.layers[i]
        added = layer.resid_mid - layer.resid_in
        np.testing.assert_allclose(added, layer.attn.out, atol=1e-5)
        added = layer.resid_out - layer.resid_mid
        np.testing.assert_allclose(added, layer.ffn.out, atol=1e-5)


def test_concat_is_the_heads_side_by_side(trace):
    heads = trace["layers.0.attn.heads"]
    assert np.array_equal(trace["layers.0.attn.concat"], np.concatenate(heads, axis=1))


def test_a_key_is_an_attribute_path(trace):
    assert trace["layers.1.attn.q"] is trace.layers[1].attn.q
    assert trace["embed.sum"] is trace.embed.sum
    assert "pattern" in dir(trace.layers[0].attn)
    with pytest.raises(AttributeError, match=r"layers\.0\.attn\.gate"):
        _ = trace.layers[0].attn.gate


def test_the_stream_is_kept_once_under_both_its_names(trace):
    out, following = trace["layers.0.resid_out"], trace["layers.1.resid_in"]
    assert np.shares_memory(out, following)


def test_only_what_the_rest_follows_from_is_kept(trace):
    kept = {key for key in trace.keys if trace.is_kept(key)}
    assert kept == kept_keys(CONFIG) | {"tokens.ids", "layers.0.resid_out"}


def test_a_part_equals_that_part_of_the_whole(trace):
    whole = trace["layers.1.attn.pattern"]
    fresh = traced_ids(CONFIG, IDS)
    part = fresh.part("layers.1.attn.pattern", (2, 3))
    np.testing.assert_allclose(part, whole[2, 3], atol=1e-7)
    assert fresh.value("output.logits", (4, 7)) == pytest.approx(
        float(trace["output.logits"][4, 7]), abs=1e-5
    )


def test_arrays_cannot_be_written_to(trace):
    for key in ("embed.sum", "layers.0.attn.pattern"):
        with pytest.raises(ValueError, match="read-only"):
            trace[key][0] = 1


def test_the_last_row_of_logits_costs_one_row(trace):
    assert trace.is_at_hand("output.logits", (4,))


@pytest.mark.parametrize(
    ("address", "index"),
    [
        ("layers.9.attn.q", ()),
        ("layers.0.attn.q", (4, 0, 0)),
        ("layers.0.attn.q", (0, -1)),
        ("layers.0.attn.q", (0, 0, 0, 0)),
        ("layers.0.attn.W_X", (0,)),
    ],
)
def test_a_place_that_does_not_exist_is_refused(trace, address, index):
    with pytest.raises(TraceError):
        trace.part(address, index)


def test_a_cache_stays_within_its_bytes():
    cache = PartCache(n_bytes=3000)
    for place in range(10):
        cache.put(("a", (place,)), torch.zeros(250))
    held = [place for place in range(10) if cache.get(("a", (place,)))]
    assert held == [7, 8, 9]


def test_a_dropped_trace_gives_its_memory_back():
    trace = traced_ids(CONFIG, IDS)
    assert trace.layers[0].attn.pattern.any()
    watcher = weakref.ref(trace)
    del trace
    gc.collect()
    assert watcher() is None


def test_a_silenced_head_adds_nothing_and_changes_what_follows(trace):
    edited = traced_ids(CONFIG, IDS, edits=[Edit("layers.0.attn.heads", (2,), 0.0)])
    heads = edited["layers.0.attn.heads"]
    assert not heads[2].any()
    assert np.array_equal(heads[1], trace["layers.0.attn.heads"][1])
    assert not np.allclose(edited["output.logits"], trace["output.logits"])
    assert trace["layers.0.attn.heads"][2].any()


def test_an_edited_score_takes_the_explicit_road(trace):
    edit = Edit("layers.1.attn.scaled", (0, 4, 1), 50.0)
    edited = traced_ids(CONFIG, IDS, edits=[edit])
    row = edited["layers.1.attn.pattern"][0, 4]
    assert row[1] == pytest.approx(1, abs=1e-6)
    np.testing.assert_allclose(
        edited["layers.1.attn.heads"][0, 4], edited["layers.1.attn.v"][0, 1], atol=1e-5
    )
    np.testing.assert_allclose(
        edited["layers.1.attn.pattern"][1],
        trace["layers.1.attn.pattern"][1],
        atol=1e-6,
    )


def test_edits_that_change_nothing_leave_every_logit(trace):
    edit = Edit("layers.1.attn.pattern", (), 1.0, "scale")
    edited = traced_ids(CONFIG, IDS, edits=[edit])
    np.testing.assert_allclose(
        edited["output.logits"], trace["output.logits"], atol=2e-5
    )


def test_an_edited_number_says_so():
    edited = traced_ids(CONFIG, IDS, edits=[Edit("layers.0.attn.heads", (2,), 0.0)])
    explanation = edited.explain("layers.0.attn.heads", (2, 1, 1))
    assert explanation.recorded == 0
    assert "edit" in explanation.note
    assert explanation.difference != 0


@pytest.mark.parametrize(
    "edit",
    [
        Edit("layers.7.attn.heads", (0,), 0.0),
        Edit("tokens.merges", (), 0.0),
        Edit("layers.0.attn.heads", (9,), 0.0),
        Edit("layers.0.attn.heads", (0, 0, 0, 0), 0.0),
    ],
)
def test_an_edit_that_points_nowhere_is_refused(edit):
    with pytest.raises(TraceError):
        traced_ids(CONFIG, IDS, edits=[edit])


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        ((), "type something"),
        (tuple(range(9)), "9 tokens, 1 more than the 8"),
        ((3, 16), "id 16 has no row in the model's table of 16"),
    ],
)
def test_a_sentence_the_model_cannot_read_is_refused(ids, message):
    with pytest.raises(TraceError, match=message):
        traced_ids(CONFIG, ids)


def test_an_id_that_no_token_has_is_refused():
    with pytest.raises(TokenizerError, match="id -1"):
        traced_ids(CONFIG, (-1,))


def test_a_row_is_no_number_to_explain(trace):
    with pytest.raises(TraceError, match="not one place"):
        trace.explain("layers.0.attn.q", (1, 2))


def test_weights_are_explained_as_learned(trace):
    explanation = trace.explain("layers.0.attn.W_Q", (3, 1, 2))
    assert explanation.operands == []
    assert explanation.note.startswith("Learned in training.")
