"""Marian as `transformers` has it, the translators of OPUS-MT: read.

Junczys-Dowmunt et al. 2018: the model of 2017, with all sines of a place before all
cosines, swish, and a number that is added to each logit. Its files may hold the waves
as tables; they are computed here, unless a file holds others.
"""

from dataclasses import replace

import torch

from core.checkpoints.bart import BART_FAMILY, shared_config
from core.checkpoints.family import Family, Look
from core.checkpoints.fields import Fields
from core.config import ModelConfig
from core.model.functions import sinusoid_halves

START_OF_CLASS = 58100
PLACES = tuple(
    f"model.{side}.embed_positions.weight" for side in ("encoder", "decoder")
)
ROUNDING = 4
"""Steps of a number of the file's kind that a wave may be off."""


def marian_config(fields: Fields) -> ModelConfig:
    """Marian; both sides share one table, and so one vocabulary."""
    fields.must_be("share_encoder_decoder_embeddings", True)
    fields.must_be("decoder_vocab_size", fields.whole("vocab_size"))
    fields.must_be("normalize_embedding", False)
    fields.must_be("static_position_embeddings", True)
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


MARIAN_FAMILY: Family = replace(
    BART_FAMILY,
    model_type="marian",
    title="Marian",
    architectures=("MarianMTModel", "MarianModel"),
    config_of=marian_config,
    held_to=held_to,
    computed=r"model\.(encoder|decoder)\.embed_positions\.weight",
)
