"""The tokenizer of a SentencePiece model: read by its own rules, cut by the package.

In: a content as `sentencepiece` makes it, whose model says what a `tokenizer.json`
cannot: how text is read, and which pieces no text leads to. Out: encodings with the ids
of SentencePiece. The package `tokenizers` gets the text as it is read and joins pairs
alone, for what it does before that differs in rare texts.
"""

from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property, partial
from re import Pattern
from typing import Any

from tokenizers import Tokenizer as Reference

from core.tokenizers.added_tokens import AddedTokens, Stretch
from core.tokenizers.base import Piece, Span
from core.tokenizers.best_path import BestPath
from core.tokenizers.charsmap import Charsmap
from core.tokenizers.library import LibraryTokenizer, typed
from core.tokenizers.package import reference_of
from core.tokenizers.sentencepiece_text import TextReader, one_of
from core.tokenizers.spans import Found
from core.tokenizers.spelling import MARKED, SPACE_MARK, Json
from core.tokenizers.unigram import UnigramMethod
from core.tokenizers.ways import Arc, Lattice, Way, WayOf

RULES = "sentencepiece"
"""Where the model of a content holds them; other programs pass it over."""
NEVER_TYPED = "\U0010fffd"
"""In front of the names that no text leads to, so that none does."""
NO_PIECES: Json = {
    "version": "1.0",
    "model": {"type": "BPE", "vocab": {}, "merges": []},
}
Row = tuple[int, Span, int]
"""An id, the characters it comes from, the number of its word."""


class SentencePieceTokenizer(LibraryTokenizer):
    """Pieces with scores, and the rules by which a text is read. Never changes."""

    def __init__(self, content: Json, remarks: Iterable[str] = ()) -> None:
        """Build it; raises as `LibraryTokenizer` does."""
        model = content["model"]
        rules, added = model[RULES], content["added_tokens"]
        self._kept_names = frozenset(rules["kept"])
        self._places = _places(model)
        self._unknown_place = self._places[unknown_name(model)]
        self._has_bytes = bool(model["byte_fallback"])
        self._reader = TextReader(
            Charsmap(b64decode(rules["charsmap"])),
            rules["kept"],
            has_prefix=rules["has_prefix"],
            joins_spaces=rules["joins_spaces"],
        )
        self._is_prefix_everywhere = bool(rules["has_prefix_everywhere"])
        self._kept = one_of(rules["kept"]) if model["type"] == "BPE" else None
        self._added = AddedTokens(t for t in added if self._is_looked_for(t["content"]))
        self._has_words = _has_words(model)
        self._ends = _ends(content.get("post_processor") or {})
        super().__init__(content, remarks)

    def _package_of(self, content: Json) -> Reference:
        """The package's tokenizer, which joins pairs; a best path is found here."""
        is_bpe = content["model"]["type"] == "BPE"
        return reference_of(_pieces_alone(content["model"]) if is_bpe else NO_PIECES)

    def _is_text(self, added: str) -> bool:
        return added not in self._kept_names

    def _is_looked_for(self, added: str) -> bool:
        """Whether an added token is found in a text before it is read."""
        return self._is_text(added)

    def _names(self, content: Json) -> Mapping[str, int]:
        added = content["added_tokens"]
        return {**self._places, **{t["content"]: t["id"] for t in added}}

    def _id_of(self, place: int, _name: str) -> int:
        """The id of a piece by its place in the file and its name."""
        return place

    def _stretches(self, text: str, *, specials: bool) -> Iterator[Stretch]:
        """The added tokens in a text, and what stands between them."""
        return self._added.stretches(text, specials=specials)

    def _read(self, text: str) -> str:
        return self._reader.read(typed(text), is_first=False).text

    def _found(self, text: str, *, specials: bool, with_added: bool = True) -> Found:
        text = typed(text)
        before, after = self._ends if with_added else ((), ())
        found = Found([], [], [])
        for own in before:
            found.add(own, (0, 0), None)
        n_words = 0
        for start, stop, token_id in self._stretches(text, specials=specials):
            if token_id is None:
                n_words = self._cut(text[start:stop], start, n_words, found)
            else:
                found.add(token_id, (start, stop), n_words)
                n_words += 1
        for own in after:
            found.add(own, (0, 0), None)
        return found

    def _cut(self, text: str, start: int, n_words: int, found: Found) -> int:
        """Add the tokens of a stretch that begins at `start`; how many words then."""
        is_first = not start or self._is_prefix_everywhere
        read = self._reader.read(text, is_first=is_first)
        for first, last, is_kept in _split(read.text, self._kept):
            part = read.text[first:last]
            begins: dict[int, int] = {}
            ends: dict[int, int] = {}
            for place, (left, right), word in self._pieces_of(part, is_kept=is_kept):
                number = n_words + word
                begins.setdefault(number, left)
                ends[number] = right
                if place != self._unknown_place or not self._has_bytes:
                    own = [(self._id_of(place, part[left:right]), left, right)]
                else:
                    own = self._bytes_of(part, left, right)
                for token_id, a, b in own:
                    c, d = read.span(first + a, first + b)
                    found.add(token_id, (start + c, start + d), number)
            for number, begin in begins.items():
                found.read[number] = MARKED.to_bytes(part[begin : ends[number]])
            n_words += len(begins)
        return n_words

    def _pieces_of(self, part: str, *, is_kept: bool) -> Iterable[Row]:
        """The places of the pieces of a text as it is read, where each stands in it."""
        if is_kept:
            return [(self._places[part], (0, len(part)), 0)]
        if self._path is not None:
            return self._along(part, self._path)
        found: Any = self._reference.encode(part)
        return zip(found.ids, found.offsets, found.word_ids, strict=True)

    def _along(self, part: str, path: BestPath) -> Iterator[Row]:
        """The pieces of the best path; a new word begins at every space, if it can."""
        word = 0
        for start, stop, is_known in path.pieces(part):
            name = part[start:stop]
            word += self._has_words and start > 0 and name[0] == SPACE_MARK
            place = self._places[name] if is_known else self._unknown_place
            yield place, (start, stop), word

    @cached_property
    def _path(self) -> BestPath | None:
        """Finds the pieces of a Unigram."""
        how = self._how
        if not isinstance(how, UnigramMethod):
            return None
        return BestPath(how.scores, how.unknown_score)

    def _way(self, data: bytes, own: tuple[Piece, ...]) -> WayOf:
        return partial(self._way_as_cut, data, tuple(piece.data for piece in own))

    def _way_as_cut(self, data: bytes, symbols: tuple[bytes, ...]) -> Way:
        """The way of a word; of paths with the same sum, the one that was taken."""
        way: Way = self._way_of(data)
        return along(way, symbols) if isinstance(way, Lattice) else way

    def _bytes_of(self, part: str, start: int, stop: int) -> list[tuple[int, int, int]]:
        """The tokens of the bytes of letters that are in no piece."""
        names = [
            (f"<0x{byte:02X}>", letter)
            for letter in range(start, stop)
            for byte in part[letter].encode()
        ]
        return [
            (self._id_of(self._places.get(name, self._unknown_place), name), at, at + 1)
            for name, at in names
        ]


def unknown_name(model: Json) -> str:
    """The name of the piece that stands for what has none."""
    if "unk_token" in model:
        return str(model["unk_token"])
    return str(model["vocab"][model["unk_id"]][0])


def _places(model: Json) -> dict[str, int]:
    """The place of each piece in the file."""
    vocabulary = model["vocab"]
    if isinstance(vocabulary, Mapping):
        return dict(vocabulary)
    return {str(name): place for place, (name, _) in enumerate(vocabulary)}


def _ends(post_processor: Json) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The ids that are put before and after every text."""
    before: list[int] = []
    after: list[int] = []
    own = before
    for part in post_processor.get("single", ()):
        if "Sequence" in part:
            own = after
        else:
            name = part["SpecialToken"]["id"]
            own += post_processor["special_tokens"][name]["ids"]
    return tuple(before), tuple(after)


def _split(text: str, kept: Pattern[str] | None) -> Iterator[tuple[int, int, bool]]:
    """Texts that are pieces as they stand, and what is between them."""
    place = 0
    for match in kept.finditer(text) if kept else ():
        if place < match.start():
            yield place, match.start(), False
        yield *match.span(), True
        place = match.end()
    if place < len(text):
        yield place, len(text), False


def _pieces_alone(model: Json) -> dict[str, Any]:
    """A content that joins pairs and does nothing else."""
    hidden = {name: NEVER_TYPED + name for name in model[RULES]["passed_over"]}
    unknown = unknown_name(model)
    own = {
        **model,
        "byte_fallback": False,
        "vocab": {hidden.get(name, name): i for name, i in model["vocab"].items()},
        "unk_token": hidden.get(unknown, unknown),
    }
    del own[RULES]
    return {"version": "1.0", "added_tokens": [], "model": own}


def along(way: Lattice, symbols: tuple[bytes, ...]) -> Lattice:
    """The same with the path through some pieces, where there is one."""
    arcs = {(arc.start, arc.data): arc for arc in way.arcs}
    path: list[Arc] = []
    for symbol in symbols:
        arc = arcs.get((path[-1].stop if path else 0, symbol))
        if arc is None:
            return way
        path.append(arc)
    return replace(way, path=tuple(path))


def _has_words(model: Json) -> bool:
    """Whether no piece of a Unigram goes on behind a space, so that words are apart."""
    if isinstance(model["vocab"], Mapping):
        return False
    passed_over = frozenset(model[RULES]["passed_over"])
    names = {name for name, _ in model["vocab"]} - passed_over
    return SPACE_MARK in names and not any(SPACE_MARK in name[1:] for name in names)
