"""The row of pictures: titles where they have room, else a list."""

from dataclasses import replace

import pytest

from app.panels.attention.picture_bar import PictureBar
from app.panels.attention.pictures import PICTURES
from app.widgets.segments import Segments
from core.trace.viewing import PLAIN

WIDE, NARROW = 800, 300


@pytest.fixture
def bar(qtbot):
    bar = PictureBar()
    qtbot.addWidget(bar)
    return bar


@pytest.mark.parametrize(("width", "is_folded"), [(WIDE, False), (NARROW, True)])
def test_the_titles_fold_into_a_list_where_they_have_no_room(bar, width, is_folded):
    bar.resize(width, 30)
    bar.show_viewing(PLAIN)
    assert bar._pictures.isHidden() is is_folded
    assert bar._list.isHidden() is not is_folded
    assert bar.minimumSizeHint().width() <= NARROW


def test_the_list_chooses_as_the_titles_do(bar, qtbot):
    for place, picture in enumerate(PICTURES):
        bar.show_viewing(replace(PLAIN, picture=picture.name))
        assert bar._list.currentIndex() == bar.findChild(Segments).place == place
    with qtbot.waitSignal(bar.viewing_requested) as asked:
        bar._list.activated.emit(1)
    assert asked.args[0].picture == PICTURES[1].name
