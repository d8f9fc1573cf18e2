"""Cells as a picture: one pixel a cell, enlarged without smoothing when painted."""

import numpy as np
from PySide6.QtGui import QImage

from app.style.maps import map_colours
from app.style.ramp import ByteArray, levels
from core.trace.matrix import FloatArray, Scale


def cell_image(values: FloatArray, scale: Scale, colour: str) -> QImage:
    """The picture of a matrix in the active theme.

    [..., rows, columns] -> `columns` x all rows pixels (what stands before the rows is
    stacked downwards), in the format that Qt draws without converting it again.
    """
    cells = levels_of(values, scale)
    return image_of_levels(cells, map_colours(scale.kind, colour).colour_table)


def levels_of(values: FloatArray, scale: Scale) -> ByteArray:
    """The level of every cell on the ramp of its scale; see `app.style.ramp`."""
    even = scale.coloured(values)
    return levels(even, scale.limit, signed=scale.kind == "signed")


def image_of_levels(cells: ByteArray, colour_table: tuple[int, ...]) -> QImage:
    """The picture of levels [..., rows, columns] by a table of 0xFFRRGGBB colours."""
    flat = np.ascontiguousarray(cells).reshape(-1, cells.shape[-1])
    n_rows, n_columns = flat.shape
    indexed = QImage(
        flat.data, n_columns, n_rows, n_columns, QImage.Format.Format_Indexed8
    )
    indexed.setColorTable(colour_table)
    return indexed.convertToFormat(QImage.Format.Format_RGB32)
