"""Models of two sides that are exported open in `transformers` and say the same."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForSeq2SeqLM

from core.analysis.reference import against_transformers, beginning, numbers_of
from core.bundle import open_bundle
from core.checkpoints.export import export, obstacle
from core.checkpoints.native import save_model
from core.config import ModelConfig
from core.errors import CheckpointError
from core.generation.generate import generate
from core.generation.sampling import Sampling
from core.pipeline import trace_encoding, written_so_far
from tests.helpers.bundles import (
    TWO_SIDES,
    encoder_decoder_bundle,
    save_tiny,
    tiny_bundle,
)

TOLERANCE = 1e-5
SOURCE, WRITTEN = (5, 6, 7, 8, 260, 2, 5, 5, 101, 32), (3, 80, 81, 9)
SIDES = {"n_encoder_layers": 3, "n_layers": 2, "start_id": 3, "d_ff": 21}
Y2017, T5 = {**SIDES, **TWO_SIDES["2017"]}, {**SIDES, **TWO_SIDES["T5"]}
MARIAN, BART = {**SIDES, **TWO_SIDES["Marian"]}, {**SIDES, **TWO_SIDES["BART"]}
EXPORTED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("marian", Y2017),
    ("marian", {**Y2017, "bias": False, "tie_embeddings": False}),
    ("marian", {**Y2017, "sinusoid_base": 7.0, "activation": "gelu_tanh"}),
    ("marian", {**Y2017, "position": "learned", "position_offset": 1}),
    ("marian", MARIAN),
    ("bart", BART),
    ("bart", {**BART, "position_offset": 0, "output_bias": False}),
    ("bart", {**BART, "position": "none", "position_offset": 0, "bias": False}),
    ("bart", {**BART, "scale_embeddings": True, "tie_embeddings": False}),
    ("t5", T5),
    ("t5", {**T5, "gated": True, "activation": "gelu_tanh", "eps": 0.1}),
    ("t5", {**T5, "gated": True, "activation": "gelu", "d_head": 5}),
    ("t5", {**T5, "tie_embeddings": False, "scale_output": False}),
    ("t5", {**T5, "scale_output": False, "activation": "silu"}),
)


def logits(model: Any) -> torch.Tensor:
    with torch.inference_mode():
        found: torch.Tensor = model(
            torch.tensor([WRITTEN]), source=torch.tensor([SOURCE])
        )
    return found


@pytest.mark.parametrize(("name", "fields"), EXPORTED, ids=str)
def test_transformers_and_this_program_give_the_same_logits(
    tmp_path: Path, name: str, fields: dict[str, Any]
) -> None:
    folder = tmp_path / "theirs"
    assert export(save_tiny(tmp_path / "ours", **fields), folder) == name
    loaded: Any = AutoModelForSeq2SeqLM.from_pretrained(
        folder, output_loading_info=True
    )
    theirs, report = loaded
    missing = {n for n in report["missing_keys"] if "embed_positions" not in n}
    assert not missing
    assert not report["unexpected_keys"]
    expected = logits(tiny_bundle(**fields).model)
    with torch.inference_mode():
        found = theirs.eval()(
            torch.tensor([SOURCE]), decoder_input_ids=torch.tensor([WRITTEN])
        ).logits
    assert expected.std() > 0.1
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=TOLERANCE)
    again = open_bundle(folder, device="cpu")
    torch.testing.assert_close(logits(again.model), expected, rtol=1e-5, atol=TOLERANCE)
    assert again.config.start_id == 3


def test_it_begins_and_ends_there_as_here(tmp_path: Path) -> None:
    bundle = tiny_bundle(**Y2017)
    end = bundle.tokenizer.specials["<|endoftext|>"]
    folder = save_tiny(tmp_path / "ours", **Y2017)
    export(folder, tmp_path / "theirs")
    asked = json.loads((tmp_path / "theirs" / "generation_config.json").read_text())
    assert (asked["decoder_start_token_id"], asked["eos_token_id"]) == (3, end)
    theirs = AutoModelForSeq2SeqLM.from_pretrained(tmp_path / "theirs").eval()
    expected = theirs.generate(
        torch.tensor([SOURCE]), max_new_tokens=12, do_sample=False, use_cache=False
    )
    written = generate(
        bundle.model, (3,), Sampling(temperature=0), 12, source=SOURCE, stop_ids=(end,)
    )
    assert [3, *(token.token_id for token in written)] == expected[0].tolist()


def test_its_card_names_the_class_that_opens_it(tmp_path: Path) -> None:
    export(save_tiny(tmp_path / "ours", **Y2017), tmp_path / "theirs")
    text = (tmp_path / "theirs" / "README.md").read_text(encoding="utf-8")
    assert 'AutoModelForSeq2SeqLM.from_pretrained("this folder")' in text
    assert "pipeline_tag: text2text-generation" in text
    assert "The waves that tell positions are stored as tables." in text


@pytest.mark.parametrize("fields", [Y2017, T5, BART], ids=["2017", "T5", "BART"])
def test_a_model_of_ours_is_checked_against_the_reference(
    tmp_path: Path, fields: dict[str, Any]
) -> None:
    bundle = open_bundle(save_tiny(tmp_path / "ours", **fields), device="cpu")
    written = written_so_far(bundle, "a dog")
    read = bundle.tokenizer.encode("the cat sat")
    encoding, target, texts = beginning(bundle, read, written)
    ours = numbers_of(trace_encoding(bundle, encoding, target=target))
    given = bundle.folder, bundle.config, texts, ours
    found = against_transformers(*given, lambda _: None)
    assert found.first is None
    assert found.note.startswith("The model was exported as ")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({**Y2017, "norm_place": "pre"}, "Marian, would need norm_place = 'post'"),
        ({**Y2017, "eps": 0.1}, "Marian, would need eps = 1e-05 instead of 0.1"),
        ({**T5, "bias": True}, "T5, would need bias = False instead of True"),
        ({**T5, "scale_scores": True}, "T5, would need scale_scores = False"),
        ({**MARIAN, "gated": True}, "Marian, would need gated = False"),
    ],
)
def test_what_no_class_can_be_is_named(fields: dict[str, Any], words: str) -> None:
    sizes = {"d_model": 8, "n_heads": 2}
    assert words in obstacle(ModelConfig(**{**sizes, **fields}))


def test_two_tokenizers_are_not_exported(tmp_path: Path) -> None:
    bundle = encoder_decoder_bundle()
    given = bundle.config, bundle.weights, bundle.tokenizer
    (tmp_path / "ours").mkdir()
    save_model(tmp_path / "ours", *given, name="two", written_with=bundle.tokenizer)
    with pytest.raises(CheckpointError, match="it has two tokenizers"):
        export(tmp_path / "ours", tmp_path / "theirs")
