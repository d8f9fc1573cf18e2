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
N_COLOURS, N_EXACT = 256, 128
N_SAMPLES = 5
"""Pictures, spread evenly, that the colours of a GIF are chosen from."""
AT_ONCE = 4096
"""Colours that are matched with a palette in one go; more would take much memory."""
LAST_SHARE = 4
"""The last picture of a GIF stays so many times as long: one sees the end."""


def gif_bytes(pictures: Sequence[Picture], milliseconds: int) -> bytes:
    """A GIF that shows one picture after another, for ever."""
    places = np.linspace(0, len(pictures) - 1, min(N_SAMPLES, len(pictures)))
    palette = palette_of([pictures[round(place)] for place in places])
    frames = [indexed(each, palette) for each in pictures]
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


def palette_of(pictures: Sequence[Picture]) -> Picture:
    """The colours that show these pictures best. -> [at most 256, 3].

    Half of them are those most used, exactly: grounds, lines and letters keep their
    own; the others cover what there is, so that a rare colour keeps its hue.
    """
    colours = np.concatenate([each.reshape(-1, 3) for each in pictures])
    found, counts = np.unique(packed(colours), return_counts=True)
    most_used = found[np.argsort(-counts, kind="stable")[:N_EXACT]]
    others = Image.fromarray(colours.reshape(1, -1, 3)).quantize(
        N_COLOURS - N_EXACT, Image.Quantize.MAXCOVERAGE
    )
    covering = np.array(others.getpalette("RGB"), np.uint8).reshape(-1, 3)
    return np.concatenate([unpacked(most_used), covering])[:N_COLOURS]


def indexed(picture: Picture, palette: Picture) -> Image.Image:
    """A picture in the colours of a palette, each the nearest."""
    numbers = packed(picture.reshape(-1, 3))
    place_of = np.zeros(1 << 24, np.uint8)  # for every colour there is: no sorting
    place_of[numbers] = 1
    found = np.flatnonzero(place_of).astype(np.uint32)
    for some in np.array_split(found, 1 + len(found) // AT_ONCE):
        apart = unpacked(some)[:, None].astype(np.int32) - palette.astype(np.int32)
        place_of[some] = (apart**2).sum(-1).argmin(-1)
    image = Image.fromarray(place_of[numbers].reshape(picture.shape[:2]), "P")
    image.putpalette(palette.tobytes())
    return image


def packed(colours: Picture) -> NDArray[np.uint32]:
    """Colours as one number each: [n, 3] -> [n]."""
    weights = np.array([1 << 16, 1 << 8, 1], np.uint32)
    return (colours @ weights).astype(np.uint32)


def unpacked(numbers: NDArray[np.uint32]) -> Picture:
    """The colours of such numbers: [n] -> [n, 3]."""
    shifted = numbers[:, None] >> np.array([16, 8, 0], np.uint32)
    return (shifted & 255).astype(np.uint8)


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
