"""The pipeline as a list to walk down: every step of a model, grouped for the eye.

In: a configuration. Out: lines, each with one step or a few that belong together; the
lines of a layer stand under its heading.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from core.config import ModelConfig
from core.texts import MERGES, step_text
from core.trace.steps import Step, steps_for
from core.trace.views.roles import role_of

SHARED_LINES = (
    ("attn.q", "attn.k", "attn.v"),
    ("attn.q_normed", "attn.k_normed"),
    ("attn.q_rotated", "attn.k_rotated"),
    ("attn.heads", "attn.concat", "attn.out"),
    ("ffn.router", "ffn.shares"),
    ("ffn.gate", "ffn.hidden"),
    ("ffn.hidden", "ffn.active", "ffn.out"),
    ("ffn.active", "ffn.out"),
)
"""Names of steps that stand side by side on one line."""


@dataclass(frozen=True, slots=True)
class Stop:
    """One step of the list."""

    key: str
    text: str
    title: str
    role: str
    """Theme colour of what it is about."""


@dataclass(frozen=True, slots=True)
class Line:
    """Steps side by side, or the heading of a layer, which has none."""

    stops: tuple[Stop, ...]
    layer: int | None
    """The layer it belongs to; None before and after the layers."""


@lru_cache(maxsize=16)
def pipeline_lines(config: ModelConfig, method: str = MERGES) -> tuple[Line, ...]:
    """Every line in order, the heading of each layer before its own.

    `method` is how the model's tokenizer cuts words.
    """
    return tuple(_lines(config, method))


def _lines(config: ModelConfig, method: str) -> Iterator[Line]:
    layer: int | None = None
    waiting: list[Step] = []
    for step in steps_for(config):
        if waiting and not _share_a_line(waiting, step):
            yield _line(waiting, config, method)
            waiting = []
        if step.layer != layer:
            layer = step.layer
            if layer is not None:
                yield Line((), layer)
        waiting.append(step)
    yield _line(waiting, config, method)


def _share_a_line(steps: list[Step], following: Step) -> bool:
    names = tuple(step.name for step in (*steps, following))
    return any(names == line[: len(names)] for line in SHARED_LINES)


def _line(steps: list[Step], config: ModelConfig, method: str) -> Line:
    stops = []
    for step in steps:
        words = step_text(step, config, method)
        stops.append(Stop(step.key, words.short, words.title, role_of(step.key)))
    return Line(tuple(stops), steps[0].layer)
