"""The colours of maps: which ramp a scale wears under the active theme.

Place: between the theme and everything that paints cells or a colour bar. The tables
are cached, one per theme, palette, scale kind and colour.
"""

from dataclasses import dataclass
from functools import cache
from typing import Literal

from PySide6.QtWidgets import QApplication

from app.style.ramp import ByteArray, inks, ramp, viridis
from app.style.theme import THEMES, theme

Palette = Literal["theme", "viridis"]

PALETTES: tuple[Palette, ...] = ("theme", "viridis")
"""What a person may choose: one colour per thing, or viridis for all maps."""

_palette: list[Palette] = ["theme"]


@dataclass(frozen=True, slots=True, eq=False)
class MapColours:
    """The look of one kind of map. Index both by a level of `app.style.ramp`."""

    table: ByteArray
    """[256, 3] red, green, blue."""
    inks: tuple[str, ...]
    """The "#RRGGBB" of text on each colour."""
    colour_table: tuple[int, ...]
    """The same colours as 0xFFRRGGBB, for an indexed QImage."""


def palette() -> Palette:
    """The palette of maps in force."""
    return _palette[0]


def use_palette(name: str) -> None:
    """Colour all maps by that palette; an unknown name means "theme"."""
    _palette[0] = next((each for each in PALETTES if each == name), "theme")
    for widget in QApplication.allWidgets():
        widget.update()


def map_colours(kind: Literal["share", "signed"], colour: str) -> MapColours:
    """The colours of a map whose positive values wear the theme colour `colour`."""
    return _map_colours(theme().name, palette(), kind, colour)


@cache
def _map_colours(
    theme_name: str, palette_name: Palette, kind: str, colour: str
) -> MapColours:
    chosen = next(each for each in THEMES if each.name == theme_name)
    if palette_name == "viridis":
        table = viridis(chosen.sunken)
    else:
        negative = chosen.opposite(colour) if kind == "signed" else None
        positive = getattr(chosen, colour)
        table = ramp(positive, negative, chosen.surface, chosen.sunken)
    packed = tuple(0xFF000000 | r << 16 | g << 8 | b for r, g, b in table.tolist())
    return MapColours(table, inks(table, chosen.text), packed)
