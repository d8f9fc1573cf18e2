"""BERT's `vocab.txt`, and what its folder says of lower case (T14)."""

import json
from pathlib import Path
from typing import Any

import pytest
from transformers import BertTokenizerFast

from core.errors import TokenizerError
from core.tokenizers.base import Tokenizer
from core.tokenizers.folder import open_tokenizer, save_tokenizer

SPECIALS = "[PAD] [UNK] [CLS] [SEP] [MASK]"
WORDS = "paris Paris cafe café play ##ing ##s . the The"
TEXT = "The café plays."


def folder_of(path: Path, config: dict[str, Any] | None, line_end: str = "\n") -> Path:
    lines = f"{SPECIALS} {WORDS}".split()
    (path / "vocab.txt").write_bytes(line_end.join([*lines, ""]).encode())
    if config is not None:
        (path / "tokenizer_config.json").write_text(json.dumps(config))
    return path


def labels(tokenizer: Tokenizer, text: str = TEXT) -> str:
    return " ".join(piece.label for piece in tokenizer.encode(text).pieces)


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("lowers", "expected", "note"),
    [
        (True, "[CLS] the cafe play ##s . [SEP]", "Lower-cases and strips accents."),
        (False, "[CLS] The café play ##s . [SEP]", "Keeps upper case and accents."),
    ],
)
def test_lower_case_is_read_from_the_folder_and_stated(
    tmp_path: Path, line_end: str, lowers: bool, expected: str, note: str
) -> None:
    folder = folder_of(tmp_path, {"do_lower_case": lowers}, line_end)
    tokenizer = open_tokenizer(folder)
    assert labels(tokenizer) == expected
    assert note in tokenizer.notes
    assert not any("assumed" in each for each in tokenizer.notes)
    other = BertTokenizerFast(str(folder / "vocab.txt"), do_lower_case=lowers)
    assert list(tokenizer.encode(TEXT).ids) == other(TEXT)["input_ids"]


@pytest.mark.parametrize("config", [None, {"model_max_length": 512}])
def test_a_missing_flag_is_reported_as_an_assumption(
    tmp_path: Path, config: dict[str, Any] | None
) -> None:
    tokenizer = open_tokenizer(folder_of(tmp_path, config))
    assert labels(tokenizer) == "[CLS] the cafe play ##s . [SEP]"
    assert any("lower-casing is assumed" in note for note in tokenizer.notes)


def test_accents_may_be_kept_in_lower_case(tmp_path: Path) -> None:
    config = {"do_lower_case": True, "strip_accents": False}
    tokenizer = open_tokenizer(folder_of(tmp_path, config))
    assert labels(tokenizer) == "[CLS] the café play ##s . [SEP]"
    assert "Lower-cases." in tokenizer.notes


def test_a_mask_is_one_special_token_where_specials_are_read(tmp_path: Path) -> None:
    tokenizer = open_tokenizer(folder_of(tmp_path, {"do_lower_case": True}))
    pieces = tokenizer.encode("the [MASK].", specials=True).pieces
    assert [p.label for p in pieces] == ["[CLS]", "the", "[MASK]", ".", "[SEP]"]
    assert [p.is_special for p in pieces] == [True, False, True, False, True]
    assert tokenizer.encode("the [MASK].", specials=True).normalised is None


def test_a_vocabulary_without_a_needed_token_is_refused_by_its_name(
    tmp_path: Path,
) -> None:
    (tmp_path / "vocab.txt").write_text("[UNK]\n[CLS]\nthe\n")
    with pytest.raises(TokenizerError, match=r"vocab\.txt has no line '\[SEP\]'"):
        open_tokenizer(tmp_path)


def test_another_class_with_such_a_file_is_refused(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, {"tokenizer_class": "BertJapaneseTokenizer"})
    with pytest.raises(TokenizerError, match="BertJapaneseTokenizer"):
        open_tokenizer(folder)


def test_it_is_saved_as_a_file_that_opens_with_the_same_ids(tmp_path: Path) -> None:
    tokenizer = open_tokenizer(folder_of(tmp_path, {"do_lower_case": False}))
    (tmp_path / "saved").mkdir()
    save_tokenizer(tokenizer, tmp_path / "saved")
    opened = open_tokenizer(tmp_path / "saved")
    assert opened.encode(TEXT) == tokenizer.encode(TEXT)
    assert opened.fingerprint == tokenizer.fingerprint
