import random
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer as Oracle

from core.errors import TokenizerError
from core.tokenizers.base import UNKNOWN, Encoding, Tokenizer
from core.tokenizers.bpe import BpeTokenizer

END = "<|endoftext|>"
BYTES_ONLY = BpeTokenizer.from_merges(())
EVERYDAY = "the cat's 12 dogs, Don't\n\t  ünïcödé 中文 🙂 é\u0301 русский !?"
RANGES = (
    (0x20, 0x7E),
    (0, 0x24F),
    (0x300, 0x6FF),
    (0x2000, 0xD7FF),
    (0xE000, 0x10FFFF),
)


def random_texts(n_texts: int, seed: int = 0) -> list[str]:
    """Words of everyday text mixed with characters from all of Unicode."""
    choose = random.Random(seed)
    words = EVERYDAY.split(" ")

    def part() -> str:
        if choose.random() < 0.5:
            return choose.choice(["", " ", "  "]) + choose.choice(words)
        return chr(choose.randint(*choose.choice(RANGES)))

    return [
        "".join(part() for _ in range(choose.randrange(20))) for _ in range(n_texts)
    ]


def labels(encoding: Encoding) -> str:
    return "|".join(piece.label for piece in encoding.pieces)


# --- equal to another implementation


@pytest.mark.thorough
def test_2000_random_texts_have_the_ids_of_the_tokenizers_package(
    tokenizer: BpeTokenizer, oracle: Oracle
) -> None:
    for text in random_texts(2000):
        assert tokenizer.encode(text).ids == tuple(oracle.encode(text).ids), text


def test_a_corpus_has_the_ids_of_its_text(
    tokenizer: BpeTokenizer, oracle: Oracle
) -> None:
    text = "".join(random_texts(300, seed=1)) + END + "the end \n"
    ids = tokenizer.encode_corpus(text)
    assert ids.dtype == np.uint16
    assert tuple(ids) == tokenizer.encode(text).ids
    with_specials = tokenizer.encode_corpus(text, specials=True)
    assert with_specials.tolist() == oracle.encode(text).ids
    assert tuple(with_specials) == tokenizer.encode(text, specials=True).ids


def test_decoded_random_ids_read_as_in_the_tokenizers_package(
    tokenizer: BpeTokenizer, oracle: Oracle
) -> None:
    choose = random.Random(3)
    for _ in range(200):
        ids = choose.choices(range(tokenizer.n_vocab), k=8)
        if b"\xed" not in tokenizer.decode_bytes(ids):  # it may start a surrogate
            expected = oracle.decode(ids, skip_special_tokens=False)
            assert tokenizer.decode(ids) == expected


# --- laws


@given(st.text(st.characters(codec=None)))
def test_decoding_gives_the_text_back(text: str) -> None:
    assert BYTES_ONLY.decode(BYTES_ONLY.encode(text).ids) == text


@pytest.mark.parametrize("seed", range(3))
def test_decoding_gives_random_texts_back(trained: BpeTokenizer, seed: int) -> None:
    for text in (
        *random_texts(100, seed),
        "\ud83d\ude42 \udfff",
        "\x00\x1b[0m\x7f\x85",
    ):
        assert trained.decode(trained.encode(text).ids) == text


@pytest.mark.parametrize(
    "text", ["well , now ?", "': 'go", " .  , ! n't 's", "do n't", "<s> &lt;b&gt;"]
)
def test_nothing_is_cleaned_up(trained: BpeTokenizer, text: str) -> None:
    assert trained.decode(trained.encode(text).ids) == text


def test_pieces_and_words_tile_the_text(trained: BpeTokenizer) -> None:
    for text in (*random_texts(200, seed=5), "\ud800 lone \udc00\ud800"):
        encoding = trained.encode(text)
        data = text.encode("utf-8", "surrogatepass")
        for parts in (encoding.pieces, encoding.words):
            assert b"".join(part.data for part in parts) == data
            assert all(data[slice(*part.byte_span)] == part.data for part in parts)
            ends = [0, *(part.byte_span[1] for part in parts)]
            assert [part.byte_span for part in parts] == list(pairwise(ends))
        for word in encoding.words:
            inside = text[slice(*word.char_span)]
            assert inside.encode("utf-8", "surrogatepass") == word.data
        assert (encoding.n_bytes, encoding.n_characters) == (len(data), len(text))


def test_a_piece_spans_exactly_the_characters_it_touches(trained: BpeTokenizer) -> None:
    for text in random_texts(200, seed=6):
        ends = np.cumsum([len(character.encode()) for character in text])
        for piece in trained.encode(text).pieces:
            start, stop = piece.byte_span
            first = int(np.searchsorted(ends, start, side="right"))
            last = int(np.searchsorted(ends, stop, side="left"))
            assert piece.char_span == (first, last + 1)


def test_the_merges_of_a_word_end_in_its_pieces(trained: BpeTokenizer) -> None:
    for text in random_texts(100, seed=7):
        encoding = trained.encode(text)
        for index, word in enumerate(encoding.words):
            pieces = tuple(p.data for p in encoding.pieces if p.word == index)
            states = [word.start, *(merge.symbols for merge in word.merges)]
            assert states[-1] == word.symbols == pieces
            assert all(len(symbol) == 1 for symbol in word.start)
            assert word.n_steps == len(word.merges)
            for merge in word.merges:
                assert trained.merges[merge.rank] == (merge.left, merge.right)


# --- characters over several tokens


def test_an_emoji_in_single_bytes_is_one_bracket_of_four_chips() -> None:
    encoding = BYTES_ONLY.encode("A🙂B")
    assert labels(encoding) == "A|⟨F0⟩|⟨9F⟩|⟨99⟩|⟨82⟩|B"
    assert encoding.brackets == ((1, 5),)
    parts = [piece.part for piece in encoding.pieces]
    assert parts == [None, (1, 4), (2, 4), (3, 4), (4, 4), None]
    assert {piece.char_span for piece in encoding.pieces[1:5]} == {(1, 2)}
    assert BYTES_ONLY.decode(encoding.ids) == "A🙂B"


def test_neighbouring_characters_have_brackets_of_their_own() -> None:
    assert BYTES_ONLY.encode("éa🙂é").brackets == ((0, 2), (3, 7), (7, 9))


def test_a_token_across_two_characters_puts_both_into_one_bracket() -> None:
    tokenizer = BpeTokenizer.from_merges([(b"\xa9", b"\xc3")])
    encoding = tokenizer.encode("éé")
    assert labels(encoding) == "⟨C3⟩|⟨A9 C3⟩|⟨A9⟩"
    assert encoding.brackets == ((0, 3),)
    assert [piece.part for piece in encoding.pieces] == [(1, 4), (2, 4), (4, 4)]
    assert [piece.char_span for piece in encoding.pieces] == [(0, 1), (0, 2), (1, 2)]


def test_ids_without_a_text_have_an_encoding_too() -> None:
    encoding = BYTES_ONLY.encoding_of([0xF0, 0x9F, 0x99, 0x82, 0x21, 0xC3])
    assert encoding.text == "🙂!\ufffd"
    assert encoding.brackets == ((0, 4),)
    assert encoding.pieces[-1].char_span == (2, 3)
    assert labels(encoding) == "⟨F0⟩|⟨9F⟩|⟨99⟩|⟨82⟩|!|⟨C3⟩"
    assert all(word.merges == () for word in encoding.words)


# --- special tokens


def test_a_special_token_in_the_text_is_plain_characters_unless_asked_for(
    trained: BpeTokenizer,
) -> None:
    text = f"A{END}B"
    plain, special = trained.encode(text), trained.encode(text, specials=True)
    assert trained.specials[END] not in plain.ids
    assert len(plain.ids) > 3
    a, b = trained.vocabulary[b"A"], trained.vocabulary[b"B"]
    assert special.ids == (a, trained.specials[END], b)
    assert [piece.is_special for piece in special.pieces] == [False, True, False]
    assert labels(special) == f"A|{END}|B"
    assert trained.decode(plain.ids) == trained.decode(special.ids) == text


# --- the merge view of an ordinary and of an enormous word


def test_competing_merges_are_recorded_in_order_of_rank(abc: BpeTokenizer) -> None:
    (word,) = abc.encode("abc").words
    (merge,) = word.merges
    assert (merge.rank, merge.left, merge.right) == (0, b"b", b"c")
    assert [(loser.rank, loser.position) for loser in merge.losers] == [(1, 0)]
    assert word.symbols == (b"a", b"bc")


@pytest.mark.parametrize("letters", ["a", "abcdefghijklmnopqrstuvwxyz"])
def test_a_word_of_12000_letters_equals_the_tokenizers_package(
    tokenizer: BpeTokenizer, oracle: Oracle, letters: str
) -> None:
    text = "".join(random.Random(0).choices(letters, k=12_000))
    encoding = tokenizer.encode(text)
    assert encoding.ids == tuple(oracle.encode(text).ids)
    (word,) = encoding.words
    assert len(word.start) == 12_000
    assert word.is_cut == (len(word.merges) < word.n_steps)


# --- the small promises


def test_it_is_a_tokenizer_as_the_program_knows_them(base256: BpeTokenizer) -> None:
    tokenizer: Tokenizer = base256
    assert (tokenizer.n_vocab, dict(tokenizer.specials)) == (256, {})


def test_empty_text_has_no_tokens(trained: BpeTokenizer) -> None:
    encoding = trained.encode("")
    assert (encoding.ids, encoding.words, encoding.brackets) == ((), (), ())
    assert (encoding.n_bytes, encoding.n_characters) == (0, 0)
    assert trained.encode_corpus("").size == 0


def test_an_id_without_a_token_is_refused_but_has_a_label(
    base256: BpeTokenizer,
) -> None:
    assert base256.label(300) == "⟨#300⟩"
    with pytest.raises(TokenizerError, match="No token has the id 300"):
        base256.decode([65, 300])


def test_a_byte_that_the_vocabulary_lacks_is_a_piece_without_an_id(
    abc: BpeTokenizer,
) -> None:
    encoding = abc.encode("abcd")
    assert encoding.pieces[-1].is_unknown
    assert encoding.unknown == ("d",)
    assert UNKNOWN not in encoding.known_ids == encoding.ids[:-1]


def test_a_corpus_with_a_byte_that_the_vocabulary_lacks_is_refused(
    abc: BpeTokenizer,
) -> None:
    with pytest.raises(TokenizerError, match="does not know: d;"):
        abc.encode_corpus("abcd")


def test_the_fingerprint_follows_the_content() -> None:
    one, two = ([(b"a", b"b")], [(b"b", b"a")])
    same = BpeTokenizer.from_merges(one).fingerprint
    assert same == BpeTokenizer.from_merges(one).fingerprint
    others = [
        BpeTokenizer.from_merges(two),
        BpeTokenizer.from_merges(one, [END]),
        BpeTokenizer.from_merges(one + two),
    ]
    assert len({same, *(other.fingerprint for other in others)}) == 4


@pytest.mark.parametrize(
    ("vocabulary", "merges", "specials", "message"),
    [
        ({b"a": 0}, [(b"a", b"b")], {}, "Merge 0 joins a and b, but b is not"),
        ({b"a": 0, b"b": 0}, [], {}, "The id 0 stands for a and for b"),
        ({b"a": 0}, [], {END: 0}, "The id 0 stands for a and for <|endoftext|>"),
        ({b"": 0}, [], {}, "Token 0 is empty"),
    ],
)
def test_a_vocabulary_that_cannot_be_is_refused(
    vocabulary: dict[bytes, int],
    merges: list[tuple[bytes, bytes]],
    specials: dict[str, int],
    message: str,
) -> None:
    with pytest.raises(TokenizerError) as refusal:
        BpeTokenizer(vocabulary, merges, specials)
    assert message in str(refusal.value)


@pytest.mark.parametrize("seed", range(20))
def test_the_package_cuts_a_corpus_as_the_merges_that_are_shown(seed: int) -> None:
    draw = random.Random(seed)
    symbols, merges = [b"a", b"b", b"c"], []
    for _ in range(12):  # in any order, and some make the same symbol
        merges.append((draw.choice(symbols), draw.choice(symbols)))
        symbols.append(b"".join(merges[-1]))
    tokenizer = BpeTokenizer.from_merges(merges)
    text = " ".join("".join(draw.choices("abcö", k=20)) for _ in range(30))
    assert tuple(tokenizer.encode_corpus(text)) == tokenizer.encode(text).ids
