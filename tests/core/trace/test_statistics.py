"""Lengths, cosines, entropies: by hand, against numpy, and as the panels show them."""

import math

import numpy as np
import pytest

from core.errors import TraceError
from core.trace.selection import Selection
from core.trace.statistics import (
    STATISTICS,
    cosines,
    entropies,
    is_statistic,
    lengths,
    statistic_cell,
)
from core.trace.views.embedding import TABLE, TOKEN, cosine_cell, nearest, table_of
from core.trace.views.embedding import window as table_window
from core.trace.views.inspector import inspector_view
from core.trace.views.output import entropy_cell, ranking
from core.trace.views.position import similarity, similarity_cell
from core.trace.views.residual import measure_cells, station_keys, stream_norms
from tests.helpers.bundles import tiny_bundle, tiny_trace

LABEL_OF = tiny_bundle().tokenizer.label
NEAR = {"abs": 1e-5}


def explained(cell, **config):
    return tiny_trace(**config).explain(cell.key, cell.index)


def test_a_length_a_cosine_and_an_entropy_by_hand():
    assert lengths(np.array([3.0, 4.0])) == 5
    assert cosines(np.array([3.0, 4.0]), np.array([4.0, 3.0])) == 24 / 25
    assert math.isnan(cosines(np.array([3.0, 4.0]), np.zeros(2)))
    assert entropies(np.array([0.5, 0.25, 0.25, 0.0])) == 1.5
    assert math.copysign(1, entropies(np.array([1.0, 0.0]))) == 1


@pytest.mark.parametrize("post", ["pre", "post"])
def test_every_length_and_cosine_of_the_stream_is_made_of_the_rows_it_names(post):
    trace = tiny_trace(norm_place=post)
    norms, keys = stream_norms(trace), station_keys(trace)
    shown = (norms.before, norms.added, norms.cosine, norms.after)
    for station in range(2 * trace.config.n_layers):
        for numbers, cell in zip(
            shown, measure_cells(trace, keys[station], 1), strict=True
        ):
            found = trace.explain(cell.key, cell.index)
            assert found.value == pytest.approx(numbers[station, 1], **NEAR)
            assert found.difference == pytest.approx(0, **NEAR)


def test_a_neighbours_cosine_is_its_products_over_both_lengths():
    table = table_of(tiny_trace())
    found = nearest(table, 97, 1)
    explanation = explained(cosine_cell(97, found.ids[0]))
    assert explanation.value == pytest.approx(float(found.cosines[0]), **NEAR)
    rows = table.values[[97, found.ids[0]]].astype(np.float64)
    np.testing.assert_allclose(explanation.contributions, rows[0] * rows[1])
    sizes = np.linalg.norm(rows, axis=1)
    whole = explanation.contributions.sum() / sizes.prod()
    assert explanation.value == pytest.approx(whole)


def test_the_entropy_of_a_row_is_the_sum_of_its_terms():
    explanation = explained(entropy_cell(2))
    assert explanation.value == pytest.approx(ranking(tiny_trace(), 2).entropy, **NEAR)
    assert explanation.contributions.sum() == pytest.approx(explanation.value)


def test_alike_positions_are_explained_as_the_map_shows_them():
    values = similarity(tiny_trace()).values
    assert explained(similarity_cell(0, 2)).value == pytest.approx(values[0, 2], **NEAR)


@pytest.mark.parametrize(
    "cell",
    [
        statistic_cell("length", ("layers.1.resid_mid", 2)),
        statistic_cell("cosine", ("layers.0.resid_in", 1), ("layers.0.attn.out", 1)),
        statistic_cell("entropy", ("output.probs", 0)),
        cosine_cell(97, 98),
    ],
    ids=lambda cell: cell.key,
)
def test_a_statistic_is_laid_out_proven_and_each_operand_is_a_link(cell):
    view = inspector_view(tiny_trace(), cell, LABEL_OF)
    assert view.is_proven
    assert view.equation
    assert view.where
    assert all(link.cell for row in view.rows for link in row.factors)
    for row in view.rows:
        for link in row.factors:
            is_there = is_statistic(link.cell.key) or link.cell.key in cell.key
            assert is_there
            assert tiny_trace().has(link.cell.key, link.cell.index)


def test_the_names_of_statistics_are_words():
    mixed = statistic_cell("cosine", ("layers.0.resid_in", 1), ("layers.0.attn.out", 1))
    view = inspector_view(tiny_trace(), mixed, LABEL_OF)
    assert [words.text for words in view.name_words] == ["cosine"]
    where = [words.text for words in view.where]
    assert where == ["layer 1", "resid_in", "attn.out", "·cat"]
    labels = [row.label.text for row in view.rows]
    assert labels[-2:] == ["length of resid_in", "length of attn.out"]


def test_a_cosine_that_is_asked_for_sets_both_rows_side_by_side():
    trace = tiny_trace("ab")
    asked = Selection(step=TOKEN, query=0, focus=cosine_cell(97, 200))
    assert table_window(trace, asked).ids == (97, 200)
    elsewhere = Selection(step=TOKEN, query=1, focus=cosine_cell(97, 200))
    assert 200 not in table_window(trace, elsewhere).ids


@pytest.mark.parametrize(
    ("key", "index"),
    [
        ("length:layers.0.resid_mid", (3,)),
        ("length:layers.9.resid_mid", (0,)),
        (f"cosine:{TABLE}", (0, 1)),
        ("width:layers.0.resid_mid", (0,)),
    ],
)
def test_what_is_no_statistic_of_this_trace_is_refused(key, index):
    assert not tiny_trace().has(key, index)
    with pytest.raises(TraceError):
        tiny_trace().explain(key, index)


def test_every_statistic_has_a_head_for_each_column():
    for statistic in STATISTICS.values():
        rows = [np.array([0.5, 0.5])] * (len(statistic.heads) - 1)
        assert statistic.terms(*rows).shape == (2,)
        assert np.isfinite(statistic.of(*rows))
        assert statistic.equation(*rows)
