"""Tiny folders of `transformers`, one of each family, with random weights.

Weights are drawn wide enough to tell heads, layers and positions apart, biases and the
gains of norms among them.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from transformers import (
    GemmaConfig,
    GemmaForCausalLM,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    MistralConfig,
    MistralForCausalLM,
    MixtralConfig,
    MixtralForCausalLM,
    OpenAIGPTConfig,
    OpenAIGPTLMHeadModel,
    PreTrainedModel,
    Qwen2Config,
    Qwen2ForCausalLM,
    Qwen3Config,
    Qwen3ForCausalLM,
)

from core.bundle import open_bundle
from core.checkpoints.huggingface import read_huggingface
from core.errors import CoreError
from core.pipeline import run_trace
from core.tokenizers.folder import save_tokenizer
from tests.helpers.bundles import tiny_tokenizer

N_VOCAB = tiny_tokenizer().n_vocab
WEIGHTS = "model.safetensors"
IDS = (5, 6, 7, 8)
GPT_SIZES: dict[str, Any] = {
    "vocab_size": N_VOCAB,
    "n_positions": 32,
    "n_embd": 12,
    "n_layer": 2,
    "n_head": 3,
}
LLAMA_SIZES: dict[str, Any] = {
    "vocab_size": N_VOCAB,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 64,
    "pad_token_id": None,
}
QUIET = {"bos_token_id": None, "eos_token_id": None, "attn_implementation": "eager"}
MAKERS: dict[str, tuple[type, type, dict[str, Any]]] = {
    "gpt2": (GPT2LMHeadModel, GPT2Config, GPT_SIZES),
    "openai-gpt": (OpenAIGPTLMHeadModel, OpenAIGPTConfig, GPT_SIZES),
    "llama": (LlamaForCausalLM, LlamaConfig, LLAMA_SIZES),
    "mistral": (
        MistralForCausalLM,
        MistralConfig,
        {**LLAMA_SIZES, "sliding_window": 4},
    ),
    "mixtral": (
        MixtralForCausalLM,
        MixtralConfig,
        {**LLAMA_SIZES, "num_local_experts": 5, "num_experts_per_tok": 2},
    ),
    "qwen2": (Qwen2ForCausalLM, Qwen2Config, LLAMA_SIZES),
    "qwen3": (Qwen3ForCausalLM, Qwen3Config, {**LLAMA_SIZES, "head_dim": 16}),
    "gemma": (GemmaForCausalLM, GemmaConfig, {**LLAMA_SIZES, "head_dim": 10}),
}
"""By `model_type`: the class, its configuration, and the sizes of a tiny one."""


def tiny_model(model_type: str, seed: int = 0, **fields: Any) -> PreTrainedModel:
    """A random model, ready to be asked."""
    make, configure, sizes = MAKERS[model_type]
    model: PreTrainedModel = make(configure(**{**QUIET, **sizes, **fields})).eval()
    draw = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            noise = torch.randn(weight.shape, generator=draw)
            is_gain = weight.ndim == 1 and name.endswith("weight")
            centre = 1.0 if is_gain and model_type != "gemma" else 0.0
            weight.copy_(centre + 0.3 * noise)
    model.tie_weights()
    return model


def save_theirs(
    folder: Path,
    model_type: str = "gpt2",
    *,
    dtype: torch.dtype | None = None,
    shard_size: str = "5GB",
    **fields: Any,
) -> Path:
    """Write a tiny model as `transformers` does, with our tokenizer; the folder."""
    model = tiny_model(model_type, **fields)
    model.to(dtype or torch.float32).save_pretrained(folder, max_shard_size=shard_size)
    save_tokenizer(tiny_tokenizer(), folder)
    return folder


def change_config(folder: Path, *without: str, **fields: Any) -> None:
    """Rewrite fields of a folder's config.json, or take some away."""
    path = folder / "config.json"
    about = json.loads(path.read_text(encoding="utf-8"))
    kept = {name: value for name, value in about.items() if name not in without}
    path.write_text(json.dumps({**kept, **fields}), encoding="utf-8")


def change_tensors(
    folder: Path,
    change: Callable[[dict[str, Tensor]], dict[str, Tensor]],
    file: str = WEIGHTS,
) -> None:
    """Rewrite a folder's tensors."""
    path = folder / file
    tensors = {name: tensor.clone() for name, tensor in load_file(path).items()}
    save_file(change(tensors), path, {"format": "pt"})


def logits_of(folder: Path) -> torch.Tensor:
    trace = run_trace(open_bundle(folder, device="cpu"), ids=IDS)
    return torch.tensor(trace["output.logits"])


def refused(folder: Path, words: str) -> None:
    with pytest.raises(CoreError, match=words) as caught:
        open_bundle(folder)
    said = str(caught.value)
    assert said.endswith(".")
    assert "\n" not in said
    assert folder.name in said


def notes_of(folder: Path) -> tuple[str, ...]:
    return read_huggingface(folder).notes
