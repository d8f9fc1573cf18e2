"""What is read of a text, and where each letter of it was typed; by hand."""

import pytest

from core.tokenizers.charsmap import Charsmap
from core.tokenizers.sentencepiece import pieces_of
from core.tokenizers.sentencepiece_text import TextReader
from tests.helpers.sentencepiece_models import FOLDER


def reader(*kept: str, prefix: bool = True, joins: bool = True) -> TextReader:
    charsmap = pieces_of((FOLDER / "unigram.model").read_bytes())[1].charsmap
    table = Charsmap(charsmap)
    return TextReader(table, kept, has_prefix=prefix, joins_spaces=joins)


@pytest.mark.parametrize(
    ("text", "read", "spans"),
    [
        ("ab", "▁ab", [(0, 0), (0, 1), (1, 2)]),
        ("  a  b ", "▁a▁b", [(2, 2), (2, 3), (3, 5), (5, 6)]),
        ("aﬁ", "▁afi", [(0, 0), (0, 1), (1, 2), (1, 2)]),
        ("e\u0301x", "▁éx", [(0, 0), (0, 2), (2, 3)]),
        ("a\u200bb", "▁ab", [(0, 0), (0, 1), (2, 3)]),
        ("½", "▁1/2", [(0, 0), (0, 1), (0, 1), (0, 1)]),
        ("▁▁a▁", "▁a", [(2, 2), (2, 3)]),
        ("", "", []),
        (" \t ", "", []),
    ],
)
def test_each_letter_knows_its_typed_characters(
    text: str, read: str, spans: list[tuple[int, int]]
) -> None:
    found = reader().read(text)
    assert found.text == read
    assert [found.span(n, n + 1) for n in range(len(read))] == spans


def test_spaces_stay_as_many_as_they_are_where_the_model_says_so() -> None:
    found = reader(joins=False).read(" a  ")
    assert found.text == "▁▁a▁▁"
    assert found.span(0, 5) == (0, 4)


def test_only_the_first_stretch_has_a_space_in_front() -> None:
    assert reader().read("a", is_first=False).text == "a"
    assert reader(prefix=False).read("a").text == "a"


def test_texts_that_are_kept_are_read_as_they_are() -> None:
    assert reader().read("Ado").text == "▁aDO"
    assert reader("Ado").read("AAdodo").text == "▁aAdoDO"
    assert reader("Ad", "Ado").read("Ado").text == "▁Ado"  # the longest one


def test_a_thousand_words_are_read_quickly_and_letter_by_letter() -> None:
    text = "the cat sat. " * 1000
    found = reader(prefix=False, joins=False).read(text)
    assert found.text == text.replace(" ", "▁")
    assert found.starts == list(range(len(text)))
