"""Traces of small random models, from ids alone."""

from collections.abc import Sequence
from functools import lru_cache

import torch

from core.bundle import make_bundle
from core.config import ModelConfig
from core.model.transformer import Transformer
from core.pipeline import run_trace
from core.tokenizers.bpe import BpeTokenizer
from core.trace.edits import Edit
from core.trace.trace import Trace

LETTERS = BpeTokenizer.from_merges(())
"""256 bytes and no merges: enough where only ids matter."""


@lru_cache(maxsize=4)
def random_model(config: ModelConfig, seed: int) -> Transformer:
    """A model whose norms and biases are random too, so that none can hide."""
    torch.manual_seed(seed)
    model = Transformer(config)
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(torch.randn_like(weight), alpha=0.3)
    return model


def traced_ids(
    config: ModelConfig, ids: Sequence[int], seed: int = 0, edits: Sequence[Edit] = ()
) -> Trace:
    """The trace of some ids through `random_model(config, seed)`."""
    bundle = make_bundle(random_model(config, seed), LETTERS, name="random")
    return run_trace(bundle, ids=ids, edits=edits)
