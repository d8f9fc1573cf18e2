"""Models held to `transformers`: true ones pass, a changed weight is found in place."""

from dataclasses import replace

import numpy as np
import pytest

from core.analysis import reference
from core.analysis.comparison import ComparedStep, Comparison, compare
from core.analysis.reference import (
    MOST_TOKENS,
    Texts,
    against_cpu,
    against_transformers,
    beginning,
    numbers_of,
    obstacle,
)
from core.bundle import Bundle, open_bundle
from core.errors import CoreError
from core.pipeline import trace_encoding, written_so_far
from tests.helpers.bundles import encoder_decoder_bundle, save_tiny, tiny_bundle
from tests.helpers.encoders import ENCODERS, save_encoder
from tests.helpers.huggingface import MAKERS, change_tensors, save_theirs
from tests.helpers.two_sides import TWO_SIDED, save_pair

TEXT = "the cat sat on the mat"


def held(bundle: Bundle, text: str = TEXT, target: str = "") -> Comparison:
    written = written_so_far(bundle, target) if target else None
    encoding = bundle.tokenizer.encode(text)
    read, written, texts = beginning(bundle, encoding, written)
    ours = numbers_of(trace_encoding(bundle, read, target=written))
    given = bundle.folder, bundle.config, texts, ours
    return against_transformers(*given, lambda _: None)


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


@pytest.mark.parametrize("name", TWO_SIDED)
def test_a_folder_of_two_sides_agrees_step_by_step(tmp_path, name):
    bundle = open_bundle(save_pair(tmp_path / name, name), device="cpu")
    found = held(bundle, target="a dog ran")
    steps = {row.step for row in found.rows}
    config = bundle.config
    n_layers = config.n_encoder_layers + config.n_layers
    n_patterns = n_layers + config.n_layers
    is_t5 = config.position == "relative"
    assert len(found.rows) == 2 + n_layers + n_patterns + is_t5 + 1
    assert {"decoder.layers.1.cross.pattern", "output.logits"} < steps
    assert found.first is None
    assert found.largest < 1e-4
    assert found.on.endswith(" tokens of the source and 6 of the target")


def test_without_a_target_the_start_token_is_compared(tmp_path):
    bundle = open_bundle(save_pair(tmp_path / "t5", "t5"), device="cpu")
    assert held(bundle).on == "10 tokens of the source and 1 of the target"


def test_of_both_texts_the_beginnings_are_compared():
    bundle = encoder_decoder_bundle(n_ctx=300)
    written = written_so_far(bundle, [6] * 200)
    read, target, texts = beginning(bundle, bundle.tokenizer.encode(TEXT), written)
    assert (len(read.ids), len(target.ids)) == (10, MOST_TOKENS)
    assert target.ids[0] == bundle.config.start_id
    assert texts.note == "Only the first 128 of 201 tokens were compared."
    assert (texts.source, texts.ids) == (read.ids, target.ids)


def test_two_sides_are_held_to_the_cpu_as_one_is():
    bundle = encoder_decoder_bundle()
    read, written = bundle.tokenizer.encode(TEXT), written_so_far(bundle, "a dog")
    assert against_cpu(bundle, read, written).first is None


@pytest.mark.parametrize(
    ("name", "tensor", "step"),
    [
        ("t5", "decoder.block.1.layer.1.EncDecAttention.q.weight", "cross.pattern"),
        ("t5", "encoder.final_layer_norm.weight", "encoder.output.norm"),
        (
            "t5",
            "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight",
            "encoder.layers.0.attn.pattern",
        ),
        ("bart", "model.decoder.layers.0.encoder_attn.v_proj.weight", "0.ffn.norm"),
        ("bart", "model.encoder.embed_positions.weight", "encoder.embed.norm"),
        ("marian", "final_logits_bias", "output.logits"),
    ],
)
def test_a_weight_of_two_sides_that_was_changed_is_found(tmp_path, name, tensor, step):
    bundle = open_bundle(save_pair(tmp_path / name, name), device="cpu")
    read, written = bundle.tokenizer.encode(TEXT), written_so_far(bundle, "a dog")
    read, written, texts = beginning(bundle, read, written)
    ours = numbers_of(trace_encoding(bundle, read, target=written))

    def spoil(tensors):
        tensors[tensor][..., :3] *= 1.5
        return tensors

    change_tensors(bundle.folder, spoil)
    given = bundle.folder, bundle.config, texts, ours
    found = against_transformers(*given, lambda _: None)
    assert found.first.step.endswith(step)


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
    given = bundle.folder, bundle.config, Texts(encoding.ids), ours
    found = against_transformers(*given, lambda _: None)
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
    given = bundle.folder, bundle.config, Texts(encoding.ids), ours
    found = against_transformers(*given, told.append)
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
    read, written, texts = beginning(bundle, encoding)
    assert (len(read.ids), written) == (MOST_TOKENS, None)
    assert texts.note == "Only the first 128 of 129 tokens were compared."
    assert against_cpu(bundle, encoding).note == texts.note
    short = bundle.tokenizer.encode(TEXT)
    read, _, texts = beginning(bundle, short)
    assert read is short
    assert (texts.ids, texts.note, texts.said) == (short.ids, "", "10 tokens")


def test_the_limit_grows_with_the_numbers_and_nan_is_only_like_nan():
    ours = {"a": np.array([1000.0, 1000.02]), "b": np.array([0.0, np.nan])}
    theirs = {"a": np.array([1000.0, 1000.0]), "b": np.array([0.0, 1.0])}
    a, b = compare(ours, theirs, "it", "2 tokens").rows
    assert a.agrees
    assert a.difference == pytest.approx(0.02)
    assert not b.agrees
    assert compare({"b": ours["b"]}, {"b": ours["b"]}, "it", "").first is None


def test_steps_are_named_in_words_that_count_from_one():
    names = (
        "embed.sum",
        "layers.11.attn.pattern",
        "layers.0.ffn.norm",
        "output.pooled",
        "encoder.embed.sum",
        "encoder.layers.0.attn.pattern",
        "decoder.layers.1.cross.pattern",
        "decoder.layers.1.resid_out",
        "encoder.output.norm",
    )
    told = (
        "embeddings",
        "layer 12 pattern",
        "layer 1 stream",
        "pooled",
        "encoder embeddings",
        "encoder layer 1 pattern",
        "decoder layer 2 cross pattern",
        "decoder layer 2 stream",
        "encoder norm",
    )
    assert tuple(ComparedStep(name, 0.0, 1.0).label for name in names) == told
