"""The words of the program: a title and a sentence for each step, lessons, examples.

Read from `resources/texts`. A step finds its words by its name; where its op or the
configuration changes what there is to say, "name:op" goes before the plain name.
"""

import tomllib
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from core.config import ModelConfig
from core.errors import CoreError
from core.trace.steps import Step, axis_sizes

LANGUAGE = "en"
N_REMEMBERED = 1024
"""Words kept: those of every step of one model, and more."""


@dataclass(frozen=True, slots=True)
class StepText:
    """What a step says of itself."""

    short: str
    """In the pipeline: one or two words."""
    title: str
    sentence: str


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
def step_text(step: Step, config: ModelConfig) -> StepText:
    """The words of a step, with the model's real sizes filled in.

    Raises:
        CoreError: The texts have nothing for it.
    """
    found: dict[str, str] = {}
    for key in reversed(_keys(step, config)):
        found |= _table("steps").get(key, {})
    if not found:
        raise CoreError(f"The texts of this program say nothing of {step.name}.")
    sizes = axis_sizes(config, 1)
    return StepText(**{name: words.format_map(sizes) for name, words in found.items()})


@lru_cache(maxsize=N_REMEMBERED)
def lesson_text(step: Step, panel: str, config: ModelConfig) -> Lesson:
    """The lesson for a step: its own, or else that of its panel.

    Raises:
        CoreError: There is neither.
    """
    lessons = _table("lessons")
    for key in (*_keys(step, config), *_keys_of(panel, step, config)):
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


def _keys(step: Step, config: ModelConfig) -> tuple[str, ...]:
    """Where to look for the words of a step, the closest first."""
    return _keys_of(step.name, step, config)


def _keys_of(name: str, step: Step, config: ModelConfig) -> tuple[str, ...]:
    return (f"{name}:{step.op}", f"{name}:{config.norm_place}", name)


@cache
def _table(name: str) -> dict[str, Any]:
    file = files("resources") / "texts" / LANGUAGE / f"{name}.toml"
    return tomllib.loads(file.read_text("utf-8"))
