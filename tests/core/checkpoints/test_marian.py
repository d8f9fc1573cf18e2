"""Folders of Marian: waves that are stored, and two tokenizers."""

import json
import shutil
from pathlib import Path

import pytest
import torch
from transformers import MarianMTModel

from core.bundle import open_bundle
from core.checkpoints.huggingface import read_huggingface
from core.pipeline import run_trace
from core.tokenizers.folder import open_tokenizers
from tests.helpers.huggingface import change_config, change_tensors
from tests.helpers.sentencepiece_models import MARIAN as MARIAN_TOKENIZERS
from tests.helpers.two_sides import save_pair

SOURCE, WRITTEN = (5, 6, 7, 8), (80, 81)


def logits(folder: Path) -> torch.Tensor:
    trace = run_trace(open_bundle(folder, device="cpu"), ids=SOURCE, target=WRITTEN)
    return torch.tensor(trace["output.logits"])


# Waves that are stored.


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_stored_waves_are_those_that_are_computed(tmp_path, dtype):
    folder = save_pair(tmp_path, "marian")
    expected = logits(folder)
    waves = run_trace(open_bundle(folder, "cpu"), ids=[5] * 40)[
        "encoder.embed.position"
    ]
    stored = torch.tensor(waves).to(dtype)
    names = [f"model.{side}.embed_positions.weight" for side in ("encoder", "decoder")]
    change_tensors(folder, lambda t: {**t, **{n: stored.clone() for n in names}})
    model = read_huggingface(folder)
    assert (model.warnings, model.config.position) == ((), "sinusoidal")
    assert any(note.startswith("Computed anew instead of read") for note in model.notes)
    assert torch.equal(logits(folder), expected)


def test_other_places_than_waves_are_used_as_there_and_that_is_said(tmp_path):
    folder = save_pair(tmp_path, "marian")
    draw = torch.Generator().manual_seed(1)
    tables = {
        f"model.{side}.embed_positions.weight": torch.randn(40, 12, generator=draw)
        for side in ("encoder", "decoder")
    }
    change_tensors(folder, lambda t: {**t, **tables})
    (warning,) = read_huggingface(folder).warnings
    assert "encoder.embed_positions.weight differs from the waves by up to" in warning
    theirs = MarianMTModel.from_pretrained(folder)
    with torch.inference_mode():
        answer = theirs(
            torch.tensor([SOURCE]), decoder_input_ids=torch.tensor([(39, *WRITTEN)])
        )
    torch.testing.assert_close(logits(folder), answer.logits[0], rtol=0, atol=1e-5)


# Tokenizers.


def test_places_are_waves_whatever_the_field_says_and_that_is_told(tmp_path):
    folder = save_pair(tmp_path, "marian")
    expected = logits(folder)
    change_config(folder, static_position_embeddings=False)
    assert torch.equal(logits(folder), expected)
    said = "static_position_embeddings is false; its places are waves all the same."
    assert said in read_huggingface(folder).notes


def test_marian_reads_with_one_tokenizer_and_writes_with_another(tmp_path):
    n_vocab = len(json.loads((MARIAN_TOKENIZERS / "vocab.json").read_text()))
    folder = save_pair(
        tmp_path,
        "marian",
        vocab_size=n_vocab,
        decoder_vocab_size=n_vocab,
        pad_token_id=n_vocab - 1,
        decoder_start_token_id=n_vocab - 1,
    )
    (folder / "tokenizer.json").unlink()
    for name in ("source.spm", "target.spm", "vocab.json", "tokenizer_config.json"):
        shutil.copy(MARIAN_TOKENIZERS / name, folder / name)
    bundle = open_bundle(folder, device="cpu")
    assert bundle.written_with is not None
    pair = open_tokenizers(folder)
    text = "the cat played"
    trace = run_trace(bundle, text, target=text)
    assert trace.source.ids == pair.source.encode(text).ids
    plain = [
        piece.id for piece in pair.target.encode(text).pieces if not piece.is_added
    ]
    assert trace.ids == (n_vocab - 1, *plain)
    assert trace.source.ids[:-1] != trace.ids[1:]
    theirs = MarianMTModel.from_pretrained(folder)
    with torch.inference_mode():
        answer = theirs(
            torch.tensor([trace.source.ids]),
            decoder_input_ids=torch.tensor([trace.ids]),
        )
    found = torch.tensor(trace["output.logits"])
    torch.testing.assert_close(found, answer.logits[0], rtol=1e-5, atol=1e-5)
