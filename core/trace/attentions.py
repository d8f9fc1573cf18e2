"""The attentions of a model by kind: a text that looks at itself, or at another.

In a model of one stack all are of one kind. Behind an encoder there are three: the
encoder's, the decoder's own, and the decoder's that look at the source. Kinds have
their own tokens, so heads are put together and compared within a kind alone.
"""

from dataclasses import dataclass
from functools import lru_cache

from core.config import ModelConfig
from core.trace.step import (
    CROSS,
    DECODER,
    ENCODER,
    ONE,
    layer_of,
    part_of,
    side_of,
)
from core.trace.steps import layers_of


@dataclass(frozen=True, slots=True)
class Kind:
    """The attentions of one kind, a layer each."""

    name: str
    """"encoder", "decoder", "cross"; "" in a model of one stack."""
    paths: tuple[str, ...]
    """By layer: "decoder.layers.0.cross"."""

    @property
    def n_layers(self) -> int:
        """Layers that have it."""
        return len(self.paths)

    @property
    def is_cross(self) -> bool:
        """Whether tokens of one text look at those of another."""
        return self.name == CROSS

    def key(self, name: str, layer: int = 0) -> str:
        """A step of a layer's attention: "decoder.layers.0.cross.pattern"."""
        return f"{self.paths[layer]}.{name}"

    def layer_words(self, layer: int) -> str:
        """A layer counted from 1: "layer 2", "encoder layer 2", "cross layer 2"."""
        return _layer_words(self.name, layer)


@lru_cache(maxsize=64)
def kinds_of_attention(config: ModelConfig) -> tuple[Kind, ...]:
    """The kinds that a model has: one, or the encoder's, the decoder's and cross."""
    layers = layers_of(config)

    def of(side: str, part: str) -> tuple[str, ...]:
        return tuple(f"{path}.{part}" for path in layers if side_of(path) == side)

    if not config.has_encoder:
        return (Kind("", of(ONE, "attn")),)
    return (
        Kind(ENCODER, of(ENCODER, "attn")),
        Kind(DECODER, of(DECODER, "attn")),
        Kind(CROSS, of(DECODER, CROSS)),
    )


def kind_of(config: ModelConfig, key: str) -> Kind:
    """The kind that a step of an attention belongs to, or the attention itself."""
    return kind_named(config, _kind_name(key))


def kind_named(config: ModelConfig, name: str) -> Kind:
    """The kind of that name; a model without such a kind has its first one looked at.

    What was chosen may be from another model.
    """
    kinds = kinds_of_attention(config)
    return next((kind for kind in kinds if kind.name == name), kinds[0])


def attention_words(attn: str) -> str:
    """An attention by its layer: "layer 2", "cross layer 2"."""
    layer = layer_of(attn)
    assert layer is not None, f"{attn} is in no layer"
    return _layer_words(_kind_name(attn), layer)


def _kind_name(key: str) -> str:
    """Of the kind that a step of an attention belongs to, or the attention itself."""
    return CROSS if part_of(f"{key}.") == CROSS else side_of(key)


def _layer_words(name: str, layer: int) -> str:
    return f"{name} layer {layer + 1}".lstrip()
