"""`tokenizer.json` of every kind, with the `tokenizer_config.json` beside it."""

import json
from pathlib import Path
from typing import Any

import pytest
from transformers import PreTrainedTokenizerFast

from core.errors import TokenizerError
from core.tokenizers.folder import open_tokenizer, save_tokenizer
from tests.helpers.trained_tokenizers import KINDS, content_of

TEXT = "The café DON'T play, 123 🙂\n\n  x "


def folder_of(path: Path, content: Any, config: Any = None) -> Path:
    (path / "tokenizer.json").write_text(json.dumps(content), encoding="utf-8")
    if config is not None:
        (path / "tokenizer_config.json").write_text(json.dumps(config))
    return path


@pytest.mark.parametrize("kind", KINDS)
def test_a_folder_opens_with_the_ids_of_transformers(kind: str, tmp_path: Path) -> None:
    folder = folder_of(tmp_path, content_of(kind))
    other = PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))
    assert list(open_tokenizer(folder).encode(TEXT).ids) == other(TEXT)["input_ids"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_saved_tokenizer_is_the_same_tokenizer(kind: str, tmp_path: Path) -> None:
    opened = open_tokenizer(folder_of(tmp_path, content_of(kind)))
    (tmp_path / "saved").mkdir()
    save_tokenizer(opened, tmp_path / "saved")
    again = open_tokenizer(tmp_path / "saved")
    assert again.fingerprint == opened.fingerprint
    assert again.encode(TEXT) == opened.encode(TEXT)


def test_truncation_and_padding_of_the_file_change_no_sentence(tmp_path: Path) -> None:
    content = content_of("bert") | {
        "truncation": {
            "direction": "Right",
            "max_length": 4,
            "strategy": "LongestFirst",
            "stride": 0,
        }
    }
    opened = open_tokenizer(folder_of(tmp_path, content))
    assert len(opened.encode("the cat sat on the mat").ids) == 8


def test_the_configuration_goes_before_the_file_and_says_so(tmp_path: Path) -> None:
    content = content_of("bert")
    folder = folder_of(tmp_path, content, {"do_lower_case": False})
    tokenizer = open_tokenizer(folder)
    assert tokenizer.encode("The").normalised is None
    assert any("do_lower_case to false" in note for note in tokenizer.notes)


@pytest.mark.parametrize(
    ("flags", "first", "last"),
    [
        ({"add_bos_token": False}, "the", "the"),
        ({"add_bos_token": True, "add_eos_token": True}, "<s>", "</s>"),
        ({"add_eos_token": True}, "the", "</s>"),
        ({}, "<s>", "the"),
    ],
)
def test_tokens_around_a_text_are_those_the_configuration_asks_for(
    tmp_path: Path, flags: dict[str, bool], first: str, last: str
) -> None:
    config = {"bos_token": "<s>", "eos_token": {"content": "</s>"}, **flags}
    folder = folder_of(tmp_path, content_of("llama2"), config)
    pieces = open_tokenizer(folder).encode("the").pieces
    assert pieces[0].label.removeprefix("·") in (first, "")
    assert (pieces[0].is_added, pieces[-1].is_added) == (
        first == "<s>",
        last == "</s>",
    )


def test_tokens_that_only_the_configuration_has_are_added(tmp_path: Path) -> None:
    content = content_of("gpt2")
    n = len(content["model"]["vocab"])
    more = {str(n): {"content": "<|pad|>", "special": True}}
    folder = folder_of(tmp_path, content, {"added_tokens_decoder": more})
    tokenizer = open_tokenizer(folder)
    assert tokenizer.specials["<|pad|>"] == n
    assert tokenizer.encode("a<|pad|>", specials=True).ids[-1] == n


def test_a_kind_that_is_not_known_is_refused_by_its_field(tmp_path: Path) -> None:
    content = content_of("t5")
    content["decoder"] = {"type": "CTC", "pad_token": "", "word_delimiter_token": ""}
    with pytest.raises(TokenizerError, match=r"sets decoder\.type to 'CTC'"):
        open_tokenizer(folder_of(tmp_path, content))
    content["model"]["type"] = "Tekken"
    with pytest.raises(TokenizerError, match=r"sets model\.type to 'Tekken'"):
        open_tokenizer(folder_of(tmp_path, content))


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("normalizer", {"type": "Nothing"}),
        ("pre_tokenizer", 3),
        ("post_processor", []),
        ("model", {"type": "Unigram", "vocab": [["a"]], "unk_id": 0}),
        ("model", {"type": "Unigram", "vocab": [], "unk_id": 4}),
        ("added_tokens", [{"content": "x"}]),
    ],
)
def test_a_damaged_part_is_refused_with_the_name_of_the_file(
    tmp_path: Path, part: str, value: Any
) -> None:
    content = content_of("t5") | {part: value}
    with pytest.raises(TokenizerError, match=r"tokenizer\.json"):
        open_tokenizer(folder_of(tmp_path, content))


@pytest.mark.parametrize("config", ["[]", "{", '{"added_tokens_decoder": {"x": {}}}'])
def test_a_damaged_configuration_is_refused(tmp_path: Path, config: str) -> None:
    folder = folder_of(tmp_path, content_of("t5"))
    (folder / "tokenizer_config.json").write_text(config)
    with pytest.raises(TokenizerError):
        open_tokenizer(folder)
