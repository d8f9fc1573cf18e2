"""Tiny folders of models of two sides, as `transformers` writes them.

No two sizes are alike, so that nothing that is exchanged fits by chance; every number
is drawn, gains, shifts and what is added to logits among them.
"""

from pathlib import Path
from typing import Any

import torch
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    MarianConfig,
    MarianMTModel,
    MT5Config,
    MT5ForConditionalGeneration,
    PreTrainedModel,
    T5Config,
    T5ForConditionalGeneration,
)

from core.tokenizers.folder import save_tokenizer
from tests.helpers.bundles import tiny_tokenizer

N_VOCAB = tiny_tokenizer().n_vocab
T5_SIZES: dict[str, Any] = {
    "vocab_size": N_VOCAB,
    "d_model": 14,
    "d_kv": 5,
    "d_ff": 21,
    "num_layers": 2,
    "num_decoder_layers": 3,
    "num_heads": 4,
    "relative_attention_num_buckets": 8,
    "relative_attention_max_distance": 12,
    "pad_token_id": 0,
    "eos_token_id": 1,
    "decoder_start_token_id": 0,
}
BART_SIZES: dict[str, Any] = {
    "vocab_size": N_VOCAB,
    "d_model": 12,
    "encoder_layers": 3,
    "decoder_layers": 2,
    "encoder_attention_heads": 3,
    "decoder_attention_heads": 3,
    "encoder_ffn_dim": 20,
    "decoder_ffn_dim": 20,
    "max_position_embeddings": 40,
    "pad_token_id": 1,
    "eos_token_id": 2,
    "decoder_start_token_id": 2,
}
MARIAN_SIZES: dict[str, Any] = {
    **BART_SIZES,
    "pad_token_id": 39,
    "eos_token_id": 0,
    "decoder_start_token_id": 39,
    "activation_function": "swish",
    "scale_embedding": True,
}
V11 = {"feed_forward_proj": "gated-gelu", "tie_word_embeddings": False}
TWO_SIDED: dict[str, tuple[type, type, dict[str, Any]]] = {
    "t5": (T5ForConditionalGeneration, T5Config, T5_SIZES),
    "flan": (T5ForConditionalGeneration, T5Config, {**T5_SIZES, **V11}),
    "mt5": (MT5ForConditionalGeneration, MT5Config, {**T5_SIZES, **V11}),
    "bart": (BartForConditionalGeneration, BartConfig, BART_SIZES),
    "marian": (MarianMTModel, MarianConfig, MARIAN_SIZES),
}
"""The class, its configuration, and the sizes of a tiny one."""
OWN_HEAD = ("flan", "mt5")
"""Kinds whose logits are read off with a table of their own."""


def tiny_pair(name: str, **fields: Any) -> PreTrainedModel:
    """A random model, ready to be asked."""
    make, configure, sizes = TWO_SIDED[name]
    config = configure(**{**sizes, "attn_implementation": "eager", **fields})
    model: PreTrainedModel = make(config).eval()
    if name in OWN_HEAD:
        model.lm_head.weight = torch.nn.Parameter(model.lm_head.weight.detach().clone())
    draw = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for at, weight in model.named_parameters():
            if name == "marian" and "embed_positions" in at:
                continue  # waves
            noise = torch.randn(weight.shape, generator=draw)
            is_gain = weight.ndim == 1 and at.endswith("weight")
            weight.copy_(float(is_gain) + 0.3 * noise)
        if name == "bart" and not config.tie_word_embeddings:  # unties the sides, too
            for side in (model.model.encoder, model.model.decoder):
                side.embed_tokens.weight.copy_(model.model.shared.weight)
        if hasattr(model, "final_logits_bias"):
            shift = model.final_logits_bias
            shift.copy_(0.3 * torch.randn(shift.shape, generator=draw))
    return model


def save_pair(folder: Path, name: str, **fields: Any) -> Path:
    """Write a tiny model with our tokenizer; the folder."""
    tiny_pair(name, **fields).save_pretrained(folder)
    save_tokenizer(tiny_tokenizer(), folder)
    return folder
