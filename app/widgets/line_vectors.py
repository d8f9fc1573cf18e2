"""The lines of attention as true lines: for files, and for pictures of another scale.

Place: beside the raster of the lines, which is for the screen. In: strokes and the box
they lie in. Out: ink of any painter, a line each. Qt's painter takes about 40 us a
line, which a file can wait for.
"""

from collections.abc import Sequence
from math import isclose

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPaintEngine, QPainter, QPen

from app.widgets.line_raster import Floats
from app.widgets.line_strands import Strokes


def is_for_screen(painter: QPainter, ratio: float) -> bool:
    """Whether what is painted are a screen's own pixels, `ratio` of them a pixel."""
    if painter.paintEngine().type() != QPaintEngine.Type.Raster:
        return False
    return isclose(painter.deviceTransform().m11(), ratio, rel_tol=1e-6)


def paint_strokes(
    painter: QPainter, strokes: Strokes, box: QRectF, palette: Sequence[str]
) -> None:
    """Draw the lines from the left edge of a box to the right one, the strongest last.

    What lies above or below the box is cut off; no clip is needed, which SVG has none
    of here. `palette` has a colour for each map.
    """
    firsts, lasts = cut_off(strokes.starts, strokes.ends, box.height())
    inks = [QColor(colour) for colour in palette]
    rises = strokes.ends - strokes.starts
    for at in np.argsort(strokes.opacities, kind="stable").tolist():
        first, last = float(firsts[at]), float(lasts[at])
        if first >= last:
            continue
        ink = QColor(inks[int(strokes.colours[at])])
        ink.setAlphaF(min(1.0, float(strokes.opacities[at])))
        pen = QPen(ink, float(strokes.widths[at]))
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.setPen(pen)
        start, rise = float(strokes.starts[at]), float(rises[at])
        ends = (
            QPointF(box.left() + part * box.width(), box.top() + start + part * rise)
            for part in (first, last)
        )
        painter.drawLine(QLineF(*ends))


def cut_off(starts: Floats, ends: Floats, height: float) -> tuple[Floats, Floats]:
    """Which part of each line, 0 to 1, lies between heights 0 and `height`.

    Where none does, the first is not below the last.
    """
    rises = (ends - starts).astype(np.float64)
    level = rises == 0
    safe = np.where(level, 1.0, rises)
    crossings = np.stack(((0 - starts) / safe, (height - starts) / safe))
    is_inside = (starts >= 0) & (starts <= height)
    firsts = np.where(level, 1.0 - is_inside, np.clip(crossings.min(axis=0), 0, 1))
    lasts = np.where(level, 1.0, np.clip(crossings.max(axis=0), 0, 1))
    return firsts.astype(np.float32), lasts.astype(np.float32)
