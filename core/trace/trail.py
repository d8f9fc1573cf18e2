"""The way a reader came, from number to number: back, forward, and the crumbs of it.

A `Trail` is one frozen value; these functions make the next one. A link that is
followed prolongs the trail. Where the reader went elsewhere in between, the next link
begins a new stretch behind the old one, so that back still finds what was before.
"""

from dataclasses import dataclass, replace

from core.trace.selection import Selection

MOST_STOPS = 100
"""Older ones are forgotten."""


@dataclass(frozen=True, slots=True)
class Stop:
    """One place on the way."""

    selection: Selection
    is_linked: bool
    """Whether the stop before led here; otherwise a stretch begins."""


@dataclass(frozen=True, slots=True)
class Trail:
    """Where the reader has been, and which of it is the present place."""

    stops: tuple[Stop, ...] = ()
    place: int = -1
    """Index of the present stop; -1 before the first."""

    def is_at(self, here: Selection) -> bool:
        """Whether the present stop is where the reader is."""
        return self.place >= 0 and self.stops[self.place].selection == here

    @property
    def present(self) -> Selection:
        """The selection of the present stop."""
        return self.stops[self.place].selection


def followed(trail: Trail, here: Selection, there: Selection) -> Trail:
    """The trail after a link led from `here` to `there`; what was ahead is gone."""
    behind = trail.stops[: trail.place + 1]
    if not trail.is_at(here):
        behind = (*behind, Stop(here, is_linked=False))
    stops = (*behind, Stop(there, is_linked=True))[-MOST_STOPS:]
    return Trail(stops, len(stops) - 1)


def can_go(trail: Trail, here: Selection, by: int) -> bool:
    """Whether there is a stop before (-1) or after (1) the reader's place."""
    return moved(trail, here, by) is not None


def moved(trail: Trail, here: Selection, by: int) -> Trail | None:
    """The trail one stop back (-1) or forward (1); None where there is none.

    Back from elsewhere is back to the trail, with that place ahead.
    """
    if trail.is_at(here):
        place = trail.place + by
        inside = 0 <= place < len(trail.stops)
        return replace(trail, place=place) if inside else None
    if by > 0 or trail.place < 0:
        return None
    behind = trail.stops[: trail.place + 1]
    return Trail((*behind, Stop(here, is_linked=False)), trail.place)


def stretch(trail: Trail, here: Selection) -> tuple[int, ...]:
    """The places of the stops whose links led to `here`, the present one last.

    Empty where no link led to where the reader is.
    """
    if not trail.is_at(here):
        return ()
    start = trail.place
    while start > 0 and trail.stops[start].is_linked:
        start -= 1
    return tuple(range(start, trail.place + 1))
