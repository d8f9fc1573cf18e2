"""Opening models, encoding long texts, tracing, deriving large steps: one thread.

torch is imported here, in the thread, after the first paint. Requests and answers are
frozen; the answer to a `PartsRequest` is the trace's own cache, filled.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Event
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from app.model_card import ModelCard, stamp_of
from app.sentence import prompt_of_text
from app.workers.checking import self_checked
from app.workers.memory import give_back
from app.workers.runner import Worker
from core.checkpoints.progress import Tell, tell_nobody
from core.config import ModelConfig
from core.errors import CheckpointError, MissingWeightError
from core.tokenizers.base import Encoding, Tokenizer
from core.trace.needs import Index
from core.trace.trace import Trace
from core.training.runs import checkpoint_name, first_prompts, model_in

if TYPE_CHECKING:
    import torch

    from core.bundle import Bundle
    from core.trace.archive import Archive

Part = tuple[str, Index]
LONG = 256
"""From so many tokens on, a pass needs memory that is worth giving back."""
TRACE_ENDING = ".npz"
"""Of a trace file's name."""


@dataclass(frozen=True, slots=True, eq=False)
class OpenRequest:
    """Open a model's folder or file, or a trace file. Answer: `Opened`.

    On the way it is told how many tensors are read, and of how many: (int, int).
    """

    folder: Path
    stop: Event = field(default_factory=Event)
    """Set to open nothing."""

    @property
    def doing(self) -> str:
        """For a report."""
        return f"opening {self.folder}"


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """A model that is ready, or the trace in its place, and what to say about it."""

    bundle: "Bundle | Archive"
    card: ModelCard


@dataclass(frozen=True, slots=True, eq=False)
class EncodeRequest:
    """Cut a long text into tokens. Answer: `Encoding`."""

    tokenizer: Tokenizer
    text: str
    specials: bool
    start_id: int | None = None
    """The token that a model puts in front of a target."""
    doing: str = "cutting the text into tokens"


@dataclass(frozen=True, slots=True, eq=False)
class TraceRequest:
    """Walk tokens through a model. Answer: `Traced`."""

    bundle: "Bundle | Archive"
    encoding: Encoding
    serial: int
    """Counts requests, so that an outdated answer can be told."""
    target: Encoding | None = None
    """Behind an encoder: the start token and the text so far; `encoding` is read."""
    doing: str = "tracing the sentence"


@dataclass(frozen=True, slots=True, eq=False)
class BesideRequest:
    """Walk another sentence through the model, to compare. Answer: `Trace`."""

    bundle: "Bundle"
    text: str
    specials: bool
    target: Encoding | None = None
    """Behind an encoder: the same target so far as that of the sentence."""
    doing: str = "tracing the sentence beside"


@dataclass(frozen=True, slots=True)
class TraceTiming:
    """Where a trace was made and how long it took."""

    device: str
    milliseconds: float | None
    """None where it was read from a file."""


@dataclass(frozen=True, slots=True, eq=False)
class Traced:
    """A trace, and what was noticed on the way."""

    trace: Trace
    timing: TraceTiming
    broken_from: str | None
    """Key of the first step that holds NaN or an infinity; None if all are finite."""


@dataclass(frozen=True, slots=True, eq=False)
class MomentRequest:
    """Open another checkpoint of a run, and walk tokens through it. Answer: `Moved`."""

    folder: Path
    like: "Bundle"
    """The checkpoint that is open: what the two share is not read again."""
    encoding: Encoding
    target: Encoding | None = None

    @property
    def doing(self) -> str:
        """For a report."""
        return f"opening {self.folder}"


@dataclass(frozen=True, slots=True, eq=False)
class Moved:
    """A checkpoint that is ready, with its trace."""

    opened: Opened
    traced: Traced | None
    """None where there is nothing to trace, or too much."""


@dataclass(frozen=True, slots=True, eq=False)
class PartsRequest:
    """Derive parts of a trace that are too large for the main thread. Answer: None."""

    trace: Trace
    parts: tuple[Part, ...]
    doing: str = "computing the step"

    def is_like(self, other: "PartsRequest") -> bool:
        """Whether both ask for the same."""
        return self.trace is other.trace and self.parts == other.parts


class TracingWorker(Worker):
    """Answers by the table below."""

    def __init__(self) -> None:
        """Nothing is answered yet."""
        super().__init__()
        self._traced: Traced | None = None

    def answer(self, request: Any) -> Any:
        """The answer that the request's docstring names."""
        answer_to = ANSWERS[type(request)]
        if isinstance(request, OpenRequest):
            return answer_to(request, partial(self._tell, request))
        answer = answer_to(request)
        self._traced = answer if isinstance(answer, Traced) else None
        return answer

    def _tell(self, request: OpenRequest, n_done: int, n: int) -> None:
        if request.stop.is_set() or self.should_end():
            raise CheckpointError(f"{request.folder} was not opened: it was cancelled.")
        self.progressed.emit(request, (n_done, n))

    def clear_up(self, request: Any) -> None:
        """A long sentence leaves much behind, and so does the one before it.

        And of a new model, the first panels ask for what takes a while.
        """
        traced, self._traced = self._traced, None
        if traced is not None:
            look_ahead(traced.trace)
        if isinstance(request, TraceRequest):
            texts = request.encoding, request.target
            if any(len(text.ids) >= LONG for text in texts if text):
                give_back()


def open_model(request: OpenRequest, tell: Tell = tell_nobody) -> Opened:
    """Load torch, if it is not there yet, and a model."""
    import torch

    from core.bundle import open_bundle

    # Half of the cores: the window and generation need theirs, and torch's threads
    # collapse when they have to wait for one another.
    torch.set_num_threads(max(1, (os.cpu_count() or 2) // 2))
    if request.folder.suffix.lower() == TRACE_ENDING:
        return open_trace(request.folder)
    bundle = open_bundle(model_in(request.folder), tell=tell)
    return Opened(bundle, self_checked(bundle, card_of(bundle)))


def open_trace(file: Path) -> Opened:
    """Read a trace file, which stands in for the model that made it."""
    from core.trace.archive import open_archive

    archive = open_archive(file)
    card = ModelCard(
        name=archive.name or file.stem,
        folder=file,
        config=archive.config,
        n_parameters=0,
        device="",
        is_recorded=True,
    )
    return Opened(archive, card)


def card_of(bundle: "Bundle") -> ModelCard:
    """What to say about a model."""
    named = bundle.folder and checkpoint_name(bundle.folder)  # its run may be renamed
    return ModelCard(
        name=named or bundle.name,
        folder=bundle.folder,
        config=bundle.config,
        n_parameters=sum(weight.numel() for weight in bundle.weights.values()),
        device=device_text(bundle.device),
        notes=bundle.notes,
        warnings=bundle.warnings,
        stamp=stamp_of(bundle.folder),
        prompts=first_prompts(bundle.folder) if bundle.folder else (),
    )


def device_text(device: "torch.device") -> str:
    """A device as a reader knows it."""
    import torch

    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return {"cpu": "CPU", "mps": "Apple GPU"}.get(device.type, str(device))


def encode(request: EncodeRequest) -> Encoding:
    """Cut a text into tokens."""
    how = request.tokenizer, request.specials, request.start_id
    return prompt_of_text(
        request.text, how[0], specials=how[1], start_id=how[2]
    ).encoding


def trace_sentence(request: TraceRequest) -> Traced:
    """Walk tokens through a model, and look for numbers that are none."""
    from core.pipeline import trace_encoding
    from core.trace.archive import Archive

    start = perf_counter()
    if isinstance(request.bundle, Archive):
        trace = request.bundle.trace
        return Traced(trace, TraceTiming("trace file", None), broken_from(trace))
    traced = trace_encoding(request.bundle, request.encoding, target=request.target)
    milliseconds = (perf_counter() - start) * 1000
    timing = TraceTiming(device_text(request.bundle.device), milliseconds)
    return Traced(traced, timing, broken_from(traced))


def trace_beside(request: BesideRequest) -> Trace:
    """Cut another sentence into tokens, and walk them through a model."""
    from core.pipeline import trace_encoding

    tokenizer = request.bundle.tokenizer
    encoding = tokenizer.encode(request.text, specials=request.specials)
    return trace_encoding(request.bundle, encoding, target=request.target)


def move(request: MomentRequest) -> Moved:
    """Open a checkpoint and trace with it, in one go: nothing half is ever shown."""
    from core.bundle import open_bundle

    bundle = open_bundle(request.folder, like=request.like)
    like, texts = request.like, (request.encoding, request.target)
    ours, theirs = ((b.tokenizer, b.target_tokenizer) for b in (bundle, like))
    can_read = all(one is other for one, other in zip(ours, theirs, strict=True))
    opened = Opened(bundle, card_of(bundle))
    if not (can_read and all(fits(text, bundle.config) for text in texts if text)):
        return Moved(opened, None)
    asked = TraceRequest(bundle, request.encoding, serial=0, target=request.target)
    return Moved(opened, trace_sentence(asked))


def fits(encoding: Encoding, config: ModelConfig) -> bool:
    """Whether a model can read these tokens."""
    return 0 < len(encoding.pieces) <= config.n_ctx and not encoding.unknown


def broken_from(trace: Trace) -> str | None:
    """Key of the first step with a NaN or an infinity.

    Where the steps that the pass kept and the last logits are finite, nothing more is
    computed. It takes all of the kept ones: a fused attention may swallow a NaN.
    """
    keys = [key for key in trace.keys if trace.step(key).axes]
    last = "output.logits" if trace.config.has_logits else keys[-1]
    telling = [*(key for key in keys if trace.is_kept(key)), last]
    if all(is_finite(trace, key) for key in telling):
        return None
    return next((key for key in keys if not is_finite(trace, key)), None)


def is_finite(trace: Trace, key: str) -> bool:
    """Whether a step holds neither NaN nor, unless it is masked, an infinity.

    Of what comes after the layers, the last row alone is looked at.
    """
    is_last = key.startswith("output.") and trace.shape(key)[0] == trace.n
    values = trace.part(key, (trace.n - 1,) if is_last else ())
    least = 0.0 if key.endswith(".masked") else values.min()
    return bool(np.isfinite(values.max()) and np.isfinite(least))


def look_ahead(trace: Trace) -> None:
    """Rank the merges and look through the embedding table, unless it was done."""
    from core.trace.views.embedding import look_through

    for word in trace.encoding.words[:1]:
        word.history()  # one is enough for a tokenizer to rank its merges
    with suppress(MissingWeightError):  # a trace file, which holds no weights
        look_through(trace)


def derive(request: PartsRequest) -> None:
    """Fill the trace's cache."""
    for address, index in request.parts:
        request.trace.part(address, index)


ANSWERS: dict[type, Callable[..., Any]] = {
    OpenRequest: open_model,
    EncodeRequest: encode,
    MomentRequest: move,
    TraceRequest: trace_sentence,
    BesideRequest: trace_beside,
    PartsRequest: derive,
}
"""Of the requests that wait, the first kind here goes first."""
