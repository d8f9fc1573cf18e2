"""Ticks of axes that count and of axes that multiply."""

import math

import pytest

from app.widgets.chart_scale import Span
from app.widgets.chart_ticks import log_ticks, plain_ticks


def test_ticks_of_a_logarithmic_axis_are_round():
    assert log_ticks(Span(0, 3), 10) == [
        (pytest.approx(math.log10(value)), text)
        for value, text in (
            (1, "1"),
            (2, "2"),
            (5, "5"),
            (10, "10"),
            (20, "20"),
            (50, "50"),
            (100, "100"),
            (200, "200"),
            (500, "500"),
            (1000, "1e+03"),
        )
    ]
    assert [text for _, text in log_ticks(Span(0, math.log10(5)), 5)] == [
        "1",
        "2",
        "3",
        "4",
        "5",
    ]


def test_plain_ticks_have_their_texts():
    assert plain_ticks(Span(0, 1), 2) == [(0.0, "0.0"), (0.5, "0.5"), (1.0, "1.0")]
