"""`tokenizer.json`, the file that describes a whole tokenizer, of whatever kind.

In: the file, and the `tokenizer_config.json` beside it. Out: the tokenizer, by a table
of the kinds of model. What would change the ids and is not known is refused by name.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from core.errors import TokenizerError
from core.tokenizers.base import Tokenizer
from core.tokenizers.configured import configured
from core.tokenizers.gpt2_files import (
    Ids,
    is_like_gpt2,
    read_bpe,
    shared_settings,
)
from core.tokenizers.library import LibraryTokenizer
from core.tokenizers.reading import (
    DAMAGED,
    check_ids,
    different,
    read_config,
    read_json,
    refuse,
)
from core.tokenizers.sentencepiece_tokenizer import RULES, SentencePieceTokenizer
from core.tokenizers.simple import CharacterTokenizer
from core.tokenizers.spelling import Json, parts_of

EVERY_CHARACTER: Json = {
    "type": "Split",
    "pattern": {"Regex": "[\\s\\S]"},
    "behavior": "Isolated",
    "invert": False,
}
KNOWN_DECODERS = {
    "ByteLevel",
    "ByteFallback",
    "Fuse",
    "Metaspace",
    "Replace",
    "Sequence",
    "Strip",
    "WordPiece",
}
REFUSED: Mapping[str, tuple[str, ...]] = {
    "BPE": ("dropout", "continuing_subword_prefix", "end_of_word_suffix"),
}
"""Settings of a kind of model that must be left empty."""


def read_tokenizer_json(path: Path) -> Tokenizer:
    """The tokenizer in a `tokenizer.json`; see `open_tokenizer`."""
    content = read_json(path)
    config = read_config(path.parent)
    try:
        return tokenizer_of(content, config, path)
    except DAMAGED as error:
        raise TokenizerError(
            f"{path} is damaged or describes no tokenizer ({error}); choose another."
        ) from error


def tokenizer_of(
    content: Json, config: Json, path: Path, remarks: tuple[str, ...] = ()
) -> Tokenizer:
    """The tokenizer that a content describes.

    Args:
        content: That of a `tokenizer.json`, or what another file was turned into.
        config: That of a `tokenizer_config.json`.
        path: The file, to be named in errors.
        remarks: Sentences on how it was read.

    Raises:
        TokenizerError: It sets what is not supported.
        KeyError, TypeError, ValueError, AttributeError: It is damaged.
    """
    kind = content["model"].get("type") or _kind_of(content["model"])
    if kind not in MODELS:
        raise refuse(path, "model.type", kind)
    if config:
        content, said = configured(content, config)
        remarks = (*remarks, *said)
    names = _names(content["model"]["vocab"])
    added = content.get("added_tokens") or []
    specials = {token["content"]: token["id"] for token in added}
    if not all(isinstance(text, str) for text in specials):
        raise TypeError("an added token has no text")
    check_ids(path, names | specials)
    return MODELS[kind](path, content, names, specials, remarks)


def _names(vocabulary: Any) -> dict[str, int]:
    """Names and ids; those of Unigram are a list with scores."""
    if isinstance(vocabulary, list):
        return {str(name): place for place, (name, _) in enumerate(vocabulary)}
    return dict(vocabulary)


def _kind_of(model: Json) -> str:
    """The kind of model of an older file, which does not name it."""
    if "merges" in model:
        return "BPE"
    return "Unigram" if isinstance(model["vocab"], list) else "WordPiece"


def _read_bpe(
    path: Path, content: Json, names: Ids, specials: Ids, remarks: tuple[str, ...]
) -> Tokenizer:
    if is_like_gpt2(content):
        return read_bpe(path, content, _ordinary(names, specials), specials)
    return _read_any(path, content, names, specials, remarks)


def _read_characters(
    path: Path, content: Json, names: Ids, specials: Ids, _remarks: tuple[str, ...]
) -> Tokenizer:
    split = ("pre_tokenizer", content.get("pre_tokenizer"), EVERY_CHARACTER)
    if stranger := different([split, *shared_settings(content)]):
        raise refuse(path, *stranger[:2])
    return CharacterTokenizer(_ordinary(names, specials), specials)


def _ordinary(names: Ids, specials: Ids) -> Ids:
    """The tokens that are not added."""
    return {name: i for name, i in names.items() if name not in specials}


def _read_any(
    path: Path, content: Json, _names: Ids, _specials: Ids, remarks: tuple[str, ...]
) -> Tokenizer:
    """Any kind that the package cuts and whose steps are known here."""
    model = content["model"]
    kind = model.get("type") or _kind_of(model)
    settings = [(f"model.{key}", model.get(key), None) for key in REFUSED.get(kind, ())]
    if stranger := different(settings):
        raise refuse(path, *stranger[:2])
    for decoder in parts_of(content.get("decoder")):
        if decoder.get("type") not in KNOWN_DECODERS:
            raise refuse(path, "decoder.type", decoder.get("type"))
    made = SentencePieceTokenizer if RULES in model else LibraryTokenizer
    return made({**content, "model": {**model, "type": kind}}, remarks)


Read = Callable[[Path, Json, Ids, Ids, tuple[str, ...]], Tokenizer]
MODELS: Mapping[str, Read] = {
    "BPE": _read_bpe,
    "WordLevel": _read_characters,
    "WordPiece": _read_any,
    "Unigram": _read_any,
}
"""How the kinds of model in a `tokenizer.json` are read."""
