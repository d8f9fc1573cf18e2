"""The table of look-alike characters in SentencePiece's file."""

import json

import pytest
from tokenizers.normalizers import Precompiled

from core.errors import TokenizerError
from core.tokenizers.charsmap import Charsmap
from core.tokenizers.sentencepiece import pieces_of
from tests.helpers.sentencepiece_models import FOLDER

RULES: dict[str, str] = json.loads((FOLDER / "rules.json").read_text())


def charsmap() -> bytes:
    return pieces_of((FOLDER / "unigram.model").read_bytes())[1].charsmap


def test_every_rule_is_found_and_nothing_else() -> None:
    table = Charsmap(charsmap())
    for old, new in RULES.items():
        assert table.longest(f"x{old}", 1) == (new, 1 + len(old))
        if old != "do":  # the package looks at a letter with its accents, not further
            assert Precompiled(charsmap()).normalize_str(old) == new
    for text in ("a", "e", "d", "ocat", "\0", "中", "🙂", "\ud800", "\U0010fffd"):
        assert table.longest(text, 0) is None


def test_of_texts_that_begin_alike_the_longest_is_taken() -> None:
    table = Charsmap(charsmap())
    assert table.longest("e\u0301\u0301", 0) == ("é", 2)
    assert table.longest("dog", 0) == ("DO", 2)
    assert table.longest("d", 0) is None


def test_characters_that_may_begin_a_known_text_are_told_from_others() -> None:
    plain = Charsmap(charsmap()).never_first
    assert not set("AT\t\nd") & set(plain)  # "do" goes on in ASCII
    assert set("abceBCD .,!\0e"[:-2]) <= set(plain)  # "e" goes on only with an accent


def test_an_empty_table_changes_nothing() -> None:
    table = Charsmap(b"")
    assert table.longest("ﬁ", 0) is None
    assert len(table.never_first) == 127


def test_a_table_cut_off_anywhere_is_refused_or_read_without_the_rest() -> None:
    data = charsmap()
    n_trie = int.from_bytes(data[:4], "little")
    for length in range(1, 4 + n_trie, 101):
        with pytest.raises(ValueError, match="table of characters ends too early"):
            Charsmap(data[:length])
    with pytest.raises(TokenizerError, match="look-alike characters is damaged"):
        Charsmap(data[: 4 + n_trie]).longest("ﬁ", 0)
