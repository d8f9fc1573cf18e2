"""The figures of a model card are those that one counts by hand."""

import pytest
import torch

from core.bundle import open_bundle
from core.checkpoints.card import PARTS_OF_SIDES, read_facts
from core.config import ModelConfig
from tests.helpers.gguf import save_tiny
from tests.helpers.huggingface import save_theirs
from tests.helpers.two_sides import TWO_SIDED, save_pair


@pytest.mark.parametrize("family", ["gpt2", "llama", "qwen3"])
def test_a_folder_is_counted_as_the_model_that_it_becomes(tmp_path, family):
    folder = save_theirs(tmp_path / "m", family, dtype=torch.float16)
    bundle = open_bundle(folder, "cpu")
    facts = read_facts(folder, bundle.config)
    assert facts.n_parameters == sum(w.numel() for w in bundle.weights.values())
    assert facts.n_stored == facts.n_parameters
    assert "the same count" in facts.check
    assert facts.kinds == (("float16", facts.n_stored),)
    assert facts.files == (
        ("model.safetensors", (folder / "model.safetensors").stat().st_size),
    )


@pytest.mark.parametrize("name", TWO_SIDED)
def test_a_folder_of_two_sides_is_counted_by_side(tmp_path, name):
    folder = save_pair(tmp_path / "m", name)
    bundle = open_bundle(folder, "cpu")
    facts = read_facts(folder, bundle.config)
    assert facts.n_parameters == sum(w.numel() for w in bundle.weights.values())
    assert "the same count" in facts.check
    parts = dict(facts.parts)
    assert list(parts) == [part for part in PARTS_OF_SIDES if part in parts]
    own, cross = parts["decoder attention"], parts["cross attention"]
    assert own == cross
    layers = bundle.config.n_encoder_layers, bundle.config.n_layers
    assert parts["encoder attention"] * layers[1] == own * layers[0]
    assert parts["encoder feed-forward"] * layers[1] == (
        parts["decoder feed-forward"] * layers[0]
    )
    norms = {"t5": (5, 10), "bart": (2 * 7, 2 * 7), "marian": (2 * 6, 2 * 6)}
    if name in norms:
        width = bundle.config.d_model
        found = parts["encoder norms"] / width, parts["decoder norms"] / width
        assert found == norms[name]


def test_a_gguf_file_is_counted_too(tmp_path):
    pytest.importorskip("gguf")
    path = save_tiny(tmp_path / "a.gguf")
    facts = read_facts(path, open_bundle(path, "cpu").config)
    assert (facts.family, facts.kinds[0][0]) == ("Llama", "F32")
    assert facts.n_stored == facts.n_parameters


def test_a_difference_of_the_counts_is_said(tmp_path):
    folder = save_theirs(tmp_path / "m", "gpt2")
    config = open_bundle(folder, "cpu").config
    fewer = ModelConfig.from_dict({**config.to_dict(), "n_vocab": config.n_vocab - 1})
    assert f"{config.d_model} more" in read_facts(folder, fewer).check
