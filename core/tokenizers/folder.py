"""Tokenizers on disk: opened from a model folder, saved as `tokenizer.json`.

Read are Hugging Face's `tokenizer.json` of every kind that can be explained, GPT-2's
pair `vocab.json` and `merges.txt`, BERT's `vocab.txt`, SentencePiece's own file, and
Marian's two with a table.
What is written opens in `tokenizers` and `transformers` and gives the same ids there.
"""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from core.errors import TokenizerError
from core.files import write_whole
from core.tokenizers import marian
from core.tokenizers.alphabet import to_letters
from core.tokenizers.base import Tokenizer
from core.tokenizers.bert_files import read_vocabulary_lines
from core.tokenizers.bpe import BpeTokenizer
from core.tokenizers.described import EVERY_CHARACTER, read_tokenizer_json
from core.tokenizers.gpt2_files import (
    BYTE_LEVEL,
    PLAIN_MODEL,
)
from core.tokenizers.library import LibraryTokenizer
from core.tokenizers.pair_files import read_pair
from core.tokenizers.reading import PLACED_ANYWHERE
from core.tokenizers.sentencepiece import read_sentencepiece
from core.tokenizers.simple import CharacterTokenizer
from core.tokenizers.spelling import Json
from core.tokenizers.target import TokenizerPair

TOKENIZER_FILE = "tokenizer.json"
NO_TOKEN = "<unk>"
"""In no vocabulary of ours, so `tokenizers` refuses unknown characters by an error."""
PLAIN_SPECIAL: Json = {**PLACED_ANYWHERE, "special": True}

READERS: tuple[tuple[tuple[str, ...], Callable[..., Tokenizer]], ...] = (
    (marian.FILES, marian.read_marian_source),
    ((TOKENIZER_FILE,), read_tokenizer_json),
    (("vocab.json", "merges.txt"), read_pair),
    (("vocab.txt",), read_vocabulary_lines),
    (("tokenizer.model",), read_sentencepiece),
    (("spiece.model",), read_sentencepiece),
)
"""The files of a folder that are a tokenizer together, the best ones first."""


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
    looked_for = ", ".join(" with ".join(names) for names, _ in READERS)
    raise TokenizerError(
        f"{path} has no tokenizer, neither of {looked_for}; "
        "choose the folder that holds the model's tokenizer."
    )


def open_tokenizers(folder: Path) -> TokenizerPair:
    """Who reads the given text and who the written one, of a model folder.

    Raises:
        TokenizerError: A file is missing, damaged or of another kind; names it.
    """
    if all(os.path.isfile(folder / name) for name in marian.FILES):
        return marian.read_marian(folder)
    tokenizer = open_tokenizer(folder)
    return TokenizerPair(tokenizer, tokenizer)


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


def _all_parts(tokenizer: LibraryTokenizer) -> Json:
    """The whole file that the tokenizer was read from."""
    return tokenizer.content


def _marian_parts(_tokenizer: marian.MarianTokenizer) -> Json:
    """Refused: no one file says that ids are those of a table.

    Raises:
        TokenizerError: Always.
    """
    raise TokenizerError(
        "A Marian tokenizer cannot be written into one file; copy its folder."
    )


WRITERS: tuple[tuple[type, Callable[[Any], Json]], ...] = (
    (BpeTokenizer, _bpe_parts),
    (CharacterTokenizer, _character_parts),
    (marian.MarianTokenizer, _marian_parts),
    (LibraryTokenizer, _all_parts),
)


def _by_id(ids: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(ids.items(), key=lambda item: item[1])
