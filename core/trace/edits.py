"""Numbers changed on purpose, to see what follows: a head that is silent, say.

An edit is a frozen row. The forward pass applies it when its step comes by, so that
everything after it follows; the trace it makes stands beside the first.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from core.errors import TraceError
from core.trace.steps import TOKEN_OPS, Step

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True, slots=True)
class Edit:
    """Change part of one step's value.

    `Edit("layers.0.attn.heads", (2,), 0.0)` silences head 2 of the first layer.
    """

    key: str
    """The step to change."""
    index: tuple[int | None, ...]
    """Which part: a number picks one place of an axis, None or nothing all of it."""
    value: float
    """What to set, add or multiply by."""
    mode: Literal["set", "add", "scale"] = "set"

    def apply(self, x: "Tensor") -> "Tensor":
        """A copy of the step's value with the part changed; `x` has no batch axis."""
        changed = x.clone()
        part = tuple(slice(None) if i is None else i for i in self.index)
        if self.mode == "set":
            changed[part] = self.value
        elif self.mode == "add":
            changed[part] += self.value
        else:
            changed[part] *= self.value
        return changed


def check_edits(
    edits: Iterable[Edit],
    steps: Sequence[Step],
    shape_of: Callable[[Step], tuple[int, ...]],
) -> None:
    """Refuse an edit that points nowhere.

    Raises:
        TraceError: The step does not exist, is not a number of the model, or the index
            lies outside it.
    """
    by_key = {step.key: step for step in steps}
    for edit in edits:
        step = by_key.get(edit.key)
        if step is None or step.op in TOKEN_OPS or edit.key == "output.pick":
            raise TraceError(f"{edit.key} is not a step of this model that can change.")
        shape = shape_of(step)
        fits = len(edit.index) <= len(shape) and all(
            i is None or -size <= i < size
            for i, size in zip(edit.index, shape, strict=False)
        )
        if not fits:
            raise TraceError(
                f"Edit of {edit.key}: index {edit.index} lies outside {shape}."
            )
