"""T5's folders: one model, a token at the end, marks for what is left out."""

import random
from pathlib import Path

import pytest
from transformers import AutoTokenizer, T5Tokenizer

from core.errors import TokenizerError
from core.tokenizers.folder import open_tokenizer, open_tokenizers
from core.tokenizers.sentencepiece import pieces_of
from core.tokenizers.ways import Lattice
from tests.helpers.sentencepiece_models import FOLDER, rows_of
from tests.helpers.trained_tokenizers import content_of

END = 1
READ_OTHERWISE = ("do", "\u0301", "\u200d", "\u3000", "\u00a0", "’", "\r")
"""Where the package `tokenizers`, by whole letters and all white space, differs."""


def test_a_spiece_model_alone_has_the_ids_of_sentencepiece() -> None:
    tokenizer = open_tokenizer(FOLDER / "t5")
    for text, ids, _ in rows_of("t5"):
        assert (text, list(tokenizer.encode(text).ids)) == (text, [*ids, END])


def test_special_tokens_that_are_asked_for_are_those_of_transformers() -> None:
    tokenizer = open_tokenizer(FOLDER / "t5")
    n_compared = 0
    for text, _, theirs in rows_of("t5"):
        if not any(part in text for part in READ_OTHERWISE):
            ids = tokenizer.encode(text, specials=True).ids
            assert (text, list(ids)) == (text, theirs)
            n_compared += 1
    assert n_compared > 50


def test_its_marks_stand_behind_the_pieces_the_first_one_last() -> None:
    tokenizer = open_tokenizer(FOLDER / "t5")
    specials = tokenizer.specials
    assert (specials["<pad>"], specials["</s>"], specials["<unk>"]) == (0, END, 2)
    assert specials["<extra_id_0>"] == tokenizer.n_vocab - 1
    assert specials["<extra_id_99>"] == tokenizer.n_vocab - 100
    encoding = tokenizer.encode("the <extra_id_0> sat", specials=True)
    mark = next(p for p in encoding.pieces if p.label == "<extra_id_0>")
    assert (mark.char_span, mark.is_special, mark.is_added) == ((4, 16), True, False)


def test_the_best_path_of_a_word_is_played() -> None:
    encoding = open_tokenizer(FOLDER / "t5").encode("the cat")
    for word in encoding.words[:-1]:
        way = word.history()
        assert isinstance(way, Lattice)
        assert tuple(arc.data for arc in way.path) == word.symbols
        assert sum(arc.score for arc in way.path) == pytest.approx(way.best[-1])


def test_a_letter_that_is_read_as_several_words_is_played_in_each(
    tmp_path: Path,
) -> None:
    names = [(name, score) for name, score in content_of("t5")["model"]["vocab"]]
    table = pieces_of((FOLDER / "t5" / "spiece.model").read_bytes())[1].charsmap
    made = T5Tokenizer(vocab=names, extra_ids=1, _spm_precompiled_charsmap=table)
    made.save_pretrained(tmp_path)
    encoding = open_tokenizer(tmp_path).encode("a ﷺ")
    words = [word.data.decode() for word in encoding.words[1:-1]]
    assert words == [" صلى", " الله"]
    for word in encoding.words[1:-1]:
        way = word.history()
        assert isinstance(way, Lattice)
        assert word.symbols == (b" ", b"<unk>")
        assert [arc.is_stand_in for arc in way.path] == [
            False,
            *[True] * (way.n_steps - 1),
        ]


def test_source_and_target_are_read_by_one_tokenizer() -> None:
    pair = open_tokenizers(FOLDER / "t5")
    assert pair.is_one
    assert pair.source.decode(pair.source.encode("the cat").ids) == "the cat"


def test_a_folder_of_transformers_has_its_ids_and_spans(tmp_path: Path) -> None:
    names = [(name, score) for name, score in content_of("t5")["model"]["vocab"]]
    table = pieces_of((FOLDER / "t5" / "spiece.model").read_bytes())[1].charsmap
    made = T5Tokenizer(vocab=names, extra_ids=1, _spm_precompiled_charsmap=table)
    made.save_pretrained(tmp_path)
    theirs, ours = AutoTokenizer.from_pretrained(tmp_path), open_tokenizer(tmp_path)
    for text, *_ in rows_of("t5"):
        found = theirs(text, return_offsets_mapping=True)
        pieces = ours.encode(text, specials=True).pieces
        assert (text, [p.id for p in pieces]) == (text, found["input_ids"])
        assert [p.is_added for p in pieces] == [*[False] * (len(pieces) - 1), True]
        for piece, (start, stop) in zip(pieces, found["offset_mapping"], strict=True):
            first, last = piece.char_span
            assert piece.is_added or first == last or (first, last) == (start, stop)


def test_a_damaged_model_is_refused_or_read_and_nothing_else(tmp_path: Path) -> None:
    whole, draw = (FOLDER / "t5" / "spiece.model").read_bytes(), random.Random(5)
    (tmp_path / "config.json").write_text('{"model_type": "t5"}')
    n_refused = 0
    for _ in range(60):
        data = bytearray(whole)
        for _ in range(draw.randint(1, 6)):
            data[draw.randrange(len(data))] = draw.randrange(256)
        (tmp_path / "spiece.model").write_bytes(bytes(data))
        try:
            encoding = open_tokenizer(tmp_path).encode("the café ﬁ ½ ﷺ TA\t 中国 🙂")
            assert all(word.history().n_steps >= 0 for word in encoding.words)
        except TokenizerError:
            n_refused += 1
    assert 0 < n_refused < 60
