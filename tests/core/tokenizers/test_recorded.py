"""Encodings of every kind as a trace file keeps them."""

import json
from typing import Any

import pytest

from core.tokenizers.library import LibraryTokenizer
from core.tokenizers.recorded import (
    RecordedTokenizer,
    encoding_of_table,
    table_of,
    vocabulary_arrays,
    vocabulary_of_arrays,
)
from tests.helpers.trained_tokenizers import KINDS, content_of

TEXT = "The café plays 🙂\n  zx ﬁ"
kinds = pytest.mark.parametrize("kind", KINDS)


def table(kind: str) -> dict[str, Any]:
    encoding = LibraryTokenizer(content_of(kind)).encode(TEXT)
    made: dict[str, Any] = json.loads(json.dumps(table_of(encoding)))
    return made


@kinds
def test_an_encoding_comes_back_with_its_spans_and_ways(kind: str) -> None:
    encoding = LibraryTokenizer(content_of(kind)).encode(TEXT)
    again = encoding_of_table(table(kind))
    assert again == encoding
    assert [word.history() for word in again.words] == [
        word.history() for word in encoding.words
    ]


@kinds
def test_a_recorded_tokenizer_says_of_itself_what_the_other_said(kind: str) -> None:
    other = LibraryTokenizer(content_of(kind))
    told = {"unit": other.unit, "method": other.method, "notes": other.notes}
    encoding = other.encode(TEXT)
    data_of = vocabulary_of_arrays(*vocabulary_arrays(other))
    recorded = RecordedTokenizer(data_of, other.specials, encoding, told)
    assert recorded.encode(TEXT) == encoding
    assert (recorded.method, recorded.notes) == (other.method, other.notes)
    labels = [other.label(i) for i in range(other.n_vocab)]
    assert [recorded.label(i) for i in range(other.n_vocab)] == labels


@pytest.mark.parametrize(
    ("kind", "place", "value"),
    [
        ("gpt2", ("pieces", 0, "char_span"), [0, 999]),
        ("gpt2", ("pieces", 0, "byte_span"), [4, 1]),
        ("bert", ("words", 1, "search", "rounds", 0, "n_letters"), 99),
        ("t5", ("words", 0, "lattice", "best"), []),
        ("t5", ("words", 0, "lattice", "arcs"), []),
        ("t5", ("words", 0, "lattice", "path"), [[0, 99, "", 0.0, False]]),
    ],
)
def test_what_cannot_be_is_refused(
    kind: str, place: tuple[Any, ...], value: Any
) -> None:
    made = table(kind)
    at: Any = made
    for key in place[:-1]:
        at = at[key]
    at[place[-1]] = value
    with pytest.raises((LookupError, TypeError, ValueError)):
        encoding_of_table(made)
