"""What heads are asked: the table of head scores.

There is one for a text that looks at itself, and one for a text that looks at a source.
A row is one thing that a head may do, and how much of it makes a name. The arithmetic
is in `core.analysis.reading`, the scoring in `core.analysis.heads`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from core.analysis.reading import (
    Reading,
    Rows,
    Tokens,
    diagonal,
    duplicate_token,
    entropy,
    first_token,
    induction,
    last_token,
    mean_distance,
    next_token,
    own_token,
    previous_token,
    same_token,
)
from core.trace.attentions import Kind

OVER_HALF = 0.5
"""A head is named by what takes more than this share of its attention."""
COPIES_FROM = 0.4
"""For copying heads, which leave more on the first token where nothing is to copy."""


@dataclass(frozen=True, slots=True)
class HeadScore:
    """A row of the table: one thing that heads are asked."""

    name: str
    title: str
    """In a few words, for a column and a caption."""
    definition: str
    """How it is measured, in one sentence."""
    of: Callable[[Reading], Rows]
    named_from: float | None = None
    """A head that scores more is named by it; None: it names no head."""
    is_spare: bool = False
    """Whether it names a head only where nothing else does."""
    unit: Literal["share", "bits", "tokens"] = "share"
    least: int = 3
    """Tokens it takes; with two, the first is also the one before."""
    is_told_twice: bool = False
    """Whether it is measured on random tokens told twice, not on the sentence."""
    takes_repeats: bool = False
    """Whether the sentence must hold a token twice, or both texts the same one."""
    least_rows: int = 1
    """Tokens that look, which it takes."""

    @property
    def noun(self) -> str:
        """What a head is called that has much of it: "previous-token head"."""
        return f"{self.title.replace(' ', '-')} head"

    def lack(self, tokens: Tokens) -> str:
        """What these tokens lack for it: "needs 3 tokens"; "" where they do."""
        is_crossed = tokens.query_ids is not None
        if len(tokens.ids) < self.least:
            return f"needs {self.least} tokens{' of the source' * is_crossed}"
        if len(tokens.allowed) < self.least_rows:
            return f"needs {self.least_rows} tokens of the target"
        if self.takes_repeats and not tokens.same.any():
            twice = "needs a token that comes twice"
            return "needs a token that both texts have" if is_crossed else twice
        return ""


HEAD_SCORES = (
    HeadScore(
        "previous",
        "previous token",
        "The mean share that rows 2 and on give to the token right before them.",
        previous_token,
        OVER_HALF,
    ),
    HeadScore(
        "next",
        "next token",
        "The mean share that rows with a choice give to the token right behind them, "
        "which is 0 where the mask hides it.",
        next_token,
        OVER_HALF,
    ),
    HeadScore(
        "self",
        "own token",
        "The mean share that rows with a choice give to their own token.",
        own_token,
        OVER_HALF,
    ),
    HeadScore(
        "first",
        "first token",
        "The mean share that rows with a choice give to the first token, where spare "
        "attention goes.",
        first_token,
        OVER_HALF,
        is_spare=True,
    ),
    HeadScore(
        "same",
        "same token",
        "The mean share that rows give to other places with the same token, over the "
        "rows that can see one.",
        same_token,
        OVER_HALF,
        least=2,
        takes_repeats=True,
    ),
    HeadScore(
        "induction",
        "induction",
        "On random tokens told twice: the mean share that the second telling gives to "
        "the token that followed the same token in the first.",
        induction,
        COPIES_FROM,
        least=4,
        is_told_twice=True,
    ),
    HeadScore(
        "duplicate",
        "duplicate token",
        "On random tokens told twice: the mean share that the second telling gives to "
        "the same token in the first.",
        duplicate_token,
        COPIES_FROM,
        least=4,
        is_told_twice=True,
    ),
    HeadScore(
        "entropy",
        "entropy",
        "How widely rows with a choice spread their attention, in bits: 0 is one key, "
        "3 is as much as eight equal ones.",
        entropy,
        unit="bits",
        least=2,
    ),
    HeadScore(
        "distance",
        "distance",
        "How many tokens away rows with a choice look, on the mean of their shares.",
        mean_distance,
        unit="tokens",
        least=2,
    ),
)
"""Every score of a text that looks at itself, in the order of the table's columns."""

CROSS_SCORES = (
    HeadScore(
        "diagonal",
        "diagonal",
        "The mean share that rows give to the keys within one place of the straight "
        "line from the first token of both texts to the last of both.",
        diagonal,
        OVER_HALF,
        least=7,
        least_rows=2,
    ),
    HeadScore(
        "first",
        "first token",
        "The mean share that rows give to the first token of the source.",
        first_token,
        OVER_HALF,
        is_spare=True,
    ),
    HeadScore(
        "last",
        "last token",
        "The mean share that rows give to the last token of the source: mostly the one "
        "that ends it, where spare attention goes.",
        last_token,
        OVER_HALF,
        is_spare=True,
    ),
    HeadScore(
        "same",
        "same token",
        "The mean share that rows give to source tokens that are the row's own, over "
        "the rows whose token the source has.",
        same_token,
        OVER_HALF,
        least=2,
        takes_repeats=True,
    ),
    HeadScore(
        "entropy",
        "entropy",
        "How widely rows spread their attention over the source, in bits: 0 is one "
        "token, 3 is as much as eight equal ones.",
        entropy,
        unit="bits",
        least=2,
    ),
)
"""Every score of a text that looks at a source. Distance and what comes before mean
nothing there; with fewer than 7 keys half of all lie beside the diagonal."""


def scores_for(kind: Kind) -> tuple[HeadScore, ...]:
    """The scores that make sense for a kind of attention."""
    return CROSS_SCORES if kind.is_cross else HEAD_SCORES


SCORES_BY_NAME = {score.name: score for score in (*CROSS_SCORES, *HEAD_SCORES)}
OF_SENTENCE = tuple(score for score in HEAD_SCORES if not score.is_told_twice)
OF_TELLING = tuple(score for score in HEAD_SCORES if score.is_told_twice)
NAMING = tuple(score for score in OF_SENTENCE if score.named_from is not None)
"""What a single pattern can name a head by."""
