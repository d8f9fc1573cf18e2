"""Llama and its kin as `transformers` has them: read and written.

Touvron et al. 2023. Rotary positions pair feature d with d + d_head / 2 there as here,
so no row changes its place; matrices are stored the other way round, [d_out, d_in].
Mistral adds a window, Qwen 2 biases of q, k and v, Qwen 3 norms of q and k, and Gemma
scales its embeddings and stores the gains of its norms less one.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from torch import Tensor

from core.checkpoints.entries import Entry, Weights, packed
from core.checkpoints.exporter import (
    ONE_SIDED,
    Exporter,
    Needs,
    embedding,
    embedding_notes,
    output_table,
    shares_table,
)
from core.checkpoints.family import EMBEDDING, Family
from core.checkpoints.fields import ACTIVATIONS, Fields
from core.checkpoints.rotary import rotary_fields, rotary_settings
from core.config import ModelConfig

SIZES = {
    "n_vocab": "vocab_size",
    "n_ctx": "max_position_embeddings",
    "d_model": "hidden_size",
    "d_ff": "intermediate_size",
    "n_layers": "num_hidden_layers",
    "n_heads": "num_attention_heads",
}
"""Our fields and theirs; all of them must be there."""
N_KV_HEADS, D_HEAD, EPS = "num_key_value_heads", "head_dim", "rms_norm_eps"
WINDOW, HAS_WINDOW = "sliding_window", "use_sliding_window"
LAYER_KINDS, FULL, N_FULL = "layer_types", "full_attention", "max_window_layers"
"""Which layers have no window: by a list, or by the number of the first ones."""
ATTENTION_BIAS, FEED_FORWARD_BIAS = "attention_bias", "mlp_bias"
SAID = {"n_kv_heads": N_KV_HEADS, "d_head": D_HEAD, "eps": EPS, "window": WINDOW}
"""More of both, for refusals."""
WRITTEN_ACTIVATIONS = {
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
GAINS = (
    ("attn.norm", "input_layernorm"),
    ("ffn.norm", "post_attention_layernorm"),
)
HEAD_GAINS = (
    ("attn.q_normed", "self_attn.q_norm"),
    ("attn.k_normed", "self_attn.k_norm"),
)
"""Our step and their name of every norm in a layer."""


def entries(config: ModelConfig, *, less: float = 0.0) -> tuple[Entry, ...]:
    """Where the weights are kept; `less` is what the gains of norms are stored less."""
    return (
        Entry("model.embed_tokens.weight", (EMBEDDING,)),
        *(each for i in range(config.n_layers) for each in _layer(config, i, less)),
        Entry("model.norm.weight", ("output.norm.gamma",), less=less),
    )


def _layer(config: ModelConfig, i: int, less: float) -> Iterator[Entry]:
    ours, theirs = f"layers.{i}", f"model.layers.{i}"
    for place, name in (*GAINS, *(HEAD_GAINS if config.norm_qk else ())):
        yield Entry(f"{theirs}.{name}.weight", (f"{ours}.{place}.gamma",), less=less)
    for part, letter, name in NAMES:
        matrix, bias = (f"{ours}.{part}.{kind}_{letter}" for kind in "Wb")
        yield Entry(f"{theirs}.{name}.weight", (matrix,), is_turned=True)
        if config.has_bias(bias):
            yield Entry(f"{theirs}.{name}.bias", (bias,))


def shared_config(fields: Fields, **settings: Any) -> ModelConfig:
    """What the `config.json` of the whole family tells, beside what a kind adds."""
    fields.must_be("rope_interleaved", False)
    n_heads = fields.whole(SIZES["n_heads"])
    told = {
        "n_kv_heads": fields.whole(N_KV_HEADS, n_heads),
        "d_head": fields.whole(D_HEAD, 0) if fields.has(D_HEAD) else 0,
        "norm": "rms_norm",
        "gated": True,
        "bias": False,
        "eps": fields.number(EPS, 1e-6),
        "tie_embeddings": False,
        **rotary_fields(fields, fields.whole(SIZES["n_ctx"])),
    }
    return fields.config(SIZES, SAID, **told | settings)


def llama_config(fields: Fields) -> ModelConfig:
    """Llama; biases of attention and of the feed-forward network by two switches."""
    return shared_config(
        fields,
        activation=fields.activation("hidden_act", "silu"),
        bias=_has(fields, ATTENTION_BIAS) or _has(fields, FEED_FORWARD_BIAS),
        tie_embeddings=fields.switch("tie_word_embeddings", False),
    )


def qwen2_config(fields: Fields) -> ModelConfig:
    """Qwen 2 and 2.5: q, k and v have a bias, nothing else has."""
    return replace(_qwen(fields), qkv_bias=True)


def qwen3_config(fields: Fields) -> ModelConfig:
    """Qwen 3: queries and keys are normed; its heads may be wider than d_model."""
    fields = with_default(fields, D_HEAD, 128)
    return replace(_qwen(fields), norm_qk=True, bias=_has(fields, ATTENTION_BIAS))


def mistral_config(fields: Fields) -> ModelConfig:
    """Mistral: each token looks back over a window, the same in every layer."""
    return shared_config(
        fields,
        activation=fields.activation("hidden_act", "silu"),
        tie_embeddings=fields.switch("tie_word_embeddings", False),
        window=_window(fields),
    )


def _window(fields: Fields) -> int:
    """The window; 0 where there is none, or one that no text outgrows."""
    if WINDOW in fields.values and not fields.has(WINDOW):
        return 0
    window = fields.whole(WINDOW, 4096)
    return window if window < fields.whole(SIZES["n_ctx"]) else 0


def _qwen(fields: Fields) -> ModelConfig:
    """Both Qwens; a window that some layers alone have is refused."""
    return shared_config(
        fields,
        activation=fields.activation("hidden_act", "silu"),
        tie_embeddings=fields.switch("tie_word_embeddings", False),
        window=_window(fields) if _all_have_windows(fields) else 0,
    )


def _all_have_windows(fields: Fields) -> bool:
    """Whether every layer has the window; newer files list them, older ones count."""
    if not _has(fields, HAS_WINDOW):
        return False
    if kinds := {str(kind) for kind in fields.values.get(LAYER_KINDS) or ()}:
        name, is_mixed = LAYER_KINDS, len(kinds) > 1
    else:
        name, n_full = N_FULL, fields.whole(N_FULL, 28)
        is_mixed = 0 < n_full < fields.whole(SIZES["n_layers"])
        kinds = {FULL} if n_full else set()
    if is_mixed:
        raise fields.refused(name, "gives a window to some of the layers alone")
    return FULL not in kinds


def gemma_config(fields: Fields) -> ModelConfig:
    """Gemma: scaled embeddings, and "gelu" is what is its estimate by tanh."""
    fields.must_be("use_bidirectional_attention", False)
    fields = with_default(fields, D_HEAD, 256)
    name = "hidden_activation" if fields.has("hidden_activation") else "hidden_act"
    known = {**ACTIVATIONS, "gelu": "gelu_tanh"}
    return shared_config(
        fields,
        activation=fields.activation(name, "gelu_pytorch_tanh", known),
        bias=_has(fields, ATTENTION_BIAS),
        tie_embeddings=fields.switch("tie_word_embeddings", True),
        scale_embeddings=True,
    )


def with_default(fields: Fields, name: str, default: int) -> Fields:
    """The fields with one that the class has where the file has none."""
    value = fields.whole(name, default)
    return replace(fields, values={**fields.values, name: value})


def lacked_biases(fields: Fields) -> str:
    """Of which half the biases are not there, where those of the other half are."""
    in_attention, in_feed_forward = (
        _has(fields, name) for name in (ATTENTION_BIAS, FEED_FORWARD_BIAS)
    )
    if in_attention == in_feed_forward:
        return ""
    return ".mlp." if in_attention else ".self_attn."


def _has(fields: Fields, name: str) -> bool:
    return fields.has(name) and fields.switch(name, default=False)


def needs(config: ModelConfig, *, qkv_bias: bool, norm_qk: bool) -> Needs:
    """What one of these classes can be."""
    biases = {"bias": (False,)} if qkv_bias or norm_qk else {}
    has_qkv_bias = (True, False) if config.bias and not qkv_bias else (qkv_bias,)
    return {
        "position": ("rotary",),
        "norm": ("rms_norm",),
        "norm_place": ("pre",),
        "gated": (True,),
        "activation": tuple(WRITTEN_ACTIVATIONS),
        "norm_qk": (norm_qk,),
        "window": (0,),
        **ONE_SIDED,
        "qkv_bias": has_qkv_bias,
        **biases,
    }


def settings(
    config: ModelConfig, *, model_type: str, architecture: str
) -> dict[str, Any]:
    """The fields of the `config.json`."""
    return {
        "model_type": model_type,
        "architectures": [architecture],
        **{theirs: getattr(config, ours) for ours, theirs in SIZES.items()},
        N_KV_HEADS: config.n_kv_heads,
        D_HEAD: config.d_head,
        "hidden_act": WRITTEN_ACTIVATIONS[config.activation],
        EPS: config.eps,
        **rotary_settings(config),
        ATTENTION_BIAS: config.bias,
        FEED_FORWARD_BIAS: config.bias,
        "attention_dropout": config.dropout,
        "tie_word_embeddings": shares_table(config),
    }


def tensors(config: ModelConfig, weights: Weights) -> dict[str, Tensor]:
    """The weights by their names."""
    written = {**weights, EMBEDDING: embedding(config, weights)}
    named = {entry.theirs: packed(entry, written) for entry in entries(config)}
    return named | output_table(config, weights)


def mistral_needs(config: ModelConfig) -> Needs:
    """What Mistral's class can be: any window, and no bias."""
    shared = needs(config, qkv_bias=False, norm_qk=False)
    return {**shared, "window": (config.window,), "bias": (False,)}


def mistral_settings(config: ModelConfig) -> dict[str, Any]:
    """The fields of Mistral's `config.json`."""
    shared = settings(config, model_type="mistral", architecture="MistralForCausalLM")
    return {**shared, WINDOW: config.window or None}


def _exporter(
    model_type: str,
    title: str,
    architecture: str,
    *,
    qkv_bias: bool = False,
    norm_qk: bool = False,
) -> Exporter:
    return Exporter(
        model_type,
        title,
        partial(needs, qkv_bias=qkv_bias, norm_qk=norm_qk),
        partial(settings, model_type=model_type, architecture=architecture),
        tensors,
        embedding_notes,
    )


LLAMA = _exporter("llama", "Llama", "LlamaForCausalLM")
MISTRAL = Exporter(
    "mistral", "Mistral", mistral_needs, mistral_settings, tensors, embedding_notes
)
QWEN2 = _exporter("qwen2", "Qwen 2", "Qwen2ForCausalLM", qkv_bias=True)
QWEN3 = _exporter("qwen3", "Qwen 3", "Qwen3ForCausalLM", norm_qk=True)


def _family(
    model_type: str,
    title: str,
    name: str,
    config_of: Callable[[Fields], ModelConfig],
    **fields: Any,
) -> Family:
    return Family(
        **{
            "model_type": model_type,
            "title": title,
            "architectures": (f"{name}ForCausalLM", f"{name}Model"),
            "prefix": "model.",
            "layers": "model.layers.",
            "config_of": config_of,
            "entries": entries,
            "lacks": lacked_biases,
            "computed": r"model\.(layers\.\d+\.self_attn\.)?rotary_emb\.inv_freq",
            **fields,
        }
    )


MISTRAL_FAMILY = _family("mistral", "Mistral", "Mistral", mistral_config)
LLAMA_FAMILY = _family("llama", "Llama", "Llama", llama_config)
QWEN2_FAMILY = _family("qwen2", "Qwen 2", "Qwen2", qwen2_config)
QWEN3_FAMILY = _family("qwen3", "Qwen 3", "Qwen3", qwen3_config)
GEMMA_FAMILY = _family(
    "gemma",
    "Gemma",
    "Gemma",
    gemma_config,
    entries=partial(entries, less=1.0),
    notes=("The file holds the gains γ of the norms less 1; they are shown whole.",),
)
