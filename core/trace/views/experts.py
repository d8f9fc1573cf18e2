"""Many feed-forward networks in one layer: who was asked, and what they answered.

Steps: ffn.router, ffn.shares, ffn.chosen, ffn.experts, ffn.out, and the hidden layers
of each expert. In: a trace and where the reader is. Out: the router's numbers for the
chosen token, and the answers of the chosen experts. Experts count from 1 for a reader.
"""

from dataclasses import dataclass

import numpy as np

from core.trace.matrix import Axis, Cell, Matrix
from core.trace.needs import Index
from core.trace.numbers import may_be_broken, short
from core.trace.selection import Selection
from core.trace.trace import Trace
from core.trace.views.axes import feature_axis, signed_scale
from core.trace.views.roles import role_of
from core.trace.views.step_matrix import shown_part

EXPERT_STEPS = (
    "router",
    "shares",
    "chosen",
    "gate",
    "hidden",
    "active",
    "experts",
    "out",
)
"""The last words of the keys of a layer with experts, behind its norm."""


@dataclass(frozen=True, slots=True)
class Routed:
    """What the router says of one expert, for one token."""

    score: float
    share: float
    weight: float
    """0 where the expert was not chosen."""

    @property
    def is_chosen(self) -> bool:
        """Whether its answer counts."""
        return self.weight != 0


@dataclass(frozen=True, slots=True, eq=False)
class ExpertsView:
    """A token's way through a layer with experts."""

    experts: tuple[Routed, ...]
    """All of them, in order."""
    answers: Matrix
    """[n_chosen + 1, d_model]: of the chosen experts by weight, and their sum."""
    rows: tuple[tuple[str, tuple[int, ...]], ...]
    """What each row of the answers is part of: a key, and the index of the row."""
    note: str
    """Who was chosen, in words."""

    def cell(self, row: int, column: int) -> Cell:
        """The number at a place of the answers."""
        key, index = self.rows[row]
        return Cell(key, (*index, column))


def experts_parts(trace: Trace, selection: Selection) -> tuple[tuple[str, Index], ...]:
    """The parts that the view and the map of the present step ask for."""
    ffn, query = selection.step.rpartition(".")[0], selection.query
    of_token = (f"{ffn}.{name}" for name in ("router", "shares", "chosen", "out"))
    return (
        *((key, (query,)) for key in of_token),
        (f"{ffn}.experts", (None, query)),
        shown_part(trace, selection),
    )


@may_be_broken
def experts_view(trace: Trace, ffn: str, query: int) -> ExpertsView:
    """The router's numbers for a token, and the answers that make its output."""
    names = ("router", "shares", "chosen")
    columns = (trace.part(f"{ffn}.{name}", (query,)).tolist() for name in names)
    experts = tuple(Routed(*numbers) for numbers in zip(*columns, strict=True))
    chosen = [e for e, expert in enumerate(experts) if expert.is_chosen]
    chosen.sort(key=lambda e: -experts[e].weight)
    answers = trace.part(f"{ffn}.experts", (None, query))
    values = np.stack([*answers[chosen], trace.part(f"{ffn}.out", (query,))])
    labels = [f"expert {e + 1} × {short(experts[e].weight)}" for e in chosen]
    token = trace.rows_of(ffn + ".out").label(query)
    matrix = Matrix(
        values,
        Axis("", (*labels, "their sum")),
        feature_axis(values.shape[1]),
        signed_scale(values),
        role_of(f"{ffn}.out"),
    )
    rows = (*((f"{ffn}.experts", (e, query)) for e in chosen), (f"{ffn}.out", (query,)))
    return ExpertsView(experts, matrix, rows, _who(token, chosen, len(experts)))


def _who(token: str, chosen: list[int], n_experts: int) -> str:
    """The experts that a token goes to, the one with most weight first."""
    *firsts, last = (str(e + 1) for e in chosen) if chosen else ("none",)
    noun = "experts" if firsts else "expert"
    listed = f"{', '.join(firsts)} and {last}" if firsts else last
    return f"{token} goes to {noun} {listed} of {n_experts}"
