"""Folders of T5, BART and Marian as people have them, each told in a sentence."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from transformers import T5ForConditionalGeneration

from core.bundle import open_bundle
from core.checkpoints.fields import read_fields
from core.checkpoints.generation import end_ids
from core.checkpoints.huggingface import read_huggingface
from core.pipeline import run_trace
from tests.helpers.huggingface import change_config, change_tensors, refused
from tests.helpers.sentencepiece_models import MARIAN as MARIAN_TOKENIZERS
from tests.helpers.two_sides import TWO_SIDED, save_pair

SOURCE, WRITTEN = (5, 6, 7, 8), (80, 81)
each_model = pytest.mark.parametrize("name", TWO_SIDED)
TABLES = {
    "t5": ("shared.weight", "encoder.embed_tokens.weight"),
    "bart": ("model.shared.weight", "model.decoder.embed_tokens.weight"),
}


def logits(folder: Path) -> torch.Tensor:
    trace = run_trace(open_bundle(folder, device="cpu"), ids=SOURCE, target=WRITTEN)
    return torch.tensor(trace["output.logits"])


def change_generation(folder: Path, **fields: Any) -> None:
    (folder / "generation_config.json").write_text(json.dumps(fields))


# The token that a text begins with.


@pytest.mark.parametrize(
    ("name", "start"), [("t5", 0), ("bart", 2), ("marian", 39), ("mt5", 0)]
)
def test_the_decoder_begins_with_the_token_that_the_file_names(tmp_path, name, start):
    bundle = open_bundle(save_pair(tmp_path, name), device="cpu")
    assert bundle.config.start_id == start
    assert run_trace(bundle, ids=SOURCE).ids == (start,)


def test_without_one_t5_begins_with_padding_and_that_is_said(tmp_path):
    folder = save_pair(tmp_path, "t5", pad_token_id=3, decoder_start_token_id=None)
    change_config(folder, "decoder_start_token_id")
    change_generation(folder)
    model = read_huggingface(folder)
    assert model.config.start_id == 3
    assert (
        "Neither config.json nor generation_config.json has decoder_start_token_id; "
        "texts begin with pad_token_id = 3, as this family's do." in model.notes
    )


def test_it_is_looked_for_in_the_settings_of_generation_too(tmp_path):
    folder = save_pair(tmp_path, "t5")
    change_config(folder, "decoder_start_token_id")
    change_generation(folder, decoder_start_token_id=7)
    model = read_huggingface(folder)
    assert model.config.start_id == 7
    assert "decoder_start_token_id = 7 is from generation_config.json." in model.notes


@pytest.mark.parametrize(("name", "start"), [("bart", 2), ("marian", 39)])
def test_else_it_is_the_class_s_or_padding_where_that_is_no_token(
    tmp_path, name, start
):
    folder = save_pair(tmp_path, name)
    change_config(folder, "decoder_start_token_id")
    change_generation(folder)
    assert read_huggingface(folder).config.start_id == start


def test_two_files_that_differ_are_told(tmp_path):
    folder = save_pair(tmp_path, "bart")
    change_generation(folder, decoder_start_token_id=9)
    model = read_huggingface(folder)
    assert model.config.start_id == 2
    assert any("generation_config.json 9; the text begins" in w for w in model.warnings)


def test_settings_that_are_no_json_are_told_once(tmp_path):
    folder = save_pair(tmp_path, "bart")
    (folder / "generation_config.json").write_text("{")
    said = "generation_config.json is not readable JSON and was not read."
    assert read_huggingface(folder).warnings == (said,)


def test_what_generation_does_not_carry_out_is_listed(tmp_path):
    folder = save_pair(tmp_path, "marian")
    change_config(folder, num_beams=1, forced_bos_token_id=0)
    change_generation(folder, num_beams=6, bad_words_ids=[[39]], length_penalty=1.0)
    (note,) = (n for n in read_huggingface(folder).notes if "not carried out" in n)
    assert note.endswith(
        "here: forced_bos_token_id = 0, forced_eos_token_id = 0, num_beams = 6, "
        "bad_words_ids = [[39]]."
    )


def test_tasks_that_stand_in_front_of_a_source_are_told(tmp_path):
    folder = save_pair(tmp_path, "t5")
    tasks = {"summarization": {"prefix": "summarize: "}, "other": {"num_beams": 4}}
    change_config(folder, task_specific_params=tasks)
    assert any(
        "source: “summarize: ”." in note for note in read_huggingface(folder).notes
    )


def test_the_tokens_that_end_a_text_are_one_or_several(tmp_path):
    folder = save_pair(tmp_path, "bart")
    assert end_ids(read_fields(folder)) == (2,)
    change_generation(folder, eos_token_id=[2, 5])
    assert end_ids(read_fields(folder)) == (2, 5)
    change_config(folder, "eos_token_id")
    change_generation(folder)
    assert end_ids(read_fields(folder)) == ()


# Fields that cannot be carried out.


@pytest.mark.parametrize(
    ("name", "fields", "words"),
    [
        ("t5", {"model_type": "umt5"}, "model_type = 'umt5' is not known here"),
        ("bart", {"model_type": "mbart"}, "model_type = 'mbart' is not known here"),
        ("t5", {"feed_forward_proj": "gated-mish"}, "feed_forward_proj = 'gated-mish'"),
        ("t5", {"feed_forward_proj": "wide-relu"}, "feed_forward_proj = 'wide-relu'"),
        ("t5", {"num_layers": 0}, "num_layers = 0 must be at least 1"),
        ("t5", {"num_decoder_layers": 0}, "num_decoder_layers = 0 must be at least 1"),
        ("t5", {"num_heads": None}, "has no num_heads"),
        ("t5", {"relative_attention_num_buckets": 6}, "relative_attention_num_bucke"),
        ("t5", {"relative_attention_max_distance": 4}, "relative_attention_max_dist"),
        ("t5", {"layer_norm_epsilon": 0}, "layer_norm_epsilon = 0.0 must be above"),
        ("t5", {"is_encoder_decoder": False}, "is_encoder_decoder = False"),
        ("t5", {"decoder_start_token_id": 999}, "decoder_start_token_id = 999 must"),
        ("t5", {"decoder_start_token_id": -1}, "decoder_start_token_id = -1 must be"),
        (
            "t5",
            {"architectures": ["T5EncoderModel"]},
            r"architectures = \['T5EncoderModel'\] is an encoder alone: it reads and",
        ),
        (
            "bart",
            {"architectures": ["BartForCausalLM"]},
            r"architectures = \['BartForCausalLM'\] is a decoder alone: it has no sou",
        ),
        (
            "bart",
            {"decoder_attention_heads": 2},
            "decoder_attention_heads = 2 differs from encoder_attention_heads = 3",
        ),
        (
            "bart",
            {"decoder_ffn_dim": 24},
            "decoder_ffn_dim = 24 differs from encoder_ffn_dim = 20; here both sides",
        ),
        ("bart", {"encoder_layers": 0}, "encoder_layers = 0 must be at least 1"),
        ("bart", {"normalize_before": True}, "normalize_before = True is not compu"),
        ("bart", {"normalize_embedding": False}, "normalize_embedding = False is"),
        ("bart", {"static_position_embeddings": True}, "static_position_embeddings"),
        ("bart", {"extra_pos_embeddings": 0}, "extra_pos_embeddings = 0 is not comp"),
        ("bart", {"activation_function": "mish"}, "activation_function = 'mish'"),
        ("bart", {"scale_embedding": "yes"}, "scale_embedding = 'yes' must be true"),
        (
            "marian",
            {"share_encoder_decoder_embeddings": False},
            "share_encoder_decoder_embeddings = False is not computed here, only True",
        ),
        ("marian", {"decoder_vocab_size": 41}, "decoder_vocab_size = 41 is not"),
        ("marian", {"static_position_embeddings": 3}, "static_position_embeddings = 3"),
        ("marian", {"normalize_embedding": True}, "normalize_embedding = True"),
        ("marian", {"d_model": 13}, "d_model = 13 cannot be shared by encoder_atten"),
    ],
)
def test_a_field_that_cannot_be_used_is_named_with_its_file(
    tmp_path, name, fields, words
):
    folder = save_pair(tmp_path, name)
    change_config(folder, **fields)
    refused(folder, rf"config\.json.*{words}")


# What the files hold.


def test_a_base_model_without_a_head_reads_logits_off_its_table(tmp_path):
    for name in ("bart", "marian"):
        folder = save_pair(tmp_path / name, name)
        shift = load_file(folder / "model.safetensors")["final_logits_bias"]
        expected = logits(folder) - shift
        change_tensors(
            folder,
            lambda t: {
                k.removeprefix("model."): t[k] for k in t if k != "final_logits_bias"
            },
        )
        assert not open_bundle(folder, device="cpu").config.output_bias
        torch.testing.assert_close(logits(folder), expected, rtol=0, atol=1e-5)


@each_model
def test_one_side_alone_is_refused_as_what_it_is(tmp_path, name):
    for side, other in (("encoder", "decoder"), ("decoder", "encoder")):
        folder = save_pair(tmp_path / f"{name} {side}", name)
        change_tensors(folder, lambda t, o=other: {k: t[k] for k in t if o not in k})
        refused(folder, f" is an? {side} alone: .*; choose the folder of the whole")


@each_model
def test_missing_tensors_are_named_and_counted_on_both_sides(tmp_path, name):
    for side in ("encoder", "decoder"):
        folder = save_pair(tmp_path / f"{name} {side}", name)
        tensors = load_file(folder / "model.safetensors")
        gone = next(
            k
            for k in tensors
            if side in k and k.endswith(("q.weight", "q_proj.weight"))
        )
        change_tensors(folder, lambda t, g=gone: {k: t[k] for k in t if k != g})
        refused(folder, rf"lacks {gone};")


@each_model
def test_fewer_layers_than_the_config_has_are_told_by_side(tmp_path, name):
    is_t5 = name in ("t5", "flan", "mt5")
    for side in ("encoder", "decoder"):
        folder = save_pair(tmp_path / f"{name} {side}", name)
        field = f"{side}_layers"
        if is_t5:
            field = {"encoder": "num_layers", "decoder": "num_decoder_layers"}[side]
        change_config(folder, **{field: 10**6})
        refused(folder, rf"lacks layers of the {side}: its weights have \d, config\.")


def test_layers_under_names_of_no_class_count_for_none(tmp_path):
    folder = save_pair(tmp_path, "marian")
    change_tensors(folder, lambda t: {f"mine.{name}": t[name] for name in t})
    refused(folder, r"lacks layers of the decoder: its weights have 0, config\.json")


def test_sizes_that_two_tokenizers_share_are_told_once(tmp_path):
    n_vocab = 90  # the tokenizers have 81 ids
    sizes = dict(vocab_size=n_vocab, decoder_vocab_size=n_vocab)
    folder = save_pair(tmp_path, "marian", **sizes)
    (folder / "tokenizer.json").unlink()
    for name in ("source.spm", "target.spm", "vocab.json"):
        shutil.copy(MARIAN_TOKENIZERS / name, folder / name)
    notes = read_huggingface(folder).notes
    assert len([note for note in notes if "the model has 90 rows" in note]) == 1


@each_model
def test_surplus_tensors_are_named_and_the_model_opens(tmp_path, name):
    folder = save_pair(tmp_path, name)
    expected = logits(folder)
    change_tensors(folder, lambda t: {**t, "classification_head.weight": torch.ones(1)})
    assert any(
        "classification_head.weight, which" in w
        for w in read_huggingface(folder).warnings
    )
    assert torch.equal(logits(folder), expected)


@each_model
def test_a_tensor_of_another_shape_is_named(tmp_path, name):
    folder = save_pair(tmp_path, name)
    tensors = load_file(folder / "model.safetensors")
    wrong = next(k for k in tensors if k.endswith(("k.weight", "k_proj.weight")))
    change_tensors(folder, lambda t: {**t, wrong: t[wrong][:-1].clone()})
    refused(folder, rf"{wrong} has the shape .* config\.json asks for")


def test_what_is_added_to_logits_is_one_row(tmp_path):
    folder = save_pair(tmp_path, "marian")
    name = "final_logits_bias"
    stored = load_file(folder / "model.safetensors")[name]
    assert torch.equal(open_bundle(folder).weights["output.b_U"], stored[0])
    change_tensors(folder, lambda t: {**t, name: t[name][:, 1:].clone()})
    refused(folder, r"final_logits_bias has the shape \(1, \d+\), .* \(1, \d+\)")


@pytest.mark.parametrize("name", TABLES)
def test_a_table_that_is_stored_again_is_one_and_another_one_is_refused(tmp_path, name):
    table, again = TABLES[name]
    folder = save_pair(tmp_path, name)
    expected = logits(folder)
    change_tensors(folder, lambda t: {**t, again: t[table].clone()})
    model = read_huggingface(folder)
    assert model.warnings == ()
    assert f"The table of embeddings is stored as {again}, too." in model.notes
    assert torch.equal(logits(folder), expected)
    change_tensors(folder, lambda t: {**t, again: 2 * t[table]})
    refused(folder, f"{again} differs from {table}; a model whose sides have tables")


@pytest.mark.parametrize("name", TABLES)
def test_a_table_under_another_name_is_found(tmp_path, name):
    table, again = TABLES[name]
    for place, there in enumerate((again, "lm_head.weight")):
        folder = save_pair(tmp_path / str(place), name)
        expected = logits(folder)
        change_tensors(
            folder, lambda t, n=there: {n if k == table else k: t[k] for k in t}
        )
        assert torch.equal(logits(folder), expected)


def test_a_tensor_that_no_t5_uses_is_told_quietly(tmp_path):
    folder = save_pair(tmp_path, "t5")
    name = "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight"
    change_tensors(folder, lambda t: {**t, name: torch.ones(8, 4)})
    model = read_huggingface(folder)
    assert model.warnings == ()
    assert f"Not used, nor by transformers: {name}." in model.notes


# T5's two versions say the same by different fields.


@pytest.mark.parametrize(
    ("fields", "without", "is_scaled"),
    [
        ({"tie_word_embeddings": False}, ("scale_decoder_outputs",), False),
        ({"tie_word_embeddings": True}, ("scale_decoder_outputs",), True),
        ({}, ("tie_word_embeddings", "scale_decoder_outputs"), True),
        ({"tie_word_embeddings": True, "scale_decoder_outputs": False}, (), False),
    ],
)
def test_whether_the_last_rows_are_divided_is_read_as_there(
    tmp_path, fields, without, is_scaled
):
    folder = save_pair(tmp_path, "flan")
    change_config(folder, *without, **fields)
    bundle = open_bundle(folder, device="cpu")
    config = bundle.config
    assert (config.scale_output, config.tie_embeddings) == (is_scaled, False)
    assert bundle.warnings == ()
    theirs = T5ForConditionalGeneration.from_pretrained(folder)
    with torch.inference_mode():
        answer = theirs(
            torch.tensor([SOURCE]), decoder_input_ids=torch.tensor([(0, *WRITTEN)])
        )
    torch.testing.assert_close(logits(folder), answer.logits[0], rtol=0, atol=1e-5)


def test_a_head_of_t5_that_is_the_table_again_is_tied(tmp_path):
    folder = save_pair(tmp_path, "t5")
    expected = logits(folder)
    table = "shared.weight"
    change_tensors(folder, lambda t: {**t, "lm_head.weight": t[table].clone()})
    bundle = open_bundle(folder, device="cpu")
    assert (bundle.config.tie_embeddings, bundle.warnings) == (True, ())
    assert torch.equal(logits(folder), expected)


def test_a_bend_that_newer_files_name_apart_goes_before(tmp_path):
    folder = save_pair(tmp_path, "flan")
    assert open_bundle(folder).config.activation == "gelu_tanh"
    change_config(folder, dense_act_fn="gelu")
    assert open_bundle(folder).config.activation == "gelu"
    change_config(folder, "dense_act_fn", "is_gated_act")
    config = open_bundle(folder).config
    assert (config.activation, config.gated) == ("gelu_tanh", True)


# Tokenizers.


def test_a_start_that_is_no_token_is_refused(tmp_path):
    folder = save_pair(tmp_path, "bart", vocab_size=400, decoder_start_token_id=300)
    refused(folder, r"decoder_start_token_id = 300 is none of the tokenizer's 2\d\d")


def test_one_tokenizer_is_for_both_texts(tmp_path):
    for name in ("t5", "bart"):
        bundle = open_bundle(save_pair(tmp_path / name, name), device="cpu")
        assert bundle.written_with is None
        assert bundle.target_tokenizer is bundle.tokenizer


def test_a_t5_folder_with_its_own_tokenizer_is_read_from_text_to_text(tmp_path):
    folder = save_pair(tmp_path, "t5", vocab_size=200)
    (folder / "tokenizer.json").unlink()
    shutil.copy(MARIAN_TOKENIZERS.parent / "t5" / "spiece.model", folder)
    bundle = open_bundle(folder, device="cpu")
    trace = run_trace(bundle, "the cat played", target="a dog")
    assert trace.ids[0] == 0
    assert trace.source.ids == bundle.tokenizer.encode("the cat played").ids
    assert trace["output.logits"].shape == (len(trace.ids), 200)
