"""Lines and Text: what the two pages ask for, and what they show of a viewing."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

from app.panels.attention.heads_row import regathered
from app.panels.attention.lines_page import LinesPage
from app.panels.attention.status import StatusLine
from app.panels.attention.text_list import TextList
from app.panels.attention.text_page import TextPage
from app.widgets.attention_lines import AttentionLines
from app.widgets.canvas import NOTHING
from app.widgets.head_chips import HeadChips
from app.widgets.number_table import NumberTable
from app.widgets.segments import Segments
from app.widgets.shaded_text import ShadedText
from core.trace.viewing import Viewing
from tests.helpers.scenes import scene_of

STEP = "layers.1.attn.pattern"
PAGES = (LinesPage, TextPage)


class Asked:
    """A page, and what it has asked for."""

    def __init__(self, page, qtbot):
        self.page, self.qtbot = page, qtbot
        self.selections, self.viewings = [], []
        page.selection_requested.connect(self.selections.append)
        page.viewing_requested.connect(self.viewings.append)
        qtbot.addWidget(page)
        page.resize(786, 500)
        page.show()

    def show(self, text="the cat sat", viewing=None, **place):
        scene = scene_of(text, **{"step": STEP, **place})
        scene = replace(scene, viewing=viewing or Viewing())
        assert all(scene.trace.is_at_hand(*part) for part in self.page.parts(scene))
        self.page.display(scene)
        assert not self.page.grab().isNull()
        return scene

    def click(self, widget, index):
        """Click an item of a canvas."""
        place = widget.item_rect(index).center().toPoint()
        place -= QPoint(0, widget.verticalScrollBar().value())
        self.qtbot.mouseClick(widget.viewport(), Qt.MouseButton.LeftButton, pos=place)

    def part(self, kind):
        return self.page.findChild(kind)

    @property
    def status(self):
        return self.part(StatusLine).text

    @property
    def note(self):
        """What is read under the picture, whatever is pointed at."""
        lines = self.page.findChildren(StatusLine)[1:]
        return "\n".join(line.text for line in lines if line.isVisible())


@pytest.fixture
def lines(qtbot):
    return Asked(LinesPage(), qtbot)


@pytest.fixture
def text(qtbot):
    return Asked(TextPage(), qtbot)


@pytest.mark.parametrize("kind", PAGES)
@pytest.mark.parametrize("step", ["scores", "masked", "pattern"])
@pytest.mark.parametrize(
    "viewing",
    [
        Viewing(),
        Viewing(gathered=((1, 0), (1, 1)), joining="mean", pinned=2),
        Viewing(sink="left out", whole_words=True, looks_back=True, pinned=0),
        Viewing(sink="dimmed", is_log=True, hides_specials=True, joining="largest"),
    ],
)
def test_every_stage_and_viewing_is_drawn(qtbot, kind, step, viewing):
    page = Asked(kind(), qtbot)
    for words in ("t", "a dog saw <b>\n \U0001f642 שלום"):
        page.show(words, viewing, step=f"layers.1.attn.{step}")


@pytest.mark.parametrize("kind", PAGES)
def test_what_was_done_is_said_while_a_token_is_pinned(qtbot, kind):
    page = Asked(kind(), qtbot)
    page.show("a dogs cat", Viewing(whole_words=True, sink="left out", pinned=2))
    assert "looks at" in page.status
    assert "words joined" in page.note
    assert "the first token is left out" in page.note
    assert "click" in page.note


@pytest.mark.parametrize("kind", PAGES)
def test_what_the_mouse_can_do_is_not_on_paper(qtbot, kind):
    page = Asked(kind(), qtbot)
    page.show()
    hints = [
        line
        for line in page.page.findChildren(StatusLine)
        if line.property("furniture")
    ]
    assert ["click" in line.text for line in hints] == [True]


# Lines.


def test_gathered_heads_of_other_layers_are_named_not_drawn(lines):
    lines.show(viewing=Viewing(gathered=((0, 1), (1, 0))))
    assert lines.page._card.title == "Layer 2 · head 1"
    assert lines.note.count("gathered too, each in its own layer: layer 1 · head 2")
    lines.show(viewing=Viewing(gathered=((1, 0),)))
    assert "gathered too" not in lines.note


def test_a_weak_line_is_said_to_be_not_drawn(lines):
    lines.show(head=0)
    assert "lines under 0.5 % are not drawn" in lines.note


def test_the_lines_are_those_of_the_gathered_heads_or_of_the_selected_one(lines):
    lines.show(head=1)
    assert lines.page._card.title == "Layer 2 · head 2"
    lines.show(viewing=Viewing(gathered=((1, 0), (1, 1))))
    assert lines.page._card.title == "Layer 2 · all 2 heads"


def test_a_chip_puts_its_head_to_those_shown_and_takes_it_away(lines):
    scene = lines.show(head=1)
    chips = lines.part(HeadChips)
    lines.click(chips, 0)
    assert lines.viewings[-1].gathered == ((1, 0), (1, 1))
    lines.page.display(replace(scene, viewing=lines.viewings[-1]))
    lines.click(chips, 1)
    assert lines.viewings[-1].gathered == ((1, 0),)


def test_a_chip_says_which_key_head_its_head_uses(lines):
    lines.show(config={"position": "rotary", "n_heads": 4, "n_kv_heads": 2})
    chips = lines.part(HeadChips)
    used = [chips.item_text(head).splitlines()[-1] for head in range(4)]
    assert used == [f"uses key head {at}" for at in (1, 1, 2, 2)]
    lines.show()
    assert "key head" not in chips.item_text(0)


def test_the_last_head_cannot_be_taken_away(lines):
    lines.show(head=1)
    lines.click(lines.part(HeadChips), 1)
    assert lines.viewings == []


def test_heads_of_other_layers_stay_gathered():
    viewing = Viewing(gathered=((0, 1), (1, 0)))
    assert regathered(viewing, 1, (1,)) == ((0, 1), (1, 1))
    assert regathered(viewing, 1, ()) == ((0, 1),)


def test_a_click_on_a_key_pins_and_selects_it(lines):
    scene = lines.show()
    widget = lines.part(AttentionLines)
    lines.click(widget, widget.index_of(True, 1))
    assert (lines.viewings[-1].pinned, lines.viewings[-1].looks_back) == (1, True)
    assert lines.selections[-1].key == 1
    lines.page.display(replace(scene, viewing=lines.viewings[-1]))
    assert widget.side_of(widget.focus_index) == (True, 1)
    assert "is looked at by" in lines.status
    lines.click(widget, widget.index_of(True, 1))
    assert lines.viewings[-1].pinned is None


def test_escape_lets_the_pinned_token_go(lines, qtbot):
    lines.show(viewing=Viewing(pinned=1))
    lines.page._escape.activated.emit()
    assert lines.viewings[-1].pinned is None
    lines.show()
    assert not lines.page._escape.isEnabled()


def test_a_pinned_word_is_the_row_of_its_tokens(lines):
    scene = lines.show("a dogs cat", Viewing(whole_words=True, pinned=2))
    widget = lines.part(AttentionLines)
    assert widget.focus_index != NOTHING
    assert widget.item_count() < 2 * scene.trace.n


def test_pointing_says_what_a_token_looks_at(lines):
    scene = lines.show(head=0)
    widget = lines.part(AttentionLines)
    widget.set_pinned(2)
    widget.hovered.emit(2)
    best = int(scene.trace[STEP][0, 2].argmax())
    assert f"({best + 1})" in lines.status


def test_the_captions_stand_over_the_labels_of_their_sides(lines):
    lines.show("the cat " * 9)
    widget = lines.part(AttentionLines)
    looking, looked_at = lines.page._captions

    def offsets():
        queries, keys = widget.item_rect(0), widget.item_rect(widget.index_of(True, 0))
        right = widget.mapTo(lines.page, queries.topRight().toPoint()).x()
        left = widget.mapTo(lines.page, keys.topLeft().toPoint()).x()
        return right - looking.geometry().right(), looked_at.geometry().left() - left

    lines.qtbot.waitUntil(lambda: max(map(abs, offsets())) < 12)


# Text.


def test_the_shades_are_the_row_of_the_chosen_query(text):
    scene = text.show(query=2, head=1)
    shade = text.part(ShadedText).shade
    assert shade.focus == 2
    np.testing.assert_array_equal(shade.values, masked(scene.trace, 1)[2])
    assert shade.role == "query"


def test_looking_back_the_shades_are_the_column_of_the_chosen_key(text):
    scene = text.show(viewing=Viewing(looks_back=True), key=1, head=0)
    shade = text.part(ShadedText).shade
    np.testing.assert_array_equal(shade.values, masked(scene.trace, 0)[:, 1])
    assert (shade.focus, shade.role) == (1, "key")


def test_pointing_moves_the_shades_unless_a_token_is_pinned(text):
    text.show(query=2)
    widget = text.part(ShadedText)
    place = widget.item_rect(1).center().toPoint()
    text.qtbot.mouseMove(widget.viewport(), place)
    assert widget.shade.focus == 1
    text.show(query=2, viewing=Viewing(pinned=2))
    assert widget.shade.focus == 2
    assert "→" in text.status


def test_a_click_pins_and_selects_and_another_lets_go(text):
    scene = text.show()
    widget = text.part(ShadedText)
    text.click(widget, 1)
    assert text.viewings[-1].pinned == 1
    assert text.selections[-1].query == 1
    text.page.display(replace(scene, viewing=text.viewings[-1]))
    text.click(widget, 1)
    assert text.viewings[-1].pinned is None


def test_the_switches_ask_for_direction_and_joining(text):
    text.show()
    ways, joining = text.page.findChildren(Segments)
    ways.choose(1)
    joining.choose(2)
    assert text.viewings[0].looks_back
    assert text.viewings[1].joining == "largest"


def test_a_chip_moves_the_one_head_and_gathers_several(text):
    text.show(head=0)
    text.click(text.part(HeadChips), 1)
    assert text.selections[-1].head == 1
    text.show(viewing=Viewing(joining="mean"))
    text.click(text.part(HeadChips), 1)
    assert text.viewings[-1].gathered == ((1, 0),)


def test_what_is_left_out_is_said_with_its_share(text):
    scene = text.show(viewing=Viewing(sink="left out"), query=2, head=0)
    share = 100 * scene.trace[STEP][0, 2, 0]
    assert "first token" in text.status
    assert f"{share:.0f}" in text.status or f"{share:.1f}" in text.status


def masked(trace, head):
    return np.where(trace.part("mask"), trace[STEP][head], np.float32(np.nan))


def test_below_the_text_stand_the_strongest_shares_in_order(text):
    scene = text.show()
    row = scene.trace[STEP][scene.selection.head, scene.selection.query]
    listed = text.part(NumberTable).rows
    shares = [float(one.numbers[0]) for one in listed]
    assert shares == pytest.approx(sorted(row[row > 0], reverse=True), rel=0.01)
    assert listed[0].label.endswith(f"({int(row.argmax()) + 1})")


def test_a_row_of_the_list_asks_for_its_number(text):
    scene = text.show()
    row = scene.trace[STEP][scene.selection.head, scene.selection.query]
    text.click(text.part(NumberTable), 0)
    assert text.selections[-1].key == int(row.argmax())
    assert text.selections[-1].query == scene.selection.query


def test_a_text_that_needs_the_page_leaves_no_room_for_the_list(text):
    text.page.resize(786, 500)
    text.show("the cat sat on the mat " * 20, config={"n_ctx": 1024})
    assert text.part(TextList).isHidden()
    text.page.resize(786, 700)
    assert not text.part(TextList).isHidden()


def test_the_strongest_stay_in_sight_whichever_row_is_marked(text):
    scene = text.show("the cat sat on the mat", query=9, key=0)
    row = scene.trace[STEP][scene.selection.head, 9]
    table = text.part(NumberTable)
    text.page.resize(786, 430)
    text.show("the cat sat on the mat", query=9, key=int(row.argmin()))
    assert table.selected == 9
    assert table.verticalScrollBar().value() == 0
