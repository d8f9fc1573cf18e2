"""What the doctor says: findings, and what one click can do about each.

Place: below the doctors of running text and of pairs, which say it, and the dialog,
which shows it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from core.training.config import RunConfig
from core.training.documents import Split
from core.training.facts import TextFacts, TokenFacts
from core.training.sources import Source

Severity = Literal["error", "warning", "note"]
"""error: the run cannot start; warning: it would mislead; note: good to know."""

USUAL_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class Mend:
    """What one click changes."""

    label: str
    fields: Mapping[str, object] = field(default_factory=dict)
    """New values by table and name, as {"model.n_ctx": 63}."""
    sources: tuple[Source, ...] | None = None
    """The sources to take instead."""
    split: Split | None = None
    """Another way to choose the validation text."""
    preset: str = ""
    """The model to take instead, by its name; "" keeps it."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing the doctor says."""

    kind: str
    severity: Severity
    what: str
    """What is the matter, in a sentence with its numbers."""
    meaning: str
    """What follows from it, in a sentence."""
    mends: tuple[Mend, ...] = ()
    """What may be done, the best first."""


@dataclass(frozen=True, slots=True)
class Case:
    """All that is known of a run that has not started."""

    facts: TextFacts
    tokens: TokenFacts | None
    config: RunConfig
    split: Split
    n_train: int
    n_valid: int

    @property
    def window(self) -> int:
        """Tokens in a window: what is read and the one that follows."""
        return self.config.model.n_ctx + 1

    @property
    def tokens_per_step(self) -> float:
        """Tokens that a step reads, on average."""
        n_batch = self.config.training.batch_size
        if self.tokens and self.tokens.pairs:
            return n_batch * self.tokens.pairs.tokens_per_pair
        return n_batch * self.config.model.n_ctx

    def counted(self, n: int) -> str:
        """A number of tokens; "about" where it is projected."""
        about = "" if self.tokens and self.tokens.is_exact else "about "
        return f"{about}{n:,} {'token' if n == 1 else 'tokens'}"
