"""Models as they are published: old fields, old files, numbers in half precision."""

from pathlib import Path
from typing import Any

import pytest
import torch

from core.bundle import open_bundle
from core.checkpoints.families import family_of
from core.checkpoints.fields import Fields
from core.model.encoder_decoder import n_parameters
from core.pipeline import run_trace
from tests.helpers.huggingface import notes_of
from tests.helpers.two_sides import TWO_SIDED, save_pair, tiny_pair

T5_SMALL: dict[str, Any] = {
    "architectures": ["T5WithLMHeadModel"],
    "d_ff": 2048,
    "d_kv": 64,
    "d_model": 512,
    "decoder_start_token_id": 0,
    "dropout_rate": 0.1,
    "eos_token_id": 1,
    "initializer_factor": 1.0,
    "is_encoder_decoder": True,
    "layer_norm_epsilon": 1e-06,
    "model_type": "t5",
    "n_positions": 512,
    "num_heads": 8,
    "num_layers": 6,
    "output_past": True,
    "pad_token_id": 0,
    "relative_attention_num_buckets": 32,
    "task_specific_params": {
        "summarization": {"num_beams": 4, "prefix": "summarize: "},
        "translation_en_to_de": {"prefix": "translate English to German: "},
    },
    "vocab_size": 32128,
}
FLAN_T5_SMALL: dict[str, Any] = {
    "architectures": ["T5ForConditionalGeneration"],
    "d_ff": 1024,
    "d_kv": 64,
    "d_model": 512,
    "decoder_start_token_id": 0,
    "eos_token_id": 1,
    "feed_forward_proj": "gated-gelu",
    "is_encoder_decoder": True,
    "layer_norm_epsilon": 1e-06,
    "model_type": "t5",
    "n_positions": 512,
    "num_decoder_layers": 8,
    "num_heads": 6,
    "num_layers": 8,
    "pad_token_id": 0,
    "relative_attention_max_distance": 128,
    "relative_attention_num_buckets": 32,
    "tie_word_embeddings": False,
    "vocab_size": 32128,
}
SIDES: dict[str, Any] = {
    "activation_dropout": 0.0,
    "add_bias_logits": False,
    "add_final_layer_norm": False,
    "decoder_layers": 6,
    "encoder_layers": 6,
    "id2label": {"0": "LABEL_0"},
    "init_std": 0.02,
    "is_encoder_decoder": True,
    "normalize_before": False,
    "num_hidden_layers": 6,
}
BART_BASE: dict[str, Any] = {
    **SIDES,
    "activation_function": "gelu",
    "architectures": ["BartModel"],
    "bos_token_id": 0,
    "d_model": 768,
    "decoder_attention_heads": 12,
    "decoder_ffn_dim": 3072,
    "decoder_start_token_id": 2,
    "encoder_attention_heads": 12,
    "encoder_ffn_dim": 3072,
    "eos_token_id": 2,
    "forced_bos_token_id": 0,
    "forced_eos_token_id": 2,
    "max_position_embeddings": 1024,
    "model_type": "bart",
    "no_repeat_ngram_size": 3,
    "normalize_embedding": True,
    "num_beams": 4,
    "pad_token_id": 1,
    "scale_embedding": False,
    "vocab_size": 50265,
}
OPUS_MT: dict[str, Any] = {
    **SIDES,
    "activation_function": "swish",
    "architectures": ["MarianMTModel"],
    "bad_words_ids": [[58100]],
    "bos_token_id": 0,
    "d_model": 512,
    "decoder_attention_heads": 8,
    "decoder_ffn_dim": 2048,
    "decoder_start_token_id": 58100,
    "decoder_vocab_size": 58101,
    "encoder_attention_heads": 8,
    "encoder_ffn_dim": 2048,
    "eos_token_id": 0,
    "extra_pos_embeddings": 58101,
    "forced_eos_token_id": 0,
    "max_length": 512,
    "max_position_embeddings": 512,
    "model_type": "marian",
    "normalize_embedding": False,
    "num_beams": 6,
    "pad_token_id": 58100,
    "scale_embedding": True,
    "share_encoder_decoder_embeddings": True,
    "static_position_embeddings": True,
    "vocab_size": 58101,
}
PUBLISHED = {
    "t5-small": (T5_SMALL, 60_506_624, 0),
    "flan-t5-small": (FLAN_T5_SMALL, 76_961_152, 0),
    "bart-base": (BART_BASE, 139_420_416, 2),
    "opus-mt": (OPUS_MT, 73_886_208, 58100),
}
"""Fields, start token, and weights but for what files alone tell of: final_logits_bias.
"""


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_models_are_read_as_they_are(name: str, tmp_path: Path) -> None:
    values, n_weights, start = PUBLISHED[name]
    fields = Fields(tmp_path / "config.json", values)
    family, inferred = family_of(fields)
    config = family.config_of(fields)
    assert (inferred, fields.odd) == ("", [])
    assert (n_parameters(config), config.start_id) == (n_weights, start)
    has_wishes = name != "flan-t5-small"
    assert len(fields.said) == has_wishes


def logits(folder: Path) -> torch.Tensor:
    bundle = open_bundle(folder, device="cpu")
    assert bundle.warnings == ()
    trace = run_trace(bundle, ids=(5, 6, 7, 8), target=(80, 81))
    return torch.tensor(trace["output.logits"])


@pytest.mark.parametrize("name", TWO_SIDED)
def test_an_old_file_that_holds_every_table_again_is_the_same_model(
    name: str, tmp_path: Path
) -> None:
    folder = save_pair(tmp_path, name)
    expected = logits(folder)
    torch.save(tiny_pair(name).state_dict(), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    assert torch.equal(logits(folder), expected)
    assert any("embed_tokens.weight and 1 more" in note for note in notes_of(folder))


@pytest.mark.parametrize("name", TWO_SIDED)
def test_half_precision_is_widened_number_by_number(name: str, tmp_path: Path) -> None:
    folder = save_pair(tmp_path, name)
    tiny_pair(name).to(torch.bfloat16).save_pretrained(folder)
    assert "The file holds bfloat16; computing in float32." in notes_of(folder)
    found, start = logits(folder), open_bundle(folder).config.start_id
    make: Any = TWO_SIDED[name][0]
    theirs = make.from_pretrained(folder, dtype=torch.float32)
    with torch.inference_mode():
        answer = theirs(
            torch.tensor([(5, 6, 7, 8)]),
            decoder_input_ids=torch.tensor([(start, 80, 81)]),
        )
    torch.testing.assert_close(found, answer.logits[0], rtol=1e-5, atol=1e-5)
