"""Tokenizers on disk: opened from a model folder, saved as `tokenizer.json`.

Read are Hugging Face's `tokenizer.json`, of byte-level BPE or of characters, and
GPT-2's pair `vocab.json` and `merges.txt`. What is written opens in `tokenizers` and
`transformers` and gives the same ids there. A setting that would change the ids and is
not known here is refused by name.
"""

import json
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from core.errors import TokenizerError
from core.files import write_whole
from core.tokenizers.alphabet import from_letters, to_letters
from core.tokenizers.base import Tokenizer
from core.tokenizers.bpe import BpeTokenizer
from core.tokenizers.merges import Pair
from core.tokenizers.simple import CharacterTokenizer

Json = Mapping[str, Any]
Ids = Mapping[str, int]
"""The tokens of a file by their names."""
Setting = tuple[str, Any, Any]
"""A name, the value in a file, and the only one that is known here."""

TOKENIZER_FILE = "tokenizer.json"
VOCABULARY_FILE = "vocab.json"
MERGES_FILE = "merges.txt"

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
EVERY_CHARACTER: Json = {
    "type": "Split",
    "pattern": {"Regex": "[\\s\\S]"},
    "behavior": "Isolated",
    "invert": False,
}
NO_TOKEN = "<unk>"
"""In no vocabulary of ours, so `tokenizers` refuses unknown characters by an error."""
PLAIN_SPECIAL: Json = {
    "single_word": False,
    "lstrip": False,
    "rstrip": False,
    "normalized": False,
    "special": True,
}


def open_tokenizer(path: Path) -> Tokenizer:
    """The tokenizer of a model folder, or of a `tokenizer.json` named itself.

    Raises:
        TokenizerError: A file is missing, damaged or of another kind; names it.
    """
    if os.path.isfile(path):
        return read_tokenizer_json(path)
    for names, read in READERS:
        files = [path / name for name in names]
        if all(map(os.path.isfile, files)):
            return read(*files)
    raise TokenizerError(
        f"{path} has no {TOKENIZER_FILE}, nor {VOCABULARY_FILE} with {MERGES_FILE}; "
        "choose the folder that holds the model's tokenizer."
    )


def save_tokenizer(tokenizer: Tokenizer, folder: Path) -> Path:
    """Write `tokenizer.json` into a folder, whole or not at all; its path."""
    path = folder / TOKENIZER_FILE
    content = json.dumps(tokenizer_json(tokenizer), ensure_ascii=False, indent=1)
    write_whole(path, f"{content}\n".encode())
    return path


def tokenizer_json(tokenizer: Tokenizer) -> dict[str, Any]:
    """The content of `tokenizer.json`."""
    parts = next(
        write(tokenizer) for kind, write in WRITERS if isinstance(tokenizer, kind)
    )
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {"id": token_id, "content": text, **PLAIN_SPECIAL}
            for text, token_id in _by_id(tokenizer.specials)
        ],
        "normalizer": None,
        "post_processor": None,
        **parts,
    }


def _bpe_parts(tokenizer: BpeTokenizer) -> Json:
    """What a byte-level BPE adds to the file."""
    letters = {to_letters(data): i for data, i in tokenizer.vocabulary.items()}
    return {
        "pre_tokenizer": dict(BYTE_LEVEL),
        "decoder": dict(BYTE_LEVEL),
        "model": {
            **PLAIN_MODEL,
            "vocab": dict(_by_id(letters | dict(tokenizer.specials))),
            "merges": [list(map(to_letters, pair)) for pair in tokenizer.merges],
        },
    }


def _character_parts(tokenizer: CharacterTokenizer) -> Json:
    """What a character tokenizer adds: each character is split off as a word."""
    names = dict(tokenizer.characters) | dict(tokenizer.specials)
    return {
        "pre_tokenizer": dict(EVERY_CHARACTER),
        "decoder": {"type": "Fuse"},
        "model": {
            "type": "WordLevel",
            "vocab": dict(_by_id(names)),
            "unk_token": NO_TOKEN,
        },
    }


WRITERS: tuple[tuple[type, Callable[[Any], Json]], ...] = (
    (BpeTokenizer, _bpe_parts),
    (CharacterTokenizer, _character_parts),
)


def read_tokenizer_json(path: Path) -> Tokenizer:
    """The tokenizer in a `tokenizer.json`; see `open_tokenizer`."""
    content = _read_json(path)
    try:
        read = MODELS.get(content["model"].get("type"), _read_bpe)
        names = dict(content["model"]["vocab"])
        added = content.get("added_tokens") or []
        specials = {token["content"]: token["id"] for token in added}
        if not all(isinstance(text, str) for text in specials):
            raise TypeError("an added token has no text")
        _check_ids(path, names | specials)
        ordinary = {name: i for name, i in names.items() if name not in specials}
        return read(path, content, ordinary, specials)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise TokenizerError(
            f"{path} is damaged or describes no tokenizer ({error}); choose another."
        ) from error


def _read_bpe(path: Path, content: Json, names: Ids, specials: Ids) -> BpeTokenizer:
    _refuse_unknown(path, [*_bpe_settings(content), *_shared_settings(content)])
    merges = list(content["model"]["merges"])
    pairs = (pair.split(" ") if isinstance(pair, str) else pair for pair in merges)
    return BpeTokenizer(_vocabulary(path, names), _merges(path, pairs), specials)


def _read_characters(
    path: Path, content: Json, names: Ids, specials: Ids
) -> CharacterTokenizer:
    splits = content.get("pre_tokenizer")
    split = ("pre_tokenizer", splits, EVERY_CHARACTER)
    _refuse_unknown(path, [split, *_shared_settings(content)])
    return CharacterTokenizer(names, specials)


MODELS: Mapping[str, Callable[[Path, Json, Ids, Ids], Tokenizer]] = {
    "BPE": _read_bpe,
    "WordLevel": _read_characters,
}
"""How the kinds of model in a `tokenizer.json` are read."""


def read_vocabulary_and_merges(
    vocabulary_file: Path, merges_file: Path
) -> BpeTokenizer:
    """The tokenizer in GPT-2's two files.

    A longer token that no merge makes cannot come from text: it is a special token.
    """
    names = _read_json(vocabulary_file)
    _check_ids(vocabulary_file, names)
    merges = _merges(merges_file, map(str.split, merge_lines(_read(merges_file))))
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


READERS: tuple[tuple[tuple[str, ...], Callable[..., Tokenizer]], ...] = (
    ((TOKENIZER_FILE,), read_tokenizer_json),
    ((VOCABULARY_FILE, MERGES_FILE), read_vocabulary_and_merges),
)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise TokenizerError(
            f"{path} cannot be read ({error}); copy the file again."
        ) from error


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(_read(path))
    except json.JSONDecodeError as error:
        raise TokenizerError(
            f"{path} is damaged (line {error.lineno}: {error.msg}); copy it again."
        ) from error
    except ValueError as error:
        raise TokenizerError(
            f"{path} is damaged (a number of too many digits); copy it again."
        ) from error
    except RecursionError:
        raise TokenizerError(
            f"{path} is nested too deep to be a tokenizer; choose another file."
        ) from None
    if not isinstance(content, dict):
        raise TokenizerError(f"{path} describes no tokenizer; choose another file.")
    return content


def _refuse_unknown(path: Path, settings: Iterable[Setting]) -> None:
    """Refuse what would make the ids differ from those the model was trained with."""
    for name, value, known in settings:
        if (value or None) != (known or None):
            raise TokenizerError(
                f"{path} sets {name} to {value!r}, which is not supported; choose a "
                "model with a byte-level BPE tokenizer like GPT-2's."
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


def _shared_settings(content: Json) -> list[Setting]:
    adds = content.get("post_processor") or BYTE_LEVEL
    return [
        ("normalizer", content.get("normalizer"), None),
        ("post_processor", adds.get("type"), "ByteLevel"),
        *(
            (f"added_tokens[{token['content']!r}].{key}", token.get(key, False), False)
            for token in content.get("added_tokens") or []
            for key in ("single_word", "lstrip", "rstrip")
        ),
    ]


def _check_ids(path: Path, ids: Mapping[str, Any]) -> None:
    for name, token_id in ids.items():
        if not isinstance(token_id, int) or token_id < 0:
            raise TokenizerError(
                f"{path} is damaged: the id of {name!r} is {token_id!r}; copy it again."
            )


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


def _by_id(ids: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(ids.items(), key=lambda item: item[1])
