"""Weights, ids and places: each says what it is, and a broken one says whose fault."""

import math

import pytest
import torch

from core.bundle import make_bundle
from core.pipeline import run_trace
from core.trace.steps import TOKEN_OPS
from tests.helpers.bundles import (
    encoder_decoder_bundle,
    encoder_decoder_trace,
    random_model,
    tiny_bundle,
    tiny_tokenizer,
    tiny_trace,
)

MODELS = (
    {"position": "learned", "gated": True},
    {"tie_embeddings": False, "norm_place": "post", "n_kv_heads": 1},
)


@pytest.mark.parametrize("model", MODELS, ids=("learned", "untied"))
def test_every_weight_says_what_one_of_its_numbers_does(model):
    trace = tiny_trace(**model)
    for address, weight in tiny_bundle(**model).weights.items():
        last = tuple(size - 1 for size in weight.shape)
        explanation = trace.explain(address, last)
        assert explanation.note.startswith("Learned in training. ")
        assert explanation.note.count(".") >= 2
        assert explanation.recorded == pytest.approx(float(weight[last]))


def test_a_row_of_the_embedding_table_names_its_token_and_id():
    trace = tiny_trace()
    note = trace.explain("embed.W_E", (trace.ids[1], 3)).note
    assert f"“·cat” in the embedding table, id {trace.ids[1]}: its feature 4" in note
    assert "logit" in note
    untied = tiny_trace(tie_embeddings=False)
    assert "logit" not in untied.explain("embed.W_E", (1, 3)).note
    assert "“the”" in untied.explain("output.W_U", (0, trace.ids[0])).note


def test_a_row_of_w_o_belongs_to_a_head():
    note = tiny_trace().explain("layers.1.attn.W_O", (5, 3)).note
    assert "feature 2 of head 2 adds to feature 4" in note


def test_an_id_is_its_bytes_and_their_place_in_the_text():
    trace = tiny_trace("the naïve cat")
    for place, piece in enumerate(trace.encoding.pieces):
        note = trace.explain("tokens.ids", (place,)).note
        assert piece.data.hex(" ").upper() in note
        assert f"“{piece.label}”" in note
        first, last = piece.char_span[0] + 1, piece.char_span[1]
        assert str(first) in note
        assert str(last) in note


def broken_trace(address, value):
    """The tiny model with its first number of one weight damaged."""
    model = random_model(tiny_bundle().config)
    with torch.no_grad():
        dict(model.named_parameters())[address].view(-1)[0] = value
    return run_trace(make_bundle(model, tiny_tokenizer(), name="broken"), "the cat")


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_broken_weight_is_found_by_following_who_is_blamed(value):
    trace = broken_trace("layers.0.ffn.W_1", value)
    weight = trace.explain("layers.0.ffn.W_1", (0, 0))
    assert "damaged" in weight.note
    hidden = trace.explain("layers.0.ffn.hidden", (0, 0))
    assert "layers.0.ffn.W_1[0, 0] is not a finite number" in hidden.note
    assert "layers.0.ffn.active[0, 0]" in trace.explain("layers.0.ffn.out", (0, 3)).note


def test_every_number_that_is_none_is_said_in_words():
    trace = broken_trace("layers.0.ffn.W_1", math.nan)
    n_broken = 0
    for step in trace.steps:
        if step.op in TOKEN_OPS:
            continue
        explanation = trace.explain(step.key, (0,) * len(step.axes))
        if math.isnan(explanation.recorded):
            n_broken += 1
            assert explanation.note.startswith("Not a number: ")
            lines = explanation.text.splitlines()[-3:]
            assert [line.split()[1] for line in lines] == ["not", "not", "0"]
    assert n_broken > 10


# Two sides.


def test_the_start_token_is_the_models_and_other_ids_are_of_their_text():
    trace = encoder_decoder_trace()
    start = trace.explain("decoder.tokens.ids", (0,)).note
    assert "The model puts it there" in start
    assert "Nobody typed it" in start
    assert "of the target" in trace.explain("decoder.tokens.ids", (1,)).note
    assert "of the source" in trace.explain("encoder.tokens.ids", (1,)).note
    assert "Token 3 of the source" in trace.explain("encoder.positions", (2,)).note


def test_an_encoder_and_cross_attention_hide_padding_alone():
    trace = run_trace(
        encoder_decoder_bundle(), ids=[97, 98, 99], target="a", attention_mask=[1, 1, 0]
    )
    hidden = "the key is padding"
    assert hidden in trace.explain("encoder.mask", (0, 2)).note
    assert hidden in trace.explain("decoder.cross_mask", (0, 2)).note
    for path in ("encoder.layers.0.attn", "decoder.layers.0.cross"):
        assert hidden in trace.explain(f"{path}.masked", (0, 0, 2)).note
        assert hidden in trace.explain(f"{path}.pattern", (0, 0, 2)).note
    ahead = trace.explain("decoder.layers.0.attn.masked", (0, 0, 1)).note
    assert "comes after the query" in ahead


def test_a_shift_says_for_which_distance_it_is():
    trace = encoder_decoder_trace("T5")
    note = trace.explain("decoder.embed.W_B", (2, 1)).note
    assert "head 2's scores where the key is 2 tokens before the query" in note
    assert "2 to 4 tokens behind" in trace.explain("encoder.embed.W_B", (6, 0)).note
