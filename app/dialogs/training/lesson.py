"""Learning a tokenizer before the run, in sight, and keeping it for the run.

Place: behind the tokenizer card. In: the plan's text and the size asked for. Out:
merges as they come, and in the end a file that the plan's draft names. It is made in a
scratch folder that goes with the studio; the run gets its own copy.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from PySide6.QtCore import QObject, Signal, Slot

from app.dialogs.training.draft import Draft
from app.dialogs.training.plan import Plan
from app.failures import ErrorReport
from app.workers.learning import Learning
from core.training.config import TokenizerConfig
from core.training.events import Merged
from core.training.sources import Source


class Lesson(QObject):
    """Owns the scratch folder and the process that learns in it."""

    began = Signal()
    """The text is written down, then the pairs are counted."""

    ended = Signal()
    """It is over; whether something was learned shows in the draft."""

    merged = Signal(object)
    """Merges were chosen: `Merged`."""

    def __init__(self, plan: Plan) -> None:
        """Nothing is learned yet."""
        super().__init__()
        self._plan = plan
        self._learning = Learning()
        self._scratch: TemporaryDirectory[str] | None = None
        self._folder: Path | None = None
        self._taught: Draft | None = None
        self._learned_from: tuple[Source, ...] = ()
        plan.written.connect(self._on_plan_written)
        plan.failed.connect(self._on_plan_failed)
        plan.draft_changed.connect(self._on_plan_draft_changed)
        self._learning.merged.connect(self._on_learning_merged)
        self._learning.learned.connect(self._on_learning_learned)
        self._learning.failed.connect(self._on_learning_failed)

    @property
    def is_running(self) -> bool:
        """Whether a tokenizer is being learned."""
        return self._taught is not None

    def made(self, tokenizer: TokenizerConfig) -> bool:
        """Whether a tokenizer was learned here."""
        return bool(
            self._folder
            and tokenizer.file
            and Path(tokenizer.file).parent == self._folder
        )

    @Slot()
    def begin(self) -> None:
        """Write the text into a scratch folder; what follows is told."""
        if self.is_running or self._plan.is_writing:
            return
        scratch = TemporaryDirectory(prefix="glassformer-", ignore_cleanup_errors=True)
        folder = Path(scratch.name) / "tokenizer"
        asked = self._plan.draft.tokenizer
        fresh = TokenizerConfig(n_vocab=asked.n_vocab)
        self._plan.set_tokenizer(fresh)
        self._forget()
        self._scratch, self._folder = scratch, folder
        self._taught = self._plan.draft
        self.began.emit()
        self._plan.write(folder)

    @Slot()
    def stop(self) -> None:
        """Learn nothing after all."""
        if self._taught is not None:
            self._learning.stop()
            self._plan.cancel_writing()
            self._end()

    def _end(self) -> None:
        self._taught = None
        self.ended.emit()

    def _forget(self) -> None:
        if self._scratch is not None:
            self._scratch.cleanup()
        self._scratch = self._folder = None

    @Slot(object)
    def _on_plan_written(self, folder: Path) -> None:
        if folder == self._folder and self._taught is not None:
            self._learning.start(folder)

    @Slot(object)
    def _on_plan_failed(self, _: ErrorReport) -> None:
        if self._taught is not None and not self._learning.is_running:
            self._end()

    @Slot(object)
    def _on_plan_draft_changed(self, draft: Draft) -> None:
        """Another text or another size: what is being learned is no longer wanted."""
        taught = self._taught
        if taught is not None:
            asked = (taught.sources, taught.tokenizer)
            if (draft.sources, draft.tokenizer) != asked:
                self.stop()
        elif self.made(draft.tokenizer) and draft.sources != self._learned_from:
            n_vocab = draft.tokenizer.n_vocab
            self._plan.set_tokenizer(TokenizerConfig(n_vocab=n_vocab))

    @Slot(object)
    def _on_learning_merged(self, merged: Merged) -> None:
        self.merged.emit(merged)

    @Slot(object)
    def _on_learning_learned(self, file: Path) -> None:
        if self._taught is None:
            return
        self._learned_from = self._taught.sources
        n_vocab = self._taught.tokenizer.n_vocab
        self._taught = None
        self._plan.set_tokenizer(TokenizerConfig(file=str(file), n_vocab=n_vocab))
        self.ended.emit()

    @Slot(object)
    def _on_learning_failed(self, report: ErrorReport) -> None:
        self._end()
        self._plan.failed.emit(report)
