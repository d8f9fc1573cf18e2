"""Two files without a `tokenizer.json`: the folder says whose they are."""

import json
from pathlib import Path
from typing import Any

import pytest
from transformers import AutoTokenizer

from core.errors import TokenizerError
from core.tokenizers.bpe import BpeTokenizer
from core.tokenizers.folder import open_tokenizer
from tests.helpers.trained_tokenizers import content_of

TEXTS = ("The café DON'T play, 123 🙂\n\n  x ", "e\u0301", "the <mask> cat")


def folder_of(path: Path, kind: str, config: Any = None, model: Any = None) -> Path:
    found = content_of(kind)["model"]
    (path / "vocab.json").write_text(json.dumps(found["vocab"]), encoding="utf-8")
    lines = ["#version: 0.2", *(" ".join(pair) for pair in found["merges"]), ""]
    (path / "merges.txt").write_text("\n".join(lines), encoding="utf-8")
    for name, content in (("tokenizer_config", config), ("config", model)):
        if content is not None:
            (path / f"{name}.json").write_text(json.dumps(content))
    return path


HARD = (
    *("", " ", "a", " a", "the <mask>, a<mask> \n<mask></s>", "<s>a</s><pad>", "\t\n "),
    *(
        "👩\u200d👩\u200d👧 x",
        "שלום עולם",
        "a\u200bb\u202ec",
        "ﬁ ½ ﷺ",
        "\0\x01",
        "don't  DON'T",
    ),
)
MASK = {"content": "<mask>", "lstrip": True, "special": True, "__type": "AddedToken"}


@pytest.mark.parametrize(
    "config",
    [
        {"tokenizer_class": "BartTokenizer"},
        {"tokenizer_class": "BartTokenizerFast", "mask_token": MASK},
        {"tokenizer_class": "BartTokenizer", "add_prefix_space": True},
        {"tokenizer_class": "BartTokenizer", "added_tokens_decoder": {"4": MASK}},
        None,
    ],
)
@pytest.mark.parametrize("has_json", [False, True])
def test_a_folder_of_bart_has_the_ids_of_transformers(
    tmp_path: Path, config: Any, has_json: bool
) -> None:
    folder = folder_of(tmp_path, "roberta", config, {"model_type": "bart"})
    if has_json:
        content = json.dumps(content_of("roberta"))
        (folder / "tokenizer.json").write_text(content, encoding="utf-8")
    other, opened = AutoTokenizer.from_pretrained(folder), open_tokenizer(folder)
    for text in (*TEXTS, *HARD):
        expected = other(text)["input_ids"]
        pieces = opened.encode(text, specials=True).pieces
        assert (text, [piece.id for piece in pieces]) == (text, expected)
        assert (pieces[0].label, pieces[-1].label) == ("<s>", "</s>")
        assert [p.is_added for p in pieces] == [
            place in (0, len(pieces) - 1) for place in range(len(pieces))
        ]
        spans = other(text, return_offsets_mapping=True)["offset_mapping"]
        for piece, (start, stop) in zip(pieces[1:-1], spans[1:-1], strict=True):
            first, last = piece.char_span
            if start < stop:  # the space before a word is the word's here
                assert stop == last
                assert not text[first:start].strip()


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("gpt2", "GPT2Tokenizer"),
        ("roberta", "RobertaTokenizer"),
        ("roberta", "BartTokenizerFast"),
        ("qwen2", "Qwen2Tokenizer"),
    ],
)
def test_a_class_has_the_ids_of_transformers(
    tmp_path: Path, kind: str, name: str
) -> None:
    folder = folder_of(tmp_path, kind, {"tokenizer_class": name})
    other, opened = AutoTokenizer.from_pretrained(folder), open_tokenizer(folder)
    for text in TEXTS:
        expected = other(text)["input_ids"]
        assert list(opened.encode(text, specials=True).ids) == expected


def test_a_mask_takes_the_space_before_it_where_the_folder_says_so(
    tmp_path: Path,
) -> None:
    mask = {"content": "<mask>", "lstrip": True, "special": True}
    config = {"tokenizer_class": "RobertaTokenizer", "mask_token": mask}
    opened = open_tokenizer(folder_of(tmp_path, "roberta", config))
    pieces = opened.encode("the <mask> cat", specials=True).pieces
    assert [p.label for p in pieces] == ["<s>", "the", "<mask>", "·cat", "</s>"]


def test_the_kind_of_model_says_the_class_where_nothing_else_does(
    tmp_path: Path,
) -> None:
    folder = folder_of(tmp_path, "roberta", model={"model_type": "roberta"})
    pieces = open_tokenizer(folder).encode("the cat").pieces
    assert (pieces[0].label, pieces[-1].label) == ("<s>", "</s>")


def test_two_files_alone_are_gpt2s(tmp_path: Path) -> None:
    assert isinstance(open_tokenizer(folder_of(tmp_path, "gpt2")), BpeTokenizer)


@pytest.mark.parametrize(
    ("config", "model"),
    [({"tokenizer_class": "CLIPTokenizer"}, None), (None, {"model_type": "clip"})],
)
def test_another_class_is_refused_with_a_way_out(
    tmp_path: Path, config: Any, model: Any
) -> None:
    folder = folder_of(tmp_path, "gpt2", config, model)
    with pytest.raises(TokenizerError, match=r"(?i)names clip.*save_pretrained"):
        open_tokenizer(folder)


@pytest.mark.parametrize("added", [[1], 3, {"4": {"content": []}}])
def test_a_damaged_configuration_is_told(tmp_path: Path, added: Any) -> None:
    config = {"tokenizer_class": "BartTokenizer", "added_tokens_decoder": added}
    with pytest.raises(TokenizerError, match="does not belong to a BartTokenizer"):
        open_tokenizer(folder_of(tmp_path, "roberta", config))


def test_files_without_the_tokens_around_are_refused(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, "gpt2", {"tokenizer_class": "RobertaTokenizer"})
    with pytest.raises(TokenizerError, match="does not belong to a RobertaTokenizer"):
        open_tokenizer(folder)
