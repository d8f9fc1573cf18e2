"""Models of `tests/data/sentencepiece`, and what the package itself reads with them."""

import json
import shutil
from functools import lru_cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "data" / "sentencepiece"
MODELS = ("unigram", "unigram_kept", "unigram_bytes", "bpe", "bpe_bytes")
MARIAN = FOLDER / "marian"


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
