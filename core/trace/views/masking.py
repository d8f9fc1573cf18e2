"""Why an attention cell is empty: four ways for a key to be hidden from a query.

In: the mask of a trace, [n_query, n_key], and two places. Out: a few words.
"""

import numpy as np
from numpy.typing import NDArray

NO_KEY = "no valid key"
"""Every token that this one may look at is padding: the whole row is empty."""
AFTER = "the key comes after the query"
PADDING = "padding"
FAR = "farther back than the model looks"


def why_hidden(mask: NDArray[np.bool_], query: int, key: int) -> str:
    """Why a query may not look at a key; "" where it may."""
    if mask[query, key]:
        return ""
    if not mask[query].any():
        return NO_KEY
    if not mask[:, key].any():
        return PADDING
    return AFTER if key > query else FAR
