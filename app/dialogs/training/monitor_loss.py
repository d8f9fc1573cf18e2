"""The loss of a run: how far it has come, and from where.

Place: the largest card of the monitor page. Training loss raw and smoothed, validation
loss, the height at which a model starts that knows nothing, and the best test.
"""

from pathlib import Path

import numpy as np
from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QCheckBox, QFileDialog

from app.dialogs.training.monitor_export import FILTERS, CurveExport, with_ending
from app.dialogs.training.monitor_record import RunRecord
from app.failures import ErrorReport
from app.frame.parts import flat_button
from app.widgets.card import Card, give_the_rest
from app.widgets.curve_parts import Level, Mark, Series
from app.widgets.curve_plot import CurvePlot
from core.training.compare import Curves, FloatArray, smoothed

PLOT_HEIGHT = 120
RAW_OPACITY = 0.35
SMOOTHED_OVER = 30
"""Logged steps that the smoothed line remembers at most."""
SMOOTHED_SHARE = 1 / 40
"""It remembers no larger share of a short run, whose fall it would hide."""
NOTHING_YET = "The curve begins with the first steps."
FLAT = "The loss is 0: there is nothing to learn in this text."


class LossCard(Card):
    """The curve, its switch and its way out."""

    failed = Signal(ErrorReport)
    """The curve could not be written."""

    def __init__(self) -> None:
        """No run yet."""
        super().__init__("Loss")
        self._record: RunRecord | None = None
        self.plot = CurvePlot("loss over the steps", "step")
        self.plot.setObjectName("training.loss")
        give_the_rest(self.plot, PLOT_HEIGHT)
        self.plot.set_message(NOTHING_YET)
        self.log = QCheckBox("log scale")
        self.log.setObjectName("training.log")
        self.log.toggled.connect(self.plot.set_log)
        self._whole = flat_button("Whole run", "training.whole")
        self._whole.setToolTip("Show every step again (double click)")
        self._whole.hide()
        self._whole.clicked.connect(self.plot.show_all)
        self.plot.zoom_changed.connect(self._whole.setVisible)
        self._export: CurveExport | None = None
        self._export_button = flat_button("Export…", "training.export")
        self._export_button.setToolTip(
            "Write the curve as a picture, a drawing or a table"
        )
        self._export_button.clicked.connect(self._on_export_clicked)
        for part in (self._whole, self.log, self._export_button):
            self.head.addWidget(part)
        self.body.addWidget(self.plot, 1)

    def show_record(self, record: RunRecord) -> None:
        """Draw what the run has told so far."""
        self._record = record
        curves = record.curves
        self.plot.show_series(loss_series(curves), levels(curves), marks(record))
        self.set_note(note(curves))

    @Slot()
    def _on_export_clicked(self) -> None:
        if self._record is None:
            return
        start = str(self._record.folder / "loss.png")
        name, chosen = QFileDialog.getSaveFileName(
            self, "Export the curve", start, FILTERS
        )
        if name:
            self.export(with_ending(Path(name), chosen))

    def export(self, path: Path) -> None:
        """Write the curve; the ending says how. One export at a time."""
        if self._record is None or self._export is not None:
            return
        self._export = CurveExport(self._record.folder, path)
        self._export.failed.connect(self.failed)
        self._export.ended.connect(self._on_export_ended)
        self._export_button.setEnabled(False)
        self._export.start()

    @Slot()
    def _on_export_ended(self) -> None:
        self._export = None
        self._export_button.setEnabled(True)


def loss_series(curves: Curves) -> tuple[Series, ...]:
    """The three lines; the validation loss only where there is one."""
    is_there = np.isfinite(curves.loss)
    steps, loss = curves.steps[is_there], curves.loss[is_there]
    lines = [
        Series("each step", steps, loss, opacity=RAW_OPACITY, width=1),
        Series("training", steps, _smooth(loss)),
    ]
    if np.isfinite(curves.valid_loss).any():
        name, tested = "validation", curves.tested_steps
        valid = curves.valid_loss
        lines.append(Series(name, tested, valid, "feed_forward", line="dashed"))
    return tuple(lines)


def levels(curves: Curves) -> tuple[Level, ...]:
    """Where a model starts that knows nothing."""
    if not curves.ceiling:
        return ()
    text = f"knows nothing: ln {curves.n_vocab:,} = {curves.ceiling:.2f}"
    return (Level(curves.ceiling, text),)


def marks(record: RunRecord) -> tuple[Mark, ...]:
    """The best test so far."""
    if record.best is None:
        return ()
    step, loss = record.best
    return (Mark(step, loss, f"best {loss:.3f}"),)


def note(curves: Curves) -> str:
    """What to say under the curve."""
    finite = curves.loss[np.isfinite(curves.loss)]
    return FLAT if len(finite) and not finite.any() else ""


def _smooth(values: FloatArray) -> FloatArray:
    over = min(SMOOTHED_OVER, max(1.0, SMOOTHED_SHARE * len(values)))
    return smoothed(values, over) if len(values) else values
