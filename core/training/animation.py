"""Pictures of one thing at several moments, as a moving GIF or as one strip.

In: pictures of one size, [height, width, 3] of red, green, blue. Out: a file that is
either whole or not there. Colours of a GIF are chosen once for all its pictures, so
that nothing flickers which stays the same.
"""

from collections.abc import Sequence
from io import BytesIO
from math import ceil, sqrt
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from core.files import write_whole

Picture = NDArray[np.uint8]
N_COLOURS = 256
N_SAMPLES = 5
"""Pictures, spread evenly, that the colours of a GIF are chosen from."""
LAST_SHARE = 4
"""The last picture of a GIF stays so many times as long: one sees the end."""


def gif_bytes(pictures: Sequence[Picture], milliseconds: int) -> bytes:
    """A GIF that shows one picture after another, for ever."""
    places = np.linspace(0, len(pictures) - 1, min(N_SAMPLES, len(pictures)))
    sample = np.concatenate([pictures[round(place)] for place in places])
    palette = Image.fromarray(sample).quantize(N_COLOURS)
    frames = [
        Image.fromarray(each).quantize(palette=palette, dither=Image.Dither.NONE)
        for each in pictures
    ]
    durations = [milliseconds] * (len(frames) - 1) + [milliseconds * LAST_SHARE]
    file = BytesIO()
    frames[0].save(
        file,
        "GIF",
        save_all=True,
        append_images=frames[1:],
        duration=durations,
        loop=0,
        disposal=1,
    )
    return file.getvalue()


def strip_bytes(pictures: Sequence[Picture]) -> bytes:
    """A PNG with all pictures side by side, in rows that make it about square."""
    rows = strip_rows(len(pictures))
    n_columns = ceil(len(pictures) / rows)
    height, width = pictures[0].shape[:2]
    sheet = np.empty((rows * height, n_columns * width, 3), np.uint8)
    sheet[:] = pictures[0][0, 0]  # the ground of the pictures
    for place, picture in enumerate(pictures):
        row, column = divmod(place, n_columns)
        top, left = row * height, column * width
        sheet[top : top + height, left : left + width] = picture
    file = BytesIO()
    Image.fromarray(sheet).save(file, "PNG", optimize=True)
    return file.getvalue()


def strip_rows(n_pictures: int) -> int:
    """One row for a few pictures; more where a row would be very long."""
    return max(1, round(sqrt(n_pictures / 2)))


def write_pictures(path: Path, pictures: Sequence[Picture], milliseconds: int) -> None:
    """Write a GIF where the name ends in .gif, and else a strip.

    Raises:
        CheckpointError: The place is full, read-only or missing.
    """
    is_gif = path.suffix.lower() == ".gif"
    write_whole(
        path, gif_bytes(pictures, milliseconds) if is_gif else strip_bytes(pictures)
    )
