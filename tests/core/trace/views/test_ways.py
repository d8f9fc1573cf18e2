"""The search and the best path of a word as they are drawn."""

import pytest

from core.tokenizers.base import Word
from core.tokenizers.library import LibraryTokenizer
from core.trace.views.ways import (
    lattice_view,
    letters_title,
    rounds_title,
    search_states,
)
from tests.helpers.trained_tokenizers import content_of


def word_of(kind: str, text: str) -> Word:
    encoding = LibraryTokenizer(content_of(kind)).encode(text)
    return next(w for w in encoding.words if w.data.strip() == text.encode())


def test_a_search_ends_at_the_tokens_and_lights_what_it_takes() -> None:
    word = word_of("bert", "catplays")
    states = search_states(word)
    assert states[0].symbols == tuple("catplays")
    assert states[0].taken == (0, 2)
    assert states[0].outcome == "takes cat"
    assert states[0].tried == ("catplays", "catplay", "catpla", "catpl", "catp")
    assert states[1].symbols[0] == "cat"
    assert states[-1].symbols == tuple(s.decode() for s in word.symbols)
    assert len(states) == word.n_recorded + 1
    n = word.n_recorded
    assert rounds_title(word, 0) == f"round 1 of {n}"
    assert rounds_title(word, n) == f"after {n} rounds"


def test_a_lattice_has_one_best_way_to_each_border_and_one_path() -> None:
    word = word_of("t5", "plays")
    view = lattice_view(word)
    assert view is not None
    assert view.letters == tuple("·plays")
    for stop in range(1, len(view.letters) + 1):
        arcs = view.arcs_to(stop)
        assert [arc.is_best for arc in arcs].count(True) == 1
        assert arcs[0].total == pytest.approx(view.best[stop])
        assert all(arc.total <= arcs[0].total for arc in arcs)
    path = [arc.label for arc in view.arcs if arc.is_on_path]
    assert path == [s.decode().replace(" ", "·") for s in word.symbols]
    assert letters_title(word, 1) == "the best way to letter 2 of 6"
    assert letters_title(word, 6).startswith("the best path: ")


def test_a_word_has_only_the_way_of_its_tokenizer() -> None:
    assert search_states(word_of("t5", "plays")) == ()
    assert lattice_view(word_of("bert", "plays")) is None
