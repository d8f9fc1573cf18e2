"""SentencePiece models: those of `tests/data`, what the package reads, new ones."""

import json
import shutil
import struct
from functools import lru_cache
from pathlib import Path
from typing import Any

from core.tokenizers.sentencepiece import CONTROL, UNKNOWN

FOLDER = Path(__file__).parents[1] / "data" / "sentencepiece"
MODELS = ("unigram", "unigram_kept", "unigram_bytes", "bpe", "bpe_bytes")
MARIAN = FOLDER / "marian"
SPECIALS = [("<unk>", 0.0, UNKNOWN), ("<s>", 0.0, CONTROL), ("</s>", 0.0, CONTROL)]
LETTERS = [("▁", -3.0, 1), ("a", -4.0, 1), ("b", -4.0, 1), ("c", -4.0, 1)]


@lru_cache
def rows_of(name: str) -> list[list[Any]]:
    """A text a row; of a model its reading and its ids, of Marian two lists of ids."""
    content = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    rows: list[list[Any]] = content["rows"]
    return rows


def folder_with(name: str, folder: Path, **config: Any) -> Path:
    """A folder of `transformers` with one of the models, nothing put around a text."""
    shutil.copy(FOLDER / f"{name}.model", folder / "tokenizer.model")
    said = {"tokenizer_class": "LlamaTokenizer", "add_bos_token": False, **config}
    (folder / "tokenizer_config.json").write_text(json.dumps(said))
    return folder


def number(value: int) -> bytes:
    made = bytearray()
    while value > 0x7F:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*made, value])


def field(tag: int, value: int | float | bytes | str) -> bytes:
    if isinstance(value, int):
        return number(tag << 3) + number(value)
    if isinstance(value, float):
        return number(tag << 3 | 5) + struct.pack("<f", value)
    data = value.encode() if isinstance(value, str) else value
    return number(tag << 3 | 2) + number(len(data)) + data


def model_of(kind: int, pieces: list[tuple[str, float, int]], **spec: int) -> bytes:
    """A file as SentencePiece writes it."""
    lines = (field(1, t) + field(2, s) + field(3, k) for t, s, k in pieces)
    trainer = field(3, kind) + field(35, spec.get("has_bytes", 0)) + field(99, "new")
    normaliser = field(3, spec.get("prefix", 1)) + field(4, spec.get("joins", 0))
    parts = [*(field(1, line) for line in lines), field(2, trainer)]
    return b"".join([*parts, field(3, normaliser)])
