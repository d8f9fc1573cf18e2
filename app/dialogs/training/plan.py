"""The state of the setup: the draft, what its texts hold, and what is under way.

Place: behind the pages of the studio. Pages ask it for changes and it tells everybody;
nobody else holds state. Reading, counting and writing happen in a thread of its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from app.dialogs.training.draft import Draft, changes_of
from app.failures import ErrorReport
from app.workers.looking import Share
from app.workers.preparing import (
    BranchRequest,
    Looked,
    LookRequest,
    PreparingWorker,
    WriteRunRequest,
)
from app.workers.runner import Runner
from core.errors import ConfigError
from core.training.config import BPE, TokenizerConfig
from core.training.doctor import examine, parts
from core.training.documents import Split
from core.training.findings import Finding, Mend
from core.training.presets import preset
from core.training.sources import Source

if TYPE_CHECKING:
    from core.training.facts import TextFacts, TokenFacts


Writing = WriteRunRequest | BranchRequest


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """What is known of the texts so far."""

    facts: "TextFacts | None" = None
    tokens: "TokenFacts | None" = None
    findings: tuple[Finding, ...] = ()
    parts: tuple[int, int] = (0, 0)
    """Tokens to learn from, and tokens kept for validation."""

    @property
    def obstacle(self) -> str:
        """What stands in the way of a start, in the doctor's words; "" if nothing."""
        errors = (each.what for each in self.findings if each.severity == "error")
        return next(errors, "")


class Plan(QObject):
    """Owns the draft and the thread that prepares it. Signals carry frozen values."""

    draft_changed = Signal(object)
    """Another `Draft`."""

    look_changed = Signal(object)
    """More, or something else, is known of the texts: `Look`."""

    activity_changed = Signal(object)
    """What is under way: `Share`; None for nothing."""

    written = Signal(object)
    """A run's folder is there, as asked by `write`: Path."""

    failed = Signal(object)
    """Something could not be done: `ErrorReport`. The draft is as it was."""

    def __init__(self) -> None:
        """An empty draft; nothing runs before `start`."""
        super().__init__()
        self._draft, self._look = first_draft(), Look()
        self._asked: LookRequest | None = None
        self._writing: Writing | None = None
        kinds = (WriteRunRequest, BranchRequest, LookRequest)
        self._runner = Runner(PreparingWorker(), kinds, "preparing")
        self._runner.answered.connect(self._on_runner_answered)
        self._runner.failed.connect(self._on_runner_failed)
        self._runner.progressed.connect(self._on_runner_progressed)
        self._is_started = False

    @property
    def draft(self) -> Draft:
        """What has been chosen."""
        return self._draft

    @property
    def look(self) -> Look:
        """What is known of the texts."""
        return self._look

    @property
    def is_looking(self) -> bool:
        """Whether the texts are being read or counted."""
        return self._asked is not None

    @property
    def is_writing(self) -> bool:
        """Whether a run's folder is being written."""
        return self._writing is not None

    # What the pages ask for.

    def take(self, draft: Draft) -> None:
        """Go on with another draft; texts are read again if they are others."""
        before, self._draft = self._draft, draft
        if draft.sources != before.sources:
            self._look = Look()
        if draft == before:
            return
        self.draft_changed.emit(draft)
        is_same_text = draft.sources == before.sources
        if is_same_text and draft.tokenizer == before.tokenizer:
            self._examine()
        else:
            self.look_again()

    def add_sources(self, sources: tuple[Source, ...]) -> None:
        """Learn from these texts too; one that is there already is not taken twice."""
        every = tuple(dict.fromkeys(self._draft.sources + sources))
        self.take(self._draft.with_sources(every))

    def remove_source(self, source: Source) -> None:
        """Learn from a text no longer."""
        kept = tuple(each for each in self._draft.sources if each != source)
        self.take(self._draft.with_sources(kept))

    def set_tokenizer(self, tokenizer: TokenizerConfig) -> None:
        """Cut the text otherwise."""
        self.take(self._draft.with_tokenizer(tokenizer))

    def set_fields(self, fields: Mapping[str, Any]) -> None:
        """Change fields, such as "training.n_steps"; a refusal is told."""
        try:
            self.take(self._draft.with_fields(fields))
        except ConfigError as error:
            self.failed.emit(ErrorReport.of(error, "changing the settings"))

    def set_split(self, split: Split) -> None:
        """Keep another part of the text for validation."""
        self.take(replace(self._draft, split=split))

    def mend(self, mend: Mend) -> None:
        """Do what the doctor proposes."""
        draft = self._draft
        if mend.sources is not None:
            draft = draft.with_sources(mend.sources)
        if mend.split is not None:
            draft = replace(draft, split=mend.split)
        if mend.preset:
            chosen = preset(mend.preset)
            draft = draft.with_preset(chosen.model, chosen.training)
        try:
            self.take(draft.with_fields(mend.fields))
        except ConfigError as error:
            self.failed.emit(ErrorReport.of(error, "mending the settings"))

    def write(self, folder: Path) -> bool:
        """Write the run's folder; False if one is being written already."""
        if self._writing is not None:
            return False
        self._writing = writing_of(self._draft, folder)
        self._request(self._writing)
        return True

    def cancel_writing(self) -> None:
        """Write no folder after all; nothing of it stays."""
        if self._writing is not None:
            self._writing.withdrawn.set()
            self._writing = None
            self.activity_changed.emit(None)

    def look_again(self) -> None:
        """Read what is not read yet, and count its tokens."""
        if self._asked is not None:
            self._asked.withdrawn.set()
            self._asked = None
        draft, facts = self._draft, self._look.facts
        self._look = Look(facts)
        if not draft.sources:
            self.look_changed.emit(self._look)
            self.activity_changed.emit(None)
            return
        self._asked = LookRequest(
            draft.sources, draft.tokenizer, Path(), facts, Event()
        )
        self.look_changed.emit(self._look)  # who hears it may say that it is read
        self._request(self._asked)

    def _request(self, request: LookRequest | Writing) -> None:
        if not self._is_started:
            self._is_started = True
            self._runner.start()
        self.activity_changed.emit(Share(request.doing, 0.0))
        self._runner.request(request)

    def _take_size(self, tokens: "TokenFacts | None") -> None:
        """Believe the text or a file how many tokens there are, if no size is asked."""
        tokenizer = self._draft.tokenizer
        is_asked = tokenizer.kind == BPE and not tokenizer.file
        if tokens is None or is_asked or tokens.n_vocab == tokenizer.n_vocab:
            return
        counted = replace(tokenizer, n_vocab=tokens.n_vocab)
        self._draft = self._draft.with_tokenizer(counted)
        self.draft_changed.emit(self._draft)

    def _examine(self) -> None:
        """Let the doctor speak on what is known, and tell."""
        facts, tokens = self._look.facts, self._look.tokens
        if facts is not None:
            draft = self._draft
            counted = parts(facts, tokens, draft.config, draft.split)
            found = examine(facts, tokens, draft.config, split=draft.split)
            self._look = Look(facts, tokens, found, counted)
        self.look_changed.emit(self._look)

    # What the thread tells.

    @Slot(object, object)
    def _on_runner_answered(self, request: object, answer: Any) -> None:
        if request is self._asked and isinstance(answer, Looked):
            self._asked = None
            self._look = Look(answer.facts, answer.tokens)
            self.activity_changed.emit(None)
            self._take_size(answer.tokens)
            self._examine()
        elif request is self._writing and isinstance(answer, Path):
            self._writing = None
            self.activity_changed.emit(None)
            self.written.emit(answer)

    @Slot(object, object)
    def _on_runner_failed(self, request: object, report: ErrorReport) -> None:
        if request not in (self._asked, self._writing):
            return
        if request is self._asked:
            self._asked = None
        else:
            self._writing = None
        self.activity_changed.emit(None)
        self.failed.emit(report)

    @Slot(object, object)
    def _on_runner_progressed(self, request: object, part: Any) -> None:
        if request not in (self._asked, self._writing):
            return
        if isinstance(part, Share):
            self.activity_changed.emit(part)
        else:
            self._look = Look(part)
            self._examine()


def writing_of(draft: Draft, folder: Path) -> Writing:
    """How the folder of a draft is written: from its texts, or from another run."""
    if draft.origin is None:
        config = draft.config
        return WriteRunRequest(folder, draft.sources, draft.split, config, Event())
    origin = draft.origin
    changes = changes_of(draft)
    return BranchRequest(folder, origin.run, origin.step, changes, Event())


def first_draft() -> Draft:
    """Where everybody begins: the smallest preset and the vocabulary that suits it."""
    return Draft().with_beginning(of_pairs=False)
