import pytest

from app.style.theme import theme
from app.widgets.share_bar import Part, ShareBar, colour_of, percent, shares_of

PARTS = (Part("half", 2, "2 M"), Part("rest", 1, "1 M"), Part("more", 1, "1 M"))


def test_shares_sum_to_one_and_keep_their_proportions():
    assert shares_of(PARTS) == [0.5, 0.25, 0.25]


def test_nothing_has_no_shares():
    assert shares_of((Part("none", 0, "0"),)) == [0.0]
    assert shares_of(()) == []


@pytest.mark.parametrize(
    ("share", "text"), [(0.0, "0 %"), (0.001, "<1 %"), (0.25, "25 %"), (1.0, "100 %")]
)
def test_a_share_that_is_there_is_never_nothing(share, text):
    assert percent(share) == text


def test_the_bar_is_painted_in_the_colours_of_its_parts_from_left_to_right(qtbot):
    bar = ShareBar("parts")
    qtbot.addWidget(bar)
    bar.show_parts((Part("a", 3, "3", "pattern"), Part("b", 1, "1", "feed_forward")))
    bar.resize(400, bar.sizeHint().height())
    image = bar.grab().toImage()
    assert image.pixelColor(100, 7) == theme().colour("pattern")
    assert image.pixelColor(350, 7) == theme().colour("feed_forward")


def test_every_part_has_its_line_and_is_read_aloud(qtbot):
    bar = ShareBar("parts")
    qtbot.addWidget(bar)
    bar.show_parts(PARTS[:1])
    before = bar.sizeHint().height()
    bar.show_parts(PARTS)
    assert bar.sizeHint().height() > before
    assert bar.accessibleDescription() == "half 2 M, rest 1 M, more 1 M"


def test_a_paler_part_is_nearer_to_the_surface():
    full, pale = (Part("a", 1, "1", "accent", pale) for pale in (0.0, 1.0))
    assert colour_of(full) == theme().colour("accent")
    assert colour_of(pale) == theme().colour("surface")
