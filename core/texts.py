"""The words of the program: a title and a sentence for each step, lessons, examples.

Read from `resources/texts`. A step finds its words by its name; where its op, the
configuration or what a token is changes what there is to say, "name:op" goes before the
plain name. So it is with what a side of the model, or cross attention, has to say.
"""

import tomllib
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from core.config import ModelConfig
from core.errors import CoreError
from core.trace.step import part_of
from core.trace.steps import Step, axis_sizes

LANGUAGE = "en"
MERGES = "merges"
"""How most tokenizers cut words; what is said where one does not, is under its own."""
WINDOW = "window"
"""Of models whose tokens look only so far back."""
REPLACED = "replaced"
"""Of sums where nothing is added: what a part makes takes the place of what it read."""
NO_RESIDUAL = "no residual"
ONE_HEAD = "one head"
TWO_SIDES = "two sides"
"""Of models that read one text and write another."""
N_REMEMBERED = 1024
"""Words kept: those of every step of one model, and more."""


@dataclass(frozen=True, slots=True)
class StepText:
    """What a step says of itself."""

    short: str
    """In the pipeline: one or two words."""
    title: str
    sentence: str
    formula: str | None = None
    """In the place of the step's own."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """What there is to learn at one place."""

    body: tuple[str, ...]
    """Paragraphs."""
    question: str = ""
    """What readers ask here; "" for nothing."""
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Example:
    """A sentence to begin with."""

    text: str
    shows: str
    """What to look for in it."""


@lru_cache(maxsize=N_REMEMBERED)
def step_text(step: Step, config: ModelConfig, method: str = MERGES) -> StepText:
    """The words of a step, with the model's real sizes filled in.

    `method` is how the model's tokenizer cuts words: "longest match".

    Raises:
        CoreError: The texts have nothing for it.
    """
    found: dict[str, str] = {}
    for key in reversed(_keys_of(step.name, step, config, method)):
        found |= _table("steps").get(key, {})
    if not found:
        raise CoreError(f"The texts of this program say nothing of {step.name}.")
    counts = {
        **axis_sizes(config, 1),
        "window": config.window,
        "n_experts_per_token": config.n_experts_per_token,
        "n_encoder_layers": config.n_encoder_layers,
    }
    sizes = {name: f"{count:,}" for name, count in counts.items()}
    told = {
        name: words if name == "formula" else words.format_map(sizes)
        for name, words in found.items()
    }
    return StepText(**told)


@lru_cache(maxsize=N_REMEMBERED)
def lesson_text(
    step: Step, panel: str, config: ModelConfig, method: str = MERGES
) -> Lesson:
    """The lesson for a step: its own, or else that of its panel.

    Raises:
        CoreError: There is neither.
    """
    lessons = _table("lessons")
    names = (step.name, panel)
    for key in (k for name in names for k in _keys_of(name, step, config, method)):
        if key in lessons:
            found = lessons[key]
            return Lesson(
                tuple(found["body"]), found.get("question", ""), found.get("answer", "")
            )
    raise CoreError(f"There is no lesson for {step.name} in {panel}.")


@cache
def examples() -> tuple[Example, ...]:
    """The sentences of the examples menu, in order."""
    return tuple(Example(**row) for row in _table("examples")["example"])


def _keys_of(
    name: str, step: Step, config: ModelConfig, method: str
) -> tuple[str, ...]:
    """Where to look for words, the closest first."""
    variants = [method, step.op, config.norm_place, config.position]
    if config.n_heads == 1:
        variants.append(ONE_HEAD)
    if not config.residual:
        variants.insert(0, NO_RESIDUAL)
    if step.is_replaced:
        variants.insert(0, REPLACED)
    if config.window:
        variants.insert(0, WINDOW)
    if config.attention == "both":
        variants.insert(0, config.attention)
    if config.output_head != "unembed":
        variants.insert(0, config.output_head)
    if config.has_encoder:
        variants = [part_of(step.key), step.side, TWO_SIDES, *variants]
    return (*(f"{name}:{variant}" for variant in variants), name)


@cache
def _table(name: str) -> dict[str, Any]:
    file = files("resources") / "texts" / LANGUAGE / f"{name}.toml"
    return tomllib.loads(file.read_text("utf-8"))
