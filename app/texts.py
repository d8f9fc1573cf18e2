"""The texts of the window: the sentence, and behind an encoder the target so far.

In: what is typed into their fields, what Append and Generate add, wishes to undo. The
sentence is what a person gives a model to read; with two sides, another text is
written, and additions go there. Owned by the session; knows no widget.
"""

from collections.abc import Sequence

from app.sentence import Fit, Prompt, Sentence
from core.config import ModelConfig
from core.tokenizers.base import Tokenizer

Moment = tuple[Prompt, Prompt]
"""The sentence and the target so far, as they stood together."""


class Texts:
    """Both texts, and the moments that `undo` goes back to."""

    def __init__(self) -> None:
        """Empty, and without tokenizers: texts can be typed, tokens come later."""
        self.sentence, self.target = Sentence(), Sentence()
        self.has_target = False
        """Whether a text is written that is not the one that is read."""
        self._undo: list[Moment] = []

    @property
    def written(self) -> Sentence:
        """The text that tokens are added to."""
        return self.target if self.has_target else self.sentence

    @property
    def shown(self) -> tuple[Sentence, ...]:
        """The texts that there are: one, or the source and the target."""
        return (self.sentence, self.target) if self.has_target else (self.sentence,)

    @property
    def is_settled(self) -> bool:
        """Whether the tokens of all texts are known."""
        return all(text.is_settled for text in self.shown)

    @property
    def unsettled(self) -> Sentence | None:
        """The first text whose tokens a worker has to find; None if all are known."""
        return next((text for text in self.shown if not text.is_settled), None)

    @property
    def can_undo(self) -> bool:
        """Whether something was changed that can be taken back."""
        return bool(self._undo)

    @property
    def n_typed(self) -> int:
        """Tokens that stood there before anything was added; all, if nothing was."""
        return self._typed.n

    def fits(self, n_ctx: int | None) -> tuple[Fit, Fit]:
        """Whether a model reads the sentence, and the target."""
        target = self.target.fit(n_ctx) if self.has_target else Fit()
        return self.sentence.fit(n_ctx), target

    def read_with(self, tokenizer: Tokenizer, *, specials: bool) -> None:
        """Cut the sentence with another tokenizer, or another setting."""
        self._undo.clear()
        self.sentence.read_with(tokenizer, specials=specials)

    def write_with(
        self, tokenizer: Tokenizer, config: ModelConfig, *, specials: bool
    ) -> None:
        """Cut the target so far; a model without an encoder has none."""
        self.has_target = config.has_encoder
        if self.has_target:
            start_id = config.start_id
            self.target.read_with(tokenizer, specials=specials, start_id=start_id)
        else:
            self.target = Sentence()

    def forget_target(self) -> None:
        """Begin another target."""
        self._undo.clear()
        self.target = Sentence()

    def type(self, text: str) -> None:
        """Replace the sentence."""
        self._undo.clear()
        self.sentence.type(text)

    def type_target(self, text: str) -> None:
        """Replace the target so far."""
        self._undo.clear()
        self.target.type(text)

    def drop_added(self) -> bool:
        """Take out of the target what was added to it; whether something was.

        It was written from another source. What was typed is kept.
        """
        typed = self._typed
        was_added = self.has_target and typed.n < self.target.prompt.n
        if was_added:
            self.target.show(typed)
        return was_added

    def add(self, ids: Sequence[int]) -> None:
        """Put tokens to the end of the text that is written."""
        self.written.add(ids)

    def remember(self) -> None:
        """Make this the moment that `undo` goes back to."""
        self._undo.append(self._moment)

    def undo(self) -> None:
        """Go back to the remembered moment before."""
        sentence, target = self._undo.pop()
        self.sentence.show(sentence)
        if self.has_target:
            self.target.show(target)

    def forget_if_unchanged(self) -> None:
        """Drop the remembered moment if nothing was changed after it."""
        if self._undo and same(self._undo[-1], self._moment):
            self._undo.pop()

    @property
    def _moment(self) -> Moment:
        return self.sentence.prompt, self.target.prompt

    @property
    def _typed(self) -> Prompt:
        """The written text before anything was added to it."""
        which = int(self.has_target)
        return min((m[which] for m in (*self._undo, self._moment)), key=n_tokens)


def n_tokens(prompt: Prompt) -> int:
    """How long a text is."""
    return prompt.n


def same(one: Moment, other: Moment) -> bool:
    """Whether nothing was changed between two moments."""
    return all(a is b for a, b in zip(one, other, strict=True))
