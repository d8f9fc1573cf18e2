"""`vocab.txt`, BERT's list of tokens, and what its folder says of lower case.

In: the file, a token a line, and `tokenizer_config.json`. Out: the tokenizer. The file
itself says nothing of how text is changed before it is cut; where the configuration
does not either, what `transformers` would take is taken, and said to be assumed.
"""

from pathlib import Path
from typing import Any

from core.errors import TokenizerError
from core.tokenizers.base import Tokenizer
from core.tokenizers.described import tokenizer_of
from core.tokenizers.reading import (
    CONFIG_FILE,
    HOW_TO_CONVERT,
    PLACED_ANYWHERE,
    read_config,
    read_text,
    text_of,
)
from core.tokenizers.spelling import Json

SPECIALS: Json = {
    "pad_token": "[PAD]",
    "unk_token": "[UNK]",
    "cls_token": "[CLS]",
    "sep_token": "[SEP]",
    "mask_token": "[MASK]",
}
"""What BERT's special tokens are called where the configuration does not say."""
NEEDED = ("unk_token", "cls_token", "sep_token")
LOWER_CASE = "do_lower_case"
CLASSES = ("Bert", "DistilBert", "Electra", "MobileBert", "LayoutLM", "ConvBert")
"""Those that read such a file in the same way."""


def read_vocabulary_lines(path: Path) -> Tokenizer:
    """The WordPiece tokenizer of a `vocab.txt`.

    Raises:
        TokenizerError: The file cannot be read, or lacks a token that BERT needs.
    """
    config = read_config(path.parent)
    name = str(config.get("tokenizer_class") or "Bert").removesuffix("Fast")
    if name.removesuffix("Tokenizer") not in CLASSES:
        raise TokenizerError(
            f"{path} is that of a {name}, which reads it in its own way; "
            f"{HOW_TO_CONVERT}."
        )
    lines = [line.rstrip("\r") for line in read_text(path).split("\n")]
    names = {line: place for place, line in enumerate(lines) if line}
    texts = {key: text_of(config.get(key)) or text for key, text in SPECIALS.items()}
    for key in NEEDED:
        if texts[key] not in names:
            raise TokenizerError(
                f"{path} has no line {texts[key]!r}, the {key} of a BERT tokenizer; "
                "choose the vocab.txt that belongs to the model."
            )
    try:
        content = bert_content(names, texts, config)
        return tokenizer_of(content, {}, path, _assumptions(config))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise TokenizerError(
            f"{path} or the {CONFIG_FILE} beside it describes no tokenizer ({error}); "
            "copy the folder again."
        ) from error


def bert_content(names: dict[str, int], texts: Json, config: Json) -> dict[str, Any]:
    """What a `tokenizer.json` would say."""
    unknown, first, last = (texts[key] for key in NEEDED)
    return {
        "version": "1.0",
        "added_tokens": [
            {"id": names[text], "content": text, "special": True, **PLACED_ANYWHERE}
            for text in dict.fromkeys(texts.values())
            if text in names
        ],
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": config.get("tokenize_chinese_chars", True),
            "strip_accents": config.get("strip_accents"),
            "lowercase": config.get(LOWER_CASE, True),
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "BertProcessing",
            "sep": [last, names[last]],
            "cls": [first, names[first]],
        },
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": False},
        "model": {
            "type": "WordPiece",
            "unk_token": unknown,
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": names,
        },
    }


def _assumptions(config: Json) -> tuple[str, ...]:
    if LOWER_CASE in config:
        return ()
    where = (
        f"{CONFIG_FILE} does not say {LOWER_CASE}" if config else f"No {CONFIG_FILE}"
    )
    return (f"{where}: lower-casing is assumed.",)
