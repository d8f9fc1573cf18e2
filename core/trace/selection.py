"""Where the reader is: the step, the tokens, the head, the number they point at.

A `Selection` is one frozen value for the whole window. These functions move it; none of
them knows a widget. It outlives a sentence: `clamped` fits it to the next trace.
"""

from dataclasses import dataclass, replace

from core.trace.matrix import Cell
from core.trace.step import (
    CROSS,
    DECODER,
    ENCODER,
    ROWS_OF_KEYS,
    name_of,
    part_of,
    side_of,
)
from core.trace.steps import TOKEN_OPS, Step, layers_of, sides_of
from core.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class Selection:
    """What the window is about at this moment. Places count from 0."""

    step: str = "tokens.pieces"
    """Key of the present step."""
    query: int = 0
    """The token that looks; the row of every [n, ...] matrix."""
    key: int = 0
    """The token looked at."""
    head: int = 0
    expert: int = 0
    feature: int = 0
    """Place on the last axis, where that is d_model, d_head or d_ff."""
    other: int = 0
    """In a model of two sides: the chosen token of the side that is not looked at."""
    token: int | None = None
    """An id of the vocabulary, for logits and shares; None is the likeliest."""
    n_merges: int = 0
    """Merges played so far in the chosen token's word."""
    focus: Cell | None = None
    """A number outside the present step that was asked for, such as a weight."""


def clamped(selection: Selection, trace: Trace) -> Selection:
    """The nearest selection that exists in this trace."""
    n_merges, step = selection.n_merges, selection.step
    if step not in trace.keys:
        step = _same_name(step, trace) or trace.keys[0]
        selection = at_step(selection, step)
    token = selection.token
    query_side, key_side = (trace.tokens(side) for side in sides_at(step))
    n_other = trace.tokens(other_side(query_side.name)).n if trace.source else 1
    return replace(
        selection,
        n_merges=n_merges,
        query=min(selection.query, query_side.n - 1),
        key=min(selection.key, key_side.n - 1),
        other=min(selection.other, n_other - 1),
        head=min(selection.head, trace.config.n_heads - 1),
        expert=min(selection.expert, max(trace.config.n_experts - 1, 0)),
        token=None if token is None or token >= trace.config.n_vocab else token,
        focus=None,
    )


def cell_of(selection: Selection, trace: Trace) -> Cell | None:
    """The number the selection points at; None where the step has no numbers."""
    if selection.focus is not None:
        return selection.focus
    step = trace.step(selection.step)
    if not step.axes:
        return None
    places = (_place(axis, step, selection, trace) for axis in step.axes)
    return Cell(step.key, tuple(places))


def pointed_at(selection: Selection, trace: Trace, cell: Cell) -> Selection:
    """The selection after the reader pointed at a number, wherever it stands."""
    if cell.key not in trace.keys:
        return replace(selection, focus=cell)
    step = trace.step(cell.key)
    moved = {
        _field(axis, step): _query_head(axis, place, selection, trace)
        for axis, place in zip(step.axes, cell.index, strict=True)
    }
    return replace(selection, step=cell.key, focus=None, **moved)


def at_step(selection: Selection, key: str) -> Selection:
    """The same tokens, head and feature at another step.

    Each side of a model keeps its chosen token; in cross attention the chosen token of
    the source is the key.
    """
    source, written = chosen(selection)
    place = selection.key
    if side_of(key) == ENCODER:
        query, other = source, written
    else:
        query, other = written, source
        if part_of(key) == CROSS:
            place = source
        elif part_of(selection.step) == CROSS:
            place = min(place, query)
    return replace(
        selection,
        step=key,
        query=query,
        key=place,
        other=other,
        focus=None,
        n_merges=0,
    )


def at_token(
    selection: Selection, trace: Trace, side: str, place: int, *, as_key: bool = False
) -> Selection:
    """The selection after the reader pointed at a token of a side.

    It becomes the query, or the key if so wished. In cross attention a token of the
    source is the key. Where the present step reads the other side alone, the reader
    goes to the step of that name on this side; without one, the token is remembered.
    """
    step, side = selection.step, trace.tokens(side).name
    query_side, key_side = (trace.tokens(each).name for each in sides_at(step))
    if side == key_side and (as_key or side != query_side):
        return replace(selection, key=place, focus=None)
    if side == query_side:
        return replace(selection, query=place, focus=None)
    key = _on_side(step, side, trace)
    if key is None:
        return replace(selection, other=place, focus=None)
    return replace(at_step(selection, key), query=place)


def sides_at(key: str) -> tuple[str, str]:
    """Whose tokens the query and the key of a step are."""
    side = side_of(key)
    return side, ENCODER if part_of(key) == CROSS else side


def other_side(side: str) -> str:
    """The side that is not this one, of a model of two."""
    return DECODER if side == ENCODER else ENCODER


def chosen(selection: Selection) -> tuple[int, int]:
    """The chosen tokens of the source and of the text that is written."""
    if side_of(selection.step) == ENCODER:
        return selection.query, selection.other
    if part_of(selection.step) == CROSS:
        return selection.key, selection.query
    return selection.other, selection.query


def stepped(selection: Selection, trace: Trace, by: int) -> Selection | None:
    """The selection `by` steps on (or back); None beyond either end.

    The merges of the chosen token's word are walked one by one on the way.
    """
    if name_of(selection.step) == "tokens.merges":
        n_merges = selection.n_merges + by
        if 0 <= n_merges <= n_merges_of_word(selection, trace):
            return replace(selection, n_merges=n_merges, focus=None)
    place = trace.keys.index(selection.step) + by
    if not 0 <= place < len(trace.keys):
        return None
    return at_step(selection, trace.keys[place])


def to_layer(selection: Selection, trace: Trace, by: int) -> Selection | None:
    """The same step in the next (or previous) layer; None where there is none.

    From before the layers it goes to the first step of the first layer, from behind
    them to the last step of the last.
    """
    layers = layers_of(trace.config)
    step = trace.step(selection.step)
    if step.layer is not None:
        path, name = _in_layer(step.key)
        place = layers.index(path) + by
        if not 0 <= place < len(layers):
            return None
        key = _key_in(trace, layers[place], name)
        return at_step(selection, key) if key else None
    here = trace.keys.index(step.key)
    ahead = trace.keys[here + 1 :] if by > 0 else trace.keys[:here][::-1]
    inside = (key for key in ahead if trace.step(key).layer is not None)
    key = next(inside, None)
    return at_step(selection, key) if key else None


def _in_layer(key: str) -> tuple[str, str]:
    """The path of a step's layer, and what follows it: "layers.0", "attn.q"."""
    before, _, after = key.partition("layers.")
    number, _, name = after.partition(".")
    return f"{before}layers.{number}", name


def _key_in(trace: Trace, layer: str, name: str) -> str | None:
    """The step of a layer that is called so; an encoder has no cross attention."""
    names = (name, name.replace(f"{CROSS}.", "attn."), name.replace("cross", "mid"))
    keys = (f"{layer}.{each}" for each in names)
    return next((key for key in keys if key in trace.keys), None)


def feature_of(selection: Selection, trace: Trace, axis: str) -> int:
    """The chosen feature on an axis; a wider step may have left it beyond the end."""
    return min(selection.feature, trace.sizes[axis] - 1)


def n_merges_of_word(selection: Selection, trace: Trace) -> int:
    """How many recorded steps the word of the chosen token has: merges, or others."""
    encoding = trace.tokens(side_of(selection.step)).encoding
    place = min(selection.query, len(encoding.pieces) - 1)
    return encoding.words[encoding.pieces[place].word].n_recorded


def _field(axis: str, step: Step) -> str:
    if axis == "n":
        return "key" if step.name in ROWS_OF_KEYS else "query"
    fields = {
        "n_query": "query",
        "n_key": "key",
        "n_heads": "head",
        "n_kv_heads": "head",
        "n_experts": "expert",
        "n_vocab": "token",
    }
    return fields.get(axis, "feature")


def _place(axis: str, step: Step, selection: Selection, trace: Trace) -> int:
    size = trace.shape(step.key)[step.axes.index(axis)]
    if axis == "n_kv_heads":
        return selection.head // trace.config.n_queries_per_key
    if axis == "n_vocab":
        return (
            likeliest(trace, selection)
            if selection.token is None
            else (selection.token)
        )
    place: int = getattr(selection, _field(axis, step))
    return min(place, size - 1)


def likeliest(trace: Trace, selection: Selection) -> int:
    """The token that the model finds likeliest after the chosen one."""
    return int(trace.part("output.pick", (selection.query,)))


def _query_head(axis: str, place: int, selection: Selection, trace: Trace) -> int:
    """A key head stands for the query heads that use it; keep one of them if chosen."""
    if axis != "n_kv_heads":
        return place
    group = trace.config.n_queries_per_key
    return selection.head if selection.head // group == place else place * group


def _same_name(key: str, trace: Trace) -> str | None:
    """The step of another model that is called alike, in the last layer at most."""
    sides = [side_of(key), *sides_of(trace.config)[::-1]]
    if name_of(key).startswith("tokens."):
        sides = sides[::-1]  # the text that is typed
    on_sides = (_on_side(key, side, trace) for side in (*sides, ""))
    return next((found for found in on_sides if found), None)


def _on_side(key: str, side: str, trace: Trace) -> str | None:
    """The step of a side that is called like a step of another one."""
    is_in_layer = "layers." in key
    name = _in_layer(key)[1] if is_in_layer else key.removeprefix(f"{side_of(key)}.")
    of_side = f"{side}." if side else ""
    stack = [p for p in layers_of(trace.config) if p.startswith(f"{of_side}layers")]
    if is_in_layer and stack:
        at = _in_layer(key)[0].rpartition(".")[2]
        layer = next((p for p in stack if p.endswith(f".{at}")), stack[-1])
        if found := _key_in(trace, layer, name):
            return found
    return f"{of_side}{name}" if f"{of_side}{name}" in trace.keys else None


def has_numbers(step: Step) -> bool:
    """Whether the step's values are numbers one can point at."""
    return step.op not in TOKEN_OPS or step.name == "tokens.ids"
