"""Pure colour arithmetic: luminance, contrast, and inks that stay readable.

In: colours as "#RRGGBB". Out: numbers and colours of the same form. No Qt.
Source: WCAG 2.2, "relative luminance" and "contrast ratio".
"""

from functools import cache

READABLE = 4.5
"""The least contrast of text with what is behind it (WCAG AA)."""

EASY = 7.0
"""The contrast of text that is read without effort (WCAG AAA)."""

BLACK, WHITE = "#000000", "#FFFFFF"

LIGHT_SHARES = (0.2126, 0.7152, 0.0722)
"""How much red, green and blue light make a colour light."""


def channels(colour: str) -> tuple[float, float, float]:
    """Red, green and blue of "#RRGGBB", each 0 to 1."""
    return tuple(int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))  # type: ignore[return-value]


def hexadecimal(rgb: tuple[float, float, float]) -> str:
    """The "#RRGGBB" of three channels, each 0 to 1."""
    return "#" + "".join(f"{round(255 * channel):02X}" for channel in rgb)


def mix(colour: str, other: str, share: float) -> str:
    """`colour` with `share` (0 to 1) of `other` in it, channel by channel."""
    pairs = zip(channels(colour), channels(other), strict=True)
    red, green, blue = (a + share * (b - a) for a, b in pairs)
    return hexadecimal((red, green, blue))


def linear(channel: float) -> float:
    """The light that an sRGB channel (0 to 1) stands for."""
    if channel <= 0.04045:
        return channel / 12.92
    return float(((channel + 0.055) / 1.055) ** 2.4)


def luminance(colour: str) -> float:
    """How light a colour is to the eye: 0 for black, 1 for white."""
    lights = (linear(channel) for channel in channels(colour))
    return sum(share * light for share, light in zip(LIGHT_SHARES, lights, strict=True))


def contrast(colour: str, other: str) -> float:
    """The contrast ratio of two colours, 1 (equal) to 21 (black on white)."""
    low, high = sorted((luminance(colour), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@cache
def readable(colour: str, *backgrounds: str) -> str:
    """The nearest shade of `colour` that can be read on every one of `backgrounds`.

    The hue stays: the colour moves towards black on light backgrounds and towards
    white on dark ones, and not at all where it is readable as it is.
    """
    is_dark = luminance(backgrounds[0]) < 0.18
    for percent in range(0, 101, 2):
        shade = mix(colour, WHITE if is_dark else BLACK, percent / 100)
        if all(contrast(shade, background) >= READABLE for background in backgrounds):
            return shade
    return WHITE if is_dark else BLACK
