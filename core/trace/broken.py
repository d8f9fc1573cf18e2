"""What to say of a number that is none, or is infinite, or is 0 for a reason.

In: an explanation. Out: one sentence, "" for an ordinary number. A damaged weight is
followed one operand at a time: each says which of its operands is not a number.
"""

import math
from typing import TYPE_CHECKING

import numpy as np

from core.config import ModelConfig
from core.trace.given import unseen
from core.trace.numbers import place_name

if TYPE_CHECKING:
    from core.trace.explain import Explanation

HIDDEN = "Minus infinity: {why} and may not be looked at; the softmax makes 0 of it."
HIDDEN_SHARE = "0: {why}, so it may not be looked at."
PATTERN_AXES = 3
"""Of an index into the pattern: head, query, key."""


def broken_note(explanation: "Explanation", config: ModelConfig) -> str:
    """The sentence for a number that needs one."""
    value = explanation.recorded
    if explanation.op == "mask" and value == -math.inf:
        return HIDDEN.format(why=_why(explanation, config))
    if _is_hidden_share(explanation):
        return HIDDEN_SHARE.format(why=_why(explanation, config))
    if math.isfinite(value):
        return ""
    name = "Not a number" if math.isnan(value) else "Infinite"
    if explanation.op == "given":
        return f"{name}: the file that the model was read from is damaged here."
    return f"{name}: {_cause(explanation)}."


def _why(explanation: "Explanation", config: ModelConfig) -> str:
    query, key = explanation.index[-2:]
    return unseen(config, explanation.address, query, key)


def _is_hidden_share(explanation: "Explanation") -> bool:
    """A share of attention that is 0 because its score was masked."""
    is_share = explanation.op == "softmax" and len(explanation.index) == PATTERN_AXES
    if not is_share or explanation.recorded != 0:
        return False
    return bool(explanation.blocks[0].values[explanation.index[-1]] == -math.inf)


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
