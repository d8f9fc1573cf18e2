import numpy as np
import pytest
from PIL import Image

from core.errors import CheckpointError
from core.training.animation import strip_rows, write_pictures

COLOURS = ((200, 30, 30), (30, 200, 30), (30, 30, 200))


def pictures(n=3, height=8, width=12):
    """Plain pictures, each of its own colour."""
    return [
        np.full((height, width, 3), COLOURS[place % 3], np.uint8) for place in range(n)
    ]


def test_a_gif_shows_each_picture_in_turn_for_ever(tmp_path):
    write_pictures(tmp_path / "a.gif", pictures(), 120)
    with Image.open(tmp_path / "a.gif") as gif:
        assert (gif.n_frames, gif.size, gif.info["loop"]) == (3, (12, 8), 0)
        for place, colour in enumerate(COLOURS):
            gif.seek(place)
            shown = gif.convert("RGB").getpixel((3, 3))
            np.testing.assert_allclose(shown, colour, atol=3)
            assert gif.info["duration"] == (120 if place < 2 else 480)


def test_what_stays_the_same_keeps_its_colour_through_a_gif(tmp_path):
    rng = np.random.default_rng(0)
    frames = [rng.integers(0, 256, (40, 40, 3), dtype=np.uint8) for _ in range(6)]
    for frame in frames:
        frame[:5] = (17, 90, 178)
    write_pictures(tmp_path / "a.gif", frames, 50)
    with Image.open(tmp_path / "a.gif") as gif:
        seen = set()
        for place in range(gif.n_frames):
            gif.seek(place)
            seen.add(gif.convert("RGB").getpixel((2, 2)))
    assert len(seen) == 1


def test_a_strip_has_the_pictures_side_by_side_in_order(tmp_path):
    write_pictures(tmp_path / "a.png", pictures(), 1)
    with Image.open(tmp_path / "a.png") as strip:
        assert strip.size == (36, 8)
        for place, colour in enumerate(COLOURS):
            assert strip.getpixel((place * 12 + 5, 4)) == colour


@pytest.mark.parametrize(("n", "rows"), [(1, 1), (4, 1), (10, 2), (25, 4), (100, 7)])
def test_many_pictures_stand_in_several_rows(n, rows):
    assert strip_rows(n) == rows


def test_a_file_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(CheckpointError, match=r"nowhere.*a\.gif"):
        write_pictures(tmp_path / "nowhere" / "a.gif", pictures(), 1)


def test_the_ground_of_a_picture_keeps_its_exact_colour(tmp_path):
    rng = np.random.default_rng(1)
    frames = []
    for _ in range(2):
        frame = np.full((60, 60, 3), (246, 247, 249), np.uint8)
        frame[:20, :20] = rng.integers(0, 256, (20, 20, 3))
        frames.append(frame)
    write_pictures(tmp_path / "a.gif", frames, 50)
    with Image.open(tmp_path / "a.gif") as gif:
        assert gif.convert("RGB").getpixel((50, 50)) == (246, 247, 249)
