"""What takes time before a run: its texts are read and counted, its folder is written.

In: the texts and the tokenizer of a draft. Out: facts for the doctor, or a run's folder
that the training program can be started on. It ends at once where nobody waits for it.
Long texts are read in a process of their own, which leaves the window its interpreter.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from app.workers.apart import apart
from app.workers.looking import Share, are_short, look
from app.workers.runner import Worker
from core.errors import TrainingError
from core.training.config import RunConfig, TokenizerConfig
from core.training.documents import Split
from core.training.sources import Source

if TYPE_CHECKING:
    from core.training.facts import TextFacts, TokenFacts

Told = Callable[[float], None]


class WithdrawnError(Exception):
    """Nobody waits for the answer any more."""


@dataclass(frozen=True, slots=True, eq=False)
class LookRequest:
    """Read the texts, then count their tokens. Progress: `Share`, `TextFacts`.

    Answer: `Looked`, or None if it was withdrawn.
    """

    sources: tuple[Source, ...]
    tokenizer: TokenizerConfig
    folder: Path
    """Where a tokenizer's relative name begins."""
    known: "TextFacts | None"
    """What was read of the same texts before."""
    withdrawn: Event
    doing: str = "reading your text"


@dataclass(frozen=True, slots=True, eq=False)
class Looked:
    """What was found in the texts."""

    facts: "TextFacts"
    tokens: "TokenFacts | None"


@dataclass(frozen=True, slots=True, eq=False)
class WriteRunRequest:
    """Make a run's folder. Progress: `Share`. Answer: the folder."""

    folder: Path
    """It does not exist yet."""
    sources: tuple[Source, ...]
    split: Split
    config: RunConfig
    """Its data name no files yet; its tokenizer may be a file anywhere."""
    withdrawn: Event
    doing: str = "writing the run's folder"


@dataclass(frozen=True, slots=True, eq=False)
class BranchRequest:
    """Make the folder of a run that begins with another one's weights.

    Answer: the folder.
    """

    folder: Path
    """It does not exist yet."""
    run: Path
    step: int
    changes: Mapping[str, Mapping[str, Any]]
    """New values by table and field."""
    withdrawn: Event
    doing: str = "copying the run's weights and texts"


class PreparingWorker(Worker):
    """Reads texts and writes folders."""

    def answer(self, request: Any) -> Looked | Path | None:
        """Answer any kind of request."""
        try:
            if isinstance(request, LookRequest):
                return self._look(request)
            if isinstance(request, BranchRequest):
                return branched(request)
            return write_run(request, self._teller(request, "writing the text"))
        except WithdrawnError:
            return None

    def _look(self, request: LookRequest) -> Looked:
        facts = request.known

        def tell(part: "Share | TextFacts") -> None:
            nonlocal facts
            self._check(request)
            if not isinstance(part, Share):
                facts = part
            self.progressed.emit(request, part)

        given = (request.sources, request.tokenizer, request.folder, request.known)
        if are_short(request.sources):
            tokens = look(*given, tell)
        else:
            tokens = apart(look, given, tell, lambda: self._check(request))
        assert facts is not None  # told, if it was not known
        return Looked(facts, tokens)

    def _teller(self, request: WriteRunRequest, what: str) -> Told:
        """What the work tells its progress to; it ends the work if nobody listens."""

        def tell(share: float) -> None:
            self._check(request)
            self.progressed.emit(request, Share(what, share))

        return tell

    def _check(self, request: LookRequest | WriteRunRequest) -> None:
        if request.withdrawn.is_set() or self.should_end():
            raise WithdrawnError


def branched(request: BranchRequest) -> Path:
    """Copy what a run begins with into a new folder.

    Raises:
        CoreError: A change needs other weights, or something cannot be copied.
    """
    from core.training.branch import branch

    return branch(request.run, request.step, request.folder, request.changes)


def write_run(request: WriteRunRequest, told: Told) -> Path:
    """Write texts, tokenizer and `config.toml` into a new folder, or nothing at all.

    Raises:
        CoreError: A text cannot be read, or the place not be written.
    """
    from core.files import folder_made_whole, write_whole
    from core.tokenizers.folder import TOKENIZER_FILE, open_tokenizer, save_tokenizer
    from core.training.config import CONFIG_FILE, config_text
    from core.training.sources import write_sources

    config = request.config
    if request.folder.exists():
        raise TrainingError(f"{request.folder} is there already; choose another name.")
    with folder_made_whole(request.folder) as folder:
        written = write_sources(
            request.sources,
            folder,
            split=request.split,
            valid_share=config.data.valid_share,
            told=told,
        )
        data = replace(config.data, train=written.train, valid=written.valid)
        tokenizer = config.tokenizer
        if tokenizer.file:
            save_tokenizer(open_tokenizer(Path(tokenizer.file)), folder)
            tokenizer = replace(tokenizer, file=TOKENIZER_FILE)
        config = replace(config, data=data, tokenizer=tokenizer)
        write_whole(folder / CONFIG_FILE, config_text(config).encode())
    return request.folder
