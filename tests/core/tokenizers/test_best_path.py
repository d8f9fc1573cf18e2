"""The best path by hand, and of two that cost the same the one of SentencePiece."""

import json
import struct
from pathlib import Path

import pytest

from core.tokenizers.best_path import BestPath
from core.tokenizers.folder import open_tokenizer
from core.tokenizers.sentencepiece import UNIGRAM
from core.tokenizers.ways import Lattice
from tests.helpers.sentencepiece_models import SPECIALS, model_of

SCORES = {"a": -3.0, "b": -3.5, "ab": -5.0, "bc": -4.5, "c": -2.0}


def in_32_bits(number: float) -> float:
    return float(struct.unpack("f", struct.pack("f", number))[0])


def cut(text: str, scores: dict[str, float], unknown: float = -20.0) -> str:
    pieces = BestPath(scores, unknown).pieces(text)
    return "|".join(
        text[a:b] if is_known else "?" * (b - a) for a, b, is_known in pieces
    )


def test_of_all_ways_the_one_with_the_highest_sum_is_taken() -> None:
    assert cut("abc", SCORES) == "ab|c"  # -7 against -7.5 and -8.5
    assert cut("bcab", SCORES) == "bc|ab"
    assert cut("", SCORES) == ""


def test_letters_in_a_row_that_are_no_piece_are_one_stretch() -> None:
    assert cut("axyb", SCORES) == "a|??|b"
    assert cut("x", SCORES) == "?"
    assert cut("xabx", SCORES) == "?|ab|?"


def test_a_piece_is_taken_though_one_of_its_letters_is_none() -> None:
    assert cut("xz", {"xz": -1.0}) == "xz"
    assert cut("xzx", {"xz": -1.0}) == "xz|?"


TIES = [(-9.0, "b|aa|a"), (-8.3, "b|a|aa"), (-7.6, "b|a|aa")]
"""What stands in front, and what SentencePiece 0.2.3 takes: both ways cost the same."""


@pytest.mark.parametrize(("before", "expected"), TIES)
def test_of_two_ways_that_cost_the_same_the_rounding_decides(
    tmp_path: Path, before: float, expected: str
) -> None:
    pieces = [("▁", -9.0, 1), ("b", before, 1), ("a", -2.3, 1), ("aa", -2.9, 1)]
    scores = {text: in_32_bits(score) for text, score, _ in pieces}
    assert scores["a"] + scores["aa"] == scores["aa"] + scores["a"]
    data = model_of(UNIGRAM, [*SPECIALS, *pieces], prefix=0)
    (tmp_path / "tokenizer.model").write_bytes(data)
    config = {"tokenizer_class": "LlamaTokenizer", "add_bos_token": False}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    encoding = open_tokenizer(tmp_path).encode("baaa")
    assert "|".join(piece.label for piece in encoding.pieces) == expected
    way = encoding.words[0].history()
    assert isinstance(way, Lattice)
    assert tuple(arc.data for arc in way.path) == encoding.words[0].symbols
    assert [way.winner_at(arc.stop) for arc in way.path] == list(way.path)
