"""The pipeline as a list to walk down: every step of a model, grouped for the eye.

In: a configuration. Out: lines, each with one step or a few that belong together; the
lines of a layer stand under its heading.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from core.config import ModelConfig
from core.texts import MERGES, step_text
from core.trace.step import CROSS, DECODER, layer_path, part_of
from core.trace.steps import Step, steps_for
from core.trace.views.roles import role_of

SHARED_LINES = (
    ("attn.q", "attn.k", "attn.v"),
    ("attn.q_normed", "attn.k_normed"),
    ("attn.q_rotated", "attn.k_rotated"),
    ("attn.bias", "attn.biased"),
    ("attn.heads", "attn.concat", "attn.out"),
    ("ffn.router", "ffn.shares"),
    ("ffn.gate", "ffn.hidden"),
    ("ffn.hidden", "ffn.active", "ffn.out"),
    ("ffn.active", "ffn.out"),
)
"""Names of steps that stand side by side on one line."""
PARTS = {"attn": "Self-attention", CROSS: "Cross attention", "ffn": "Feed-forward"}
"""The headings within a layer of a decoder."""


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
    """Steps side by side; or a heading, which has none."""

    stops: tuple[Stop, ...]
    layer: str = ""
    """Path of the layer it belongs to: "decoder.layers.0"; "" outside the layers."""
    side: str = ""
    """The side of the model it belongs to; "" in a model of one stack."""
    heading: str = ""
    """What stands in a heading: "Encoder", "Layer 2", "Cross attention"."""
    path: str = ""
    """The side or the layer that the heading is of; "" where it is of a part only."""


@lru_cache(maxsize=16)
def pipeline_lines(config: ModelConfig, method: str = MERGES) -> tuple[Line, ...]:
    """Every line in order, the heading of each side and layer before its own.

    In a layer of a decoder each part has one, too: there are two kinds of attention.
    `method` is how the model's tokenizer cuts words.
    """
    return tuple(_lines(config, method))


def _lines(config: ModelConfig, method: str) -> Iterator[Line]:
    begun: set[str] = set()
    waiting: list[Step] = []
    for step in steps_for(config):
        if waiting and not _share_a_line(waiting, step):
            yield _line(waiting, config, method)
            waiting = []
        headings = [line for line in _headings(step) if _name(line) not in begun]
        yield from headings
        begun.update(map(_name, headings))
        waiting.append(step)
    yield _line(waiting, config, method)


def _headings(step: Step) -> Iterator[Line]:
    """The side, the layer and the part that a step is in, as far as they are named."""
    side, layer, part = step.side, layer_path(step.key), part_of(step.key)
    if side:
        yield Line((), side=side, heading=side.capitalize(), path=side)
    if layer:
        yield Line((), layer, side, f"Layer {(step.layer or 0) + 1}", layer)
    if part and side == DECODER:
        yield Line((), layer, side, PARTS[part])


def _name(heading: Line) -> str:
    """What tells a heading from all others of a model."""
    return heading.path or f"{heading.layer}.{heading.heading}"


def _share_a_line(steps: list[Step], following: Step) -> bool:
    names = tuple(step.name for step in (*steps, following))
    return any(names == line[: len(names)] for line in SHARED_LINES)


def _line(steps: list[Step], config: ModelConfig, method: str) -> Line:
    stops = []
    for step in steps:
        words = step_text(step, config, method)
        stops.append(Stop(step.key, words.short, words.title, role_of(step.key)))
    return Line(tuple(stops), layer_path(steps[0].key), steps[0].side)
