from dataclasses import replace

import pytest
from PySide6.QtGui import QGuiApplication

from app.frame.inspector import Inspector, inspected
from app.frame.operand_list import OperandList, columns_of, number_box
from app.frame.trail_line import shown_crumbs
from core.generation.sampling import Sampling
from core.trace.matrix import Cell
from core.trace.selection import pointed_at
from core.trace.statistics import statistic_cell
from core.trace.views.operand_rows import Link, Row
from core.trace.views.output import pick_view
from core.trace.views.places import Words

SCORE = Cell("layers.0.attn.scores", (1, 2, 0))


@pytest.fixture
def inspector(qtbot, session):
    inspector = Inspector(session)
    qtbot.addWidget(inspector)
    inspector.resize(286, 640)
    inspector.show()
    point_at(session, SCORE)
    return inspector


def point_at(session, cell):
    session.request_selection(pointed_at(session.selection, session.trace, cell))


def test_the_selected_number_is_the_one_that_is_shown(inspector, session):
    value = session.trace.value(SCORE.key, SCORE.index)
    assert inspector.view.cell == SCORE
    assert float(inspector.number.text().replace("−", "-")) == pytest.approx(
        value, rel=1e-3
    )


def test_a_link_goes_where_the_operand_comes_from_and_back_returns(inspector, session):
    link = inspector.operands.item_rect(0)
    assert link.width() > 0
    inspector.operands.activate(0, is_secondary=False)
    assert session.selection.step == "layers.0.attn.q"
    inspector.back.click()
    assert session.selection.step == "layers.0.attn.scores"
    assert not inspector.back.isEnabled()
    inspector.forward.click()
    assert session.selection.step == "layers.0.attn.q"


def test_a_weight_is_shown_beside_the_step_that_used_it(inspector, session):
    point_at(session, Cell("layers.0.attn.q", (1, 2, 3)))
    inspector.operands.link_followed.emit(Cell("layers.0.attn.W_Q", (0, 1, 3)))
    assert session.selection.step == "layers.0.attn.q"
    assert inspector.view.note.startswith("Learned in training.")
    assert not inspector.proof.isVisible()


def test_a_length_is_shown_with_its_squares_and_a_cosines_length_is_a_link(
    inspector, session
):
    stream, part = ("layers.0.resid_in", 1), ("layers.0.attn.out", 1)
    point_at(session, statistic_cell("cosine", stream, part))
    inspector.operands.link_followed.emit(statistic_cell("length", part))
    assert session.selection.step == "layers.0.attn.scores"
    assert inspector.view.heads[-1].text == "square"
    assert inspector.view.is_proven
    assert inspector.proof.isVisible()


def test_a_number_from_a_longer_sentence_is_not_looked_for_in_the_next(
    inspector, session
):
    gone = statistic_cell("length", ("layers.0.resid_in", 99))
    session.request_selection(replace(session.selection, focus=gone))
    assert session.selection.focus is None


def test_copying_gives_the_whole_arithmetic(inspector):
    inspector.copy.click()
    explanation = inspector.view.explanation
    assert QGuiApplication.clipboard().text() == str(explanation)


def test_recomputed_recorded_and_their_difference_stand_digit_below_digit(
    inspector, session
):
    recomputed, recorded, difference = inspector.proof.text.splitlines()
    value = session.trace.value(SCORE.key, SCORE.index)
    for line in (recomputed, recorded):
        number = float(line.split()[1].replace("−", "-"))
        assert number == pytest.approx(value, rel=1e-6)
    assert difference.startswith("difference ")
    numbers = inspector.proof._numbers
    assert len({label.geometry().right() for label in numbers}) == 1
    assert len({label.text().partition(".")[2].__len__() for label in numbers}) == 1


def test_a_step_without_numbers_asks_to_click_one(inspector, session):
    session.go_to("tokens.pieces")
    assert inspector.view is None
    assert "Click a number" in inspector.note.text()
    assert not inspector.number.isVisible()


def test_the_lesson_is_the_present_steps(inspector, session, qtbot):
    for step, words in (
        ("layers.0.attn.pattern", "Softmax turns a row of scores"),
        ("tokens.pieces", "runs of bytes"),
    ):
        session.go_to(step)
        qtbot.waitUntil(lambda words=words: words in inspector.lesson.text)


def test_on_a_step_the_panel_goes_first_and_on_a_click_nobody_waits(
    inspector, session, qtbot
):
    before = inspector.where.text
    session.go_to("layers.0.attn.out")
    assert inspector.where.text == before
    qtbot.waitUntil(lambda: inspector.where.text != before)
    point_at(session, Cell("layers.0.attn.out", (1, 3)))
    assert "feature 4" in inspector.where.text


def test_without_a_trace_nothing_is_inspected(inspector, session):
    session.request_text("")
    assert inspector.view is None
    assert inspected(None) is None


def test_no_content_is_wider_than_the_pane(inspector, session, qtbot):
    for key in session.trace.keys:
        session.go_to(key)
        assert inspector.operands.width() <= inspector.width()
        area = inspector.lesson.parentWidget()
        assert area.minimumSizeHint().width() <= inspector.width()


def rows(*texts):
    return tuple(
        Row(Words("x"), tuple(Link(t, "text") for t in factors), result)
        for *factors, result in texts
    )


def test_decimal_points_stand_below_each_other():
    columns = columns_of(
        rows(("1.25", "−10.5", "2"), ("−100.5", "1", "0.001")), "", 250
    )
    assert len(columns.points) == 3
    boxes = [number_box(text, columns.points[0], 0) for text in ("1.25", "−100.5")]
    assert boxes[1].left() < boxes[0].left()
    assert columns.rights == tuple(sorted(columns.rights))
    assert columns.rights[-1] == 250


def test_a_bias_stands_among_the_products(qtbot):
    operands = OperandList()
    qtbot.addWidget(operands)
    operands.resize(250, 100)
    operands._rows = (
        *rows(("1.5", "2.0", "3.0")),
        Row(Words("bias"), (Link("0.5", "text"),)),
    )
    operands.refresh()
    bias = operands.item_rect(2)
    assert bias.right() == pytest.approx(operands._columns.rights[-1] + 1, abs=1)


def test_beside_the_likeliest_token_stands_the_one_that_is_drawn(inspector, session):
    session.go_to("output.pick")
    last = session.trace.n - 1
    session.request_selection(replace(session.selection, query=last))
    for sampling in (Sampling(temperature=2, seed=3), Sampling(temperature=0)):
        session.request_sampling(sampling)
        drawn = pick_view(session.trace, sampling).draw.token_id
        assert session.scene.tokenizer.label(drawn) in inspector.view.note
    session.request_selection(replace(session.selection, query=0))
    assert inspector.view.note == ""


def follow(inspector, n_links):
    """Click the first operand again and again."""
    for _ in range(n_links):
        assert inspector.view is not None  # it waits no longer for the panel
        inspector.operands.activate(0, is_secondary=False)


def test_the_trail_names_every_number_that_led_here_and_its_value(inspector, session):
    assert not inspector.crumbs.isVisible()
    follow(inspector, 2)
    names = [crumb.name for crumb in inspector.crumbs._crumbs]
    assert names == ["scores", "q", "norm"]
    score = inspector.crumbs._crumbs[0]
    value = session.trace.value(SCORE.key, SCORE.index)
    assert float(score.number.replace("−", "-")) == pytest.approx(value, abs=5e-3)
    assert inspector.crumbs.text.startswith("scores ")
    assert " ← norm " in inspector.crumbs.text


def test_a_crumb_leads_back_to_its_number_and_forward_leads_on(inspector, session):
    follow(inspector, 3)
    inspector.crumbs.activate(0, is_secondary=False)
    assert session.selection.step == SCORE.key
    assert not inspector.crumbs.isVisible()
    assert inspector.forward.isEnabled()
    inspector.trail.forward()
    assert session.selection.step == "layers.0.attn.q"


def test_whoever_goes_elsewhere_has_no_trail_but_finds_back_to_it(inspector, session):
    follow(inspector, 1)
    point_at(session, Cell("layers.1.resid_mid", (0, 3)))
    assert not inspector.crumbs.isVisible()
    inspector.back.click()
    assert session.selection.step == "layers.0.attn.q"
    assert [crumb.name for crumb in inspector.crumbs._crumbs] == ["scores", "q"]


def test_the_way_down_goes_through_the_embedding_to_the_id_and_the_text(
    inspector, session
):
    point_at(session, Cell("embed.token", (1, 3)))
    follow(inspector, 2)
    assert session.selection.step == "tokens.pieces"
    assert session.selection.query == 1
    names = [crumb.name for crumb in inspector.crumbs._crumbs]
    assert names == ["token", "ids", "text"]
    assert inspector.view is None
    assert "ends here" in inspector.note.text()


def test_a_trail_in_a_shorter_sentence_keeps_only_numbers_that_exist(
    inspector, session
):
    follow(inspector, 2)
    session.read("the")
    assert inspector.view is not None
    inspector.trail.back()
    assert session.selection.query == 0


@pytest.mark.parametrize(
    ("widths", "room", "shown"),
    [
        ([30, 30, 30], 150, [0, 1, 2]),
        ([30, 30, 30, 30], 150, [0, 3]),
        ([30, 20, 20, 20, 20], 150, [0, 3, 4]),
        ([30], 10, [0]),
        ([], 10, []),
    ],
)
def test_where_room_is_short_the_middle_of_the_trail_leaves_first(widths, room, shown):
    assert shown_crumbs(widths, room, 20) == shown


def test_the_present_number_is_no_link(inspector, session):
    follow(inspector, 1)
    last = inspector.crumbs.item_count() - 1
    inspector.crumbs.activate(last, is_secondary=False)
    assert session.selection.step == "layers.0.attn.q"
    assert inspector.crumbs.item_text(last).startswith("layer 1")


def test_more_terms_of_a_long_sum_come_when_they_are_asked_for(inspector, session):
    point_at(session, Cell("layers.0.ffn.out", (1, 3)))
    assert inspector.view.rest == "26 more"
    rest = inspector.operands.item_count() - 1
    assert inspector.operands.item_text(rest).startswith("26 more, together ")
    inspector.operands.activate(rest, is_secondary=False)
    assert inspector.view.rest == "2 more"
    rest = inspector.operands.item_count() - 1
    inspector.operands.activate(rest, is_secondary=False)
    assert inspector.view.rest == ""
    links = [link for row in inspector.view.rows for link in row.factors]
    assert inspector.operands.item_count() == len(links)
    assert len(inspector.view.rows) == session.trace.config.d_ff + 1
    point_at(session, Cell("layers.0.ffn.out", (1, 4)))
    assert inspector.view.rest == "26 more"
