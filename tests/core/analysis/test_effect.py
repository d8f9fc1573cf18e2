"""What attention moves: lengths that agree with the rows themselves."""

import numpy as np
import pytest

from core.analysis.attribution import head_logits, head_row, key_parts
from core.analysis.effect import (
    output_lengths,
    output_weights,
    reach,
    summed_pattern,
    weighted_pattern,
)
from tests.helpers.bundles import encoder_decoder_trace, tiny_trace

TEXT = "the cat sat on the mat"
MODELS = {
    "gpt": ({}, "layers.1.attn"),
    "grouped": (
        {"position": "rotary", "n_heads": 4, "n_kv_heads": 2, "norm": "rms_norm"},
        "layers.1.attn",
    ),
    "post": (
        {"norm_place": "post", "bias": False, "tie_embeddings": False},
        "layers.1.attn",
    ),
    "unmixed": ({"mix_heads": False}, "layers.1.attn"),
    "decoder": ("2017", "decoder.layers.1.attn"),
    "cross": ("2017", "decoder.layers.1.cross"),
    "cross of T5": ("T5", "decoder.layers.0.cross"),
}


@pytest.fixture(params=MODELS.values(), ids=MODELS)
def model(request):
    return request.param


@pytest.fixture
def trace(model):
    of = model[0]
    return encoder_decoder_trace(of) if isinstance(of, str) else tiny_trace(TEXT, **of)


@pytest.fixture
def attn(model):
    return model[1]


def moved_rows(trace, attn, head):
    """Value rows after W_O: [n_key, d_model]."""
    values = trace[f"{attn}.v"][head // trace.config.n_queries_per_key]
    return values @ output_weights(trace, attn, head)


def heads_of(trace):
    return range(trace.config.n_heads)


def test_the_reach_is_the_length_of_the_value_row_behind_w_o(trace, attn):
    for head in heads_of(trace):
        expected = np.linalg.norm(moved_rows(trace, attn, head), axis=1)
        np.testing.assert_allclose(reach(trace, attn, head), expected, rtol=1e-5)


def test_shares_times_moved_rows_add_up_to_the_heads_output(trace, attn):
    for head in heads_of(trace):
        for query in range(trace.n):
            shares = trace.part(f"{attn}.pattern", (head, query))
            total = shares @ moved_rows(trace, attn, head)
            expected = head_row(trace, attn, head, query)
            np.testing.assert_allclose(total, expected, atol=1e-5)


def test_the_heads_outputs_and_the_bias_add_up_to_what_attention_adds(trace, attn):
    total = sum(head_row(trace, attn, head, 3) for head in heads_of(trace))
    if f"{attn}.b_O" in trace.step(f"{attn}.out").inputs:
        total = total + trace.part(f"{attn}.b_O")
    np.testing.assert_allclose(total, trace[f"{attn}.out"][3], atol=1e-5)


def test_the_length_of_each_output_is_that_of_its_row(trace, attn):
    for head in heads_of(trace):
        rows = [head_row(trace, attn, head, query) for query in range(trace.n)]
        lengths = output_lengths(trace, attn, head)
        np.testing.assert_allclose(lengths, np.linalg.norm(rows, axis=1), rtol=1e-4)


def test_an_output_is_never_longer_than_its_parts_together(trace, attn):
    for head in heads_of(trace):
        parts = weighted_pattern(trace, attn, head).sum(axis=1)
        assert (output_lengths(trace, attn, head) <= parts * (1 + 1e-5)).all()


def test_all_heads_together_are_the_sum_of_each(trace, attn):
    each = sum(weighted_pattern(trace, attn, head) for head in heads_of(trace))
    np.testing.assert_allclose(summed_pattern(trace, attn), each, rtol=1e-5)


def test_what_keys_add_to_a_logit_is_what_the_head_adds(trace, attn):
    token = trace.config.n_vocab // 2
    logits = head_logits(trace, attn, 1, 4)
    parts = key_parts(trace, attn, 1, 4, token)
    assert parts.sum() == pytest.approx(float(logits[token]), abs=1e-4)
    assert len(parts) == trace.keys_of(f"{attn}.v").n
