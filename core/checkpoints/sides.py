"""What the families of two sides share: how their `config.json` tells of both.

In: the fields. Out: the counts of layers, the token that each text of the decoder
begins with, and sentences about what the files ask of generation.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from core.checkpoints.fields import Fields, beside

GENERATION_FILE = "generation_config.json"
START, PADDING = "decoder_start_token_id", "pad_token_id"
ALONE = {"EncoderModel": "encoder", "ForCausalLM": "decoder"}
"""Ends of the names of classes that are one side alone, and which."""
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


def check_both_sides(fields: Fields) -> None:
    """Refuse the files of one side.

    Raises:
        CheckpointError: It is an encoder or a decoder alone.
    """
    fields.must_be("is_encoder_decoder", True)
    fields.must_be("is_decoder", False)
    named = fields.values.get("architectures")
    names = [str(name) for name in named] if isinstance(named, list) else []
    for end, side in ALONE.items():
        if names and all(name.endswith(end) for name in names):
            raise fields.refused("architectures", alone(side))


def alone(side: str) -> str:
    """What is said of a side without the other."""
    return {
        "encoder": "is an encoder alone: it reads and writes nothing",
        "decoder": "is a decoder alone: it has no source to look at",
    }[side]


def check_alike(fields: Fields, of_decoder: str, of_encoder: str) -> None:
    """Refuse sides that differ where they are alike here.

    Raises:
        CheckpointError: They differ; names both fields.
    """
    ours, theirs = fields.whole(of_decoder), fields.whole(of_encoder)
    if ours != theirs:
        raise fields.refused(
            of_decoder,
            f"differs from {of_encoder} = {theirs}; here both sides are alike",
        )


def check_layers(fields: Fields, *names: str) -> None:
    """Refuse a side without layers.

    Raises:
        CheckpointError: It has none.
    """
    for name in names:
        if fields.whole(name) < 1:
            raise fields.refused(name, "must be at least 1")


def start_id(fields: Fields, of_class: int | None) -> int:
    """The token that each text of the decoder begins with, as `transformers` finds it.

    In `config.json`, or else in `generation_config.json`, or else that of the class;
    where that has none, or one beyond the vocabulary, the token of padding.
    """
    generation = beside(fields, GENERATION_FILE)
    if fields.has(START):
        found = fields.whole(START)
        if generation.has(START) and generation.whole(START) != found:
            fields.odd.append(
                f"{fields.path.name} has {START} = {found} and {GENERATION_FILE} "
                f"{generation.whole(START)}; the text begins with {found}."
            )
        return found
    if generation.has(START):
        found = generation.whole(START)
        fields.said.append(f"{START} = {found} is from {GENERATION_FILE}.")
        return found
    if of_class is not None and of_class < fields.whole("vocab_size"):
        return fields.whole(START, of_class)
    padding = fields.whole(PADDING, 0)
    fields.said.append(
        f"Neither {fields.path.name} nor {GENERATION_FILE} has {START}; texts begin "
        f"with {PADDING} = {padding}, as this family's do."
    )
    return padding


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
