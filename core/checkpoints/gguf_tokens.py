"""The tokenizer in a GGUF file's settings, said as a `tokenizer.json` would say it.

In: the settings. Out: the tokenizer. Two kinds are known: byte-level BPE with merges
("gpt2"), whose way of splitting is only named there, and SentencePiece's BPE with
scores ("llama"), whose merges follow from the scores.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from core.checkpoints.gguf_header import GgufHeader
from core.errors import CheckpointError
from core.tokenizers import splits
from core.tokenizers.base import Tokenizer
from core.tokenizers.described import tokenizer_of
from core.tokenizers.gpt2_files import BYTE_LEVEL, PLAIN_MODEL
from core.tokenizers.reading import PLACED_ANYWHERE
from core.tokenizers.sentencepiece import (
    BPE,
    CONTROL,
    NORMAL,
    UNKNOWN,
    USER_DEFINED,
    SentencePiece,
    Spec,
    sentencepiece_content,
)
from core.tokenizers.spelling import Json

KEYS = "tokenizer.ggml."
ASSUMED_SPLIT = "gpt-2"
END_IDS = ("eos_token_id", "eot_token_id")
ENDS = (("add_bos_token", "bos_token"), ("add_eos_token", "eos_token"))

SPLITS: Mapping[str, Json] = {
    "gpt-2": splits.GPT_2,
    "smollm": splits.DIGITS_APART,
    "llama-bpe": {**splits.LLAMA_3, "ignore_merges": True},
    "qwen2": splits.QWEN_2,
}
"""What the names of `tokenizer.ggml.pre` stand for."""
SAME_SPLITS = {"llama3": "llama-bpe", "llama-v3": "llama-bpe", "gpt2": "gpt-2"}
BEGINS_WITH_BOS = ("llama", "llama-bpe")
"""Where a text begins with a token though the file does not say so."""


def read_tokens(header: GgufHeader) -> Tokenizer:
    """The tokenizer.

    Raises:
        CheckpointError: A setting is missing, damaged or of an unknown kind.
        TokenizerError: What they describe is not supported.
    """
    kind = str(header.values.get(f"{KEYS}model"))
    if kind not in KINDS:
        known = " and ".join(KINDS)
        raise CheckpointError(
            f"{header.path}: {KEYS}model = {kind!r} is not known here, only {known} "
            "are; choose another model."
        )
    values = {
        key.removeprefix(KEYS): value
        for key, value in header.values.items()
        if key.startswith(KEYS)
    }
    try:
        content, first, remarks = KINDS[kind](values)
        content["added_tokens"] = list(_added(values))
        return tokenizer_of(content, _ends(values, first), header.path, remarks)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise CheckpointError(
            f"{header.path} is damaged: {KEYS}* describes no tokenizer ({error}); "
            "fetch it again."
        ) from error


def end_ids(header: GgufHeader) -> tuple[int, ...]:
    """The tokens that end a text, or a turn of a talk; () where the file tells none."""
    told = (header.values.get(f"{KEYS}{name}") for name in END_IDS)
    return tuple(dict.fromkeys(int(i) for i in told if isinstance(i, int)))


Made = tuple[dict[str, Any], bool, tuple[str, ...]]
"""A content, whether a text begins with a token if unsaid, and sentences."""


def _byte_level(values: Json) -> Made:
    named = values.get("pre")
    remarks: tuple[str, ...] = ()
    if named is None or named == "default":
        remarks = ("The file does not say how text is split; split as GPT-2 does.",)
        named = ASSUMED_SPLIT
    named = SAME_SPLITS.get(named, named)
    if named not in SPLITS:
        raise ValueError(f"pre = {named!r} is no known way of splitting")
    split = dict(SPLITS[named])
    ignores = split.pop("ignore_merges", False)
    content = {
        **split,
        "decoder": BYTE_LEVEL,
        "model": {
            **PLAIN_MODEL,
            "ignore_merges": ignores,
            "vocab": _ids(values["tokens"]),
            "merges": [merge.split(" ") for merge in values["merges"]],
        },
    }
    return content, named in BEGINS_WITH_BOS, remarks


def _sentencepiece(values: Json) -> Made:
    tokens = list(_ids(values["tokens"]))
    kinds = values.get("token_type") or [NORMAL] * len(tokens)
    rows = zip(tokens, values["scores"], kinds, strict=True)
    spec = Spec(
        model=BPE,
        has_bytes=True,
        unk_id=int(values.get("unknown_token_id", 0)),
        has_prefix=bool(values.get("add_space_prefix", True)),
        joins_spaces=False,
    )
    pieces = [SentencePiece(*row) for row in rows]
    return sentencepiece_content(pieces, spec, is_legacy=True), True, ()


KINDS: Mapping[str, Callable[[Json], Made]] = {
    "gpt2": _byte_level,
    "llama": _sentencepiece,
}
"""What the values of `tokenizer.ggml.model` stand for."""


def _ids(tokens: Sequence[str]) -> dict[str, int]:
    """Names and ids; the text of two tokens is refused."""
    ids = {name: place for place, name in enumerate(tokens)}
    if len(ids) != len(tokens):
        raise ValueError("two of its tokens have the same text")
    return ids


def _added(values: Json) -> Iterator[dict[str, Any]]:
    """Tokens that are looked for in a text before it is split."""
    kinds = values.get("token_type") or ()
    for place, (name, kind) in enumerate(zip(values["tokens"], kinds, strict=False)):
        if kind in (UNKNOWN, CONTROL, USER_DEFINED):
            is_special = kind != USER_DEFINED
            settings = {**PLACED_ANYWHERE, "special": is_special}
            yield {"id": place, "content": name, **settings}


def _ends(values: Json, begins: bool) -> dict[str, Any]:
    """What a `tokenizer_config.json` would say of the tokens around a text."""
    said: dict[str, Any] = {
        flag: bool(values.get(flag, begins and token == "bos_token"))
        for flag, token in ENDS
    }
    for _, token in ENDS:
        place = values.get(f"{token}_id")
        if isinstance(place, int):
            said[token] = values["tokens"][place]
    return said
