"""GGUF files give the numbers of the folders they were converted from."""

import builtins
import struct

import numpy as np
import pytest
import torch

from core.bundle import open_bundle
from core.checkpoints.gguf import halves_of_pairs, read_gguf
from core.checkpoints.gguf_header import read_header
from core.errors import CheckpointError
from core.model.rotation import speeds, speeds_llama3
from tests.helpers.gguf import (
    converted,
    in_pairs,
    llama_settings,
    plain,
    save_tiny,
    write_gguf,
)
from tests.helpers.huggingface import tiny_model

IDS = [5, 6, 7, 8, 9]
PACKINGS = (
    *("BF16", "F16", "Q8_0", "Q4_0", "Q4_1", "Q5_0", "Q5_1"),
    *("Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K"),
)


def needs_package():
    return pytest.importorskip("gguf")


def test_halves_undo_pairs():
    rows = torch.arange(24.0).view(12, 2)
    assert in_pairs(rows, 2)[:4, 0].tolist() == [0, 6, 2, 8]
    assert torch.equal(halves_of_pairs(in_pairs(rows, 2), 2), rows)


@pytest.mark.parametrize(
    ("architecture", "fields"),
    [
        ("llama", {}),
        ("llama", {"tie_word_embeddings": True, "rms_norm_eps": 1e-3}),
        ("llama", {"attention_bias": True}),
        ("qwen2", {}),
        ("qwen3", {"head_dim": 16}),
        ("gpt2", {}),
    ],
)
def test_logits_are_those_of_the_model_that_was_converted(
    tmp_path, architecture, fields
):
    needs_package()
    bundle = open_bundle(save_tiny(tmp_path / "a.gguf", architecture, **fields), "cpu")
    theirs = tiny_model(architecture, **fields)
    with torch.no_grad():
        expected = theirs(torch.tensor([IDS])).logits
        found = bundle.model(torch.tensor([IDS]))
    assert torch.allclose(found, expected, atol=1e-5)
    assert not bundle.warnings


def test_a_table_that_is_stored_twice_counts_once(tmp_path):
    needs_package()
    model = tiny_model("gpt2")
    path = save_tiny(tmp_path / "a.gguf", "gpt2")
    tensors = plain(converted(model, "gpt2"))
    tensors["output.weight"] = tensors["token_embd.weight"]
    write_gguf(path, read_header(path).values, tensors)
    read = read_gguf(path)
    assert read.config.tie_embeddings
    assert "once more" in " ".join(read.notes)


def test_llama3_stretching_is_recognised_by_its_outcome(tmp_path):
    needs_package()
    model = tiny_model("llama")
    values = {**llama_settings(model.config), "llama.rope.freq_base": 500000.0}
    plain_speeds = speeds(4, 500000.0)
    slower = plain_speeds / speeds_llama3(plain_speeds, 8.0, 1.0, 4.0, 8192)
    tensors = plain({**converted(model, "llama"), "rope_freqs.weight": slower})
    config = read_gguf(write_gguf(tmp_path / "a.gguf", values, tensors)).config
    assert (config.rotary_scaling, config.rotary_factor) == ("llama3", 8.0)
    odd = {**tensors, **plain({"rope_freqs.weight": slower * 1.5})}
    with pytest.raises(CheckpointError, match=r"rope_freqs\.weight"):
        read_gguf(write_gguf(tmp_path / "b.gguf", values, odd))


def test_a_linear_stretching_is_read_and_another_refused_by_name(tmp_path):
    needs_package()
    model = tiny_model("llama")
    tensors = plain(converted(model, "llama"))
    values = {**llama_settings(model.config), "llama.rope.scaling.factor": 4.0}
    values["llama.rope.scaling.type"] = "linear"
    config = read_gguf(write_gguf(tmp_path / "a.gguf", values, tensors)).config
    assert (config.rotary_scaling, config.rotary_factor) == ("linear", 4.0)
    values["llama.rope.scaling.type"] = "yarn"
    with pytest.raises(CheckpointError, match="yarn"):
        read_gguf(write_gguf(tmp_path / "b.gguf", values, tensors))


def test_every_common_packing_is_unpacked_to_float32(tmp_path):
    gguf = needs_package()
    model = tiny_model("llama", hidden_size=256, intermediate_size=256)
    tensors = converted(model, "llama")
    rng = np.random.default_rng(0)
    for name in PACKINGS:
        kind = gguf.GGMLQuantizationType[name]
        n_together, n_bytes = gguf.GGML_QUANT_SIZES[kind]
        size = 256 * 256 // n_together * n_bytes
        data = rng.integers(0, 60, size, np.uint8)  # small scales, so nothing is NaN
        packed = plain(tensors)
        packed["blk.0.ffn_up.weight"] = ((256, 256), int(kind), data.tobytes())
        path = write_gguf(
            tmp_path / f"{name}.gguf", llama_settings(model.config), packed
        )
        read = read_gguf(path)
        expected = gguf.dequantize(data.reshape(256, -1), kind)
        assert np.array_equal(read.weights["layers.0.ffn.W_1"].T, expected), name
        assert name in read.notes[1]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda t: t.pop("blk.1.attn_k.weight"), r"lacks blk\.1\.attn_k\.weight"),
        (lambda t: t.pop("token_embd.weight"), r"no token_embd\.weight"),
        (
            lambda t: t.update({"output_norm.weight": ((4,), 0, b"\0" * 16)}),
            r"output_norm\.weight has the shape \(4,\)",
        ),
        (
            lambda t: t.update({"output_norm.weight": ((32,), 99, b"\0" * 16)}),
            "kind 99",
        ),
    ],
)
def test_tensors_that_do_not_fit_are_refused_by_name(tmp_path, change, words):
    needs_package()
    model = tiny_model("llama")
    tensors = plain(converted(model, "llama"))
    change(tensors)
    path = write_gguf(tmp_path / "a.gguf", llama_settings(model.config), tensors)
    with pytest.raises(CheckpointError, match=words):
        read_gguf(path)


def test_a_file_cut_off_among_its_tensors_is_refused(tmp_path):
    needs_package()
    path = save_tiny(tmp_path / "a.gguf")
    path.write_bytes(path.read_bytes()[:-400])
    with pytest.raises(CheckpointError, match="is cut off"):
        read_gguf(path)


def test_a_surplus_tensor_is_named(tmp_path):
    needs_package()
    model = tiny_model("llama")
    tensors = plain(converted(model, "llama"))
    tensors["odd.weight"] = ((1,), 0, struct.pack("<f", 1.0))
    path = write_gguf(tmp_path / "a.gguf", llama_settings(model.config), tensors)
    assert "odd.weight" in " ".join(read_gguf(path).warnings)


def test_a_missing_package_is_one_sentence_that_says_what_to_install(
    tmp_path, monkeypatch
):
    path = save_tiny(tmp_path / "a.gguf")
    original = builtins.__import__

    def without(name, *rest, **named):
        if name == "gguf":
            raise ImportError(name)
        return original(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(CheckpointError, match="pip install gguf"):
        read_gguf(path)
