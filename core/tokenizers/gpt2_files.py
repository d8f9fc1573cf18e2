"""Byte-level BPE as GPT-2 has it: in `vocab.json` and `merges.txt`, or in one file.

In: the names and merges of a file. Out: a `BpeTokenizer`. What differs from GPT-2 in
anything that decides ids is told by `is_like_gpt2`, and read elsewhere.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from core.errors import TokenizerError
from core.tokenizers.alphabet import from_letters, to_letters
from core.tokenizers.bpe import BpeTokenizer
from core.tokenizers.merges import Pair
from core.tokenizers.reading import Setting, check_ids, different, read_json, read_text
from core.tokenizers.spelling import Json

Ids = Mapping[str, int]
"""The tokens of a file by their names."""

BYTE_LEVEL: Json = {
    "type": "ByteLevel",
    "add_prefix_space": False,
    "trim_offsets": True,
    "use_regex": True,
}
PLAIN_MODEL: Json = {
    "type": "BPE",
    "dropout": None,
    "unk_token": None,
    "continuing_subword_prefix": None,
    "end_of_word_suffix": None,
    "fuse_unk": False,
    "byte_fallback": False,
    "ignore_merges": False,
}


def is_like_gpt2(content: Json) -> bool:
    """Whether a `tokenizer.json` says what GPT-2's would say."""
    settings = [*_bpe_settings(content), *shared_settings(content)]
    return different(settings) is None


def read_bpe(path: Path, content: Json, names: Ids, specials: Ids) -> BpeTokenizer:
    """The byte-level BPE in a `tokenizer.json`."""
    merges = list(content["model"]["merges"])
    pairs = (pair.split(" ") if isinstance(pair, str) else pair for pair in merges)
    return BpeTokenizer(_vocabulary(path, names), _merges(path, pairs), specials)


def read_vocabulary_and_merges(
    vocabulary_file: Path, merges_file: Path
) -> BpeTokenizer:
    """The tokenizer in GPT-2's two files.

    A longer token that no merge makes cannot come from text: it is a special token.
    """
    names = read_json(vocabulary_file)
    check_ids(vocabulary_file, names)
    merges = _merges(merges_file, map(str.split, merge_lines(read_text(merges_file))))
    made = {to_letters(left + right) for left, right in merges}
    specials = {
        name: i for name, i in names.items() if len(name) > 1 and name not in made
    }
    ordinary = {name: i for name, i in names.items() if name not in specials}
    return BpeTokenizer(_vocabulary(vocabulary_file, ordinary), merges, specials)


def merge_lines(text: str) -> list[str]:
    """The merges of a `merges.txt`: without its header, with any kind of line end.

    Only a first line "#version" is a header; "# #" is a merge of two number signs.
    """
    lines = [line.rstrip("\r") for line in text.split("\n")]
    if lines[0].startswith("#version"):
        del lines[0]
    return [line for line in lines if line]


def shared_settings(content: Json) -> list[Setting]:
    """What neither GPT-2's tokenizer nor one of characters does."""
    adds = content.get("post_processor") or BYTE_LEVEL
    return [
        ("normalizer", content.get("normalizer"), None),
        ("post_processor", adds.get("type"), "ByteLevel"),
        *(
            (f"added_tokens[{token['content']!r}].{key}", token.get(key, known), known)
            for token in content.get("added_tokens") or []
            for key, known in ADDED_SETTINGS
        ),
    ]


ADDED_SETTINGS: tuple[tuple[str, Any], ...] = (
    ("single_word", False),
    ("lstrip", False),
    ("rstrip", False),
    ("special", True),
)


def _bpe_settings(content: Json) -> list[Setting]:
    model, splits = content["model"], content.get("pre_tokenizer") or {}
    return [
        *(
            (f"model.{key}", model.get(key, value), value)
            for key, value in PLAIN_MODEL.items()
        ),
        ("pre_tokenizer", splits.get("type"), "ByteLevel"),
        ("pre_tokenizer.add_prefix_space", splits.get("add_prefix_space"), False),
        ("pre_tokenizer.use_regex", splits.get("use_regex", True), True),
    ]


def _vocabulary(path: Path, names: Mapping[str, int]) -> dict[bytes, int]:
    try:
        return {from_letters(name): token_id for name, token_id in names.items()}
    except KeyError as error:
        raise TokenizerError(
            f"{path} has a token with {error.args[0]!r}, which stands for no byte; "
            "choose a model with a byte-level BPE tokenizer like GPT-2's."
        ) from None


def _merges(path: Path, pairs: Iterable[Iterable[str]]) -> tuple[Pair, ...]:
    merges: list[Pair] = []
    for pair in pairs:
        try:
            left, right = map(from_letters, pair)
        except (KeyError, TypeError, ValueError):
            raise TokenizerError(
                f"{path} is damaged: merge {len(merges)} is not two tokens; copy it "
                "again."
            ) from None
        merges.append((left, right))
    return tuple(merges)
