"""SentencePiece's own file, `tokenizer.model`: pieces with scores, Unigram or BPE.

In: the file, and the class that `tokenizer_config.json` names. Out: the tokenizer, by
way of what a `tokenizer.json` would say. The file does not say which tokens are put
around a text, nor how ids are moved, so a class that is not known here is refused.
"""

from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import TokenizerError
from core.tokenizers.base import Tokenizer
from core.tokenizers.class_names import class_of
from core.tokenizers.described import tokenizer_of
from core.tokenizers.protobuf import Value, fields_of, float_of
from core.tokenizers.reading import (
    CONFIG_FILE,
    HOW_TO_CONVERT,
    PLACED_ANYWHERE,
    read_config,
    refuse,
)
from core.tokenizers.sentencepiece_tokenizer import RULES
from core.tokenizers.spelling import SPACE_MARK, Json

NORMAL, UNKNOWN, CONTROL, USER_DEFINED = 1, 2, 3, 4
"""Kinds of pieces; 5 is one that is no longer used, 6 one of a single byte."""
TYPED = (NORMAL, USER_DEFINED)
"""The kinds that text leads to."""
BONUS_OF_A_BYTE = 0.1
UNIGRAM, BPE = 1, 2
"""Kinds of models."""
PIECES, TRAINER, NORMALISER = 1, 2, 3
"""Fields of the file."""


@dataclass(frozen=True, slots=True)
class SentencePiece:
    """A line of the vocabulary; its place is its id."""

    text: str
    score: float
    kind: int


@dataclass(frozen=True, slots=True)
class Spec:
    """What the file says besides its pieces; as SentencePiece where it is silent."""

    model: int = UNIGRAM
    has_bytes: bool = False
    unk_id: int = 0
    charsmap: bytes = b""
    """How look-alike characters are read; for the package to understand."""
    has_prefix: bool = True
    """A space is put in front."""
    joins_spaces: bool = True
    """Several spaces are read as one, and none at the ends."""
    marks_spaces: bool = True
    """A space is written "▁"."""
    has_suffix: bool = False
    """The space is put behind, not in front."""


TRAINER_FIELDS = {3: "model", 24: "has_suffix", 35: "has_bytes", 40: "unk_id"}
NORMALISER_FIELDS = {
    2: "charsmap",
    3: "has_prefix",
    4: "joins_spaces",
    5: "marks_spaces",
}

CLASSES: Mapping[str, Json] = {
    "LlamaTokenizer": {
        "add_bos_token": True,
        "add_eos_token": False,
        "bos_token": "<s>",
        "eos_token": "</s>",
    },
    "GemmaTokenizer": {
        "add_bos_token": True,
        "add_eos_token": False,
        "bos_token": "<bos>",
        "eos_token": "<eos>",
    },
    "T5Tokenizer": {
        "add_bos_token": False,
        "add_eos_token": True,
        "eos_token": "</s>",
        "extra_ids": 100,
    },
}
"""Classes whose ids are the places of the pieces, and what they add if unsaid."""
CLASS_OF_MODEL = {
    "gemma": "GemmaTokenizer",
    "llama": "LlamaTokenizer",
    "mistral": "LlamaTokenizer",
    "mixtral": "LlamaTokenizer",
    "t5": "T5Tokenizer",
}
"""Where only the model's kind is known."""


def read_sentencepiece(path: Path) -> Tokenizer:
    """The tokenizer of a `tokenizer.model` or `spiece.model`.

    Raises:
        TokenizerError: It is damaged, or of a class that is not known here.
    """
    config = read_config(path.parent)
    name = class_of(path.parent, config, CLASS_OF_MODEL)
    if name not in CLASSES:
        said = f"the folder names {name}" if name else f"no {CONFIG_FILE} says whose"
        raise TokenizerError(
            f"{path} holds pieces, but {said}, so the ids are not certain; "
            f"{HOW_TO_CONVERT}."
        )
    config = {**CLASSES[name], **config}
    try:
        pieces, spec = pieces_of(path.read_bytes())
        check_spec(path, spec)
        content = sentencepiece_content(
            pieces,
            spec,
            n_extra=int(config.get("extra_ids", 0)),
            is_legacy=bool(config.get("legacy")),
        )
        return tokenizer_of(content, config, path)
    except (OSError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise TokenizerError(
            f"{path} is damaged or no SentencePiece model ({error}); copy it again."
        ) from error


def pieces_of(data: bytes) -> tuple[list[SentencePiece], Spec]:
    """The pieces of a file, and what it says of the model.

    Raises:
        ValueError: It is no such file.
    """
    pieces: list[SentencePiece] = []
    said: dict[str, Any] = {}
    for number, value in fields_of(data):
        if number == PIECES:
            pieces.append(_piece(_message(value)))
        elif number in (TRAINER, NORMALISER):
            names = TRAINER_FIELDS if number == TRAINER else NORMALISER_FIELDS
            for field, each in fields_of(_message(value)):
                if field in names:
                    said[names[field]] = each
    spec = Spec(**said)
    if not pieces or not 0 <= spec.unk_id < len(pieces):
        raise ValueError("it has no pieces")
    if spec.model not in (UNIGRAM, BPE):
        raise ValueError(f"model_type {spec.model} is neither Unigram nor BPE")
    return pieces, spec


def check_spec(path: Path, spec: Spec) -> None:
    """Refuse a model whose text is read in a way that is not known here.

    Raises:
        TokenizerError: Spaces are not marked, or are put behind.
    """
    if spec.has_suffix:
        raise refuse(path, "treat_whitespace_as_suffix", True)
    if not spec.marks_spaces:
        raise refuse(path, "escape_whitespaces", False)


def _piece(message: bytes) -> SentencePiece:
    fields = dict(fields_of(message))
    text = _message(fields[1]).decode("utf-8")
    return SentencePiece(text, float_of(fields.get(2, bytes(4))), int(fields.get(3, 1)))


def _message(value: Value) -> bytes:
    if not isinstance(value, bytes):
        raise ValueError("a number stands where a text should")
    return value


def sentencepiece_content(
    pieces: list[SentencePiece],
    spec: Spec,
    *,
    n_extra: int = 0,
    is_legacy: bool = False,
) -> dict[str, Any]:
    """What a `tokenizer.json` would say.

    Args:
        pieces: The vocabulary.
        spec: What else the file says.
        n_extra: Special tokens behind the pieces.
        is_legacy: A space is put behind every special token, too, not only in front.
    """
    # "first" looks where the text began before spaces at its ends were left out.
    is_everywhere = is_legacy or bool(spec.joins_spaces)
    metaspace = {
        "type": "Metaspace",
        "replacement": SPACE_MARK,
        "prepend_scheme": "always" if is_everywhere else "first",
        "split": spec.model == UNIGRAM,
    }
    return {
        "version": "1.0",
        "added_tokens": [*_added(pieces), *_extra(len(pieces), n_extra)],
        "normalizer": {"type": "Sequence", "normalizers": list(_normalisers(spec))},
        "pre_tokenizer": metaspace if spec.has_prefix else None,
        "post_processor": None,
        "decoder": {"type": "Sequence", "decoders": list(_decoders(spec))},
        "model": {
            **_model(pieces, spec),
            RULES: {
                "charsmap": b64encode(spec.charsmap).decode(),
                "has_prefix": bool(spec.has_prefix),
                "has_prefix_everywhere": is_everywhere,
                "joins_spaces": bool(spec.joins_spaces),
                "kept": [p.text for p in pieces if p.kind == USER_DEFINED],
                "passed_over": [p.text for p in pieces if p.kind not in TYPED],
            },
        },
    }


def _model(pieces: list[SentencePiece], spec: Spec) -> dict[str, Any]:
    if spec.model == UNIGRAM:
        return {
            "type": "Unigram",
            "unk_id": spec.unk_id,
            "vocab": [[piece.text, score_of(piece)] for piece in pieces],
            "byte_fallback": bool(spec.has_bytes),
        }
    return {
        "type": "BPE",
        "unk_token": pieces[spec.unk_id].text,
        "fuse_unk": True,
        "byte_fallback": bool(spec.has_bytes),
        "vocab": {piece.text: place for place, piece in enumerate(pieces)},
        "merges": merges_of(pieces),
    }


def score_of(piece: SentencePiece) -> float:
    """The score by which a piece is chosen.

    One that the maker of the model defined is chosen wherever it can be: its score is
    above those of all others, and grows with its length.
    """
    if piece.kind == USER_DEFINED:
        return BONUS_OF_A_BYTE * (len(piece.text.encode()) - 1)
    return piece.score if piece.kind == NORMAL else 0.0


def merges_of(pieces: list[SentencePiece]) -> list[list[str]]:
    """The merges that the scores stand for, the first ones first.

    Of all neighbours that make a piece, those join whose piece has the highest score.
    """
    ranked = [
        (-piece.score, place, piece.text)
        for place, piece in enumerate(pieces)
        if piece.kind == NORMAL
    ]
    normal = {text for _, _, text in ranked}
    return [
        [text[:cut], text[cut:]]
        for _, _, text in sorted(ranked)
        for cut in range(1, len(text))
        if text[:cut] in normal and text[cut:] in normal
    ]


def _normalisers(spec: Spec) -> Iterator[Json]:
    if spec.charsmap:
        letters = b64encode(spec.charsmap).decode()
        yield {"type": "Precompiled", "precompiled_charsmap": letters}
    if spec.joins_spaces:
        yield {"type": "Strip", "strip_left": True, "strip_right": True}
        yield _replacing({"Regex": " {2,}"}, " ")
    yield _replacing({"String": " "}, SPACE_MARK)


def _decoders(spec: Spec) -> Iterator[Json]:
    yield _replacing({"String": SPACE_MARK}, " ")
    yield {"type": "ByteFallback"}
    yield {"type": "Fuse"}
    if spec.has_prefix:
        yield {"type": "Strip", "content": " ", "start": 1, "stop": 0}


def _replacing(pattern: Json, content: str) -> Json:
    return {"type": "Replace", "pattern": pattern, "content": content}


def _added(pieces: list[SentencePiece]) -> Iterator[Json]:
    for place, piece in enumerate(pieces):
        if piece.kind in (UNKNOWN, CONTROL, USER_DEFINED):
            is_special = piece.kind != USER_DEFINED
            settings = {**PLACED_ANYWHERE, "special": is_special}
            yield {"id": place, "content": piece.text, **settings}


def _extra(first: int, n: int) -> Iterator[Json]:
    """T5's marks for what is left out; the last id is the first of them."""
    for place in range(n):
        settings = {**PLACED_ANYWHERE, "special": True}
        content = f"<extra_id_{n - 1 - place}>"
        yield {"id": first + place, "content": content, **settings}
