"""What the embedding panel shows: cosines, a map and bands, against plain numpy."""

from dataclasses import replace

import numpy as np
import pytest

from core.trace.matrix import Cell
from core.trace.numbers import short
from core.trace.selection import Selection
from core.trace.views import embedding as views
from core.trace.views.embedding import (
    SCALED,
    TABLE,
    TOKEN,
    Table,
    aimless_words,
    cosine,
    cosine_words,
    embedding_rows,
    flat_map,
    nearest,
    overview,
    row_in_band,
    scaling_words,
    table_of,
    table_rows,
    window,
)
from tests.helpers.bundles import tiny_bundle, tiny_trace

LABEL_OF = tiny_bundle().tokenizer.label


def table(values):
    values = np.asarray(values, dtype=np.float32)
    return Table(id(values), values.shape, values)


CROSS = table([[1, 0], [0, 2], [-3, 0], [1, 1]])


def test_the_table_of_a_model_is_known_again():
    first, second = table_of(tiny_trace()), table_of(tiny_trace("a dog ran"))
    assert first == second
    assert first != table_of(tiny_trace(d_model=16))
    np.testing.assert_array_equal(first.values, tiny_trace().part(TABLE))


def test_a_row_that_is_not_all_numbers_is_nobodys_neighbour_and_the_rest_is_mapped():
    broken = table([[1, 0], [0, 2], [np.nan, 0], [-3, 0], [1, 1], [3e38, 3e38]])
    whole = table([[1, 0], [0, 2], [-3, 0], [1, 1]])
    found, plain = nearest(broken, 0, 8), nearest(whole, 0, 8)
    assert found.ids == (4, 1, 3)
    np.testing.assert_array_equal(found.cosines, plain.cosines)
    shown = flat_map(broken, (0, 1, 2, 3, 4, 5))
    assert shown.ids == (0, 1, 3, 4)
    np.testing.assert_array_equal(shown.points, flat_map(whole, (0, 1, 2, 3)).points)
    assert aimless_words(whole) == ""
    assert aimless_words(broken).startswith(
        "2 rows are left out, the first of them row 2"
    )


def test_a_row_that_is_not_all_numbers_has_no_neighbours():
    broken = table([[1, 0], [np.inf, 2]])
    assert nearest(broken, 1, 8).ids == ()
    assert flat_map(broken, (1,)).ids == ()
    assert "not a number" in cosine_words(broken, 0, 1)
    assert "Row 1 is left out" in aimless_words(broken)


def test_the_nearest_rows_by_hand():
    found = nearest(CROSS, 0, 8)
    assert found.ids == (3, 1, 2)
    np.testing.assert_allclose(found.cosines, [0.5**0.5, 0, -1], atol=1e-6)
    assert cosine(CROSS, 0, 2) == pytest.approx(-1)


def test_neighbours_are_those_of_a_plain_sort_and_leave_the_row_itself_out():
    values = table_of(tiny_trace()).values
    units = values / np.linalg.norm(values, axis=1, keepdims=True)
    cosines = units @ units[97]
    order = [int(i) for i in np.argsort(-cosines) if i != 97][:10]
    found = nearest(table_of(tiny_trace()), 97, 10)
    assert list(found.ids) == order
    np.testing.assert_allclose(found.cosines, cosines[order], atol=1e-5)


def test_a_row_of_zeros_has_no_direction_and_is_no_error():
    zeros = table([[0, 0], [1, 0]])
    assert nearest(zeros, 0, 3).cosines.tolist() == [0.0]
    assert nearest(table([[1.0, 2.0]]), 0, 3).ids == ()


def test_rows_in_a_plane_keep_their_distances_on_the_map():
    rows = np.array([[1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0]], np.float32)
    shown = flat_map(table(rows), (0, 1, 2, 3))
    ways = np.linalg.norm(rows[:, None] - rows, axis=-1)
    points = shown.points
    seen = np.linalg.norm(points[:, None] - points, axis=-1)
    np.testing.assert_allclose(seen, ways, atol=1e-5)
    assert sum(shown.shares) == pytest.approx(1)


def test_the_map_says_how_much_of_the_spread_it_holds():
    values = table_of(tiny_trace()).values[:30]
    shown = flat_map(table_of(tiny_trace()), tuple(range(30)))
    units = values / np.linalg.norm(values, axis=1, keepdims=True)
    spread = np.linalg.eigvalsh(np.cov(units.T, bias=True))[::-1]
    np.testing.assert_allclose(shown.shares, spread[:2] / spread.sum(), atol=1e-4)


def test_a_map_of_one_row_is_a_point_without_spread():
    shown = flat_map(CROSS, (1,))
    assert shown.points.tolist() == [[0, 0]]
    assert shown.shares == (0, 0)


def test_a_band_keeps_its_strongest_number_with_its_sign(monkeypatch):
    monkeypatch.setattr(views, "N_BANDS", 2)
    tall = table([[1, 0], [-5, 1], [2, -2], [0, 3], [-1, 0]])
    shown = overview(tall)
    assert shown.rows_per_band == 3
    np.testing.assert_array_equal(shown.matrix.values, [[-5, -2], [-1, 3]])
    assert (row_in_band(tall, 0, 0), row_in_band(tall, 1, 1)) == (1, 3)


def test_the_window_stays_inside_the_table():
    trace = tiny_trace("\x00a")
    assert window(trace, Selection(step=TOKEN, query=0)).ids == (0, 1, 2)
    shown = window(trace, Selection(step=TOKEN, query=1, feature=3))
    assert shown.ids == (95, 96, 97, 98, 99)
    assert shown.selected == (2, 3)


def test_a_row_asked_for_from_afar_is_set_beside_the_chosen_one():
    trace, chosen = tiny_trace("a"), Selection(step=TOKEN)
    near = replace(chosen, focus=Cell(TABLE, (98, 1)))
    far = replace(chosen, focus=Cell(TABLE, (200, 1)))
    assert window(trace, near).selected == (3, 1)
    assert window(trace, far).ids == (97, 200)
    assert window(trace, far).selected == (1, 1)


def test_rows_of_the_table_are_those_the_sentence_takes():
    trace = tiny_trace()
    rows = table_rows(trace, trace.ids, LABEL_OF)
    shown = embedding_rows(trace, TOKEN)
    np.testing.assert_array_equal(rows.values, shown.values)
    assert shown.rows.labels == ("the", "·cat", "·sat")
    assert rows.rows.labels[0] == f"{trace.ids[0]} {LABEL_OF(trace.ids[0])}"


def test_the_scaling_is_written_with_the_models_numbers():
    trace = tiny_trace(scale_embeddings=True, d_model=16)
    before, after = scaling_words(trace, Selection(step=SCALED, query=1, feature=2))
    value = trace.value(TOKEN, (1, 2))
    once, fourfold = short(value, 4), short(4 * value, 4)
    assert before == f"before: {once}"
    assert after == f"times √16: {once} × 4.000 = {fourfold}"


def test_a_comparison_is_worked_out_from_dot_product_and_lengths():
    words = cosine_words(CROSS, 2, 3)
    assert words == "dot product −3.00 / lengths (3.00 × 1.41) = cosine −0.71"


def test_a_neighbour_in_the_window_is_compared_where_it_stands():
    trace = tiny_trace("the cat sat")
    chosen = trace.ids[1]
    at = Selection(step=TOKEN, query=1, focus=Cell(TABLE, (chosen - 1, 0)))
    shown = window(trace, at)
    assert shown.ids == window(trace, replace(at, focus=None)).ids
    assert shown.title == cosine_words(table_of(trace), chosen, chosen - 1)
