"""The products that one number of a matrix product adds up, as bars up and down.

Each stands over its column of the left factor. In: the products. Pure painting.
"""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from app.style.fonts import SMALL, sans
from app.style.theme import theme
from app.widgets.cell_image import image_of_levels
from app.widgets.cell_text import range_text
from app.widgets.label import Align, advance, draw_label
from app.widgets.product_layout import ProductLayout
from core.trace.matrix import FloatArray
from core.trace.numbers import may_be_broken, short
from core.trace.reduce import block_size, reduce_by_maximum

CAPTION_GAP = 8
NOTHING, UP, DOWN = 0, 1, 2
"""Levels of the bars' picture."""


@may_be_broken
def paint_chart(
    painter: QPainter,
    products: FloatArray,
    colour: str,
    layout: ProductLayout,
    ratio: float,
) -> None:
    """Bars [n_inner] in `colour` above zero, in its opposite below; and their sum."""
    if layout.chart is None:
        return
    area = QRectF(*layout.chart)
    block = block_size(len(products), area.width() * ratio)
    strongest = reduce_by_maximum(products[None, :], 1, block)[0]
    image = bars_image(strongest, round(area.height() * ratio), colour)
    painter.drawImage(area, image, QRectF(image.rect()))
    painter.setPen(QPen(theme().colour("line"), 1))
    middle = round(area.center().y()) + 0.5
    painter.drawLine(QLineF(area.left(), middle, area.right(), middle))
    painter.setFont(sans(SMALL))
    painter.setPen(theme().ink("muted"))
    line = layout.margins.caption
    box = QRectF(area.left(), area.top() - line, area.width(), line)
    total = f"sum {short(float(products.sum(dtype=np.float64)), 4)}"
    draw_label(painter, box, total, Align.AlignRight)
    left = box.adjusted(0, 0, -advance(total, sans(SMALL)) - CAPTION_GAP, 0)
    draw_label(painter, left, caption_of(products, left.width()), Align.AlignLeft)


def caption_of(products: FloatArray, width: float) -> str:
    """What stands over the bars: as much of it as is read whole."""
    largest = range_text(float(np.abs(products).max()))
    words = f"the {len(products)} products · ±{largest}"
    fits = advance(words, sans(SMALL)) <= width
    return words if fits else f"±{largest}"


@may_be_broken  # infinite products have no bar
def bars_image(values: FloatArray, height: int, colour: str) -> QImage:
    """Bars around a middle line: one pixel a value across, `height` pixels high."""
    half = height / 2
    limit = float(np.abs(values).max()) or 1.0
    reach = values * np.float32(half / limit)
    heights: NDArray[np.float32] = half - 0.5 - np.arange(height, dtype=np.float32)
    above = (heights[:, None] > 0) & (heights[:, None] < reach)
    below = (heights[:, None] < 0) & (heights[:, None] > reach)
    cells = np.select([above, below], [UP, DOWN], NOTHING).astype(np.uint8)
    chosen = theme()
    names = (chosen.surface, getattr(chosen, colour), chosen.opposite(colour))
    return image_of_levels(cells, tuple(QColor(name).rgb() for name in names))
