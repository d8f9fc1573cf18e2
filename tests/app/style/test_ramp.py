"""A value has one colour, whatever else is in the map, and text on it can be read."""

import numpy as np
import pytest

from app.style.contrast import contrast, hexadecimal
from app.style.maps import map_colours, palette, use_palette
from app.style.ramp import EMPTY, TOP, inks, levels, ramp, text_on, viridis
from app.style.theme import LIGHT, THEMES

SHARE = {"limit": 1.0, "signed": False}


@pytest.mark.parametrize(
    ("value", "level"), [(0.0, 0), (0.25, 64), (1.0, TOP), (7.0, TOP), (-1.0, 0)]
)
def test_a_constant_map_has_the_level_of_its_value(value, level):
    cells = np.full((4, 4), value, np.float32)
    assert (levels(cells, **SHARE) == level).all()


def test_signed_zero_is_the_middle_and_the_limits_are_the_ends():
    cells = np.array([[-3, 0, 3]], np.float32)
    assert levels(cells, 3.0, signed=True).tolist() == [[0, TOP // 2, TOP]]


def test_no_value_has_a_level_of_its_own_and_spoils_no_other():
    cells = np.array([[0, 1], [np.nan, 0.5]], np.float32)
    assert levels(cells, **SHARE).tolist() == [[0, TOP], [EMPTY, 127]]


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("limit", [1.0, 1e-30, 1e-36, 1e-40, 1.5e-45])
def test_the_smallest_numbers_are_coloured_like_any(limit):
    cells = np.array([[0, 1, -1, np.nan]], np.float32)
    tiny = cells * np.float32(limit)
    plain = levels(cells, 1.0, signed=True)
    assert (levels(tiny, float(tiny[0, 1]), signed=True) == plain).all()


def test_infinities_are_the_ends():
    cells = np.array([[-np.inf, np.inf]], np.float32)
    assert levels(cells, 1.0, signed=True).tolist() == [[0, TOP]]


def test_a_scale_without_extent_paints_zero_as_zero():
    assert levels(np.zeros((2, 2), np.float32), 0.0, signed=False).max() == 0


def test_levels_leave_the_values_as_they_are():
    cells = np.array([[0.3, np.nan]], np.float32)
    cells.flags.writeable = False
    levels(cells, **SHARE)
    assert np.isnan(cells[0, 1])


def test_a_share_ramp_runs_from_the_surface_to_the_colour():
    table = ramp("#A6437F", None, "#FFFFFF", "#EEF0F4")
    assert table[0].tolist() == [255, 255, 255]
    assert table[TOP].tolist() == [0xA6, 0x43, 0x7F]
    assert table[EMPTY].tolist() == [0xEE, 0xF0, 0xF4]


def test_a_signed_ramp_meets_at_the_surface():
    table = ramp("#0072B2", "#D55E00", "#1B1F26", "#12151A")
    assert table[0].tolist() == [0xD5, 0x5E, 0x00]
    assert table[TOP // 2].tolist() == [0x1B, 0x1F, 0x26]
    assert table[TOP].tolist() == [0x00, 0x72, 0xB2]


def test_viridis_has_its_known_ends():
    table = viridis("#FFFFFF").astype(int)
    assert np.abs(table[0] - [68, 1, 84]).max() <= 4
    assert np.abs(table[TOP // 2] - [33, 145, 140]).max() <= 4
    assert np.abs(table[TOP] - [253, 231, 37]).max() <= 6


@pytest.mark.parametrize("grey", range(0, 256, 5))
def test_text_can_be_read_on_every_grey(grey):
    ground = hexadecimal((grey / 255,) * 3)
    assert contrast(text_on(ground), ground) >= 4.5


def test_the_stronger_ink_stands_on_a_middling_colour():
    assert text_on("#A878A0", "#1B1F27") == "#000000"
    assert text_on("#FFFFFF", "#1B1F27") == "#1B1F27"


@pytest.mark.parametrize("chosen", THEMES, ids=lambda t: t.name)
def test_the_inks_of_a_table_are_those_of_its_colours_one_by_one(chosen):
    table = ramp(chosen.pattern, chosen.negative, chosen.surface, chosen.sunken)
    grounds = [hexadecimal(tuple(row / 255)) for row in table]
    assert inks(table, chosen.text) == tuple(text_on(g, chosen.text) for g in grounds)


@pytest.mark.parametrize("chosen", THEMES, ids=lambda t: t.name)
@pytest.mark.parametrize("colour", ["query", "key", "value", "pattern", "residual"])
def test_numbers_can_be_read_on_every_cell(chosen, colour):
    table = ramp(
        getattr(chosen, colour), chosen.opposite(colour), chosen.surface, chosen.sunken
    )
    for row, ink in zip(table, inks(table, chosen.text), strict=True):
        assert contrast(ink, hexadecimal(tuple(row / 255))) >= 4.5


def test_the_palette_of_maps_can_be_viridis(qapp):
    themed = map_colours("share", "pattern")
    use_palette("viridis")
    try:
        assert map_colours("share", "pattern").table[0].tolist() == [71, 1, 85]
    finally:
        use_palette("theme")
    assert map_colours("share", "pattern") is themed
    assert palette() == "theme"


def test_an_indexed_colour_is_the_table_s(qapp):
    colours = map_colours("share", "value")
    assert colours.colour_table[TOP] == 0xFF000000 | int(LIGHT.value[1:], 16)
