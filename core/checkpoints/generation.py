"""What the files of a folder say about writing: where a text ends, and other wishes.

In: `config.json` and `generation_config.json`, which goes before. Out: the tokens that
end a text, and sentences about wishes that are not carried out here.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from core.checkpoints.fields import Fields, beside

GENERATION_FILE = "generation_config.json"
NOT_APPLIED = (
    "num_beams",
    "forced_bos_token_id",
    "forced_eos_token_id",
    "force_bos_token_to_be_generated",
    "bad_words_ids",
    "suppress_tokens",
    "begin_suppress_tokens",
    "no_repeat_ngram_size",
    "repetition_penalty",
    "length_penalty",
    "min_length",
    "min_new_tokens",
)
"""Settings of generation there that are not carried out here."""
NEUTRAL = {"num_beams": 1, "repetition_penalty": 1.0, "length_penalty": 1.0}
"""Values that change nothing; so do 0, false and nothing, but for an id."""
MOST_SHOWN = 40
"""Characters of a setting; a list of tokens may be long."""


def end_ids(fields: Fields) -> tuple[int, ...]:
    """The tokens that end a text, one or a list of them; () where none is told."""
    for each in (beside(fields, GENERATION_FILE), fields):
        value = each.values.get("eos_token_id")
        ids = value if isinstance(value, list) else [value]
        if found := tuple(i for i in ids if type(i) is int):
            return found
    return ()


def tell_generation(fields: Fields) -> None:
    """Say which wishes of the files generation here does not carry out."""
    asked: dict[str, Any] = {}
    for each in (fields, beside(fields, GENERATION_FILE)):
        asked |= {n: each.values[n] for n in NOT_APPLIED if _changes(n, each.values)}
    if asked:
        listed = ", ".join(f"{name} = {_short(value)}" for name, value in asked.items())
        fields.said.append(
            f"The files ask of generation what is not carried out here: {listed}."
        )
    if prefixes := list(_prefixes(fields)):
        fields.said.append(
            "It was taught with its task in front of the source: "
            f"{', '.join(f'“{prefix}”' for prefix in prefixes)}."
        )


def _changes(name: str, values: Mapping[str, Any]) -> bool:
    value = values.get(name)
    if name.endswith("_id"):
        return value is not None
    return bool(value) and value != NEUTRAL.get(name)


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"


def _prefixes(fields: Fields) -> Iterable[str]:
    tasks = fields.values.get("task_specific_params")
    for task in tasks.values() if isinstance(tasks, dict) else ():
        if isinstance(task, dict) and isinstance(task.get("prefix"), str):
            yield task["prefix"]
