"""Tiny models for every test: seeded, so that each number is the same on each run.

Weights are drawn wide enough to tell tokens, heads and layers apart.
"""

from functools import cache
from pathlib import Path
from typing import Any

import torch

from core.bundle import Bundle, make_bundle
from core.checkpoints.native import save_model
from core.config import ModelConfig
from core.model.encoder_decoder import model_of
from core.model.transformer import Transformer
from core.pipeline import run_trace
from core.tokenizers.bpe import BpeTokenizer
from core.tokenizers.bpe_training import train_bpe
from core.tokenizers.simple import learn_characters
from core.trace.trace import Trace

SENTENCES = (
    "the cat sat on the mat",
    "the cat saw the dog",
    "a dog ran to the cat and sat",
)
N_VOCAB = 272
"""At most: 256 bytes, the merges that occur twice, the end of text."""
TINY = {"d_model": 8, "n_heads": 2, "n_layers": 2, "n_ctx": 32}
WEIGHT_DEVIATION = 0.4
TWO_SIDES: dict[str, dict[str, Any]] = {
    "2017": {"norm_place": "post", "activation": "relu", "scale_embeddings": True},
    "T5": {
        "position": "relative",
        "relative_buckets": 8,
        "relative_distance": 12,
        "scale_scores": False,
        "scale_output": True,
        "norm": "rms_norm",
        "activation": "relu",
        "bias": False,
    },
    "Marian": {
        "norm_place": "post",
        "activation": "silu",
        "scale_embeddings": True,
        "sinusoid_halves": True,
        "output_bias": True,
    },
    "BART": {
        "norm_place": "post",
        "position": "learned",
        "position_offset": 2,
        "count_padding": True,
        "norm_embeddings": True,
        "output_bias": True,
    },
}
"""What is particular to the kinds of models that read one text and write another."""
SOURCE_TEXT, TARGET_TEXT = "the cat sat on the mat", "a dog ran"


@cache
def tiny_tokenizer() -> BpeTokenizer:
    """Byte-level BPE with a few merges of plain English."""
    return train_bpe(SENTENCES, N_VOCAB)


@cache
def tiny_bundle(**config_fields: Any) -> Bundle:
    """A random model with the tiny tokenizer; fields of ModelConfig may be changed."""
    tokenizer = tiny_tokenizer()
    config = ModelConfig(**{**TINY, "n_vocab": tokenizer.n_vocab, **config_fields})
    return make_bundle(random_model(config), tokenizer, name="tiny")


@cache
def character_bundle(text: str = "abc", **config_fields: Any) -> Bundle:
    """A random model of the characters of a text."""
    tokenizer = learn_characters([text])
    config = ModelConfig(**{**TINY, "n_vocab": tokenizer.n_vocab, **config_fields})
    return make_bundle(random_model(config), tokenizer, name="characters")


@cache
def tiny_trace(text: str = "the cat sat", **config_fields: Any) -> Trace:
    """A sentence walked through the tiny model."""
    return run_trace(tiny_bundle(**config_fields), text)


@cache
def encoder_decoder_bundle(kind: str = "2017", **config_fields: Any) -> Bundle:
    """A random model of two sides, of one of `TWO_SIDES`, with the tiny tokenizer."""
    fields = {"n_encoder_layers": 2, **TWO_SIDES[kind], **config_fields}
    return tiny_bundle(**fields)


@cache
def encoder_decoder_trace(
    kind: str = "2017", source: str = SOURCE_TEXT, target: str = TARGET_TEXT
) -> Trace:
    """A source and a target walked through the tiny model of two sides."""
    return run_trace(encoder_decoder_bundle(kind), source, target=target)


def random_model(config: ModelConfig, seed: int = 0) -> Transformer:
    """A model whose every weight is drawn from the seed, also gains and biases."""
    with torch.random.fork_rng(devices=()):
        torch.manual_seed(seed)
        model = model_of(config)
        with torch.no_grad():
            for address, weight in model.named_parameters():
                centre = 1.0 if address.endswith("gamma") else 0.0
                weight.normal_(centre, WEIGHT_DEVIATION)
    return model


def save_tiny(folder: Path, name: str = "tiny", **config_fields: Any) -> Path:
    """Write the tiny model into a folder as the program would; the folder."""
    bundle = tiny_bundle(**config_fields)
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = tiny_tokenizer()
    save_model(folder, bundle.config, bundle.weights, tokenizer, name=name)
    return folder
