"""What the doctor needs to know of texts: they are read once and their tokens counted.

In: the texts and the tokenizer of a draft. Out: facts. Qt is not imported here, so that
a process can do it that has nothing to do with a window.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from core.training.config import TokenizerConfig
from core.training.sources import (
    BYTES_A_PAIR,
    PastedSource,
    Source,
    StorySource,
    TaskSource,
)

if TYPE_CHECKING:
    from core.training.facts import TextFacts, TokenFacts
    from core.training.progress import Told

SHORT = 100_000
"""Characters; a text up to here is read before a process for it has begun."""


@dataclass(frozen=True, slots=True)
class Share:
    """How much of a request is done."""

    what: str
    share: float


Tell = Callable[["Share | TextFacts"], None]


def look(
    sources: tuple[Source, ...],
    tokenizer: TokenizerConfig,
    folder: Path,
    known: "TextFacts | None",
    tell: Tell,
) -> "TokenFacts | None":
    """Read the texts unless they are known, tell the facts, then count the tokens.

    Raises:
        CoreError: The tokenizer's file cannot be used, or a text was changed meanwhile.
    """
    from core.training.facts import measure_tokens, read_facts

    facts = known
    if facts is None:
        facts = read_facts(sources, _sharing("reading the text", tell))
        tell(facts)
    if not facts.n_characters:
        return None
    told = _sharing("counting tokens", tell)
    return measure_tokens(facts, tokenizer, folder, told)


def are_short(sources: tuple[Source, ...]) -> bool:
    """Whether texts are read in a moment; a folder may hold anything."""
    return sum(map(_n_characters, sources)) <= SHORT


def _n_characters(source: Source) -> float:
    if isinstance(source, PastedSource):
        return len(source.text)
    if isinstance(source, StorySource):
        return source.n_characters
    if isinstance(source, TaskSource):
        return source.n_pairs * BYTES_A_PAIR
    if source.path.is_dir():
        return inf
    try:
        return source.path.stat().st_size
    except OSError:
        return 0


def _sharing(what: str, tell: Tell) -> "Told":
    return lambda share: tell(Share(what, share))
