"""The files of a folder of `transformers`: whole, in shards, old, cut off."""

import json
import os
import pickle
from argparse import Namespace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from core.bundle import open_bundle
from core.errors import CoreError
from tests.helpers.huggingface import (
    logits_of,
    notes_of,
    refused,
    save_theirs,
    tiny_model,
)

Q = "model.layers.1.self_attn.q_proj.weight"
INDEX = "model.safetensors.index.json"
POINTER = (
    f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 123456\n"
)


def test_a_download_pointer_is_recognised(tmp_path):
    folder = save_theirs(tmp_path)
    (folder / "model.safetensors").write_text(POINTER, newline="\n")
    refused(folder, f"is a download pointer of {len(POINTER)} bytes, not the weights")


@pytest.mark.parametrize("n_kept", [0, 4, 100, 3000])
def test_a_cut_off_file_is_refused(tmp_path, n_kept):
    path = save_theirs(tmp_path) / "model.safetensors"
    path.write_bytes(path.read_bytes()[:n_kept])
    refused(tmp_path, r"model\.safetensors is damaged or cut off")


def test_a_folder_without_weights_is_refused(tmp_path):
    (save_theirs(tmp_path) / "model.safetensors").unlink()
    refused(tmp_path, r"has no model\.safetensors \(nor")


def test_shards_are_one_model_and_said_to_be(tmp_path):
    whole = save_theirs(tmp_path / "whole", "llama")
    split = save_theirs(tmp_path / "split", "llama", shard_size="30KB")
    n_files = len(list(split.glob("*.safetensors")))
    assert n_files > 1
    assert torch.equal(logits_of(whole), logits_of(split))
    assert f"Weights are from {n_files} files, as {INDEX} says." in notes_of(split)


def test_a_stray_file_beside_complete_shards_is_left_unread_and_named(tmp_path):
    split = save_theirs(tmp_path, "llama", shard_size="30KB")
    expected = logits_of(split)
    (split / "model.safetensors").write_bytes(b"stray")
    assert torch.equal(logits_of(split), expected)
    assert "model.safetensors lies beside them and was not read." in notes_of(split)


def test_a_missing_shard_is_named_with_the_number_of_its_tensors(tmp_path):
    split = save_theirs(tmp_path, "llama", shard_size="30KB")
    name = "model-00002-of-"
    (shard,) = split.glob(f"{name}*")
    n_tensors = len(load_file(shard))
    shard.unlink()
    refused(split, f"{shard.name}, which is missing and should hold {n_tensors} tens")


def test_a_stale_index_names_what_is_missing_and_the_file_that_is_there(tmp_path):
    folder = save_theirs(tmp_path, "llama")
    (folder / "model.safetensors").unlink()
    torch.save(tiny_model("llama").state_dict(), folder / "pytorch_model.bin")
    index = {"weight_map": {Q: "model-00001-of-00001.safetensors"}}
    (folder / INDEX).write_text(json.dumps(index))
    refused(folder, rf"take {INDEX} away to open pytorch_model\.bin")
    (folder / INDEX).unlink()
    assert logits_of(folder).std() > 0.1


@pytest.mark.parametrize(
    ("index", "words"),
    [
        ({}, "is damaged"),
        ({"weight_map": {}}, "names no files"),
        (
            {"weight_map": {Q: "../other/model.safetensors"}},
            "no file of weights beside",
        ),
        ({"weight_map": {Q: "tokenizer.json"}}, "no file of weights beside"),
        ({"weight_map": {"elsewhere": "model.safetensors"}}, "elsewhere is in model"),
    ],
)
def test_an_index_that_makes_no_sense_is_refused(tmp_path, index, words):
    folder = save_theirs(tmp_path, "llama")
    (folder / INDEX).write_text(json.dumps(index))
    refused(folder, rf"{INDEX} .*{words}")


@pytest.mark.parametrize("n_levels", [600, 980, 100_000])
@pytest.mark.parametrize(
    ("name", "field"),
    [
        (INDEX, "weight_map"),
        ("config.json", "rope_scaling"),
        ("config.json", "quantization_config"),
        ("config.json", "hidden_size"),
        ("tokenizer.json", "pre_tokenizer"),
        ("tokenizer_config.json", "added_tokens_decoder"),
        ("tokenizer_config.json", "bos_token"),
    ],
)
def test_a_file_of_many_levels_is_refused_in_one_sentence_or_passed_over(
    tmp_path, name, field, n_levels
):
    folder = save_theirs(tmp_path, "llama")
    path = folder / name
    content = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    text = json.dumps({**content, field: "NESTED"})
    nested = '{"a": [' * n_levels + "]}" * n_levels
    path.write_text(text.replace('"NESTED"', nested))
    said = f"{path} is passed over."
    try:
        open_bundle(folder, device="cpu")
    except CoreError as error:
        said = str(error)
    assert str(path) in said
    assert "\n" not in said


def in_a_bin(folder: Path, content: object, *, is_old: bool = False) -> Path:
    """Put a `pytorch_model.bin` in the place of the safetensors file."""
    (folder / "model.safetensors").unlink()
    path = folder / "pytorch_model.bin"
    torch.save(content, path, _use_new_zipfile_serialization=not is_old)
    return folder


@pytest.mark.parametrize("is_old", [False, True])
def test_a_bin_of_tensors_is_the_same_model(tmp_path, is_old):
    folder = save_theirs(tmp_path)
    expected = logits_of(folder)
    in_a_bin(folder, tiny_model("gpt2").state_dict(), is_old=is_old)
    assert torch.equal(logits_of(folder), expected)
    assert "Weights are from pytorch_model.bin." in notes_of(folder)


class Hostile:
    """Its loading would write a file."""

    def __reduce__(self):
        return (Path.write_text, (Path("PWNED.txt"), "run"))


@pytest.mark.parametrize(
    "content", [{"a": Hostile()}, {"a": Namespace(x=1)}, Hostile()]
)
@pytest.mark.parametrize("is_old", [False, True])
def test_a_bin_with_program_objects_is_refused_and_runs_nothing(
    tmp_path, monkeypatch, content, is_old
):
    monkeypatch.chdir(tmp_path)
    folder = in_a_bin(save_theirs(tmp_path), content, is_old=is_old)
    refused(folder, "contains program objects, not only tensors")
    assert not (tmp_path / "PWNED.txt").exists()


class Shell:
    def __reduce__(self):
        return (os.system, ("touch PWNED.txt",))


def test_a_bin_that_calls_a_shell_is_refused_without_advice_to_trust_it(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    folder = in_a_bin(save_theirs(tmp_path), {"a": Shell()})
    refused(folder, "contains program objects, not only tensors")
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps({"a": Shell()}))
    refused(folder, r"is damaged or cut off \(its list of tensors is not readable\)")
    assert not (tmp_path / "PWNED.txt").exists()


def test_a_tensor_without_a_name_is_refused(tmp_path):
    content = {**tiny_model("gpt2").state_dict(), 3: torch.ones(2)}
    refused(in_a_bin(save_theirs(tmp_path), content), "not only tensors")


def test_a_plain_pickle_in_the_place_of_a_bin_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = in_a_bin(save_theirs(tmp_path), {})
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Hostile()))
    refused(folder, "contains program objects|is damaged")
    assert not (tmp_path / "PWNED.txt").exists()


@pytest.mark.parametrize("n_kept", [0, 100, 3000])
def test_a_cut_off_bin_is_refused(tmp_path, n_kept):
    folder = in_a_bin(save_theirs(tmp_path), tiny_model("gpt2").state_dict())
    path = folder / "pytorch_model.bin"
    path.write_bytes(path.read_bytes()[:n_kept])
    refused(folder, r"pytorch_model\.bin is damaged or cut off \(\w")


def test_numbers_among_the_tensors_of_a_bin_are_refused(tmp_path):
    folder = in_a_bin(save_theirs(tmp_path), {"step": 3})
    refused(folder, "not only tensors")
