"""The steps of a head as before and after, and the product that its matrix makes."""

import math

import numpy as np
import pytest

from core.bundle import open_bundle
from core.pipeline import run_trace
from core.trace.views.output_sides import dense_view, rows_matrix, sides_view
from tests.helpers.encoders import save_encoder

TEXT = "the cat sat on a mat"
QUERY, FEATURE = 3, 5


@pytest.fixture(scope="module")
def traces(tmp_path_factory):
    """A trace of each kind of head."""
    folder = tmp_path_factory.mktemp("encoders")
    return {
        name: run_trace(
            open_bundle(save_encoder(folder / name, name), device="cpu"), TEXT
        )
        for name in ("bert", "minilm")
    }


@pytest.mark.parametrize(
    ("name", "row"), [("bert", QUERY), ("minilm", 0)], ids=["masked", "pooled"]
)
def test_the_products_and_the_bias_add_up_to_the_number(traces, name, row):
    trace = traces[name]
    view = dense_view(trace, "output.dense", QUERY, FEATURE)
    assert view.row == row
    given, weight, products = (column.astype(np.float64) for column in view.columns)
    assert np.allclose(given * weight, products, atol=1e-7)
    bias = float(trace.part("output.b_T")[FEATURE])
    number = trace.value("output.dense", (row, FEATURE))
    assert products.sum() + bias == pytest.approx(number, abs=1e-5)
    assert view.result.values[row, FEATURE] == np.float32(number)
    sizes = np.abs(products)[list(view.order)]
    assert (np.diff(sizes) <= 0).all()
    assert "with the bias" in view.note


def test_a_row_bends_by_the_curve_that_the_note_names(traces):
    trace = traces["bert"]
    view = sides_view(trace, "output.active", QUERY, FEATURE)
    x = float(view.before.values[QUERY, FEATURE])
    gelu = 0.5 * x * (1 + math.erf(x / math.sqrt(2)))
    assert view.after.values[QUERY, FEATURE] == pytest.approx(gelu, abs=1e-6)
    assert view.rows == (QUERY, QUERY)
    assert view.note_after.startswith("feature 6: GELU")


def test_only_the_first_row_goes_on(traces):
    trace = traces["minilm"]
    view = sides_view(trace, "output.first", QUERY, FEATURE)
    assert view.rows == (0, 0)
    assert view.after.values.shape == (1, trace.config.d_model)
    assert np.array_equal(view.after.values[0], view.before.values[0])
    assert view.after.rows.labels == ("[CLS]",)
    assert view.note_before == f"the row of [CLS] goes on, {trace.n - 1} do not"


def test_the_pooled_row_is_the_hyperbolic_tangent(traces):
    trace = traces["minilm"]
    view = sides_view(trace, "output.pooled", QUERY, FEATURE)
    expected = np.tanh(view.before.values.astype(np.float64))
    assert np.allclose(view.after.values, expected, atol=1e-6)
    assert "tanh(" in view.note_after


def test_a_matrix_names_the_step_that_its_cells_are_of(traces):
    matrix = rows_matrix(traces["minilm"], "output.pooled")
    assert matrix.cell(0, 4).key == "output.pooled"
    assert matrix.cell(0, 4).index == (0, 4)
