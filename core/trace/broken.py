"""What to say of a number that is none, or is infinite, or is 0 for a reason.

In: an explanation. Out: one sentence, "" for an ordinary number. A damaged weight is
followed one operand at a time: each says which of its operands is not a number.
"""

import math
from typing import TYPE_CHECKING

import numpy as np

from core.trace.numbers import place_name

if TYPE_CHECKING:
    from core.trace.explain import Explanation

HIDDEN = (
    "Minus infinity: the key comes after the query and may not be looked at; the "
    "softmax makes 0 of it."
)
HIDDEN_SHARE = "0: the key comes after the query, so it may not be looked at."


def broken_note(explanation: "Explanation") -> str:
    """The sentence for a number that needs one."""
    value = explanation.recorded
    if explanation.op == "mask" and value == -math.inf:
        return HIDDEN
    if explanation.op == "softmax" and value == 0:
        own = explanation.blocks[0].values[explanation.index[-1]]
        return HIDDEN_SHARE if own == -math.inf else ""
    if math.isfinite(value):
        return ""
    name = "Not a number" if math.isnan(value) else "Infinite"
    if explanation.op == "given":
        return f"{name}: the file that the model was read from is damaged here."
    return f"{name}: {_cause(explanation)}."


def _cause(explanation: "Explanation") -> str:
    """The first operand that is to blame, or that the arithmetic has no answer."""
    n_broken = 0
    first = ""
    for block in explanation.blocks:
        for place in np.flatnonzero(~np.isfinite(block.values)):
            operand = block.operand(int(place))
            first = first or place_name(operand.address, operand.index)
            n_broken += 1
    if not first:
        return "the result is larger than 32 bits can hold"
    others = f" (and {n_broken - 1} more operands)" if n_broken > 1 else ""
    return f"{first} is not a finite number{others}"
