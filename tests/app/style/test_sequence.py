"""The colours of numbered things: seen on their surface, told apart by everybody."""

from itertools import combinations

import numpy as np
import pytest

from app.style.contrast import channels, contrast, linear
from app.style.ramp import TO_CONES, TO_LAB
from app.style.sequence import HUES
from app.style.theme import THEMES

# What a person without green or red cones sees, in linear sRGB (Vienot et al., 1999).
DEUTERANOPE = np.array(
    [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]]
)
PROTANOPE = np.array(
    [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]]
)
EYES = {"all cones": np.eye(3), "no green": DEUTERANOPE, "no red": PROTANOPE}
SEEN = 2.8
"""The least contrast of a line with what lies behind it."""
APART = 0.065
"""The least distance of two colours in OKLab."""


def lab(colour, eyes):
    light = eyes @ np.array([linear(channel) for channel in channels(colour)])
    cones = TO_CONES @ np.clip(light, 0, 1)
    return TO_LAB @ np.cbrt(cones)


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_every_colour_is_seen_on_its_surface(theme):
    for hue in HUES[theme.name]:
        assert contrast(hue, theme.surface) >= SEEN, hue


@pytest.mark.parametrize("eyes", EYES.values(), ids=EYES)
@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_no_two_colours_look_alike(theme, eyes):
    for one, other in combinations(HUES[theme.name], 2):
        assert np.linalg.norm(lab(one, eyes) - lab(other, eyes)) >= APART, (one, other)


def test_both_themes_have_equally_many_colours():
    assert set(HUES) == {theme.name for theme in THEMES}
    assert len({len(hues) for hues in HUES.values()}) == 1
