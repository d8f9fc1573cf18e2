"""The model as GPT-2's or the first GPT's class of `transformers` expects it.

Radford et al. 2018 (norms after each part) and 2019 (norms before). Both have learned
positions, layer norms with a shift and biases everywhere; so added waves are stored as
a table, and what is missing as zeros. Their matrices lie as ours do, [d_in, d_out].
"""

from typing import Any

import torch
from torch import Tensor

from core.checkpoints.exporter import (
    Exporter,
    Needs,
    Weights,
    embedding,
    embedding_notes,
    output_table,
    shares_table,
)
from core.config import ModelConfig
from core.model.functions import sinusoid

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


def _shared_settings(config: ModelConfig) -> dict[str, Any]:
    return {
        "vocab_size": config.n_vocab,
        "n_positions": config.n_ctx,
        "n_embd": config.d_model,
        "n_layer": config.n_layers,
        "n_head": config.n_heads,
        "layer_norm_epsilon": config.eps,
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


def gpt2_tensors(config: ModelConfig, weights: Weights) -> dict[str, Tensor]:
    """The weights by GPT-2's names."""
    return {
        "transformer.wte.weight": embedding(config, weights),
        "transformer.wpe.weight": _positions(config, weights),
        **_layers(config, weights),
        **_norm(config, weights, "output.norm", "transformer.ln_f"),
        **output_table(config, weights),
    }


def gpt_tensors(config: ModelConfig, weights: Weights) -> dict[str, Tensor]:
    """The weights by the first GPT's names."""
    return {
        "transformer.tokens_embed.weight": embedding(config, weights),
        "transformer.positions_embed.weight": _positions(config, weights),
        **_layers(config, weights),
        **output_table(config, weights),
    }


def _layers(config: ModelConfig, weights: Weights) -> dict[str, Tensor]:
    d_model = config.d_model
    tensors: dict[str, Tensor] = {}
    for i in range(config.n_layers):
        ours, theirs = f"layers.{i}", f"transformer.h.{i}"
        projections = [weights[f"{ours}.attn.W_{name}"].flatten(1) for name in "QKV"]
        shifts = [
            _bias(weights, f"{ours}.attn.b_{name}", d_model).flatten() for name in "QKV"
        ]
        tensors |= {
            f"{theirs}.attn.c_attn.weight": torch.cat(projections, dim=1),
            f"{theirs}.attn.c_attn.bias": torch.cat(shifts),
            **_norm(config, weights, f"{ours}.attn.norm", f"{theirs}.ln_1"),
            **_norm(config, weights, f"{ours}.ffn.norm", f"{theirs}.ln_2"),
        }
        for place, name, their_name, width in (
            ("attn", "O", "attn.c_proj", d_model),
            ("ffn", "1", "mlp.c_fc", config.d_ff),
            ("ffn", "2", "mlp.c_proj", d_model),
        ):
            matrix = weights[f"{ours}.{place}.W_{name}"]
            shift = _bias(weights, f"{ours}.{place}.b_{name}", width)
            tensors[f"{theirs}.{their_name}.weight"] = matrix
            tensors[f"{theirs}.{their_name}.bias"] = shift
    return tensors


def _norm(
    config: ModelConfig, weights: Weights, ours: str, theirs: str
) -> dict[str, Tensor]:
    return {
        f"{theirs}.weight": weights[f"{ours}.gamma"],
        f"{theirs}.bias": _bias(weights, f"{ours}.beta", config.d_model),
    }


def _bias(weights: Weights, address: str, width: int) -> Tensor:
    """A bias, or the zeros that a model without one adds."""
    return weights[address] if address in weights else torch.zeros(width)


def _positions(config: ModelConfig, weights: Weights) -> Tensor:
    """What is added at each place: [n_ctx, d_model]."""
    if config.position == "learned":
        return weights["embed.position.W_P"]
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
