"""Marian as `transformers` has it, the translators of OPUS-MT: read and written.

Junczys-Dowmunt et al. 2018: the model of 2017, with all sines of a place before all
cosines, swish, and a number that is added to each logit. Its files may hold the waves
as tables; they are computed here, unless a file holds others.
"""

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from core.checkpoints.bart import (
    BART_FAMILY,
    SIDES,
    notes,
    places,
    shared_config,
    shared_needs,
    shared_settings,
    shared_tensors,
)
from core.checkpoints.entries import Weights
from core.checkpoints.exporter import Exporter, Needs
from core.checkpoints.family import Family, Look
from core.checkpoints.fields import Fields
from core.config import ModelConfig
from core.model.functions import sinusoid_halves

START_OF_CLASS = 58100
STATIC = "static_position_embeddings"
"""Says that places are waves; `transformers` computes waves whatever it says."""
BASE = 10000.0
"""Of the waves that the class computes."""
PLACES = tuple(f"model.{side}.embed_positions.weight" for side in SIDES)
ROUNDING = 4
"""Steps of a number of the file's kind that a wave may be off."""


def marian_config(fields: Fields) -> ModelConfig:
    """Marian; both sides share one table, and so one vocabulary."""
    fields.must_be("share_encoder_decoder_embeddings", True)
    fields.must_be("decoder_vocab_size", fields.whole("vocab_size"))
    fields.must_be("normalize_embedding", False)
    if fields.has(STATIC) and not fields.switch(STATIC, default=True):
        fields.said.append(f"{STATIC} is false; its places are waves all the same.")
    return shared_config(
        fields, START_OF_CLASS, position="sinusoidal", sinusoid_halves=True
    )


def held_to(config: ModelConfig, look: Look, odd: list[str]) -> ModelConfig:
    """Waves, or learned places where the files hold other numbers than waves."""
    tables = {name: look(name) for name in PLACES}
    every = torch.arange(config.n_ctx)
    waves = sinusoid_halves(every, config.d_model, config.sinusoid_base)
    others = []
    for name, table in tables.items():
        if table is None or not table.is_floating_point():
            continue
        limit = ROUNDING * torch.finfo(table.dtype).eps
        if table.shape != waves.shape:
            others.append(f"{name} has the shape {tuple(table.shape)}")
        elif not (apart := (table.float() - waves).abs().max()) <= limit:  # or NaN
            others.append(f"{name} differs from the waves by up to {apart:.2g}")
    if not others:
        return config
    odd.append(f"{others[0]}; the places of the files are used, as transformers does.")
    return replace(config, position="learned", sinusoid_halves=False, position_offset=0)


def has_its_waves(config: ModelConfig) -> bool:
    """Whether the class computes the places by itself."""
    is_wave = config.position == "sinusoidal" and config.sinusoid_halves
    return is_wave and config.sinusoid_base == BASE


def marian_needs(config: ModelConfig) -> Needs:
    """What Marian's class can be: its embeddings are not normed."""
    return {**shared_needs(config), "norm_embeddings": (False,)}


def marian_settings(config: ModelConfig) -> dict[str, Any]:
    """The fields of Marian's `config.json`."""
    return {
        "model_type": "marian",
        "architectures": ["MarianMTModel"],
        **shared_settings(config),
        "decoder_vocab_size": config.n_vocab,
        "share_encoder_decoder_embeddings": True,
    }


def marian_tensors(config: ModelConfig, weights: Weights) -> dict[str, Tensor]:
    """The weights by Marian's names; other places than its waves as tables."""
    tables = {}
    if not has_its_waves(config):
        tables = {side: places(config, weights, side) for side in SIDES}
    return shared_tensors(config, weights, tables)


def marian_notes(config: ModelConfig) -> list[str]:
    """Say what is stored otherwise; its own waves are not stored at all."""
    told = replace(config, position="learned") if has_its_waves(config) else config
    return notes(told)


MARIAN = Exporter(
    "marian", "Marian", marian_needs, marian_settings, marian_tensors, marian_notes
)
MARIAN_FAMILY: Family = replace(
    BART_FAMILY,
    model_type="marian",
    title="Marian",
    architectures=("MarianMTModel", "MarianModel"),
    config_of=marian_config,
    held_to=held_to,
    computed=r"model\.(encoder|decoder)\.embed_positions\.weight",
)
