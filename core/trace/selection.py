"""Where the reader is: the step, the tokens, the head, the number they point at.

A `Selection` is one frozen value for the whole window. These functions move it; none of
them knows a widget. It outlives a sentence: `clamped` fits it to the next trace.
"""

from dataclasses import dataclass, replace

from core.trace.matrix import Cell
from core.trace.steps import TOKEN_OPS, Step
from core.trace.trace import Trace

ROWS_OF_KEYS = ("attn.k", "attn.k_normed", "attn.k_rotated", "attn.v")
"""Steps whose rows belong to the tokens looked at, not to the one that looks."""


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
    token: int | None = None
    """An id of the vocabulary, for logits and shares; None is the likeliest."""
    n_merges: int = 0
    """Merges played so far in the chosen token's word."""
    focus: Cell | None = None
    """A number outside the present step that was asked for, such as a weight."""


def clamped(selection: Selection, trace: Trace) -> Selection:
    """The nearest selection that exists in this trace."""
    step = selection.step
    if step not in trace.keys:
        step = _same_name(step, trace) or trace.keys[0]
    token = selection.token
    return replace(
        selection,
        step=step,
        query=min(selection.query, trace.n - 1),
        key=min(selection.key, trace.n - 1),
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
    """The same tokens, head and feature at another step."""
    return replace(selection, step=key, focus=None, n_merges=0)


def stepped(selection: Selection, trace: Trace, by: int) -> Selection | None:
    """The selection `by` steps on (or back); None beyond either end.

    The merges of the chosen token's word are walked one by one on the way.
    """
    if selection.step == "tokens.merges":
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
    step = trace.step(selection.step)
    n_layers = trace.config.n_layers
    if step.layer is not None:
        layer = step.layer + by
        inside = 0 <= layer < n_layers
        key = f"layers.{layer}.{step.name}"
        return at_step(selection, key) if inside and key in trace.keys else None
    is_before = not step.key.startswith("output.")
    if is_before == (by < 0):
        return None
    inside_keys = [key for key in trace.keys if key.startswith("layers.")]
    return at_step(selection, inside_keys[0 if is_before else -1])


def feature_of(selection: Selection, trace: Trace, axis: str) -> int:
    """The chosen feature on an axis; a wider step may have left it beyond the end."""
    return min(selection.feature, trace.sizes[axis] - 1)


def n_merges_of_word(selection: Selection, trace: Trace) -> int:
    """How many recorded steps the word of the chosen token has: merges, or others."""
    encoding = trace.encoding
    return encoding.words[encoding.pieces[selection.query].word].n_recorded


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
    size = trace.sizes[axis]
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
    of, _, in_layer = key.removeprefix("layers.").partition(".")
    is_in_layer = key.startswith("layers.")
    name = in_layer if is_in_layer else key
    last = trace.config.n_layers - 1 if is_in_layer else 0
    layer = next((each for each in range(last) if str(each) == of), last)
    for candidate in (f"layers.{layer}.{name}", name):
        if candidate in trace.keys:
            return candidate
    return None


def has_numbers(step: Step) -> bool:
    """Whether the step's values are numbers one can point at."""
    return step.op not in TOKEN_OPS or step.key == "tokens.ids"
