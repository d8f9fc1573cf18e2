"""Whose a folder's tokenizer files are: the class that reads them in `transformers`.

In: a folder, its `tokenizer_config.json`. Out: the name of the class; where that file
is silent, the one that goes with the kind of model in `config.json`.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from core.tokenizers.reading import read_json
from core.tokenizers.spelling import Json

MODEL_CONFIG = "config.json"


def class_of(folder: Path, config: Json, by_kind: Mapping[str, str]) -> str:
    """The class, the kind of model where it has none of these, or "" if none is named.

    Raises:
        TokenizerError: `config.json` cannot be read.
    """
    if named := config.get("tokenizer_class"):
        return str(named).removesuffix("Fast")
    path = folder / MODEL_CONFIG
    kind = read_json(path).get("model_type") if os.path.isfile(path) else None
    return "" if kind is None else by_kind.get(str(kind), str(kind))
