"""The model as Llama's class of `transformers` expects it.

Touvron et al. 2023. Rotary positions pair feature d with d + d_head / 2 there as here,
so no row changes its place; matrices are stored the other way round, [d_out, d_in].
"""

from typing import Any

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

ACTIVATIONS = {
    "silu": "silu",
    "gelu": "gelu",
    "gelu_tanh": "gelu_pytorch_tanh",
    "relu": "relu",
}
NAMES = (
    ("attn", "Q", "self_attn.q_proj"),
    ("attn", "K", "self_attn.k_proj"),
    ("attn", "V", "self_attn.v_proj"),
    ("attn", "O", "self_attn.o_proj"),
    ("ffn", "G", "mlp.gate_proj"),
    ("ffn", "1", "mlp.up_proj"),
    ("ffn", "2", "mlp.down_proj"),
)
"""Our part and letter, and their name, of every matrix in a layer."""


def needs(_config: ModelConfig) -> Needs:
    """What Llama's class can be."""
    return {
        "position": ("rotary",),
        "norm": ("rms_norm",),
        "norm_place": ("pre",),
        "gated": (True,),
        "activation": tuple(ACTIVATIONS),
    }


def settings(config: ModelConfig) -> dict[str, Any]:
    """The fields of its `config.json`; the rotary base as of old, which all read."""
    return {
        "model_type": "llama",
        "architectures": ["LlamaForCausalLM"],
        "vocab_size": config.n_vocab,
        "max_position_embeddings": config.n_ctx,
        "hidden_size": config.d_model,
        "intermediate_size": config.d_ff,
        "num_hidden_layers": config.n_layers,
        "num_attention_heads": config.n_heads,
        "num_key_value_heads": config.n_kv_heads,
        "head_dim": config.d_head,
        "hidden_act": ACTIVATIONS[config.activation],
        "rms_norm_eps": config.eps,
        "rope_theta": config.rotary_base,
        "attention_bias": config.bias,
        "mlp_bias": config.bias,
        "attention_dropout": config.dropout,
        "tie_word_embeddings": shares_table(config),
    }


def tensors(config: ModelConfig, weights: Weights) -> dict[str, Tensor]:
    """The weights by Llama's names."""
    named = {
        "model.embed_tokens.weight": embedding(config, weights),
        "model.norm.weight": weights["output.norm.gamma"],
        **output_table(config, weights),
    }
    for i in range(config.n_layers):
        ours, theirs = f"layers.{i}", f"model.layers.{i}"
        before_attention = f"{theirs}.input_layernorm.weight"
        before_feed_forward = f"{theirs}.post_attention_layernorm.weight"
        named[before_attention] = weights[f"{ours}.attn.norm.gamma"]
        named[before_feed_forward] = weights[f"{ours}.ffn.norm.gamma"]
        for place, letter, name in NAMES:
            matrix = weights[f"{ours}.{place}.W_{letter}"].flatten(1)
            named[f"{theirs}.{name}.weight"] = matrix.T
            if config.bias:
                bias = weights[f"{ours}.{place}.b_{letter}"].flatten()
                named[f"{theirs}.{name}.bias"] = bias
    return named


LLAMA = Exporter("llama", "Llama", needs, settings, tensors, embedding_notes)
