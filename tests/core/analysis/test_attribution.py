"""A logit is the sum of what the parts of the model added to it, in every model."""

import itertools

import numpy as np
import pytest

from core.analysis.attribution import (
    head_logits,
    head_row,
    key_parts,
    logit_parts,
    norms_behind,
)
from core.errors import MissingWeightError, TraceError
from core.pipeline import run_trace
from core.trace.edits import Edit
from tests.helpers.bundles import (
    SOURCE_TEXT,
    TARGET_TEXT,
    TWO_SIDES,
    encoder_decoder_bundle,
    encoder_decoder_trace,
    tiny_trace,
)
from tests.helpers.traces import traced_ids

MODELS = [
    {
        "norm": norm,
        "norm_place": place,
        "tie_embeddings": tied,
        "bias": norm == "layer_norm",
        "position": position,
        "n_kv_heads": 1 if position == "rotary" else 2,
        "scale_embeddings": tied,
        "eps": 1e-5 if tied else 0.5,
    }
    for norm, place, tied, position in itertools.product(
        ("layer_norm", "rms_norm"),
        ("pre", "post"),
        (True, False),
        ("sinusoidal", "learned", "rotary", "none"),
    )
]


def total(trace, position, token_id):
    return sum(part.value for part in logit_parts(trace, position, token_id))


@pytest.mark.parametrize("model", MODELS, ids=lambda m: "-".join(map(str, m.values())))
def test_the_parts_add_up_to_the_logit(model):
    trace = tiny_trace(**model)
    for position, token_id in ((0, 5), (trace.n - 1, 260)):
        logit = trace.value("output.logits", (position, token_id))
        assert total(trace, position, token_id) == pytest.approx(
            logit, rel=1e-4, abs=1e-4
        )


@pytest.mark.parametrize("model", MODELS, ids=lambda m: "-".join(map(str, m.values())))
def test_a_heads_logits_are_its_part_of_each_logit_and_the_keys_share_it(model):
    trace = tiny_trace(**model)
    position = trace.n - 1
    for layer, head in itertools.product(range(2), range(2)):
        logits = head_logits(trace, f"layers.{layer}.attn", head, position)
        assert logits.shape == (trace.config.n_vocab,)
        assert logits.dtype == np.float32
        for token_id in (7, 200):
            part = next(
                part.value
                for part in logit_parts(trace, position, token_id)
                if (part.layer, part.head) == (layer, head)
            )
            assert logits[token_id] == pytest.approx(part, rel=1e-4, abs=1e-5)
            keys = key_parts(trace, f"layers.{layer}.attn", head, position, token_id)
            assert keys.shape == (trace.n,)
            assert keys.sum() == pytest.approx(part, rel=1e-4, abs=1e-5)


def test_a_token_that_may_not_be_looked_at_adds_nothing():
    keys = key_parts(tiny_trace(), "layers.1.attn", 0, 0, 9)
    assert keys[0] != 0
    assert not keys[1:].any()


def test_the_heads_rows_and_the_bias_are_what_attention_added():
    trace = tiny_trace()
    rows = sum(head_row(trace, "layers.1.attn", head, 2) for head in range(2))
    bias = trace.part("layers.1.attn.b_O")
    expected = trace.part("layers.1.attn.out", (2,))
    np.testing.assert_allclose(rows + bias, expected, rtol=1e-5, atol=1e-6)


def test_the_parts_stand_in_order_of_computation_and_say_whose_they_are():
    names = [part.name for part in logit_parts(tiny_trace(n_layers=1), 0, 3)]
    assert names == [
        "token embedding",
        "position",
        "layer 1 head 1",
        "layer 1 head 2",
        "layer 1 attention bias",
        "layer 1 feed-forward",
        "final norm shift",
    ]


def test_before_the_final_norm_a_part_passes_only_that_and_after_2017_every_later_one():
    pre, post = tiny_trace(), tiny_trace(norm_place="post")
    key = "layers.0.attn.out"
    assert [norm.step.key for norm in norms_behind(pre, key, 0)] == ["output.norm"]
    assert [norm.step.key for norm in norms_behind(post, key, 0)] == [
        "layers.0.attn.norm",
        "layers.0.ffn.norm",
        "layers.1.attn.norm",
        "layers.1.ffn.norm",
    ]


@pytest.mark.parametrize("place", ["pre", "post"])
@pytest.mark.parametrize(
    "key",
    [
        "embed.token",
        "embed.sum",
        "layers.0.attn.heads",
        "layers.0.attn.out",
        "layers.0.resid_mid",
        "layers.0.attn.norm",
        "layers.1.ffn.out",
        "layers.1.resid_in",
        "layers.1.resid_out",
        "output.logits",
    ],
)
def test_with_an_edit_the_parts_still_add_up(key, place):
    config = tiny_trace(norm_place=place).config
    edits = [Edit(key, (), 0.7, "add")]
    trace = traced_ids(config, [65, 66, 67], edits=edits)
    for position in range(3):
        logit = trace.value("output.logits", (position, 12))
        assert total(trace, position, 12) == pytest.approx(logit, rel=1e-4, abs=1e-4)


def test_a_part_is_what_the_logit_loses_without_it_while_the_divisor_stays():
    """Against the definition: take the part out of the row before the final norm."""
    trace = tiny_trace()
    position, token_id = 2, 40
    row = trace.part("layers.1.resid_out", (position,)).astype(np.float64)
    out = trace.part("layers.1.ffn.out", (position,)).astype(np.float64)
    gamma = trace.part("output.norm.gamma").astype(np.float64)
    unembedding = trace.part("embed.W_E", (token_id,)).astype(np.float64)
    root = np.sqrt(row.var() + trace.config.eps)

    def logit(x):
        return ((x - x.mean()) / root * gamma) @ unembedding

    part = next(
        part
        for part in logit_parts(trace, position, token_id)
        if part.key == "layers.1.ffn.out"
    )
    assert part.value == pytest.approx(logit(row) - logit(row - out))


def test_one_token_one_head_and_one_layer_have_parts_too():
    trace = tiny_trace("t", n_layers=1, n_heads=1)
    assert trace.n == 1
    logit = trace.value("output.logits", (0, 3))
    assert total(trace, 0, 3) == pytest.approx(logit, rel=1e-4)
    assert key_parts(trace, "layers.0.attn", 0, 0, 3).shape == (1,)


def test_a_token_outside_the_vocabulary_is_refused():
    with pytest.raises(TraceError):
        logit_parts(tiny_trace(), 0, 10**6)


ALONE = {
    "unmixed": {"mix_heads": False},
    "unmixed, one head": {"mix_heads": False, "n_heads": 1, "norm_place": "post"},
    "replaced": {"residual": False, "norm": "none"},
    "replaced, normed": {"residual": False, "norm_place": "post"},
    "output bias": {"output_bias": True, "scale_output": True},
    "own table": {"output_bias": True, "tie_embeddings": False},
    "normed embeddings": {"norm_embeddings": True},
    "the smallest": {
        "residual": False,
        "mix_heads": False,
        "norm": "none",
        "feed_forward": False,
        "n_heads": 1,
    },
}


@pytest.mark.parametrize("n_layers", [1, 2])
@pytest.mark.parametrize("model", ALONE.values(), ids=ALONE)
def test_what_a_model_leaves_out_or_adds_is_in_the_sum(model, n_layers):
    trace = tiny_trace(**model, n_layers=n_layers)
    for position, token_id in ((0, 5), (trace.n - 1, 260)):
        logit = trace.value("output.logits", (position, token_id))
        assert total(trace, position, token_id) == pytest.approx(
            logit, rel=1e-4, abs=1e-4
        )


@pytest.mark.parametrize("kind", TWO_SIDES)
def test_behind_an_encoder_cross_attention_is_part_of_the_sum(kind):
    trace = encoder_decoder_trace(kind)
    for position, token_id in itertools.product(range(trace.n), (0, 5, 260)):
        parts = logit_parts(trace, position, token_id)
        logit = trace.value("output.logits", (position, token_id))
        assert sum(p.value for p in parts) == pytest.approx(logit, rel=1e-4, abs=1e-4)
    names = [part.name for part in parts]
    assert names.index("layer 1 head 2") < names.index("cross layer 1 head 1")
    assert names.index("cross layer 1 head 2") < names.index("layer 1 feed-forward")
    assert not any(part.key.startswith("encoder.") for part in parts)
    assert ("the token's own bias" in names) == trace.config.output_bias


@pytest.mark.parametrize("kind", TWO_SIDES)
@pytest.mark.parametrize("part_of_layer", ["attn", "cross"])
def test_the_keys_of_each_attention_share_out_what_its_heads_add(kind, part_of_layer):
    trace = encoder_decoder_trace(kind)
    position = trace.n - 1
    for layer, head in itertools.product(range(2), range(2)):
        attn = f"decoder.layers.{layer}.{part_of_layer}"
        part = next(
            part.value
            for part in logit_parts(trace, position, 99)
            if (part.key, part.head) == (f"{attn}.heads", head)
        )
        keys = key_parts(trace, attn, head, position, 99)
        assert keys.shape == (trace.keys_of(f"{attn}.v").n,)
        assert keys.sum() == pytest.approx(part, rel=1e-4, abs=1e-5)
        logits = head_logits(trace, attn, head, position)
        assert logits[99] == pytest.approx(part, rel=1e-4, abs=1e-5)


def test_nothing_of_the_encoder_adds_to_a_logit_by_itself():
    trace = encoder_decoder_trace()
    with pytest.raises(MissingWeightError, match="takes from its last rows by cross"):
        key_parts(trace, "encoder.layers.0.attn", 0, 0, 5)
    with pytest.raises(MissingWeightError, match="encoder"):
        head_logits(trace, "encoder.layers.1.attn", 0, 0)


def test_without_a_residual_stream_only_the_last_layer_reaches_a_logit():
    trace = tiny_trace(**ALONE["the smallest"], n_layers=2)
    parts = logit_parts(trace, 1, 5)
    assert [part.name for part in parts] == ["layer 2 head 1"]
    with pytest.raises(MissingWeightError, match="only the last layer"):
        key_parts(trace, "layers.0.attn", 0, 1, 5)


EDITED = (
    "decoder.embed.sum",
    "decoder.layers.0.attn.heads",
    "decoder.layers.0.cross.out",
    "decoder.layers.0.resid_cross",
    "decoder.layers.0.cross.norm",
    "decoder.layers.1.cross.heads",
    "encoder.layers.0.resid_mid",
    "output.logits",
)


@pytest.mark.parametrize("key", EDITED)
@pytest.mark.parametrize("kind", ["2017", "T5"])
def test_with_an_edit_the_parts_of_a_decoder_still_add_up(kind, key):
    bundle, edits = encoder_decoder_bundle(kind), [Edit(key, (), 0.7, "add")]
    if key not in encoder_decoder_trace(kind).keys:
        key = "decoder.embed.token"
        edits = [Edit(key, (), 0.7, "add")]
    trace = run_trace(bundle, SOURCE_TEXT, target=TARGET_TEXT, edits=edits)
    for position in range(trace.n):
        logit = trace.value("output.logits", (position, 12))
        assert total(trace, position, 12) == pytest.approx(logit, rel=1e-4, abs=1e-4)
