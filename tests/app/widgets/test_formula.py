"""Formulas are really drawn, in the colours of the theme, and never stop the window."""

import logging

import pytest
from PySide6.QtCore import Qt

from app.style.formula_svg import formula_request, render_svg
from app.style.theme import DARK, LIGHT, apply_theme
from app.widgets import formula
from app.widgets.formula import FormulaView
from app.workers.formulas import FormulaRenderer

SOFTMAX = (
    r"{pattern:A}=\mathrm{softmax}\left(\frac{{query:Q}{key:K}^T}{\sqrt{d}}\right)"
)


@pytest.fixture
def view(qtbot):
    widget = FormulaView()
    qtbot.addWidget(widget)
    return widget


@pytest.fixture
def renderer(qtbot):
    owner = FormulaRenderer()
    formula.use_renderer(owner)
    yield owner
    formula.use_renderer(None)
    owner.close()


def colours_of(widget):
    widget.resize(widget.sizeHint())
    picture = widget.grab().toImage()
    size = range(picture.width()), range(picture.height())
    return {picture.pixelColor(x, y).name() for x in size[0] for y in size[1]}


def test_a_formula_has_dark_pixels(view):
    view.show_formula(r"\frac{Q}{K}", size=15)
    view.resize(view.sizeHint())
    picture = view.grab().toImage()
    inked = [
        (x, y)
        for x in range(picture.width())
        for y in range(picture.height())
        if picture.pixelColor(x, y).lightness() < 60
    ]
    assert len(inked) > 50


def test_a_formula_that_is_late_takes_away_the_one_before(view, qtbot):
    class Slow:
        def request(self, wanted):
            return None

    view.show_formula("x", size=30)
    inked = len(colours_of(view))
    view._renderer = Slow()
    view.show_formula("y", size=30)
    assert len(colours_of(view)) == inked
    qtbot.waitUntil(lambda: not view._late.isActive())
    assert len(colours_of(view)) == 1 < inked
    view._on_renderer_rendered(view._request, render_svg(view._request))
    assert len(colours_of(view)) > 1


def test_parts_wear_the_colours_of_what_they_stand_for(view):
    view.show_formula(SOFTMAX, size=30)
    colours = colours_of(view)
    assert LIGHT.query.lower() in colours
    assert LIGHT.ink("key").name() in colours
    assert LIGHT.pattern.lower() in colours


def test_a_mark_keeps_the_braces_inside_it():
    request = formula_request(r"{query:\frac{Q}{2}} + {a:b}", 16, LIGHT)
    assert request.latex == r"\textcolor{#0072b2}{\frac{Q}{2}} + {a:b}"


def test_equal_requests_are_set_once():
    request = formula_request("x+1", 16, LIGHT)
    assert render_svg(request) is render_svg(formula_request("x+1", 16, LIGHT))


def test_another_theme_gives_another_formula(view, qapp):
    view.show_formula(SOFTMAX, size=30)
    apply_theme(qapp, DARK)
    try:
        assert DARK.query.lower() in colours_of(view)
    finally:
        apply_theme(qapp, LIGHT)


def test_a_formula_that_cannot_be_set_shows_its_latex(view, caplog):
    with caplog.at_level(logging.WARNING):
        view.show_formula(r"\frac{Q")
    assert not view.is_drawn
    assert r"\frac{Q" in caplog.text
    view.resize(200, 40)
    view.grab()


def test_a_narrow_place_shrinks_the_formula(view):
    view.show_formula(SOFTMAX)
    view.resize(60, 40)
    assert view._target().width() == pytest.approx(60)
    assert view._target().height() <= 40


def test_a_wide_place_leaves_it_its_size_on_its_side(view):
    view.show_formula("x")
    natural = view.sizeHint().width()
    view.resize(300, 40)
    assert view._target().left() == 0
    assert view._target().width() == natural
    view.set_alignment(Qt.AlignmentFlag.AlignRight)
    assert view._target().right() == pytest.approx(300)


def test_no_formula_takes_no_room(view):
    view.show_formula("")
    assert view.sizeHint().height() == 0
    view.grab()


def test_a_renderer_brings_the_formula_later(qtbot, renderer):
    view = FormulaView()
    qtbot.addWidget(view)
    view.show_formula("y=f(x)+17")
    assert not view.is_drawn
    qtbot.waitUntil(lambda: view.is_drawn, timeout=10_000)
    again = FormulaView()
    qtbot.addWidget(again)
    again.show_formula("y=f(x)+17")
    assert again.is_drawn  # from the cache, at once


def test_of_two_formulas_the_later_one_stays(qtbot, renderer):
    view = FormulaView()
    qtbot.addWidget(view)
    view.show_formula("a_{101}")
    view.show_formula("b_{102}")
    wanted = formula_request("b_{102}", view._size * formula.POINT, LIGHT)
    qtbot.waitUntil(lambda: renderer.request(wanted) is not None, timeout=10_000)
    assert view._request == wanted
    assert view.is_drawn


def test_a_closed_renderer_leaves_no_thread(renderer):
    for i in range(5):
        renderer.request(formula_request(f"c_{{{i}}}", 16, LIGHT))
    renderer.close()
    assert not renderer._thread.isRunning()
    assert renderer.request(formula_request("d", 16, LIGHT)) is None
    assert not renderer._thread.isRunning()


def test_a_formula_that_cannot_be_set_is_answered_with_nothing(qtbot, renderer):
    with qtbot.waitSignal(renderer.rendered, timeout=10_000) as told:
        renderer.request(formula_request(r"\frac{Z", 16, LIGHT))
    assert told.args[1] == b""
