"""A typeset formula that fits its place.

Place: in panel headings, lessons and the inspector. In: LaTeX in which `{query:Q}` sets
Q in the theme's query colour. To set a new formula takes 20 to 100 ms, so the window
gives `use_renderer` one that does it in a thread; without one it is done on the spot.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from PySide6.QtCore import (
    QByteArray,
    QRectF,
    QSize,
    QSizeF,
    Qt,
    QTimer,
    SignalInstance,
    Slot,
)
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.style.fonts import BASE, LARGE, mono
from app.style.formula_svg import (
    FormulaRequest,
    formula_request,
    svg_or_nothing,
)
from app.style.theme import theme
from app.widgets.label import draw_label
from app.widgets.qt_calls import tells_faults

POINT = 96 / 72
"""Pixels a point: formulas are sized in the points of the type around them."""
DEFAULT_SIZE = LARGE + 2.0
SMALLEST_SCALE = 0.6
"""How much a formula lets itself be shrunk by a layout."""
LATE_MS = 120
"""So long the formula before may stay; then there is none until the new one comes."""
N_REMEMBERED = 256
"""Drawings kept: the steps of a layer come again in the next."""


class Renderer(Protocol):
    """What sets formulas elsewhere and tells when it is done."""

    rendered: SignalInstance
    """Carries the FormulaRequest and its SVG, b"" where it cannot be set."""

    def request(self, wanted: FormulaRequest) -> bytes | None:
        """The SVG where it is ready; None where `rendered` will bring it."""


_renderer: list[Renderer | None] = [None]


def use_renderer(renderer: Renderer | None) -> None:
    """Let formulas made from now on be set by `renderer`; None sets them at once."""
    _renderer[0] = renderer


@contextmanager
def set_at_once() -> Iterator[None]:
    """Let formulas made meanwhile be set on the spot: a file cannot wait for them."""
    before, _renderer[0] = _renderer[0], None
    try:
        yield
    finally:
        _renderer[0] = before


def drawing_of(svg: bytes) -> QSvgRenderer:
    """A formula ready to draw; reading its SVG takes 1 ms. b"" gives an empty one."""
    return QSvgRenderer(QByteArray(svg)) if svg else QSvgRenderer()


@tells_faults
class FormulaView(QWidget):
    """One formula, shrunk to fit a narrow place; its LaTeX where it cannot be set."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """An empty view."""
        super().__init__(parent)
        self._latex = ""
        self._size = DEFAULT_SIZE
        self._alignment = Qt.AlignmentFlag.AlignLeft
        self._request: FormulaRequest | None = None
        self._drawing = drawing_of(b"")
        self._is_refused = False
        self._is_awaited = False
        self._late = QTimer(self, singleShot=True, interval=LATE_MS)
        self._late.timeout.connect(self.update)
        self._renderer = _renderer[0]
        if self._renderer is not None:
            self._renderer.rendered.connect(self._on_renderer_rendered)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def show_formula(self, latex: str, size: float = DEFAULT_SIZE) -> None:
        """Show `latex` at `size` points; "" for nothing."""
        if (latex, size) != (self._latex, self._size):
            self._latex, self._size = latex, size
            self.setAccessibleName(latex)
            self._ask()

    def set_alignment(self, alignment: Qt.AlignmentFlag) -> None:
        """Which side of a wider place the formula keeps to: left, right or centre."""
        self._alignment = alignment
        self.update()

    @property
    def is_drawn(self) -> bool:
        """Whether the formula has arrived."""
        return self._drawing.isValid() and not self._is_awaited

    def _ask(self) -> None:
        """Get the formula in the colours of the active theme."""
        wanted = formula_request(self._latex, self._size * POINT, theme())
        self._request = wanted
        if not self._latex:
            self._take(b"")
        elif self._renderer is None:
            self._take(svg_or_nothing(wanted))
        else:
            svg = self._renderer.request(wanted)
            if svg is None:
                self._is_awaited = True
                self._late.start()
            else:
                self._take(svg)

    def _take(self, svg: bytes) -> None:
        self._is_awaited = False
        self._is_refused = bool(self._latex) and not svg
        self._drawing = drawing_of(svg)
        self.updateGeometry()
        self.update()

    @Slot(FormulaRequest, bytes)
    def _on_renderer_rendered(self, request: FormulaRequest, svg: bytes) -> None:
        if request == self._request:
            self._take(svg)

    def _natural_size(self) -> QSize:
        if self._drawing.isValid():
            return self._drawing.defaultSize()
        line = round(self._size * POINT * 2)
        return QSize(0, line if self._latex else 0)

    # Qt's calls.

    def sizeHint(self) -> QSize:
        """The size of the formula; while it is being set, the height of most."""
        return self._natural_size()

    def minimumSizeHint(self) -> QSize:
        """As narrow as can still be read."""
        size = self._natural_size()
        return QSize(round(SMALLEST_SCALE * size.width()), size.height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the formula, asking for it anew under another theme."""
        current = formula_request(self._latex, self._size * POINT, theme())
        if current != self._request:
            self._ask()
        if self._is_awaited and not self._late.isActive():
            return  # the formula before belongs to another number
        with QPainter(self) as painter:
            if self._drawing.isValid():
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                self._drawing.render(painter, self._target())
            elif self._is_refused:
                painter.setFont(mono(BASE))
                painter.setPen(theme().ink("muted"))
                draw_label(painter, QRectF(self.rect()), self._latex, self._alignment)

    def _target(self) -> QRectF:
        """Where the formula lies: as large as it is or as fits, on its side."""
        natural = QSizeF(self._drawing.defaultSize())
        scale = min(
            1.0, self.width() / natural.width(), self.height() / natural.height()
        )
        width, height = scale * natural.width(), scale * natural.height()
        spare = self.width() - width
        if self._alignment & Qt.AlignmentFlag.AlignRight:
            left = spare
        elif self._alignment & Qt.AlignmentFlag.AlignHCenter:
            left = spare / 2
        else:
            left = 0.0
        return QRectF(left, (self.height() - height) / 2, width, height)
