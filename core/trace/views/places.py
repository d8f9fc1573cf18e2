"""Where a number stands, in words: tokens by their labels, features by their numbers.

In: the address of a cell. Out: short pieces of text, each with the role whose colour it
wears. Heads, features and layers count from 1 for a reader, as tokens do.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from core.trace.matrix import Cell, Matrix
from core.trace.statistics import is_statistic, parts_of, rows_of
from core.trace.step import (
    ENCODER,
    ROWS_OF_KEYS,
    TOKEN_AXES,
    layer_of,
    name_of,
    own_name_of,
    side_of,
)
from core.trace.steps import Step
from core.trace.trace import Trace
from core.trace.views.roles import role_of

LabelOf = Callable[[int], str]
"""What the chip of a vocabulary entry says: `tokenizer.label`."""

FEATURES = {
    "d_model": "feature",
    "d_head": "feature",
    "d_heads": "feature",
    "d_ff": "neuron",
    "n_experts": "expert",
}
"""What a place on such an axis is called."""

WEIGHT_AXES = {
    "W_E": ("id", "feature"),
    "W_P": ("position", "feature"),
    "W_S": ("segment", "feature"),
    "W_B": ("distance row", "of head"),
    "W_Q": ("row", "of head", "column"),
    "W_K": ("row", "of head", "column"),
    "W_V": ("row", "of head", "column"),
    "b_Q": ("of head", "feature"),
    "b_K": ("of head", "feature"),
    "b_V": ("of head", "feature"),
    "W_O": ("row", "column"),
    "b_O": ("feature",),
    "W_G": ("feature", "neuron"),
    "b_G": ("neuron",),
    "W_1": ("feature", "neuron"),
    "b_1": ("neuron",),
    "W_R": ("feature", "expert"),
    "W_2": ("neuron", "feature"),
    "b_2": ("feature",),
    "W_T": ("row", "column"),
    "b_T": ("feature",),
    "W_U": ("feature", "id"),
    "b_U": ("id",),
    "gamma": ("feature",),
    "beta": ("feature",),
}
"""What the axes of weights count, in words; heads and experts come last."""

GIVEN_AXES = {
    "positions": (("query", False),),
    "segments": (("query", False),),
    "mask": (("query", False), ("key", False)),
    "cross_mask": (("query", False), ("key", True)),
}
"""Of each axis of a given the colour of its tokens, and whether they are the source's
in any case."""
OF_SOURCE = "of the source"


class Words(NamedTuple):
    """A piece of text and the theme colour it wears."""

    text: str
    role: str = "muted"


def bare_name(address: str) -> str:
    """An address without side and layer: "attn.q", "cross.W_Q".

    Of a statistic it is its name.
    """
    if is_statistic(address):
        return parts_of(address)[0]
    return own_name_of(address)


def source_of(address: str) -> str:
    """The step or the weight itself; of a statistic, the first that it is made of."""
    return parts_of(address)[1][0] if is_statistic(address) else address


def home_words(address: str) -> tuple[Words, ...]:
    """Side and layer of a step or a weight, as far as it has them: "encoder layer 2".

    A layer counts from 1, as in every heading.
    """
    source = source_of(address)
    side, layer = side_of(source), layer_of(source)
    said = (side, "" if layer is None else f"layer {layer + 1}")
    home = " ".join(word for word in said if word)
    return (Words(home),) if home else ()


def place_words(trace: Trace, cell: Cell, label_of: LabelOf) -> tuple[Words, ...]:
    """Where a number stands: ("head 1", "·LOVELY", "→", "·CAT").

    A statistic stands where its rows are: ("resid_in", "attn.out", "·CAT"). In cross
    attention a token looked at is said to be of the source.
    """
    if is_statistic(cell.key):
        rows = rows_of(cell.key, cell.index)
        sources = [Words(bare_name(key), role_of(key)) for key, _ in rows]
        said = [_row_words(trace, *row, label_of) for row in rows]
        return tuple(dict.fromkeys((*sources, *said)))
    if cell.key not in trace.keys:
        return _weight_words(trace, cell, label_of)
    step = trace.step(cell.key)
    words: list[Words] = []
    for axis, place in zip(step.axes, cell.index, strict=True):
        if axis in ("n_key", "n_vocab"):
            words.append(Words("→"))
        words.append(_axis_words(trace, step, axis, place, label_of))
        if axis in TOKEN_AXES and step.side_of(axis) != step.side:
            words.append(Words(OF_SOURCE))
    return tuple(words)


def place_in_weight(weight: Matrix, cell: Cell | None) -> tuple[int, int] | None:
    """The row and column of `weight` where a number lies; None where it does not.

    The head, where a weight has one, stands between the two.
    """
    if cell is None or cell.key != weight.key:
        return None
    row, *head, column = cell.index
    return (row, column) if tuple(head) == weight.prefix else None


def place_text(trace: Trace, cell: Cell, label_of: LabelOf) -> str:
    """The same as one line, with the name of the step: for a tooltip."""
    words = " ".join(words.text for words in place_words(trace, cell, label_of))
    where = "".join(f"{home.text} · " for home in home_words(cell.key))
    if cell.key not in trace.keys and not is_statistic(cell.key):
        words = words.partition(" ")[2]
    return f"{where}{bare_name(cell.key)} · {words}"


def token_label(trace: Trace, place: int, side: str = "") -> str:
    """What the chip of a token of a side says; "" is the side that is written."""
    return trace.tokens(side).label(place)


def _row_words(trace: Trace, source: str, row: int, label_of: LabelOf) -> Words:
    """A row of a step or of a weight, by what its first axis counts."""
    if source in trace.keys:
        step = trace.step(source)
        return _axis_words(trace, step, step.axes[0], row, label_of)
    return _weight_words(trace, Cell(source, (row, 0)), label_of)[1]


def _weight_words(trace: Trace, cell: Cell, label_of: LabelOf) -> tuple[Words, ...]:
    """A weight or a given by the last part of its name, and its place."""
    name = cell.key.rpartition(".")[2]
    if name in GIVEN_AXES:
        return Words(name, role_of(cell.key)), *_given_words(trace, cell)
    axes = WEIGHT_AXES.get(name, ("",) * len(cell.index))
    if len(axes) < len(cell.index):
        axes = ("of expert", *axes)
    said = sorted(zip(axes, cell.index, strict=True), key=_is_of_whom)
    places = (
        Words(label_of(place), "accent")
        if axis == "id"
        else Words(f"{axis} {place + 1}".lstrip())
        for axis, place in said
    )
    return Words(name, role_of(cell.key)), *places


def _given_words(trace: Trace, cell: Cell) -> Iterator[Words]:
    """The tokens that a position, a segment or a place of a mask is of."""
    axes = GIVEN_AXES[name_of(cell.key)]
    for (role, is_source), place in zip(axes, cell.index, strict=True):
        if role == "key":
            yield Words("→")
        side = ENCODER if is_source else side_of(cell.key)
        yield Words(token_label(trace, place, side), role)
        if is_source:
            yield Words(OF_SOURCE)


def _is_of_whom(place: tuple[str, int]) -> bool:
    return place[0] in ("of head", "of expert")


def _axis_words(
    trace: Trace, step: Step, axis: str, place: int, label_of: LabelOf
) -> Words:
    if axis in (*TOKEN_AXES, "n_first"):
        is_key = axis == "n_key" or step.name in ROWS_OF_KEYS
        label = token_label(trace, place, step.side_of(axis))
        return Words(label, "key" if is_key else "query")
    if axis == "n_vocab":
        return Words(label_of(place), "accent")
    if axis in ("n_heads", "n_kv_heads"):
        name = "head" if axis == "n_heads" else "key head"
        is_shared = trace.config.n_kv_heads == trace.config.n_heads
        return Words(f"{'head' if is_shared else name} {place + 1}")
    return Words(f"{FEATURES[axis]} {place + 1}")
