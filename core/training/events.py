"""What a run tells the world: one JSON object a line in `events.jsonl`.

The training program writes it, the dialog and people read it. Lines are only added, so
a run that was resumed has a second `Started`, from whose step on the later lines count.
"""

import dataclasses
import errno
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args, get_type_hints

from core.errors import CheckpointError
from core.files import explained

EVENTS_FILE = "events.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """The run begins, or goes on after `step` steps."""

    step: int
    n_steps: int
    n_parameters: int
    n_vocab: int
    n_train_tokens: int
    n_valid_tokens: int
    device: str
    process: int
    """Its number in the system, while it runs."""
    tokens_per_step: float = 0.0
    """Tokens that all processes read in a step, on average; 0 where it was not told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stepped:
    """The figures of one step. `loss` is the mean over its batch, before the update."""

    step: int
    loss: float
    learning_rate: float
    gradient_norm: float
    tokens_per_second: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluated:
    """The model was tested, without dropout, on windows spread over the texts."""

    step: int
    train_loss: float
    valid_loss: float | None
    """None where no text is kept for it."""
    perplexity: float
    """e to the validation loss, or to the training loss where there is none."""
    share_right: float | None = None
    """Of some pairs, the share that is answered wholly right, written greedily; None
    where there are no pairs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preparing:
    """Something is done before the first step: texts are read, pairs are counted."""

    message: str
    share: float | None = None
    """How much of it is done, from 0 to 1; None where that is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """The tokenizer has learned some merges, in this order."""

    n_done: int
    """Merges learned so far, these included."""
    n_asked: int
    left: list[str]
    """Left symbols, in the letters of tokenizer files."""
    right: list[str]
    counts: list[int]
    """How often the two stood side by side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampled:
    """The model wrote on from the prompt of [watch], or answered a source."""

    step: int
    prompt: str
    text: str
    """What came after the prompt."""
    right: str | None = None
    """The right answer to a source; None where a prompt has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probed:
    """The model read the sentence of [watch]."""

    step: int
    tokens: list[str]
    """Labels of the sentence's tokens."""
    top: list[str]
    """Labels of the likeliest next tokens, the likeliest first."""
    probabilities: list[float]
    """Theirs."""
    file: str
    """The patterns, relative to the run's folder: .npy, float16,
    [n_layers, n_heads, n_query, n_key]."""
    source: list[str] = field(default_factory=list)
    """Labels of the source's tokens, at which cross attention looks: the patterns are
    its own then. Empty where there is no source."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadsScored:
    """How much each head looks where, on random tokens told twice (seeded)."""

    step: int
    previous: list[list[float]]
    """[n_layers][n_heads]: mean share on the token before."""
    induction: list[list[float]]
    """[n_layers][n_heads]: mean share on the token after the same one earlier."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Warned:
    """The run goes on, but somebody should look at it."""

    step: int
    kind: str
    """stuck, overfitting, plateau or threads."""
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """A checkpoint is on the disk."""

    step: int
    folder: str
    """Relative to the run's folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paused:
    """The run waits; its checkpoint is saved."""

    step: int
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumed:
    """The run goes on after a pause."""

    step: int
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """The run ended early because somebody asked; it can be resumed."""

    step: int
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """All steps are done."""

    step: int
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """The run could not start or go on."""

    message: str


Event = (
    Started
    | Stepped
    | Evaluated
    | Preparing
    | Merged
    | Sampled
    | Probed
    | HeadsScored
    | Warned
    | Saved
    | Paused
    | Resumed
    | Stopped
    | Finished
    | Failed
)
KINDS: dict[str, type[Event]] = {
    "started": Started,
    "step": Stepped,
    "evaluated": Evaluated,
    "preparing": Preparing,
    "merged": Merged,
    "sampled": Sampled,
    "probed": Probed,
    "heads": HeadsScored,
    "warned": Warned,
    "saved": Saved,
    "paused": Paused,
    "resumed": Resumed,
    "stopped": Stopped,
    "finished": Finished,
    "failed": Failed,
}
NAMES = {kind: name for name, kind in KINDS.items()}
FIELDS = {kind: tuple(get_type_hints(kind).items()) for kind in NAMES}
JSON_TYPES: dict[Any, tuple[type, ...]] = {
    int: (int,),
    float: (float, int),
    float | None: (float, int, type(None)),
    str: (str,),
    str | None: (str, type(None)),
}
"""What a field's value may be in JSON; its lists hold these, or lists of these."""


def line_of(event: Event) -> str:
    """Write an event as its line, without the line end."""
    return json.dumps({"event": NAMES[type(event)], **dataclasses.asdict(event)})


def event_of(line: str) -> Event | None:
    """Read a line; None if it is torn, of another version or written by hand amiss."""
    try:
        fields: dict[str, Any] = json.loads(line)
        kind = KINDS[fields.pop("event")]
        event = kind(**fields)
        is_sound = all(_is_of(getattr(event, name), t) for name, t in FIELDS[kind])
        return event if is_sound else None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _is_of(value: Any, kind: Any) -> bool:
    """Whether a value out of JSON is of a field's type."""
    if (types := JSON_TYPES.get(kind)) is not None:
        return type(value) in types  # true and false are no numbers
    (part,) = get_args(kind)
    return type(value) is list and all(_is_of(each, part) for each in value)


def read_events(folder: Path) -> Iterator[Event]:
    """Read the events of a run's folder in order, passing over torn lines.

    Raises:
        CheckpointError: The file is there and cannot be read.
    """
    path = folder / EVENTS_FILE
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return
    except OSError as error:
        raise CheckpointError(
            f"{path} cannot be read ({error.strerror}); it must be a file that you may "
            "read."
        ) from error
    for line in text.splitlines():
        event = event_of(line)
        if event is not None:
            yield event


class EventLog:
    """Adds lines to `events.jsonl`; each is complete for readers at once."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / EVENTS_FILE
        with explained(self._path):
            # Unbuffered, so that closing a file on a full disk has nothing to write.
            self._file = open(self._path, "a+b", buffering=0)  # noqa: SIM115
            self._end_torn_line()

    def write(self, event: Event) -> None:
        """Add an event.

        Raises:
            CheckpointError: The disk is full, or the file is gone.
        """
        self.check_there()
        line = line_of(event).encode() + b"\n"
        with explained(self._path):
            self._end_torn_line()
            if self._file.write(line) < len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def write_last(self, event: Event) -> None:
        """Add the event that ends a run, also where the folder has another name now.

        Raises:
            CheckpointError: The disk is full.
        """
        line = line_of(event).encode() + b"\n"
        with explained(self._path):
            self._end_torn_line()
            self._file.write(line)

    def check_there(self) -> None:
        """Notice that the file or its folder was removed or renamed in the meantime.

        A file that is open can be written to even then, and nobody would read it.

        Raises:
            CheckpointError: It was.
        """
        is_unnamed = os.fstat(self._file.fileno()).st_nlink == 0
        if is_unnamed or not self._path.is_file():
            raise CheckpointError(gone_sentence(self._path, is_removed=is_unnamed))

    def close(self) -> None:
        """Let the file go."""
        self._file.close()

    def _end_torn_line(self) -> None:
        """Give a line that a full disk or a kill cut off its end."""
        if self._file.seek(0, os.SEEK_END):
            self._file.seek(-1, os.SEEK_END)
            if self._file.read(1) != b"\n":
                self._file.write(b"\n")


def gone_sentence(path: Path, *, is_removed: bool) -> str:
    """Say of a run whose events are gone what became of it, and how it goes on."""
    folder = path.parent
    if folder.is_dir():
        return (
            f"{path} was removed or renamed while the run was being trained, so the "
            "run was stopped; start it again to go on from its newest checkpoint."
        )
    if is_removed:
        return (
            f"{folder} was deleted while the run in it was being trained, so the run "
            "was stopped; put the folder back and start the run again to go on from "
            "its newest checkpoint."
        )
    return (
        f"{folder} was renamed or moved while the run in it was being trained, so the "
        "run was stopped; start it again where it is now to go on from its newest "
        "checkpoint."
    )
