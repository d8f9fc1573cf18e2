"""Numbers in words, the same on every page of the studio: "1.2 MB", "about 14 minutes".

In: bytes, counts, minutes. Out: short texts, with a point in every locale.
"""

UNITS = ("B", "KB", "MB", "GB", "TB")
STEP = 1000
MINUTES_AN_HOUR, MINUTES_A_DAY = 60, 60 * 24
SHORT_NAMES = ((1e9, "B"), (1e6, "M"), (1e3, "k"))


def size_text(n_bytes: float) -> str:
    """A size on the disk or in memory: "17 B", "1.2 MB", "340 MB"."""
    size, unit = float(n_bytes), 0
    while size >= STEP and unit < len(UNITS) - 1:
        size, unit = size / STEP, unit + 1
    return f"{rounded(size) if unit else f'{size:.0f}'} {UNITS[unit]}"


def count_text(n: float) -> str:
    """A large number in few letters: "812", "1.8 M", "124 M"."""
    for factor, name in SHORT_NAMES:
        if n >= factor:
            return f"{rounded(n / factor)} {name}"
    return f"{n:.0f}"


def rounded(number: float) -> str:
    """Three digits at most: "1.25", "12.5", "340"."""
    text = f"{number:.{2 if number < 10 else 1 if number < 100 else 0}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def duration_text(minutes: float) -> str:
    """How long something takes, about: "under a minute", "14 minutes", "3.5 days"."""
    if minutes < 1:
        return "under a minute"
    if minutes < MINUTES_AN_HOUR:
        n = round(minutes)
        return "1 minute" if n == 1 else f"{n} minutes"
    if minutes < MINUTES_A_DAY:
        return f"{rounded(minutes / MINUTES_AN_HOUR)} hours"
    return f"{rounded(minutes / MINUTES_A_DAY)} days"


def plural(n: int, what: str) -> str:
    """How many of something: "1 file", "1,024 files"."""
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"
