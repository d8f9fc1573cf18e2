"""The tokenizer in a GGUF file's settings, said as a `tokenizer.json` would say it.

In: the settings. Out: the tokenizer. Two kinds are known: byte-level BPE with merges
("gpt2"), whose way of splitting is only named there, and SentencePiece's BPE with
scores ("llama"), whose merges follow from the scores.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from core.checkpoints.gguf_header import GgufHeader
from core.errors import CheckpointError
from core.tokenizers.base import Tokenizer
from core.tokenizers.described import tokenizer_of
from core.tokenizers.gpt2_files import BYTE_LEVEL, PLAIN_MODEL
from core.tokenizers.reading import PLACED_ANYWHERE
from core.tokenizers.spelling import SPACE_MARK, Json

KEYS = "tokenizer.ggml."
UNKNOWN, CONTROL, USER_DEFINED = 2, 3, 4
"""Kinds of tokens that are more than pieces of words."""
ASSUMED_SPLIT = "gpt-2"
ENDS = (("add_bos_token", "bos_token"), ("add_eos_token", "eos_token"))

LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")


def _by_pattern(pattern: str) -> Json:
    """Split as a pattern says; the bytes become letters afterwards."""
    split = {
        "type": "Split",
        "pattern": {"Regex": pattern},
        "behavior": "Isolated",
        "invert": False,
    }
    letters = {**BYTE_LEVEL, "use_regex": False}
    return {"type": "Sequence", "pretokenizers": [split, letters]}


DIGITS_APART: Json = {
    "type": "Sequence",
    "pretokenizers": [{"type": "Digits", "individual_digits": True}, BYTE_LEVEL],
}
SPLITS: Mapping[str, Json] = {
    "gpt-2": {"pre_tokenizer": BYTE_LEVEL},
    "smollm": {"pre_tokenizer": DIGITS_APART},
    "llama-bpe": {"pre_tokenizer": _by_pattern(LLAMA3), "ignore_merges": True},
    "qwen2": {"pre_tokenizer": _by_pattern(QWEN2), "normalizer": {"type": "NFC"}},
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
    ids, scores = _ids(values["tokens"]), values["scores"]
    has_space = values.get("add_space_prefix", True)
    prefix = [{"type": "Prepend", "prepend": SPACE_MARK}] if has_space else []
    strip = [{"type": "Strip", "content": " ", "start": 1, "stop": 0}]
    content = {
        "normalizer": {
            "type": "Sequence",
            "normalizers": [*prefix, _replacing(" ", SPACE_MARK)],
        },
        "pre_tokenizer": None,
        "decoder": {
            "type": "Sequence",
            "decoders": [
                _replacing(SPACE_MARK, " "),
                {"type": "ByteFallback"},
                {"type": "Fuse"},
                *(strip if has_space else []),
            ],
        },
        "model": {
            **PLAIN_MODEL,
            "unk_token": values["tokens"][values.get("unknown_token_id", 0)],
            "fuse_unk": True,
            "byte_fallback": True,
            "vocab": ids,
            "merges": merges_of(ids, scores),
        },
    }
    return content, True, ()


def _replacing(old: str, new: str) -> Json:
    return {"type": "Replace", "pattern": {"String": old}, "content": new}


KINDS: Mapping[str, Callable[[Json], Made]] = {
    "gpt2": _byte_level,
    "llama": _sentencepiece,
}
"""What the values of `tokenizer.ggml.model` stand for."""


def merges_of(ids: Mapping[str, int], scores: Sequence[float]) -> list[list[str]]:
    """The merges that SentencePiece's scores stand for, the first ones first.

    Of all neighbours that make a token, those join whose token has the highest score.
    """
    found = [
        (-scores[token_id], token_id, left, right)
        for name, token_id in ids.items()
        for left, right in _halves(name)
        if left in ids and right in ids
    ]
    found.sort(key=lambda each: (*each[:2], ids[each[2]], ids[each[3]]))
    return [[left, right] for *_, left, right in found]


def _halves(name: str) -> Iterator[tuple[str, str]]:
    return ((name[:cut], name[cut:]) for cut in range(1, len(name)))


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
