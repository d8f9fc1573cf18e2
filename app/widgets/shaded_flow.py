"""Where the tokens of a running text lie. Pure arithmetic, below the shaded text.

In: widths, and where lines may end. Out: a box a token. Tokens touch each other; a word
stays on one line where it can. Neighbours of a script that is read leftwards stand in
its order.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from PySide6.QtCore import QRectF


@dataclass(frozen=True, slots=True)
class FlowItem:
    """What decides where a token may lie."""

    width: float
    lead: float = 0.0
    """Width of the space at its front, which a line does not begin with."""
    is_glued: bool = False
    """Whether it goes on with the word of the token before it."""
    is_tied: bool = False
    """Whether it goes on with the character of the token before it."""
    ends_line: bool = False
    is_leftward: bool = False


def boxes_of(
    items: Sequence[FlowItem], room: float, pitch: float, height: float
) -> tuple[QRectF, ...]:
    """A box for each item: lines `pitch` apart, boxes `height` high, in `room`."""
    boxes = [QRectF() for _ in items]
    for number, line in enumerate(lines_of(items, room)):
        x = 0.0
        for place in in_reading_order(items, line):
            width = min(items[place].width - (0 if x else items[place].lead), room)
            boxes[place] = QRectF(x, number * pitch, width, height)
            x += width
    return tuple(boxes)


def lines_of(items: Sequence[FlowItem], room: float) -> list[list[int]]:
    """The items of each line, by words; what has no room is cut into smaller parts."""
    lines: list[list[int]] = [[]]
    used = 0.0
    for part in parts_of(items, room):
        whole = sum(min(items[place].width, room) for place in part)
        if lines[-1] and used + whole > room:
            lines.append([])
            used = 0.0
        lines[-1] += part
        used += whole
        if items[part[-1]].ends_line:
            lines.append([])
            used = 0.0
    return lines


def parts_of(items: Sequence[FlowItem], room: float) -> Iterator[list[int]]:
    """What stays on one line: words, or whole characters of them, or single tokens."""
    for word in _runs(items, range(len(items)), "is_glued"):
        if _has_room(items, word, room):
            yield word
            continue
        for character in _runs(items, word, "is_tied"):
            if _has_room(items, character, room):
                yield character
            else:
                yield from ([place] for place in character)


def _has_room(items: Sequence[FlowItem], places: list[int], room: float) -> bool:
    ends_early = any(items[place].ends_line for place in places[:-1])
    return not ends_early and sum(items[place].width for place in places) <= room


def _runs(
    items: Sequence[FlowItem], places: Sequence[int], goes_on: str
) -> list[list[int]]:
    """The places cut before each item that does not go on with the one before it."""
    runs: list[list[int]] = []
    for place in places:
        if runs and getattr(items[place], goes_on):
            runs[-1].append(place)
        else:
            runs.append([place])
    return runs


def in_reading_order(items: Sequence[FlowItem], line: list[int]) -> list[int]:
    """The places of a line from left to right: leftward runs are turned round."""
    ordered: list[int] = []
    for is_leftward, run in groupby(line, key=lambda place: items[place].is_leftward):
        places = list(run)
        ordered += places[::-1] if is_leftward else places
    return ordered
