"""Where the text of a run comes from: files, folders, pasted text, what is built in.

In: sources, as a person names them. Out: one clean text in blocks, and its copy in the
run's folder, so that a run is whole by itself: the originals may change or vanish.
"""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from threading import Lock

from core.errors import TrainingError
from core.files import file_made_whole
from core.training.documents import (
    LEFT_OUT,
    SEPARATORS,
    TRAIN,
    Split,
    count_units,
    sides_of,
    units_of,
)
from core.training.pairs.lines import Line, lines_of
from core.training.pairs.tasks import task_blocks
from core.training.progress import Told, told_along, untold
from core.training.reading import (
    AS_IT_IS,
    Fault,
    Reading,
    check_file,
    read_blocks,
)
from core.training.stories import story_blocks

TRAIN_FILE = "train.txt"
VALID_FILE = "valid.txt"
PAIRS_FILE = "train.tsv"
BETWEEN_TEXTS = SEPARATORS["documents"]
"""What stands between the text of one file and the next: an empty line."""
TOLD_EVERY_BYTES = 1 << 16
PASTED = Path("The pasted text")
BYTES_A_PAIR = 40
"""Of a built-in task, about."""
_NO_TEXT = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class FileSource:
    """One text file."""

    path: Path
    reading: Reading = AS_IT_IS


@dataclass(frozen=True, slots=True)
class FolderSource:
    """Every text file in a folder and below it, in the order of their names."""

    path: Path


@dataclass(frozen=True, slots=True)
class PastedSource:
    """Text that a person typed or pasted."""

    text: str


@dataclass(frozen=True, slots=True)
class StorySource:
    """The built-in stories; the same seed tells the same ones everywhere."""

    seed: int = 1
    n_characters: int = 1_000_000
    chants: bool = False
    """Only chants: short rows said again and again."""


@dataclass(frozen=True, slots=True)
class PairsSource(FileSource):
    """A text file of which each line is a pair: a source, a tab, its target."""


@dataclass(frozen=True, slots=True)
class TaskSource:
    """Pairs of a built-in task; the same seed gives the same ones everywhere."""

    task: str
    seed: int = 1
    n_pairs: int = 20_000


Source = FileSource | FolderSource | PastedSource | StorySource | TaskSource


@dataclass(frozen=True, slots=True)
class Written:
    """Names of the texts in a run's folder, as [data] has them."""

    train: tuple[str, ...]
    valid: tuple[str, ...]


def holds_pairs(source: Source) -> bool:
    """Whether a source is of pairs, not of running text."""
    return isinstance(source, PairsSource | TaskSource)


def expanded(sources: Iterable[Source]) -> tuple[Source, ...]:
    """Put the files of a folder in its place.

    Hidden ones are passed over. Sorted by name, so the order is the same everywhere. A
    folder that is not there becomes a file that is not there.
    """
    found: list[Source] = []
    for source in sources:
        if isinstance(source, FolderSource) and source.path.is_dir():
            found += map(FileSource, _files_below(source.path))
        elif isinstance(source, FolderSource):
            found.append(FileSource(source.path))
        else:
            found.append(source)
    return tuple(found)


def fault_of(source: Source) -> Fault | None:
    """What stands in the way of reading a source, if anything does."""
    if isinstance(source, FileSource):
        return check_file(source.path, source.reading)
    if isinstance(source, PastedSource) and (found := _NO_TEXT.search(source.text)):
        place = found.start()
        message = (
            f"{PASTED} is not a text: character {place} is U+{ord(found[0]):04X}; "
            "remove it."
        )
        return Fault(PASTED, "binary", message, place)
    return None


def without_binaries(sources: Iterable[Source]) -> tuple[Source, ...]:
    """Put the text files of each folder in its place; what is no text stays out.

    A file that was named itself stays, whatever it is.
    """
    kept: list[Source] = []
    for source in sources:
        if isinstance(source, FolderSource):
            kept += (each for each in expanded([source]) if not _is_binary(each))
        else:
            kept.append(source)
    return tuple(kept)


def text_blocks(sources: Iterable[Source]) -> Iterator[str]:
    """Give the text of all sources as one, an empty line between two of them.

    Raises:
        TrainingError: A source has a fault; see `fault_of`.
    """
    between = ""
    for source in without_binaries(sources):
        for block in _blocks_of(source):
            if block:
                yield between + block
                between = ""
        between = BETWEEN_TEXTS


def n_bytes_of(sources: Iterable[Source]) -> int:
    """How many bytes there are to read, about; for telling how far one is."""
    return sum(map(_size_of, expanded(sources)))


def write_sources(
    sources: Iterable[Source],
    folder: Path,
    *,
    split: Split = "tail",
    valid_share: float = 0.1,
    told: Told = untold,
) -> Written:
    """Write the text of all sources into a run's folder, as UTF-8.

    With "tail" it is one file, of which the program keeps the last share; else two, and
    `valid_share` no longer counts. Pairs are one file, of which the program keeps a
    share of the sources. Nothing half is left when `told` raises.

    Raises:
        TrainingError: A source has a fault, or a side of the split would be empty.
        CheckpointError: The folder cannot be written.
    """
    sources = without_binaries(sources)
    are_pairs = any(map(holds_pairs, sources))
    if split == "tail" or not valid_share or are_pairs:
        sided: Iterable[tuple[int, str]] = ((TRAIN, b) for b in text_blocks(sources))
        names: tuple[str, ...] = (PAIRS_FILE if are_pairs else TRAIN_FILE,)
    else:
        sided = _sided_units(sources, valid_share, split, told)
        names = (TRAIN_FILE, VALID_FILE)
    n_written = [0 for _ in names]
    n_all, n_told = max(n_bytes_of(sources), 1), 0
    with ExitStack() as stack:
        files = [stack.enter_context(file_made_whole(folder / n)) for n in names]
        for side, text in sided:
            if side != LEFT_OUT:
                n_written[side] += files[side].write(text.encode())
            if sum(n_written) > n_told:
                told(min(sum(n_written) / n_all, 1.0))
                n_told = sum(n_written) + TOLD_EVERY_BYTES
        if 0 in n_written:
            name = names[n_written.index(0)]
            raise TrainingError(f"Nothing is left for {name}; give more text.")
    return Written(names[:1], names[1:])


def _sided_units(
    sources: tuple[Source, ...], share: float, split: Split, told: Told
) -> Iterator[tuple[int, str]]:
    """Go through the text twice: to see what repeats, and to deal it out."""
    blocks = told_along(text_blocks(sources), 1, lambda _: told(0.0))
    units = count_units(blocks)
    sides = sides_of(units, share, split).tolist()
    separator = SEPARATORS[units.kind]
    n = 0
    for n, unit in enumerate(units_of(text_blocks(sources), units.kind), 1):
        if n <= len(sides):
            yield sides[n - 1], unit + separator
    if n != len(sides):
        raise TrainingError("A text changed while it was being read; start again.")


def pair_lines(source: Source) -> Iterator[Line]:
    """Every line of a source of pairs, also those that are none.

    Raises:
        TrainingError: The source has a fault; see `fault_of`.
    """
    if isinstance(source, TaskSource):
        return lines_of(task_blocks(source.task, source.seed, source.n_pairs))
    assert isinstance(source, PairsSource)
    return lines_of(read_blocks(source.path, source.reading))


def _blocks_of(source: Source) -> Iterator[str]:
    if holds_pairs(source):
        yield from (line.pair.line for line in pair_lines(source) if line.pair)
        return
    if isinstance(source, FileSource):
        yield from read_blocks(source.path, source.reading)
        return
    if fault := fault_of(source):
        raise TrainingError(fault.message)
    if isinstance(source, PastedSource):
        yield source.text.replace("\r\n", "\n").replace("\r", "\n")
    elif isinstance(source, StorySource):
        yield from _told_stories(source)


class _Remembered:
    """A text that is told block by block, and only once however often it is read."""

    def __init__(self, blocks: Iterator[str]) -> None:
        self._blocks, self._told = blocks, list[str]()
        self._lock = Lock()

    def __iter__(self) -> Iterator[str]:
        n = 0
        while (block := self._block(n)) is not None:
            yield block
            n += 1

    def _block(self, place: int) -> str | None:
        with self._lock:
            if place == len(self._told):
                self._told += islice(self._blocks, 1)
            return self._told[place] if place < len(self._told) else None


@lru_cache(maxsize=1)
def _told_stories(source: StorySource) -> _Remembered:
    """Told once for looking at them and for writing them."""
    told = story_blocks(source.seed, source.n_characters, chants=source.chants)
    return _Remembered(told)


def _files_below(folder: Path) -> list[Path]:
    found: list[Path] = []
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += (Path(place) / name for name in names if not name.startswith("."))
    found = [path for path in found if path.is_file()]
    return sorted(found, key=lambda path: path.relative_to(folder).as_posix())


def _is_binary(source: Source) -> bool:
    fault = fault_of(source)
    return fault is not None and fault.kind == "binary"


def _size_of(source: Source) -> int:
    if isinstance(source, PastedSource):
        return len(source.text)
    if isinstance(source, StorySource):
        return source.n_characters
    if isinstance(source, TaskSource):
        return source.n_pairs * BYTES_A_PAIR
    try:
        return source.path.stat().st_size
    except OSError:
        return 0
