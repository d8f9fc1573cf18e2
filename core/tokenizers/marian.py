"""Marian's folders: two SentencePiece models, one a language, and a table of ids.

In: `source.spm`, `target.spm`, `vocab.json`, perhaps `target_vocab.json`. Out: the two
tokenizers. A text is cut by the model of its language; the ids of the pieces are those
of the table, in which a piece may be missing. `>>fra<<` in front of a text is one
token: the language to translate to. Follows `tokenization_marian.py` of `transformers`.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from core.errors import TokenizerError
from core.tokenizers.added_tokens import Stretch
from core.tokenizers.library import REMEMBERED_WAYS
from core.tokenizers.reading import (
    PLACED_ANYWHERE,
    check_ids,
    read_config,
    read_json,
    text_of,
)
from core.tokenizers.sentencepiece import check_spec, pieces_of, sentencepiece_content
from core.tokenizers.sentencepiece_tokenizer import RULES, SentencePieceTokenizer
from core.tokenizers.spelling import MARKED, Json
from core.tokenizers.target import TokenizerPair
from core.tokenizers.ways import Arc, History, Lattice, Way

SOURCE, TARGET = "source.spm", "target.spm"
IDS, TARGET_IDS = "vocab.json", "target_vocab.json"
FILES = (SOURCE, TARGET, IDS)
SPECIALS = {"eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}
"""What they are called where the configuration does not say."""
NEEDED = ("eos_token", "unk_token")
CODE_STARTS, CODE_STOPS = ">>", "<<"
TAKES_A_CODE = "Takes a language such as {} off the front of the text, as one token."
WHOLE_CODE = "A language in front of the text is one token, and this model has not it."


class MarianTokenizer(SentencePieceTokenizer):
    """One side of a Marian model: its pieces, and the ids of the table."""

    def __init__(self, content: Json, remarks: Iterable[str] = ()) -> None:
        """Build it; raises as `LibraryTokenizer` does."""
        self._ids: Mapping[str, int] = content["model"][RULES]["ids"]
        self._none = self._ids[content["model"][RULES]["unknown"]]
        super().__init__(content, remarks)
        self._way_of = lru_cache(REMEMBERED_WAYS)(self._told_way)

    def _names(self, _content: Json) -> Mapping[str, int]:
        return self._ids

    def _id_of(self, _place: int, name: str) -> int:
        return self._ids.get(name, self._none)

    def _is_looked_for(self, added: str) -> bool:
        return super()._is_looked_for(added) and not is_code(added)

    def _stretches(self, text: str, *, specials: bool) -> Iterator[Stretch]:
        for start, stop, token_id in super()._stretches(text, specials=specials):
            end = _end_of_code(text[start:stop]) if token_id is None else 0
            if end:
                yield start, start + end, self._id_of(0, text[start : start + end])
            if start + end < stop:
                yield start + end, stop, token_id

    def _told_way(self, word: bytes) -> Way:
        """The way of a word; a piece that is not in the table stands for nothing."""
        if is_code(word.decode("utf-8", "replace")):
            return History(reason=WHOLE_CODE)
        way: Way = self._how.way_of(word)
        if not isinstance(way, Lattice):
            return way
        arcs, path = (tuple(map(self._known, each)) for each in (way.arcs, way.path))
        return replace(way, arcs=arcs, path=path)

    def _known(self, arc: Arc) -> Arc:
        is_known = MARKED.to_name(arc.data) in self._ids
        return arc if is_known else replace(arc, is_stand_in=True)


def is_code(text: str) -> bool:
    """Whether a text is a language such as ">>fra<<"."""
    return _end_of_code(text) == len(text) > 0


def _end_of_code(text: str) -> int:
    """Where the language in front of a text ends; 0 where there is none."""
    stop = text.find(CODE_STOPS) if text.startswith(CODE_STARTS) else -1
    return stop + len(CODE_STOPS) if stop >= 0 else 0


def read_marian(folder: Path) -> TokenizerPair:
    """Both tokenizers of a folder.

    Raises:
        TokenizerError: A file is missing or damaged, or lacks a token that is needed.
    """
    is_apart = bool(read_config(folder).get("separate_vocabs"))
    return TokenizerPair(
        _read_side(folder, SOURCE, IDS),
        _read_side(folder, TARGET, TARGET_IDS if is_apart else IDS),
    )


def read_marian_source(path: Path, *_others: Path) -> MarianTokenizer:
    """The tokenizer of the text to be translated; raises as `read_marian` does."""
    return _read_side(path.parent, SOURCE, IDS)


def _read_side(folder: Path, model: str, table: str) -> MarianTokenizer:
    config, path = read_config(folder), folder / model
    ids = read_json(folder / table)
    check_ids(folder / table, ids)
    _check_apart(folder / table, ids)
    texts = {key: text_of(config.get(key)) or text for key, text in SPECIALS.items()}
    for key in NEEDED:
        if texts[key] not in ids:
            raise TokenizerError(
                f"{folder / table} has no {texts[key]!r}, the {key} of a Marian "
                "tokenizer; choose the table that belongs to the model."
            )
    try:
        return MarianTokenizer(*_content(path, ids, texts))
    except (OSError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise TokenizerError(
            f"{path} is damaged or no SentencePiece model ({error}); copy it again."
        ) from error


def _check_apart(path: Path, ids: Mapping[str, int]) -> None:
    """Refuse an id of two pieces: one of them would be shown as the other.

    Raises:
        TokenizerError: There is one.
    """
    names: dict[int, str] = {}
    for name, token_id in ids.items():
        if (other := names.setdefault(token_id, name)) != name:
            raise TokenizerError(
                f"{path} is damaged: the id {token_id} is that of {other!r} and of "
                f"{name!r}; copy it again."
            )


def _content(
    path: Path, ids: Mapping[str, int], texts: Mapping[str, str]
) -> tuple[Json, tuple[str, ...]]:
    """What is known of a side, and what is to be said of it."""
    pieces, spec = pieces_of(path.read_bytes())
    check_spec(path, spec)
    content = sentencepiece_content(pieces, spec, is_legacy=True)
    codes = [name for name in ids if is_code(name)]
    end = texts["eos_token"]
    content["model"][RULES] |= {"ids": dict(ids), "unknown": texts["unk_token"]}
    content["added_tokens"] = [
        {**PLACED_ANYWHERE, "id": ids[text], "content": text, "special": True}
        for text in dict.fromkeys([*texts.values(), *codes])
        if text in ids
    ]
    content["post_processor"] = {
        "type": "TemplateProcessing",
        "single": [{"Sequence": {"id": "A"}}, {"SpecialToken": {"id": end}}],
        "special_tokens": {end: {"id": end, "ids": [ids[end]], "tokens": [end]}},
    }
    return content, ((TAKES_A_CODE.format(codes[0]),) if codes else ())
