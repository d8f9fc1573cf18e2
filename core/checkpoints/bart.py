"""BART as `transformers` has it: read.

Lewis et al. 2020: the model of 2017 with learned places, whose table begins two rows
before the first token's, and with norms behind the embeddings. Marian has its names.
Matrices are stored the other way round, [d_out, d_in].
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from core.checkpoints.entries import Entry
from core.checkpoints.family import EMBEDDING, Family
from core.checkpoints.fields import Fields
from core.checkpoints.generation import tell_generation
from core.checkpoints.sides import (
    START,
    check_alike,
    check_both_sides,
    check_layers,
    start_id,
)
from core.config import ModelConfig

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
        yield from _norm(f"model.{side}.layernorm_embedding", f"{side}.embed.norm")
    for i in range(n_layers):
        yield from _layer(side, i)


def _layer(side: str, i: int) -> Iterator[Entry]:
    theirs, ours = f"model.{side}.layers.{i}", f"{side}.layers.{i}"
    parts = [("attn", "self_attn"), ("cross", "encoder_attn")]
    if side == "encoder":
        del parts[1]
    for part, name in parts:
        for letter, matrix in MATRICES:
            yield from _matrix(f"{theirs}.{name}.{matrix}", f"{ours}.{part}", letter)
        yield from _norm(f"{theirs}.{name}_layer_norm", f"{ours}.{part}.norm")
    for letter, matrix in NETWORK:
        yield from _matrix(f"{theirs}.{matrix}", f"{ours}.ffn", letter)
    yield from _norm(f"{theirs}.final_layer_norm", f"{ours}.ffn.norm")


def _matrix(theirs: str, ours: str, letter: str) -> Iterator[Entry]:
    yield Entry(f"{theirs}.weight", (f"{ours}.W_{letter}",), is_turned=True)
    yield Entry(f"{theirs}.bias", (f"{ours}.b_{letter}",))


def _norm(theirs: str, ours: str) -> Iterator[Entry]:
    yield Entry(f"{theirs}.weight", (f"{ours}.gamma",))
    yield Entry(f"{theirs}.bias", (f"{ours}.beta",))


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
    doubles=(
        "model.encoder.embed_tokens.weight",
        "model.decoder.embed_tokens.weight",
    ),
    unused=r"model\.(encoder|decoder)\.version",
)
