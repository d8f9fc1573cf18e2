"""Words over several lines: where they lie, when they grow, which one is hit."""

import pytest
from PySide6.QtCore import QPointF

from app.widgets.canvas import NOTHING
from app.widgets.word_flow import SIZES, FlowCell, FlowWord, WordFlow, type_of

SENTENCE = ("the", "cat", "sat", "on", "the", "mat")
WORDS = tuple(FlowWord((FlowCell(word),)) for word in SENTENCE)
LONG = FlowWord(tuple(FlowCell("a", "61") for _ in range(60)), "sixty letters")


@pytest.fixture
def make(qtbot):
    def make(words, *, grows=False, width=150, height=400):
        flow = WordFlow("words", grows=grows)
        qtbot.addWidget(flow)
        flow.resize(width, height)
        flow.show()
        flow.show_words(words)
        return flow

    return make


def test_words_follow_each_other_and_none_covers_another(make):
    flow = make(WORDS)
    boxes = [flow.item_rect(i) for i in range(flow.item_count())]
    places = [(box.top(), box.left()) for box in boxes]
    assert places == sorted(places)
    assert len({top for top, _ in places}) > 1
    for i, box in enumerate(boxes):
        assert box.right() <= flow.viewport().width()
        assert not any(box.intersects(other) for other in boxes[i + 1 :])


def test_a_word_too_long_for_a_line_goes_on_in_the_next(make):
    flow = make((LONG,))
    assert len(flow._pieces) > 1
    assert flow._pieces[0].first == 0
    assert sum(len(piece.widths) for piece in flow._pieces) == 60
    for piece in flow._pieces:
        inside = piece.box.center()
        assert flow.item_at(inside) == 0


def test_few_words_grow_and_many_do_not(make):
    assert make(WORDS, grows=True, width=700)._type == type_of(WORDS, SIZES[-1])
    assert make(WORDS * 60, grows=True, width=700)._type == type_of(WORDS, SIZES[0])
    assert make(WORDS, width=700)._type == type_of(WORDS, SIZES[0])


def test_between_the_words_nothing_is_hit(make):
    flow = make(WORDS, width=400)
    gap = flow.item_rect(0).right() + 2
    assert flow.item_at(QPointF(gap, flow.item_rect(0).center().y())) == NOTHING


def test_the_tip_reads_the_whole_word_and_its_note(make):
    assert make((LONG,)).item_text(0) == "a" * 60 + "\nsixty letters"


def test_the_chosen_word_is_scrolled_into_sight(make):
    flow = make(WORDS * 50, height=120)
    flow.set_chosen(290)
    top = flow.item_rect(290).top() - flow.offset().y()
    assert 0 <= top < flow.viewport().height()
