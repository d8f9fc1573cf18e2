import pytest

from core.analysis.words import word_label, word_runs
from core.tokenizers.base import Encoding
from core.tokenizers.bpe import BpeTokenizer
from core.tokenizers.library import LibraryTokenizer
from tests.helpers.bundles import tiny_tokenizer
from tests.helpers.trained_tokenizers import content_of

BYTES = BpeTokenizer.from_merges(())


def words_of(text):
    encoding = BYTES.encode(text)
    return [
        word_label([encoding.pieces[place] for place in run])
        for run in word_runs(encoding)
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("a", ["a"]),
        ("ab cd", ["ab", "·cd"]),
        ("it's", ["it", "'", "s"]),
        ("no. 42b", ["no", ".", "·42b"]),
        ("a  b", ["a", "·", "·b"]),
        ("a\n\nb", ["a", "↵", "↵", "b"]),
        ("<b>", ["<", "b", ">"]),
    ],
)
def test_letters_and_digits_join_and_everything_else_parts(text, words):
    assert words_of(text) == words


def test_an_emoji_over_four_tokens_is_one_word_of_its_own():
    runs = word_runs(BYTES.encode("a🦊b"))
    assert [tuple(run) for run in runs] == [(0,), (1, 2, 3, 4), (5,)]


def test_a_letter_over_two_tokens_joins_its_neighbours():
    assert len(word_runs(BYTES.encode("café au"))) == 2


def test_a_special_token_is_a_word_of_its_own():
    encoding = tiny_tokenizer().encode("a<|endoftext|>b", specials=True)
    assert [len(run) for run in word_runs(encoding)] == [1, 1, 1]


def test_the_runs_are_all_places_in_order():
    encoding = BYTES.encode("Mira met 2 foxes 🦊, שלום!")
    places = [place for run in word_runs(encoding) for place in run]
    assert places == list(range(len(encoding.pieces)))


def test_appended_tokens_join_as_typed_ones_do():
    typed = BYTES.encode("the cat")
    appended = BYTES.encoding_of(typed.ids)
    assert word_runs(appended) == word_runs(typed)


def test_a_character_that_is_cut_into_tokens_is_whole_in_its_word():
    encoding = tiny_tokenizer().encode("é")
    assert len(encoding.pieces) == 2
    assert word_label(encoding.pieces) == "é"


@pytest.mark.parametrize("kind", ["bert", "t5", "smollm", "roberta"])
def test_words_are_joined_alike_whatever_the_tokenizer(kind: str) -> None:
    text = "the café plays, and"
    encoding = LibraryTokenizer(content_of(kind)).encode(text)
    pieces = encoding.pieces
    words = [
        text[pieces[run[0]].char_span[0] : pieces[run[-1]].char_span[1]].strip()
        for run in word_runs(encoding)
        if not pieces[run[0]].is_added
    ]
    assert words == ["the", "café", "plays", ",", "and"]
    assert word_label(pieces[slice(*_run_of(encoding, "plays"))]).strip("·") == "plays"


def _run_of(encoding: Encoding, word: str) -> tuple[int, int]:
    start = encoding.text.index(word)
    run = next(
        run
        for run in word_runs(encoding)
        if encoding.pieces[run[-1]].char_span[1] == start + len(word)
    )
    return run[0], run[-1] + 1
