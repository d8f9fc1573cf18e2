"""Which stretch of an axis is shown: to zoom and to pan. Pure arithmetic of ranges."""

LEAST_SHOWN = 4
"""A stretch never has fewer places than this, where the axis has so many."""


def zoomed(shown: range, n: int, at: float, factor: float) -> range:
    """The stretch of an axis of `n` places with `factor` times as many of them.

    What lies at the share `at` of the stretch stays there, as far as the ends allow.
    """
    wished = round(len(shown) * factor)
    if wished == len(shown) and factor != 1:
        wished += 1 if factor > 1 else -1
    length = min(max(wished, LEAST_SHOWN), n)
    pivot = shown.start + at * len(shown)
    return placed(round(pivot - at * length), length, n)


def moved(shown: range, n: int, by: int) -> range:
    """The stretch `by` places on, as far as there are any."""
    return placed(shown.start + by, len(shown), n)


def revealing(shown: range, n: int, place: int) -> range:
    """The nearest stretch of the same length that holds a place."""
    if place in shown:
        return shown
    by = place - shown.start if place < shown.start else place - shown.stop + 1
    return moved(shown, n, by)


def placed(start: int, length: int, n: int) -> range:
    """A stretch of a length inside the axis, beginning as near to `start` as it can."""
    start = min(max(start, 0), n - length)
    return range(start, start + length)
