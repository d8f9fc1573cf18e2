"""What is the case in the window: the state of the session, and the news about it.

`Reader` and `Session` inherit this and add the wishes. Everybody reads the properties
and connects to the signals; the session alone calls what begins with an underscore.
"""

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from app.failures import ErrorReport
from app.fitting import fitted
from app.model_card import ModelCard
from app.scene import Scene
from app.sentence import Sentence
from app.workers.generating import GenerateRequest
from app.workers.tracing import Opened, Traced, TraceRequest
from core.generation.sampling import Sampling
from core.tokenizers.base import Encoding, Tokenizer, unknown_note
from core.trace.archive import Archive
from core.trace.selection import Selection, stepped, to_layer
from core.trace.trace import Trace
from core.trace.viewing import PLAIN, Viewing, clamped_viewing
from core.training.timeline import Timeline

if TYPE_CHECKING:
    from core.bundle import Bundle

log = logging.getLogger(__name__)


class Facts(QObject):
    """State that anybody may read. Signals carry frozen values on the main thread."""

    model_changed = Signal(object)
    """A model is open: its `ModelCard`. The trace of the sentence follows."""

    badge_changed = Signal(object)
    """The open model was held to another program: its `ModelCard`, with a badge."""

    text_changed = Signal(object)
    """What the sentence field shows: str. An object, since Qt's own strings drop lone
    surrogates; set it with the field's signals blocked, or the dropping comes back."""

    encoding_changed = Signal(object)
    """The sentence as tokens: `Encoding`. At once on typing, before any trace."""

    trace_changed = Signal(object)
    """A sentence has been traced: `Trace`; None when there is nothing to trace."""

    selection_changed = Signal(object)
    """Where the reader is: `Selection`."""

    scene_changed = Signal(object)
    """What panels display: `Scene`; None without a trace."""

    viewing_changed = Signal(object)
    """How attention is looked at: `Viewing`."""

    pointed_changed = Signal(object)
    """The mouse is over a cell of two tokens: (query, key); None: over none. For marks
    elsewhere; nothing is drawn anew for it."""

    beside_changed = Signal(object)
    """Another sentence has been traced to be compared: `Trace`; None for none."""

    sampling_changed = Signal(object)
    """How the next token is picked: `Sampling`."""

    is_generating_changed = Signal(bool)
    """Whether the model is writing on."""

    activity_changed = Signal(str)
    """What is being done: "opening the model…", "thinking…", or "" for nothing."""

    timing_changed = Signal(object)
    """Where the trace was made and how long it took: `TraceTiming`."""

    failed = Signal(object)
    """Something went wrong: `ErrorReport`. What was there before stays."""

    opening_progressed = Signal(object, object)
    """How far the opening of a model is: `OpenRequest`, (tensors read, all of them)."""

    timeline_changed = Signal(object)
    """Other checkpoints of the run that the open model is one of: `Timeline`; None: it
    is of no run."""

    too_long_changed = Signal(int)
    """Tokens too many for the model; 0: it is not too long. The last trace stays."""

    unknown_changed = Signal(str)
    """What the model has no token for: "not in this model's 3 characters: d ?"; "": it
    knows all of the sentence. The last trace stays."""

    def __init__(self, sampling: Sampling) -> None:
        """Empty: no model, no text."""
        super().__init__()
        self._bundle: Bundle | Archive | None = None
        self._card: ModelCard | None = None
        self._sentence = Sentence()
        self._told_text = ""
        self._shown: tuple[TraceRequest, Traced] | None = None
        self._selection = Selection()
        self._viewing = PLAIN
        self._beside_text = ""
        self._beside: Trace | None = None
        self._follows_end = True
        self._scene: Scene | None = None
        self._sampling = sampling
        self._writing: GenerateRequest | None = None
        self._activity = ""
        self._n_too_long = 0
        self._unknown = ""
        self._timeline: Timeline | None = None

    @property
    def model(self) -> ModelCard | None:
        """The open model; None until one is."""
        return self._card

    @property
    def is_recorded(self) -> bool:
        """Whether a trace file is open: one sentence, and no model to read another."""
        return self._card is not None and self._card.is_recorded

    @property
    def tokenizer(self) -> Tokenizer | None:
        """What cuts the sentence; there before the model is."""
        return self._sentence.tokenizer

    @property
    def text(self) -> str:
        """What the sentence field shows."""
        return self._sentence.text

    @property
    def encoding(self) -> Encoding:
        """The newest tokens; those of a long text come a moment later."""
        return self._sentence.prompt.encoding

    @property
    def trace(self) -> Trace | None:
        """The newest trace; see `is_current`."""
        return self._shown[1].trace if self._shown else None

    @property
    def bundle(self) -> "Bundle | None":
        """The model and tokenizer that made the newest trace; None without one."""
        made_by = self._shown[0].bundle if self._shown else None
        return None if isinstance(made_by, Archive) else made_by

    @property
    def _reader(self) -> "Bundle | None":
        """The open model; None where it is a trace file."""
        return None if isinstance(self._bundle, Archive) else self._bundle

    @property
    def broken_from(self) -> str | None:
        """Key of the first step with NaN or an infinity; None if all is finite."""
        return self._shown[1].broken_from if self._shown else None

    @property
    def scene(self) -> Scene | None:
        """What panels display; None without a trace."""
        return self._scene

    @property
    def selection(self) -> Selection:
        """Where the reader is."""
        return self._selection

    @property
    def viewing(self) -> Viewing:
        """How attention is looked at."""
        return self._viewing

    @property
    def beside_text(self) -> str:
        """The sentence to compare with; "" for none."""
        return self._beside_text

    @property
    def sampling(self) -> Sampling:
        """How the next token is picked."""
        return self._sampling

    @property
    def reads_specials(self) -> bool:
        """Whether "<|endoftext|>" in the text is one special token."""
        return self._sentence.specials

    @property
    def activity(self) -> str:
        """What is being done, "" for nothing."""
        return self._activity

    @property
    def is_generating(self) -> bool:
        """Whether the model is writing on."""
        return self._writing is not None

    @property
    def is_current(self) -> bool:
        """Whether the trace is of the present sentence and model."""
        if self._shown is None or not self._sentence.is_settled:
            return False
        request = self._shown[0]
        return request.encoding is self.encoding and request.bundle is self._bundle

    @property
    def timeline(self) -> Timeline | None:
        """The checkpoints of the run that the open model is one of."""
        return self._timeline

    @property
    def moment(self) -> int | None:
        """Which checkpoint of the timeline the open model is."""
        if self._timeline is None or self._card is None:
            return None
        return self._timeline.place_of(self._card.folder)

    @property
    def n_too_long(self) -> int:
        """Tokens too many for the model; 0 where the sentence fits."""
        return self._n_too_long

    @property
    def unknown(self) -> str:
        """What of the sentence the model has no token for; "" where it knows all."""
        return self._unknown

    @property
    def fits(self) -> bool:
        """Whether the model can read the sentence."""
        return not (self._n_too_long or self._unknown)

    @property
    def n_room(self) -> int:
        """Tokens that still fit behind the sentence; what Generate writes at most."""
        n_ctx = self._card.n_ctx if self._card else 0
        return max(0, n_ctx - self._sentence.prompt.n)

    @property
    def can_undo(self) -> bool:
        """Whether an Append or a Generate can be taken back."""
        return self._sentence.can_undo

    @property
    def n_typed(self) -> int:
        """Tokens before those that Append and Generate added."""
        return self._sentence.n_typed

    @property
    def n_unread(self) -> int:
        """Added tokens at the end that the trace does not hold: nobody read them."""
        trace, ids = self.trace, self.encoding.ids
        if trace is None or trace.ids != ids[: trace.n]:
            return 0
        return min(len(ids) - trace.n, len(ids) - self.n_typed)

    @property
    def can_append_pick(self) -> bool:
        """Whether the model goes on with texts, and the present logits are numbers."""
        can_write = not (self.is_recorded or self.is_generating)
        trace = self.trace
        if trace is None or not trace.config.writes:
            return False
        return self.is_current and not self.broken_from and can_write

    def can_step(self, by: int) -> bool:
        """Whether `next_step` (1) or `previous_step` (-1) would do something."""
        if self.trace is None:
            return False
        if stepped(self._selection, self.trace, by) is not None:
            return True
        return by > 0 and self.can_append_pick

    def can_change_layer(self, by: int) -> bool:
        """Whether `next_layer` (1) or `previous_layer` (-1) would do something."""
        trace = self.trace
        return trace is not None and to_layer(self._selection, trace, by) is not None

    def _take_model(self, opened: Opened) -> None:
        self._bundle, self._card = opened.bundle, opened.card
        self.model_changed.emit(opened.card)

    def _take_badge(self, badge: str) -> None:
        if self._card is not None:
            self._card = replace(self._card, badge=badge)
            self.badge_changed.emit(self._card)

    def _tell_text(self) -> None:
        """Tell of the sentence: its text, its tokens, and whether they fit."""
        if self.text != self._told_text:
            self._told_text = self.text
            self.text_changed.emit(self.text)
        if self._sentence.is_settled:
            self.encoding_changed.emit(self.encoding)
        excess = self._sentence.prompt.n - self._card.n_ctx if self._card else 0
        if max(0, excess) != self._n_too_long:
            self._n_too_long = max(0, excess)
            self.too_long_changed.emit(self._n_too_long)
        tokenizer = self.tokenizer
        unknown = unknown_note(self.encoding, tokenizer) if tokenizer else ""
        if unknown != self._unknown:
            self._unknown = unknown
            self.unknown_changed.emit(unknown)

    def _take_trace(self, request: TraceRequest, traced: Traced) -> None:
        before = self._selection
        self._shown = (request, traced)
        self._selection = fitted(before, traced.trace, follows_end=self._follows_end)
        self._renew_scene()
        self.trace_changed.emit(traced.trace)
        self.timing_changed.emit(traced.timing)
        if self._selection != before:
            self.selection_changed.emit(self._selection)
        self.scene_changed.emit(self._scene)

    def _drop_trace(self) -> None:
        if self._shown is not None:
            self._shown = self._scene = None
            self.trace_changed.emit(None)
            self.scene_changed.emit(None)

    def _take_selection(self, selection: Selection) -> None:
        if selection != self._selection:
            self._selection = selection
            self._renew_scene()
            self.selection_changed.emit(selection)
            self.scene_changed.emit(self._scene)

    def _take_viewing(self, viewing: Viewing) -> None:
        if viewing != self._viewing:
            self._viewing = viewing
            self._renew_scene()
            self.viewing_changed.emit(viewing)
            self.scene_changed.emit(self._scene)

    def _take_beside(self, trace: Trace | None) -> None:
        if trace is not self._beside:
            self._beside = trace
            self._renew_scene()
            self.beside_changed.emit(trace)
            self.scene_changed.emit(self._scene)

    def _take_sampling(self, sampling: Sampling) -> None:
        if sampling != self._sampling:
            self._sampling = sampling
            self._renew_scene()
            self.sampling_changed.emit(sampling)
            self.scene_changed.emit(self._scene)

    def _take_writing(self, writing: GenerateRequest | None) -> None:
        was_writing = self.is_generating
        self._writing = writing
        if self.is_generating != was_writing:
            self.is_generating_changed.emit(self.is_generating)

    def _take_activity(self, activity: str) -> None:
        if activity != self._activity:
            self._activity = activity
            self.activity_changed.emit(activity)

    @Slot(object)
    def _take_timeline(self, timeline: Timeline | None) -> None:
        if timeline != self._timeline:
            self._timeline = timeline
            self.timeline_changed.emit(timeline)

    def _renew_scene(self) -> None:
        if self._shown is not None:
            request, traced = self._shown
            tokenizer = request.bundle.tokenizer
            self._scene = Scene(
                traced.trace,
                self._selection,
                tokenizer,
                self._sampling,
                clamped_viewing(self._viewing, traced.trace),
                self._beside,
            )

    def _tell_failure(self, report: ErrorReport) -> None:
        log.warning("%s", report.details)
        self.failed.emit(report)
