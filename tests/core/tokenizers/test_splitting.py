import random
import sys

import pytest
from tokenizers import pre_tokenizers

from core.tokenizers import splitting
from core.tokenizers.splitting import (
    chunks,
    split_specials,
    split_words,
    whole_words,
    words_of_chunks,
)

ORACLE = pre_tokenizers.ByteLevel(add_prefix_space=False)


def test_gpt2_splits_contractions_in_lower_case_only_and_keeps_the_last_space() -> None:
    words = split_words("DON'T don't 12345  x ")
    assert words == ["DON", "'", "T", " don", "'t", " 12345", " ", " x", " "]


def test_the_rule_written_out_for_ascii_is_the_one_of_the_package() -> None:
    choose = random.Random(0)
    signs = "".join(map(chr, range(128))) + "'sreve   llmdt'\n\n\t" * 3
    for _ in range(2000):
        text = "".join(choose.choices(signs, k=choose.randrange(30)))
        spans = (span for _, span in ORACLE.pre_tokenize_str(text))
        assert split_words(text) == [text[start:stop] for start, stop in spans]


def test_chunks_are_split_together_as_each_alone() -> None:
    choose = random.Random(1)
    signs = "aé9'.\n \x1c\x1f\x85\u3000\ud800"
    text = "".join(choose.choices(signs, k=3000))
    found = dict(words_of_chunks(set(chunks(text))))
    assert found == {chunk: split_words(chunk) for chunk in chunks(text)}


@pytest.mark.parametrize("seed", range(20))
def test_blocks_are_cut_anew_so_that_no_word_and_no_special_is_torn(seed: int) -> None:
    choose = random.Random(seed)
    pieces = ("the", " cat", "'s", "\n\n", "  ", "é中", "<a b>", "<a", " b>", "<a b>>")
    specials = ("<a b>", "<a b>>", " b>\n")
    blocks = ["".join(choose.choices(pieces, k=9)) for _ in range(30)]
    blocks = [block[choose.randrange(3) :] for block in blocks]
    found: list[tuple[str, bool]] = []
    for block in whole_words(blocks, specials):
        found += cut(block, specials)
    assert found == cut("".join(blocks), specials)


def cut(text: str, specials: tuple[str, ...]) -> list[tuple[str, bool]]:
    """Words and specials of a text."""
    return [
        (word, is_special)
        for part, is_special in split_specials(text, specials)
        for word in ([part] if is_special else split_words(part))
    ]


def test_a_stretch_without_spaces_is_cut_where_a_word_ends_anyway(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(splitting, "LONGEST_STRETCH", 10)
    blocks = ["中文字符測試，日本語", "のテキスト。한국어", "문장。"] * 3
    found = [word for block in whole_words(blocks) for word in split_words(block)]
    assert found == split_words("".join(blocks))
    assert list(whole_words(["a" * 9, "a" * 9, "a"])) == ["a" * 18, "a"]


def test_a_lone_surrogate_splits_like_any_other_sign() -> None:
    assert split_words("a\ud83d b\udc00!") == ["a", "\ud83d", " b", "\udc00!"]


def test_words_of_chunks_are_the_words_of_the_text() -> None:
    choose = random.Random(0)
    signs = "aé中9'\"!.\n\t \r\x1c\x1f\x85\xa0\u2028\u3000\u200b\ud800\x00🙂"
    for _ in range(1000):
        text = "".join(choose.choices(signs, k=choose.randrange(30)))
        parts = chunks(text)
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
