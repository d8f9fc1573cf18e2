"""The words under a map."""

from app.panels.attention.status import MOST_LINES, StatusLine


def test_a_note_takes_as_many_lines_as_it_needs(qtbot):
    line = StatusLine()
    qtbot.addWidget(line)
    line.resize(200, 16)
    line.set_note("rows look at columns")
    one = line.height()
    line.set_note(
        "the first token is left out and the others share what it left · " * 2
    )
    assert line.n_lines > 2
    assert line.height() > 2 * one
    line.set_note("words " * 200)
    assert line.n_lines == MOST_LINES
