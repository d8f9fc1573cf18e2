import dataclasses
import json
import math
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from core.bundle import open_bundle
from core.checkpoints.native import read_model, save_model, weight_shapes
from core.config import ModelConfig
from core.errors import CoreError
from core.pipeline import run_trace
from core.tokenizers.bpe import BpeTokenizer
from core.tokenizers.folder import save_tokenizer
from core.tokenizers.simple import learn_characters
from tests.helpers.bundles import (
    TWO_SIDES,
    encoder_decoder_bundle,
    save_tiny,
    tiny_bundle,
    tiny_tokenizer,
)

POINTER = (
    f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 123456\n"
)
W_Q = "layers.1.attn.W_Q"
Weights = dict[str, Tensor]


def change_weights(folder: Path, change: Callable[[Weights], Weights]) -> None:
    """Rewrite a folder's weights."""
    path = folder / "model.safetensors"
    weights = {address: weight.clone() for address, weight in load_file(path).items()}
    save_file(change(weights), path)


def change_about(folder: Path, **fields: object) -> None:
    """Rewrite fields of a folder's config.json."""
    path = folder / "config.json"
    about = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**about, **fields}), encoding="utf-8")


@pytest.mark.parametrize("tied", [True, False])
def test_what_was_saved_comes_back(tmp_path: Path, tied: bool) -> None:
    bundle = tiny_bundle(tie_embeddings=tied)
    model = read_model(save_tiny(tmp_path, "tiny", tie_embeddings=tied))
    assert (model.name, model.config) == ("tiny", bundle.config)
    assert (model.notes, model.warnings) == ((), ())
    assert model.tokenizer.fingerprint == tiny_tokenizer().fingerprint
    assert model.weights.keys() == bundle.weights.keys()
    for address, weight in bundle.weights.items():
        assert torch.equal(weight, model.weights[address]), address


@pytest.mark.parametrize("kind", TWO_SIDES)
def test_a_model_of_two_sides_comes_back(tmp_path: Path, kind: str) -> None:
    fields = {**TWO_SIDES[kind], "n_encoder_layers": 3, "start_id": 7}
    bundle = tiny_bundle(**fields)
    folder = save_tiny(tmp_path, "two sides", **fields)
    model = read_model(folder)
    assert (model.config, model.written_with) == (bundle.config, None)
    assert (model.config.start_id, model.config.n_encoder_layers) == (7, 3)
    assert model.weights.keys() == bundle.weights.keys()
    opened = open_bundle(folder, "cpu")
    ours, again = (
        run_trace(each, "the cat", target="a dog")["output.logits"]
        for each in (bundle, opened)
    )
    assert (ours == again).all()


def test_the_tokenizer_of_what_is_written_and_the_ends_come_back(
    tmp_path: Path,
) -> None:
    bundle = encoder_decoder_bundle("Marian")
    merges = bundle.tokenizer.merges
    other = BpeTokenizer.from_merges(tuple(reversed(merges)), bundle.tokenizer.specials)
    save_model(
        tmp_path,
        bundle.config,
        bundle.weights,
        bundle.tokenizer,
        name="two tongues",
        written_with=other,
        end_ids=(3, 5),
    )
    model = read_model(tmp_path)
    assert model.tokenizer.fingerprint == bundle.tokenizer.fingerprint
    assert model.written_with is not None
    assert model.written_with.fingerprint == other.fingerprint
    opened = open_bundle(tmp_path, "cpu")
    assert opened.end_ids == (3, 5)
    text = "the cat sat"
    assert opened.target_tokenizer.encode(text).ids == other.encode(text).ids
    assert opened.tokenizer.encode(text).ids != other.encode(text).ids
    (tmp_path / "target_tokenizer.json").unlink()
    with pytest.raises(CoreError, match=r"target_tokenizer\.json is missing"):
        read_model(tmp_path)


@pytest.mark.parametrize("side", ["encoder", "decoder"])
def test_layers_that_one_side_lacks_are_told(tmp_path: Path, side: str) -> None:
    folder = save_tiny(tmp_path, n_encoder_layers=2)
    change_weights(
        folder, lambda w: {k: w[k] for k in w if not k.startswith(f"{side}.layers.1")}
    )
    with pytest.raises(
        CoreError, match=r"weights of 3 layers, config\.json asks for 4"
    ):
        read_model(folder)


def test_a_tied_head_is_saved_once(tmp_path: Path) -> None:
    stored = load_file(save_tiny(tmp_path) / "model.safetensors")
    assert "embed.W_E" in stored
    assert "output.W_U" not in stored


def test_shapes_are_known_without_a_weight() -> None:
    config = ModelConfig(d_model=65_536, n_heads=64, n_layers=2)
    assert weight_shapes(config)["layers.1.attn.W_Q"] == (65_536, 64, 1024)


def test_half_precision_is_widened_and_said(tmp_path: Path) -> None:
    bundle = tiny_bundle()
    save_model(
        tmp_path,
        bundle.config,
        bundle.weights,
        tiny_tokenizer(),
        name="half",
        dtype=torch.float16,
    )
    model = read_model(tmp_path)
    assert model.notes == ("The file holds float16; computing in float32.",)
    assert model.warnings == ()
    assert torch.equal(model.weights[W_Q], bundle.weights[W_Q].half().float())


@pytest.mark.parametrize("wrapper", ["_orig_mod.", "module.", "module._orig_mod."])
def test_a_wrappers_prefix_is_taken_off_and_said(tmp_path: Path, wrapper: str) -> None:
    folder = save_tiny(tmp_path)
    change_weights(folder, lambda w: {wrapper + key: w[key] for key in w})
    model = read_model(folder)
    assert torch.equal(model.weights[W_Q], tiny_bundle().weights[W_Q])
    assert len(model.warnings) == 1
    assert f'"{wrapper}" was taken off' in model.warnings[0]


def test_values_that_are_no_numbers_are_counted(tmp_path: Path) -> None:
    folder = save_tiny(tmp_path)

    def spoil(weights: Weights) -> Weights:
        weights[W_Q][0, 0, :2] = torch.tensor([math.nan, math.inf])
        return weights

    change_weights(folder, spoil)
    (warning,) = read_model(folder).warnings
    assert warning == f"{W_Q} holds 1 NaN and 1 infinite values."


def without(address: str) -> Callable[[Weights], Weights]:
    return lambda weights: {key: weights[key] for key in weights if key != address}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (without(W_Q), rf"lacks {W_Q};"),
        (lambda w: {**w, "extra": torch.zeros(1)}, "has the unknown extra;"),
        (
            lambda w: {**w, W_Q: torch.zeros(8, 4, 2)},
            rf"{W_Q} has the shape \(8, 4, 2\).* asks for \(8, 2, 4\)",
        ),
        (lambda _: {}, r"has weights of 0 layers, config\.json asks for 2"),
        (
            lambda w: {key: w[key] for key in w if key.startswith("layers")},
            r"lacks embed\.W_E and \d+ more weights",
        ),
        (lambda w: {**w, W_Q: w[W_Q] + 0j}, rf"{W_Q} holds complex numbers"),
    ],
)
def test_weights_that_do_not_fit_are_named(
    tmp_path: Path, change: Callable[[Weights], Weights], words: str
) -> None:
    folder = save_tiny(tmp_path)
    change_weights(folder, change)
    refused(folder, words)


def test_layers_that_no_file_holds_are_refused_before_any_is_made(
    tmp_path: Path,
) -> None:
    folder = save_tiny(tmp_path)
    model = {**tiny_bundle().config.to_dict(), "n_layers": 10**9}
    change_about(folder, model=model)
    refused(folder, "has weights of 2 layers, config.json asks for 1000000000")


def test_a_download_pointer_is_recognised(tmp_path: Path) -> None:
    folder = save_tiny(tmp_path)
    (folder / "model.safetensors").write_text(POINTER, encoding="utf-8", newline="\n")
    refused(folder, f"is a download pointer of {len(POINTER)} bytes, not the weights")


@pytest.mark.parametrize("n_kept", [0, 4, 100, 2000])
def test_a_cut_off_file_is_refused(tmp_path: Path, n_kept: int) -> None:
    path = save_tiny(tmp_path) / "model.safetensors"
    path.write_bytes(path.read_bytes()[:n_kept])
    refused(tmp_path, r"model\.safetensors is damaged or cut off")


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "tokenizer.json"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    (save_tiny(tmp_path) / name).unlink()
    refused(tmp_path, f"{name} is missing")


def test_a_missing_or_empty_folder_is_named(tmp_path: Path) -> None:
    refused(tmp_path / "gone", "gone is not a folder")
    refused(tmp_path, r"config\.json is missing")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"format": "other"}, '"format": "glassformer"'),
        ({"version": 2}, "has version 2 and this program reads 1"),
        ({"model": {"d_model": 7}}, r"config\.json: d_model = 7 cannot be shared"),
        ({"model": {"colour": 1}}, "colour is not a field of a model"),
        ({"model": 3}, "is damaged"),
    ],
)
def test_a_config_that_cannot_be_used_is_refused(
    tmp_path: Path, fields: dict[str, object], words: str
) -> None:
    folder = save_tiny(tmp_path)
    change_about(folder, **fields)
    refused(folder, words)


@pytest.mark.parametrize("content", ["{", "", "[]", "\xff"])
def test_a_config_that_is_not_ours_is_refused(tmp_path: Path, content: str) -> None:
    path = save_tiny(tmp_path) / "config.json"
    path.write_text(content, encoding="latin-1")
    refused(tmp_path, r"config\.json ")


def test_a_tokenizer_of_another_size_is_refused_with_both(tmp_path: Path) -> None:
    folder = save_tiny(tmp_path)
    save_tokenizer(BpeTokenizer.from_merges(()), folder)
    refused(folder, r"tokenizer\.json has 256 tokens and the model 269")


def test_another_tokenizer_of_the_same_size_opens_with_a_warning(
    tmp_path: Path,
) -> None:
    folder = save_tiny(tmp_path)
    merges = [(b"q", bytes([i])) for i in range(tiny_tokenizer().n_vocab - 256)]
    save_tokenizer(BpeTokenizer.from_merges(merges), folder)
    (warning,) = read_model(folder).warnings
    assert "is another tokenizer than the model was trained with" in warning
    assert "of the same size (269)" in warning


def test_characters_and_bpe_cannot_be_mistaken_for_each_other(tmp_path: Path) -> None:
    characters = learn_characters([text_of(65)])
    folder = save_tiny(tmp_path)
    save_tokenizer(characters, folder)
    refused(folder, r"tokenizer\.json has 65 tokens and the model 269")
    save_tokenizer(learn_characters([text_of(269)]), folder)
    (warning,) = read_model(folder).warnings
    assert "is another tokenizer" in warning


def text_of(n: int) -> str:
    """A text of so many different characters."""
    return "".join(chr(0x100 + place) for place in range(n))


def test_a_save_leaves_no_partial_file(tmp_path: Path) -> None:
    save_tiny(tmp_path)
    names = {file.name for file in tmp_path.iterdir()}
    assert names == {"config.json", "model.safetensors", "tokenizer.json"}


def test_the_config_is_readable_by_people(tmp_path: Path) -> None:
    about = json.loads((save_tiny(tmp_path) / "config.json").read_text("utf-8"))
    assert about["format"] == "glassformer"
    assert about["model"] == dataclasses.asdict(tiny_bundle().config)


def refused(folder: Path, words: str) -> None:
    """Opening the folder fails in one sentence that has these words."""
    with pytest.raises(CoreError, match=words) as raised:
        read_model(folder)
    assert "\n" not in str(raised.value)
