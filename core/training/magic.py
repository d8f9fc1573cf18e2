"""How a file that is not a text gives itself away: by its first bytes, or by NUL.

In: the first bytes of a file. Out: what it is, in words. Only beginnings that no text
has are listed.
"""

import numpy as np

BEGINNINGS: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF87a", "a GIF image"),
    (b"GIF89a", "a GIF image"),
    (b"II*\x00", "a TIFF image"),
    (b"MM\x00*", "a TIFF image"),
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive (as are .docx, .odt and .epub files)"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office document"),
    (b"\x7fELF", "a program"),
    (b"OggS", "an Ogg recording"),
    (b"fLaC", "a FLAC recording"),
    (b"SQLite format 3\x00", "a SQLite database"),
)
LOOKED_AT_BYTES = 4096
FEWEST_ZEROS = 3
LARGE_SHARE = 0.4
"""Of zeros on one side of a 16-bit unit; Latin text has about 1.0 on one side."""


LONGEST_BEGINNING = max(len(start) for start, _ in BEGINNINGS)


def kind_of_binary(head: bytes) -> str:
    """Say what a file is that begins so; empty if that could be a text."""
    return next((kind for start, kind in BEGINNINGS if head.startswith(start)), "")


def first_nul(content: bytes, codec: str) -> int:
    """Find the first NUL character; -1 if there is none."""
    if not codec.startswith("utf-16"):
        return content.find(b"\0")
    units = np.frombuffer(content, np.uint16, len(content) // 2)
    places = np.flatnonzero(units == 0)
    return int(places[0]) * 2 if len(places) else -1


def looks_like_utf_16(content: bytes) -> str:
    """Give the UTF-16 codec that bytes with NULs seem to be in; empty if neither."""
    head = content[:LOOKED_AT_BYTES]
    if head.count(0) < FEWEST_ZEROS:
        return ""
    n_units = len(head) // 2
    high, low = head[0::2].count(0) / n_units, head[1::2].count(0) / n_units
    if low > LARGE_SHARE and high == 0:
        return "utf-16-le"
    if high > LARGE_SHARE and low == 0:
        return "utf-16-be"
    return ""
