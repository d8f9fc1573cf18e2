"""A view drawn for a file: heading and panel made anew, at a width of their own.

In: the session's scene and a style. Out: a widget that no screen has shown. What the
window looks like, how wide it is and which panels were visited changes nothing.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from PySide6.QtCore import QCoreApplication, QDeadlineTimer, QEvent, QEventLoop, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QScrollArea,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from app.frame.panel_header import PanelHeader, lengths_of
from app.panels import ANY_STEP, PanelSpec, panel_of
from app.panels.base import Panel
from app.scene import Scene
from app.session import Session
from app.style.sheet import style_sheet
from app.style.theme import LIGHT, Theme, palette_of, theme, worn
from app.widgets.formula import set_at_once
from app.widgets.heatmap import Heatmap
from core.errors import MissingWeightError

LEAST_WIDTH, DEFAULT_WIDTH, MOST_WIDTH = 400, 1200, 8000
"""Of a picture, in pixels at scale 1."""
LEAST_LAYOUT, MOST_LAYOUT = 720, 1200
"""A view is laid out this wide; a picture of another width is the same, enlarged."""
HEIGHT_SHARE = 0.64
"""Of the width: as high as the middle of the window is to its width."""
MARGIN, GAP = 18, 12

FURNITURE = (
    QAbstractButton,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
)
"""What is there to be used, and means nothing on paper."""


@dataclass(frozen=True, slots=True)
class Style:
    """How a picture is dressed."""

    name: str
    tip: str
    enlargement: float = 1.0
    """How much larger than on the screen the type is, beside the picture."""
    is_paper: bool = False
    """White, without frames, buttons and marks of the selection."""


STYLES = (
    Style("screen", "As it stands in the window, in the colours of the theme."),
    Style("figure", "For a paper: white, larger type, no buttons.", 1.3, is_paper=True),
)

PAPER = replace(LIGHT, window="#FFFFFF")
PAPER_SHEET = 'QFrame[card="true"] { border: 0; } #figure { background: #FFFFFF; }'
PATIENCE_MS, LOOK_EVERY_MS = 10_000, 20
"""So long a picture waits for what is still being worked out."""
NO_INPUT = QEventLoop.ProcessEventsFlag.ExcludeUserInputEvents
LAYOUT_ROUNDS = 4
"""A note that wraps asks for height once it knows its width."""
MOST_LIST = 6000
"""Pixels: lists of about 200 tokens stand whole in a picture, of longer ones a part."""


@dataclass(frozen=True, slots=True, eq=False)
class Figure:
    """A view laid out for a picture; to be drawn within `figure_of`."""

    widget: QWidget
    panel: Panel
    enlargement: float
    """Pixels of the picture a pixel of the layout."""
    background: str
    is_cut: bool = False
    """Whether a list is so long that only a part of it is there."""

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the picture at scale 1, in whole pixels."""
        width, height = self.widget.width(), self.widget.height()
        return round(width * self.enlargement), round(height * self.enlargement)


@contextmanager
def figure_of(
    session: Session, scene: Scene, style: Style, width: int
) -> Iterator[Figure]:
    """Lay a scene out for a picture of this width; it is gone afterwards."""
    chosen: Theme = PAPER if style.is_paper else theme()
    with worn(chosen), set_at_once():
        widget, panel = _laid_out(session, scene, style, layout_width(width, style))
    try:
        _await(panel)  # in the theme of the window, which may be painted meanwhile
        with worn(chosen), set_at_once():
            if style.is_paper:
                _dress_for_paper(widget, chosen)
            _settle(widget)
            enlargement = width / widget.width()
            is_cut = bool(_scrolling(widget))
            yield Figure(widget, panel, enlargement, chosen.window, is_cut)
    finally:
        widget.hide()
        widget.deleteLater()


def layout_width(width: int, style: Style) -> int:
    """How wide a view is laid out for a picture of this width."""
    wanted = min(max(width, LEAST_LAYOUT), MOST_LAYOUT)
    return round(wanted / style.enlargement)


def _laid_out(
    session: Session, scene: Scene, style: Style, width: int
) -> tuple[QWidget, Panel]:
    """Heading above panel, filled and of a fixed size, but never on a screen."""
    whole, header = QWidget(), PanelHeader()
    whole.setObjectName("figure")
    whole.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    whole.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    trace, at = scene.trace, scene.selection
    step = trace.step(at.step)
    lengths, method = lengths_of(trace), scene.tokenizer.method
    header.show_step(step, trace.config, at, lengths, scene.sampling, method)
    column = QVBoxLayout(whole)
    column.setContentsMargins(*[MARGIN] * 4)
    column.setSpacing(GAP)
    column.addWidget(header)
    whole.resize(width, round(width * HEIGHT_SHARE))
    whole.show()  # lays it out as if it were seen
    try:
        panel = _shown_in(column, panel_of(step.key), session, scene)
    except MissingWeightError as error:  # of a trace file: its numbers alone
        panel = _shown_in(column, ANY_STEP, session, scene)
        header.warn(str(error))
    return whole, panel


def _shown_in(
    column: QVBoxLayout, spec: PanelSpec, session: Session, scene: Scene
) -> Panel:
    """A panel made anew, in the place of the one before."""
    panel = spec.create(session)
    host = column.parentWidget()
    for before in host.findChildren(Panel) if host else ():
        before.hide()
        before.setParent(None)
    column.addWidget(panel, 1)
    panel.show()
    panel.display(scene)
    return panel


def _dress_for_paper(widget: QWidget, chosen: Theme) -> None:
    widget.setPalette(palette_of(chosen))
    widget.setStyleSheet(style_sheet(chosen) + PAPER_SHEET)
    for part in widget.findChildren(QWidget):
        if isinstance(part, FURNITURE) or part.property("furniture"):
            part.hide()
        elif isinstance(part, Heatmap):
            part.set_selected(None, None)
            part.set_highlight(None, None)


def _await(panel: Panel) -> None:
    """Let what a thread works out for the panel come in."""
    until = QDeadlineTimer(PATIENCE_MS)
    while panel.is_busy and not until.hasExpired():
        QCoreApplication.processEvents(NO_INPUT, LOOK_EVERY_MS)


def _settle(widget: QWidget) -> None:
    """Lay everything out to the end, so large that nothing has to be scrolled to."""
    for _ in range(LAYOUT_ROUNDS):
        _lay_out()
        _let_tables_be_wide(widget)
        below = 0
        for area in _scrolling(widget):
            more = area.verticalScrollBar().maximum()
            if isinstance(area, QScrollArea):
                below = max(below, more)
            elif area.height() + more <= MOST_LIST:
                area.setMinimumHeight(area.height() + more)
        _lay_out()
        for part in widget.findChildren(QWidget):
            least = part.minimumSizeHint().height()
            if part.layout() and part.isVisible() and part.height() < least:
                part.setMinimumHeight(least)  # some ask for nothing by themselves
        _lay_out()
        least = widget.minimumSizeHint().height()
        widget.resize(widget.width(), max(widget.height() + below, least))


def _let_tables_be_wide(widget: QWidget) -> None:
    """Show all columns of the tables that are seen; the layout grows if it must."""
    for table in widget.findChildren(QTableView):
        more = table.horizontalScrollBar().maximum()
        if not (more and table.isVisible()):
            continue
        table.setMinimumWidth(table.width() + more)
        part = table.parentWidget()
        while part is not None and part is not widget:
            _lay_out()
            if isinstance(part, QScrollArea):
                lacking = part.horizontalScrollBar().maximum()
                widget.resize(widget.width() + lacking, widget.height())
            elif part.layout():
                part.setMinimumWidth(part.minimumSizeHint().width())
            part = part.parentWidget()


def _lay_out() -> None:
    """Let every layout hear of what has changed within it."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)


def _scrolling(widget: QWidget) -> list[QAbstractScrollArea]:
    """What is seen and has more below than fits."""
    return [
        area
        for area in widget.findChildren(QAbstractScrollArea)
        if area.isVisible() and area.verticalScrollBar().maximum()
    ]
