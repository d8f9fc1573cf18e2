"""Cards, one-line labels and tall content: what they say and how they give way."""

from PySide6.QtWidgets import QLabel, QVBoxLayout

from app.widgets.card import Card, give_the_rest, set_ink
from app.widgets.elided import ElidedLabel
from app.widgets.tall import Tall


def test_a_card_has_a_note_only_where_there_is_something_to_say(qtbot):
    card = Card("Tokens")
    qtbot.addWidget(card)
    card.show()
    assert not card._note.isVisible()
    card.set_note("a <b> is a token")
    assert card._note.isVisible()
    assert (card.title, card.note) == ("Tokens", "a <b> is a token")


def test_a_long_title_does_not_widen_its_card(qtbot):
    card = Card("a" * 50)
    qtbot.addWidget(card)
    narrow = card.minimumSizeHint().width()
    card.set_title("a" * 5000)
    assert card.minimumSizeHint().width() == narrow


def test_a_title_is_never_cut_to_nothing(qtbot):
    card = Card("Head 1")
    qtbot.addWidget(card)
    switches = QLabel()
    switches.setFixedWidth(300)
    card.head.addWidget(switches)
    card.resize(card.minimumSizeHint())
    card.show()
    assert card._title.width() >= 40


def test_a_cut_line_is_whole_in_its_tooltip_and_read_literally(qtbot):
    label = ElidedLabel()
    qtbot.addWidget(label)
    label.show_text("<s> and more")
    assert label.text == "<s> and more"
    assert "&lt;s&gt;" in label.toolTip()


def test_a_label_wears_another_ink_at_once(qtbot):
    label = QLabel("found")
    qtbot.addWidget(label)
    label.show()
    colours = set()
    for ink in ("checked", "warning"):
        set_ink(label, ink)
        colours.add(label.palette().windowText().color().name())
    assert len(colours) == 2


def test_content_that_is_too_tall_scrolls_and_else_fills_its_room(qtbot):
    label = QLabel("content")
    column = QVBoxLayout()
    column.addWidget(label)
    tall = Tall(column, 400)
    qtbot.addWidget(tall)
    tall.resize(200, 300)
    tall.show()
    assert tall.verticalScrollBar().maximum() == 100
    tall.resize(200, 500)
    assert (tall.verticalScrollBar().maximum(), label.height()) == (0, 500)


def test_a_picture_with_the_rest_asks_for_no_more_than_its_least_height(qtbot):
    card, picture = Card(), QLabel("tall\n" * 50)
    qtbot.addWidget(card)
    give_the_rest(picture, 30)
    card.body.addWidget(picture)
    assert card.sizeHint().height() < 120
