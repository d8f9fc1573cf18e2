"""Folders as people have them: odd, damaged and hostile, each told in a sentence."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from core.bundle import open_bundle
from core.checkpoints.families import FAMILIES
from core.checkpoints.huggingface import check_memory, read_huggingface
from core.checkpoints.places import name_of
from core.errors import CheckpointError, TraceError
from core.pipeline import run_trace
from tests.helpers.huggingface import (
    IDS,
    N_VOCAB,
    change_config,
    change_tensors,
    logits_of,
    notes_of,
    refused,
    save_theirs,
)

Q = "model.layers.1.self_attn.q_proj.weight"


# Which model it is.


def test_without_a_model_type_the_architecture_tells_and_that_is_said(tmp_path):
    folder = save_theirs(tmp_path)
    change_config(folder, "model_type")
    model = read_huggingface(folder)
    assert (
        "config.json has no model_type; read as GPT-2 because its architectures name "
        "GPT2LMHeadModel." in model.notes
    )


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, r"config\.json has neither model_type nor architectures"),
        ({"architectures": ["OPTModel"]}, r"architectures = \['OPTModel'\] is of no f"),
        ({"model_type": "mamba"}, r"config\.json: model_type = 'mamba' is not known"),
        ({"model_type": 3}, "model_type = 3 must be a text"),
    ],
)
def test_a_model_of_no_known_family_is_refused_by_name(tmp_path, fields, words):
    folder = save_theirs(tmp_path)
    change_config(folder, "model_type", "architectures", **fields)
    refused(folder, words)


@pytest.mark.parametrize("content", ["{", "[]", ""])
def test_a_config_that_is_no_table_is_refused(tmp_path, content):
    folder = save_theirs(tmp_path)
    (folder / "config.json").write_text(content)
    refused(folder, r"config\.json (is not readable JSON|holds no table)")


def test_an_empty_folder_and_a_missing_one_are_told_apart(tmp_path):
    refused(tmp_path, r"config\.json is missing")
    refused(tmp_path / "gone", "gone is not a folder")


@pytest.mark.parametrize(
    ("name", "fields", "words"),
    [
        ("gpt2", {"n_embd": "12"}, "n_embd = '12' must be a whole number"),
        ("gpt2", {"n_embd": None}, "has no n_embd"),
        ("gpt2", {"n_head": 5}, "n_embd = 12 cannot be shared by n_head = 5"),
        ("gpt2", {"activation_function": "mish"}, "'mish' is not known here; gelu"),
        ("gpt2", {"scale_attn_weights": False}, "scale_attn_weights = False is not"),
        ("gpt2", {"tie_word_embeddings": "no"}, "must be true or false"),
        ("gpt2", {"quantization_config": {"bits": 4}}, "quantization_config = "),
        (
            "llama",
            {"num_key_value_heads": 3},
            "= 4 cannot be grouped over num_key_value_heads",
        ),
        ("llama", {"hidden_size": None}, "has no hidden_size"),
        ("llama", {"rope_parameters": 3}, "rope_parameters = 3 must be a table"),
        ("llama", {"rms_norm_eps": "a"}, "rms_norm_eps = 'a' must be a number"),
        ("llama", {"partial_rotary_factor": 0.5}, "partial_rotary_factor = 0.5"),
        (
            "llama",
            {"rope_parameters": {"rope_type": "yarn", "factor": 2}},
            "rope_type = 'yarn' is not known here; default, linear, llama3 are",
        ),
        (
            "llama",
            {"rope_parameters": {"rope_type": "linear", "rope_theta": 1e4}},
            "has no factor",
        ),
        (
            "llama",
            {"rope_parameters": {"full_attention": {"rope_theta": 1e4}}},
            "full_attention",
        ),
        (
            "qwen2",
            {
                "use_sliding_window": True,
                "sliding_window": 8,
                "max_window_layers": 1,
                "layer_types": None,
            },
            "max_window_layers = 1 gives a window to some of the layers alone",
        ),
        (
            "qwen2",
            {
                "use_sliding_window": True,
                "layer_types": ["full_attention", "sliding_attention"],
            },
            "layer_types = .* gives a window to some of the layers alone",
        ),
        ("mistral", {"sliding_window": -1}, "sliding_window = -1 must be at least 0"),
        ("gpt2", {"layer_norm_epsilon": 0}, "layer_norm_epsilon = 0.0 must be above"),
        ("gpt2", {"n_inner": -1}, "n_inner = -1 must be at least 0"),
        ("llama", {"rope_interleaved": True}, "rope_interleaved = True is not comput"),
        ("llama", {"head_dim": 7}, "head_dim must be even"),
        ("gemma", {"use_bidirectional_attention": True}, "use_bidirectional_att"),
    ],
)
def test_a_field_that_cannot_be_used_is_named_with_its_file(
    tmp_path, name, fields, words
):
    folder = save_theirs(tmp_path, name)
    change_config(folder, **fields)
    refused(folder, rf"config\.json.*{words}")


def test_code_of_a_folder_is_not_run_and_that_is_said(tmp_path):
    folder = save_theirs(tmp_path)
    (folder / "modeling_evil.py").write_text("raise SystemExit('run')")
    change_config(folder, auto_map={"AutoModelForCausalLM": "modeling_evil.Evil"})
    assert any("no code of a folder is ever run" in n for n in notes_of(folder))


def test_what_is_not_in_the_config_is_assumed_as_transformers_does_and_said(tmp_path):
    folder = save_theirs(tmp_path, "llama")
    change_config(folder, "rms_norm_eps", "hidden_act")
    (note,) = (n for n in notes_of(folder) if n.startswith("Not in config.json"))
    assert "hidden_act = silu" in note
    assert "rms_norm_eps = 1e-06" in note


# The names of its tensors.


@pytest.mark.parametrize("name", ["gpt2", "llama"])
def test_names_with_and_without_their_prefix_are_one_model(tmp_path, name):
    whole = save_theirs(tmp_path / "whole", name)
    bare = save_theirs(tmp_path / "bare", name)
    prefix = next(row.prefix for row in FAMILIES if row.model_type == name)
    change_tensors(bare, lambda t: {k.removeprefix(prefix): t[k] for k in t})
    assert torch.equal(logits_of(whole), logits_of(bare))


@pytest.mark.parametrize("wrapper", ["_orig_mod.", "module.", "module._orig_mod."])
def test_a_wrappers_prefix_is_taken_off_and_said_once(tmp_path, wrapper):
    folder = save_theirs(tmp_path)
    expected = logits_of(folder)
    change_tensors(folder, lambda t: {wrapper + k: t[k] for k in t})
    assert torch.equal(logits_of(folder), expected)
    (warning,) = read_huggingface(folder).warnings
    assert f'"{wrapper}" was taken off' in warning


def test_the_packed_matrices_of_gpt2_are_read_as_they_lie(tmp_path):
    folder = save_theirs(tmp_path, n_positions=16, vocab_size=97)
    stored = load_file(folder / "model.safetensors")
    assert stored["transformer.h.0.attn.c_attn.weight"].shape == (12, 36)
    weights = open_bundle(folder).weights
    packed = stored["transformer.h.0.attn.c_attn.weight"]
    for place, letter in enumerate("QKV"):
        part = packed[:, 12 * place : 12 * place + 12].reshape(12, 3, 4)
        assert torch.equal(weights[f"layers.0.attn.W_{letter}"], part)
    square = stored["transformer.h.0.attn.c_proj.weight"]
    assert torch.equal(weights["layers.0.attn.W_O"], square)


def test_a_tied_head_is_the_table_and_counts_once(tmp_path):
    folder = save_theirs(tmp_path, n_positions=16, vocab_size=97)
    assert "lm_head.weight" not in load_file(folder / "model.safetensors")
    bundle = open_bundle(folder)
    assert sum(weight.numel() for weight in bundle.weights.values()) == 5148
    trace = run_trace(bundle, ids=IDS)
    table = bundle.weights["embed.W_E"].numpy()
    assert trace["output.logits"] == pytest.approx(
        trace["output.norm"] @ table.T, abs=1e-5
    )


def test_a_head_that_is_stored_though_tied_is_no_surplus(tmp_path):
    folder = save_theirs(tmp_path)
    table = "transformer.wte.weight"
    change_tensors(folder, lambda t: {**t, "lm_head.weight": t[table].clone()})
    model = read_huggingface(folder)
    assert (model.config.tie_embeddings, model.warnings) == (True, ())


def test_a_head_that_differs_though_tied_is_used_and_said(tmp_path):
    folder = save_theirs(tmp_path)
    table = "transformer.wte.weight"
    change_tensors(folder, lambda t: {**t, "lm_head.weight": 2 * t[table]})
    model = read_huggingface(folder)
    assert not model.config.tie_embeddings
    (warning,) = model.warnings
    assert "lm_head.weight differs from transformer.wte.weight" in warning


def test_a_head_that_is_neither_stored_nor_tied_is_never_invented(tmp_path):
    folder = save_theirs(tmp_path, "llama")
    change_tensors(folder, lambda t: {k: t[k] for k in t if k != "lm_head.weight"})
    refused(folder, r"lacks lm_head\.weight;")


def test_missing_tensors_are_named_and_counted(tmp_path):
    folder = save_theirs(tmp_path, "llama")
    change_tensors(folder, lambda t: {k: t[k] for k in t if "q_proj" not in k})
    refused(folder, r"lacks model\.layers\.0\.self_attn\.q_proj\.weight and 1 more wei")


def test_surplus_tensors_are_named_and_the_model_opens(tmp_path):
    folder = save_theirs(tmp_path, "llama")
    extra = {"model.layers.0.self_attn.q_proj.bias": torch.ones(32)}
    change_tensors(folder, lambda t: {**t, **extra})
    (warning,) = read_huggingface(folder).warnings
    assert "model.layers.0.self_attn.q_proj.bias, which Llama has no place" in warning


def test_tensors_that_follow_from_the_config_are_no_surplus(tmp_path):
    folder = save_theirs(tmp_path)
    masks = {f"transformer.h.{i}.attn.bias": torch.ones(1, 1, 32, 32) for i in (0, 1)}
    change_tensors(folder, lambda t: {**t, **masks})
    model = read_huggingface(folder)
    assert model.warnings == ()
    said = "Computed anew instead of read: transformer.h.0.attn.bias and 1 more tensors"
    assert any(note.startswith(said) for note in model.notes)


@pytest.mark.parametrize(
    ("tensor", "words"),
    [
        (torch.zeros(16, 32), r"has the shape \(16, 32\), config\.json asks for \(32,"),
        (torch.zeros(32, 32, dtype=torch.int8), "holds I8, which is not read here"),
    ],
)
def test_a_tensor_that_does_not_fit_is_named(tmp_path, tensor, words):
    folder = save_theirs(tmp_path, "llama")
    change_tensors(folder, lambda t: {**t, Q: tensor})
    refused(folder, rf"model\.safetensors: {Q} {words}")


def test_more_layers_than_the_config_has_are_surplus_and_fewer_are_missing(tmp_path):
    folder = save_theirs(tmp_path, "llama")
    change_config(folder, num_hidden_layers=1)
    assert "and 8 more tensors" in read_huggingface(folder).warnings[0]
    change_config(folder, num_hidden_layers=10**6)
    refused(folder, "lacks layers: its weights have 2, config.json asks for 1000000")


# What its numbers are.


@pytest.mark.parametrize(
    ("dtype", "kind", "tolerance"),
    [(torch.float16, "float16", 1e-2), (torch.bfloat16, "bfloat16", 8e-2)],
)
def test_half_precision_computes_in_float32_and_says_so(
    tmp_path, dtype, kind, tolerance
):
    folder = save_theirs(tmp_path / "half", dtype=dtype)
    assert f"The file holds {kind}; computing in float32." in notes_of(folder)
    bundle = open_bundle(folder)
    assert all(weight.dtype == torch.float32 for weight in bundle.weights.values())
    expected = logits_of(save_theirs(tmp_path / "whole"))
    assert (logits_of(folder) - expected).abs().max() < tolerance
    pattern = run_trace(bundle, ids=IDS)["layers.0.attn.pattern"]
    assert pattern.sum(-1) == pytest.approx(1, abs=1e-5)


def test_gains_of_gemma_are_shown_whole_and_that_is_said(tmp_path):
    folder = save_theirs(tmp_path, "gemma")
    stored = load_file(folder / "model.safetensors")["model.norm.weight"]
    assert torch.equal(open_bundle(folder).weights["output.norm.gamma"], stored + 1)
    assert any("gains γ of the norms less 1" in note for note in notes_of(folder))


def test_biases_of_one_half_alone_are_zero_in_the_other_and_said(tmp_path):
    folder = save_theirs(tmp_path, "llama", attention_bias=True)
    weights = open_bundle(folder).weights
    assert not weights["layers.0.ffn.b_1"].any()
    assert weights["layers.0.attn.b_Q"].all()
    assert "Biases of mlp are not in this family; they are 0." in notes_of(folder)


@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16, torch.float16])
def test_values_that_are_no_numbers_are_counted(tmp_path, kind):
    folder = save_theirs(tmp_path, "llama")

    def spoil(tensors):
        tensors[Q][0, :2] = torch.tensor([torch.nan, torch.inf])
        return {name: tensor.to(kind) for name, tensor in tensors.items()}

    change_tensors(folder, spoil)
    (warning,) = read_huggingface(folder).warnings
    assert warning == "layers.1.attn.W_Q holds 1 NaN and 1 infinite values."


# Its tokenizer.


def test_ids_beyond_the_table_are_said_on_opening_and_refused_on_use(tmp_path):
    folder = save_theirs(tmp_path, vocab_size=97)
    bundle = open_bundle(folder)
    (warning,) = bundle.warnings
    assert f"The tokenizer has {N_VOCAB} ids, the model has 97 rows" in warning
    assert run_trace(bundle, "(").n == 1
    with pytest.raises(TraceError, match="Token id 116 has no row"):
        run_trace(bundle, "t")


def test_rows_beyond_the_tokenizer_are_quietly_said(tmp_path):
    folder = save_theirs(tmp_path, vocab_size=N_VOCAB + 3)
    bundle = open_bundle(folder)
    assert bundle.warnings == ()
    said = f"The tokenizer has {N_VOCAB} ids, the model has {N_VOCAB + 3} rows"
    assert any(note.startswith(said) for note in bundle.notes)
    assert run_trace(bundle, "the cat")["output.logits"].shape[1] == N_VOCAB + 3


def test_a_folder_without_a_tokenizer_is_refused(tmp_path):
    folder = save_theirs(tmp_path)
    (folder / "tokenizer.json").unlink()
    refused(folder, "has no tokenizer")


# Its size and its name.


def test_what_does_not_fit_is_refused_with_the_arithmetic(tmp_path):
    with pytest.raises(CheckpointError) as caught:
        check_memory(tmp_path, {"a": (10**9, 7), "b": (3,)}, available=16e9)
    assert (
        "holds 7,000,000,003 numbers; at 4 bytes each (float32) they need 28.0 GB, and "
        "16.0 GB are free" in str(caught.value)
    )
    check_memory(tmp_path, {"a": (10**9, 3)}, available=16e9)


def test_it_is_refused_before_a_number_is_read(tmp_path, monkeypatch):
    folder = save_theirs(tmp_path)
    monkeypatch.setattr("core.checkpoints.huggingface.available_memory", lambda: 1e3)
    monkeypatch.setattr("core.checkpoints.weight_files.WeightFiles.read", None)
    refused(folder, "0.0 GB are free")


def test_numbers_of_float32_are_not_copied_but_mapped(tmp_path):
    folder = save_theirs(tmp_path, "llama")
    weights = open_bundle(folder, device="cpu").weights.values()
    places = [weight.data_ptr() for weight in weights]
    assert max(places) - min(places) < (folder / "model.safetensors").stat().st_size


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("models/gpt2", "gpt2"),
        ("hub/models--org--small-model/snapshots/0a1b2c", "org/small-model"),
    ],
)
def test_a_model_in_the_cache_is_called_by_its_maker_and_its_name(folder, name):
    assert name_of(Path(folder)) == name
