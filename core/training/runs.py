"""Runs as others see them: what stands in a folder, and whether somebody trains it.

In: folders. Out: one `RunInfo` each, for a list of runs. Whether a run goes on is asked
of the system (the lock of a dead process is free), never read off a flag. Some network
drives carry no locks between machines; there the age of the last event is a witness.

Of a long `events.jsonl` only the end and the lines of tests are read. What says whether
a checkpoint can be read is asked of `checkpoint`, which loads torch at the first call.
"""

import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Literal

from core.errors import CoreError, TrainingError
from core.files import holder_elsewhere, is_held
from core.training.config import CONFIG_FILE, read_config
from core.training.events import (
    EVENTS_FILE,
    Evaluated,
    Event,
    Failed,
    Finished,
    Paused,
    Resumed,
    Sampled,
    Started,
    Stopped,
    event_of,
)

LOCK_FILE = "lock"
TAIL_BYTES = 65_536
"""The end of the events that is read whole: some hundred lines."""
RECIPE = "recipe"
"""The folder in which a published model has its run's configuration and events."""
HEAD_BYTES = 65_536
"""The beginning of the events, where the first samples are."""
MILESTONES = re.compile(rb'\{"event": "(?:started|evaluated)".*')
"""Without an anchor it is four times as fast; inside a text, quotes are escaped."""
CHECKPOINT_NAME = re.compile(r"step-(\d+)")
REMEMBERED_RUNS = 256
BAD_IN_NAMES = re.compile(r'[<>:"/\\|?*\x00-\x1f]')
"""What some system does not allow in the name of a folder."""
DEVICES = re.compile(r"(?i)(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?")
"""Names that Windows keeps for itself."""
LONGEST_NAME_BYTES = 200

Status = Literal[
    "new", "running", "running elsewhere", "paused", "finished", "stopped", "crashed"
]
FRESH_S = 120.0
"""A run that another machine took has died if it has said nothing for longer."""
TURNS = (Started, Paused, Resumed, Stopped, Finished, Failed)
"""Events after which a run goes on in another way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunInfo:
    """A run in a line."""

    folder: Path
    name: str
    status: Status
    step: int
    """Steps done, as far as its events tell."""
    n_steps: int
    """Steps in the whole run; 0 where nothing says so."""
    best_loss: float | None
    """The lowest tested loss: of the validation text, or of the training text."""
    best_step: int | None
    n_checkpoints: int
    size: int
    """Bytes on the disk, with the cache and the checkpoints."""
    changed: float | None
    """When the last event was written, in seconds of the system's clock."""
    message: str
    """What the run said when it paused or ended; how long ago another machine that
    trains it said something; "" while it goes on here."""
    fault: str
    """Why it cannot be opened or resumed, a sentence; "" if it can."""


@dataclass(frozen=True, slots=True)
class Milestones:
    """What a run's events say about the whole of it."""

    n_steps: int = 0
    best_loss: float | None = None
    best_step: int | None = None
    losses: Mapping[int, float] = field(default_factory=dict)
    """The loss of every test, by its step."""


def run_info(folder: Path) -> RunInfo:
    """Look at one run. What is wrong inside the folder stands in `fault`."""
    from core.training.checkpoint import checkpoints

    events = folder / EVENTS_FILE
    last = last_events(events)
    whole = milestones(events)
    fault, n_steps = fault_of(folder)
    turn = next((event for event in reversed(last) if isinstance(event, TURNS)), None)
    is_ours = is_held(folder / LOCK_FILE)
    status = status_of(turn, is_ours or is_elsewhere(folder), bool(last))
    if status == "running" and not is_ours:
        status = "running elsewhere"
    changed = _changed(events)
    return RunInfo(
        folder=folder,
        name=folder.resolve().name,
        status=status,
        step=next((e.step for e in reversed(last) if hasattr(e, "step")), 0),
        n_steps=whole.n_steps or n_steps,
        best_loss=whole.best_loss,
        best_step=whole.best_step,
        n_checkpoints=len(checkpoints(folder)),
        size=size_of(folder),
        changed=changed or _changed(folder / CONFIG_FILE),
        message=_said(folder, status, turn, changed),
        fault=fault,
    )


def _said(
    folder: Path, status: Status, turn: Event | None, changed: float | None
) -> str:
    if status == "running elsewhere" and changed is not None:
        age_s = max(0, round(time.time() - changed))
        machine = holder_elsewhere(folder / LOCK_FILE)
        return f"Its last word is {age_s} s old; {machine} seems to train it."
    if isinstance(turn, Started | Resumed):
        return ""
    return getattr(turn, "message", "")


def is_trained(folder: Path) -> bool:
    """Whether a process trains a run, here or, as far as one sees, elsewhere."""
    return is_held(folder / LOCK_FILE) or is_elsewhere(folder)


def is_elsewhere(folder: Path) -> bool:
    """Whether another machine took a run and has written an event of late.

    Clocks of two machines may differ, so one from the future is as good.
    """
    changed = _changed(folder / EVENTS_FILE)
    if changed is None or abs(time.time() - changed) > FRESH_S:
        return False
    return bool(holder_elsewhere(folder / LOCK_FILE))


def list_runs(root: Path) -> tuple[RunInfo, ...]:
    """Look at every run in a folder, the last changed first; it need not be there."""
    try:
        folders = [folder for folder in root.iterdir() if is_run(folder)]
    except OSError:
        return ()
    runs = map(run_info, folders)
    return tuple(sorted(runs, key=lambda run: (-(run.changed or 0), run.name)))


def is_run(folder: Path) -> bool:
    """Whether a folder has anything of a run in it."""
    return any((folder / name).is_file() for name in (CONFIG_FILE, EVENTS_FILE))


def run_of(model_folder: Path) -> Path | None:
    """The run whose checkpoint a model folder is: RUN/checkpoints/step-00000100."""
    from core.training.checkpoint import CHECKPOINTS

    folder = model_folder.resolve()
    run = folder.parent.parent
    is_there = folder.parent.name == CHECKPOINTS and is_run(run)
    return run if is_there and step_of(folder) is not None else None


def model_in(folder: Path) -> Path:
    """What to open of a folder: of a run its newest checkpoint, else itself."""
    from core.training.checkpoint import checkpoints

    saved = checkpoints(folder) if is_run(folder) else []
    return saved[-1] if saved else folder


def checkpoint_name(model_folder: Path) -> str | None:
    """What people call a checkpoint of a run: "birds, step 200"; None for other models.

    Its file has the name that the run had then; the run may have been renamed.
    """
    run, step = run_of(model_folder), step_of(model_folder.resolve())
    return None if run is None else f"{run.name}, step {step}"


def step_of(model_folder: Path) -> int | None:
    """The step whose checkpoint a folder is by its name; None for other names."""
    name = CHECKPOINT_NAME.fullmatch(model_folder.name)
    return int(name[1]) if name else None


def rename_run(run: Path, name: str) -> Path:
    """Give a run's folder another name; a number follows where it is taken.

    Raises:
        TrainingError: The run is being trained, the name is none for a folder, or the
            system refuses.
    """
    if name == run.name:
        return run
    if is_trained(run):
        raise TrainingError(f"{run} is being trained; stop it before it is renamed.")
    renamed = free_folder(run.parent, name)
    try:
        return run.rename(renamed)
    except OSError as error:
        raise TrainingError(
            f"{run} could not be renamed to {name} ({error.strerror}); close what has "
            "files of it open, or choose another name."
        ) from error


def free_folder(root: Path, name: str) -> Path:
    """A folder that is not there yet: ROOT/name, or "name 2", "name 3" and so on.

    Raises:
        TrainingError: The name is none that every system allows for a folder.
    """
    is_long = len(name.encode()) > LONGEST_NAME_BYTES
    bad = BAD_IN_NAMES.search(name) or DEVICES.fullmatch(name) or is_long
    if bad or not name or name != name.strip() or name.endswith("."):
        raise TrainingError(
            f"{name!r} cannot be the name of a folder; use letters, digits, spaces and "
            f"hyphens, at most {LONGEST_NAME_BYTES} bytes."
        )
    folder, number = root / name, 1
    while os.path.exists(folder):  # false too of a path that is too long
        number += 1
        folder = root / f"{name} {number}"
    return folder


def status_of(turn: Event | None, is_trained: bool, has_begun: bool) -> Status:
    """Judge a run by its last turn and by whether a process holds its lock.

    A run that was paused when its process died has its checkpoint: it is stopped.
    """
    if is_trained:
        return "paused" if isinstance(turn, Paused) else "running"
    if isinstance(turn, Finished):
        return "finished"
    if isinstance(turn, Stopped | Paused):
        return "stopped"
    return "crashed" if has_begun else "new"


def fault_of(folder: Path) -> tuple[str, int]:
    """Why a run cannot be opened, "" if it can; and its n_steps where that is said."""
    try:
        config = read_config(folder)
    except CoreError as error:
        return str(error), 0
    try:
        _check_newest(folder)
    except CoreError as error:
        return str(error), config.training.n_steps
    return "", config.training.n_steps


def last_events(path: Path) -> list[Event]:
    """Read the events at the end of a file, or all of a short one."""
    try:
        with open(path, "rb") as file:
            start = max(0, os.fstat(file.fileno()).st_size - TAIL_BYTES)
            file.seek(start)
            lines = file.read().splitlines()
    except OSError:
        return []
    return list(_events(lines[1:] if start else lines))


def first_prompts(model_folder: Path) -> tuple[str, ...]:
    """What a run let its model write on from; of pairs, sources kept for validation.

    In: the folder of a checkpoint, or of a model that has its run's events with it.
    Out: the prompts of the first samples; () where there are none.
    """
    run = run_of(model_folder) or model_folder / RECIPE
    try:
        with open(run / EVENTS_FILE, "rb") as file:
            lines = file.read(HEAD_BYTES).splitlines()
    except OSError:
        return ()
    samples = (event for event in _events(lines) if isinstance(event, Sampled))
    return tuple(dict.fromkeys(sample.prompt for sample in samples))


def milestones(path: Path) -> Milestones:
    """Read the starts and the tests in a file of events.

    A second start at step s voids the tests after s, which the run makes again.
    """
    try:
        stat = path.stat()
    except OSError:
        return Milestones()
    return _milestones(path, stat.st_size, stat.st_mtime_ns)


@lru_cache(REMEMBERED_RUNS)
def _milestones(path: Path, _size: int, _time: int) -> Milestones:
    try:
        found = MILESTONES.findall(path.read_bytes())
    except OSError:
        return Milestones()
    n_steps = 0
    losses: dict[int, float] = {}
    for event in _events(found):
        if isinstance(event, Started):
            n_steps = event.n_steps
            losses = {step: losses[step] for step in losses if step <= event.step}
        elif isinstance(event, Evaluated):
            valid = event.valid_loss
            losses[event.step] = event.train_loss if valid is None else valid
    best = min(losses, key=lambda step: losses[step], default=None)
    return Milestones(n_steps, None if best is None else losses[best], best, losses)


def size_of(folder: Path) -> int:
    """Bytes of all files below a folder; what a link points to is not counted."""
    size = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                size += os.lstat(os.path.join(place, name)).st_size
            except OSError:  # removed between the two looks
                continue
    return size


def _events(lines: Iterable[bytes]) -> Iterator[Event]:
    read = (event_of(line.decode("utf-8", "replace")) for line in lines)
    return (event for event in read if event is not None)


def _changed(path: Path) -> float | None:
    try:
        return path.stat().st_mtime
    except OSError:
        return None


def _check_newest(run: Path) -> None:
    """Refuse a run whose newest checkpoint is not complete or of a newer program.

    Raises:
        CoreError: It is; names the file.
    """
    from core.checkpoints.native import check_folder
    from core.training.checkpoint import STATE_FILE, checkpoints, read_counters

    for folder in checkpoints(run)[-1:]:
        read_counters(folder)
        check_folder(folder)
        if not (folder / STATE_FILE).is_file():
            raise TrainingError(
                f"{folder / STATE_FILE} is missing; remove this checkpoint to go on "
                "from the one before."
            )
