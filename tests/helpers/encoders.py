"""Tiny folders of models that look to both sides, as `transformers` writes them."""

from pathlib import Path
from typing import Any

import torch
from transformers import (
    BertConfig,
    BertForMaskedLM,
    BertModel,
    DistilBertConfig,
    DistilBertForMaskedLM,
    DistilBertModel,
    PreTrainedModel,
    RobertaConfig,
    RobertaForMaskedLM,
    RobertaModel,
)

WORDS = ("the", "cat", "sat", "on", "a", "mat", "dog", "##s", "ran", "to", ".", "b")
VOCABULARY = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS)
N_VOCAB = 40
SIZES: dict[str, Any] = {
    "vocab_size": N_VOCAB,
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 16,
}
DISTIL_SIZES: dict[str, Any] = {
    "vocab_size": N_VOCAB,
    "dim": 16,
    "n_layers": 2,
    "n_heads": 2,
    "hidden_dim": 32,
    "max_position_embeddings": 16,
}
ROBERTA_SIZES = {**SIZES, "type_vocab_size": 1, "pad_token_id": 1}
MINILM_SIZES = {**SIZES, "num_attention_heads": 4}
ENCODERS: dict[str, tuple[type, type, dict[str, Any]]] = {
    "bert": (BertForMaskedLM, BertConfig, SIZES),
    "roberta": (RobertaForMaskedLM, RobertaConfig, ROBERTA_SIZES),
    "distilbert": (DistilBertForMaskedLM, DistilBertConfig, DISTIL_SIZES),
    "minilm": (BertModel, BertConfig, MINILM_SIZES),
    "bert base": (BertModel, BertConfig, SIZES),
    "roberta base": (RobertaModel, RobertaConfig, ROBERTA_SIZES),
    "distilbert base": (DistilBertModel, DistilBertConfig, DISTIL_SIZES),
}
"""The class, its configuration, and the sizes of a tiny one."""


def tiny_encoder(name: str, **fields: Any) -> PreTrainedModel:
    """A random model, ready to be asked; biases and gains are drawn, too."""
    make, configure, sizes = ENCODERS[name]
    config = configure(**{**sizes, "attn_implementation": "eager", **fields})
    model: PreTrainedModel = make(config).eval()
    draw = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for at, weight in model.named_parameters():
            is_gain = weight.ndim == 1 and at.endswith("weight")
            noise = torch.randn(weight.shape, generator=draw)
            weight.copy_(float(is_gain) + 0.3 * noise)
    model.tie_weights()
    return model


def save_encoder(folder: Path, name: str, **fields: Any) -> Path:
    """Write a tiny model with a WordPiece vocabulary; the folder."""
    tiny_encoder(name, **fields).save_pretrained(folder)
    (folder / "vocab.txt").write_text("\n".join(VOCABULARY), encoding="utf-8")
    return folder
