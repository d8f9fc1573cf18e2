"""Curves of runs, laid over one another, and what their configurations differ in.

In: events, in the order they were written. Out: arrays of float64. A run that was
resumed at step s has a second `Started` there; the points that it makes again, those
after s, are dropped from its first life.
"""

import dataclasses
import math
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from core.training.config import RunConfig
from core.training.events import Evaluated, Event, HeadsScored, Started, Stepped

FloatArray = NDArray[np.float64]
Axis = Literal["step", "tokens", "seconds"]
AXES: tuple[Axis, ...] = ("step", "tokens", "seconds")
FORGOTTEN = 1e-12
"""A weight below it no longer changes a mean."""
STEPPED = ("step", "loss", "learning_rate", "gradient_norm", "tokens_per_second")
EVALUATED = ("step", "valid_loss", "train_loss", "share_right")
"""Fields of the events that become columns; the first is the step."""


@dataclass(frozen=True, slots=True, eq=False)
class Curves:
    """A run so far. Every array is read-only."""

    n_vocab: int
    """Tokens the model knows; 0 before the run has started."""
    tokens_per_step: float
    """Tokens read in a step, on average, as the run told; 0 if it did not."""
    steps: FloatArray
    """[n]: steps whose figures were logged; those below stand beside them."""
    loss: FloatArray
    learning_rate: FloatArray
    gradient_norm: FloatArray
    """Before clipping."""
    tokens_per_second: FloatArray
    tested_steps: FloatArray
    """[k]: steps after which the model was tested."""
    valid_loss: FloatArray
    """[k]: NaN where no text is kept for it."""
    tested_train_loss: FloatArray
    """[k]: of the training text, without dropout."""
    share_right: FloatArray
    """[k]: of some pairs, the share answered right; NaN where there are none."""
    head_steps: FloatArray
    """[m]: steps after which the heads were scored."""
    previous: FloatArray
    """[m, n_layers, n_heads]: how much each looks at the token before."""
    induction: FloatArray
    """[m, n_layers, n_heads]: how much each looks at what followed the same token."""

    @property
    def ceiling(self) -> float | None:
        """ln(n_vocab): the loss of a model that knows nothing."""
        return math.log(self.n_vocab) if self.n_vocab else None


class CurveRecorder:
    """Gathers a run's points as its events come."""

    def __init__(self) -> None:
        self._n_vocab, self._tokens_per_step = 0, 0.0
        self._stepped = _Columns(STEPPED)
        self._evaluated = _Columns(EVALUATED)
        self._scored: list[HeadsScored] = []

    def add(self, event: Event) -> None:
        """Take the next event; those without points change nothing."""
        if isinstance(event, Started):
            self._n_vocab = event.n_vocab
            self._tokens_per_step = event.tokens_per_step
            self._cut_after(event.step)
        elif isinstance(event, Stepped):
            self._stepped.add(event)
        elif isinstance(event, Evaluated):
            self._evaluated.add(event)
        elif isinstance(event, HeadsScored):
            self._scored.append(event)

    def add_all(self, events: Iterable[Event]) -> None:
        """Take events in order."""
        for event in events:
            self.add(event)

    def curves(self) -> Curves:
        """The points so far; copying 100,000 of them takes some milliseconds."""
        columns = [
            *self._stepped.arrays(),
            *self._evaluated.arrays(),
            _frozen([event.step for event in self._scored]),
            _of_heads(event.previous for event in self._scored),
            _of_heads(event.induction for event in self._scored),
        ]
        return Curves(self._n_vocab, self._tokens_per_step, *columns)

    def _cut_after(self, step: int) -> None:
        self._stepped.cut_after(step)
        self._evaluated.cut_after(step)
        self._scored = [event for event in self._scored if event.step <= step]


class _Columns:
    """Some fields of one kind of event, a growing column each."""

    def __init__(self, fields: Sequence[str]) -> None:
        self._columns = {field: array("d") for field in fields}

    def add(self, event: Event) -> None:
        for field, column in self._columns.items():
            value = getattr(event, field)
            column.append(math.nan if value is None else value)

    def cut_after(self, step: int) -> None:
        n_kept = bisect_right(self._columns["step"], step)
        for column in self._columns.values():
            del column[n_kept:]

    def arrays(self) -> list[FloatArray]:
        return [_frozen(column) for column in self._columns.values()]


def curves_of(events: Iterable[Event]) -> Curves:
    """Gather the points of a whole run."""
    recorder = CurveRecorder()
    recorder.add_all(events)
    return recorder.curves()


def tokens_per_step(config: RunConfig) -> int:
    """Tokens that all processes of a run read in one step, of running text."""
    return config.training.batch_size * config.model.n_ctx


def along(
    curves: Curves, steps: FloatArray, axis: Axis, tokens_per_step: float
) -> FloatArray:
    """Place steps of a run on an axis of a plot: [k] -> [k].

    Seconds are those spent in steps, from the logged tokens/s: events have no clock,
    and tests, checkpoints and pauses would not compare between machines.
    """
    return PLACES[axis](curves, steps, tokens_per_step)


def _by_step(_curves: Curves, steps: FloatArray, _n_tokens: float) -> FloatArray:
    return steps


def _by_tokens(_curves: Curves, steps: FloatArray, n_tokens: float) -> FloatArray:
    return steps * n_tokens


def _by_seconds(curves: Curves, steps: FloatArray, n_tokens: float) -> FloatArray:
    if not len(curves.steps):
        return np.zeros_like(steps)
    logged = np.concatenate(([0.0], curves.steps))
    spent = np.diff(logged) * n_tokens / curves.tokens_per_second
    return np.interp(steps, logged, np.concatenate(([0.0], np.cumsum(spent))))


PLACES: dict[Axis, Callable[[Curves, FloatArray, float], FloatArray]] = {
    "step": _by_step,
    "tokens": _by_tokens,
    "seconds": _by_seconds,
}


def smoothed(values: FloatArray, over: float = 20.0) -> FloatArray:
    """Smooth points by the past, which fades with every point: [n] -> [n].

    The point before weighs (1 - 1/over) of a new one, the one before it the square of
    that, and so on; `over` = 1 changes nothing. The weights add up to one from the
    first point on (Kingma and Ba 2014, section 3), so a curve starts at its own height.
    """
    fade = 1 - 1 / over
    return _faded_sums(values, fade) / _faded_sums(np.ones_like(values), fade)


def _faded_sums(values: FloatArray, fade: float) -> FloatArray:
    """Each value plus `fade` times the sum before it, in log2(n) sweeps over all."""
    sums = np.array(values, dtype=np.float64)
    reach = 1
    while reach < len(sums) and fade**reach > FORGOTTEN:
        sums[reach:] = sums[reach:] + fade**reach * sums[:-reach]
        reach *= 2
    return sums


@dataclass(frozen=True, slots=True)
class Difference:
    """A field in which configurations differ."""

    field: str
    """Table and name: training.learning_rate."""
    values: tuple[Any, ...]
    """One for each configuration, in order."""


def config_differences(*configs: RunConfig) -> tuple[Difference, ...]:
    """The fields that are not the same in all configurations, in the file's order."""
    flat = [_fields_of(config) for config in configs]
    rows = [
        (field, tuple(each[field] for each in flat)) for field in next(iter(flat), ())
    ]
    return tuple(
        Difference(field, values)
        for field, values in rows
        if any(value != values[0] for value in values)
    )


def _fields_of(config: RunConfig) -> dict[str, Any]:
    """Every field by table and name; n_vocab, as in the file, under [tokenizer]."""
    tables = dataclasses.asdict(config)
    del tables["model"]["n_vocab"]
    return {
        f"{table}.{name}": value
        for table, fields in tables.items()
        for name, value in fields.items()
    }


def _of_heads(scores: Iterable[list[list[float]]]) -> FloatArray:
    return _frozen(list(scores) or np.empty((0, 0, 0)))


def _frozen(values: Any) -> FloatArray:
    copy = np.array(values, dtype=np.float64)
    copy.flags.writeable = False
    return copy
