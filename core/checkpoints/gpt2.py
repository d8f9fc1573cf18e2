"""GPT-2 and the first GPT as `transformers` has them: read and written.

Radford et al. 2018 (norms after each part) and 2019 (norms before). Both have learned
positions, layer norms with a shift and biases everywhere; so added waves are stored as
a table, and what is missing as zeros. Their matrices lie as ours do, [d_in, d_out].
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from core.checkpoints.entries import Entry, Weights, norm_entries, packed
from core.checkpoints.exporter import (
    ONE_SIDED,
    Exporter,
    Needs,
    embedding,
    embedding_notes,
    output_table,
    shares_table,
)
from core.checkpoints.family import Family
from core.checkpoints.fields import Fields
from core.checkpoints.native import weight_shapes
from core.config import ModelConfig
from core.model.functions import sinusoid

POSITIONS = "embed.position.W_P"

GPT2_ACTIVATIONS = {
    "gelu_tanh": "gelu_new",
    "gelu": "gelu",
    "relu": "relu",
    "silu": "silu",
}
GPT_ACTIVATIONS = {"gelu_tanh": "gelu", "relu": "relu", "silu": "silu"}
"""The first GPT calls "gelu" what is its estimate by tanh."""


def _shared_needs(config: ModelConfig) -> Needs:
    return {
        "position": ("learned", "sinusoidal", "none"),
        "norm": ("layer_norm",),
        "gated": (False,),
        "n_kv_heads": (config.n_heads,),
        "d_head": (config.d_model // config.n_heads,),
        "norm_qk": (False,),
        "window": (0,),
        **ONE_SIDED,
    }


def gpt2_needs(config: ModelConfig) -> Needs:
    """What GPT-2's class can be."""
    return {
        **_shared_needs(config),
        "norm_place": ("pre",),
        "activation": tuple(GPT2_ACTIVATIONS),
    }


def gpt_needs(config: ModelConfig) -> Needs:
    """What the first GPT's class can be."""
    return {
        **_shared_needs(config),
        "norm_place": ("post",),
        "activation": tuple(GPT_ACTIVATIONS),
        "d_ff": (4 * config.d_model,),
    }


GPT2_SIZES = {
    "n_vocab": "vocab_size",
    "n_ctx": "n_positions",
    "d_model": "n_embd",
    "n_layers": "n_layer",
    "n_heads": "n_head",
}
"""Our fields and theirs, of both classes."""
EPS = "layer_norm_epsilon"


def _shared_settings(config: ModelConfig) -> dict[str, Any]:
    return {
        **{theirs: getattr(config, ours) for ours, theirs in GPT2_SIZES.items()},
        EPS: config.eps,
        "resid_pdrop": config.dropout,
        "embd_pdrop": config.dropout,
        "attn_pdrop": config.dropout,
        "tie_word_embeddings": shares_table(config),
    }


def gpt2_settings(config: ModelConfig) -> dict[str, Any]:
    """The fields of GPT-2's `config.json`."""
    return {
        "model_type": "gpt2",
        "architectures": ["GPT2LMHeadModel"],
        **_shared_settings(config),
        "n_inner": config.d_ff,
        "activation_function": GPT2_ACTIVATIONS[config.activation],
    }


def gpt_settings(config: ModelConfig) -> dict[str, Any]:
    """The fields of the first GPT's `config.json`."""
    return {
        "model_type": "openai-gpt",
        "architectures": ["OpenAIGPTLMHeadModel"],
        **_shared_settings(config),
        "afn": GPT_ACTIVATIONS[config.activation],
    }


def gpt2_config(fields: Fields) -> ModelConfig:
    """What GPT-2's `config.json` describes."""
    fields.must_be("scale_attn_weights", True)
    fields.must_be("scale_attn_by_inverse_layer_idx", False)
    fields.must_be("add_cross_attention", False)
    return fields.config(
        GPT2_SIZES,
        {"d_ff": "n_inner", "eps": EPS},
        d_ff=fields.whole("n_inner", 0) if fields.has("n_inner") else 0,
        norm_place="pre",
        activation=fields.activation("activation_function", "gelu_new"),
        **_shared_fields(fields),
    )


def gpt_config(fields: Fields) -> ModelConfig:
    """What the first GPT's `config.json` describes."""
    known = {theirs: ours for ours, theirs in GPT_ACTIVATIONS.items()}
    return fields.config(
        GPT2_SIZES,
        norm_place="post",
        activation=fields.activation("afn", "gelu", {**known, "swish": "silu"}),
        **_shared_fields(fields),
    )


def _shared_fields(fields: Fields) -> dict[str, Any]:
    return {
        "position": "learned",
        "eps": fields.number(EPS, 1e-5),
        "tie_embeddings": fields.switch("tie_word_embeddings", True),
    }


def gpt2_entries(config: ModelConfig) -> tuple[Entry, ...]:
    """Where GPT-2 keeps our weights."""
    return (
        Entry("transformer.wte.weight", ("embed.W_E",)),
        Entry("transformer.wpe.weight", (POSITIONS,)),
        *_layer_entries(config),
        *norm_entries("transformer.ln_f", "output.norm"),
    )


def gpt_entries(config: ModelConfig) -> tuple[Entry, ...]:
    """Where the first GPT keeps our weights."""
    return (
        Entry("transformer.tokens_embed.weight", ("embed.W_E",)),
        Entry("transformer.positions_embed.weight", (POSITIONS,)),
        *_layer_entries(config),
    )


def _layer_entries(config: ModelConfig) -> Iterator[Entry]:
    for i in range(config.n_layers):
        ours, theirs = f"layers.{i}", f"transformer.h.{i}"
        yield from norm_entries(f"{theirs}.ln_1", f"{ours}.attn.norm")
        for name, (part, letters) in MATRICES.items():
            for kind, letter in (("weight", "W"), ("bias", "b")):
                held = tuple(f"{ours}.{part}.{letter}_{x}" for x in letters)
                yield Entry(f"{theirs}.{name}.{kind}", held)
        yield from norm_entries(f"{theirs}.ln_2", f"{ours}.ffn.norm")


MATRICES = {
    "attn.c_attn": ("attn", "QKV"),
    "attn.c_proj": ("attn", "O"),
    "mlp.c_fc": ("ffn", "1"),
    "mlp.c_proj": ("ffn", "2"),
}
"""Of a layer: our part and letters; Q, K and V lie side by side in one."""


def gpt2_tensors(config: ModelConfig, weights: Weights) -> dict[str, Tensor]:
    """The weights by GPT-2's names."""
    return _tensors(gpt2_entries(config), config, weights)


def gpt_tensors(config: ModelConfig, weights: Weights) -> dict[str, Tensor]:
    """The weights by the first GPT's names."""
    return _tensors(gpt_entries(config), config, weights)


def _tensors(
    entries: tuple[Entry, ...], config: ModelConfig, weights: Weights
) -> dict[str, Tensor]:
    """Embeddings scaled, positions as a table, and zeros for biases that are not."""
    shapes = weight_shapes(replace(config, bias=True, position="learned"))
    written = {
        **{a: torch.zeros(shape) for a, shape in shapes.items() if a not in weights},
        **weights,
        "embed.W_E": embedding(config, weights),
        POSITIONS: _positions(config, weights),
    }
    named = {entry.theirs: packed(entry, written) for entry in entries}
    return named | output_table(config, weights)


def _positions(config: ModelConfig, weights: Weights) -> Tensor:
    """What is added at each place: [n_ctx, d_model]."""
    if config.position == "learned":
        return weights[POSITIONS]
    if config.position == "none":
        return torch.zeros(config.n_ctx, config.d_model)
    every = torch.arange(config.n_ctx)
    return sinusoid(every, config.d_model, config.sinusoid_base)


def notes(config: ModelConfig) -> list[str]:
    """Say which parts of these classes stand for something fixed in ours."""
    found = embedding_notes(config)
    if config.position == "sinusoidal":
        found.append("The waves that tell positions are stored as a table.")
    if config.position == "none":
        found.append("The table of positions is zero.")
    if not config.bias:
        found.append("Biases are zero.")
    return found


GPT2 = Exporter("gpt2", "GPT-2", gpt2_needs, gpt2_settings, gpt2_tensors, notes)
GPT = Exporter("openai-gpt", "GPT (2018)", gpt_needs, gpt_settings, gpt_tensors, notes)

GPT2_FAMILY = Family(
    model_type="gpt2",
    title="GPT-2",
    architectures=("GPT2LMHeadModel", "GPT2Model"),
    prefix="transformer.",
    layers="transformer.h.",
    config_of=gpt2_config,
    entries=gpt2_entries,
    computed=r"transformer\.h\.\d+\.attn\.(masked_)?bias",
)
GPT_FAMILY = Family(
    model_type="openai-gpt",
    title="GPT (2018)",
    architectures=("OpenAIGPTLMHeadModel", "OpenAIGPTModel"),
    prefix="transformer.",
    layers="transformer.h.",
    config_of=gpt_config,
    entries=gpt_entries,
    computed=r"transformer\.(position_ids|h\.\d+\.attn\.bias)",
)
