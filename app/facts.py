"""What is the case in the window: the state of the session, and the news about it.

`Reader` and `Session` inherit this and add the wishes. Everybody reads the properties
and connects to the signals; the session alone calls what begins with an underscore.
"""

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import Slot

from app.failures import ErrorReport
from app.fitting import BOTH_ENDS, fitted
from app.model_card import ModelCard
from app.news import News
from app.scene import Scene
from app.sentence import Fit
from app.texts import Texts
from app.workers.generating import GenerateRequest
from app.workers.tracing import Traced, TraceRequest
from core.generation.ends import end_ids
from core.generation.sampling import Sampling
from core.tokenizers.base import Encoding, Tokenizer
from core.trace.archive import Archive
from core.trace.selection import Selection, stepped, to_layer
from core.trace.step import ENCODER, side_of
from core.trace.trace import Trace
from core.trace.viewing import PLAIN, Viewing, clamped_viewing
from core.training.timeline import Timeline

if TYPE_CHECKING:
    from core.bundle import Bundle

log = logging.getLogger(__name__)


class Facts(News):
    """State that anybody may read."""

    def __init__(self, sampling: Sampling) -> None:
        """Empty: no model, no text."""
        super().__init__()
        self._bundle: Bundle | Archive | None = None
        self._card: ModelCard | None = None
        self._texts = Texts()
        self._told_texts = ("", "")
        self._fits = (Fit(), Fit())
        self._shown: tuple[TraceRequest, Traced] | None = None
        self._selection = Selection()
        self._viewing = PLAIN
        self._beside_text = ""
        self._beside: Trace | None = None
        self._ends = BOTH_ENDS
        self._scene: Scene | None = None
        self._sampling = sampling
        self._writing: GenerateRequest | None = None
        self._activity = ""
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
        return self._texts.sentence.tokenizer

    @property
    def has_target(self) -> bool:
        """Whether the model reads one text, the sentence, and writes another."""
        return self._texts.has_target

    @property
    def text(self) -> str:
        """What the sentence field shows."""
        return self._texts.sentence.text

    @property
    def target_text(self) -> str:
        """What the field of the target so far shows."""
        return self._texts.target.text

    @property
    def encoding(self) -> Encoding:
        """The newest tokens; those of a long text come a moment later."""
        return self._texts.sentence.prompt.encoding

    @property
    def target(self) -> Encoding | None:
        """The newest tokens of the target so far; None where there is no encoder.

        The first of them is the model's start token.
        """
        return self._texts.target.prompt.encoding if self.has_target else None

    @property
    def written(self) -> Encoding:
        """The tokens of the text that Append and Generate add to."""
        return self._texts.written.prompt.encoding

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
    def sampling(self) -> Sampling:
        """How the next token is picked."""
        return self._sampling

    @property
    def reads_specials(self) -> bool:
        """Whether "<|endoftext|>" in the text is one special token."""
        return self._texts.sentence.specials

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
        """Whether the trace is of the present texts and model."""
        if self._shown is None or not self._texts.is_settled:
            return False
        request = self._shown[0]
        is_of_these = self._is_of_now(request.encoding, request.target)
        return is_of_these and request.bundle is self._bundle

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
        """Tokens too many for the model, in the longer text; 0 where both fit."""
        return max(fit.n_too_long for fit in self._fits)

    @property
    def unknown(self) -> str:
        """What the model has no token for; "" where it knows all."""
        return next((fit.unknown for fit in self._fits if fit.unknown), "")

    @property
    def fits(self) -> bool:
        """Whether the model can read the sentence, and the target so far."""
        return all(self._fits)

    @property
    def sentence_fit(self) -> Fit:
        """Whether the model can read the sentence."""
        return self._fits[0]

    @property
    def target_fit(self) -> Fit:
        """Whether the model can read the target so far."""
        return self._fits[1]

    @property
    def n_room(self) -> int:
        """Tokens that can still be added; what Generate writes at most."""
        n_ctx = self._card.n_ctx if self._card else 0
        return max(0, n_ctx - self._texts.written.prompt.n)

    @property
    def can_undo(self) -> bool:
        """Whether an Append or a Generate can be taken back."""
        return self._texts.can_undo

    @property
    def n_typed(self) -> int:
        """Of the written text, the tokens before those that were added."""
        return self._texts.n_typed

    @property
    def n_unread(self) -> int:
        """Added tokens at the end that the trace does not hold: nobody read them."""
        trace, ids = self.trace, self.written.ids
        if trace is None or trace.ids != ids[: trace.n]:
            return 0
        if trace.source is not None and trace.source.ids != self.encoding.ids:
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

    @property
    def has_ended(self) -> bool:
        """Whether the written text ends with a token behind which nothing comes."""
        reader, ids = self._reader, self.written.ids
        if reader is None or len(ids) <= int(self.has_target):
            return False  # the start token may be one that ends texts, too
        return ids[-1] in (reader.end_ids or end_ids(reader.target_tokenizer))

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

    def _take_badge(self, badge: str) -> None:
        if self._card is not None:
            self._card = replace(self._card, badge=badge)
            self.badge_changed.emit(self._card)

    def _is_of_now(self, encoding: Encoding, target: Encoding | None) -> bool:
        """Whether these are the present tokens."""
        return encoding is self.encoding and target is self.target

    def _tell_text(self) -> None:
        """Tell of the texts: what they say, their tokens, and whether they fit."""
        texts, before = (self.text, self.target_text), self._told_texts
        self._told_texts = texts
        for told, text, changed in zip(
            before, texts, (self.text_changed, self.target_text_changed), strict=True
        ):
            if text != told:
                changed.emit(text)
        n_too_long, unknown = self.n_too_long, self.unknown
        self._fits = self._texts.fits(self._card.n_ctx if self._card else None)
        if self._texts.is_settled:
            self.encoding_changed.emit(self.encoding)
        if self.n_too_long != n_too_long:
            self.too_long_changed.emit(self.n_too_long)
        if self.unknown != unknown:
            self.unknown_changed.emit(self.unknown)

    def _take_trace(self, request: TraceRequest, traced: Traced) -> None:
        before = self._selection
        self._shown = (request, traced)
        self._selection = fitted(before, traced.trace, self._ends)
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
            bundle, is_source = request.bundle, side_of(self._selection.step) == ENCODER
            written_with = bundle.target_tokenizer
            self._scene = Scene(
                traced.trace,
                self._selection,
                bundle.tokenizer if is_source else written_with,
                self._sampling,
                clamped_viewing(self._viewing, traced.trace),
                self._beside,
                written_with,
            )

    def _tell_failure(self, report: ErrorReport) -> None:
        log.warning("%s", report.details)
        self.failed.emit(report)
