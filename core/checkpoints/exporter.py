"""What an exporter is, and what all of them do to embeddings.

An exporter writes a model as a class of `transformers` expects it. What that class has
no field for is said in the weights where that changes no logit: embeddings that are
scaled are stored scaled, beside a table of their own for the output.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from core.checkpoints.entries import Weights
from core.config import ModelConfig

Needs = Mapping[str, tuple[Any, ...]]
"""Fields of `ModelConfig`, and the values that a class can have for them."""

WRITING: Needs = {
    "attention": ("causal",),
    "n_segments": (0,),
    "output_head": ("unembed",),
    "n_experts": (0,),
    "feed_forward": (True,),
    "mix_heads": (True,),
    "residual": (True,),
}
"""Of every class that writes the next token."""
ONE_SIDED: Needs = {
    **WRITING,
    "n_encoder_layers": (0,),
    "norm_embeddings": (False,),
    "position_offset": (0,),
    "scale_scores": (True,),
    "scale_output": (False,),
    "output_bias": (False,),
}
"""Of every class that has no encoder."""


def two_sided(config: ModelConfig) -> Needs:
    """Of every class that has an encoder and a decoder of any number of layers."""
    return {
        **WRITING,
        "n_encoder_layers": (max(config.n_encoder_layers, 1),),
        "gated": (False,),
        "n_kv_heads": (config.n_heads,),
        "norm_qk": (False,),
        "window": (0,),
    }


@dataclass(frozen=True, slots=True)
class Exporter:
    """A class of `transformers`, as a row of the table `EXPORTERS`."""

    name: str
    """Its `model_type`."""
    title: str
    needs: Callable[[ModelConfig], Needs]
    settings: Callable[[ModelConfig], dict[str, Any]]
    """The fields of its `config.json`."""
    tensors: Callable[[ModelConfig, Weights], dict[str, Tensor]]
    """The weights under its names and in its order."""
    notes: Callable[[ModelConfig], list[str]]
    """What is stored otherwise than here, and would learn otherwise: sentences."""

    def obstacles(self, config: ModelConfig) -> list[str]:
        """The fields whose values the class cannot have."""
        needs = self.needs(config)
        return [field for field in needs if getattr(config, field) not in needs[field]]


def shares_table(config: ModelConfig) -> bool:
    """Whether one table serves as embedding and as output in the class, too."""
    return config.tie_embeddings and not config.scale_embeddings


def embedding_notes(config: ModelConfig) -> list[str]:
    """Say that embeddings are stored scaled, if they are."""
    if not config.scale_embeddings:
        return []
    return [
        "Embeddings are stored multiplied by sqrt(d_model), and the output has a table "
        "of its own."
    ]


def embedding(config: ModelConfig, weights: Weights) -> Tensor:
    """The rows that tokens become, already scaled: [n_vocab, d_model]."""
    table = weights["embed.W_E"]
    return table * math.sqrt(config.d_model) if config.scale_embeddings else table


def output_table(config: ModelConfig, weights: Weights) -> dict[str, Tensor]:
    """The table that logits are read off with, if it is one of its own.

    [n_vocab, d_model]
    """
    if shares_table(config):
        return {}
    if config.tie_embeddings:
        return {"lm_head.weight": weights["embed.W_E"]}
    return {"lm_head.weight": weights["output.W_U"].T}
