"""Numbers that leave the program: what is in the files is what is in the trace."""

import csv
import io
from pathlib import Path

import numpy as np
import pytest

from core.pipeline import run_trace
from core.trace.edits import Edit
from core.trace.matrix import Axis
from core.trace.selection import Selection
from core.trace.sheet import Sheet, csv_text, number_text, write_csv, write_npz
from core.trace.views.sheets import program, sheet_name, step_sheet
from tests.helpers.bundles import (
    TWO_SIDES,
    encoder_decoder_bundle,
    encoder_decoder_trace,
    save_tiny,
    tiny_bundle,
    tiny_trace,
)

ODD = ("a,b", 'say "x"', "<b>", "↵", "·", "שלום", "⟨F0⟩", "=1+1")
KEY = "layers.1.attn.pattern"
STEPS = (
    KEY,
    "layers.0.attn.masked",
    "layers.1.attn.v",
    "output.logits",
    "tokens.ids",
    "tokens.merges",
    "output.pick",
    "layers.0.ffn.hidden",
    "layers.0.attn.scores",
)


def odd_sheet() -> Sheet:
    values = np.arange(64, dtype=np.float32).reshape(8, 8) / 7
    values[2, 3], values[3, 2] = np.nan, -np.inf
    return Sheet("odd", values, (Axis("query", ODD), Axis("key", ODD)))


def read_back(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def number(text: str) -> np.float32:
    return np.float32(text) if text else np.float32(np.nan)


def test_a_matrix_in_csv_has_the_labels_and_the_exact_numbers():
    sheet = odd_sheet()
    head, *rows = read_back(csv_text(sheet, "matrix"))
    assert head == ["query", *ODD]
    assert [row[0] for row in rows] == list(ODD)
    values = np.array([[number(cell) for cell in row[1:]] for row in rows])
    np.testing.assert_array_equal(values, sheet.values)
    assert rows[2][4] == ""


def test_a_long_csv_has_a_line_for_every_number():
    sheet = odd_sheet()
    head, *rows = read_back(csv_text(sheet, "long"))
    assert head == ["query", "query label", "key", "key label", "value"]
    assert len(rows) == 64
    for row, label, column, other, value in rows:
        at = int(row), int(column)
        assert (label, other) == (ODD[at[0]], ODD[at[1]])
        np.testing.assert_equal(number(value), sheet.values[at])


def test_more_and_fewer_axes_than_two_are_written_too():
    labels = (Axis("head", ("1", "2")), Axis("token", ("a", "b")), Axis("", ("x", "y")))
    cube = Sheet("cube", np.arange(8, dtype=np.float32).reshape(2, 2, 2), labels)
    rows = read_back(csv_text(cube, "matrix"))
    assert rows[0] == ["head", "token", "x", "y"]
    assert rows[4] == ["2", "b", "6.0", "7.0"]
    row = Sheet("row", np.array([3, 4]), labels[1:2])
    assert read_back(csv_text(row, "matrix")) == [
        ["token", "value"], ["a", "3"], ["b", "4"],
    ]  # fmt: skip


def test_axes_of_one_name_are_told_apart():
    sheet = Sheet("x", np.eye(2), (Axis("position", ("1", "2")),) * 2)
    assert sheet.axis_names == ("position", "position 2")


def test_an_npz_has_values_axes_and_labels(tmp_path: Path):
    write_npz([odd_sheet(), odd_sheet()], tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz", allow_pickle=False) as arrays:
        np.testing.assert_array_equal(arrays["values"], odd_sheet().values)
        assert arrays["axes"].tolist() == ["query", "key"]
        assert tuple(arrays["labels 1"].tolist()) == ODD
        assert str(arrays["2 name"]) == "odd"


def test_a_csv_file_is_utf_8(tmp_path: Path):
    write_csv(odd_sheet(), "matrix", tmp_path / "a.csv")
    text = (tmp_path / "a.csv").read_text("utf-8")
    assert text == csv_text(odd_sheet(), "matrix")


@pytest.mark.parametrize("value", [0.1, -3.4e38, 1 / 3])
def test_a_number_has_the_fewest_digits_that_say_it(value: float):
    exact = np.float32(value)
    assert np.float32(number_text(exact)) == exact
    assert len(number_text(exact)) < len(repr(float(exact)))


def test_masked_cells_of_a_pattern_have_no_value():
    sheet = step_sheet(tiny_trace(), Selection(step=KEY, head=1), str)
    mask = tiny_trace().part("mask")
    np.testing.assert_array_equal(np.isnan(sheet.values), ~mask)
    assert sheet.name == f"{KEY}, head 2"
    assert sheet.shape_text == f"{len(mask)} query × {len(mask)} key"


def test_a_row_over_the_vocabulary_names_its_token():
    trace = tiny_trace()
    label = trace.encoding.pieces[1].label
    assert (
        sheet_name(trace, "output.logits", (1, None)) == f"output.logits, token {label}"
    )


@pytest.mark.parametrize("key", STEPS)
@pytest.mark.parametrize("kind", ["text", "ids", "edited"])
def test_the_program_makes_the_same_array(tmp_path: Path, key: str, kind: str):
    folder, bundle = save_tiny(tmp_path / "model"), tiny_bundle()
    text = 'the "cat"\n<b> שלום 🤖'
    ids = bundle.tokenizer.encode(text).ids
    edits = [Edit("layers.0.attn.heads", (1,), 0.0)] if kind == "edited" else []
    trace = (
        run_trace(bundle, ids=[*ids, 104, 101], edits=edits)
        if kind == "ids"
        else run_trace(bundle, text, edits=edits)
    )
    sheet = step_sheet(trace, Selection(step=key, query=3, head=1), str)
    code = program(sheet, trace, bundle.tokenizer, folder, is_file=False)
    names: dict[str, object] = {}
    exec(code, names)
    np.testing.assert_array_equal(names["values"], sheet.values)


@pytest.mark.parametrize("kind", TWO_SIDES)
def test_of_two_sides_every_step_is_a_sheet_of_its_own_tokens(kind: str):
    trace = encoder_decoder_trace(kind)
    lengths = {"source": trace.tokens("encoder").n, "target": trace.n}
    for step in trace.steps:
        sheet = step_sheet(trace, Selection(step=step.key), str)
        assert sheet.values.shape == tuple(len(axis.labels) for axis in sheet.axes)
        for axis, size in zip(sheet.axis_names, sheet.values.shape, strict=True):
            text = axis.partition(" ")[0]
            assert lengths.get(text, size) == size
        names: dict[str, object] = {"trace": trace, "np": np}
        exec("\n".join(sheet.code), names)
        np.testing.assert_array_equal(names["values"], sheet.values)


def test_the_program_gives_source_and_target():
    bundle, folder = encoder_decoder_bundle(), Path("model")
    trace = run_trace(bundle, "the cat", target="a dog")
    sheet = step_sheet(trace, Selection(step="output.pick"), str)
    code = program(sheet, trace, bundle.tokenizer, folder, is_file=False)
    assert "run_trace(bundle, 'the cat', target='a dog')" in code
    trace = run_trace(bundle, "the cat", target=[104, 101])  # typed, they would join
    code = program(sheet, trace, bundle.tokenizer, folder, is_file=False)
    assert "run_trace(bundle, 'the cat', target=[104, 101])" in code
