"""BERT, RoBERTa, DistilBERT and MiniLM as `transformers` computes them."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
import torch
from transformers import PreTrainedModel

from core.bundle import Bundle, open_bundle
from core.errors import CheckpointError, TraceError
from core.pipeline import run_trace
from core.trace.trace import Trace
from tests.helpers.encoders import ENCODERS, save_encoder, tiny_encoder
from tests.helpers.huggingface import change_config, change_tensors

IDS = (2, 5, 6, 4, 8, 9, 3)
"""[CLS] the cat [MASK] on a [SEP]"""
PADDED = {
    "alone": (IDS, (1,) * 7),
    "left": ((0, 0, 0, *IDS), (0,) * 3 + (1,) * 7),
    "right": ((*IDS, 0, 0, 0), (1,) * 7 + (0,) * 3),
}
each_model = pytest.mark.parametrize("name", ENCODERS)
each_padding = pytest.mark.parametrize("where", PADDED)
LAST = "layers.1.ffn.norm"


@cache
def theirs(name: str) -> PreTrainedModel:
    return tiny_encoder(name)


@cache
def ours(name: str) -> Bundle:
    with TemporaryDirectory() as folder:
        return open_bundle(save_encoder(Path(folder), name), device="cpu")


def answered(name: str, where: str, trace: Trace, **more: Any) -> Any:
    ids, mask = PADDED[where]
    positions = torch.from_numpy(trace.part("positions").copy())[None]
    if not name.startswith("distilbert"):  # which has no such argument
        more["position_ids"] = positions
    elif where == "left":
        pytest.skip("DistilBERT of transformers counts padding on the left")
    with torch.inference_mode():
        return theirs(name)(
            torch.tensor([ids]),
            attention_mask=torch.tensor([mask]),
            output_hidden_states=True,
            output_attentions=True,
            **more,
        )


def close(found: Any, expected: torch.Tensor) -> None:
    scale = max(1.0, float(expected.abs().max()))
    np.testing.assert_allclose(found, expected.numpy(), atol=1e-5 * scale)


@each_padding
@each_model
def test_streams_patterns_and_what_follows_are_those_of_transformers(name, where):
    ids, mask = PADDED[where]
    trace = run_trace(ours(name), ids=ids, attention_mask=mask)
    answer = answered(name, where, trace)
    places = np.flatnonzero(mask)
    streams = [trace[f"layers.{i}.resid_in"] for i in range(2)]
    for stream, hidden in zip(
        [*streams, trace[LAST]], answer.hidden_states, strict=True
    ):
        close(stream[places], hidden[0, places])
    assert len(answer.attentions) == 2
    for i, pattern in enumerate(answer.attentions):
        close(trace[f"layers.{i}.attn.pattern"][:, places], pattern[0][:, places])
    if trace.config.has_logits:
        close(trace["output.logits"][places], answer.logits[0, places])
    if trace.config.output_head == "pooled" and where != "left":  # [CLS] stands first
        close(trace["output.pooled"], answer.pooler_output)


def test_the_kinds_of_heads_are_those_that_the_files_hold():
    heads = {name: ours(name).config.output_head for name in ENCODERS}
    assert heads == {
        "bert": "masked",
        "roberta": "masked",
        "distilbert": "masked",
        "minilm": "pooled",
        "bert base": "pooled",
        "roberta base": "pooled",
        "distilbert base": "none",
    }


@each_model
def test_every_number_of_the_file_is_in_the_model(name):
    n_theirs = sum(weight.numel() for weight in theirs(name).parameters())
    assert sum(weight.numel() for weight in ours(name).weights.values()) == n_theirs


@each_padding
@each_model
def test_every_step_is_what_its_inputs_give(name, where):
    ids, mask = PADDED[where]
    trace = run_trace(ours(name), ids=ids, attention_mask=mask)
    for key in trace.keys:
        if trace.is_kept(key) and key != "tokens.ids":
            np.testing.assert_allclose(trace[key], trace.recomputed(key), atol=2e-5)


def test_tokens_answer_alike_wherever_padding_stands():
    for name in ("bert", "roberta", "distilbert"):
        alone = run_trace(ours(name), ids=IDS)["output.logits"]
        for where in ("left", "right"):
            ids, mask = PADDED[where]
            trace = run_trace(ours(name), ids=ids, attention_mask=mask)
            found = trace["output.logits"][np.flatnonzero(mask)]
            np.testing.assert_allclose(found, alone, atol=2e-5)


def test_every_token_looks_to_both_sides_and_at_no_padding():
    ids, mask = PADDED["right"]
    trace = run_trace(ours("bert"), ids=ids, attention_mask=mask)
    pattern = trace["layers.0.attn.pattern"]
    assert (pattern[:, :, :7] > 0).all()
    assert (pattern[:, :, 7:] == 0).all()
    assert trace.padding.tolist() == [False] * 7 + [True] * 3


def test_rows_of_a_batch_are_the_sentences_alone():
    bundle, other = ours("bert"), (2, 9, 8, 7, 6, 5, 3)
    with torch.inference_mode():
        both = bundle.model(torch.tensor([IDS, other]))
    for row, ids in zip(both, (IDS, other), strict=True):
        close(run_trace(bundle, ids=ids)["output.logits"], row)


# Segments.


def test_a_pair_of_sentences_has_two_segments_and_the_logits_of_both():
    trace = run_trace(ours("bert"), ids=(2, 5, 6, 3, 7, 8, 3))
    assert trace.part("segments").tolist() == [0, 0, 0, 0, 1, 1, 1]
    with torch.inference_mode():
        answer = theirs("bert")(
            torch.tensor([trace.ids]), token_type_ids=torch.tensor([[0] * 4 + [1] * 3])
        )
        single = theirs("bert")(torch.tensor([trace.ids]))
    close(trace["output.logits"], answer.logits[0])
    assert (answer.logits - single.logits).abs().max() > 0.1


def test_a_separator_in_the_text_ends_a_segment():
    tokenizer = ours("bert").tokenizer
    encoding = tokenizer.encode("the cat[SEP]a dog", specials=True)
    trace = run_trace(ours("bert"), ids=encoding.ids)
    assert trace.part("segments").tolist() == [0, 0, 0, 0, 1, 1, 1]


def test_segments_can_be_given_and_others_than_the_model_has_are_refused():
    trace = run_trace(ours("bert"), ids=IDS, segments=[1] * 7)
    table = ours("bert").weights["embed.W_S"]
    close(trace["embed.segment"], table[[1] * 7])
    for segments, said in (([2] * 7, "holds 2"), ([0], "1 numbers for 7 tokens")):
        with pytest.raises(TraceError, match=said):
            run_trace(ours("bert"), ids=IDS, segments=segments)
    with pytest.raises(TraceError, match="tells no segments apart"):
        run_trace(ours("distilbert"), ids=IDS, segments=[0] * 7)


# By value, since logits of a small model would not tell.


def test_positions_of_roberta_begin_behind_the_padding_s():
    trace = run_trace(ours("roberta"), ids=(5, 6, 7, 8))
    assert trace.part("positions").tolist() == [2, 3, 4, 5]
    padded = run_trace(ours("roberta"), ids=(1, 5, 6, 1), attention_mask=(0, 1, 1, 0))
    assert padded.part("positions").tolist() == [1, 2, 3, 1]
    table = theirs("roberta").roberta.embeddings.position_embeddings.weight.detach()
    close(trace["embed.position"], table[2:6])


def test_a_small_roberta_reads_eight_of_its_ten_positions(tmp_path):
    folder = save_encoder(tmp_path, "roberta", max_position_embeddings=10)
    bundle = open_bundle(folder, device="cpu")
    assert bundle.config.n_ctx == 8
    run_trace(bundle, ids=[5] * 8)
    with pytest.raises(TraceError, match="the 8 this model can read"):
        run_trace(bundle, ids=[5] * 9)


def test_eps_is_read_and_gelu_is_exact():
    for name in ENCODERS:
        assert ours(name).config.eps == 1e-12
        assert ours(name).config.activation == "gelu"


def test_the_eps_and_the_bend_of_the_file_are_taken(tmp_path):
    folder = save_encoder(tmp_path, "bert", layer_norm_eps=0.5, hidden_act="relu")
    config = open_bundle(folder).config
    assert (config.eps, config.activation) == (0.5, "relu")


# Files as they are.


def test_old_names_of_norms_are_understood(tmp_path):
    folder = save_encoder(tmp_path, "bert")
    renames = {
        "LayerNorm.weight": "LayerNorm.gamma",
        "LayerNorm.bias": "LayerNorm.beta",
    }

    def older(tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        for new, old in renames.items():
            tensors = {name.replace(new, old): t for name, t in tensors.items()}
        return tensors

    change_tensors(folder, older)
    bundle = open_bundle(folder, device="cpu")
    assert not bundle.warnings
    found = run_trace(bundle, ids=IDS)["output.logits"]
    np.testing.assert_array_equal(
        found, run_trace(ours("bert"), ids=IDS)["output.logits"]
    )


@pytest.mark.parametrize("name", ["bert", "roberta", "distilbert"])
def test_without_the_prefix_the_weights_are_the_same(tmp_path, name):
    folder = save_encoder(tmp_path, name)
    change_tensors(
        folder, lambda all_: {n.removeprefix(f"{name}."): t for n, t in all_.items()}
    )
    bundle = open_bundle(folder, device="cpu")
    found = run_trace(bundle, ids=IDS)["output.logits"]
    np.testing.assert_array_equal(
        found, run_trace(ours(name), ids=IDS)["output.logits"]
    )


def test_a_decoder_of_its_own_is_used(tmp_path):
    folder = save_encoder(tmp_path, "bert", tie_word_embeddings=False)
    bundle = open_bundle(folder, device="cpu")
    assert not bundle.config.tie_embeddings
    trace = run_trace(bundle, ids=IDS)
    with torch.inference_mode():
        answer = tiny_encoder("bert", tie_word_embeddings=False)(torch.tensor([IDS]))
    close(trace["output.logits"], answer.logits[0])


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"position_embedding_type": "relative_key"}, "position_embedding_type"),
        ({"is_decoder": True}, "is_decoder"),
        ({"hidden_act": "mish"}, "hidden_act"),
    ],
)
def test_what_is_not_computed_here_is_refused_by_name(tmp_path, fields, said):
    folder = save_encoder(tmp_path, "bert")
    change_config(folder, **fields)
    with pytest.raises(CheckpointError, match=said):
        open_bundle(folder)
