"""Colours for things that are told apart by number, such as the heads of a layer.

Place: beside the theme, which names colours by meaning. Eight hues of the Okabe-Ito
family, shaded until they stand out from the surface of their theme; from the ninth on
the same hues come again, mixed with the colour of text.
"""

from PySide6.QtGui import QColor

from app.style.contrast import mix
from app.style.theme import theme

HUES = {
    "light": (
        "#1683B4",
        "#D27D00",
        "#009368",
        "#D441A6",
        "#3F9FDE",
        "#D03216",
        "#5D6E00",
        "#5A4FCF",
    ),
    "dark": (
        "#4DB3FF",
        "#E6A71E",
        "#079B70",
        "#FF72BC",
        "#A5DCFF",
        "#E9571B",
        "#F0E442",
        "#7F71FD",
    ),
}
"""By the theme's name. Neighbours differ most, since few heads are the usual case."""

SHADE = 0.5
"""How much of the text's colour the second round holds."""


def sequence_hex(place: int) -> str:
    """The "#RRGGBB" of thing number `place`, from 0, in the theme in force."""
    hues = HUES[theme().name]
    again, hue = divmod(place, len(hues))
    return mix(hues[hue], theme().text, SHADE if again % 2 else 0.0)


def sequence_colour(place: int) -> QColor:
    """The colour of thing number `place`, from 0, to paint with."""
    return QColor(sequence_hex(place))
