"""What else is drawn over the steps: heads that form, the gradient, the rate.

Place: the card under the loss. The scores of all heads lie over one another; a head
that takes a part leaves the crowd and is named.
"""

from collections.abc import Callable, Iterator

import numpy as np
from PySide6.QtCore import Slot

from app.dialogs.training.monitor_heads import (
    FORMED,
    PARTS,
    RisenHead,
    part_words,
    risen_heads,
)
from app.dialogs.training.monitor_record import RunRecord
from app.widgets.card import Card, give_the_rest
from app.widgets.curve_parts import Level, LineKind, Series
from app.widgets.curve_plot import CurvePlot
from app.widgets.segments import Segments
from core.training.compare import Curves

PLOT_HEIGHT = 100
CROWD_OPACITY = 0.35
NOTHING = np.zeros(0)
NO_HEADS = "The heads are looked at for the first time after some steps."
NO_STEPS = "The line begins with the first steps."


class FiguresCard(Card):
    """One of the charts at a time."""

    def __init__(self) -> None:
        """Heads first: they are what there is to discover."""
        super().__init__("Heads")
        self._record: RunRecord | None = None
        self._shown: tuple[object, ...] = ()
        """Which chart is drawn, and up to where: heads come rarely and cost most."""
        self.plot = CurvePlot("figures over the steps", "step")
        self.plot.setObjectName("training.figures")
        give_the_rest(self.plot, PLOT_HEIGHT)
        self.segments = Segments(tuple(VIEWS), "training.figure")
        self.segments.chosen.connect(self._on_segments_chosen)
        self.head.addWidget(self.segments)
        self.body.addWidget(self.plot, 1)

    def show_record(self, record: RunRecord) -> None:
        """Draw what the run has told so far."""
        self._record = record
        place, curves = self.segments.place, record.curves
        of_pairs = record.config is not None and record.config.data.pairs
        self.segments.set_word(0, "answers" if of_pairs else "heads")
        view = tuple(VIEWS.values())[place]
        title, series_of, note_of = ANSWERS if of_pairs and view is HEADS else view
        is_of_heads = series_of is head_series
        steps = curves.tested_steps if series_of is right_series else curves.steps
        if is_of_heads:
            steps = curves.head_steps
        state = (record.folder, place, len(steps), *steps[-1:].tolist())
        if state == self._shown:
            return
        self._shown = state
        levels = (Level(FORMED, "one half"),) if is_of_heads else ()
        if series_of is right_series:
            levels = (Level(1.0, "all of them"),)
        self.set_title(title)
        self.plot.set_message(NO_HEADS if is_of_heads else NO_STEPS)
        self.plot.show_series(tuple(series_of(record.curves)), levels)
        self.set_note(note_of(record.curves))

    @Slot(int)
    def _on_segments_chosen(self, _: int) -> None:
        if self._record is not None:
            self.show_record(self._record)


def head_series(curves: Curves) -> Iterator[Series]:
    """For each part a pale crowd of all heads, and those that take it."""
    for name, role, field in PARTS:
        scores = getattr(curves, field)
        line: LineKind = "dashed" if role == "query" else "solid"
        yield Series(name, NOTHING, NOTHING, role, line=line)
        n_heads = int(np.prod(scores.shape[1:]))
        crowd = scores.reshape(len(scores), n_heads)
        yield Series("", curves.head_steps, crowd, role, CROWD_OPACITY, width=1)
        for each in _risen(curves, field):
            score = scores[:, each.layer, each.head]
            yield Series("", curves.head_steps, score, role, line=line)


def head_note(curves: Curves) -> str:
    """Which heads have taken which part, and since when."""
    if not len(curves.head_steps):
        return ""
    return " ".join(part_words(name, _risen(curves, field)) for name, _, field in PARTS)


def _risen(curves: Curves, field: str) -> list[RisenHead]:
    return risen_heads(curves.head_steps, getattr(curves, field))


def right_series(curves: Curves) -> Iterator[Series]:
    """The share of answers that are wholly right."""
    yield Series("wholly right", curves.tested_steps, curves.share_right, "value")


def right_note(curves: Curves) -> str:
    """The newest share in words; what it is of."""
    known = curves.share_right[np.isfinite(curves.share_right)]
    if not len(known):
        return ""
    return (
        f"{known[-1]:.1%} of the answers were wholly right in the newest test, which "
        "takes pairs that are kept for validation, if there are any."
    )


def norm_series(curves: Curves) -> Iterator[Series]:
    """The length of the gradient before it was clipped."""
    yield Series("gradient norm", curves.steps, curves.gradient_norm, "value", width=1)


def rate_series(curves: Curves) -> Iterator[Series]:
    """The learning rate."""
    yield Series("learning rate", curves.steps, curves.learning_rate, "residual")


def norm_note(_: Curves) -> str:
    """What the gradient norm means."""
    return "Before clipping. Spikes that grow ask for a lower learning rate."


def rate_note(_: Curves) -> str:
    """The rate speaks for itself."""
    return ""


View = tuple[str, Callable[[Curves], Iterator[Series]], Callable[[Curves], str]]
HEADS: View = ("Where the heads look", head_series, head_note)
ANSWERS: View = ("Right answers", right_series, right_note)
VIEWS: dict[str, View] = {
    "heads": HEADS,
    "gradient": ("Gradient norm", norm_series, norm_note),
    "rate": ("Learning rate", rate_series, rate_note),
}
"""The charts, by the word that chooses each: title, lines, note. Of a run on pairs the
first is of its answers."""
