"""The scales of a chart: ranges, round ticks and their texts. Pure numbers."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, isfinite, log10

import numpy as np
from numpy.typing import NDArray

from app.widgets.cell_text import MINUS

HEADROOM = 0.06
"""What is added above and below the values, as a share of their range."""
ROUND_STEPS = (1.0, 2.0, 5.0, 10.0)


@dataclass(frozen=True, slots=True)
class Span:
    """From where to where one axis runs."""

    low: float
    high: float

    def share(self, value: float) -> float:
        """How far along the axis a value lies: 0 at its low end, 1 at its high end."""
        return (value - self.low) / (self.high - self.low)

    def widened(self, share: float) -> "Span":
        """The span with `share` of its length added at both ends."""
        more = share * (self.high - self.low)
        return Span(self.low - more, self.high + more)


def span_of(arrays: Iterable[NDArray[np.floating]]) -> Span:
    """The range of all finite values; never empty, also where all are equal."""
    finite = [array[np.isfinite(array)] for array in arrays]
    values = np.concatenate([*finite, np.zeros(0)])
    if not values.size:
        return Span(0.0, 1.0)
    low, high = float(values.min()), float(values.max())
    if low < high:
        return Span(low, high)
    room = abs(low) / 2 or 1.0
    return Span(low - room, high + room)


def ticks(span: Span, n: int) -> tuple[float, ...]:
    """Up to about `n` round values within a span, at steps of 1, 2 or 5 times 10^k."""
    rough = (span.high - span.low) / max(1, n)
    if not isfinite(rough) or rough <= 0:
        return ()
    power = 10.0 ** floor(log10(rough))
    step = next(m for m in ROUND_STEPS if m * power >= rough * (1 - 1e-9)) * power
    first, last = ceil(span.low / step - 1e-9), floor(span.high / step + 1e-9)
    return tuple(index * step for index in range(first, last + 1))


def tick_texts(values: tuple[float, ...]) -> tuple[str, ...]:
    """The ticks as text, all with the same digits after the point.

    Steps below 0.0001 and values from 100,000 on are written with an exponent.
    """
    steps = [abs(b - a) for a, b in pairwise(values)]
    step, most = min(steps, default=1.0), max(map(abs, values), default=0.0)
    if step < 1e-4 or most >= 1e5:
        texts = [f"{value:.3g}" for value in values]
    else:
        digits = max(0, -floor(log10(step) + 1e-9))
        texts = [f"{value:.{digits}f}" for value in values]
    return tuple(text.replace("-", MINUS) for text in texts)
