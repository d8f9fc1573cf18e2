"""Two sets of numbers side by side: what a model computed here, and another program.

In: numbers by step, here and there. Out: `Comparison`, a row for each step that both
have, and what it says in words.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.analysis.self_check import distance
from core.trace.numbers import short
from core.trace.step import CROSS, layer_of, part_of, side_of

Numbers = Mapping[str, NDArray[Any]]
"""By step."""


@dataclass(frozen=True, slots=True)
class ComparedStep:
    """A step, here and there."""

    step: str
    difference: float
    """The largest, of two numbers."""
    limit: float
    """What rounding explains."""

    @property
    def agrees(self) -> bool:
        """Whether the difference is rounding."""
        return self.difference <= self.limit

    @property
    def label(self) -> str:
        """The step in words: "layer 1 pattern", "decoder layer 1 cross pattern"."""
        of_side = f"{side} " if (side := side_of(self.step)) else ""
        step = self.step.removeprefix(f"{side}.")
        if (layer := layer_of(self.step)) is None:
            is_first = step.startswith("embed")
            return of_side + ("embeddings" if is_first else step.rpartition(".")[2])
        is_cross = part_of(self.step) == CROSS
        pattern = "cross pattern" if is_cross else "pattern"
        what = pattern if step.endswith("pattern") else "stream"
        return f"{of_side}layer {layer + 1} {what}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """A sentence through the model and through another."""

    against: str
    """The other: "transformers 5.24.0"."""
    rows: tuple[ComparedStep, ...]
    """In the order of computation."""
    on: str
    """How many tokens were compared: "4 tokens"."""
    note: str = ""
    """What else should be known, a sentence."""

    @property
    def first(self) -> ComparedStep | None:
        """The first step that disagrees."""
        return next((row for row in self.rows if not row.agrees), None)

    @property
    def largest(self) -> float:
        """The largest difference of all."""
        return max((row.difference for row in self.rows), default=0.0)

    @property
    def badge(self) -> str:
        """What stays on the model: "checked against transformers 5.24.0: 3e-06"."""
        if self.first is not None:
            return f"differs from {self.against} from {self.first.label} on"
        return f"checked against {self.against}: {short(self.largest, 2)}"

    @property
    def sentence(self) -> str:
        """What it gave."""
        if self.first is None:
            return (
                f"All {len(self.rows)} steps agree with {self.against} on {self.on}; "
                f"the largest difference is {short(self.largest, 2)}, which is "
                "rounding."
            )
        return (
            f"The {self.first.label} ({self.first.step}) is the first that disagrees "
            f"with {self.against}: by {short(self.first.difference, 2)} on {self.on}, "
            f"where {short(self.first.limit, 2)} is rounding."
        )


def compare(
    ours: Numbers, theirs: Numbers, against: str, on: str, note: str = ""
) -> Comparison:
    """Hold two sets of numbers side by side, by the steps that both have."""
    rows = tuple(
        ComparedStep(key, *distance(_double(ours[key]), _double(theirs[key])))
        for key in ours
        if key in theirs
    )
    return Comparison(against, rows, on, note)


def _double(values: NDArray[Any]) -> NDArray[np.float64]:
    return np.asarray(values, dtype=np.float64)
