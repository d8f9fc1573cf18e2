"""T5, mT5, BART and Marian as `transformers` computes them, both sides of each."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
import torch
from transformers import PreTrainedModel
from transformers.models.marian.modeling_marian import (
    MarianSinusoidalPositionalEmbedding,
)
from transformers.models.t5.modeling_t5 import T5Attention

from core.analysis.self_check import self_check
from core.bundle import Bundle, open_bundle
from core.checkpoints.families import FAMILIES
from core.generation.generate import generate
from core.generation.sampling import Sampling
from core.model.functions import sinusoid_halves
from core.model.relative import bucket_of
from core.pipeline import run_trace
from core.trace.trace import Trace
from tests.helpers.two_sides import TWO_SIDED, save_pair, tiny_pair

SOURCE = (5, 6, 7, 8, 260, 2, 5, 5, 101, 32)
WRITTEN = (80, 81, 9, 5)
N_NEW = 20
TOLERANCE = 1e-5
PADDED = {
    "alone": (SOURCE, (1,) * 10),
    "left": ((39, 39, 39, *SOURCE), (0,) * 3 + (1,) * 10),
    "right": ((*SOURCE, 39, 39), (1,) * 10 + (0,) * 2),
}
each_model = pytest.mark.parametrize("name", TWO_SIDED)
each_padding = pytest.mark.parametrize("where", PADDED)
VARIANTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("t5", {"feed_forward_proj": "gated-gelu"}),
    ("t5", {"feed_forward_proj": "gated-silu"}),
    ("t5", {"feed_forward_proj": "gelu"}),
    ("t5", {"layer_norm_epsilon": 0.1, "num_decoder_layers": None}),
    ("t5", {"relative_attention_num_buckets": 16, "d_kv": 2, "num_heads": 7}),
    ("flan", {"num_layers": 1, "feed_forward_proj": "gated-relu"}),
    ("bart", {"activation_function": "relu", "scale_embedding": True}),
    ("bart", {"decoder_layers": 4, "encoder_layers": 1}),
    ("bart", {"tie_word_embeddings": False}),
    ("marian", {"activation_function": "gelu", "scale_embedding": False}),
    ("marian", {"encoder_attention_heads": 6, "decoder_attention_heads": 6}),
)
NAMES = [f"{name} {fields}" for name, fields in VARIANTS]


@cache
def theirs(name: str) -> PreTrainedModel:
    return tiny_pair(name)


@cache
def ours(name: str) -> Bundle:
    with TemporaryDirectory() as folder:
        return open_bundle(save_pair(Path(folder), name), device="cpu")


def answered(model: PreTrainedModel, trace: Trace, mask: tuple[int, ...]) -> Any:
    with torch.inference_mode():
        return model(
            torch.tensor([trace.source.ids]),
            attention_mask=torch.tensor([mask]),
            decoder_input_ids=torch.tensor([trace.ids]),
            output_hidden_states=True,
            output_attentions=True,
        )


def close(found: Any, expected: torch.Tensor) -> None:
    scale = max(1.0, float(expected.abs().max()))
    np.testing.assert_allclose(found, expected.numpy(), atol=TOLERANCE * scale)


def streams_of(trace: Trace, side: str, n_layers: int) -> list[np.ndarray]:
    """What they call hidden states: between the layers, and behind the last norm."""
    streams = [trace[f"{side}.layers.{i}.resid_in"] for i in range(n_layers)]
    last = {"encoder": "encoder.output.norm", "decoder": "output.norm"}[side]
    if last not in trace.keys:
        last = f"{side}.layers.{n_layers - 1}.ffn.norm"
    return [*streams, trace[last]]


def compare(trace: Trace, answer: Any, mask: tuple[int, ...]) -> None:
    """Every hidden state, every pattern of the three kinds, and the logits."""
    config, places = trace.config, np.flatnonzero(mask)
    encoder = streams_of(trace, "encoder", config.n_encoder_layers)
    for stream, hidden in zip(encoder, answer.encoder_hidden_states, strict=True):
        close(stream[places], hidden[0, places])
    decoder = streams_of(trace, "decoder", config.n_layers)
    for stream, hidden in zip(decoder, answer.decoder_hidden_states, strict=True):
        close(stream, hidden[0])
    assert len(answer.encoder_attentions) == config.n_encoder_layers
    for i, pattern in enumerate(answer.encoder_attentions):
        found = trace[f"encoder.layers.{i}.attn.pattern"]
        close(found[:, places], pattern[0][:, places])
    assert len(answer.decoder_attentions) == config.n_layers
    pairs = zip(answer.decoder_attentions, answer.cross_attentions, strict=True)
    for i, (own, cross) in enumerate(pairs):
        close(trace[f"decoder.layers.{i}.attn.pattern"], own[0])
        close(trace[f"decoder.layers.{i}.cross.pattern"], cross[0])
    assert answer.logits.std() > 0.1
    close(trace["output.logits"], answer.logits[0])


@each_padding
@each_model
def test_streams_patterns_and_logits_are_those_of_transformers(name, where):
    ids, mask = PADDED[where]
    trace = run_trace(ours(name), ids=ids, target=WRITTEN, attention_mask=mask)
    compare(trace, answered(theirs(name), trace, mask), mask)


@pytest.mark.parametrize(("name", "fields"), VARIANTS, ids=NAMES)
def test_every_field_changes_the_numbers_as_it_does_there(tmp_path, name, fields):
    bundle = open_bundle(save_pair(tmp_path, name, **fields), device="cpu")
    trace = run_trace(bundle, ids=SOURCE, target=WRITTEN)
    ones = (1,) * len(SOURCE)
    compare(trace, answered(tiny_pair(name, **fields), trace, ones), ones)


@each_model
def test_a_text_longer_than_every_distance_is_read_alike(name):
    source, written = tuple(range(40)), tuple(range(40, 70))
    trace = run_trace(ours(name), ids=source, target=written)
    compare(trace, answered(theirs(name), trace, (1,) * 40), (1,) * 40)


@each_model
def test_rows_of_a_batch_are_the_sources_alone(name):
    bundle, start = ours(name), ours(name).config.start_id
    sources = torch.tensor([SOURCE, (*SOURCE[:7], 39, 39, 39)])
    mask = torch.tensor([[1] * 10, [1] * 7 + [0] * 3])
    written = torch.tensor([[start, *WRITTEN], [start, 9, 8, 7, 6]])
    with torch.inference_mode():
        both = bundle.model(written, source=sources, source_is_token=mask.bool())
        expected = theirs(name)(
            sources, attention_mask=mask, decoder_input_ids=written
        ).logits
    close(both.numpy(), expected)
    for row, source, n in zip(both, sources, (10, 7), strict=True):
        ids = written[0 if n == 10 else 1, 1:].tolist()
        alone = run_trace(bundle, ids=source[:n].tolist(), target=ids)
        close(alone["output.logits"], row)


@each_model
def test_greedy_text_goes_on_as_theirs(name):
    bundle, model = ours(name), theirs(name)
    settings = model.generation_config
    settings.eos_token_id = settings.forced_eos_token_id = None
    expected = model.generate(  # with a cache theirs counts the encoder's layers
        torch.tensor([SOURCE]), max_new_tokens=N_NEW, do_sample=False, use_cache=False
    )
    start, greedy = (bundle.config.start_id,), Sampling(temperature=0)
    found = generate(bundle.model, start, greedy, N_NEW, source=SOURCE)
    assert [start[0], *(t.token_id for t in found)] == expected[0].tolist()


@each_model
def test_every_number_of_the_file_is_in_the_model(name):
    n_theirs = sum(weight.numel() for weight in theirs(name).parameters())
    if name == "marian":  # counts its waves
        n_theirs -= 2 * 40 * 12
    shift = 0 if ours(name).config.output_bias is False else ours(name).config.n_vocab
    n_ours = sum(weight.numel() for weight in ours(name).weights.values())
    assert n_ours == n_theirs + shift


@each_model
def test_every_step_is_what_its_inputs_give(name):
    ids, mask = PADDED["left"]
    trace = run_trace(ours(name), ids=ids, target=WRITTEN, attention_mask=mask)
    for key in trace.keys:
        if trace.is_kept(key) and not key.endswith("tokens.ids"):
            np.testing.assert_allclose(trace[key], trace.recomputed(key), atol=2e-5)


@each_model
def test_it_agrees_with_itself(name):
    check = self_check(ours(name))
    assert len(check.rows) == 3
    assert not check.warning


def test_the_table_of_families_has_those_that_are_tried_here():
    kinds = {configure.model_type for _, configure, _ in TWO_SIDED.values()}
    with_encoder = {row.model_type for row in FAMILIES if row.encoder_layers}
    assert kinds == with_encoder


# By value, since logits of a small model would not tell.


@pytest.mark.parametrize(("n_buckets", "farthest"), [(32, 128), (8, 12), (20, 77)])
@pytest.mark.parametrize("is_both", [True, False])
def test_buckets_of_all_distances_are_those_of_t5(n_buckets, farthest, is_both):
    distances = torch.arange(-200, 201)
    expected = T5Attention._relative_position_bucket(
        distances, is_both, n_buckets, farthest
    )
    found = bucket_of(distances, n_buckets, farthest, is_both=is_both)
    assert torch.equal(found, expected)
    assert found.max() < n_buckets
    assert len(set(found.tolist())) == n_buckets - is_both


@pytest.mark.thorough
@pytest.mark.parametrize("width", [12, 13, 512])
def test_sines_stand_before_cosines_as_in_marian(width):
    table = MarianSinusoidalPositionalEmbedding(600, width).create_weight()
    found = sinusoid_halves(torch.arange(600), width, 10000.0)
    torch.testing.assert_close(found, table, rtol=0, atol=1e-6)


def test_the_shift_by_distance_is_the_first_layer_s_for_all_layers():
    trace = run_trace(ours("t5"), ids=SOURCE, target=WRITTEN)
    table = theirs("t5").decoder.block[0].layer[0].SelfAttention.relative_attention_bias
    for i in range(3):
        shift = trace[f"decoder.layers.{i}.attn.bias"]
        assert shift[2, 4, 4] == table.weight[0, 2]
        assert shift[2, 4, 3] == table.weight[1, 2]


def test_places_of_bart_begin_at_the_third_row_and_count_padding():
    ids, mask = PADDED["left"]
    trace = run_trace(ours("bart"), ids=ids, target=WRITTEN, attention_mask=mask)
    assert trace.part("encoder.positions").tolist() == list(range(2, 15))
    assert trace.part("decoder.positions").tolist() == list(range(2, 7))
    for side in ("encoder", "decoder"):
        table = getattr(theirs("bart").model, side).embed_positions.weight.detach()
        found = trace[f"{side}.embed.position"]
        np.testing.assert_array_equal(found, table[2 : 2 + len(found)])


def test_eps_is_the_file_s_in_t5_and_the_code_s_in_the_others():
    found = {name: ours(name).config.eps for name in TWO_SIDED}
    assert (found["t5"], found["bart"], found["marian"]) == (1e-6, 1e-5, 1e-5)


def test_what_is_computed_is_told_by_the_configuration():
    t5, flan, bart, marian = (
        ours(name).config for name in ("t5", "flan", "bart", "marian")
    )
    assert (t5.scale_output, t5.tie_embeddings, t5.gated) == (True, True, False)
    assert (flan.scale_output, flan.tie_embeddings, flan.gated) == (False, False, True)
    assert (flan.activation, t5.activation) == ("gelu_tanh", "relu")
    assert (t5.n_encoder_layers, t5.n_layers, t5.d_heads, t5.d_model) == (2, 3, 20, 14)
    assert (bart.scale_embeddings, bart.norm_embeddings) == (False, True)
    assert (marian.scale_embeddings, marian.sinusoid_halves) == (True, True)
    assert bart.output_bias
    assert marian.output_bias
