"""`vocab.json` with `merges.txt`, and whose they are: GPT-2's, RoBERTa's, Qwen's.

In: the two files, and the class that `tokenizer_config.json` names, or the kind of
model in `config.json`. Out: the tokenizer. The files do not say how a text is split nor
what is put around it; a class that is not known here is refused.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.errors import TokenizerError
from core.tokenizers import splits
from core.tokenizers.base import Tokenizer
from core.tokenizers.class_names import class_of
from core.tokenizers.described import tokenizer_of
from core.tokenizers.gpt2_files import (
    BYTE_LEVEL,
    PLAIN_MODEL,
    merge_lines,
    read_vocabulary_and_merges,
)
from core.tokenizers.reading import (
    HOW_TO_CONVERT,
    PLACED_ANYWHERE,
    read_config,
    read_json,
    read_text,
    text_of,
)
from core.tokenizers.spelling import Json

GPT2 = "GPT2Tokenizer"
CLASS_OF_MODEL = {
    "gpt2": GPT2,
    "roberta": "RobertaTokenizer",
    "bart": "BartTokenizer",
    "qwen2": "Qwen2Tokenizer",
    "qwen3": "Qwen2Tokenizer",
}
"""Where only the model's kind is known."""
ADDED = "added_tokens_decoder"
ENDS = {"cls_token": "<s>", "sep_token": "</s>"}
"""What RoBERTa's tokens around a text are called where the configuration is silent."""
WITH_ENDS = ("RobertaTokenizer", "BartTokenizer")
SPLITS: Mapping[str, Json] = {
    GPT2: splits.GPT_2,
    "RobertaTokenizer": splits.GPT_2,
    "BartTokenizer": splits.GPT_2,
    "Qwen2Tokenizer": splits.QWEN_2,
}
"""How the classes split a text."""


def read_pair(vocabulary_file: Path, merges_file: Path) -> Tokenizer:
    """The tokenizer in two files, by the class that the folder names.

    Raises:
        TokenizerError: A file is damaged, or the class is not known here.
    """
    folder = vocabulary_file.parent
    config = read_config(folder)
    name = class_of(folder, config, CLASS_OF_MODEL) or GPT2
    if name not in SPLITS:
        raise TokenizerError(
            f"{folder} names {name}, whose way of splitting is not known here; "
            f"{HOW_TO_CONVERT}."
        )
    plain = read_vocabulary_and_merges(vocabulary_file, merges_file)
    if name == GPT2 and not config:
        return plain
    try:
        content = _content(vocabulary_file, merges_file, plain.specials, name, config)
        return tokenizer_of(content, config, vocabulary_file)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise TokenizerError(
            f"{vocabulary_file} does not belong to a {name} ({error}); "
            "copy the folder again."
        ) from error


def _content(
    vocabulary_file: Path,
    merges_file: Path,
    specials: Mapping[str, int],
    name: str,
    config: Json,
) -> dict[str, Any]:
    """What a `tokenizer.json` would say."""
    return {
        "added_tokens": [_added(text, i, config) for text, i in specials.items()],
        "normalizer": None,
        "post_processor": _around(specials, config) if name in WITH_ENDS else None,
        "decoder": BYTE_LEVEL,
        **_split(name, config),
        "model": {
            **PLAIN_MODEL,
            "vocab": read_json(vocabulary_file),
            "merges": [line.split() for line in merge_lines(read_text(merges_file))],
        },
    }


def _split(name: str, config: Json) -> Json:
    """How a class splits a text; the configuration may put a space in front of it."""
    has_prefix = bool(config.get("add_prefix_space"))
    if not has_prefix or SPLITS[name] is not splits.GPT_2:
        return SPLITS[name]
    return {"pre_tokenizer": {**BYTE_LEVEL, "add_prefix_space": True}}


def _added(text: str, token_id: int, config: Json) -> dict[str, Any]:
    """A special token; the configuration may say that it takes the space before it."""
    tokens = (*(config.get(ADDED) or {}).values(), *config.values())
    told = (each for each in tokens if isinstance(each, Mapping))
    own: Json = next((each for each in told if each.get("content") == text), {})
    settings = {key: own.get(key, value) for key, value in PLACED_ANYWHERE.items()}
    return {"id": token_id, "content": text, **settings, "special": True}


def _around(specials: Mapping[str, int], config: Json) -> dict[str, Any]:
    """The tokens that RoBERTa puts around a text.

    Raises:
        KeyError: The vocabulary does not have them.
    """
    first, last = (text_of(config.get(key)) or text for key, text in ENDS.items())
    return {
        "type": "RobertaProcessing",
        "sep": [last, specials[last]],
        "cls": [first, specials[first]],
        "trim_offsets": True,
        "add_prefix_space": False,
    }
