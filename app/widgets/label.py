"""How a token's label reaches the screen: as plain text, cut only with an ellipsis.

Place: below every painted widget. Qt takes `<s>` for HTML in tooltips, so tips are
escaped here; painted text never passes an HTML reader.
"""

import html
from collections.abc import Iterable
from functools import cache, lru_cache

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

Align = Qt.AlignmentFlag

PLAIN = Qt.TextFlag.TextSingleLine.value | Align.AlignAbsolute.value
"""Painted as one line at the side asked for, also where the script runs leftwards."""

N_REMEMBERED = 8192
"""Widths kept: the labels of a long sentence, several times over."""


@cache
def metrics(font: QFont) -> QFontMetricsF:
    """The measures of a font; made once, since making them takes longer than asking."""
    return QFontMetricsF(font)


@lru_cache(maxsize=N_REMEMBERED)
def advance(text: str, font: QFont) -> float:
    """The width of `text` in `font`, in pixels."""
    return metrics(font).horizontalAdvance(text)


@lru_cache(maxsize=N_REMEMBERED)
def elided(text: str, font: QFont, width: float) -> str:
    """`text`, or its start and end around "…" where it is wider than `width` pixels."""
    if advance(text, font) <= width:
        return text
    return metrics(font).elidedText(text, Qt.TextElideMode.ElideMiddle, width)


def first_fitting(wordings: Iterable[str], font: QFont, width: float) -> str:
    """The first wording, longest first, that has room in `width`; else the last."""
    shown = ""
    for shown in wordings:
        if advance(shown, font) <= width:
            break
    return shown


def line_height(font: QFont) -> float:
    """The height of one line of `font`, in pixels."""
    return metrics(font).height()


def draw_label(painter: QPainter, box: QRectF, text: str, align: Align) -> None:
    """Paint `text` in the painter's font and pen, cut with "…" to fit `box`."""
    shown = elided(text, painter.font(), box.width())
    painter.drawText(box, PLAIN | align.value | Align.AlignVCenter.value, shown)


def as_tip(text: str) -> str:
    """`text` for a tooltip, to be read literally whatever it looks like.

    Lines stay lines. "" stays "", which shows no tooltip.
    """
    escaped = html.escape(text).replace("\n", "<br>")
    return f"<qt style='white-space:pre'>{escaped}</qt>" if text else ""
