"""Numbers short enough for a cell: ".02", "1.0", "−1.4". Pure text."""

from math import floor, isfinite, log10

from core.trace.matrix import Scale

MINUS = "\u2212"


def cell_text(value: float, scale: Scale) -> str:
    """The number in a cell, to the precision its scale calls for; "" for no value.

    What is under the scale's threshold has no colour, and no number either.
    """
    if not isfinite(value) or abs(value) < scale.threshold:
        return ""
    text = f"{value:.{decimals(scale)}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    if scale.limit <= 1:
        text = _without_leading_zero(text)
    return text.replace("-", MINUS)


def decimals(scale: Scale) -> int:
    """Digits after the point, alike for all cells: a tenth of the limit is not zero.

    There is always one, so that no small number passes for a whole one.
    """
    if scale.limit <= 0:
        return 1
    if scale.kind == "share" and scale.limit >= 1:
        return 2 if scale.limit == 1 else 1
    return min(4, max(1, 1 - floor(log10(scale.limit))))


def _without_leading_zero(text: str) -> str:
    """Write "0.02" as ".02", "-0.14" as "-.14", "1.00" as "1.0", "0.00" as ".00"."""
    if text.removeprefix("-").startswith("1."):
        return text[:-1] if text.endswith("0") and len(text) > 3 else text
    return text.replace("0.", ".", 1)


def range_text(value: float) -> str:
    """An end of a scale: up to three digits that matter, "0", "1", "−4.2", "0.031"."""
    text = f"{value:.3g}"
    return text.replace("-", MINUS)
