"""Session files: what is written comes back, and what is damaged says so."""

import json
from dataclasses import fields
from pathlib import Path

import pytest

from core.config import ModelConfig
from core.errors import CheckpointError
from core.generation.sampling import Sampling
from core.session_file import (
    ModelReference,
    SessionFile,
    fingerprint_of,
    read_session,
    reference_to,
    write_session,
)
from core.trace.matrix import Cell
from core.trace.selection import Selection
from core.trace.viewing import Viewing
from tests.helpers.bundles import tiny_bundle

SESSION = SessionFile(
    model=ModelReference(name="tiny", place="/models/tiny", fingerprint="abc"),
    text="the cat\n<b> \ud800 שלום 🤖",
    ids=(5, 6),
    reads_specials=True,
    selection=Selection(
        step="layers.1.attn.pattern", query=2, focus=Cell("embed.W_E", (3, 4))
    ),
    viewing=Viewing(gathered=((0, 1), (1, 0)), threshold=0.25, pinned=3),
    sampling=Sampling(temperature=0.5, seed=7),
)


def changed(file: Path, **fields: object) -> Path:
    table = json.loads(file.read_text())
    file.write_text(json.dumps({**table, **fields}))
    return file


@pytest.fixture
def file(tmp_path: Path) -> Path:
    write_session(SESSION, tmp_path / "a.glass")
    return tmp_path / "a.glass"


def test_every_field_comes_back(file):
    assert read_session(file) == SESSION


def test_fields_of_another_version_are_passed_over_and_missing_ones_keep_defaults(file):
    table = json.loads(file.read_text())
    table["viewing"] = {"is_log": True, "of_tomorrow": 1}
    del table["sampling"]
    file.write_text(json.dumps(table))
    session = read_session(file)
    assert session.viewing == Viewing(is_log=True)
    assert session.sampling == Sampling()


WRONG = (
    ("text", 5),
    ("ids", ["a"]),
    ("ids", 3),
    ("reads_specials", 1),
    ("selection", []),
    ("selection", {"query": "a"}),
    ("selection", {"query": -1}),
    ("selection", {"focus": {"key": "x", "index": ["a"]}}),
    ("viewing", {"sink": "eaten"}),
    ("viewing", {"gathered": [[1, 2, 3]]}),
    ("viewing", {"threshold": float("nan")}),
    ("viewing", {"threshold": 10**400}),
    ("sampling", {"temperature": -1}),
)


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_a_value_of_another_kind_is_refused_in_one_sentence(file, name, value):
    with pytest.raises(CheckpointError, match=r"is damaged \(.+\); save") as caught:
        read_session(changed(file, **{name: value}))
    assert "\n" not in str(caught.value)


def test_a_newer_a_foreign_and_a_broken_file_are_told_apart(file, tmp_path):
    with pytest.raises(CheckpointError, match="newer version"):
        read_session(changed(file, version=2))
    with pytest.raises(CheckpointError, match="is no session"):
        read_session(changed(file, format="other"))
    file.write_bytes(b"\xff{")
    with pytest.raises(CheckpointError, match="is damaged"):
        read_session(file)
    with pytest.raises(CheckpointError, match="could not be read"):
        read_session(tmp_path / "none.glass")


def test_every_field_of_a_session_has_a_default():
    assert all(hasattr(SessionFile(), each.name) for each in fields(SessionFile))


def test_a_model_is_found_where_it_was_or_beside_the_file(tmp_path):
    model, file = tmp_path / "one" / "model", tmp_path / "one" / "a.glass"
    reference = reference_to(model, "m", "f", file)
    assert reference.place == str(model)
    moved = tmp_path / "two" / "a.glass"
    assert reference.candidates(moved) == (tmp_path / "two" / "model", model)


def test_a_fingerprint_tells_models_that_read_otherwise_apart():
    bundle, other = tiny_bundle(), tiny_bundle(n_heads=4)
    own = fingerprint_of(bundle.config, bundle.tokenizer)
    assert own == fingerprint_of(
        ModelConfig.from_dict(bundle.config.to_dict()), bundle.tokenizer
    )
    assert own != fingerprint_of(other.config, other.tokenizer)
