"""Curves of several runs over one another, and what their configurations differ in.

In: the curves of the chosen runs, again and again. Out: nothing but what is seen.
"""

from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import (
    QAbstractItemView,
    QButtonGroup,
    QCheckBox,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from app.frame.body import QuietSplitter
from app.style.fonts import mono, sans
from app.style.theme import theme
from app.widgets.card import Card
from app.widgets.curve_parts import PEN_STYLES, Level, LineKind, Series
from app.widgets.curve_plot import CurvePlot
from app.widgets.label import as_tip
from app.workers.runs import RunCurves
from core.training.compare import (
    Axis,
    along,
    config_differences,
    smoothed,
    tokens_per_step,
)

AXES: tuple[tuple[Axis, str, str], ...] = (
    ("step", "Steps", "step"),
    ("tokens", "Tokens", "token"),
    ("seconds", "Training time", "second"),
)
"""What curves lie along: its name in core, on its button, and on the plot."""
ROLES = ("query", "key", "value", "pattern", "feed_forward", "residual")
"""Theme colours of the runs, in order; beyond them they begin anew."""
LINES = tuple(PEN_STYLES)
"""How their lines are drawn, in order: told apart without colours, too."""
TRAIN_OPACITY = 0.35
LEAST_TABLE = 120
ROW_HEIGHT = 28
GAP = 8
MARGINS = (14, 14, 14, 14)
NOTHING = "There is no run yet whose curve could be drawn."
ALIKE = "Their configurations are the same."
ONE_RUN = "Choose two runs or more to see what their configurations differ in."
UNREADABLE = "The configuration of {} cannot be read."
HINT = "Bold: loss of the validation text. Faint: loss of the training, smoothed."


class ComparePage(QWidget):
    """Plot above, table below."""

    def __init__(self) -> None:
        """No runs yet."""
        super().__init__()
        self.runs: tuple[Path, ...] = ()
        """Whose curves are wanted."""
        self._shown: tuple[RunCurves, ...] = ()
        self._axis = 0
        self.plot = CurvePlot("loss of several runs", AXES[0][2])
        self.log = QCheckBox("log scale")
        self.table = QTableWidget()
        self._curves, self._fields = Card("Loss"), Card("What differs")
        self._choice = QButtonGroup(self)
        self._arrange()

    def _arrange(self) -> None:
        for place, (name, title, _) in enumerate(AXES):
            button = QPushButton(title)
            button.setProperty("kind", "segment")
            button.setObjectName(f"compare.{name}")
            button.setCheckable(True)
            button.setChecked(place == 0)
            self._choice.addButton(button, place)
            self._curves.head.addWidget(button)
        self.log.setObjectName("compare.log")
        self.log.toggled.connect(self.plot.set_log)
        self._curves.head.addWidget(self.log)
        self._choice.idClicked.connect(self._on_axis_clicked)
        self._curves.body.addWidget(self.plot, 1)
        self._curves.set_note(NOTHING)
        self._fields.body.addWidget(self.table, 1)
        self._fields.set_note(ONE_RUN)
        self._prepare_table()
        split = QuietSplitter(Qt.Orientation.Vertical)
        split.setChildrenCollapsible(False)
        split.addWidget(self._curves)
        split.addWidget(self._fields)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 1)
        split.setHandleWidth(GAP)
        row = QHBoxLayout(self)
        row.setContentsMargins(*MARGINS)
        row.addWidget(split)

    def _prepare_table(self) -> None:
        table = self.table
        table.setObjectName("compare.table")
        table.setAccessibleName("Differences of the configurations")
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        table.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        table.setShowGrid(False)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        head = table.horizontalHeader()
        head.setHighlightSections(False)
        head.setTextElideMode(Qt.TextElideMode.ElideRight)
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft)
        table.setMinimumHeight(LEAST_TABLE)

    def choose(self, runs: tuple[Path, ...]) -> None:
        """Compare these runs from now on."""
        self.runs = runs
        self._curves.set_note("Reading…")

    def rename(self, run: Path, renamed: Path) -> None:
        """Go on with a run under its new name."""
        self.runs = tuple(renamed if each == run else each for each in self.runs)

    def show_curves(self, found: tuple[RunCurves, ...]) -> None:
        """Draw the runs as they are now."""
        if tuple(run.folder for run in found) != self.runs:
            return  # others were chosen meanwhile
        self._shown = found
        self._draw()
        self._fill_table()

    @Slot(int)
    def _on_axis_clicked(self, place: int) -> None:
        self._axis = place
        self.plot.set_x_name(AXES[place][2])
        self._draw()
        self.plot.show_all()

    def _draw(self) -> None:
        axis = AXES[self._axis][0]
        series = [
            each
            for place, run in enumerate(self._shown)
            for each in series_of(
                run, axis, ROLES[place % len(ROLES)], LINES[place % len(LINES)]
            )
        ]
        sizes = {run.curves.n_vocab: run.curves.ceiling for run in self._shown}
        levels = tuple(
            Level(height, f"knows nothing: ln {n_vocab:,} = {height:.2f}")
            for n_vocab, height in sizes.items()
            if height
        )
        self.plot.show_series(tuple(series), levels)
        self._curves.set_note(HINT if self._shown else NOTHING)

    def _fill_table(self) -> None:
        runs = [run for run in self._shown if run.config is not None]
        damaged = [run.name for run in self._shown if run.config is None]
        rows = config_differences(*(run.config for run in runs if run.config))
        table = self.table
        table.setColumnCount(len(runs) + 1)
        table.setRowCount(len(rows))
        for column, name in enumerate(["", *(run.name for run in runs)]):
            head = QTableWidgetItem(name)
            head.setToolTip(as_tip(name))
            table.setHorizontalHeaderItem(column, head)
        for row, difference in enumerate(rows):
            table.setItem(row, 0, item_of(difference.field, is_field=True))
            for column, value in enumerate(difference.values, start=1):
                table.setItem(row, column, item_of(value))
        stretch = QHeaderView.ResizeMode.Stretch
        table.horizontalHeader().setSectionResizeMode(stretch)
        table.setVisible(bool(rows))
        note = "" if rows else ALIKE if len(runs) > 1 else ONE_RUN
        self._fields.set_note(
            UNREADABLE.format(", ".join(damaged)) if damaged else note
        )


def item_of(value: Any, *, is_field: bool = False) -> QTableWidgetItem:
    """A cell of the table."""
    text = text_of(value)
    item = QTableWidgetItem(text)
    item.setFont(sans() if is_field else mono())
    item.setToolTip(as_tip(text))
    if is_field:
        item.setForeground(theme().ink("muted"))
    return item


def text_of(value: Any) -> str:
    """A value of a configuration as a person writes it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple | list):
        return ", ".join(map(str, value)) or "none"
    return f"{value:g}" if isinstance(value, float) else str(value)


def series_of(
    run: RunCurves, axis: Axis, role: str, line: LineKind = "solid"
) -> tuple[Series, ...]:
    """The curves of one run: of the training faint, of the tests strong."""
    curves, config = run.curves, run.config
    per_step = curves.tokens_per_step or (tokens_per_step(config) if config else 1)
    lines = []
    if len(curves.steps):
        x = along(curves, curves.steps, axis, per_step)
        is_tested = bool(len(curves.tested_steps))
        opacity = TRAIN_OPACITY if is_tested else 1.0
        name = "" if is_tested else run.name
        kind = "solid" if is_tested else line
        loss = smoothed(curves.loss)
        lines.append(Series(name, x, loss, role, opacity, width=1.0, line=kind))
    if len(curves.tested_steps):
        x = along(curves, curves.tested_steps, axis, per_step)
        valid = curves.valid_loss
        tested = np.where(np.isfinite(valid), valid, curves.tested_train_loss)
        lines.append(Series(run.name, x, tested, role, width=2.0, line=line))
    return tuple(lines)
