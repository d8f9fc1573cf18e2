"""What a model card says, in words: titles and values, notes and warnings.

In: `ModelCard`. Out: plain text.
"""

from collections.abc import Callable, Iterable
from typing import Any

from app.model_card import ModelCard
from core.config import ModelConfig

POSITIONS = {
    "learned": "a learned table",
    "sinusoidal": "added waves",
    "rotary": "rotated queries and keys",
    "relative": "scores shifted by distance",
    "none": "none",
}
SCALINGS = {
    "none": "",
    "linear": ", stretched {0:g} times",
    "llama3": ", stretched {0:g} times as Llama 3.1 is",
}
NORMS = {"layer_norm": "layer norm", "rms_norm": "RMS norm"}
PLACES = {"pre": "before each part", "post": "after each part"}
ACTIVATIONS = {
    "relu": "ReLU",
    "gelu": "GELU, exact",
    "gelu_tanh": "GELU, estimated by tanh",
    "silu": "SiLU",
}
TIED, UNTIED = "yes, one table serves both", "no, a table of its own"


def _heads(config: ModelConfig) -> str:
    shared = f"{config.n_heads} of width {config.d_head}"
    if config.n_kv_heads == config.n_heads:
        return shared
    return f"{shared}; {config.n_kv_heads} of keys and values"


def _layers(config: ModelConfig) -> str:
    if not config.has_encoder:
        return f"{config.n_layers}"
    return f"{config.n_encoder_layers} of the encoder, {config.n_layers} of the decoder"


def _positions(config: ModelConfig) -> str:
    said = POSITIONS.get(config.position, config.position)
    if config.position == "sinusoidal" and config.sinusoid_halves:
        return f"{said}, all sines before all cosines"
    if config.position == "learned" and config.position_offset:
        return f"{said}, from its row {config.position_offset} on"
    if config.position == "relative":
        n, farthest = config.relative_buckets, config.relative_distance
        return f"{said}, {n} shifts a head, the last from {farthest} tokens on"
    if config.position != "rotary":
        return said
    stretched = SCALINGS[config.rotary_scaling].format(config.rotary_factor)
    return f"{said}, base {config.rotary_base:,.0f}{stretched}"


def _feed_forward(config: ModelConfig) -> str:
    if not config.feed_forward:
        return "none"
    gate = ", gated" if config.gated else ""
    bend = ACTIVATIONS.get(config.activation, config.activation)
    wide = f"{config.d_ff:,} wide{gate}, {bend}"
    if not config.n_experts:
        return wide
    return f"{config.n_experts} experts, {config.n_experts_per_token} asked; {wide}"


def _start(config: ModelConfig) -> str:
    return f"with token {config.start_id}" if config.has_encoder else ""


def _norm(config: ModelConfig) -> str:
    if config.norm == "none":
        return "none"
    return f"{NORMS[config.norm]} {PLACES[config.norm_place]}, ε = {config.eps:g}"


FACTS: tuple[tuple[str, Callable[[ModelConfig], str]], ...] = (
    ("Layers", _layers),
    ("Width", lambda config: f"{config.d_model:,}"),
    ("Heads", _heads),
    ("Feed-forward", _feed_forward),
    ("Vocabulary", lambda config: f"{config.n_vocab:,} tokens"),
    ("Context", lambda config: f"{config.n_ctx:,} tokens"),
    ("Positions", _positions),
    ("Norm", _norm),
    ("Output tied", lambda config: TIED if config.tie_embeddings else UNTIED),
    ("A target begins", _start),
)
"""What is said of a configuration, in order; a row without words is left out."""


def facts_about(card: ModelCard) -> list[tuple[str, str]]:
    """Titles and values."""
    told = ((title, say(card.config)) for title, say in FACTS)
    facts = [(title, said) for title, said in told if said]
    if card.is_recorded:
        return [*facts, ("Weights", "none: this is a trace file")]
    place = [] if card.folder is None else [("Place", str(card.folder))]
    badge = [("Reference", card.badge)] if card.badge else []
    return [*facts, ("Computes", f"in float32 on {card.device}"), *badge, *place]


def notes_about(card: ModelCard) -> list[tuple[str, str]]:
    """Sentences, and the colour of each; what is odd comes first."""
    return [
        *((text, "warning") for text in card.warnings),
        *((text, "text") for text in card.notes),
    ]


def kinds_text(kinds: Iterable[tuple[str, Any]]) -> str:
    """Kinds of numbers in the files: "Q4_1 (106,168,320), F32 (35,136)"."""
    return ", ".join(f"{kind} ({n:,})" for kind, n in kinds)
