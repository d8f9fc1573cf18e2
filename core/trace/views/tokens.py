"""What the tokens panel shows: words as bytes, merges as states and trees, token rows.

In: an `Encoding`. Out: labels and numbers, ready to draw. Steps: tokens.pieces,
tokens.merges, tokens.ids.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from core.tokenizers.base import Encoding, Piece, Span, Tokenizer, Word
from core.tokenizers.decoding import decoded_characters, text_bytes
from core.tokenizers.labels import label_of
from core.tokenizers.ways import Candidate, Lattice, Merge
from core.trace.step import DECODER, ENCODER, ONE


@dataclass(frozen=True, slots=True)
class Letter:
    """One character and the bytes that spell it."""

    label: str
    hexadecimal: str
    """Its bytes in UTF-8: "F0 9F 99 82"."""


@dataclass(frozen=True, slots=True)
class Rival:
    """A pair that could have joined, but whose rank is higher."""

    left: str
    right: str
    rank: int


@dataclass(frozen=True, slots=True)
class MergeState:
    """The word before one merge, or as it ends."""

    symbols: tuple[str, ...]
    positions: tuple[int, ...] = ()
    """Where the left one of the pair about to join stands; more than one where the
    pair stands more than once. Empty at the end."""
    rank: int | None = None
    """The pair's place in the list of merges; the lowest goes first."""
    rivals: tuple[Rival, ...] = ()


@dataclass(frozen=True, slots=True)
class Join:
    """A symbol of a word: a byte, or what a merge made of two symbols."""

    label: str
    parts: tuple["Join", ...] = ()
    order: int = -1
    """Which merge made it, from 0; -1 for where the word starts."""
    rank: int | None = None


@dataclass(frozen=True, slots=True)
class VocabularyRow:
    """One token that a model knows."""

    label: str
    id: int


LONGEST_TITLE = 20
"""Characters of a word in a heading."""
MOST_ROWS = 1000
"""Of a vocabulary that is shown whole."""


@dataclass(frozen=True, slots=True)
class PieceRow:
    """One token as a row of the list."""

    label: str
    id: int
    hexadecimal: str
    bytes_: str
    """The bytes it covers, counted from 1."""
    characters: str
    share: str
    """"byte 1 of 4" where the token holds part of a character, else ""."""


def letters(data: bytes) -> tuple[Letter, ...]:
    """The characters that some bytes spell, each with its own bytes.

    Bytes that are no character stand alone, under their number.
    """
    ends = accumulate(length for _, length in decoded_characters(data))
    return tuple(
        Letter(label_of(data[start:end]), data[start:end].hex(" ").upper())
        for start, end in pairwise((0, *ends))
    )


def words_title(encoding: Encoding, side: str = "") -> str:
    """How many words a text has; a target's start token is none of them."""
    n = len(encoding.words)
    if side != DECODER:
        return counted(n, "word")
    return f"Start token and {counted(n - 1, 'word')}" if n > 1 else "Start token alone"


def word_name(place: int, side: str = "") -> str:
    """What a word is called: "word 3", counted behind a target's start token."""
    if side != DECODER:
        return f"word {place + 1}"
    return f"word {place}" if place else "the start token"


def word_notes(encoding: Encoding, side: str = "") -> tuple[str, ...]:
    """What there is to say of each word: its place, size and number of tokens."""
    if side == DECODER:
        return (ADDED[DECODER], *_word_notes(encoding.words[1:]))
    return _word_notes(encoding.words)


def _word_notes(words: Sequence[Word]) -> tuple[str, ...]:
    n = len(words)
    return tuple(
        f"word {place + 1} of {n}\n"
        f"{counted(len(word.data), 'byte')}, {counted(len(word.symbols), 'token')}"
        + LEADING_SPACE
        * (word.symbols[0][:1] == b" " and len(word.symbols[0]) > 1)
        for place, word in enumerate(words)
    )


LEADING_SPACE = "\nthe space before a word is part of it, so it is another token\n"
LEADING_SPACE += "than the same word without one"


def special_in(text: str, specials: Iterable[str]) -> str:
    """The first special token whose text stands in `text`; "" where none does."""
    found = [(text.find(special), special) for special in specials if special in text]
    return min(found)[1] if found else ""


def word_of(encoding: Encoding, token: int) -> int:
    """Index of the word that a token is part of."""
    return encoding.pieces[token].word


def first_token_of(encoding: Encoding, word: int) -> int:
    """Index of the first token of a word."""
    places = enumerate(encoding.pieces)
    return next(place for place, piece in places if piece.word == word)


def merge_states(word: Word) -> tuple[MergeState, ...]:
    """The word before each recorded merge, and after the last one."""
    befores = [word.start, *(merge.symbols for merge in word.merges)]
    states = [
        _state(symbols, merge)
        for symbols, merge in zip(befores, word.merges, strict=False)
    ]
    return (*states, MergeState(tuple(map(label_of, befores[-1]))))


def _state(symbols: tuple[bytes, ...], merge: Merge) -> MergeState:
    return MergeState(
        symbols=tuple(map(label_of, symbols)),
        positions=merge.positions,
        rank=merge.rank,
        rivals=tuple(map(_rival, _different(merge.losers))),
    )


def _different(losers: Sequence[Candidate]) -> Iterator[Candidate]:
    """Each pair once, best rank first, however often it stands in the word."""
    by_rank = {loser.rank: loser for loser in losers}
    return (by_rank[rank] for rank in sorted(by_rank))


def _rival(candidate: Candidate) -> Rival:
    return Rival(label_of(candidate.left), label_of(candidate.right), candidate.rank)


def merge_trees(word: Word) -> tuple[Join, ...]:
    """How the recorded merges joined the word's bytes, a tree for each symbol."""
    trees = [Join(label_of(symbol)) for symbol in word.start]
    for order, merge in enumerate(word.merges):
        for place in reversed(merge.positions):
            parts = (trees[place], trees[place + 1])
            join = Join(label_of(merge.joined), parts, order, merge.rank)
            trees[place : place + 2] = [join]
    return tuple(trees)


def word_title(word: Word) -> str:
    """A word in a heading: of a very long one only its beginning."""
    label = label_of(word.data)
    return label if len(label) <= LONGEST_TITLE else f"{label[: LONGEST_TITLE - 1]}…"


def merges_title(word: Word, n_merges: int) -> str:
    """How far the walk is: "merge 2 of 5", "all 5 merges"; "no merges"."""
    n = len(word.merges)
    if not n:
        return "no merges"
    if n_merges < n:
        return f"merge {n_merges + 1} of {n}"
    return f"after {counted(n, 'merge')}"


def cut_note(word: Word) -> str:
    """That not all steps of a very long word are shown; "" where all are."""
    if not word.is_cut:
        return ""
    return f"showing the first {word.n_recorded:,} of {word.n_steps:,} steps"


ADDED = {
    ONE: "The tokenizer puts this token around every text. Nobody typed it.",
    ENCODER: "The tokenizer puts this token around every text. Nobody typed it.",
    DECODER: "The model begins every target with this token. Nobody typed it.",
}
"""What is said of a token that is nobody's text, by side."""


def no_merges_reason(encoding: Encoding, word: int, side: str = "") -> str:
    """Why a word has no merges; "" where it has some."""
    chosen = encoding.words[word]
    piece = encoding.pieces[first_token_of(encoding, word)]
    if chosen.n_recorded:
        return ""
    if piece.is_added:
        return ADDED[side]
    if piece.is_special:
        return "A special token is one id from the start. Nothing inside it is merged."
    if reason := way_reason(chosen):
        return reason
    if len(chosen.data) == 1:
        return "A word of one byte is a token already. There is nothing to merge."
    if len(chosen.start) == 1:
        return (
            "This token was put in by its id. Typing the text would split it "
            "otherwise, so it has no merges."
        )
    return (
        "No two neighbours of this word were joined in training. "
        "Each of its bytes stays a token."
    )


def way_reason(word: Word) -> str:
    """What the tokenizer itself has to say of a word's way; mostly nothing."""
    way = word.history()
    return "" if isinstance(way, Lattice) else way.reason


def vocabulary_rows(tokenizer: Tokenizer) -> tuple[VocabularyRow, ...]:
    """The first tokens of a small vocabulary, by their ids."""
    ids = (*tokenizer.vocabulary.values(), *tokenizer.specials.values())
    return tuple(
        VocabularyRow(tokenizer.label(token_id), token_id)
        for token_id in sorted(ids)[:MOST_ROWS]
    )


def vocabulary_title(tokenizer: Tokenizer) -> str:
    """How large it is: "The model knows 65 characters"; and if not all are shown."""
    n = len(tokenizer.vocabulary)
    title = f"The model knows {counted(n, tokenizer.unit)}"
    return f"{title}, the first {MOST_ROWS:,}" if n > MOST_ROWS else title


def piece_rows(encoding: Encoding) -> tuple[PieceRow, ...]:
    """Every token with its id, its bytes and what it covers of the text."""
    return tuple(_piece_row(piece) for piece in encoding.pieces)


def _piece_row(piece: Piece) -> PieceRow:
    return PieceRow(
        label=piece.label,
        id=piece.id,
        hexadecimal=piece.data.hex(" ").upper(),
        bytes_=span_text(piece.byte_span),
        characters=span_text(piece.char_span),
        share=share_of(piece),
    )


def share_of(piece: Piece) -> str:
    """Which bytes of a shared character a token holds: "byte 1 of 4"."""
    if piece.part is None:
        return ""
    first, n = piece.part
    last = first + len(piece.data) - 1
    return f"byte {first} of {n}" if first == last else f"bytes {first}–{last} of {n}"


def span_text(span: Span) -> str:
    """The places a span covers, counted from 1: "4", "4–7", or "–" for none."""
    start, stop = span
    if start == stop:
        return "–"
    return str(stop) if stop - start == 1 else f"{start + 1}–{stop}"


def one_line(text: str) -> str:
    """A text as it reads, but with breaks and controls drawn: for the decoded line."""
    return " ".join(label_of(text_bytes(part)) for part in text.split(" "))


def counted(n: int, thing: str) -> str:
    """A number with its thing: "1 token", "2 tokens"."""
    return f"{n:,} {thing}" if n == 1 else f"{n:,} {thing}s"
