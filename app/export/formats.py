"""A figure as the bytes of a file: PNG in dots, SVG and PDF with real text."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import (
    QBuffer,
    QIODevice,
    QMarginsF,
    QPoint,
    QRect,
    QSize,
    QSizeF,
)
from PySide6.QtGui import QColor, QImage, QPageSize, QPainter, QPdfWriter
from PySide6.QtSvg import QSvgGenerator

from app.export.figure import Figure
from app.settings import APPLICATION

POINTS_A_PIXEL = 72 / 96
SCALES = (1, 2, 3, 4)


def image_of(figure: Figure, scale: int = 1) -> QImage:
    """The picture in dots, `scale` of them a pixel in either direction."""
    width, height = (side * scale for side in figure.size)
    image = QImage(width, height, QImage.Format.Format_RGB32)
    image.fill(QColor(figure.background))
    with QPainter(image) as painter:
        painter.setRenderHints(
            QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing
        )
        _draw(figure, painter, scale)
    return image


def png_bytes(figure: Figure, scale: int = 1) -> bytes:
    """A PNG file."""
    image, buffer = image_of(figure, scale), _buffer()
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(buffer.data().data())


def svg_bytes(figure: Figure, scale: int = 1) -> bytes:
    """An SVG file in pixels; it has no dots, so there is no scale."""
    width, height = figure.size
    generator, buffer = QSvgGenerator(), _buffer()
    generator.setOutputDevice(buffer)
    generator.setResolution(figure.widget.logicalDpiX())
    generator.setSize(QSize(width, height))
    generator.setViewBox(QRect(0, 0, width, height))
    generator.setTitle(figure.panel.objectName())
    generator.setDescription(f"Drawn by {APPLICATION}")
    with QPainter(generator) as painter:
        painter.fillRect(QRect(0, 0, width, height), QColor(figure.background))
        _draw(figure, painter)
    return bytes(buffer.data().data())


def pdf_bytes(figure: Figure, scale: int = 1) -> bytes:
    """A PDF file of one page, 72 points to 96 pixels, with its type in it."""
    width, height = figure.size
    buffer = _buffer()
    writer = QPdfWriter(buffer)
    size = QSizeF(width * POINTS_A_PIXEL, height * POINTS_A_PIXEL)
    writer.setPageSize(QPageSize(size, QPageSize.Unit.Point))
    writer.setPageMargins(QMarginsF())
    writer.setResolution(figure.widget.logicalDpiX())
    writer.setCreator(APPLICATION)
    with QPainter(writer) as painter:
        painter.setRenderHint(QPainter.RenderHint.LosslessImageRendering)
        painter.fillRect(QRect(0, 0, width, height), QColor(figure.background))
        _draw(figure, painter)
    return bytes(buffer.data().data())


@dataclass(frozen=True, slots=True)
class PictureFormat:
    """A kind of file that a picture can be."""

    name: str
    ending: str
    bytes_of: Callable[[Figure, int], bytes]
    has_dots: bool = False
    """Whether a scale makes it finer."""


PICTURE_FORMATS = (
    PictureFormat("PNG", ".png", png_bytes, has_dots=True),
    PictureFormat("SVG", ".svg", svg_bytes),
    PictureFormat("PDF", ".pdf", pdf_bytes),
)


def _draw(figure: Figure, painter: QPainter, scale: int = 1) -> None:
    painter.scale(figure.enlargement * scale, figure.enlargement * scale)
    figure.widget.render(painter, QPoint())


def _buffer() -> QBuffer:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    return buffer
