"""Reading what training runs have left on the disk: a thread beside the tracing one.

In: folders. Out: lists of runs, their checkpoints, their curves, and two checkpoints
compared on a sentence. A run may lie on a slow disk or hold a great many events, so
nothing of it is read in the window's thread.
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from app.workers.run_control import move_to_trash
from app.workers.runner import Worker
from core.errors import ConfigError, TrainingError
from core.trace.trace import Trace
from core.training.compare import CurveRecorder, Curves
from core.training.config import RunConfig, read_config
from core.training.events_tail import EventTail
from core.training.runs import (
    RunInfo,
    is_run,
    is_trained,
    list_runs,
    rename_run,
    run_info,
)
from core.training.timeline import (
    Differences,
    Timeline,
    differences,
    timeline,
    timeline_of,
)

if TYPE_CHECKING:
    from core.bundle import Bundle

N_OPEN = 4
"""Checkpoints that stay open for the next comparison."""


@dataclass(frozen=True, slots=True)
class RunsRequest:
    """Which runs there are. Answer: a tuple of `RunInfo`, each run once."""

    folders: tuple[Path, ...]
    """Folders of runs, or runs themselves; they need not be there."""
    doing: str = "looking for runs"


@dataclass(frozen=True, slots=True)
class TimelineRequest:
    """Which checkpoints there are. Answer: `Timeline`; None: the model is of no run."""

    folder: Path
    """Of an open model."""

    @property
    def doing(self) -> str:
        """For a report."""
        return f"reading the run of {self.folder}"


@dataclass(frozen=True, slots=True)
class TimelinesRequest:
    """The checkpoints of some runs. Answer: a tuple of `Timeline`, in order."""

    runs: tuple[Path, ...]
    doing: str = "reading the checkpoints of runs"


@dataclass(frozen=True, slots=True)
class PickRequest:
    """Choose a checkpoint of a run. Answer: its folder."""

    run: Path
    which: Literal["newest", "best"]

    @property
    def doing(self) -> str:
        """For a report."""
        return f"choosing a checkpoint of {self.run}"


@dataclass(frozen=True, slots=True)
class RenameRequest:
    """Give a run another name. Answer: its new folder."""

    run: Path
    name: str

    @property
    def doing(self) -> str:
        """For a report."""
        return f"renaming {self.run}"


@dataclass(frozen=True, slots=True)
class TrashRequest:
    """Move runs to the trash, none of which goes on. Answer: None."""

    runs: tuple[Path, ...]
    doing: str = "moving runs to the trash"


@dataclass(frozen=True, slots=True)
class CurvesRequest:
    """The curves of some runs so far. Answer: a tuple of `RunCurves`, in order."""

    runs: tuple[Path, ...]
    doing: str = "reading the curves of runs"


@dataclass(frozen=True, slots=True, eq=False)
class RunCurves:
    """One run of a comparison."""

    folder: Path
    curves: Curves
    config: RunConfig | None
    """None where it cannot be read."""

    @property
    def name(self) -> str:
        """The run's, as people know it."""
        return self.folder.name


@dataclass(frozen=True, slots=True)
class DifferenceRequest:
    """Walk a sentence through two checkpoints. Answer: `Compared`."""

    before: Path
    after: Path
    text: str
    target: str = ""
    """Behind an encoder: the text that is written so far."""

    @property
    def doing(self) -> str:
        """For a report."""
        return f"comparing {self.before} and {self.after}"


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """One sentence in two models."""

    before: Trace
    after: Trace
    differences: Differences
    label_of: Callable[[int], str]
    """What the chip of a token says."""


def find_runs(request: RunsRequest) -> tuple[RunInfo, ...]:
    """Every run in the folders, the last changed of each folder first."""
    found: dict[Path, RunInfo] = {}
    for folder in request.folders:
        for info in [run_info(folder)] if is_run(folder) else list_runs(folder):
            found.setdefault(info.folder.resolve(), info)
    return tuple(found.values())


def read_timeline(request: TimelineRequest) -> Timeline | None:
    """The run of a model."""
    return timeline_of(request.folder)


def read_timelines(request: TimelinesRequest) -> tuple[Timeline, ...]:
    """The checkpoints of each run."""
    return tuple(timeline(run) for run in request.runs)


def pick_checkpoint(request: PickRequest) -> Path:
    """The newest checkpoint of a run, or the one of the lowest loss."""
    moments = timeline(request.run).moments
    if not moments:
        raise TrainingError(
            f"{request.run} has no checkpoint yet; let the run go on first."
        )
    rated = [each for each in moments if each.loss is not None]
    if request.which == "best" and rated:
        return min(rated, key=lambda each: each.loss or 0.0).folder
    return moments[-1].folder


def rename(request: RenameRequest) -> Path:
    """Move a run's folder to another name."""
    return rename_run(request.run, request.name)


def discard(request: TrashRequest) -> None:
    """Move runs to the trash, one by one."""
    for run in request.runs:
        if is_trained(run):
            raise TrainingError(
                f"{run} is being trained; stop it before it is moved to the trash."
            )
        if not move_to_trash(run):
            raise TrainingError(
                f"{run} could not be moved to the trash; look whether its folder may "
                "be written and whether the disk has a trash."
            )


class CurveReader:
    """The events of runs, each read once however often its curves are asked for."""

    def __init__(self) -> None:
        """Know no run yet."""
        self._known: dict[Path, tuple[EventTail, CurveRecorder, int]] = {}

    def read(self, request: CurvesRequest) -> tuple[RunCurves, ...]:
        """Take what is new of every run."""
        return tuple(
            RunCurves(run, self._curves(run), _config(run)) for run in request.runs
        )

    def _curves(self, run: Path) -> Curves:
        tail, recorder, n_restarts = self._known.get(
            run, (EventTail(run), CurveRecorder(), 0)
        )
        events = tail.read_new()
        if tail.n_restarts != n_restarts:
            recorder = CurveRecorder()  # what it knew was of another file
        recorder.add_all(events)
        self._known[run] = (tail, recorder, tail.n_restarts)
        return recorder.curves()


def _config(run: Path) -> RunConfig | None:
    try:
        return read_config(run)
    except ConfigError:
        return None


class Comparer:
    """A few open checkpoints, so that another sentence is compared in a moment."""

    def __init__(self) -> None:
        """Have none open."""
        self._open: OrderedDict[Path, Bundle] = OrderedDict()

    def compare(self, request: DifferenceRequest) -> Compared:
        """Walk the sentence through both, with the tokens that the first one reads."""
        from core.pipeline import run_trace

        before, after = self._bundle(request.before), self._bundle(request.after)
        one, other = (
            run_trace(
                each,
                request.text,
                target=request.target if each.config.has_encoder else None,
            )
            for each in (before, after)
        )
        found = differences(one, other)
        return Compared(one, other, found, before.tokenizer.label)

    def _bundle(self, folder: Path) -> "Bundle":
        from core.bundle import open_bundle

        if folder not in self._open:
            like = next(reversed(self._open.values()), None)
            self._open[folder] = open_bundle(folder, like=like)
        self._open.move_to_end(folder)
        while len(self._open) > N_OPEN:
            self._open.popitem(last=False)
        return self._open[folder]


class RunsWorker(Worker):
    """Answers by its table; of the requests that wait, the first kind goes first."""

    def __init__(self) -> None:
        """Nothing read yet."""
        super().__init__()
        self._answers: dict[type, Callable[[Any], Any]] = {
            RenameRequest: rename,
            TrashRequest: discard,
            PickRequest: pick_checkpoint,
            TimelineRequest: read_timeline,
            TimelinesRequest: read_timelines,
            DifferenceRequest: Comparer().compare,
            CurvesRequest: CurveReader().read,
            RunsRequest: find_runs,
        }

    @property
    def kinds(self) -> tuple[type, ...]:
        """What it may be asked for."""
        return tuple(self._answers)

    def answer(self, request: Any) -> Any:
        """The answer that the request's docstring names."""
        return self._answers[type(request)](request)
