"""The person's own sentence through the eyes of the model, at every age it was asked.

Place: a card of the monitor page. The pattern of one head, the likeliest next tokens,
and a slider over the steps. The patterns lie as files in the run's folder.
"""

import logging
from collections.abc import Sequence
from math import ceil
from pathlib import Path

import numpy as np
from PySide6.QtCore import QSignalBlocker, Slot
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QVBoxLayout, QWidget

from app.dialogs.training.monitor_heads import parts_of_heads
from app.dialogs.training.monitor_record import RunRecord
from app.style.fonts import SMALL, sans
from app.widgets.bars import Bar, Bars
from app.widgets.card import Card, give_the_rest, plain_label
from app.widgets.heatmap import Heatmap
from app.widgets.play_slider import PlaySlider
from core.trace.matrix import Axis, FloatArray, Matrix, Scale
from core.training.events import Probed

MAP_HEIGHT, BARS_HEIGHT = 120, 100
BARS_WIDTH = 180
HEAD_LETTERS = 14
"""The choice of a head becomes as narrow as this before the title loses a letter."""
MAP_SHARE, BARS_SHARE = 5, 4
TITLE, CROSS_TITLE = "Sentence", "Cross attention"
WAITING = "The model reads it for the first time after some steps."
GONE = "The patterns of this step are no longer in the run's folder."

log = logging.getLogger(__name__)


class ProbeCard(Card):
    """One head's pattern and what the model expects next, at one step."""

    def __init__(self) -> None:
        """Nothing has been probed."""
        super().__init__(TITLE)
        self._folder = Path()
        self._probes: tuple[Probed, ...] = ()
        self._patterns: FloatArray | None = None
        self._place = 0
        self._scores: dict[tuple[int, int], str] = {}
        """Heads that take a part, and which: "induction 0.62"; the best first."""
        self._is_chosen = False
        """Whether the person chose the head."""
        self.heads = QComboBox()
        self.heads.setObjectName("training.head")
        self.heads.setAccessibleName("head to look at")
        self.heads.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.heads.setMinimumContentsLength(HEAD_LETTERS)
        self.heads.activated.connect(self._on_head_activated)
        self.heads.currentIndexChanged.connect(self._on_head_changed)
        self.map = Heatmap()
        self.map.set_message(WAITING)
        give_the_rest(self.map, MAP_HEIGHT)
        self.bars = Bars("likeliest next tokens")
        self.bars.set_message("")
        give_the_rest(self.bars, BARS_HEIGHT)
        self.bars.setMinimumWidth(BARS_WIDTH)
        self.heading = plain_label(ink="muted")
        self._right = QWidget()  # an empty layout would keep its share of the width
        self.slider = PlaySlider("steps at which the sentence was read")
        self.slider.setObjectName("training.probe")
        self.slider.position_requested.connect(self._on_position_requested)
        self._arrange()
        self._show()

    def _arrange(self) -> None:
        self.heading.setFont(sans(SMALL))
        right = QVBoxLayout(self._right)
        right.setContentsMargins(0, 0, 0, 0)
        right.addWidget(self.heading)
        right.addWidget(self.bars, 1)
        row = QHBoxLayout()
        row.setSpacing(12)
        row.addWidget(self.map, MAP_SHARE)
        row.addWidget(self._right, BARS_SHARE)
        metrics = QFontMetricsF(self._title.font())
        self._title.setMinimumWidth(ceil(metrics.horizontalAdvance(TITLE)) + 1)
        self.head.addWidget(self.heads)
        self.heads.hide()
        self.body.addLayout(row, 1)
        self.body.addWidget(self.slider)

    def show_record(self, record: RunRecord) -> None:
        """Show the newest look, unless the reader stands at an older one."""
        probes = tuple(record.probes)
        scores = parts_of_heads(record.curves)
        is_same_run = record.folder == self._folder
        if (probes, scores) == (self._probes, self._scores) and is_same_run:
            return
        was_at_end = self._place >= len(self._probes) - 1
        self._is_chosen = self._is_chosen and is_same_run
        self._folder, self._probes, self._scores = record.folder, probes, scores
        last = max(0, len(probes) - 1)
        self._place = last if was_at_end or not is_same_run else min(self._place, last)
        self._show()

    def _show(self) -> None:
        n = max(1, len(self._probes))
        self.slider.show_position(self._place + 1, n, first=1)
        for part in (self._right, self.slider):
            part.setVisible(bool(self._probes))
        if not self._probes:
            self._patterns = None
            self._show_pattern()
            self.bars.show_bars((), ())
            return
        probed = self._probes[self._place]
        what = "what it writes first" if probed.source else "what it expects"
        self.heading.setText(f"{what} at step {probed.step:,}")
        self.set_title(CROSS_TITLE if probed.source else TITLE)
        self._patterns = read_patterns(self._folder / probed.file)
        self._offer_heads()
        self._show_pattern()
        self.bars.show_bars(bars_of(probed), ("%",))

    def _offer_heads(self) -> None:
        """Let the reader choose among the heads there are; the choice stays.

        Before there is one, the head that has taken its part best is shown; of cross
        attention, the one that looks at one token most.
        """
        if self._patterns is None:
            return
        parts = dict(self._scores)
        if self._probes[self._place].source:
            parts = sharpest(self._patterns)
        n_layers, n_heads = self._patterns.shape[:2]
        if self.heads.count() != n_layers * n_heads:
            with QSignalBlocker(self.heads):
                self.heads.clear()
                for layer, head in np.ndindex(n_layers, n_heads):
                    self.heads.addItem("", (layer, head))
        for place, (layer, head) in enumerate(np.ndindex(n_layers, n_heads)):
            part = parts.get((layer, head))
            words = f"layer {layer + 1}, head {head + 1}"
            self.heads.setItemText(place, f"{words} · {part}" if part else words)
        best = next(iter(parts), None)
        if best is not None and not self._is_chosen:
            with QSignalBlocker(self.heads):
                self.heads.setCurrentIndex(best[0] * n_heads + best[1])
        self.heads.show()

    def _show_pattern(self) -> None:
        chosen = self.heads.currentData()
        if not self._probes or self._patterns is None or chosen is None:
            self.map.set_message(GONE if self._probes else WAITING)
            self.map.show_matrix(None)
            return
        probed = self._probes[self._place]
        pattern = self._patterns[tuple(chosen)]
        self.map.show_matrix(pattern_matrix(pattern, probed.tokens, probed.source))

    @Slot(int)
    def _on_head_activated(self, _: int) -> None:
        self._is_chosen = True

    @Slot(int)
    def _on_head_changed(self, _: int) -> None:
        self._show_pattern()

    @Slot(int)
    def _on_position_requested(self, position: int) -> None:
        place = position - 1
        if place != self._place and 0 <= place < len(self._probes):
            self._place = place
            self._show()


def read_patterns(path: Path) -> FloatArray | None:
    """[n_layers, n_heads, n_query, n_key]; None where the file cannot be used."""
    try:
        patterns = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        log.info("%s cannot be read: %s", path, error)
        return None
    is_stack = patterns.ndim == 4 and patterns.dtype.kind == "f"
    return patterns.astype(np.float32) if is_stack else None


def sharpest(patterns: FloatArray) -> dict[tuple[int, int], str]:
    """The head with the largest shares, and how large they are on average.

    [n_layers, n_heads, n_query, n_key] -> what there is to say of one head.
    """
    shares = patterns.max(axis=-1).mean(axis=-1)
    layer, head = np.unravel_index(int(shares.argmax()), shares.shape)
    return {(int(layer), int(head)): f"sharpest {shares[layer, head]:.2f}"}


def pattern_matrix(
    pattern: FloatArray, tokens: list[str], source: Sequence[str] = ()
) -> Matrix | None:
    """A head's pattern to look at; what a token may not see is empty.

    With a source it is cross attention, which may see all of that.
    """
    if pattern.shape != (len(tokens), len(source or tokens)):
        return None
    values = pattern.copy()
    above = np.triu_indices(len(tokens), 1)
    if not source and not values[above].any():
        values[above] = np.nan
    values.flags.writeable = False
    return Matrix(
        values,
        Axis("written" if source else "query", tuple(tokens), "query"),
        Axis("source" if source else "key", tuple(source or tokens), "key"),
        Scale("share", 1.0),
        "pattern",
    )


def bars_of(probed: Probed) -> tuple[Bar, ...]:
    """The likeliest next tokens."""
    pairs = zip(probed.top, probed.probabilities, strict=False)
    return tuple(Bar(label, (f"{100 * p:.1f}",), p) for label, p in pairs)
