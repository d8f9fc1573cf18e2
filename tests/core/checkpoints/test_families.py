"""Each family as `transformers` computes it: logits, streams, patterns, greedy text."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from core.bundle import Bundle, open_bundle
from core.checkpoints.families import FAMILIES
from core.checkpoints.llama import SIZES
from core.generation.generate import generate
from core.generation.sampling import Sampling
from core.model import rotation
from core.pipeline import run_trace
from core.trace.trace import Trace
from tests.helpers.huggingface import MAKERS, change_config, save_theirs, tiny_model

IDS = (5, 6, 7, 8, 260, 2, 5, 5, 101, 32)
TOLERANCE = 1e-5
N_NEW = 20
GREEDY = Sampling(temperature=0)
LLAMA3 = {
    "rope_type": "llama3",
    "rope_theta": 100.0,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 32,
}
VARIANTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("gpt2", {}),
    ("gpt2", {"activation_function": "gelu", "tie_word_embeddings": False}),
    ("gpt2", {"activation_function": "relu", "n_inner": 20}),
    ("gpt2", {"layer_norm_epsilon": 0.1}),
    ("openai-gpt", {}),
    ("llama", {}),
    ("llama", {"num_key_value_heads": 1, "tie_word_embeddings": True}),
    ("llama", {"attention_bias": True, "mlp_bias": True, "rms_norm_eps": 0.1}),
    ("llama", {"attention_bias": True}),
    ("llama", {"mlp_bias": True, "hidden_act": "gelu_pytorch_tanh"}),
    ("llama", {"head_dim": 6}),
    ("llama", {"rope_parameters": {"rope_type": "default", "rope_theta": 500000.0}}),
    (
        "llama",
        {
            "rope_parameters": {
                "rope_type": "linear",
                "factor": 4.0,
                "rope_theta": 100.0,
            }
        },
    ),
    ("llama", {"rope_parameters": LLAMA3}),
    ("mistral", {}),
    ("mistral", {"sliding_window": 1}),
    ("mistral", {"sliding_window": None, "head_dim": 6}),
    ("mixtral", {}),
    ("mixtral", {"num_experts_per_tok": 1, "sliding_window": 3}),
    ("mixtral", {"num_experts_per_tok": 5, "hidden_act": "gelu"}),
    ("qwen2", {}),
    (
        "qwen2",
        {"use_sliding_window": True, "sliding_window": 3, "max_window_layers": 0},
    ),
    (
        "qwen2",
        {"use_sliding_window": True, "sliding_window": 3, "max_window_layers": 2},
    ),
    ("qwen2", {"tie_word_embeddings": True}),
    ("qwen3", {}),
    ("qwen3", {"attention_bias": True}),
    ("gemma", {}),
    ("gemma", {"num_key_value_heads": 1, "attention_bias": True}),
)
NAMES = [f"{name} {fields}" for name, fields in VARIANTS]


def opened(tmp_path: Path, name: str, **fields: Any) -> Bundle:
    return open_bundle(save_theirs(tmp_path / name, name, **fields), device="cpu")


def streams_of(trace: Trace) -> list[np.ndarray]:
    """What they call hidden states: between the layers, and behind the last norm."""
    n_layers = trace.config.n_layers
    streams = [trace[f"layers.{i}.resid_in"] for i in range(n_layers)]
    is_normed = "output.norm" in trace.keys
    last = "output.norm" if is_normed else f"layers.{n_layers - 1}.ffn.norm"
    return [*streams, trace[last]]


@pytest.mark.parametrize(("name", "fields"), VARIANTS, ids=NAMES)
def test_logits_streams_and_patterns_are_those_of_transformers(tmp_path, name, fields):
    trace = run_trace(opened(tmp_path, name, **fields), ids=IDS)
    with torch.inference_mode():
        theirs = tiny_model(name, **fields)(
            torch.tensor([IDS]), output_hidden_states=True, output_attentions=True
        )
    assert theirs.logits.std() > 0.1
    ours = streams_of(trace)
    for stream, hidden in zip(ours, theirs.hidden_states, strict=True):
        scale = float(hidden.abs().max())
        np.testing.assert_allclose(stream, hidden[0], atol=TOLERANCE * scale)
    assert len(theirs.attentions) == trace.config.n_layers
    for i, pattern in enumerate(theirs.attentions):
        found = trace[f"layers.{i}.attn.pattern"]
        np.testing.assert_allclose(found, pattern[0], atol=TOLERANCE)
    scale = float(theirs.logits.abs().max())
    np.testing.assert_allclose(
        trace["output.logits"], theirs.logits[0], atol=TOLERANCE * scale
    )


@pytest.mark.parametrize("name", MAKERS)
def test_greedy_text_goes_on_as_theirs(tmp_path, name):
    bundle = opened(tmp_path, name)
    written = [t.token_id for t in generate(bundle.model, IDS[:4], GREEDY, N_NEW)]
    theirs = tiny_model(name).generate(
        torch.tensor([IDS[:4]]), max_new_tokens=N_NEW, do_sample=False
    )
    assert written == theirs[0, 4:].tolist()


@pytest.mark.parametrize("name", MAKERS)
def test_every_number_that_is_shown_is_the_one_in_the_file(tmp_path, name):
    bundle = opened(tmp_path, name)
    n_theirs = sum(weight.numel() for weight in tiny_model(name).parameters())
    assert sum(weight.numel() for weight in bundle.weights.values()) == n_theirs


def test_the_table_has_the_families_that_are_tried_here():
    assert set(MAKERS) <= {row.model_type for row in FAMILIES}
    assert {name for name, _ in VARIANTS} == set(MAKERS)


# Values that logits of a small model would not tell.


@pytest.mark.parametrize(
    ("fields", "speeds"),
    [
        ({"rope_theta": 500000}, [1, 0.0376, 0.00141, 0.0000532]),
        (
            {"rope_parameters": {"rope_type": "default", "rope_theta": 500000}},
            [1, 0.0376, 0.00141, 0.0000532],
        ),
        ({}, [1, 0.1, 0.01, 0.001]),
        (
            {"rope_theta": 500000, "rope_scaling": {"type": "linear", "factor": 2.0}},
            [0.5, 0.0188, 0.000705, 0.0000266],
        ),
    ],
)
def test_the_rotary_base_is_found_wherever_it_stands(
    tmp_path: Path, fields: dict[str, Any], speeds: list[float]
) -> None:
    folder = save_theirs(tmp_path, "llama")
    change_config(folder, "rope_parameters", "rope_theta", **fields)
    config = open_bundle(folder).config
    assert config.d_head == 8
    base, *stretched = config.rotary_settings
    plain = rotation.speeds(4, base)
    found = rotation.SLOWED[config.rotary_scaling](plain, *stretched)
    np.testing.assert_allclose(found, speeds, rtol=5e-3)


def test_the_stretching_of_llama3_is_theirs_number_by_number(tmp_path):
    fields = {"rope_parameters": LLAMA3, "head_dim": 32}
    theirs = tiny_model("llama", **fields).model.rotary_emb.inv_freq
    base, *stretched = opened(tmp_path, "llama", **fields).config.rotary_settings
    found = rotation.speeds_llama3(rotation.speeds(16, base), *stretched)
    np.testing.assert_allclose(found, theirs, rtol=1e-6)
    plain = rotation.speeds(16, base)
    assert found[0] == plain[0]
    assert found[-1] == plain[-1] / 8
    assert any(p / 8 < f < p for f, p in zip(found, plain, strict=True))


@pytest.mark.parametrize(
    ("name", "fields", "kind"),
    [
        ("gpt2", {}, "gelu_tanh"),
        ("gpt2", {"activation_function": "gelu"}, "gelu"),
        ("openai-gpt", {}, "gelu_tanh"),
        ("llama", {}, "silu"),
        ("gemma", {}, "gelu_tanh"),
        ("gemma", {"hidden_act": "gelu"}, "gelu_tanh"),
    ],
)
def test_the_kind_of_gelu_is_read_and_not_guessed(tmp_path, name, fields, kind):
    assert opened(tmp_path, name, **fields).config.activation == kind


def test_the_epsilon_of_the_norms_is_read(tmp_path):
    assert opened(tmp_path / "a", "gpt2", layer_norm_epsilon=1e-12).config.eps == 1e-12
    assert opened(tmp_path / "b", "llama", rms_norm_eps=1e-3).config.eps == 1e-3


@pytest.mark.parametrize("n_chosen", [1, 2, 5])
def test_router_scores_and_chosen_experts_are_those_of_transformers(tmp_path, n_chosen):
    fields = {"num_experts_per_tok": n_chosen}
    trace = run_trace(opened(tmp_path, "mixtral", **fields), ids=IDS)
    with torch.inference_mode():
        theirs = tiny_model("mixtral", **fields)(
            torch.tensor([IDS]), output_router_logits=True
        )
    assert len(theirs.router_logits) == trace.config.n_layers
    for i, scores in enumerate(theirs.router_logits):
        found = trace[f"layers.{i}.ffn.router"]
        np.testing.assert_allclose(found, scores, atol=TOLERANCE)
        weights = trace[f"layers.{i}.ffn.chosen"]
        assert ((weights > 0).sum(axis=1) == n_chosen).all()
        np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-6)
        best = scores.topk(n_chosen).indices
        for row, places in zip(weights, best, strict=True):
            assert set(np.flatnonzero(row)) == set(places.tolist())


def test_embedding_rows_are_those_of_the_file(tmp_path):
    for name in MAKERS:
        table = tiny_model(name).get_input_embeddings().weight.detach().numpy()
        trace = run_trace(opened(tmp_path, name), ids=IDS)
        np.testing.assert_array_equal(trace["embed.token"], table[list(IDS)])


def test_a_shared_key_head_serves_its_queries_and_no_other(tmp_path):
    trace = run_trace(opened(tmp_path, "llama"), ids=IDS)
    assert trace["layers.0.attn.pattern"].shape == (4, 10, 10)
    assert trace["layers.0.attn.k"].shape == (2, 10, 8)
    k, q = trace["layers.0.attn.k_rotated"], trace["layers.0.attn.q_rotated"]
    for head, key_head in enumerate((0, 0, 1, 1)):
        np.testing.assert_allclose(
            trace["layers.0.attn.scores"][head], q[head] @ k[key_head].T, atol=1e-5
        )


def test_a_window_hides_what_is_farther_back_and_the_mask_says_so(tmp_path):
    trace = run_trace(opened(tmp_path, "mistral"), ids=IDS)
    mask = trace.part("mask")
    for query in range(len(IDS)):
        for key in range(len(IDS)):
            assert mask[query, key] == (query - 4 < key <= query)
    explanation = trace.explain("layers.0.attn.masked", (0, 6, 2))
    assert explanation.recorded == -np.inf
    assert "not among the last 4 of the query" in explanation.note
    assert trace.explain("layers.0.attn.masked", (0, 6, 3)).recorded > -np.inf


def test_a_window_that_no_text_outgrows_is_none(tmp_path):
    assert opened(tmp_path, "mistral", sliding_window=64).config.window == 0


def test_every_size_has_a_name_in_the_file(tmp_path):
    config = opened(tmp_path, "llama").config
    assert set(SIZES) < set(config.to_dict())
