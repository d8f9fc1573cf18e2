"""How much it takes to derive a part: the window asks before it does so itself."""

import math
from typing import TYPE_CHECKING

from core.trace.needs import SUMS_OF_PRODUCTS, Index, input_letters, needs, places

if TYPE_CHECKING:
    from core.trace.trace import Trace


def multiplications(trace: "Trace", address: str, index: Index) -> int:
    """Multiplications needed for a part of a step, down to what is kept or cached."""
    if trace.is_stored(address, index):
        return 0
    step = trace.step(address)
    shape = trace.shape(address)
    n_numbers = math.prod(
        size if place is None else 1 for size, place in zip(shape, index, strict=True)
    )
    inner = 1
    if step.op in SUMS_OF_PRODUCTS:
        left = zip(input_letters(step.op)[0], trace.shape(step.inputs[0]), strict=True)
        at = places(step, index, trace.config)
        inner = math.prod(size for letter, size in left if letter not in at)
    parts = zip(step.inputs, needs(step, index, trace.config), strict=True)
    below = (
        multiplications(trace, source, part)
        for source, part in parts
        if source in trace.keys
    )
    return n_numbers * inner + sum(below)
