"""GGUF files written in tests: any head, and tiny models as llama.cpp converts them."""

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tests.helpers.bundles import tiny_tokenizer
from tests.helpers.huggingface import tiny_model

F32, F16 = 0, 1
ALIGNMENT = 32
LLAMA_NAMES = (
    ("model.embed_tokens", "token_embd"),
    ("model.norm", "output_norm"),
    ("model.layers", "blk"),
    ("lm_head", "output"),
    ("input_layernorm", "attn_norm"),
    ("post_attention_layernorm", "ffn_norm"),
    ("self_attn.q_norm", "attn_q_norm"),
    ("self_attn.k_norm", "attn_k_norm"),
    ("self_attn.o_proj", "attn_output"),
    ("self_attn.q_proj", "attn_q"),
    ("self_attn.k_proj", "attn_k"),
    ("self_attn.v_proj", "attn_v"),
    ("mlp.gate_proj", "ffn_gate"),
    ("mlp.up_proj", "ffn_up"),
    ("mlp.down_proj", "ffn_down"),
)
GPT2_NAMES = (
    ("transformer.wte", "token_embd"),
    ("transformer.wpe", "position_embd"),
    ("transformer.ln_f", "output_norm"),
    ("transformer.h", "blk"),
    ("attn.c_attn", "attn_qkv"),
    ("attn.c_proj", "attn_output"),
    ("mlp.c_fc", "ffn_up"),
    ("mlp.c_proj", "ffn_down"),
    ("ln_1", "attn_norm"),
    ("ln_2", "ffn_norm"),
)


def text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def setting(value: Any) -> bytes:
    """The kind of a value and the value, as the head has them."""
    if isinstance(value, bool):
        return struct.pack("<I?", 7, value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    if isinstance(value, float):
        return struct.pack("<If", 6, value)
    if isinstance(value, str):
        return struct.pack("<I", 8) + text(value)
    n = struct.pack("<Q", len(value))
    if isinstance(value[0], str):
        return struct.pack("<II", 9, 8) + n + b"".join(map(text, value))
    kind, form = (6, "f") if isinstance(value[0], float) else (5, "i")
    return struct.pack("<II", 9, kind) + n + struct.pack(f"<{len(value)}{form}", *value)


def write_gguf(
    path: Path,
    values: Mapping[str, Any],
    tensors: Mapping[str, tuple[tuple[int, ...], int, bytes]] | None = None,
    version: int = 3,
) -> Path:
    """Write a file; of each tensor the shape, the kind and its bytes."""
    tensors = tensors or {}
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(values))
    head += b"".join(text(key) + setting(value) for key, value in values.items())
    body = b""
    for name, (shape, kind, data) in tensors.items():
        axes = struct.pack(f"<I{len(shape)}Q", len(shape), *reversed(shape))
        head += text(name) + axes + struct.pack("<IQ", kind, len(body))
        body += data + b"\0" * (-len(data) % ALIGNMENT)
    path.write_bytes(head + b"\0" * (-len(head) % ALIGNMENT) + body)
    return path


def byte_level_settings() -> dict[str, Any]:
    """The tiny tokenizer, as a head tells of it."""
    from core.tokenizers.folder import tokenizer_json

    content = tokenizer_json(tiny_tokenizer())
    names = sorted(content["model"]["vocab"].items(), key=lambda item: item[1])
    specials = tiny_tokenizer().specials
    return {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "gpt-2",
        "tokenizer.ggml.tokens": [name for name, _ in names],
        "tokenizer.ggml.token_type": [3 if n in specials else 1 for n, _ in names],
        "tokenizer.ggml.merges": [" ".join(m) for m in content["model"]["merges"]],
    }


def llama_settings(about: Any, architecture: str = "llama") -> dict[str, Any]:
    values = {
        "context_length": about.max_position_embeddings,
        "embedding_length": about.hidden_size,
        "feed_forward_length": about.intermediate_size,
        "block_count": about.num_hidden_layers,
        "attention.head_count": about.num_attention_heads,
        "attention.head_count_kv": about.num_key_value_heads,
        "attention.layer_norm_rms_epsilon": about.rms_norm_eps,
        "rope.freq_base": about.rope_parameters["rope_theta"],
        "attention.key_length": getattr(about, "head_dim", None)
        or about.hidden_size // about.num_attention_heads,
    }
    named = {f"{architecture}.{key}": value for key, value in values.items()}
    return {"general.architecture": architecture, **named, **byte_level_settings()}


def gpt2_settings(about: Any) -> dict[str, Any]:
    return {
        "general.architecture": "gpt2",
        "gpt2.context_length": about.n_positions,
        "gpt2.embedding_length": about.n_embd,
        "gpt2.feed_forward_length": 4 * about.n_embd,
        "gpt2.block_count": about.n_layer,
        "gpt2.attention.head_count": about.n_head,
        "gpt2.attention.layer_norm_epsilon": about.layer_norm_epsilon,
        **byte_level_settings(),
    }


def in_pairs(rows: Tensor, n_heads: int) -> Tensor:
    """What llama.cpp does to the rows of queries and keys of a Llama."""
    halves = rows.reshape(n_heads, 2, -1, *rows.shape[1:])
    return halves.swapaxes(1, 2).reshape(rows.shape)


def converted(model: Any, architecture: str) -> dict[str, Tensor]:
    """The tensors of a model of `transformers`, by the names they get."""
    about, found = model.config, {}
    names = GPT2_NAMES if architecture == "gpt2" else LLAMA_NAMES
    for theirs, weight in model.state_dict().items():
        if theirs == "lm_head.weight" and about.tie_word_embeddings:
            continue
        name, tensor = theirs, weight
        for old, new in names:
            name = name.replace(old, new)
        if architecture == "gpt2" and name.startswith("blk") and weight.ndim == 2:
            tensor = weight.T
        if architecture == "llama" and ".attn_q." in name:
            tensor = in_pairs(weight, about.num_attention_heads)
        if architecture == "llama" and ".attn_k." in name:
            tensor = in_pairs(weight, about.num_key_value_heads)
        found[name] = tensor
    return found


def plain(tensors: Mapping[str, Tensor]) -> dict[str, Any]:
    """Tensors as the file has them, in float32."""
    return {
        name: (tuple(t.shape), F32, np.ascontiguousarray(t.numpy()).tobytes())
        for name, t in tensors.items()
    }


def save_tiny(path: Path, architecture: str = "llama", **fields: Any) -> Path:
    """A tiny model of `transformers` with the tiny tokenizer, as a GGUF file."""
    model = tiny_model(architecture, **fields)
    with torch.no_grad():
        tensors = plain(converted(model, architecture))
    about = model.config
    is_gpt2 = architecture == "gpt2"
    values = gpt2_settings(about) if is_gpt2 else llama_settings(about, architecture)
    return write_gguf(path, values, tensors)
