"""Models held to `transformers`: true ones pass, a changed weight is found in place."""

from dataclasses import replace

import numpy as np
import pytest

from core.analysis import reference
from core.analysis.reference import (
    MOST_TOKENS,
    ComparedStep,
    Comparison,
    against_cpu,
    against_transformers,
    beginning,
    compare,
    numbers_of,
    obstacle,
    segments_for,
)
from core.bundle import Bundle, open_bundle
from core.errors import CoreError
from core.pipeline import trace_encoding
from tests.helpers.bundles import save_tiny, tiny_bundle
from tests.helpers.encoders import ENCODERS, save_encoder
from tests.helpers.huggingface import MAKERS, change_tensors, save_theirs

TEXT = "the cat sat on the mat"


def held(bundle: Bundle) -> Comparison:
    encoding = beginning(bundle.tokenizer.encode(TEXT), bundle)
    ours = numbers_of(trace_encoding(bundle, encoding))
    given = bundle.folder, bundle.config, encoding.ids, segments_for(bundle, encoding)
    return against_transformers(*given, ours, lambda _: None)


@pytest.mark.parametrize("name", MAKERS)
def test_a_folder_of_each_family_agrees_step_by_step(tmp_path, name):
    found = held(open_bundle(save_theirs(tmp_path / name, name), device="cpu"))
    assert len(found.rows) == 1 + 2 * 2 + 1
    assert found.rows[-1].step == "output.logits"
    assert found.first is None
    assert found.largest < 1e-4
    assert found.badge.startswith("checked against transformers 5.")
    assert found.sentence.startswith("All 6 steps agree with transformers")


@pytest.mark.parametrize("name", ENCODERS)
def test_a_folder_that_looks_to_both_sides_agrees_step_by_step(tmp_path, name):
    found = held(open_bundle(save_encoder(tmp_path / "model", name), device="cpu"))
    assert found.first is None
    assert len(found.rows) >= 1 + 2 * 2


@pytest.mark.parametrize(
    ("name", "tensor", "step"),
    [
        ("gpt2", "transformer.h.1.attn.c_proj.weight", "layers.1.resid_out"),
        ("gpt2", "transformer.h.1.attn.c_attn.weight", "layers.1.attn.pattern"),
        ("gpt2", "transformer.wpe.weight", "embed.sum"),
        ("llama", "model.layers.0.mlp.up_proj.weight", "layers.0.resid_out"),
        ("llama", "model.norm.weight", "output.logits"),
    ],
)
def test_a_weight_that_was_changed_is_found_at_its_first_step(
    tmp_path, name, tensor, step
):
    bundle = open_bundle(save_theirs(tmp_path / name, name), device="cpu")
    encoding = bundle.tokenizer.encode(TEXT)
    ours = numbers_of(trace_encoding(bundle, encoding))

    def spoil(tensors):
        tensors[tensor][..., :2] += 0.5
        return tensors

    change_tensors(bundle.folder, spoil)
    given = bundle.folder, bundle.config, encoding.ids, ()
    found = against_transformers(*given, ours, lambda _: None)
    assert found.first is not None
    assert found.first.step == step
    label = found.first.label
    assert found.badge == f"differs from {found.against} from {label} on"
    assert found.sentence.startswith(f"The {label} ({step}) is the first that disagr")


def test_a_model_of_ours_is_exported_for_it(tmp_path):
    fields = {"position": "learned", "activation": "gelu_tanh"}
    bundle = open_bundle(save_tiny(tmp_path / "tiny", **fields), device="cpu")
    told: list[str] = []
    encoding = bundle.tokenizer.encode(TEXT)
    ours = numbers_of(trace_encoding(bundle, encoding))
    given = bundle.folder, bundle.config, encoding.ids, ()
    found = against_transformers(*given, ours, told.append)
    assert found.first is None
    assert found.note == "The model was exported as gpt2 for this."
    assert told[0] == "exporting the model…"


def test_a_model_of_ours_without_a_class_there_is_refused_in_a_sentence(tmp_path):
    bundle = open_bundle(save_tiny(tmp_path / "tiny", norm="rms_norm"), device="cpu")
    with pytest.raises(CoreError, match="transformers has no class for this model"):
        held(bundle)


def test_a_folder_that_the_library_refuses_is_told_in_its_words(tmp_path):
    bundle = open_bundle(save_theirs(tmp_path / "gpt2"), device="cpu")
    (bundle.folder / "model.safetensors").unlink()
    with pytest.raises(CoreError, match="does not open"):
        held(bundle)


def test_what_cannot_be_checked_says_why(tmp_path, monkeypatch):
    bundle = open_bundle(save_theirs(tmp_path / "gpt2"), device="cpu")
    assert obstacle(bundle) == ""
    assert "is in no folder" in obstacle(tiny_bundle())
    one_file = replace(bundle, folder=tmp_path / "model.gguf")
    assert obstacle(one_file).startswith("model.gguf is one file")
    monkeypatch.setattr(reference, "LIBRARY", "no_such_library")
    assert obstacle(bundle).startswith("The package transformers is not installed")


def test_a_device_is_held_to_the_cpu_by_the_weights_that_both_have():
    bundle = tiny_bundle()
    encoding = bundle.tokenizer.encode(TEXT)
    found = against_cpu(bundle, encoding)
    assert (found.first, found.against) == (None, "the CPU")
    table = bundle.weights["embed.W_E"]
    other = replace(bundle, weights={**bundle.weights, "embed.W_E": table + 0.1})
    assert against_cpu(other, encoding).first.step == "embed.sum"


def test_a_long_sentence_is_compared_up_to_a_limit():
    bundle = tiny_bundle(n_ctx=200)
    encoding = bundle.tokenizer.encoding_of([5] * (MOST_TOKENS + 1))
    assert len(beginning(encoding, bundle).ids) == MOST_TOKENS
    short = bundle.tokenizer.encode(TEXT)
    assert beginning(short, bundle) is short


def test_the_limit_grows_with_the_numbers_and_nan_is_only_like_nan():
    ours = {"a": np.array([1000.0, 1000.02]), "b": np.array([0.0, np.nan])}
    theirs = {"a": np.array([1000.0, 1000.0]), "b": np.array([0.0, 1.0])}
    a, b = compare(ours, theirs, "it", 2).rows
    assert a.agrees
    assert a.difference == pytest.approx(0.02)
    assert not b.agrees
    assert compare({"b": ours["b"]}, {"b": ours["b"]}, "it", 2).first is None


def test_steps_are_named_in_words_that_count_from_one():
    names = (
        "embed.sum",
        "layers.11.attn.pattern",
        "layers.0.ffn.norm",
        "output.pooled",
    )
    told = ("embeddings", "layer 12 pattern", "layer 1 stream", "pooled")
    assert tuple(ComparedStep(name, 0.0, 1.0).label for name in names) == told
