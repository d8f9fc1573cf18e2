"""Models are found, named, measured, and said why they cannot be opened."""

import json
from pathlib import Path

import pytest

from core.bundle import open_bundle
from core.checkpoints import discovery, places
from core.checkpoints.discovery import find_models, found_model, models_in
from core.checkpoints.places import hub_folder, snapshots
from core.errors import CoreError
from tests.helpers.gguf import save_tiny, write_gguf
from tests.helpers.huggingface import change_config, save_theirs
from tests.helpers.two_sides import TWO_SIDED, save_pair


@pytest.fixture(autouse=True)
def _alone(monkeypatch, tmp_path):
    """Neither this machine's cache nor its packages."""
    monkeypatch.setattr(discovery, "hub_folder", lambda: tmp_path / "hub")
    monkeypatch.setattr(discovery, "installed_models", tuple)


def cached(hub: Path, name: str, revision: str) -> Path:
    folder = hub / f"models--{name.replace('/', '--')}" / "snapshots" / revision
    folder.mkdir(parents=True)
    return folder


@pytest.mark.parametrize(
    ("environment", "place"),
    [
        ({"HF_HUB_CACHE": "/a", "HF_HOME": "/b"}, "/a"),
        ({"HF_HOME": "/b"}, "/b/hub"),
        ({"XDG_CACHE_HOME": "/c"}, "/c/huggingface/hub"),
    ],
)
def test_the_cache_is_where_its_variables_say(environment, place):
    assert hub_folder(environment) == Path(place)


def test_without_variables_the_cache_is_in_the_home():
    assert hub_folder({}) == Path("~/.cache/huggingface/hub").expanduser()


def test_of_several_snapshots_the_one_that_main_names_is_listed(tmp_path):
    old = cached(tmp_path, "maker/model", "old")
    cached(tmp_path, "maker/model", "new")
    (old.parents[1] / "refs").mkdir()
    (old.parents[1] / "refs" / "main").write_text("old\n")
    assert list(snapshots(tmp_path)) == [old]


def test_a_model_of_the_cache_has_its_maker_family_and_size(tmp_path):
    folder = cached(tmp_path / "hub", "maker/model", "abc")
    save_theirs(folder, "llama")
    (row,) = find_models()
    assert (row.name, row.family, row.reason) == ("maker/model", "Llama", "")
    assert row.n_bytes == (folder / "model.safetensors").stat().st_size
    assert row.place == "Hugging Face cache"


@pytest.mark.parametrize("name", TWO_SIDED)
def test_a_model_of_two_sides_has_its_family_and_its_size(tmp_path, name):
    folder = save_pair(tmp_path / "m", name)
    row = found_model(folder, "here")
    titles = {"t5": "T5", "flan": "T5", "mt5": "mT5", "bart": "BART"}
    assert (row.family, row.reason) == (titles.get(name, "Marian"), "")
    assert row.n_bytes == (folder / "model.safetensors").stat().st_size


def test_one_side_alone_is_told_before_it_is_opened(tmp_path):
    folder = save_pair(tmp_path / "m", "t5")
    change_config(folder, architectures=["T5EncoderModel"])
    row = found_model(folder, "here")
    assert row.family == "T5"
    assert "is an encoder alone: it reads and writes nothing" in row.reason


def test_folders_and_files_are_found_below_a_folder_but_not_hidden_ones(tmp_path):
    top = tmp_path / "models"
    save_theirs(top / "a" / "b", "gpt2")
    save_theirs(top / ".hidden" / "c", "gpt2")
    save_tiny(top / "d.gguf")
    assert list(models_in(top)) == [top / "d.gguf", top / "a" / "b"]
    assert [row.name for row in find_models(top)] == ["b", "d"]


@pytest.mark.parametrize(
    ("about", "family", "words"),
    [
        ({"model_type": "mamba"}, "mamba", "'mamba' is not known here"),
        ({}, "", "neither model_type nor architectures"),
        ({"model_type": "llama"}, "Llama", "has no num_attention_heads"),
        ({"format": "glassformer", "model": {"n_heads": 5}}, "Glassformer|", "n_heads"),
    ],
)
def test_what_cannot_be_opened_says_why_in_a_sentence(tmp_path, about, family, words):
    (tmp_path / "config.json").write_text(json.dumps(about))
    row = found_model(tmp_path, "here")
    assert row.family in family.split("|")
    assert words in row.reason
    assert row.reason.endswith(".")
    assert str(tmp_path) not in row.reason


def test_a_folder_without_weights_says_so(tmp_path):
    folder = save_theirs(tmp_path / "a", "llama")
    (folder / "model.safetensors").unlink()
    assert "has no weights" in found_model(folder, "").reason


def test_a_gguf_of_another_architecture_names_it(tmp_path):
    path = write_gguf(tmp_path / "a.gguf", {"general.architecture": "mamba"})
    row = found_model(path, "")
    assert row.family == "mamba"
    assert "'mamba' is not known here" in row.reason


def test_a_model_too_large_for_the_memory_says_the_sum(tmp_path):
    folder = save_theirs(tmp_path / "a", "llama")
    about = json.loads((folder / "config.json").read_text())
    about |= {"vocab_size": 2**28, "hidden_size": 2**16, "num_hidden_layers": 1}
    (folder / "config.json").write_text(json.dumps(about))
    assert "GB are free" in found_model(folder, "").reason


def test_rows_without_a_reason_open_and_those_with_one_do_not(tmp_path):
    save_theirs(tmp_path / "m" / "good", "qwen2")
    bad = save_theirs(tmp_path / "m" / "bad", "qwen2")
    (bad / "config.json").write_text('{"model_type": "rwkv"}')
    for row in find_models(tmp_path / "m"):
        if row.reason:
            with pytest.raises(CoreError):
                open_bundle(row.path)
        else:
            assert open_bundle(row.path).config.qkv_bias


def test_a_package_that_is_not_installed_brings_nothing(monkeypatch):
    monkeypatch.setattr(places, "PACKAGES", (("no-such-package", ".gguf", False),))
    assert places.installed_models() == ()


def test_a_model_of_an_installed_package_is_found_without_running_it(
    monkeypatch, tmp_path
):
    package, about = tmp_path / "brings", tmp_path / "brings-1.dist-info"
    package.mkdir()
    about.mkdir()
    (package / "__init__.py").write_text("raise SystemExit")
    (package / "a.gguf").write_bytes(b"GGUF")
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: brings\nVersion: 1\n")
    (about / "RECORD").write_text("brings/a.gguf,,\nbrings/__init__.py,,\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(places, "PACKAGES", (("brings", ".gguf", False),))
    assert places.installed_models() == (package / "a.gguf",)
