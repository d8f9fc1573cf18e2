"""Mixtral as `transformers` has it, read and written: Mistral with experts.

Jiang et al. 2024. Each expert's three matrices are tensors of their own there; here a
weight holds those of all experts, one after the other.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from torch import Tensor

from core.checkpoints.entries import Entry, Weights, packed
from core.checkpoints.exporter import (
    Exporter,
    Needs,
    embedding,
    embedding_notes,
    output_table,
)
from core.checkpoints.family import EMBEDDING, Family
from core.checkpoints.fields import Fields
from core.checkpoints.llama import (
    ATTENTION_BIAS,
    FEED_FORWARD_BIAS,
    MISTRAL_FAMILY,
    entries,
    mistral_config,
    mistral_needs,
    mistral_settings,
)
from core.config import ModelConfig

N_EXPERTS, N_CHOSEN = "num_local_experts", "num_experts_per_tok"
BLOCK = "block_sparse_moe"
MATRICES = (("G", "w1"), ("1", "w3"), ("2", "w2"))
"""Our letter and their name of an expert's matrices."""


def mixtral_entries(config: ModelConfig) -> tuple[Entry, ...]:
    """Where the weights are kept."""
    shared = [each for each in entries(config) if ".mlp." not in each.theirs]
    layers = range(config.n_layers)
    return (*shared, *(each for i in layers for each in _experts(config, i)))


def _experts(config: ModelConfig, i: int) -> Iterator[Entry]:
    ours, theirs = f"layers.{i}.ffn", f"model.layers.{i}.{BLOCK}"
    yield Entry(f"{theirs}.gate.weight", (f"{ours}.W_R",), is_turned=True)
    for expert in range(config.n_experts):
        for letter, name in MATRICES:
            yield Entry(
                f"{theirs}.experts.{expert}.{name}.weight",
                (f"{ours}.W_{letter}",),
                is_turned=True,
                expert=expert,
            )


def mixtral_config(fields: Fields) -> ModelConfig:
    """Mistral's, and how many experts there are and are asked."""
    n_experts = fields.whole(N_EXPERTS, 8)
    n_chosen = fields.whole(N_CHOSEN, 2)
    if n_experts < 1:
        raise fields.refused(N_EXPERTS, "must be at least 1")
    if not 1 <= n_chosen <= n_experts:
        raise fields.refused(N_CHOSEN, f"must be 1 to {N_EXPERTS} = {n_experts}")
    config = mistral_config(_with_eps(fields))
    return replace(config, n_experts=n_experts, n_experts_per_token=n_chosen)


def _with_eps(fields: Fields) -> Fields:
    """The class has another epsilon than Mistral's where the file has none."""
    eps = fields.number("rms_norm_eps", 1e-5)
    return replace(fields, values={**fields.values, "rms_norm_eps": eps})


def mixtral_needs(config: ModelConfig) -> Needs:
    """Mistral's, with experts."""
    return {
        **mistral_needs(config),
        "n_experts": (max(config.n_experts, 1),),
    }


def mixtral_settings(config: ModelConfig) -> dict[str, Any]:
    """The fields of its `config.json`."""
    mistrals = mistral_settings(config)
    shared = {
        name: value
        for name, value in mistrals.items()
        if name not in (ATTENTION_BIAS, FEED_FORWARD_BIAS)
    }
    return {
        **shared,
        "model_type": "mixtral",
        "architectures": ["MixtralForCausalLM"],
        N_EXPERTS: config.n_experts,
        N_CHOSEN: config.n_experts_per_token,
    }


def mixtral_tensors(config: ModelConfig, weights: Weights) -> dict[str, Tensor]:
    """The weights by their names."""
    written = {**weights, EMBEDDING: embedding(config, weights)}
    named = {each.theirs: packed(each, written) for each in mixtral_entries(config)}
    return named | output_table(config, weights)


MIXTRAL = Exporter(
    "mixtral",
    "Mixtral",
    mixtral_needs,
    mixtral_settings,
    mixtral_tensors,
    embedding_notes,
)
MIXTRAL_FAMILY: Family = replace(
    MISTRAL_FAMILY,
    model_type="mixtral",
    title="Mixtral",
    architectures=("MixtralForCausalLM", "MixtralModel"),
    config_of=mixtral_config,
    entries=mixtral_entries,
)
