r"""From the bytes of a file to clean text, block by block, and what stands in the way.

In: a file and how it should be read. Out: its text, the same from every system: UTF-8,
or UTF-16 with its mark, or the encoding that a person named; the mark is dropped, and
the line ends \r\n and \r become \n. A file is never held in memory as a whole.
"""

import codecs
import errno
import io
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple

from core.errors import TrainingError
from core.training.magic import (
    LONGEST_BEGINNING,
    first_nul,
    kind_of_binary,
    looks_like_utf_16,
)

BLOCK_BYTES = 1 << 20
LINE_END_RULE = (
    "Line ends are made alike: CR LF and CR are read as LF, and a byte order mark is "
    "left out."
)
BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
REPLACEMENT = "\ufffd"
MARK_BAD_BYTES = "glassformer.mark_bad_bytes"
"""Name of the decoding rule that puts a lone surrogate for every byte it cannot read.

No encoding that is offered decodes to lone surrogates, so each stands for a bad byte.
"""
_FIRST_MARKER = 0xDC00
_MARKERS = re.compile("[\udc00-\udfff]")

FaultKind = Literal["encoding", "binary", "unreadable"]


@dataclass(frozen=True, slots=True)
class EncodingChoice:
    """One encoding that a person may name for a file."""

    codec: str
    """Python's name of it."""
    label: str


ENCODINGS = (
    EncodingChoice("cp1252", "Windows-1252 (Western Europe)"),
    EncodingChoice("latin-1", "ISO 8859-1 (Latin-1)"),
    EncodingChoice("cp1250", "Windows-1250 (Central Europe)"),
    EncodingChoice("cp1251", "Windows-1251 (Cyrillic)"),
    EncodingChoice("koi8_r", "KOI8-R (Russian)"),
    EncodingChoice("mac_roman", "Mac Roman"),
    EncodingChoice("shift_jis", "Shift JIS (Japanese)"),
    EncodingChoice("gb18030", "GB 18030 (Chinese)"),
    EncodingChoice("big5", "Big5 (Chinese)"),
    EncodingChoice("euc_kr", "EUC-KR (Korean)"),
    EncodingChoice("utf-16-le", "UTF-16, low byte first, without a mark"),
    EncodingChoice("utf-16-be", "UTF-16, high byte first, without a mark"),
)
"""What is offered for a file that is neither UTF-8 nor marked, likeliest first."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How a file is to be read."""

    encoding: str = ""
    """A codec of `ENCODINGS`; empty: what its mark says, or UTF-8."""
    replace: bool = False
    """Whether each byte that cannot be read becomes U+FFFD, instead of a fault."""


AS_IT_IS = Reading()


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a file cannot be read as it was asked."""

    path: Path
    kind: FaultKind
    """encoding: another reading may help; binary, unreadable: none will."""
    message: str
    """One sentence: which file, what is wrong where, what to do."""
    offset: int = 0
    """Of the first bad byte."""
    n_bad: int = 0
    """Bytes that could be replaced; 0 where that would not make it a text."""
    suggested: str = ""
    """The codec that looks likeliest, if one does."""


def opened(path: Path) -> BinaryIO:
    """Open a file for its bytes; a pipe or a device might never come to an end.

    Raises:
        OSError: It cannot be opened, or does not end.
    """
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise OSError(errno.EINVAL, "it is a pipe or a device")
    return open(path, "rb")


def check_file(path: Path, reading: Reading = AS_IT_IS) -> Fault | None:
    """Look for what stands in the way of a reading; one pass, nothing is kept."""
    try:
        with opened(path) as file:
            return _content_fault(path, file, reading)
    except OSError as error:
        return Fault(
            path,
            "unreadable",
            f"{path} cannot be read ({error.strerror}); check its name and rights.",
        )


def read_blocks(path: Path, reading: Reading = AS_IT_IS) -> Iterator[str]:
    """Give the clean text of a file in blocks of about a megabyte.

    Raises:
        TrainingError: The file has a fault; see `check_file`.
    """
    newlines = io.IncrementalNewlineDecoder(None, translate=True)
    try:
        with opened(path) as file:
            start = _start_of(file, reading)
            for content, block in _decoded(file, start.codec):
                if start.kind or _is_faulty(content, block, start.codec, reading):
                    raise _error(path, reading)
                yield newlines.decode(_MARKERS.sub(REPLACEMENT, block))
            yield newlines.decode("", final=True)
    except OSError as error:
        raise _error(path, reading) from error


def read_text(path: Path, reading: Reading = AS_IT_IS) -> str:
    """Give the clean text of a small file as one.

    Raises:
        TrainingError: The file has a fault; see `check_file`.
    """
    return "".join(read_blocks(path, reading))


def spread(blocks: Iterable[str], share: float) -> Iterator[str]:
    """Take a share of the blocks, evenly over all; the first is among them."""
    due = 1.0
    for block in blocks:
        if due >= 1:
            yield block
            due -= 1
        due += share


def encoding_named(path: Path, reading: Reading = AS_IT_IS) -> str:
    """Name the encoding a file is read in, as in "UTF-16-LE".

    Raises:
        OSError: It cannot be read.
    """
    if reading.encoding:
        named = (c.label for c in ENCODINGS if c.codec == reading.encoding)
        return next(named, reading.encoding.upper())
    with opened(path) as file:
        return _start_of(file, reading).codec.upper()


class _Start(NamedTuple):
    """What the first bytes of a file decide."""

    n_mark: int
    """Bytes of its mark, which are left out."""
    codec: str
    kind: str
    """What it is, if it is not a text."""


def _start_of(file: BinaryIO, reading: Reading) -> _Start:
    """Look at the first bytes, and go to the first one after the mark."""
    head = file.read(LONGEST_BEGINNING)
    marked = ((len(m), codec) for m, codec in BYTE_ORDER_MARKS if head.startswith(m))
    n_mark, codec = next(marked, (0, "utf-8"))
    if reading.encoding and reading.encoding != codec:
        n_mark, codec = 0, reading.encoding
    file.seek(n_mark)
    return _Start(n_mark, codec, kind_of_binary(head))


def _decoded(file: BinaryIO, codec: str) -> Iterator[tuple[bytes, str]]:
    """Give each block as bytes and as text, a lone surrogate for each bad byte."""
    decoder = codecs.getincrementaldecoder(codec)(MARK_BAD_BYTES)
    while content := file.read(BLOCK_BYTES):
        yield content, decoder.decode(content)
    yield b"", decoder.decode(b"", final=True)


def _is_faulty(content: bytes, block: str, codec: str, reading: Reading) -> bool:
    if first_nul(content, codec) >= 0:
        return True
    return not reading.replace and _n_markers(block) > 0


def _n_markers(block: str) -> int:
    return 0 if block.isascii() else len(_MARKERS.findall(block))


def _error(path: Path, reading: Reading) -> TrainingError:
    fault = check_file(path, reading)
    return TrainingError(fault.message if fault else f"{path} changed; read it again.")


def _content_fault(path: Path, file: BinaryIO, reading: Reading) -> Fault | None:
    n_read, codec, kind = _start_of(file, reading)
    if kind:
        message = f"{path} is {kind}, not a text; choose a text file."
        return Fault(path, "binary", message)
    n_bad = 0
    for content, block in _decoded(file, codec):
        if (place := first_nul(content, codec)) >= 0:
            return _nul_fault(path, n_read + place, content, reading)
        n_bad += _n_markers(block)
        n_read += len(content)
    if n_bad == 0 or reading.replace:
        return None
    return _encoding_fault(path, file, reading, n_bad)


def _nul_fault(path: Path, offset: int, content: bytes, reading: Reading) -> Fault:
    codec = "" if reading.encoding else looks_like_utf_16(content)
    if codec:
        message = (
            f"{path} is not UTF-8: byte 0x00 at offset {offset}, and every other byte "
            "is 0 as in UTF-16 without a mark; choose that encoding."
        )
        return Fault(path, "encoding", message, offset, suggested=codec)
    message = (
        f"{path} is not a text: byte {offset} is NUL, which no text holds; "
        "choose a text file."
    )
    return Fault(path, "binary", message, offset)


def _encoding_fault(path: Path, file: BinaryIO, reading: Reading, n_bad: int) -> Fault:
    file.seek(0)
    offset, codec, _ = _start_of(file, reading)
    decoder = codecs.getincrementaldecoder(codec)("strict")
    is_end = False
    while not is_end:
        content = file.read(BLOCK_BYTES)
        is_end = not content
        n_pending = len(decoder.getstate()[0])
        try:
            decoder.decode(content, final=is_end)
        except UnicodeDecodeError as error:
            offset += error.start - n_pending
            break
        offset += len(content)
    file.seek(offset)
    byte = file.read(1)[0]
    count = "1 such byte" if n_bad == 1 else f"{n_bad:,} such bytes"
    message = (
        f"{path} is not {codec.upper()}: byte 0x{byte:02X} at offset {offset} "
        f"({count} in all); choose the file's encoding or replace what is bad."
    )
    suggested = "" if reading.encoding else ENCODINGS[0].codec
    return Fault(path, "encoding", message, offset, n_bad, suggested)


def _marked(error: UnicodeError) -> tuple[str, int]:
    """Put a marker for every byte of a bad sequence."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    bad = error.object[error.start : error.end]
    return "".join(chr(_FIRST_MARKER + byte) for byte in bad), error.end


codecs.register_error(MARK_BAD_BYTES, _marked)
