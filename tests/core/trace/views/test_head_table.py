"""The table of head scores says each head's numbers, name and what is missing."""

import math

import numpy as np

from core.analysis.heads import HEAD_SCORES, HeadScores
from core.trace.views.head_table import head_table


def scores(n_layers=2, n_heads=3, lacks=(), **by_name):
    nothing = np.zeros((n_layers, n_heads), np.float32)
    values = {row.name: by_name.get(row.name, nothing) for row in HEAD_SCORES}
    return HeadScores(values, dict(lacks))


def test_rows_are_heads_layer_by_layer_counted_from_one():
    table = head_table(scores())
    assert table.heads[3] == (1, 0)
    assert table.labels[3] == "L2 · H1"
    assert len(table.labels) == len(table.names) == 6


def test_a_column_holds_the_scores_of_the_rows_heads():
    previous = np.arange(6, dtype=np.float32).reshape(2, 3) / 6
    column = head_table(scores(previous=previous)).columns[0]
    assert column.title == "previous"
    assert column.tip.startswith("previous token\nThe mean share that")
    np.testing.assert_array_equal(column.values, previous.ravel())


def test_heads_are_named_without_their_number_which_stands_beside():
    previous = np.array([[0.9, 0.1, 0.1]], np.float32)
    table = head_table(scores(1, previous=previous))
    assert table.names == ("previous-token head", "", "")


def test_bars_of_shares_end_at_one_and_others_at_the_largest():
    entropy = np.array([[2.5, 1, 0]], np.float32)
    columns = {c.title: c for c in head_table(scores(1, entropy=entropy)).columns}
    assert columns["previous"].limit == 1
    assert columns["entropy"].limit == 2.5
    assert columns["distance"].limit == 1  # all are 0
    assert columns["entropy"].stands_out_from == math.inf
    assert "(bits)" in columns["entropy"].tip


def test_what_no_head_has_says_why():
    nothing = np.full((1, 3), np.nan, np.float32)
    lacks = {"same": "needs a token that comes twice"}
    columns = {
        c.title: c for c in head_table(scores(1, lacks=lacks, same=nothing)).columns
    }
    assert columns["same"].lack == "needs a token that comes twice"
