"""SentencePiece's own file: read from its bytes, cut as its scores say."""

import json
import struct
from pathlib import Path
from typing import Any

import pytest

from core.errors import TokenizerError
from core.tokenizers.base import Tokenizer
from core.tokenizers.folder import open_tokenizer
from core.tokenizers.protobuf import fields_of
from core.tokenizers.sentencepiece import (
    BPE,
    UNIGRAM,
    SentencePiece,
    merges_of,
    pieces_of,
)
from tests.helpers.sentencepiece_models import (
    LETTERS,
    SPECIALS,
    field,
    model_of,
    number,
)


def opened(path: Path, data: bytes, **config: Any) -> Tokenizer:
    (path / "tokenizer.model").write_bytes(data)
    said = {"tokenizer_class": "LlamaTokenizer", "add_bos_token": False, **config}
    (path / "tokenizer_config.json").write_text(json.dumps(said))
    return open_tokenizer(path)


def labels(tokenizer: Tokenizer, text: str) -> str:
    return "|".join(piece.label for piece in tokenizer.encode(text).pieces)


def test_fields_are_read_from_their_bytes() -> None:
    message = field(1, 300) + field(2, "é") + field(3, 0.5)
    assert list(fields_of(message)) == [
        (1, 300),
        (2, "é".encode()),
        (3, struct.pack("<f", 0.5)),
    ]
    assert list(fields_of(number(8) + b"\xff" * 9 + b"\x01")) == [(1, -1)]


def test_the_pair_whose_piece_scores_highest_joins_first(tmp_path: Path) -> None:
    pairs = [("ab", -1.0, 1), ("bc", -0.5, 1), ("▁a", -2.0, 1)]
    tokenizer = opened(tmp_path, model_of(BPE, [*SPECIALS, *LETTERS, *pairs]))
    assert labels(tokenizer, "abc") == "·a|bc"
    assert labels(tokenizer, "cab abab") == "·|c|ab|·|ab|ab"
    assert tokenizer.method == "merges"
    assert tokenizer.decode(tokenizer.encode("cab abab").ids) == "cab abab"


def test_merges_follow_the_scores_of_what_they_make() -> None:
    scores = {"a": 0.0, "b": 0.0, "ab": -2.0, "ba": -1.0, "aba": -3.0}
    pieces = [SentencePiece(text, score, 1) for text, score in scores.items()]
    assert merges_of(pieces) == [["b", "a"], ["a", "b"], ["a", "ba"], ["ab", "a"]]


def test_the_path_with_the_highest_sum_is_taken(tmp_path: Path) -> None:
    more = [("▁ab", -5.0, 1), ("bc", -5.5, 1), ("▁a", -6.0, 1)]
    tokenizer = opened(tmp_path, model_of(UNIGRAM, [*SPECIALS, *LETTERS, *more]))
    assert labels(tokenizer, "abc") == "·ab|c"  # -9 against -11.5 and -12.5
    assert tokenizer.method == "best path"


def test_bytes_stand_for_what_has_no_piece(tmp_path: Path) -> None:
    single = [(f"<0x{value:02X}>", 0.0, 6) for value in range(256)]
    data = model_of(BPE, [*SPECIALS, *single, *LETTERS], has_bytes=1)
    tokenizer = opened(tmp_path, data)
    assert labels(tokenizer, "aé") == "·|a|⟨C3⟩|⟨A9⟩"
    assert tokenizer.decode(tokenizer.encode("aé🙂").ids) == "aé🙂"


def test_spaces_are_joined_where_the_file_says_so(tmp_path: Path) -> None:
    for joins, read in ((0, "·|·|a|·|·|b"), (1, "·|a|·|b")):
        data = model_of(BPE, [*SPECIALS, *LETTERS], joins=joins)
        assert labels(opened(tmp_path, data), " a  b") == read


def test_t5_puts_its_end_behind_and_has_marks_for_gaps(tmp_path: Path) -> None:
    data = model_of(UNIGRAM, [*SPECIALS, *LETTERS], joins=1)
    config = {"tokenizer_class": "T5Tokenizer", "extra_ids": 2}
    (tmp_path / "tokenizer.model").write_bytes(data)
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    tokenizer = open_tokenizer(tmp_path)
    assert labels(tokenizer, "a") == "·|a|</s>"
    assert tokenizer.specials["<extra_id_0>"] == len(SPECIALS + LETTERS) + 1


@pytest.mark.parametrize(
    ("kind", "expected"), [("t5", "·|a|</s>"), ("llama", "<s>|·|a")]
)
def test_the_kind_of_model_says_the_class_where_nothing_else_does(
    tmp_path: Path, kind: str, expected: str
) -> None:
    data = model_of(UNIGRAM, [*SPECIALS, *LETTERS], joins=1)
    (tmp_path / "spiece.model").write_bytes(data)
    (tmp_path / "config.json").write_text(json.dumps({"model_type": kind}))
    tokenizer = open_tokenizer(tmp_path)
    assert labels(tokenizer, "a") == expected
    assert ("<extra_id_99>" in tokenizer.specials) == (kind == "t5")


@pytest.mark.parametrize(
    ("trainer", "normaliser", "name"),
    [
        (field(24, 1), b"", "treat_whitespace_as_suffix"),
        (b"", field(5, 0), "escape_whitespaces"),
    ],
)
def test_a_way_of_reading_spaces_that_is_not_known_is_refused_by_name(
    tmp_path: Path, trainer: bytes, normaliser: bytes, name: str
) -> None:
    data = model_of(UNIGRAM, [*SPECIALS, *LETTERS])
    with pytest.raises(TokenizerError, match=name):
        opened(tmp_path, data + field(2, trainer) + field(3, normaliser))


def test_llama_begins_with_its_start_token(tmp_path: Path) -> None:
    data = model_of(BPE, [*SPECIALS, *LETTERS])
    assert labels(opened(tmp_path, data, add_bos_token=True), "a") == "<s>|·|a"


def test_a_class_whose_ids_are_not_certain_is_refused_with_a_way_out(
    tmp_path: Path,
) -> None:
    data = model_of(UNIGRAM, [*SPECIALS, *LETTERS])
    with pytest.raises(TokenizerError, match=r"XLMRobertaTokenizer.*save_pretrained"):
        opened(tmp_path, data, tokenizer_class="XLMRobertaTokenizerFast")
    (tmp_path / "tokenizer_config.json").unlink()
    with pytest.raises(TokenizerError, match=r"no tokenizer_config\.json"):
        open_tokenizer(tmp_path)


def test_a_damaged_file_is_named_wherever_it_ends(tmp_path: Path) -> None:
    data = model_of(UNIGRAM, [*SPECIALS, *LETTERS])
    ends = 0
    for length in range(len(data)):
        try:
            pieces_of(data[:length])
        except ValueError:
            ends += 1
    assert ends > len(data) / 2
    with pytest.raises(TokenizerError, match=r"tokenizer\.model is damaged"):
        opened(tmp_path, data[: len(data) // 2 + 1])
    with pytest.raises(TokenizerError, match=r"tokenizer\.model is damaged"):
        opened(tmp_path, model_of(3, [*SPECIALS, *LETTERS]))
