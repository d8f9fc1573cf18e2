import random
import sys

import pytest

from core.tokenizers.splitting import chunks, split_specials, split_words


def test_gpt2_splits_contractions_in_lower_case_only_and_keeps_the_last_space() -> None:
    words = split_words("DON'T don't 12345  x ")
    assert words == ["DON", "'", "T", " don", "'t", " 12345", " ", " x", " "]


def test_a_lone_surrogate_splits_like_any_other_sign() -> None:
    assert split_words("a\ud83d b\udc00!") == ["a", "\ud83d", " b", "\udc00!"]


def test_words_of_chunks_are_the_words_of_the_text() -> None:
    choose = random.Random(0)
    signs = "aé中9'\"!.\n\t \r\x1c\x1f\x85\xa0\u2028\u3000\u200b\ud800\x00🙂"
    for _ in range(1000):
        text = "".join(choose.choices(signs, k=choose.randrange(30)))
        parts = list(chunks(text))
        assert "".join(parts) == text
        assert [w for part in parts for w in split_words(part)] == split_words(text)


def test_every_character_is_white_space_to_chunks_exactly_if_it_is_to_gpt2() -> None:
    for code in range(sys.maxunicode + 1):
        text = f"!{chr(code)}!"
        if text[1].isspace():
            parts = [word for part in chunks(text) for word in split_words(part)]
            assert parts == split_words(text), hex(code)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        ("ab", [("ab", False)]),
        ("a<s><s>>b", [("a", False), ("<s>", True), ("<s>>", True), ("b", False)]),
    ],
)
def test_the_longest_special_is_found_first(
    text: str, parts: list[tuple[str, bool]]
) -> None:
    assert split_specials(text, ("<s>", "<s>>")) == parts
