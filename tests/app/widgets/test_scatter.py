"""The map of points: true distances, names that never touch, what is hit."""

from itertools import combinations

import numpy as np
import pytest
from PySide6.QtCore import QLineF, QRectF

from app.widgets.scatter import DOT, Dot, Scatter, fitted_points

GROUND = QRectF(20, 0, 300, 200)
TRIANGLE = (Dot("a", 0, 0), Dot("b", 3, 0), Dot("c", 0, 4))


@pytest.fixture
def scatter(qtbot):
    scatter = Scatter("map")
    qtbot.addWidget(scatter)
    scatter.resize(300, 220)
    scatter.show()
    rng = np.random.default_rng(0)
    places = rng.normal(size=(25, 2)).tolist()
    dots = tuple(Dot(f"token{i}", x, y) for i, (x, y) in enumerate(places))
    scatter.show_dots(dots, ("across", "up"), chosen=0)
    return scatter


def test_both_directions_have_one_scale():
    a, b, c = fitted_points(TRIANGLE, GROUND)
    assert QLineF(a, b).length() / QLineF(a, c).length() == pytest.approx(3 / 4)
    assert c.y() < a.y()  # upwards


def test_one_point_lies_in_the_middle():
    (place,) = fitted_points((Dot("a", 5, 5),), GROUND)
    assert place == GROUND.center()


def test_names_touch_neither_each_other_nor_a_dot(scatter):
    boxes = [box for box in scatter._labels if box is not None]
    assert len(boxes) > 5
    assert not any(a.intersects(b) for a, b in combinations(boxes, 2))
    for place in scatter._places:
        dot = QRectF(place.x() - DOT, place.y() - DOT, 2 * DOT, 2 * DOT)
        assert not any(box.intersects(dot) for box in boxes[1:])


def test_the_chosen_point_is_named_even_over_dots(scatter):
    assert scatter._labels[0] is not None


def test_a_point_is_hit_at_its_dot_and_at_its_name(scatter):
    for index, place in enumerate(scatter._places):
        hit = scatter._places[scatter.item_at(place)]
        assert QLineF(hit, place).length() < 10 or scatter._labels[index]
    named = next(i for i, box in enumerate(scatter._labels) if box is not None)
    assert scatter.item_at(scatter._labels[named].center()) == named
