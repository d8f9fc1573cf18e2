"""What a mask hides, and why an attention cell is empty: four ways to be hidden.

In: the mask of an attention, [n_query, n_key], and two places. Out: a few words.
"""

import numpy as np
from numpy.typing import NDArray

from core.trace.given import looks_both_ways
from core.trace.trace import Trace

NO_KEY = "no valid key"
"""Every token that this one may look at is padding: the whole row is empty."""
AFTER = "the key comes after the query"
PADDING = "padding"
FAR = "farther back than the model looks"
CAUSAL = "masked cells are empty: their score is −∞"
EVERY = "nothing is masked: every token may look at every other, before and behind it"
CROSSED = "nothing is masked: the whole source has been read before a word is written"
ONLY_PADDING = "only padding is masked: its score is −∞, and nobody looks at it"


def why_hidden(mask: NDArray[np.bool_], query: int, key: int) -> str:
    """Why a query may not look at a key; "" where it may."""
    if mask[query, key]:
        return ""
    if not mask[query].any():
        return NO_KEY
    if not mask[:, key].any():
        return PADDING
    return AFTER if key > query else FAR


def mask_words(trace: Trace, attn: str) -> str:
    """What the mask of an attention does, in a sentence without its full stop."""
    if is_causal(trace, attn):
        return CAUSAL
    step = trace.step(f"{attn}.masked")
    nothing = CROSSED if step.is_cross else EVERY
    return nothing if trace.mask_of(step.key).all() else ONLY_PADDING


def is_causal(trace: Trace, attn: str) -> bool:
    """Whether tokens are hidden from those before them in an attention."""
    return not looks_both_ways(trace.config, f"{attn}.masked")
