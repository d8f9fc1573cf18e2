"""The type: IBM Plex Sans for words, IBM Plex Mono for tokens and numbers.

Registered once from the font packages; other scripts come from the system's fallback.
Fonts are handed out cached: paint with them, do not change them.
"""

import logging
from functools import cache
from pathlib import Path

import fontpkg_ibm_plex_mono
import fontpkg_ibm_plex_sans
from PySide6.QtGui import QFont, QFontDatabase

TINY, CAPTION, SMALL, BASE, LARGE, TITLE, NUMBER = 7, 8, 9, 10, 11, 15, 22
"""In points: narrow cells, capitals, small, base, large, panel title, the number."""

REGULAR, MEDIUM, SEMIBOLD = 400, 500, 600
"""The weights. Nothing is heavier than REGULAR but names and states."""

SANS, MONO = fontpkg_ibm_plex_sans.FAMILY, fontpkg_ibm_plex_mono.FAMILY

FONT_FILES = (
    fontpkg_ibm_plex_sans.ROOT / "files" / "IBMPlexSans[wdth,wght].ttf",
    fontpkg_ibm_plex_mono.ROOT / "files" / "IBMPlexMono-Regular.ttf",
    fontpkg_ibm_plex_mono.ROOT / "files" / "IBMPlexMono-Medium.ttf",
    fontpkg_ibm_plex_mono.ROOT / "files" / "IBMPlexMono-SemiBold.ttf",
)

log = logging.getLogger(__name__)


@cache
def register_fonts() -> None:
    """Make the two families known to Qt. Needs a QGuiApplication; done once."""
    for file in FONT_FILES:
        _register(file)


def _register(file: Path) -> None:
    if QFontDatabase.addApplicationFont(str(file)) < 0:
        log.warning("%s cannot be read; the system's own type stands in", file)


@cache
def sans(size: float = BASE, weight: int = REGULAR) -> QFont:
    """IBM Plex Sans at `size` points, for words."""
    register_fonts()
    font = QFont(SANS)
    font.setPointSizeF(size)
    if weight != REGULAR:
        # One variable file holds all weights; setWeight alone would smear the regular.
        font.setVariableAxis(QFont.Tag("wght"), weight)
    return font


@cache
def mono(size: float = BASE, weight: int = REGULAR) -> QFont:
    """IBM Plex Mono at `size` points, for tokens, ids, keys, shapes and numbers."""
    register_fonts()
    font = QFont(MONO)
    font.setPointSizeF(size)
    font.setWeight(QFont.Weight(weight))
    font.setStyleHint(QFont.StyleHint.Monospace)
    return font
