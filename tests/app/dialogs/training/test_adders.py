"""The small forms that make a source."""

import pytest

from app.dialogs.training.adders import StoryAdder
from app.dialogs.training.source_line import title_of
from core.training.sources import StorySource


@pytest.mark.parametrize(
    ("chants", "title"),
    [(False, "Built-in stories, seed 1"), (True, "Built-in chants, seed 1")],
)
def test_the_box_decides_between_stories_and_chants(qtbot, chants, title):
    adder = StoryAdder()
    qtbot.addWidget(adder)
    adder.chants.setChecked(chants)
    with qtbot.waitSignal(adder.source_given) as given:
        adder.add.click()
    assert given.args == [StorySource(chants=chants)]
    assert title_of(given.args[0]) == title
