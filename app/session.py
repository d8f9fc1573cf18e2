"""The one owner of state: model, sentence, trace, selection, viewing, sampling.

Widgets ask (wishes: the methods here and in `Reader`), the session tells (signals of
`Facts`). Typed text waits for a pause and comes back from a worker as a trace.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from threading import Event

from PySide6.QtCore import QThread, QTimer, Slot

from app.activity import activity_of
from app.failures import ErrorReport
from app.reader import Reader
from app.sentence import early_tokenizer, last_ids
from app.settings import TYPING_PAUSE_MS
from app.studies import Studies
from app.timeline_watch import TimelineWatch
from app.workers.generating import GenerateRequest, GeneratingWorker, NewTokens
from app.workers.runner import Request, Runner
from app.workers.tracing import (
    ANSWERS,
    BesideRequest,
    EncodeRequest,
    MomentRequest,
    Moved,
    Opened,
    OpenRequest,
    Part,
    PartsRequest,
    Traced,
    TraceRequest,
    TracingWorker,
)
from core.errors import CoreError, TraceError
from core.generation.sampling import Sampling, pick, uniform
from core.tokenizers.base import Encoding
from core.trace.trace import Trace


class Session(Reader):
    """State, and every way to change it. Lives in the main thread."""

    def __init__(
        self, sampling: Sampling | None = None, pause_ms: int = TYPING_PAUSE_MS
    ) -> None:
        """Own nothing yet; wishes may come before `start`."""
        super().__init__(sampling or Sampling())
        self._serial = 0
        self._first_valid = 0
        self._prepared: tuple[PartsRequest, ...] = ()
        self._pause = QTimer(self, singleShot=True, interval=pause_ms)
        self._pause.timeout.connect(self._on_pause_timeout)
        self._tracing = Runner(TracingWorker(), tuple(ANSWERS), "tracing")
        self._tracing.answered.connect(self._on_tracing_answered)
        self._tracing.failed.connect(self._on_tracing_failed)
        self._tracing.progressed.connect(self.opening_progressed)
        self._generating = Runner(GeneratingWorker(), (GenerateRequest,), "generating")
        self._generating.progressed.connect(self._on_generating_progressed)
        self._generating.answered.connect(self._on_generating_answered)
        self._generating.failed.connect(self._on_generating_failed)
        self.studies = Studies(self)
        self.studies.failed.connect(self.failed)
        self._watch = TimelineWatch(self)
        self._watch.timeline_read.connect(self._take_timeline)

    def start(self) -> None:
        """Let the workers begin. After the first paint: torch holds the window up."""
        self._tracing.start()
        self._generating.start()
        self._watch.start()

    def close(self) -> None:
        """Stop all work and wait for its end."""
        self._pause.stop()
        self.stop_generating()
        self._tracing.stop()
        self._generating.stop()
        self.studies.close()
        self._watch.stop()

    # Wishes: model and sentence

    def open_model(self, folder: str | Path) -> None:
        """Open a model folder or a trace file; what was open stays until then."""
        if self._bundle is None:
            tokenizer = early_tokenizer(Path(folder))
            if tokenizer is not None:
                self._sentence.read_with(tokenizer, specials=self.reads_specials)
                self._tell_text()
        self._tracing.request(OpenRequest(Path(folder)))
        self._tell_activity()

    def request_moment(self, folder: Path) -> None:
        """Look at the sentence with the weights of another checkpoint of the run.

        Selection and sentence stay; of several wishes the newest is carried out.
        """
        if self._reader is not None:
            self._tracing.request(MomentRequest(folder, self._reader, self.encoding))
            self._tell_activity()

    def request_text(self, text: str) -> None:
        """Type: the tokens change at once, the trace after a pause."""
        if text != self.text:
            self._leave_writing()
            self._sentence.type(text)
            self._after_typing()

    def request_ids(self, ids: Sequence[int]) -> None:
        """Make the sentence exactly these tokens; nothing if it is them already.

        Raises:
            TokenizerError: No token has one of the ids.
        """
        if self._sentence.is_settled and tuple(ids) != self.encoding.ids:
            self._leave_writing()
            self._sentence.replace(ids)
            self._after_adding()

    def mask_token(self, place: int, mask: str) -> None:
        """Put the tokenizer's `mask` where a token stands; Undo brings it back."""
        if self._sentence.is_settled and place < len(self.encoding.pieces):
            self._leave_writing()
            self._begin_adding()
            self._sentence.mask(place, mask)
            self._after_adding()

    def set_specials(self, specials: bool) -> None:
        """Read "<|endoftext|>" in the text as one special token, or as characters."""
        if self.tokenizer is not None and specials != self.reads_specials:
            self._leave_writing()
            self._sentence.read_with(self.tokenizer, specials=specials)
            self._after_typing()

    def leave_out_unknown(self) -> None:
        """Take out of the sentence what the model has no token for."""
        if self.unknown and self._sentence.is_settled:
            self._sentence.remember()
            self._sentence.replace(self.encoding.known_ids)
            self._after_typing()

    def keep_last_tokens(self) -> None:
        """Shorten the sentence to the last n_ctx tokens."""
        if self._card is not None and self.n_too_long and self._sentence.is_settled:
            self._sentence.remember()
            self._sentence.replace(last_ids(self.encoding, self._card.n_ctx))
            self._after_adding()

    def request_beside(self, text: str) -> None:
        """Trace another sentence to compare with; "" for none."""
        if text != self._beside_text:
            self._beside_text = text
            self._request_beside()

    # Wishes: what panels are about to show

    def prepare(self, trace: Trace, parts: Sequence[Part]) -> bool:
        """Whether these parts of a trace that is shown can be displayed now.

        If not, the tracing worker derives them, and `scene_changed` comes again.
        """
        if all(trace.is_at_hand(*part) for part in parts):
            return True
        request = PartsRequest(trace, tuple(parts))
        if any(request.is_like(before) for before in self._prepared):
            return True  # they do not fit the cache together: derived while drawn
        self._tracing.request(request)
        self._tell_activity()
        return False

    # Wishes: the next token

    def append_token(self, token_id: int) -> None:
        """Put a token of the reader's choice to the sentence."""
        if self._sentence.is_settled and not self.unknown:
            self._leave_writing()
            self._begin_adding()
            self._sentence.add((token_id,))
            self._after_adding()

    def append_pick(self) -> None:
        """Put the token to the sentence that `generate` would, from what is shown."""
        trace = self.trace
        is_free = self.is_current and not self.is_generating
        if trace is None or not (is_free and trace.config.writes):
            return
        logits = trace.part("output.logits", (trace.n - 1,))
        u = uniform(self._sampling.seed, trace.n)
        try:
            choice = pick(logits, self._sampling, trace.ids, u)
        except CoreError as error:
            self._tell_failure(ErrorReport.of(error, "picking a token"))
        else:
            self.append_token(choice.token_id)

    def undo_append(self) -> None:
        """Take back the last Append, Generate, mask or shortening."""
        self._leave_writing()
        if self.can_undo:
            self._sentence.undo()
            self._after_adding()

    def generate(self, n_new: int) -> None:
        """Write on, at most `n_new` tokens and no more than fit the model."""
        reader, is_busy = self._reader, self.unknown or self.is_generating
        can_read = self._sentence.is_settled and not is_busy
        if reader is None or not (can_read and reader.config.writes):
            return
        if not self.n_room:
            error = TraceError(
                f"The sentence fills all {reader.config.n_ctx} tokens that this model "
                "can read; shorten it to write on."
            )
            self._tell_failure(ErrorReport.of(error, "generating text"))
            return
        self._begin_adding()
        how = self._sampling, min(n_new, self.n_room), Event(), self.reads_specials
        request = GenerateRequest(reader, self.encoding.ids, *how)
        self._take_writing(request)
        self._generating.request(request)
        self._tell_activity()

    def stop_generating(self) -> None:
        """Write no more; the token that is being picked may still come."""
        if self._writing is not None:
            self._writing.stop.set()

    # How wishes are carried out

    def _begin_adding(self) -> None:
        """What is added can be taken back; a reader at the end stays at the end."""
        self._sentence.remember()
        self._selection = replace(self._selection, token=None)  # another list comes
        if self._selection.query == self._sentence.prompt.n - 1:
            self._follows_end = True

    def _after_adding(self) -> None:
        self._tell_text()
        self._outdate()
        self._request_trace()

    def _after_typing(self) -> None:
        self._tell_text()
        self._outdate()
        if self.text:
            self._pause.start()
        else:
            self._pause.stop()
            self._drop_trace()

    def _outdate(self) -> None:
        """Traces that are under way will not be taken."""
        self._first_valid = self._serial + 1
        self._tracing.withdraw(TraceRequest)

    def _request_trace(self) -> None:
        """Ask for the trace of the present tokens, if there are some and they fit."""
        self._pause.stop()
        if self._bundle is not None and self.encoding.pieces and self.fits:
            self._serial += 1
            asked = self._bundle, self.encoding, self._serial
            self._tracing.request(TraceRequest(*asked))
        self._tell_activity()

    def _request_beside(self) -> None:
        """Ask for the trace of the sentence beside, by the present model."""
        self._tracing.withdraw(BesideRequest)
        self._take_beside(None)
        if self._reader is not None and self._beside_text:
            text, specials = self._beside_text, self.reads_specials
            self._tracing.request(BesideRequest(self._reader, text, specials))
        self._tell_activity()

    def _leave_writing(self) -> None:
        """Stop generating, and take nothing more of it."""
        self.stop_generating()
        self._sentence.forget_if_unchanged()
        self._take_writing(None)

    def _end_writing(self) -> None:
        """Let the model read the newest token, too."""
        self._leave_writing()
        if not self.is_current:
            self._request_trace()

    def _tell_activity(self) -> None:
        pending = (*self._tracing.pending, *self._generating.pending)
        self._take_activity(activity_of(pending))

    # Answers

    @Slot()
    def _on_pause_timeout(self) -> None:
        if self._sentence.is_settled or self.tokenizer is None:
            self._request_trace()
            return
        asked = self.tokenizer, self.text, self.reads_specials
        self._tracing.request(EncodeRequest(*asked))
        self._tell_activity()

    @Slot(object, object)
    def _on_tracing_answered(self, request: Request, answer: object) -> None:
        assert QThread.isMainThread()
        if isinstance(answer, Opened):
            self._on_opened(answer)
        elif isinstance(request, MomentRequest) and isinstance(answer, Moved):
            self._on_moved(request, answer)
        elif isinstance(request, TraceRequest) and isinstance(answer, Traced):
            self.accept(request, answer)
        elif isinstance(request, BesideRequest) and isinstance(answer, Trace):
            if request.bundle is self._bundle and request.text == self._beside_text:
                self._take_beside(answer)
        elif isinstance(request, EncodeRequest) and isinstance(answer, Encoding):
            self._on_encoded(request, answer)
        elif isinstance(request, PartsRequest) and self._shows(request.trace):
            beside = (p for p in self._prepared if p.trace is not request.trace)
            self._prepared = (*(p for p in beside if self._shows(p.trace)), request)
            self.scene_changed.emit(self.scene)
        self._tell_activity()

    def _shows(self, trace: Trace) -> bool:
        return trace is self.trace or trace is self._beside

    def accept(self, request: TraceRequest, traced: Traced) -> None:
        """Show a trace, unless the sentence or the model has changed since."""
        is_ours = request.bundle is self._bundle
        if is_ours and request.serial >= self._first_valid:
            self._take_trace(request, traced)

    def _on_opened(self, opened: Opened) -> None:
        self._take_opened(opened)
        self._on_pause_timeout()

    def _on_moved(self, request: MomentRequest, moved: Moved) -> None:
        self._take_opened(moved.opened)
        is_of_now = self._sentence.is_settled and request.encoding is self.encoding
        if moved.traced is not None and is_of_now:
            bundle = moved.opened.bundle
            asked = TraceRequest(bundle, request.encoding, self._serial)
            self._take_trace(asked, moved.traced)
        else:
            self._on_pause_timeout()

    def _take_opened(self, opened: Opened) -> None:
        self._leave_writing()
        self._take_model(opened)
        tokenizer = opened.bundle.tokenizer
        if tokenizer is not self.tokenizer:
            self._sentence.read_with(tokenizer, specials=self.reads_specials)
        self._tell_text()
        self._outdate()
        if not self.fits:
            self._drop_trace()  # it is of another model
        self._request_beside()
        self._watch.follow(opened.card.folder)

    def _on_encoded(self, request: EncodeRequest, encoding: Encoding) -> None:
        asked = (request.tokenizer, request.text, request.specials)
        if asked == (self.tokenizer, self.text, self.reads_specials):
            self._sentence.settle(request.text, encoding)
            self._tell_text()
            self._request_trace()

    @Slot(object, object)
    def _on_tracing_failed(self, request: Request, report: ErrorReport) -> None:
        assert QThread.isMainThread()
        is_outdated = (
            isinstance(request, TraceRequest) and request.serial < self._first_valid
        )
        if not is_outdated:
            self._tell_failure(report)
        self._tell_activity()

    @Slot(object, object)
    def _on_generating_progressed(self, request: Request, new: NewTokens) -> None:
        assert QThread.isMainThread()
        if request is self._writing and self._reader is not None:
            self._sentence.add(new.ids)
            self._outdate()
            read = TraceRequest(self._reader, new.trace.encoding, self._serial)
            self._take_trace(read, Traced(new.trace, new.timing, self.broken_from))
            self._tell_text()

    @Slot(object, object)
    def _on_generating_answered(self, request: Request, _: object) -> None:
        assert QThread.isMainThread()
        if request is self._writing:
            self._end_writing()
        self._tell_activity()

    @Slot(object, object)
    def _on_generating_failed(self, request: Request, report: ErrorReport) -> None:
        if request is self._writing:
            self._tell_failure(report)
        self._on_generating_answered(request, None)
