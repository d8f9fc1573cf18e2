"""T5, Flan-T5 and mT5 as `transformers` has them: read; T5 also written.

Raffel et al. 2020; its version 1.1, of which Flan-T5 is, has gated networks and a table
of its own for the output; mT5 is that in many languages. Scores are not divided by
sqrt(d_head) and are shifted by distance, by a table that the first layer of each side
holds for all. Matrices are stored the other way round, [d_out, d_in].
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from core.checkpoints.entries import Entry, Weights, packed
from core.checkpoints.exporter import Exporter, Needs, two_sided
from core.checkpoints.family import EMBEDDING, HEAD, Family, Look
from core.checkpoints.fields import ACTIVATIONS, Fields
from core.checkpoints.generation import tell_generation
from core.checkpoints.sides import (
    PADDING,
    START,
    check_both_sides,
    check_layers,
    start_id,
)
from core.config import ModelConfig

N_ENCODER_LAYERS, N_LAYERS = "num_layers", "num_decoder_layers"
SIZES = {
    "n_vocab": "vocab_size",
    "d_model": "d_model",
    "d_head": "d_kv",
    "d_ff": "d_ff",
    "n_heads": "num_heads",
    "n_encoder_layers": N_ENCODER_LAYERS,
}
"""Our fields and theirs; all of them must be there."""
N_BUCKETS = "relative_attention_num_buckets"
FARTHEST = "relative_attention_max_distance"
EPS, N_CTX = "layer_norm_epsilon", "n_positions"
SAID = {
    "n_layers": N_LAYERS,
    "relative_buckets": N_BUCKETS,
    "relative_distance": FARTHEST,
    "eps": EPS,
    "n_ctx": N_CTX,
    "start_id": START,
}
"""More of both, for refusals."""
TABLE = "shared.weight"
NETWORK, GATED = "feed_forward_proj", "gated"
SCALE, TIED = "scale_decoder_outputs", "tie_word_embeddings"
TRAINED_CTX = 512
"""Tokens of a text in training; distances have no end."""
MATRICES = (("Q", "q"), ("K", "k"), ("V", "v"), ("O", "o"))
WIDE, WIDE_GATED = (("1", "wi"),), (("G", "wi_0"), ("1", "wi_1"))
"""Our letter and their name of what widens a row."""


def t5_config(fields: Fields) -> ModelConfig:
    """T5 and its version 1.1: which divides the last rows by sqrt(d_model) and ties.

    A file says it by one field or, as written since `transformers` 5, by another.
    """
    is_tied = fields.switch(TIED, default=True)
    has_scale = fields.switch(SCALE, is_tied) if fields.has(SCALE) else is_tied
    return _config(fields, "relu", None, scale_output=has_scale, tie_embeddings=is_tied)


def mt5_config(fields: Fields) -> ModelConfig:
    """mT5: the last rows are never divided."""
    is_tied = fields.switch(TIED, default=True)
    return _config(fields, "gated-gelu", 0, tie_embeddings=is_tied)


def _config(
    fields: Fields, network: str, start: int | None, **settings: Any
) -> ModelConfig:
    check_both_sides(fields)
    n_layers = fields.whole(N_LAYERS, fields.whole(N_ENCODER_LAYERS))
    check_layers(fields, *(n for n in (N_ENCODER_LAYERS, N_LAYERS) if fields.has(n)))
    config = fields.config(
        SIZES,
        SAID,
        n_layers=n_layers,
        n_ctx=fields.whole(N_CTX, TRAINED_CTX),
        start_id=start_id(fields, start),
        position="relative",
        relative_buckets=fields.whole(N_BUCKETS, 32),
        relative_distance=fields.whole(FARTHEST, 128),
        count_padding=True,
        scale_scores=False,
        norm="rms_norm",
        bias=False,
        eps=fields.number(EPS, 1e-6),
        **_network(fields, network),
        **settings,
    )
    tell_generation(fields)
    return config


def _network(fields: Fields, of_class: str) -> dict[str, Any]:
    """How the feed-forward network bends: "relu", or "gated-gelu", an estimate there.

    Newer files repeat it in two fields, which go before.
    """
    name = fields.text(NETWORK, of_class)
    first, _, rest = name.partition("-")
    bend = rest if first == GATED else name
    bend = "gelu_new" if name == "gated-gelu" else bend
    if bend not in ACTIVATIONS:
        listed = ", ".join(sorted(ACTIVATIONS))
        raise fields.refused(
            NETWORK, f'is not known here; {listed} are, also with "{GATED}-" before'
        )
    is_gated = first == GATED
    if fields.has("is_gated_act"):
        is_gated = fields.switch("is_gated_act", is_gated)
    if fields.has("dense_act_fn"):
        return {
            "gated": is_gated,
            "activation": fields.activation("dense_act_fn", bend),
        }
    return {"gated": is_gated, "activation": ACTIVATIONS[bend]}


def entries(config: ModelConfig) -> tuple[Entry, ...]:
    """Where the weights are kept."""
    return (
        Entry(TABLE, (EMBEDDING,)),
        *_side(config, "encoder", config.n_encoder_layers, "encoder.output.norm"),
        *_side(config, "decoder", config.n_layers, "output.norm"),
    )


def _side(config: ModelConfig, side: str, n_layers: int, last: str) -> Iterator[Entry]:
    table = f"{side}.block.0.layer.0.SelfAttention.relative_attention_bias"
    yield Entry(f"{table}.weight", (f"{side}.embed.W_B",))
    for i in range(n_layers):
        yield from _layer(config, side, i)
    yield Entry(f"{side}.final_layer_norm.weight", (f"{last}.gamma",))


def _layer(config: ModelConfig, side: str, i: int) -> Iterator[Entry]:
    """Attention, in a decoder cross attention, and the network, numbered in order."""
    wide = WIDE_GATED if config.gated else WIDE
    parts = [
        ("attn", "SelfAttention", MATRICES),
        ("cross", "EncDecAttention", MATRICES),
        ("ffn", "DenseReluDense", (*wide, ("2", "wo"))),
    ]
    if side == "encoder":
        del parts[1]
    for number, (part, name, matrices) in enumerate(parts):
        ours = f"{side}.layers.{i}.{part}"
        theirs = f"{side}.block.{i}.layer.{number}"
        yield Entry(f"{theirs}.layer_norm.weight", (f"{ours}.norm.gamma",))
        for letter, matrix in matrices:
            yield Entry(
                f"{theirs}.{name}.{matrix}.weight",
                (f"{ours}.W_{letter}",),
                is_turned=True,
            )


WRITTEN_ACTIVATIONS = {
    "gelu_tanh": "gelu_new",
    "gelu": "gelu_python",
    "relu": "relu",
    "silu": "silu",
}


def t5_needs(config: ModelConfig) -> Needs:
    """What T5's class can be."""
    return {
        **two_sided(config),
        "gated": (True, False),
        "position": ("relative",),
        "scale_scores": (False,),
        "scale_embeddings": (False,),
        "output_bias": (False,),
        "norm": ("rms_norm",),
        "norm_place": ("pre",),
        "norm_embeddings": (False,),
        "activation": tuple(WRITTEN_ACTIVATIONS),
        "bias": (False,),
        "qkv_bias": (False,),
    }


def t5_settings(config: ModelConfig) -> dict[str, Any]:
    """The fields of T5's `config.json`."""
    bend = WRITTEN_ACTIVATIONS[config.activation]
    return {
        "model_type": "t5",
        "architectures": ["T5ForConditionalGeneration"],
        **{theirs: getattr(config, ours) for ours, theirs in SIZES.items()},
        N_LAYERS: config.n_layers,
        N_CTX: config.n_ctx,
        N_BUCKETS: config.relative_buckets,
        FARTHEST: config.relative_distance,
        EPS: config.eps,
        NETWORK: f"{GATED}-{bend}" if config.gated else bend,
        TIED: config.tie_embeddings,
        SCALE: config.scale_output,
        "is_encoder_decoder": True,
        START: config.start_id,
        PADDING: config.start_id,
        "dropout_rate": config.dropout,
    }


def t5_tensors(config: ModelConfig, weights: Weights) -> dict[str, Tensor]:
    """The weights by T5's names."""
    named = {each.theirs: packed(each, weights) for each in entries(config)}
    own = {} if config.tie_embeddings else {HEAD.theirs: weights["output.W_U"].T}
    return named | own


def nothing_else(_config: ModelConfig) -> list[str]:
    """All is stored as it is."""
    return []


T5 = Exporter("t5", "T5", t5_needs, t5_settings, t5_tensors, nothing_else)


def held_to(config: ModelConfig, look: Look, _odd: list[str]) -> ModelConfig:
    """With a table of its own for the output, where the files hold another one.

    Files of `transformers` 5 call every T5 tied, so that this is nothing odd.
    """
    head, table = look(HEAD.theirs), look(TABLE)
    if not config.tie_embeddings or head is None or table is None:
        return config
    return replace(config, tie_embeddings=torch.equal(head, table))


T5_FAMILY = Family(
    model_type="t5",
    title="T5",
    architectures=("T5ForConditionalGeneration", "T5Model", "T5WithLMHeadModel"),
    prefix="",
    layers="decoder.block.",
    encoder_layers="encoder.block.",
    config_of=t5_config,
    entries=entries,
    doubles=("encoder.embed_tokens.weight", "decoder.embed_tokens.weight"),
    held_to=held_to,
    unused=r"decoder\.block\.0\.layer\.1\.EncDecAttention\."
    r"relative_attention_bias\.weight",
    notes=(
        "It knows distances, not places, so a text may be longer than those it was "
        "trained with; here it ends at n_positions.",
    ),
)
MT5_FAMILY = replace(
    T5_FAMILY,
    model_type="mt5",
    title="mT5",
    architectures=("MT5ForConditionalGeneration", "MT5Model"),
    config_of=mt5_config,
)
