"""How attention is looked at: which picture, what is left out, what is joined.

A `Viewing` is one frozen value for the whole window, beside the `Selection`. It changes
no number of the trace; `views.shaping` carries it out and says so in words.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from core.trace.attentions import Kind, kind_named

if TYPE_CHECKING:
    from core.trace.trace import Trace

Sink = Literal["shown", "dimmed", "left out"]
Joining = Literal["head", "mean", "largest"]
Head = tuple[int, int]
"""A layer and one of its heads, counted from 0; of which kind, the `Viewing` says."""

SINKS: tuple[Sink, ...] = ("shown", "dimmed", "left out")
JOININGS: tuple[Joining, ...] = ("head", "mean", "largest")
BY_LAYER = "layer"
"""The order in which heads were computed."""


@dataclass(frozen=True, slots=True)
class Viewing:
    """What a person chose in the attention panel."""

    picture: str = "map"
    """Name of a row of the panel's table of pictures."""
    kind: str = ""
    """Whose heads are meant below: "encoder", "decoder", "cross"; "" where there is
    one kind."""
    is_weighted: bool = False
    """Whether the map of shares shows each times the length of what it moves."""
    sink: Sink = "shown"
    """The first token, where spare attention goes; "left out" renormalises the rest."""
    is_log: bool = False
    """Whether shares become colour by their logarithm."""
    threshold: float = 0.0
    """Shares below this have no colour."""
    whole_words: bool = False
    """Whether the tokens of a word are one row and one column."""
    hides_specials: bool = False
    """Whether special tokens have no row and no column."""
    gathered: tuple[Head, ...] = ()
    """Heads chosen to be looked at together."""
    joining: Joining = "head"
    """One head, or the gathered ones joined."""
    looks_back: bool = False
    """Whether a token shows who looks at it, instead of whom it looks at."""
    order: str = BY_LAYER
    """What heads are sorted by: `BY_LAYER`, or the name of a head score."""
    other: Head | None = None
    """The head to compare with; None: the next one of the layer, or in another sentence
    the same one."""
    pinned: int | None = None
    """A token that stays shown while the mouse is elsewhere."""

    def __post_init__(self) -> None:
        """Refuse a threshold that no share can have."""
        if not 0 <= self.threshold <= 1:
            raise ValueError(f"threshold cannot be {self.threshold}")

    @property
    def shape(self) -> tuple[bool, bool, bool]:
        """What decides the numbers of a map: words, specials, and the sink left out."""
        return self.whole_words, self.hides_specials, self.sink == "left out"

    @property
    def is_plain(self) -> bool:
        """Whether every token has its row and column and its true share."""
        return not any(self.shape)


PLAIN = Viewing()
"""Everything as it was recorded."""


def viewing_of(viewing: Viewing, kind: Kind) -> Viewing:
    """The same for the heads of a kind; what was chosen in another is let go."""
    if viewing.kind == kind.name:
        return viewing
    return replace(viewing, kind=kind.name, gathered=(), other=None, pinned=None)


def clamped_viewing(viewing: Viewing, trace: "Trace") -> Viewing:
    """The same for a model and a sentence: heads that it has, and tokens.

    What was chosen may be from another model, or from when the sentence was longer.
    """
    kind = kind_named(trace.config, viewing.kind)
    viewing = viewing_of(viewing, kind)
    sides = trace.rows_of(kind.key("pattern")), trace.keys_of(kind.key("pattern"))
    n = sides[viewing.looks_back].n

    def is_there(head: Head) -> bool:
        layer, place = head
        return layer < kind.n_layers and place < trace.config.n_heads

    other, pinned = viewing.other, viewing.pinned
    return replace(
        viewing,
        gathered=tuple(filter(is_there, viewing.gathered)),
        other=other if other is not None and is_there(other) else None,
        pinned=pinned if pinned is not None and pinned < n else None,
    )


def toggled(viewing: Viewing, head: Head) -> tuple[Head, ...]:
    """The gathered heads with this one put to them, or taken away."""
    if head in viewing.gathered:
        return tuple(each for each in viewing.gathered if each != head)
    return (*viewing.gathered, head)
