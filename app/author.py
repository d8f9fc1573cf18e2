"""Changing the texts: typing, putting tokens to the end, taking back, shortening.

`Session` inherits this and adds the work that follows: cutting, tracing, writing on.
Behind an encoder the sentence is the source, and tokens are added to the target so far.
"""

from collections.abc import Sequence
from dataclasses import replace

from app.failures import ErrorReport
from app.fitting import WRITTEN_END
from app.reader import Reader
from app.sentence import Sentence
from core.errors import CoreError, TokenizerError
from core.generation.sampling import pick, uniform
from core.trace.selection import chosen

DROPPED = (
    "The source is another now: what the model wrote for the one before is taken out "
    "of the target; what you typed there stays."
)


class Author(Reader):
    """Whoever writes the texts. The tokens change at once, the trace a moment later."""

    # Wishes: the sentence

    def request_text(self, text: str) -> None:
        """Type: the tokens change at once, the trace after a pause."""
        if text != self.text:
            self._leave_writing()
            self._drop_added()
            self._texts.type(text)
            self._after_typing()

    def request_ids(self, ids: Sequence[int]) -> None:
        """Make the sentence exactly these tokens; nothing if it is them already.

        Raises:
            TokenizerError: No token has one of the ids.
        """
        if self._texts.is_settled and tuple(ids) != self.encoding.ids:
            self._leave_writing()
            self._drop_added()
            self._texts.sentence.replace(ids)
            self._after_adding()

    def mask_token(self, place: int, mask: str) -> None:
        """Put the tokenizer's `mask` where a token stands; Undo brings it back."""
        if self._texts.is_settled and place < len(self.encoding.pieces):
            self._leave_writing()
            self._begin_adding()
            self._texts.sentence.mask(place, mask)
            self._after_adding()

    def leave_out_unknown(self) -> None:
        """Take out of the sentence what the model has no token for."""
        self._leave_out(self._texts.sentence)

    def keep_last_tokens(self) -> None:
        """Shorten the sentence to the last n_ctx tokens."""
        self._keep_last(self._texts.sentence)

    # Wishes: the target so far

    def request_target(self, text: str) -> None:
        """Type what the model is to have written so far, where it has a target.

        Before the first model is open, that is not known yet.
        """
        can_have_one = self.model is None or self.has_target
        if can_have_one and text != self.target_text:
            self._leave_writing()
            self._texts.type_target(text)
            self._after_typing()

    def request_target_ids(self, ids: Sequence[int], n_typed: int = 0) -> None:
        """Make the target so far exactly these tokens, the start token first.

        Those behind the first `n_typed` count as added; 0: none does.

        Raises:
            TokenizerError: No token has one of the ids, or another is the first.
        """
        if not (self.has_target and self._texts.is_settled):
            return
        start_id = self._texts.target.start_id
        if ids[0] != start_id:
            raise TokenizerError(
                f"The target begins with token {ids[0]}, but this model begins with "
                f"token {start_id}; only the text of the target is kept."
            )
        self._leave_writing()
        if 0 < n_typed < len(ids):
            self._texts.target.replace(ids[:n_typed])
            self._texts.remember()
        if tuple(ids) != self.written.ids:
            self._texts.target.replace(ids)
            self._after_adding()

    def leave_out_of_target(self) -> None:
        """Take out of the target so far what the model has no token for."""
        self._leave_out(self._texts.target)

    def keep_last_of_target(self) -> None:
        """Shorten the target so far to what the model can read."""
        self._keep_last(self._texts.target)

    # Wishes: the text that is written

    def append_token(self, token_id: int) -> None:
        """Put a token of the reader's choice to the end."""
        if self._texts.is_settled and not self.unknown:
            self._leave_writing()
            self._begin_adding()
            self._texts.add((token_id,))
            self._after_adding()

    def append_pick(self) -> None:
        """Put the token to the end that `generate` would, from what is shown."""
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
            self._texts.undo()
            self._after_adding()

    # How wishes are carried out

    def _begin_adding(self) -> None:
        """What is added can be taken back; a reader at the end stays at the end."""
        self._texts.remember()
        self._selection = replace(self._selection, token=None)  # another list comes
        if chosen(self._selection)[1] == self._texts.written.prompt.n - 1:
            self._ends |= WRITTEN_END

    def _drop_added(self) -> None:
        """What the model wrote is of the source before."""
        if self._texts.drop_added():
            self.told.emit(DROPPED)

    def _leave_out(self, text: Sentence) -> None:
        if self._texts.is_settled and text.prompt.encoding.unknown:
            self._texts.remember()
            text.replace(text.prompt.encoding.known_ids)
            self._after_typing()

    def _keep_last(self, text: Sentence) -> None:
        n_ctx = self._card.n_ctx if self._card is not None else 0
        if n_ctx and self._texts.is_settled and text.prompt.n > n_ctx:
            self._texts.remember()
            text.keep_last(n_ctx)
            self._after_adding()

    def _leave_writing(self) -> None:
        """Stop generating, and take nothing more of it."""
        raise NotImplementedError

    def _after_typing(self) -> None:
        """Tell of the texts, and trace them after a pause."""
        raise NotImplementedError

    def _after_adding(self) -> None:
        """Tell of the texts, and trace them at once."""
        raise NotImplementedError
