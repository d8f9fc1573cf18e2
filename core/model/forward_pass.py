"""What all layers of one forward pass share: places, masks, the watcher, the cache."""

from dataclasses import dataclass

from torch import Tensor

from core.model.kv_cache import KeyValueCache
from core.model.recording import Watcher


@dataclass(frozen=True, slots=True, eq=False)
class ForwardPass:
    """Of one side; the layers of a decoder also get what the encoder made."""

    watch: Watcher
    positions: Tensor
    """[n]: where each token stands."""
    allowed: Tensor | None = None
    """[..., n_query, n_key] of bool: who may look at whom; None is the causal mask."""
    bias: Tensor | None = None
    """[n_heads, n_query, n_key]: what is added to scores, by distance."""
    cache: KeyValueCache | None = None
    """Keys and values of tokens that were read before."""
    memory: Tensor | None = None
    """[..., n_source, d_model]: the encoder's last rows; None where the cache has what
    the layers made of them."""
    memory_allowed: Tensor | None = None
    """[..., n_query, n_source] of bool: which tokens of the source are none of padding.
    """
