"""What is exported opens in `transformers` and says the same."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from core.bundle import open_bundle
from core.checkpoints.export import EXPORTERS, export, main, obstacle
from core.checkpoints.exporter import Exporter
from core.config import ModelConfig
from core.errors import CheckpointError
from core.tokenizers.folder import open_tokenizer
from core.training.presets import PRESETS, Preset
from tests.helpers.bundles import save_tiny, tiny_bundle, tiny_tokenizer
from tests.helpers.runs import carry_out, write_run

TOLERANCE = 1e-4
SENTENCES = (
    "the cat sat on the mat",
    "  two spaces, 1234 and ünï 用户\n\n\tend ",
    "",
)
CHARACTERS = {"kind": "characters"}
GPT2: dict[str, Any] = {"position": "learned", "activation": "gelu_tanh"}
GPT: dict[str, Any] = {**GPT2, "norm_place": "post"}
LLAMA: dict[str, Any] = {
    "position": "rotary",
    "norm": "rms_norm",
    "gated": True,
    "activation": "silu",
    "bias": False,
    "n_heads": 4,
    "n_kv_heads": 2,
    "d_model": 16,
}
EXPORTED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("gpt2", GPT2),
    ("gpt2", {**GPT2, "activation": "gelu", "tie_embeddings": False}),
    ("gpt2", {**GPT2, "activation": "relu", "d_ff": 20, "eps": 0.01}),
    ("gpt2", {**GPT2, "bias": False}),
    ("gpt2", {**GPT2, "scale_embeddings": True}),
    ("gpt2", {**GPT2, "position": "sinusoidal", "sinusoid_base": 2.0}),
    ("gpt2", {**GPT2, "position": "none", "dropout": 0.5}),
    ("openai-gpt", GPT),
    ("openai-gpt", {**GPT, "activation": "relu", "scale_embeddings": True}),
    ("openai-gpt", {**GPT, "activation": "silu", "tie_embeddings": False}),
    ("llama", LLAMA),
    ("llama", {**LLAMA, "n_kv_heads": 1, "rotary_base": 500.0, "d_ff": 20}),
    ("llama", {**LLAMA, "tie_embeddings": False, "bias": True, "eps": 0.01}),
    ("llama", {**LLAMA, "activation": "gelu_tanh", "scale_embeddings": True}),
    ("llama", {**LLAMA, "d_head": 6, "rotary_scaling": "linear", "rotary_factor": 3}),
    ("llama", {**LLAMA, "rotary_scaling": "llama3", "rotary_n_ctx": 16}),
    ("mistral", {**LLAMA, "window": 3}),
    ("mixtral", {**LLAMA, "n_experts": 4, "n_experts_per_token": 2}),
    ("mixtral", {**LLAMA, "n_experts": 1, "window": 3, "scale_embeddings": True}),
    ("qwen2", {**LLAMA, "qkv_bias": True}),
    ("qwen3", {**LLAMA, "norm_qk": True, "d_head": 6}),
)


def config_with(**fields: Any) -> ModelConfig:
    return ModelConfig(**{"d_model": 8, "n_heads": 2, "n_layers": 2, **fields})


@pytest.mark.parametrize(("name", "fields"), EXPORTED, ids=str)
def test_transformers_gives_the_same_logits(
    tmp_path: Path, name: str, fields: dict[str, Any]
) -> None:
    folder = tmp_path / "Модель 模型 é"
    assert export(save_tiny(tmp_path / "ours", **fields), folder) == name
    loaded: Any = AutoModelForCausalLM.from_pretrained(folder, output_loading_info=True)
    theirs, report = loaded
    assert not any(report[key] for key in ("missing_keys", "unexpected_keys"))
    ids = torch.tensor([[5, 6, 7, 8, 260, 2, 5, 5, 101, 32]])
    with torch.no_grad():
        expected = tiny_bundle(**fields).model(ids)
        found = theirs.eval()(ids).logits
    assert expected.std() > 0.1  # there is something to compare
    assert (found - expected).abs().max() < TOLERANCE


@pytest.mark.parametrize(("name", "fields"), EXPORTED, ids=str)
def test_what_was_exported_opens_here_with_the_same_logits(
    tmp_path: Path, name: str, fields: dict[str, Any]
) -> None:
    folder = tmp_path / name
    export(save_tiny(tmp_path / "ours", **fields), folder)
    bundle = open_bundle(folder, device="cpu")
    assert bundle.warnings == ()
    ids = torch.tensor([[5, 6, 7, 8, 260, 2, 5, 5, 101, 32]])
    with torch.no_grad():
        found, expected = bundle.model(ids), tiny_bundle(**fields).model(ids)
    assert (found - expected).abs().max() < TOLERANCE


@pytest.mark.parametrize("fields", [GPT2, GPT, LLAMA], ids=["gpt2", "gpt", "llama"])
def test_transformers_gives_the_same_ids_and_text(
    tmp_path: Path, fields: dict[str, Any]
) -> None:
    export(save_tiny(tmp_path / "ours", **fields), tmp_path / "theirs")
    theirs = AutoTokenizer.from_pretrained(tmp_path / "theirs")
    for sentence in SENTENCES:
        ids = list(tiny_tokenizer().encode(sentence).ids)
        assert theirs(sentence)["input_ids"] == ids
        assert theirs.decode(ids) == sentence
    assert theirs.eos_token_id == tiny_tokenizer().specials["<|endoftext|>"]


def test_a_model_that_is_exported_writes_on(tmp_path: Path) -> None:
    export(save_tiny(tmp_path / "ours", **LLAMA), tmp_path / "theirs")
    theirs = AutoModelForCausalLM.from_pretrained(tmp_path / "theirs")
    ids = torch.tensor([[5, 6, 7]])
    written = theirs.generate(ids, max_new_tokens=4, do_sample=False)
    bundle = tiny_bundle(**LLAMA)
    expected = ids
    for _ in range(4):
        following = bundle.model(expected)[:, -1:].argmax(-1)
        expected = torch.cat((expected, following), dim=1)
    assert written.tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({**GPT2, "norm": "rms_norm"}, "norm = 'layer_norm' instead of 'rms_norm'"),
        ({**GPT2, "gated": True}, "gated = False instead of True"),
        ({**GPT2, "n_kv_heads": 1}, "n_kv_heads = 2 instead of 1"),
        ({**GPT2, "position": "rotary"}, "instead of 'rotary'"),
        ({**GPT, "d_ff": 20}, "norm_place = 'pre' instead of 'post'"),
        ({**LLAMA, "norm": "layer_norm"}, "norm = 'rms_norm' instead of 'layer_norm'"),
        ({**LLAMA, "norm_place": "post"}, "norm_place = 'pre' instead of 'post'"),
        ({**GPT2, "n_experts": 2}, "n_experts = 0 instead of 2"),
        ({**LLAMA, "gated": False}, "Llama, would need gated = True instead of False"),
    ],
)
def test_the_field_that_stands_in_the_way_is_named(
    fields: dict[str, Any], words: str
) -> None:
    assert words in obstacle(config_with(**fields))


def test_a_refused_model_leaves_nothing_behind(tmp_path: Path) -> None:
    ours = save_tiny(tmp_path / "ours", position="rotary")
    with pytest.raises(CheckpointError, match="cannot be exported: transformers has"):
        export(ours, tmp_path / "theirs")
    assert [path.name for path in tmp_path.iterdir()] == ["ours"]


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_every_preset_can_be_exported(preset: Preset) -> None:
    assert obstacle(preset.model) == ""


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (GPT2, []),
        (LLAMA, []),
        ({**LLAMA, "scale_embeddings": True}, ["multiplied by sqrt(d_model)"]),
        ({**GPT2, "position": "sinusoidal", "bias": False}, ["waves", "Biases"]),
        ({**GPT, "position": "none"}, ["table of positions is zero"]),
    ],
)
def test_the_card_says_what_is_stored_otherwise(
    tmp_path: Path, fields: dict[str, Any], words: list[str]
) -> None:
    export(save_tiny(tmp_path / "ours", **fields), tmp_path / "theirs")
    text = (tmp_path / "theirs" / "README.md").read_text(encoding="utf-8")
    assert ("In this format:" in text) == bool(words)
    assert all(word in text for word in words)


@pytest.mark.parametrize("exporter", EXPORTERS, ids=lambda exporter: exporter.name)
def test_every_need_is_a_field_of_a_model(exporter: Exporter) -> None:
    config = config_with()
    assert set(exporter.needs(config)) <= set(config.to_dict())


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    ours = save_tiny(tmp_path / "ours", **GPT2)
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "letter.txt").write_text("dear", encoding="utf-8")
    with pytest.raises(CheckpointError, match="is there already and is not empty"):
        export(ours, taken)
    assert (taken / "letter.txt").read_text(encoding="utf-8") == "dear"


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    export(save_tiny(tmp_path / "ours", **GPT2), tmp_path / "empty")
    assert sorted(path.name for path in (tmp_path / "empty").iterdir()) == [
        "README.md",
        "config.json",
        "generation_config.json",
        "model.safetensors",
        "tokenizer.json",
        "tokenizer_config.json",
    ]


def test_an_export_that_fails_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    ours = save_tiny(tmp_path / "ours", **GPT2)
    monkeypatch.setattr("core.files.os.fsync", full)
    with pytest.raises(CheckpointError, match="No space left on device"):
        export(ours, tmp_path / "theirs")
    assert [path.name for path in tmp_path.iterdir()] == ["ours"]


def test_a_run_is_exported_at_its_newest_checkpoint(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", model=GPT2)
    carry_out(run)
    assert main([str(run), str(tmp_path / "theirs")]) == 0
    text = (tmp_path / "theirs" / "README.md").read_text(encoding="utf-8")
    assert "# run, step 6\n" in text
    assert (tmp_path / "theirs" / "loss.png").read_bytes().startswith(b"\x89PNG")
    about = json.loads((tmp_path / "theirs" / "config.json").read_bytes())
    assert (about["model_type"], about["vocab_size"]) == ("gpt2", 257)


def test_a_run_without_a_checkpoint_is_refused_in_a_sentence(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    run = write_run(tmp_path / "run")
    assert main([str(run), str(tmp_path / "theirs")]) == 1
    assert "has no checkpoint yet" in caplog.text


def test_character_tokens_are_the_same_in_transformers(tmp_path: Path) -> None:
    run = write_run(
        tmp_path / "run",
        text=f"a\nb ü  🙂<|endoftext|>{'ab ' * 60}",
        tokenizer=CHARACTERS,
    )
    carry_out(run)
    export(run, tmp_path / "theirs")
    ours = open_tokenizer(run)
    theirs = AutoTokenizer.from_pretrained(tmp_path / "theirs")
    for text in ("a\n\nb", "ü  🙂", ""):
        ids = list(ours.encode(text).ids)
        assert theirs(text)["input_ids"] == ids
        assert theirs.decode(ids) == text
    assert theirs.eos_token_id == ours.specials["<|endoftext|>"]
    with pytest.raises(Exception, match="Missing"):
        theirs("abc")
    card = (tmp_path / "theirs" / "README.md").read_text("utf-8")
    assert "did not have is an error." in card
