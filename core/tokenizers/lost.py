"""Parts of a text that a tokenizer would pass over in silence, made visible.

In: a BPE that has neither every byte nor a token for the unknown. Out: the same with a
token of ours for the unknown, whose pieces get the id `UNKNOWN` and the bytes that were
typed: what a model cannot read is said, not left out.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from core.tokenizers.alphabet import to_letters
from core.tokenizers.base import Span
from core.tokenizers.decoding import text_bytes
from core.tokenizers.spelling import BYTE_LEVEL, Json, spelling_of

LOST = "\U0010fffd<lost>"
"""In no vocabulary."""


def loses_nothing(content: Json) -> bool:
    """Whether a tokenizer has a token for whatever may stand in a text."""
    model = content["model"]
    if model["type"] != "BPE" or model.get("unk_token") or model.get("byte_fallback"):
        return True
    letters = to_letters(bytes(range(256)))
    is_whole = all(letter in model["vocab"] for letter in letters)
    return spelling_of(content) is BYTE_LEVEL and is_whole


def with_lost(content: Json) -> tuple[dict[str, Any], int]:
    """The content with a token for what has none, and that token's id."""
    model: Mapping[str, Any] = content["model"]
    added = (token["id"] for token in content.get("added_tokens") or ())
    lost_id = max((*model["vocab"].values(), *added), default=-1) + 1
    vocabulary = {**model["vocab"], LOST: lost_id}
    settings = {"vocab": vocabulary, "unk_token": LOST, "fuse_unk": False}
    return {**content, "model": {**model, **settings}}, lost_id


def data_with_lost(
    text: str, spans: Sequence[Span], data: Sequence[bytes | None], *, by_bytes: bool
) -> list[bytes]:
    """The bytes of each token; of one that was lost (None), those that were typed.

    Args:
        text: As it was typed.
        spans: The characters of each token.
        data: The bytes of each token.
        by_bytes: A lost token is one byte of its character, not the whole of it.
    """
    found: list[bytes] = []
    n_before = 0
    for place, (own, span) in enumerate(zip(data, spans, strict=True)):
        if place and span != spans[place - 1]:
            n_before = 0
        typed = text_bytes(text[slice(*span)])
        lost = typed[n_before : n_before + 1] if by_bytes else typed
        found.append(lost if own is None else own)
        n_before += len(found[-1])
    return found
