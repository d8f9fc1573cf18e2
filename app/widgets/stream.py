"""The residual stream: one line per token, and what each layer added to it.

Place: the residual stream panel. In: norms of what was added and of the stream itself,
ready made. Out: which addition was clicked. All heights have one scale, written below.
"""

from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from app.style.fonts import CAPTION, SMALL, mono, sans
from app.style.theme import theme
from app.widgets.canvas import ACROSS, DOWN, NOTHING, Canvas, grid_step
from app.widgets.cell_layout import label_step
from app.widgets.cell_text import MINUS
from app.widgets.label import Align, advance, draw_label, line_height

LEAST_FULL, MOST_FULL = 26.0, 60.0
"""Height of the limit of the scale, in pixels: as much as lets all rows be seen."""
LABEL_LIMIT = 150.0
LEAST_SLOT = 6.0
BAR_SHARE, WIDEST_BAR = 0.6, 28.0
"""A bar takes this share of its slot, up to this many pixels."""
BAR_GAP, SHORTEST = 5, "0.00"
"""Between a bar and its number, and the narrowest number there is."""
GAP, ROW_GAP = 8, 14
HEAD, FOOT = 26, 30
SWATCH = 10
RULER = 20.0
"""Height of the sign in the scale, in pixels."""
STREAM = "residual"


@dataclass(frozen=True, slots=True)
class Side:
    """What stands on one side of the line."""

    words: str
    short: str
    """In the scale, where all are not as wide as it."""
    role: str
    up: int
    """1 above the line, -1 below."""


ATTENTION = Side("attention adds", "attention", "pattern", 1)
CROSS = Side("cross attention adds", "cross", "value", 1)
FEED_FORWARD = Side("feed-forward adds", "feed-forward", "feed_forward", -1)
SIDES = (ATTENTION, FEED_FORWARD)
"""The stations of a layer, in order; each is a part that adds something."""
WITH_CROSS = (ATTENTION, CROSS, FEED_FORWARD)
"""Those of a decoder's layer that looks at another text, too."""


@dataclass(frozen=True, slots=True)
class StreamRow:
    """One token's way through the layers; every number is a norm, not below zero."""

    label: str
    added: tuple[float, ...]
    """[n_stations]: what each station added."""
    norms: tuple[float, ...]
    """[n_stations + 1]: the stream at the start and after each station."""


def number(value: float) -> str:
    """A norm as it is written: about four digits, so that columns stay narrow."""
    size = abs(value)
    digits = 2 if size < 100 else 1 if size < 1000 else 0
    return f"{value:,.{digits}f}".replace("-", MINUS)


def band_outline(edges: list[float], heights: list[float]) -> list[tuple[float, float]]:
    """The corners of a band around 0 that is as thick as `heights` between `edges`.

    [n + 1] x positions and [n] heights -> the corners, clockwise from the upper left.
    """
    spans = list(zip(pairwise(edges), heights, strict=True))
    upper = [(x, -height / 2) for ends, height in spans for x in ends]
    return upper + [(x, -y) for x, y in reversed(upper)]


class StreamView(Canvas):
    """The streams of all tokens, one below the other."""

    REVEAL_MARGIN = max(HEAD, FOOT)

    station_clicked = Signal(int, int)
    """(row, station) was clicked or entered."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """No rows."""
        super().__init__("Residual stream of every token", {**ACROSS, **DOWN}, parent)
        self._rows: tuple[StreamRow, ...] = ()
        self._names: tuple[str, ...] = ()
        self._sides: tuple[Side, ...] = SIDES
        self._limit = 1.0
        self._selected: tuple[int, int] | None = None
        self._left = self._right = 0.0
        self._column = LEAST_SLOT * len(SIDES)
        self._most_added = 0.0
        self._full = LEAST_FULL
        self._row_height = 1.0

    def show_rows(
        self,
        rows: tuple[StreamRow, ...],
        layer_names: tuple[str, ...],
        limit: float,
        sides: tuple[Side, ...] = SIDES,
    ) -> None:
        """Show other tokens. `limit` is the norm of full height; more is cut there.

        `sides` are the stations of each layer.
        """
        self._rows, self._names, self._sides = rows, layer_names, sides
        self._limit = limit if limit > 0 else 1.0
        labels = (advance(row.label, mono()) for row in rows)
        self._left = min(LABEL_LIMIT, max(labels, default=0.0)) + 1 + 2 * GAP
        ends = (advance(number(row.norms[-1]), mono(SMALL)) for row in rows)
        heads = advance("length", sans(SMALL))
        self._right = max(heads, *ends, 0.0) + 2 * GAP
        added = (max(*row.added, 0.0) for row in rows)
        self._most_added = min(1.0, max(added, default=0.0) / self._limit)
        self.refresh()

    def set_selected(self, row: int | None, station: int | None) -> None:
        """Outline what one station added to one row, and write the row's numbers."""
        is_none = row is None or station is None
        self._selected = None if is_none else (row, station)  # type: ignore[assignment]
        self.keep_in_sight()
        self.viewport().update()

    # The canvas's questions.

    @property
    def ruler(self) -> float:
        """The norm that is as high as the sign in the scale below."""
        return self._limit * RULER / self._full

    @property
    def _n_stations(self) -> int:
        return len(self._sides) * len(self._names)

    @property
    def _slot(self) -> float:
        """The width of a station."""
        return self._column / len(self._sides)

    def _side(self, station: int) -> Side:
        return self._sides[station % len(self._sides)]

    def item_count(self) -> int:
        """One item a station of a row."""
        return len(self._rows) * self._n_stations

    def item_rect(self, index: int) -> QRectF:
        """The station's slot, as high as its row."""
        row, station = divmod(index, self._n_stations)
        slot = self._slot
        left, top = self._left + station * slot, HEAD + row * self._row_height
        return QRectF(left, top, slot, self._row_height)

    def item_at(self, point: QPointF) -> int:
        """The slot at a point."""
        station = int((point.x() - self._left) // self._slot)
        row = int((point.y() - HEAD) // self._row_height)
        is_inside = 0 <= row < len(self._rows) and 0 <= station < self._n_stations
        return row * self._n_stations + station if is_inside else NOTHING

    def item_text(self, index: int) -> str:
        """The token, what the station added, and the stream before and after it."""
        row, station = divmod(index, self._n_stations)
        data, side = self._rows[row], self._side(station)
        added = f"{side.words} {number(data.added[station])}"
        before, after = data.norms[station], data.norms[station + 1]
        place = f"{self._names[station // len(self._sides)]}: {added}"
        return f"{data.label}\n{place}\nstream {number(before)} → {number(after)}"

    def neighbour(self, index: int, key: int) -> int:
        """Along the row, or to the same station of another row."""
        return grid_step(index, key, len(self._rows), self._n_stations)

    def activate(self, index: int, is_secondary: bool) -> None:
        """Tell which station of which row."""
        self.station_clicked.emit(*divmod(index, self._n_stations))

    def arrange(self) -> QSizeF:
        """Share the width among the layers, and stack the rows."""
        seen, n_rows = self.viewport().size(), max(1, len(self._rows))
        shares = 1 + 2 * self._most_added  # the stream, and the bars on both its sides
        room = (seen.height() - HEAD - FOOT) / n_rows
        self._full = max(LEAST_FULL, min(MOST_FULL, (room - ROW_GAP - 1) / shares))
        self._row_height = round(shares * self._full + ROW_GAP)
        free = seen.width() - self._left - self._right
        least = LEAST_SLOT * len(self._sides)
        self._column = max(least, free / max(1, len(self._names)))
        width = self._left + len(self._names) * self._column + self._right
        return QSizeF(round(width), HEAD + len(self._rows) * self._row_height + FOOT)

    def keep_in_sight(self) -> None:
        """Scroll to the selected station."""
        if self._selected is not None:
            row, station = self._selected
            self.reveal(row * self._n_stations + station)

    # Ink.

    def paint(self, painter: QPainter, visible: QRectF) -> None:
        """The rows in sight."""
        first = max(0, int((visible.top() - HEAD) // self._row_height))
        last = min(
            len(self._rows), int((visible.bottom() - HEAD) // self._row_height) + 1
        )
        for row in range(first, last):
            self._paint_row(painter, row)

    def _paint_row(self, painter: QPainter, row: int) -> None:
        is_selected = self._selected is not None and self._selected[0] == row
        slot = self.item_rect(row * self._n_stations)
        line, top = slot.center().y(), slot.top()
        if is_selected:
            box = QRectF(0, top, self._line_end + self._right, self._row_height)
            painter.fillRect(box, theme().colour("window"))
        hovered = self.hover_index
        if hovered != NOTHING and hovered // self._n_stations == row:
            painter.fillRect(self.item_rect(hovered), theme().colour("accent_soft"))
        painter.setPen(QPen(theme().colour("line"), 1))
        for layer in range(len(self._names) + 1):
            x = round(self._left + layer * self._column) + 0.5
            painter.drawLine(QLineF(x, top, x, top + self._row_height))
        self._paint_band(painter, self._rows[row], line)
        self._paint_additions(painter, row, is_selected)
        self._paint_sides(painter, self._rows[row], line, is_selected)

    @property
    def _line_end(self) -> float:
        return self._left + len(self._names) * self._column

    def _height(self, norm: float) -> float:
        return self._full * max(0.0, min(1.0, norm / self._limit))

    def _paint_band(self, painter: QPainter, row: StreamRow, line: float) -> None:
        slot = self._slot
        steps = (self._left + (i + 0.5) * slot for i in range(self._n_stations))
        edges = [self._left, *steps, self._line_end]
        corners = band_outline(edges, [self._height(norm) for norm in row.norms])
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme().colour("residual_soft"))
        painter.drawPolygon(QPolygonF([QPointF(x, line + y) for x, y in corners]))
        painter.setPen(QPen(theme().colour(STREAM), 1))
        painter.drawLine(QLineF(self._left, line, self._line_end, line))

    def _paint_additions(self, painter: QPainter, row: int, is_selected: bool) -> None:
        """What every station of a row added, as bars on both sides of the stream."""
        data, n_sides = self._rows[row], len(self._sides)
        first = self.item_rect(row * self._n_stations)
        width = min(WIDEST_BAR, BAR_SHARE * first.width())
        left, line = first.center().x() - width / 2, first.center().y()
        beside = (first.width() - width) / 2 - BAR_GAP
        with_numbers = is_selected and beside > advance(SHORTEST, mono(CAPTION))
        chosen = self._selected[1] if is_selected and self._selected else NOTHING
        colours = [theme().colour(side.role) for side in self._sides]
        bands = [self._height(norm) for norm in data.norms]
        for station, added in enumerate(data.added):
            side = self._sides[station % n_sides]
            base = line - side.up * max(bands[station], bands[station + 1]) / 2
            x, height = left + station * first.width(), self._height(added)
            bar = QRectF(x, base - height if side.up > 0 else base, width, height)
            painter.fillRect(bar, colours[station % n_sides])
            if station == chosen:
                painter.setPen(QPen(theme().colour("text"), 1.5))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(bar.adjusted(-2, -2, 2, 2))
            if with_numbers:
                edge = QRectF(bar.right() + BAR_GAP, base, beside, 0)
                self._paint_number(painter, edge, side, number(added))

    def _paint_number(
        self, painter: QPainter, edge: QRectF, side: Side, text: str
    ) -> None:
        """A number beside its bar, off the stream's edge, where it has room."""
        if advance(text, mono(CAPTION)) > edge.width():
            return
        line = line_height(mono(CAPTION))
        box = (
            edge.adjusted(0, -line, 0, 0)
            if side.up > 0
            else edge.adjusted(0, 0, 0, line)
        )
        painter.setFont(mono(CAPTION))
        painter.setPen(QColor(theme().ink_on(side.role, "window")))
        draw_label(painter, box, text, Align.AlignLeft)

    def _paint_sides(
        self, painter: QPainter, row: StreamRow, line: float, is_selected: bool
    ) -> None:
        """The token at the left, over what scrolled there, and its norm at the end."""
        ground = "window" if is_selected else "surface"
        seen = float(self.offset().x())
        box = QRectF(
            seen, line - self._row_height / 2, self._left - GAP, self._row_height
        )
        painter.fillRect(box, theme().colour(ground))
        painter.setFont(mono())
        painter.setPen(QColor(theme().ink_on("text", ground)))
        draw_label(painter, box.adjusted(GAP, 0, 0, 0), row.label, Align.AlignRight)
        end = QRectF(self._line_end, box.top(), self._right - GAP, self._row_height)
        painter.setFont(mono(SMALL))
        painter.setPen(QColor(theme().ink_on("muted", ground)))
        draw_label(painter, end, number(row.norms[-1]), Align.AlignRight)

    def paint_over(self, painter: QPainter) -> None:
        """The names of the layers above, the scale below; both stay while rows move."""
        size = self.viewport().size()
        head = QRectF(0, 0, size.width(), HEAD)
        foot = QRectF(0, size.height() - FOOT, size.width(), FOOT)
        for box, edge in ((head, head.bottom()), (foot, foot.top())):
            painter.fillRect(box, theme().colour("surface"))
            painter.setPen(QPen(theme().colour("line"), 1))
            painter.drawLine(QLineF(0, edge, size.width(), edge))
        self._paint_head(painter, head)
        self._paint_foot(painter, foot)

    def _paint_head(self, painter: QPainter, head: QRectF) -> None:
        painter.setFont(sans(SMALL))
        painter.setPen(theme().ink("muted"))
        names = (advance(name, sans(SMALL)) for name in self._names)
        needed = max(names, default=0.0) + GAP
        shift = self.offset().x()
        for layer in range(0, len(self._names), label_step(self._column, needed)):
            middle = self._left + (layer + 0.5) * self._column - shift
            box = QRectF(middle - needed / 2, 0, needed, HEAD)
            draw_label(painter, box, self._names[layer], Align.AlignHCenter)
        end = QRectF(self._line_end - shift, 0, self._right - GAP, HEAD)
        draw_label(painter, end, "length", Align.AlignRight)

    def _paint_foot(self, painter: QPainter, foot: QRectF) -> None:
        x, middle = float(GAP), foot.center().y()
        painter.setFont(sans(SMALL))
        for words, role in self._entries(foot.width()):
            swatch = QRectF(x, middle - SWATCH / 2, SWATCH, SWATCH)
            painter.fillRect(swatch, theme().colour(role))
            x = self._write(painter, x + SWATCH + GAP / 2, foot, words) + 2 * GAP
        painter.setPen(QPen(theme().colour("text"), 1))
        top, bottom = middle - RULER / 2, middle + RULER / 2
        for y in (top, bottom):
            painter.drawLine(QLineF(x, y, x + 6, y))
        painter.drawLine(QLineF(x + 3, top, x + 3, bottom))
        self._write(painter, x + GAP + 4, foot, f"= length {number(self.ruler)}")

    def _entries(self, width: float) -> tuple[tuple[str, str], ...]:
        """What the colours mean, in a foot of this width."""
        roles = (*(side.role for side in self._sides), STREAM)
        full = (*(side.words for side in self._sides), "stream")
        own = SWATCH + 2.5 * GAP
        needed = sum(advance(words, sans(SMALL)) + own for words in full)
        ruler = advance(f"= length {number(self.ruler)}", sans(SMALL)) + 3 * GAP
        if needed + ruler > width:
            full = (*(side.short for side in self._sides), "stream")
        return tuple(zip(full, roles, strict=True))

    def _write(self, painter: QPainter, x: float, foot: QRectF, words: str) -> float:
        """Write words of the scale at x; where they end."""
        width = advance(words, painter.font()) + 1
        painter.setPen(theme().ink("muted"))
        box = QRectF(x, foot.top(), width, foot.height())
        draw_label(painter, box, words, Align.AlignLeft)
        return x + width
