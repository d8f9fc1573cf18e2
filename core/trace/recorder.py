"""The watcher that keeps what a trace needs, and applies edits on the way."""

from collections.abc import Callable, Iterable

from torch import Tensor

from core.errors import TraceError
from core.model.functions import is_finite
from core.trace.edits import Edit
from core.trace.steps import Step

INSIDE_ATTENTION = ("scores", "scaled", "bias", "biased", "masked", "pattern")
"""Steps the fused kernel never writes down; an edit there takes the explicit road."""


class Recorder:
    """Keeps chosen steps of one forward pass of a batch of one sentence."""

    def __init__(
        self,
        steps: Iterable[Step],
        shape_of: Callable[[Step], tuple[int, ...]],
        keep: frozenset[str],
        edits: Iterable[Edit] = (),
    ) -> None:
        """Keep the steps named in `keep`, and every step that an edit changes."""
        self.kept: dict[str, Tensor] = {}
        self._edits: dict[str, list[Edit]] = {}
        for edit in edits:
            self._edits.setdefault(edit.key, []).append(edit)
        self._keep = keep | self._edits.keys()
        self._shapes = {
            step.key: (step.axes, shape_of(step))
            for step in steps
            if step.key in self._keep
        }

    def __call__(self, key: str, value: Tensor) -> Tensor:
        """Keep the value if it is asked for; hand on the edited one."""
        if key not in self._keep:
            return value
        has_batch = value.ndim > len(self._shapes[key][0])
        alone = value[0] if has_batch else value
        self._check(key, alone)
        for edit in self._edits.get(key, ()):
            alone = edit.apply(alone)
            value = alone[None] if has_batch else alone
        self.kept[key] = alone
        return value

    def asks_for_rows(self, path: str) -> bool:
        """Whether an edit lies inside the attention at `path`, or its input is broken.

        The fused kernel may swallow a NaN, or carry it to tokens that do not look
        there; step by step, what is recorded is what the trace derives.
        """
        if any(f"{path}.{part}" in self._edits for part in INSIDE_ATTENTION):
            return True
        kept = (self.kept.get(f"{path}.{part}") for part in ("q", "k", "v"))
        return not all(value is None or is_finite(value) for value in kept)

    def _check(self, key: str, value: Tensor) -> None:
        axes, expected = self._shapes[key]
        if tuple(value.shape) != expected:
            raise TraceError(
                f"{key}: expected ({', '.join(axes)}) = {expected}, "
                f"got {tuple(value.shape)}."
            )
