"""What one head adds to the stream of one token, and to the logits by that.

Steps: attn.scores to attn.pattern of one layer. In: a trace, a head, the token that
looks. Out: the row, its length beside that of every other token, and the entries of the
vocabulary whose logits it raises and lowers most, by direct attribution.
"""

from dataclasses import dataclass

import numpy as np

from core.analysis.attribution import head_logits, head_row, norms_behind
from core.analysis.effect import output_lengths, reach
from core.trace.matrix import Axis, Cell, FloatArray, Scale
from core.trace.numbers import may_be_broken, short
from core.trace.trace import Trace
from core.trace.views.axes import feature_axis, row_axis, signed_scale
from core.trace.views.places import LabelOf

TOO_LARGE = "the vocabulary is too large to be ranked here"
MOST_MULTIPLICATIONS = 100_000_000
"""A vocabulary that takes more than this is not ranked: it would hold the window."""
N_RANKED = 12
"""Tokens raised and lowered most, at most."""
EASY_MULTIPLICATIONS = 4_000_000
"""A vocabulary that takes no more than this is ranked within a few milliseconds."""


@dataclass(frozen=True, slots=True)
class Push:
    """What a head's output adds to the logit of one token."""

    token: int
    label: str
    amount: float


@dataclass(frozen=True, slots=True, eq=False)
class HeadOutput:
    """What a head adds to the stream of one token."""

    vector: FloatArray
    """[d_model]"""
    scale: Scale
    features: Axis
    length: float
    lengths: FloatArray
    """[n]: the same of every token that looks."""
    tokens: Axis
    size: str
    """Its length beside that of its parts, in words."""
    reading: str
    """How the logits are reckoned, or why they are not."""
    is_ranked: bool
    """Whether the vocabulary is small enough to be ranked in the window."""
    is_easy: bool
    """Whether that takes a few milliseconds only."""


@dataclass(frozen=True, slots=True)
class Pushes:
    """The logits that a head's output moves most."""

    raised: tuple[Push, ...] = ()
    """The largest first."""
    lowered: tuple[Push, ...] = ()
    """The most negative first."""

    @property
    def largest(self) -> float:
        """The largest size of all; 0 where there is none."""
        every = (*self.raised, *self.lowered)
        return max((abs(push.amount) for push in every), default=0.0)


@may_be_broken
def head_output(trace: Trace, attn: str, head: int, query: int) -> HeadOutput:
    """The row a head adds to the stream of a token."""
    row = head_row(trace, attn, head, query).astype(np.float32)
    parts = trace.part(f"{attn}.pattern", (head, query)) * reach(trace, attn, head)
    work = trace.config.d_model * trace.config.n_vocab
    length = float(np.sqrt(np.square(row, dtype=np.float64).sum()))
    together = f"its parts together {short(parts.sum())}: they cancel in part"
    is_ranked = work <= MOST_MULTIPLICATIONS
    logits = reading_of_logits(trace, attn, query) if is_ranked else TOO_LARGE
    return HeadOutput(
        vector=row,
        scale=signed_scale(row),
        features=feature_axis(len(row)),
        length=length,
        lengths=output_lengths(trace, attn, head),
        tokens=row_axis(trace, f"{attn}.heads"),
        size=f"the whole row is {short(length)} long, {together}",
        reading=logits,
        is_ranked=is_ranked,
        is_easy=work <= EASY_MULTIPLICATIONS,
    )


def head_pushes(
    trace: Trace, attn: str, head: int, query: int, label_of: LabelOf
) -> Pushes:
    """The tokens whose logits a head's output raises and lowers most.

    None where the amounts are no numbers.
    """
    amounts = head_logits(trace, attn, head, query)
    if not np.isfinite(amounts).all():
        return Pushes()
    n = min(N_RANKED, len(amounts))
    found = []
    for signed in (-amounts, amounts):
        places = np.argpartition(signed, n - 1)[:n]
        places = places[np.argsort(signed[places], kind="stable")]
        pushed = places[signed[places] < 0].tolist()
        found.append(tuple(Push(t, label_of(t), float(amounts[t])) for t in pushed))
    return Pushes(*found)


def output_cell(attn: str, query: int, feature: int) -> Cell:
    """The number of the stream's addition that a feature of a head is part of."""
    return Cell(f"{attn}.out", (query, feature))


def reading_of_logits(trace: Trace, attn: str, query: int) -> str:
    """What stands between the head and the logits, and what was done about it."""
    norms = norms_behind(trace, f"{attn}.out", query)
    if not norms:
        return "read off directly: no norm stands between"
    if len(norms) == 1:
        return "through the final norm, its divisor as it was"
    return f"through the {len(norms)} norms behind, each divisor as it was"
