"""The one owner of state: model, sentence, trace, selection, viewing, sampling.

Widgets ask (wishes: here, in `Author` and `Reader`), the session tells (signals of
`Facts`). Typed text waits for a pause and comes back from a worker as a trace.
"""

from collections.abc import Sequence
from pathlib import Path
from threading import Event

from PySide6.QtCore import QThread, QTimer, Slot

from app.activity import activity_of
from app.author import Author
from app.failures import ErrorReport
from app.model_card import ModelCard
from app.sentence import early_tokenizer
from app.settings import TEXT, TYPING_PAUSE_MS
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
from core.errors import TraceError
from core.generation.sampling import Sampling
from core.texts import examples
from core.tokenizers.base import Encoding, Tokenizer
from core.trace.trace import Trace

TARGET_FULL = (
    "Writing ended: the target fills all {n:,} tokens that this model can read. Take "
    "some back to write on."
)


def offered_texts(card: ModelCard | None) -> tuple[str, ...]:
    """What may stand in the field without that anybody typed it."""
    prompts = card.prompts if card is not None else ()
    return TEXT.default, *(example.text for example in examples()), *prompts


class Session(Author):
    """State, and every way to change it. Lives in the main thread."""

    def __init__(
        self, sampling: Sampling | None = None, pause_ms: int = TYPING_PAUSE_MS
    ) -> None:
        """Own nothing yet; wishes may come before `start`."""
        super().__init__(sampling or Sampling())
        self._serial = 0
        self._first_valid = 0
        self._prepared: tuple[PartsRequest, ...] = ()
        self._beside_target: Encoding | None = None
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
                self._texts.read_with(tokenizer, specials=self.reads_specials)
                self._tell_text()
        self._tracing.request(OpenRequest(Path(folder)))
        self._tell_activity()

    def request_moment(self, folder: Path) -> None:
        """Look at the sentence with the weights of another checkpoint of the run.

        Selection and sentence stay; of several wishes the newest is carried out.
        """
        if self._reader is not None:
            texts = self.encoding, self.target
            self._tracing.request(MomentRequest(folder, self._reader, *texts))
            self._tell_activity()

    def set_specials(self, specials: bool) -> None:
        """Read "<|endoftext|>" in the text as one special token, or as characters."""
        if self.tokenizer is not None and specials != self.reads_specials:
            self._leave_writing()
            self._read_with(self.tokenizer, self._texts.target.tokenizer, specials)
            self._after_typing()

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

    def generate(self, n_new: int) -> None:
        """Write on, at most `n_new` tokens and no more than fit the model."""
        reader, is_busy = self._reader, self.unknown or self.is_generating
        can_read = self._texts.is_settled and not is_busy
        if reader is None or not (can_read and reader.config.writes):
            return
        if not self.n_room:
            text = "target" if self.has_target else "sentence"
            error = TraceError(
                f"The {text} fills all {reader.config.n_ctx} tokens that this model "
                "can read; shorten it to write on."
            )
            self._tell_failure(ErrorReport.of(error, "generating text"))
            return
        self._begin_adding()
        how = self._sampling, min(n_new, self.n_room), Event(), self.reads_specials
        source = self.encoding if self.has_target else None
        request = GenerateRequest(reader, self.written.ids, *how, source=source)
        self._take_writing(request)
        self._generating.request(request)
        self._tell_activity()

    def stop_generating(self) -> None:
        """Write no more; the token that is being picked may still come."""
        if self._writing is not None:
            self._writing.stop.set()

    # How wishes are carried out

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
            asked = self._bundle, self.encoding, self._serial, self.target
            self._tracing.request(TraceRequest(*asked))
        self._tell_activity()

    def _request_beside(self) -> None:
        """Ask for the trace of the sentence beside, by the present model."""
        self._tracing.withdraw(BesideRequest)
        self._take_beside(None)
        if self._reader is not None and self._beside_text:
            self._beside_target = self.target
            asked = self._beside_text, self.reads_specials, self.target
            self._tracing.request(BesideRequest(self._reader, *asked))
        self._tell_activity()

    def _leave_writing(self) -> None:
        self.stop_generating()
        self._texts.forget_if_unchanged()
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
        text = self._texts.unsettled
        if text is None or text.tokenizer is None:
            self._request_trace()
            return
        asked = text.tokenizer, text.text, text.specials, text.start_id
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
            is_asked_for = request.text == self._beside_text
            is_of_now = is_asked_for and request.target is self._beside_target
            if is_of_now and request.bundle is self._bundle:
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
            if self._beside_text and request.target is not self._beside_target:
                self._request_beside()  # both are compared with the same target

    def _on_opened(self, opened: Opened) -> None:
        is_offered = self.text in offered_texts(self._card)
        if self._bundle is not None:
            self._texts.forget_target()  # it is of another model
        self._take_opened(opened)
        if self.unknown and is_offered and opened.card.prompts:
            known = sorted(opened.card.prompts, key=len)  # the shortest shows little
            self.request_text(known[len(known) // 2])  # nothing that was typed is lost
        self._on_pause_timeout()

    def _on_moved(self, request: MomentRequest, moved: Moved) -> None:
        self._take_opened(moved.opened)
        is_of_now = self._is_of_now(request.encoding, request.target)
        if moved.traced is not None and is_of_now and self._texts.is_settled:
            asked = request.encoding, self._serial, request.target
            of_this = TraceRequest(moved.opened.bundle, *asked)
            self._take_trace(of_this, moved.traced)
        else:
            self._on_pause_timeout()

    def _take_opened(self, opened: Opened) -> None:
        self._leave_writing()
        bundle = self._bundle = opened.bundle
        self._card = opened.card
        self._read_with(bundle.tokenizer, bundle.target_tokenizer, self.reads_specials)
        self.model_changed.emit(opened.card)  # texts are cut as it cuts them by now
        self._tell_text()
        self._outdate()
        if not self.fits:
            self._drop_trace()  # it is of another model
        self._request_beside()
        self._watch.follow(opened.card.folder)

    def _read_with(
        self, tokenizer: Tokenizer, written_with: Tokenizer | None, specials: bool
    ) -> None:
        """Cut both texts, if they are not cut so already."""
        before = self.reads_specials
        if tokenizer is not self.tokenizer or specials != before:
            self._texts.read_with(tokenizer, specials=specials)
        config = self._card.config if self._card is not None else None
        if config is None or written_with is None:
            return
        is_as_before = written_with is self._texts.target.tokenizer
        if not (self.has_target and is_as_before and specials == before):
            self._texts.write_with(written_with, config, specials=specials)

    def _on_encoded(self, request: EncodeRequest, encoding: Encoding) -> None:
        text = self._texts.unsettled
        asked = request.tokenizer, request.text, request.specials, request.start_id
        if text is None:
            return
        if asked == (text.tokenizer, text.text, text.specials, text.start_id):
            text.settle(request.text, encoding)
            self._tell_text()
            self._on_pause_timeout()

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
            self._texts.add(new.ids)
            self._outdate()
            read = new.trace.source, new.trace.encoding
            encoding, target = read if read[0] is not None else read[::-1]
            assert encoding is not None
            asked = TraceRequest(self._reader, encoding, self._serial, target)
            self._take_trace(asked, Traced(new.trace, new.timing, self.broken_from))
            self._tell_text()

    @Slot(object, object)
    def _on_generating_answered(self, request: Request, _: object) -> None:
        assert QThread.isMainThread()
        if request is self._writing:
            self._end_writing()
            if self.has_target and not self.n_room and not self.has_ended:
                self.told.emit(TARGET_FULL.format(n=len(self.written.ids)))
        self._tell_activity()

    @Slot(object, object)
    def _on_generating_failed(self, request: Request, report: ErrorReport) -> None:
        if request is self._writing:
            self._tell_failure(report)
        self._on_generating_answered(request, None)
