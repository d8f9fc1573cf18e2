"""What the families of two sides share: how their `config.json` tells of both.

In: the fields. Out: refusals of what is no whole model of two like sides, and the token
that each text of the decoder begins with.
"""

from core.checkpoints.fields import Fields, beside
from core.checkpoints.generation import GENERATION_FILE

START, PADDING = "decoder_start_token_id", "pad_token_id"
ALONE = {"EncoderModel": "encoder", "ForCausalLM": "decoder"}
"""Ends of the names of classes that are one side alone, and which."""


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
