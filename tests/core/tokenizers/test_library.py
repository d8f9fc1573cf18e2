"""Tokenizers of model folders against the package that they were trained with."""

import re
from functools import lru_cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.tokenizers.base import METHODS, UNKNOWN, Encoding, Word
from core.tokenizers.library import LibraryTokenizer
from core.tokenizers.vocabulary import UnknownTextError
from core.tokenizers.ways import History, Lattice, Search
from tests.helpers.trained_tokenizers import KINDS, content_of, reference

HOSTILE = st.sampled_from(
    [
        *"thecasdogmnplyTHE0123 .,'▁#éﬁ中שלום\n\r\t\0",
        *("\u0301", "\u200b", "\u200d", "\u202e", "🙂", "👩‍👩‍👧", "\ud800", "\uffff"),
        *("\r\n", "  ", " the", " cat", "plays", "don't", "##", "<0x41>", "x" * 120),
        *("<|endoftext|>", "<|im_end|>", "<tool_call>", "<mask>", "[MASK]", "</s>"),
    ]
)
TEXTS = st.lists(HOSTILE, max_size=25).map("".join)
kinds = pytest.mark.parametrize("kind", KINDS)
quick = settings(max_examples=60, deadline=None, database=None)


@lru_cache
def ours(kind: str) -> LibraryTokenizer:
    return LibraryTokenizer(content_of(kind))


def typed(text: str) -> str:
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


def pieces_of(encoding: Encoding, word: Word) -> list[bytes]:
    return [p.data for p in encoding.pieces if encoding.words[p.word] is word]


@kinds
@quick
@given(text=TEXTS, specials=st.booleans())
def test_ids_and_added_tokens_are_those_of_the_package(
    kind: str, text: str, specials: bool
) -> None:
    other = reference(kind)
    other.encode_special_tokens = not specials
    found = other.encode(typed(text))
    encoding = ours(kind).encode(text, specials=specials)
    assert list(encoding.ids) == found.ids
    assert [piece.is_added for piece in encoding.pieces] == [
        bool(mark) for mark in found.special_tokens_mask
    ]


@kinds
@quick
@given(text=TEXTS, specials=st.booleans())
def test_spans_are_those_of_the_package_with_the_space_before_a_word(
    kind: str, text: str, specials: bool
) -> None:
    other = reference(kind)
    other.encode_special_tokens = not specials
    found = other.encode(typed(text))
    for piece, (start, stop) in zip(
        ours(kind).encode(text, specials=specials).pieces, found.offsets, strict=True
    ):
        first, last = piece.char_span
        assert 0 <= first <= last <= len(text)
        if first < last and not piece.is_added:
            spaces = text[first:start] + text[stop:last]
            assert first <= start <= stop <= last or not spaces.strip("\u2581 ")
            assert not spaces.strip()


@kinds
@quick
@given(text=TEXTS)
def test_byte_spans_are_of_the_typed_characters(kind: str, text: str) -> None:
    encoding = ours(kind).encode(text)
    data = typed(text).encode()
    assert encoding.n_bytes == len(data)
    for piece in encoding.pieces:
        first, last = piece.char_span
        characters = typed(text[first:last]).encode()
        start, stop = piece.byte_span
        assert data[start:stop] in characters
        if piece.part is not None:
            assert piece.data == data[start:stop]


@kinds
@quick
@given(text=TEXTS, specials=st.booleans())
def test_the_way_of_every_word_ends_at_its_pieces(
    kind: str, text: str, specials: bool
) -> None:
    encoding = ours(kind).encode(text, specials=specials)
    for word in encoding.words:
        way = word.history()
        if way.n_recorded < way.n_steps or (
            isinstance(way, History) and (way.reason or len(word.start) == 1)
        ):
            continue
        ends = {History: end_of_merges, Search: end_of_search, Lattice: end_of_path}
        assert ends[type(way)](word, way) == list(word.symbols)
        assert word.symbols == tuple(pieces_of(encoding, word))


def end_of_merges(word: Word, way: History) -> list[bytes]:
    return list(way.merges[-1].symbols if way.merges else word.start)


def end_of_search(_word: Word, way: Search) -> list[bytes]:
    found = [each.found for each in way.rounds]
    return [b"[UNK]"] if None in found or way.reason else [f for f in found if f]


def end_of_path(_word: Word, way: Lattice) -> list[bytes]:
    read: list[bytes] = []
    for arc in way.path:
        data = b"<unk>" if arc.is_stand_in else arc.data
        if data != b"<unk>" or read[-1:] != [data]:
            read.append(data)
    return read


@pytest.mark.parametrize("kind", ["gpt2", "smollm", "llama3", "llama2", "roberta"])
@quick
@given(text=TEXTS)
def test_text_comes_back_where_nothing_is_normalised(kind: str, text: str) -> None:
    tokenizer = ours(kind)
    decoded = tokenizer.decode(tokenizer.encode(text).ids)
    is_marked = kind == "llama2"  # a typed "▁" is a space there
    assert decoded == (typed(text).replace("▁", " ") if is_marked else typed(text))


@kinds
@quick
@given(text=TEXTS)
def test_ids_lead_back_to_an_encoding_with_the_same_ids(kind: str, text: str) -> None:
    ids = ours(kind).encode(text).ids
    again = ours(kind).encoding_of(ids)
    assert again.ids == ids
    assert again.text == ours(kind).decode(ids)
    assert again.n_bytes == sum(b - a for a, b in (p.byte_span for p in again.pieces))


@kinds
@quick
@given(text=TEXTS, place=st.integers(0, 20))
def test_a_corpus_has_the_ids_without_those_around(
    kind: str, text: str, place: int
) -> None:
    tokenizer = ours(kind)
    ids = [p.id for p in tokenizer.encode(text).pieces if not p.is_added]
    assert tokenizer.encode_corpus(text).tolist() == ids
    blocks = tokenizer.encode_blocks([text[:place], text[place:]])
    assert [i for block in blocks for i in block] == ids


@kinds
def test_a_tokenizer_names_its_method(kind: str) -> None:
    assert ours(kind).method in METHODS


def test_an_emoji_of_four_byte_tokens_is_one_bracket() -> None:
    for kind in ("gpt2", "llama2"):
        encoding = ours(kind).encode("A🙂B")
        emoji = [p for p in encoding.pieces if p.char_span == (1, 2)]
        assert [p.label for p in emoji] == ["⟨F0⟩", "⟨9F⟩", "⟨99⟩", "⟨82⟩"]
        assert [p.part for p in emoji] == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_a_start_token_stands_in_front_and_is_nobodys_text() -> None:
    encoding = ours("llama3").encode("the cat")
    first = encoding.pieces[0]
    assert (first.label, first.byte_span, first.is_added, first.is_special) == (
        "<|begin_of_text|>",
        (0, 0),
        True,
        True,
    )
    assert ours("llama3").decode(encoding.ids) == "the cat"
    assert ours("llama3").notes == ("Puts <|begin_of_text|> in front.",)


def test_a_token_that_is_in_the_text_is_decoded_with_it() -> None:
    text = "A<|endoftext|>B"
    encoding = ours("gpt2").encode(text, specials=True)
    assert [p.is_special for p in encoding.pieces] == [False, True, False]
    assert ours("gpt2").decode(encoding.ids) == text


def test_a_whole_word_is_taken_without_merges_where_the_folder_says_so() -> None:
    word = ours("llama3").encode("the").words[-1]
    assert word.symbols == (b"the",)
    way = word.history()
    assert isinstance(way, History)
    assert "ignore_merges" in way.reason


def test_what_a_normaliser_changed_is_said() -> None:
    assert ours("bert").encode("The Café").normalised == "the cafe"
    assert ours("qwen2").encode("e\u0301").normalised == "é"
    assert ours("t5").encode("ﬁsh").normalised == "fish"
    for kind in KINDS:
        assert ours(kind).encode("the cat").normalised is None


def test_a_space_in_front_has_no_place_in_the_text() -> None:
    encoding = ours("llama2").encode("zx")
    assert encoding.pieces[1].data == b" "
    assert encoding.pieces[1].char_span == (0, 0)
    assert encoding.pieces[2].char_span == (0, 1)


def test_an_unknown_word_is_a_stand_in_at_its_place() -> None:
    piece = ours("bert").encode("the 中 cat").pieces[2]
    assert (piece.label, piece.is_stand_in, piece.char_span) == ("[UNK]", True, (4, 5))


def test_equal_contents_have_equal_fingerprints() -> None:
    assert LibraryTokenizer(content_of("t5")).fingerprint == ours("t5").fingerprint
    assert ours("bert").fingerprint != ours("t5").fingerprint


def without_letter(kind: str, letter: str) -> LibraryTokenizer:
    """A byte-level tokenizer that lost a letter, and what is made of it."""
    content = content_of(kind)
    model = content["model"]
    names = (name for name in model["vocab"] if letter not in name)
    model["vocab"] = {name: place for place, name in enumerate(names)}
    model["merges"] = [m for m in model["merges"] if letter not in "".join(m)]
    return LibraryTokenizer({**content, "added_tokens": [], "post_processor": None})


@pytest.mark.parametrize("text", ["cat", "a c", "c", "the cc cat", "aéc"])
def test_what_the_package_passes_over_is_an_unknown_piece(text: str) -> None:
    tokenizer = without_letter("qwen2", "c")
    assert tokenizer.n_vocab == len(tokenizer.vocabulary)
    encoding = tokenizer.encode(text)
    lost = [piece for piece in encoding.pieces if piece.id == UNKNOWN]
    assert [text[slice(*p.char_span)] for p in lost] == ["c"] * text.count("c")
    assert encoding.unknown == ("c",)
    assert b"".join(piece.data for piece in encoding.pieces) == text.encode()
    assert [word.symbols for word in encoding.words] == [
        tuple(p.data for p in encoding.pieces if p.word == n)
        for n in range(len(encoding.words))
    ]
    with pytest.raises(UnknownTextError):
        tokenizer.encode_corpus(text)
