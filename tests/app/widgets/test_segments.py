"""A row of words of which exactly one is chosen."""

from app.widgets.segments import Segments


def test_the_first_word_is_chosen_until_another_one_is(qtbot):
    segments = Segments(("heads", "rate"), "figure")
    qtbot.addWidget(segments)
    assert segments.place == 0
    with qtbot.waitSignal(segments.chosen) as told:
        segments.choose(1)
    assert told.args == [1]
    assert segments.place == 1


def test_keys_go_to_the_chosen_word(qtbot):
    segments = Segments(("heads", "rate"), "figure")
    qtbot.addWidget(segments)
    segments.set_place(1)
    segments.show()
    segments.focus()
    assert segments.focusWidget().text() == "rate"
