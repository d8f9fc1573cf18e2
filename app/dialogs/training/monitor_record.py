"""What a run has told so far, in the form the monitor's cards need.

Place: between the events of `RunControl` and the cards of the monitor page. No Qt.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core.errors import ConfigError
from core.training.compare import (
    CurveRecorder,
    Curves,
    FloatArray,
    tokens_per_step,
)
from core.training.config import RunConfig, read_config
from core.training.events import (
    Event,
    Failed,
    Finished,
    Merged,
    Paused,
    Preparing,
    Probed,
    Resumed,
    Sampled,
    Saved,
    Started,
    Stepped,
    Stopped,
    Warned,
)

N_FOR_SPEED = 20
"""Logged steps over which the speed is told; their median passes over a hiccup."""
MINUTE_S, HOUR_S, DAY_S = 60, 3600, 86_400


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """One that is on the disk."""

    step: int
    folder: Path
    loss: float | None
    """Of the test after the same step."""


class RunRecord:
    """Gathers the events of one run."""

    def __init__(self, folder: Path) -> None:
        """Nothing has been told yet."""
        self.folder = folder
        self.config = config_of(folder)
        self.started: Started | None = None
        self.step = 0
        """Steps done."""
        self.activity = ""
        """What is done before the first step."""
        self.activity_share: float | None = None
        self.message = ""
        """The last word of a run that paused, stopped or ended."""
        self.samples: list[Sampled] = []
        self.probes: list[Probed] = []
        self.warnings: list[Warned] = []
        self._saved: dict[int, str] = {}
        self._recorder = CurveRecorder()
        self._curves: Curves | None = None

    def take(self, events: Iterable[Event]) -> None:
        """Take the next events, in order."""
        self._curves = None
        for event in events:
            self._recorder.add(event)
            self._take(event)

    def _take(self, event: Event) -> None:
        match event:
            case Started():
                self._go_on_from(event)
            case Stepped():
                self.step = event.step
            case Preparing():
                self.activity, self.activity_share = event.message, event.share
            case Merged():
                self.activity = f"Learning the tokenizer: merge {event.n_done:,}"
                self.activity_share = event.n_done / max(1, event.n_asked)
            case Sampled():
                self.samples.append(event)
            case Probed():
                self.probes.append(event)
            case Warned():
                self.warnings.append(event)
            case Saved():
                self._saved[event.step] = event.folder
            case Paused() | Resumed() | Stopped() | Finished():
                self.step = max(self.step, event.step)
                self.message = event.message
            case Failed():
                self.message = event.message

    def _go_on_from(self, started: Started) -> None:
        """Forget what the run does again after `started.step`."""
        self.config = config_of(self.folder)  # it may go on for longer than before
        self.started, self.step = started, started.step
        self.activity, self.activity_share, self.message = "", None, ""
        self.samples = [each for each in self.samples if each.step <= started.step]
        self.probes = [each for each in self.probes if each.step <= started.step]
        self.warnings = [each for each in self.warnings if each.step <= started.step]
        self._saved = {s: f for s, f in self._saved.items() if s <= started.step}

    # What follows from it.

    @property
    def curves(self) -> Curves:
        """Everything that is drawn over the steps."""
        if self._curves is None:
            self._curves = self._recorder.curves()
        return self._curves

    @property
    def n_steps(self) -> int:
        """Steps in the whole run; 0 while that is not known."""
        if self.started is not None:
            return self.started.n_steps
        return 0 if self.config is None else self.config.training.n_steps

    @property
    def tokens_per_second(self) -> float | None:
        """How fast it reads."""
        newest = self.curves.tokens_per_second[-N_FOR_SPEED:]
        return float(np.median(newest)) if len(newest) else None

    @property
    def tokens_per_step(self) -> float:
        """Tokens read in a step, on average; 0 while that is not known."""
        if self.started is not None and self.started.tokens_per_step:
            return self.started.tokens_per_step
        return 0.0 if self.config is None else tokens_per_step(self.config)

    @property
    def epochs(self) -> float | None:
        """How often the training text has been read."""
        if self.config is None or self.started is None:
            return None
        if not self.started.n_train_tokens:
            return None
        return self.step * self.tokens_per_step / self.started.n_train_tokens

    @property
    def seconds_left(self) -> float | None:
        """Until the last step, at the present speed."""
        speed = self.tokens_per_second
        if self.config is None or not speed or not self.n_steps:
            return None
        return (self.n_steps - self.step) * self.tokens_per_step / speed

    @property
    def best(self) -> tuple[int, float] | None:
        """Step and loss of the best test."""
        losses = tested_loss(self.curves)
        if not np.isfinite(losses).any():
            return None
        place = int(np.nanargmin(losses))
        return int(self.curves.tested_steps[place]), float(losses[place])

    @property
    def has_checkpoints(self) -> bool:
        """Whether the run has told of one."""
        return bool(self._saved)

    def checkpoints(self) -> list[Checkpoint]:
        """Those on the disk, the newest first. Asks the disk."""
        losses = tested_loss(self.curves).tolist()
        tested = dict(zip(self.curves.tested_steps.tolist(), losses, strict=True))
        saved = sorted(self._saved.items(), reverse=True)
        places = [(step, self.folder / name) for step, name in saved]
        return [
            Checkpoint(step, place, tested.get(step))
            for step, place in places
            if place.is_dir()
        ]


def config_of(folder: Path) -> RunConfig | None:
    """A run's configuration; None where it cannot be read: the run will say why."""
    try:
        return read_config(folder)
    except ConfigError:
        return None


def tested_loss(curves: Curves) -> FloatArray:
    """What a run is rated by: [k], on the validation text, else on the other."""
    valid, train = curves.valid_loss, curves.tested_train_loss
    return np.where(np.isfinite(valid), valid, train)


def best_checkpoint(checkpoints: list[Checkpoint]) -> Checkpoint | None:
    """The one with the lowest loss; None where none was tested."""
    tested = [each for each in checkpoints if each.loss is not None]
    return min(tested, key=lambda each: each.loss or math.inf, default=None)


def duration(seconds: float) -> str:
    """A time in words: "less than a minute", "4 min", "2 h 10 min", "3 days"."""
    if seconds < MINUTE_S:
        return "less than a minute"
    if seconds < HOUR_S:
        return f"{seconds / MINUTE_S:.0f} min"
    if seconds < DAY_S:
        hours, rest = divmod(round(seconds / MINUTE_S), HOUR_S // MINUTE_S)
        return f"{hours} h {rest} min"
    return f"{seconds / DAY_S:.1f} days"
