import json
import re
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer as Oracle
from transformers import PreTrainedTokenizerFast

from core.errors import TokenizerError
from core.tokenizers.alphabet import from_letters, to_letters
from core.tokenizers.bpe import BpeTokenizer
from core.tokenizers.folder import open_tokenizer, save_tokenizer, tokenizer_json

TEXT = "The café isn't open, 中文 🙂\n\n  x "
ABC = {"a": 0, "b": 1, "c": 2, "#": 3, "bc": 4, "ab": 5, "##": 6}


def write_json(path: Path, content: Any) -> None:
    path.write_text(json.dumps(content), encoding="utf-8")


def changed(tokenizer: BpeTokenizer, address: str, value: Any) -> dict[str, Any]:
    """The tokenizer's file with one setting changed."""
    content = tokenizer_json(tokenizer)
    *parents, name = address.split(".")
    place = content
    for parent in parents:
        place = place[parent]
    place[name] = value
    return content


def test_the_letters_of_the_256_bytes_are_those_of_the_tokenizers_package() -> None:
    oracle = Oracle.from_str(json.dumps(tokenizer_json(BpeTokenizer.from_merges(()))))
    text = "".join(map(chr, range(0x800))) + "中🙂\U0010fffd"
    letters = "".join(oracle.encode(text).tokens)
    assert to_letters(text.encode()) == letters
    assert from_letters(letters) == text.encode()
    data = bytes(range(256))
    assert from_letters(to_letters(data)) == data
    assert not any(letter.isspace() for letter in to_letters(data))


def test_a_saved_tokenizer_opens_as_the_same(
    trained: BpeTokenizer, tmp_path: Path
) -> None:
    path = save_tokenizer(trained, tmp_path)
    assert path == tmp_path / "tokenizer.json"
    for place in (tmp_path, path):
        assert open_tokenizer(place).fingerprint == trained.fingerprint


def test_a_saved_tokenizer_opens_elsewhere_with_equal_ids(
    trained: BpeTokenizer, tmp_path: Path
) -> None:
    path = str(save_tokenizer(trained, tmp_path))
    text = f"{TEXT}<|endoftext|>the end"
    ids = list(trained.encode(text, specials=True).ids)
    oracle = Oracle.from_file(path)
    assert oracle.encode(text).ids == ids
    assert oracle.get_vocab_size() == trained.n_vocab
    assert oracle.decode(ids, skip_special_tokens=False) == text
    fast = PreTrainedTokenizerFast(tokenizer_file=path)  # type: ignore[no-untyped-call]
    assert fast(text)["input_ids"] == ids


def test_a_file_saved_by_the_tokenizers_package_opens_here(
    trained: BpeTokenizer, tmp_path: Path
) -> None:
    ours = str(save_tokenizer(trained, tmp_path))
    Oracle.from_file(ours).save(str(tmp_path / "theirs.json"))
    opened = open_tokenizer(tmp_path / "theirs.json")
    assert opened.fingerprint == trained.fingerprint


def test_merges_written_as_one_text_are_read_too(
    trained: BpeTokenizer, tmp_path: Path
) -> None:
    merges = [" ".join(map(to_letters, pair)) for pair in trained.merges]
    write_json(tmp_path / "tokenizer.json", changed(trained, "model.merges", merges))
    assert open_tokenizer(tmp_path).fingerprint == trained.fingerprint


@pytest.mark.parametrize("header", ["#version: 0.2\n", ""])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_merges_with_number_signs_and_any_line_end(
    tmp_path: Path, header: str, line_end: str
) -> None:
    write_json(tmp_path / "vocab.json", ABC)
    text = f"{header}b c\na b\n# #\n".replace("\n", line_end)
    (tmp_path / "merges.txt").write_bytes(text.encode())
    tokenizer = open_tokenizer(tmp_path)
    assert isinstance(tokenizer, BpeTokenizer)
    assert tokenizer.encode("abc").ids == (0, 4)
    assert tokenizer.encode("##").ids == (6,)
    assert len(tokenizer.merges) == 3


def test_a_merge_of_number_signs_may_come_first(tmp_path: Path) -> None:
    write_json(tmp_path / "vocab.json", ABC)
    (tmp_path / "merges.txt").write_text("# #\nb c")
    assert open_tokenizer(tmp_path).encode("##").ids == (6,)


@pytest.mark.parametrize("text", ["well , now ?", "': 'go", " .  , ! n't 's"])
def test_a_folder_that_asks_for_clean_up_gives_the_text_back_all_the_same(
    trained: BpeTokenizer, tmp_path: Path, text: str
) -> None:
    save_tokenizer(trained, tmp_path)
    asked = {"clean_up_tokenization_spaces": True}
    write_json(tmp_path / "tokenizer_config.json", asked)
    opened = open_tokenizer(tmp_path)
    assert opened.decode(opened.encode(text).ids) == text


def test_gpt2s_two_files_hold_its_special_token(
    trained: BpeTokenizer, tmp_path: Path
) -> None:
    model = tokenizer_json(trained)["model"]
    write_json(tmp_path / "vocab.json", model["vocab"])
    lines = ["#version: 0.2", *(" ".join(pair) for pair in model["merges"]), ""]
    (tmp_path / "merges.txt").write_text("\n".join(lines), encoding="utf-8")
    opened = open_tokenizer(tmp_path)
    assert opened.fingerprint == trained.fingerprint
    assert opened.specials == trained.specials


@pytest.mark.parametrize(
    ("address", "value"),
    [
        ("model.type", "Tiktoken"),
        ("model.dropout", 0.1),
        ("model.continuing_subword_prefix", "##"),
        ("model.end_of_word_suffix", "</w>"),
    ],
)
def test_a_setting_that_would_change_the_ids_is_refused_by_name(
    tmp_path: Path, address: str, value: Any
) -> None:
    content = changed(BpeTokenizer.from_merges(()), address, value)
    write_json(tmp_path / "tokenizer.json", content)
    with pytest.raises(TokenizerError, match=re.escape(f"sets {address} to")):
        open_tokenizer(tmp_path)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"model": {"type": "BPE"}}',
        '{"model": 3}',
        "\udcff",
        "[" * 100_000,
        '{"model": ' + "9" * 6000 + "}",
    ],
)
def test_a_damaged_file_is_named(tmp_path: Path, content: str) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(TokenizerError, match=r"tokenizer\.json"):
        open_tokenizer(tmp_path)


@pytest.mark.parametrize(
    ("address", "value"),
    [
        ("model.vocab", {"a": "zero"}),
        ("model.vocab", {"a": -1}),
        ("model.vocab", {"中": 0}),
        ("model.vocab", 3),
        ("model.merges", [["a"]]),
        ("model.merges", ["a"]),
        ("model.merges", [["a", "中"]]),
        ("model.merges", [3]),
        ("model.merges", [[1, 2]]),
        ("added_tokens", [{}]),
        ("added_tokens", [{"content": "<s>", "id": "one"}]),
        ("added_tokens", ["x"]),
        ("added_tokens", [{"content": None, "id": 3}]),
        ("added_tokens", [{"content": True, "id": 3}]),
        ("added_tokens", 3),
    ],
)
def test_damaged_contents_are_refused(tmp_path: Path, address: str, value: Any) -> None:
    content = changed(BpeTokenizer.from_merges(()), address, value)
    write_json(tmp_path / "tokenizer.json", content)
    with pytest.raises(TokenizerError, match=r"tokenizer\.json"):
        open_tokenizer(tmp_path)


def test_a_folder_without_a_tokenizer_says_what_it_looked_for(tmp_path: Path) -> None:
    with pytest.raises(TokenizerError, match=r"tokenizer\.json.*vocab\.json"):
        open_tokenizer(tmp_path)
    with pytest.raises(TokenizerError, match="missing"):
        open_tokenizer(tmp_path / "missing")


def test_a_name_that_is_too_long_has_no_tokenizer(tmp_path: Path) -> None:
    with pytest.raises(TokenizerError, match="has no tokenizer"):
        open_tokenizer(tmp_path / ("x" * 5000))
