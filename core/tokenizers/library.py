"""The tokenizers of model folders, cut by the package `tokenizers`, explained here.

In: the content of a `tokenizer.json`. Out: encodings whose ids are the package's, with
spans in the typed text, and the way of every word by the method of its kind: merges,
longest match, best path.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from itertools import accumulate, pairwise
from operator import itemgetter
from threading import Lock

import numpy as np
from tokenizers import Tokenizer as Reference

from core.tokenizers.base import INSIDE_MARK, UNKNOWN, Encoding, Ids, Piece, Span, Word
from core.tokenizers.decoding import BROKEN, decode_text, text_bytes
from core.tokenizers.lost import LOST, data_with_lost, loses_nothing, with_lost
from core.tokenizers.methods import METHOD_OF, Method
from core.tokenizers.notes import notes_of
from core.tokenizers.package import names_of, reference_of
from core.tokenizers.pieces import (
    character_of_each_byte,
    touched,
    unknown_labels,
    with_parts,
)
from core.tokenizers.spans import Found, byte_spans, typed_spans, without_space
from core.tokenizers.spelling import (
    BYTE_LEVEL,
    BYTE_NAME,
    MARKED,
    Json,
    puts_a_space_in_front,
)
from core.tokenizers.vocabulary import UnknownTextError, Vocabulary
from core.tokenizers.ways import History, WayOf

REMEMBERED_WAYS = 2_000
REMEMBERED_WORDS = 20_000
_SURROGATE = re.compile(r"[\ud800-\udfff]")


class LibraryTokenizer(Vocabulary):
    """The tokenizer that a `tokenizer.json` describes. Never changes."""

    def __init__(self, content: Json, remarks: Iterable[str] = ()) -> None:
        """Build it.

        Args:
            content: What stands in the file.
            remarks: Sentences on how the folder was read.

        Raises:
            TokenizerError: An id has two tokens, or a token no bytes.
            ValueError, KeyError, TypeError: It describes no tokenizer.
        """
        self.content = {**content, "truncation": None, "padding": None}
        used, self._lost_id = self.content, UNKNOWN
        if not loses_nothing(content):
            used, self._lost_id = with_lost(content)
        self._reference = self._package_of(used)
        self._lock = Lock()
        how: Method = METHOD_OF[content["model"]["type"]](content)
        self._how, self.method = how, how.name
        added = content.get("added_tokens") or ()
        specials = {t["content"]: t["id"] for t in added if t.get("special")}
        texts = {t["content"] for t in added if self._is_text(t["content"])}
        names = self._names(used)
        without = frozenset((*specials, LOST))
        rows = _in_order((i, n) for n, i in names.items() if n not in without)
        spelt = iter(how.data_of_each([n for _, n in rows if n not in texts]))
        data_of = {i: text_bytes(n) if n in texts else next(spelt) for i, n in rows}
        vocabulary = {data: i for i, data in data_of.items()}
        twins: dict[int, bytes] = {}
        if len(vocabulary) < len(data_of):  # of two with the same bytes, the first
            vocabulary = {data: i for i, data in reversed(data_of.items())}
            twins = {i: data for i, data in data_of.items() if vocabulary[data] != i}
        super().__init__(vocabulary, specials, twins)
        self._way_of = lru_cache(REMEMBERED_WAYS)(how.way_of)
        self._start_of = lru_cache(REMEMBERED_WORDS)(how.start_of)
        self._normal = lru_cache(REMEMBERED_WORDS)(self._read)
        self._unknown_id = None if how.unknown is None else names.get(how.unknown)
        self._special_ids = frozenset(specials.values()) - {self._unknown_id}
        self._alone = frozenset(t["id"] for t in added) - {self._unknown_id}
        self._inside_ids = self._ids_inside_words()
        self._marked_ids = frozenset(
            (*self._special_ids, *self._inside_ids, self._unknown_id, self._lost_id)
        )
        self._has_space = puts_a_space_in_front(content)
        self.before, self.after = self._around()
        around = map(self.label, self.before), map(self.label, self.after)
        self.notes = (*notes_of(content, *around), *remarks)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of everything that decides the ids, the same in every session."""
        content = json.dumps(self.content, sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(content.encode()).hexdigest()

    def encode(self, text: str, *, specials: bool = False) -> Encoding:
        """Cut a text into tokens, those around it included.

        The text of a special token is plain characters unless `specials` is set. A lone
        surrogate is read as U+FFFD.
        """
        found = self._found(text, specials=specials)
        pieces = tuple(self._pieces(text, found))
        places = zip(pieces, found.word_ids, strict=True)
        read = {p.word: found.read[word] for p, word in places if word in found.read}
        encoding = Encoding(
            text=text,
            pieces=pieces,
            words=tuple(self._words(text, pieces, read)),
            unknown=unknown_labels(pieces),
            n_bytes=len(text_bytes(text)),
            normalised=self._normalised(text, pieces),
        )
        return with_parts(encoding) if encoding.brackets else encoding

    def encode_blocks(
        self, blocks: Iterable[str], *, specials: bool = False
    ) -> Iterator[Ids]:
        """The ids of a text that comes in blocks, without those put around it.

        The blocks are read as one, for any of them may change how the next is cut.

        Raises:
            UnknownTextError: The text has characters without a token.
        """
        whole = "".join(blocks)
        found = self._found(whole, specials=specials, with_added=False)
        if self._lost_id in found.ids:
            raise UnknownTextError(self.encode(whole).unknown)
        yield np.array(found.ids, self.id_type)

    def encoding_of(self, ids: Sequence[int]) -> Encoding:
        """The encoding that has exactly these ids, each piece a word of its own."""
        parts = self._parts(ids)
        text = decode_text(b"".join(parts))
        first, stop = self._bare(ids)
        characters = character_of_each_byte(b"".join(parts))
        borders = [0, *accumulate(map(len, parts))]
        pieces, words = [], []
        for place, token_id in enumerate(map(int, ids)):
            span = (borders[place], borders[place + 1])
            is_added = not first <= place < stop
            piece = Piece(
                id=token_id,
                data=self.token_bytes(token_id),
                byte_span=span,
                char_span=touched(characters, span),
                word=place,
                is_special=is_added or token_id in self._special_ids,
                is_added=is_added,
                is_stand_in=token_id == self._unknown_id,
                is_inside=token_id in self._inside_ids,
            )
            pieces.append(piece)
            words.append(_word((piece,), piece.data, (piece.data,)))
        encoding = Encoding(text, tuple(pieces), tuple(words), (), borders[-1])
        return with_parts(encoding)

    def decode_bytes(self, ids: Sequence[int]) -> bytes:
        """The bytes of the text that these ids are read from.

        The tokens around it and a space that was put in front are left out.
        """
        return b"".join(self._parts(ids))

    def _parts(self, ids: Sequence[int]) -> list[bytes]:
        """What each token adds to the decoded text."""
        start, stop = self._bare(ids)
        parts = self._how.joined(list(map(self.token_bytes, ids[start:stop])))
        if self._has_space and parts:
            parts[0] = parts[0].removeprefix(b" ")
        return [b""] * start + parts + [b""] * (len(ids) - stop)

    def _bare(self, ids: Sequence[int]) -> Span:
        """Where the ids of the text itself begin and end."""
        start, stop = 0, len(ids)
        if self.before and tuple(ids[: len(self.before)]) == self.before:
            start = len(self.before)
        if self.after and tuple(ids[start:][-len(self.after) :]) == self.after:
            stop -= len(self.after)
        return start, stop

    def _found(self, text: str, *, specials: bool, with_added: bool = True) -> Found:
        text = typed(text)
        with self._lock:  # the setting is the package's, for all who ask
            self._reference.encode_special_tokens = not specials
            found = self._reference.encode(text, add_special_tokens=with_added)
        read: dict[int | None, bytes] = {}
        if self.method == "best path" and self._unknown_id in found.ids:
            read = self._words_read(found.word_ids, found.tokens)
        return Found(found.ids, found.offsets, found.word_ids, read)

    def _words_read(
        self, word_ids: Iterable[int | None], names: Iterable[str]
    ) -> dict[int | None, bytes]:
        """The words of a Unigram as they are read: its tokens, the unknown as they are.

        A letter that is read as several words cannot be read off the text once more.
        """
        words: dict[int | None, str] = {}
        for word, name in zip(word_ids, names, strict=True):
            words[word] = words.get(word, "") + name
        return {w: self._how.spelling.to_bytes(name) for w, name in words.items()}

    def _package_of(self, content: Json) -> Reference:
        """The package's tokenizer, which cuts; raises as `reference_of` does."""
        return reference_of(content)

    def _is_text(self, _added: str) -> bool:
        """Whether the name of an added token is its text, and not spelt like others."""
        return True

    def _names(self, content: Json) -> Mapping[str, int]:
        """Name and id of every token, as the file writes them."""
        return names_of(self._reference, content)

    def _around(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The ids that are put before and after every text."""
        found = self._found("a", specials=False)
        own = [place for place, word in enumerate(found.word_ids) if word is not None]
        if not own:
            return tuple(found.ids), ()
        return tuple(found.ids[: own[0]]), tuple(found.ids[own[-1] + 1 :])

    def _ids_inside_words(self) -> frozenset[int]:
        """The tokens that go on inside a word, which their names mark."""
        if self.method != "longest match":
            return frozenset()
        return frozenset(
            token_id
            for data, token_id in self.vocabulary.items()
            if data.startswith(INSIDE_MARK) and data != INSIDE_MARK
        )

    def _pieces(self, text: str, found: Found) -> Iterator[Piece]:
        ids: list[int] = found.ids
        spans = typed_spans(found, len(text))
        data = self._data(text, ids, spans)
        spans = without_space(spans, data)
        bytes_of = byte_spans(typed(text), spans, data)
        number, before = -1, None
        for token_id, own, span, byte_span, word in zip(
            ids, data, spans, bytes_of, found.word_ids, strict=True
        ):
            is_added = word is None
            number += is_added or word != before
            before = word
            if not is_added and token_id not in self._marked_ids:  # as most are
                yield Piece(token_id, own, byte_span, span, number)
                continue
            yield Piece(
                id=UNKNOWN if token_id == self._lost_id else token_id,
                data=own,
                byte_span=byte_span,
                char_span=span,
                word=number,
                is_special=is_added or token_id in self._special_ids,
                is_added=is_added,
                is_stand_in=token_id == self._unknown_id,
                is_inside=token_id in self._inside_ids,
            )

    def _data(self, text: str, ids: list[int], spans: list[Span]) -> list[bytes]:
        """The bytes of each token; where one is missing, those that were typed."""
        if self._lost_id not in ids:
            return list(map(self._data_of.__getitem__, ids))
        known = [None if i == self._lost_id else self.token_bytes(i) for i in ids]
        by_bytes = self._how.spelling is BYTE_LEVEL
        return data_with_lost(text, spans, known, by_bytes=by_bytes)

    def _words(
        self, text: str, pieces: tuple[Piece, ...], read: Mapping[int, bytes]
    ) -> Iterator[Word]:
        for own in by_word(pieces):
            first = own[0]
            if len(own) == 1 and first.id in self._alone:
                yield _word(own, first.data, (first.data,))
            else:
                data = read.get(first.word) or self._word_data(text, own)
                way = self._way(data, own)
                yield _word(own, data, self._start_of(data), way)

    def _way(self, data: bytes, _own: tuple[Piece, ...]) -> WayOf:
        """How a word became its pieces, when somebody looks."""
        return partial(self._way_of, data)

    def _word_data(self, text: str, own: tuple[Piece, ...]) -> bytes:
        """The bytes of a word as they are read.

        Its pieces, one after another, are these; where one of them stands for something
        else or leaves out spaces, they are read off the text once more.
        """
        is_spelt = self.method != "longest match"
        if is_spelt and not any([piece.is_stand_in for piece in own]):
            return b"".join([piece.data for piece in own])
        typed = text[own[0].char_span[0] : own[-1].char_span[1]]
        read = self._normal(typed)
        is_marked = self._how.spelling is MARKED
        data = MARKED.to_bytes(read) if is_marked else text_bytes(read)
        is_in_front = is_spelt and own[0].data.startswith(b" ")
        return b" " + data if is_in_front and not data.startswith(b" ") else data

    def _read(self, text: str) -> str:
        """A text after the normaliser."""
        normaliser = self._reference.normalizer
        text = typed(text)
        return text if normaliser is None else str(normaliser.normalize_str(text))

    def _normalised(self, text: str, pieces: Iterable[Piece]) -> str | None:
        """The text as it is read; None where that is as it was typed."""
        read, start = "", 0
        for piece in (p for p in pieces if p.is_special and not p.is_added):
            first, last = piece.char_span
            read += self._read(text[start:first]) + text[first:last]
            start = last
        read += self._read(text[start:])
        if self._how.spelling is MARKED:
            read = decode_text(self._how.spelling.to_bytes(read))
        return None if read in (text, f" {text}") else read


def typed(text: str) -> str:
    """A text that can be written: a lone surrogate is U+FFFD."""
    return _SURROGATE.sub(BROKEN, text)


def _in_order(rows: Iterable[tuple[int, str]]) -> list[tuple[int, str]]:
    """Ids and names by id, those of single bytes last: another may have the byte."""
    every = sorted(rows, key=itemgetter(0))
    singles = [row for row in every if row[1].startswith(BYTE_NAME)]
    if not singles:
        return every
    return [row for row in every if not row[1].startswith(BYTE_NAME)] + singles


def by_word(pieces: tuple[Piece, ...]) -> Iterator[tuple[Piece, ...]]:
    """The pieces of each word."""
    numbers = [piece.word for piece in pieces]
    borders = [i for i, pair in enumerate(pairwise(numbers), 1) if pair[0] != pair[1]]
    for start, stop in pairwise((0, *borders, len(pieces))):
        if start < stop:
            yield pieces[start:stop]


def _word(
    pieces: tuple[Piece, ...],
    data: bytes,
    start: tuple[bytes, ...],
    history: WayOf = History,
) -> Word:
    first, last = pieces[0], pieces[-1]
    if first is last:
        symbols: tuple[bytes, ...] = (first.data,)
        return Word(first.byte_span, first.char_span, data, start, symbols, history)
    return Word(
        (first.byte_span[0], last.byte_span[1]),
        (first.char_span[0], last.char_span[1]),
        data,
        start,
        tuple([piece.data for piece in pieces]),
        history,
    )
