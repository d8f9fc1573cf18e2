"""Ticks with their texts, for axes that count and for axes that multiply.

Pure numbers, beside `chart_scale`.
"""

import math

from app.widgets.chart_scale import Span, tick_texts, ticks

ROUND_LEADS = (1, 2, 5)
"""First digits of the ticks of a logarithmic axis."""


def plain_ticks(span: Span, n: int) -> list[tuple[float, str]]:
    """Round values within a span, with their texts."""
    values = ticks(span, n)
    return list(zip(values, tick_texts(values), strict=True))


def log_ticks(span: Span, n: int) -> list[tuple[float, str]]:
    """Ticks of a logarithmic axis, whose span is in powers of ten: (power, text).

    Over less than two powers they are round values; else 1, 2 and 5 of each, or whole
    powers only where those are too many.
    """
    if span.high - span.low < 2:
        values = ticks(Span(10**span.low, 10**span.high), n)
        pairs = zip(values, tick_texts(values), strict=True)
        return [(math.log10(value), text) for value, text in pairs if value > 0]
    powers = range(math.floor(span.low), math.ceil(span.high) + 1)
    leads = ROUND_LEADS if len(ROUND_LEADS) * len(powers) <= 2 * n else (1,)
    places = [power + math.log10(lead) for power in powers for lead in leads]
    every = max(1, len(places) // max(1, n))
    return [
        (place, f"{10**place:.3g}")
        for place in places[::every]
        if span.low <= place <= span.high
    ]
