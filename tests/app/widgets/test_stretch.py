import pytest

from app.widgets.stretch import moved, revealing, zoomed


@pytest.mark.parametrize(
    ("shown", "at", "factor", "expected"),
    [
        (range(100), 0.5, 0.5, range(25, 75)),
        (range(100), 0.0, 0.5, range(50)),
        (range(100), 1.0, 0.5, range(50, 100)),
        (range(25, 75), 0.5, 2, range(100)),
        (range(25, 75), 0.0, 4, range(100)),
        (range(10, 14), 0.5, 0.1, range(10, 14)),
        (range(10, 15), 0.5, 0.95, range(10, 14)),
    ],
)
def test_a_zoom_keeps_what_lies_under_the_mouse(shown, at, factor, expected):
    assert zoomed(shown, 100, at, factor) == expected


def test_fewer_places_than_the_least_are_all_shown():
    assert zoomed(range(3), 3, 0.5, 0.5) == range(3)
    assert zoomed(range(0), 0, 0.5, 0.5) == range(0)


@pytest.mark.parametrize(("by", "start"), [(5, 15), (-20, 0), (200, 90)])
def test_a_pan_ends_at_the_ends_of_the_axis(by, start):
    assert moved(range(10, 20), 100, by) == range(start, start + 10)


@pytest.mark.parametrize(("place", "start"), [(12, 10), (9, 9), (20, 11), (99, 90)])
def test_a_place_is_revealed_by_the_least_move(place, start):
    assert revealing(range(10, 20), 100, place) == range(start, start + 10)
