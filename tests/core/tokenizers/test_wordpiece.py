"""The longest-match search by hand."""

from core.tokenizers.ways import Round
from core.tokenizers.wordpiece import WordPieceMethod

NAMES = ["[UNK]", "play", "p", "##ing", "##s", "##in"]


def method(**settings: object) -> WordPieceMethod:
    vocab = {name: place for place, name in enumerate(NAMES)}
    model = {"vocab": vocab, "unk_token": "[UNK]", **settings}
    return WordPieceMethod({"model": model})


def test_the_longest_beginning_is_taken_and_what_was_tried_is_kept() -> None:
    way = method().way_of(b"playing")
    first = Round(0, (b"playing", b"playin", b"playi"), 3, b"play", 4)
    assert way.rounds == (first, Round(4, (), 0, b"##ing", 3))
    assert way.reason == ""


def test_a_word_with_a_part_that_fits_nowhere_is_unknown_as_a_whole() -> None:
    way = method().way_of(b"playx")
    assert [each.found for each in way.rounds] == [b"play", None]
    assert way.rounds[-1].tried == (b"##x",)
    assert "[UNK]" in way.reason


def test_a_very_long_word_is_not_searched() -> None:
    way = method(max_input_chars_per_word=4).way_of(b"plays")
    assert way.rounds == ()
    assert "more than 4 letters" in way.reason


def test_tokens_are_joined_with_spaces_between_words() -> None:
    parts = method().joined([b"play", b"##s", b"p", b"##"])
    assert parts == [b"play", b"s", b" p", b""]
