"""BART as `transformers` has it: read and written.

Lewis et al. 2020: the model of 2017 with learned places, whose table begins two rows
before the first token's, and with norms behind the embeddings. Marian has its names.
Matrices are stored the other way round, [d_out, d_in].
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from core.checkpoints.entries import (
    Entry,
    Weights,
    linear_entries,
    norm_entries,
    packed,
)
from core.checkpoints.exporter import Exporter, Needs, two_sided
from core.checkpoints.family import EMBEDDING, HEAD, Family
from core.checkpoints.fields import Fields
from core.checkpoints.generation import tell_generation
from core.checkpoints.native import weight_shapes
from core.checkpoints.sides import (
    PADDING,
    START,
    check_alike,
    check_both_sides,
    check_layers,
    start_id,
)
from core.config import ModelConfig
from core.model import functions

SIZES = {
    "n_vocab": "vocab_size",
    "n_ctx": "max_position_embeddings",
    "d_model": "d_model",
    "d_ff": "encoder_ffn_dim",
    "n_heads": "encoder_attention_heads",
    "n_encoder_layers": "encoder_layers",
    "n_layers": "decoder_layers",
}
"""Our fields and theirs; all of them must be there."""
SAID = {"start_id": START, "scale_embeddings": "scale_embedding"}
OFFSET = 2
"""Rows of the table of places before the first token's."""
SIDES = ("encoder", "decoder")
DOUBLES = tuple(f"model.{side}.embed_tokens.weight" for side in SIDES)
"""The one table of embeddings as each side's."""
SHIFT = "final_logits_bias"
"""What is added to each logit; a file without it adds nothing."""
EPS = 1e-5
"""Of the norms; it is in the code and in no file."""
MATRICES = (("Q", "q_proj"), ("K", "k_proj"), ("V", "v_proj"), ("O", "out_proj"))
NETWORK = (("1", "fc1"), ("2", "fc2"))
"""Our letter and their name of every matrix."""
NOT_HERE = ("normalize_before", "add_final_layer_norm", "do_blenderbot_90_layernorm")


def bart_config(fields: Fields) -> ModelConfig:
    """BART."""
    fields.must_be("normalize_embedding", True)
    fields.must_be("static_position_embeddings", False)
    fields.must_be("extra_pos_embeddings", OFFSET)
    return shared_config(
        fields,
        2,
        position="learned",
        position_offset=OFFSET,
        norm_embeddings=True,
    )


def shared_config(fields: Fields, start: int, **settings: Any) -> ModelConfig:
    """What BART and Marian tell alike; `start` is the class's own start token."""
    check_both_sides(fields)
    for name in NOT_HERE:
        fields.must_be(name, False)
    check_alike(fields, "decoder_ffn_dim", "encoder_ffn_dim")
    check_alike(fields, "decoder_attention_heads", "encoder_attention_heads")
    check_layers(fields, "encoder_layers", "decoder_layers")
    config = fields.config(
        SIZES,
        SAID,
        start_id=start_id(fields, start),
        norm_place="post",
        count_padding=True,
        activation=fields.activation("activation_function", "gelu"),
        scale_embeddings=fields.switch("scale_embedding", default=False),
        tie_embeddings=fields.switch("tie_word_embeddings", default=True),
        eps=EPS,
        **settings,
    )
    tell_generation(fields)
    return config


def headed(config: ModelConfig, stored: Mapping[str, object]) -> ModelConfig:
    """The configuration with what is added to logits, where the files hold it."""
    return replace(config, output_bias=SHIFT in stored)


def entries(config: ModelConfig) -> tuple[Entry, ...]:
    """Where the weights are kept."""
    shift = (Entry(SHIFT, ("output.b_U",), is_row=True),)
    return (
        Entry("model.shared.weight", (EMBEDDING,)),
        *_side(config, "encoder", config.n_encoder_layers),
        *_side(config, "decoder", config.n_layers),
        *(shift if config.output_bias else ()),
    )


def _side(config: ModelConfig, side: str, n_layers: int) -> Iterator[Entry]:
    if config.position == "learned":
        places = f"model.{side}.embed_positions.weight"
        yield Entry(places, (f"{side}.embed.position.W_P",))
    if config.norm_embeddings:
        yield from norm_entries(
            f"model.{side}.layernorm_embedding", f"{side}.embed.norm"
        )
    for i in range(n_layers):
        yield from _layer(side, i)


def _layer(side: str, i: int) -> Iterator[Entry]:
    theirs, ours = f"model.{side}.layers.{i}", f"{side}.layers.{i}"
    parts = [("attn", "self_attn"), ("cross", "encoder_attn")]
    if side == "encoder":
        del parts[1]
    for part, name in parts:
        for letter, matrix in MATRICES:
            yield from linear_entries(
                f"{theirs}.{name}.{matrix}", f"{ours}.{part}", letter
            )
        yield from norm_entries(f"{theirs}.{name}_layer_norm", f"{ours}.{part}.norm")
    for letter, matrix in NETWORK:
        yield from linear_entries(f"{theirs}.{matrix}", f"{ours}.ffn", letter)
    yield from norm_entries(f"{theirs}.final_layer_norm", f"{ours}.ffn.norm")


WRITTEN_ACTIVATIONS = {
    "gelu": "gelu",
    "gelu_tanh": "gelu_new",
    "relu": "relu",
    "silu": "silu",
}


def shared_needs(config: ModelConfig) -> Needs:
    """What both BART's and Marian's class can be."""
    return {
        **two_sided(config),
        "d_head": (config.d_model // config.n_heads,),
        "position": ("learned", "sinusoidal", "none"),
        "scale_scores": (True,),
        "scale_output": (False,),
        "norm": ("layer_norm",),
        "norm_place": ("post",),
        "activation": tuple(WRITTEN_ACTIVATIONS),
        "eps": (EPS,),
    }


def bart_needs(config: ModelConfig) -> Needs:
    """What BART's class can be: its embeddings are normed."""
    return {**shared_needs(config), "norm_embeddings": (True,)}


def shared_settings(config: ModelConfig) -> dict[str, Any]:
    """The fields that both have in their `config.json`."""
    return {
        **{theirs: getattr(config, ours) for ours, theirs in SIZES.items()},
        "decoder_ffn_dim": config.d_ff,
        "decoder_attention_heads": config.n_heads,
        "activation_function": WRITTEN_ACTIVATIONS[config.activation],
        "scale_embedding": config.scale_embeddings,
        "tie_word_embeddings": config.tie_embeddings,
        "is_encoder_decoder": True,
        START: config.start_id,
        PADDING: config.start_id,
        "forced_eos_token_id": None,
        "dropout": config.dropout,
    }


def bart_settings(config: ModelConfig) -> dict[str, Any]:
    """The fields of BART's `config.json`."""
    return {
        "model_type": "bart",
        "architectures": ["BartForConditionalGeneration"],
        **shared_settings(config),
    }


def bart_tensors(config: ModelConfig, weights: Weights) -> dict[str, Tensor]:
    """The weights by BART's names."""
    unused = torch.zeros(OFFSET, config.d_model)
    tables = {
        side: torch.cat((unused, places(config, weights, side))) for side in SIDES
    }
    return shared_tensors(config, weights, tables)


def shared_tensors(
    config: ModelConfig, weights: Weights, tables: Mapping[str, Tensor]
) -> dict[str, Tensor]:
    """The weights by both classes' names, places as a table a side, zeros for the rest.

    With a table of its own for the output, each side's is one of its own there, too.
    """
    whole = replace(
        config,
        bias=True,
        position="learned" if tables else "sinusoidal",
        position_offset=0,
        output_bias=True,
    )
    written = {
        **{a: torch.zeros(s) for a, s in weight_shapes(whole).items()},
        **weights,
        **{f"{side}.embed.position.W_P": table for side, table in tables.items()},
    }
    named = {each.theirs: packed(each, written) for each in entries(whole)}
    if not config.tie_embeddings:
        for name in DOUBLES:
            named[name] = weights[EMBEDDING].clone()
        named[HEAD.theirs] = weights["output.W_U"].T
    return named


def places(config: ModelConfig, weights: Weights, side: str) -> Tensor:
    """What is added at each place: [n_ctx, d_model]."""
    if config.position == "learned":
        return weights[f"{side}.embed.position.W_P"][config.position_offset :]
    if config.position == "none":
        return torch.zeros(config.n_ctx, config.d_model)
    write = functions.sinusoid_halves if config.sinusoid_halves else functions.sinusoid
    return write(torch.arange(config.n_ctx), config.d_model, config.sinusoid_base)


def notes(config: ModelConfig) -> list[str]:
    """Say which parts of these classes stand for something fixed in ours."""
    found = []
    if config.position == "sinusoidal":
        found.append("The waves that tell positions are stored as tables.")
    if config.position == "none":
        found.append("The tables of positions are zero.")
    if not config.bias:
        found.append("Biases are zero.")
    return found


BART = Exporter("bart", "BART", bart_needs, bart_settings, bart_tensors, notes)
BART_FAMILY = Family(
    model_type="bart",
    title="BART",
    architectures=("BartForConditionalGeneration", "BartModel"),
    prefix="model.",
    layers="model.decoder.layers.",
    encoder_layers="model.encoder.layers.",
    config_of=bart_config,
    entries=entries,
    outside=("lm_head.", SHIFT),
    headed=headed,
    doubles=DOUBLES,
    unused=r"model\.(encoder|decoder)\.version",
)
