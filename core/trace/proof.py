"""The end of every answer: the number computed anew, the recorded one, the difference.

In: an explanation. Out: three lines whose digits stand below one another. Both numbers
are written with every digit that float32 can tell apart.
"""

import math
from typing import TYPE_CHECKING, NamedTuple

from core.trace.numbers import MINUS, is_whole, short

if TYPE_CHECKING:
    from core.trace.explain import Explanation

DIGITS = 8
"""Figures of the two numbers: float32 tells seven apart, the eighth shows rounding."""
CLOSE = 1e-4
"""Recomputing may differ by rounding: this much, or this share of the number."""
MOST_PLACES = 12


class ProofLine(NamedTuple):
    """A line of the proof."""

    label: str
    text: str


def proof_lines(explanation: "Explanation") -> tuple[ProofLine, ...]:
    """Recomputed, recorded, difference; nothing where nothing was computed."""
    if explanation.op == "given":
        return ()
    value, recorded = explanation.value, explanation.recorded
    size = max(abs(value), abs(recorded))
    places = 0 if is_whole(explanation.address) else _places(size)
    return (
        ProofLine("recomputed", _written(value, places)),
        ProofLine("recorded", _written(recorded, places)),
        ProofLine("difference", _difference(explanation.difference, places)),
    )


def is_close(value: float, recorded: float) -> bool:
    """Whether two ways to compute a number agree up to rounding."""
    if value == recorded or (math.isnan(value) and math.isnan(recorded)):
        return True
    return abs(value - recorded) <= CLOSE * max(1, abs(recorded))


def _places(size: float) -> int | None:
    """Digits behind the point; None for numbers written with an exponent."""
    if not math.isfinite(size):
        return 0
    if size == 0:
        return DIGITS - 1
    before = math.floor(math.log10(size)) + 1
    places = DIGITS - before
    return places if 0 <= places <= MOST_PLACES else None


def _written(x: float, places: int | None) -> str:
    if not math.isfinite(x):
        return short(x)
    text = f"{x:.{DIGITS - 1}e}" if places is None else f"{x:.{places}f}"
    return text.replace("-", MINUS)


def _difference(x: float, places: int | None) -> str:
    """With as many places as the numbers; one that would vanish there by its power."""
    if x == 0:
        return "0" if not places else f"{0:.{places}f}"
    if places is None or not math.isfinite(x) or abs(x) < 10**-places:
        return short(x, 2)
    return _written(x, places)
