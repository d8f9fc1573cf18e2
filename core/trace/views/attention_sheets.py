"""The numbers of the attention pictures as they leave the program.

In: the views that the pictures draw. Out: sheets, each with the Python that makes the
same array. What a picture joins or leaves out is joined or left out here, too.
"""

from dataclasses import fields

import numpy as np

from core.analysis.heads import HeadScores
from core.analysis.rollout import Joining
from core.trace.matrix import Axis
from core.trace.sheet import Sheet, sheet_of
from core.trace.trace import Trace
from core.trace.viewing import PLAIN, Head, Viewing
from core.trace.views.attention_compare import CompareView
from core.trace.views.attention_map import MapView, map_view, seen
from core.trace.views.attention_rollout import RolloutView
from core.trace.views.axes import token_axis
from core.trace.views.sheets import MASK_CODE, MASKED, part_code, sheet_name

IMPORTS = {
    "map_view": "from core.trace.views.attention_map import map_view",
    "weighted_view": "from core.trace.views.attention_effect import weighted_view",
    "rollout": "from core.analysis.rollout import rollout",
    "rollout_view": "from core.trace.views.attention_rollout import rollout_view",
    "compare_view": "from core.trace.views.attention_compare import compare_view",
    "Viewing": "from core.trace.viewing import Viewing",
}


def map_sheets(
    trace: Trace, key: str, head: int, viewing: Viewing
) -> tuple[Sheet, ...]:
    """The enlarged map of a head; all heads of its layer, where they are at hand."""
    sheets = [map_sheet(map_view(trace, key, head, viewing), viewing)]
    if trace.is_at_hand(key):
        sheets.append(layer_sheet(trace, key))
    return tuple(sheets)


def map_sheet(view: MapView, viewing: Viewing) -> Sheet:
    """One map in the shape that the viewing gives it."""
    key = view.matrix.key
    name = f"{key}, head {view.head + 1}"
    if view.shaping.is_plain:
        mask = (MASK_CODE,) if is_masked(key) else ()
        return sheet_of(view.matrix, name, (part_code(key, (view.head,)), *mask))
    code = (
        *imports("map_view", "Viewing"),
        f'view = map_view(trace, "{key}", {view.head}, {viewing_code(viewing)})',
        "values = view.matrix.values",
    )
    return sheet_of(view.matrix, " · ".join((name, *view.shaping.notes)), code)


def layer_sheet(trace: Trace, key: str) -> Sheet:
    """A stage of every head of a layer, as it was recorded."""
    values = seen(trace, key.rpartition(".")[2], trace.part(key))
    heads = Axis("head", tuple(str(i + 1) for i in range(len(values))))
    axes = heads, token_axis(trace, "query"), token_axis(trace, "key")
    mask = (MASK_CODE,) if is_masked(key) else ()
    name = sheet_name(trace, key, (None,) * 3)
    return Sheet(f"{name}, all heads", values, axes, (part_code(key, ()), *mask))


def is_masked(key: str) -> bool:
    """Whether a masked cell of the stage has no value."""
    return key.split(".", 2)[-1] in MASKED


def weighted_sheet(view: MapView, viewing: Viewing) -> Sheet:
    """A pattern times the lengths of what its shares move."""
    place = f'"{view.matrix.key}", {view.head}, {viewing_code(viewing)}'
    code = (
        *imports("weighted_view", "Viewing"),
        f"values = weighted_view(trace, {place}).matrix.values",
    )
    name = f"{view.matrix.key} × the length of v·W_O, head {view.head + 1}"
    return sheet_of(view.matrix, " · ".join((name, *view.shaping.notes)), code)


def rollout_sheet(view: RolloutView, joining: Joining, viewing: Viewing) -> Sheet:
    """Attention rolled out up to and with a layer."""
    of_map = f'{view.layer}, "{joining}", {viewing_code(viewing)}'
    code = (
        *imports("rollout", "rollout_view", "Viewing"),
        f'maps = rollout(trace, "{joining}")',
        f"values = rollout_view(trace, maps, {of_map}).matrix.values",
    )
    return sheet_of(view.matrix, view.title, code)


def compare_sheets(
    view: CompareView,
    heads: tuple[Head, Head],
    *,
    is_one_sentence: bool,
    viewing: Viewing,
) -> tuple[Sheet, ...]:
    """The difference of two maps, and both of them."""
    stage = view.one.stage
    pair = ", ".join(f"(trace, {head})" for head in heads)
    code = (
        *imports("compare_view", "Viewing"),
        f'view = compare_view({pair}, "{stage}", {viewing_code(viewing)})',
        "values = view.difference.values",
    )
    (layer, head), (other_layer, other) = heads
    name = (
        f"{stage}: layer {layer + 1} head {head + 1} minus layer {other_layer + 1} "
        f"head {other + 1}"
    )
    difference = sheet_of(view.difference, name, code if is_one_sentence else ())
    others = map_sheet(view.other, viewing)
    if not is_one_sentence:
        others = sheet_of(view.other.matrix, f"{others.name}, of the sentence beside")
    return difference, map_sheet(view.one, viewing), others


def score_sheet(scores: HeadScores) -> Sheet:
    """Every score of every head: [score, layer, head]."""
    values = np.stack(list(scores.by_name.values()))
    values.flags.writeable = False
    layers, heads = (
        Axis(name, tuple(str(i + 1) for i in range(size)))
        for name, size in zip(("layer", "head"), values.shape[1:], strict=True)
    )
    names = Axis("score", tuple(scores.by_name))
    return Sheet("scores of every head", values, (names, layers, heads))


def imports(*names: str) -> tuple[str, ...]:
    """The lines that bring these names in."""
    return tuple(IMPORTS[name] for name in names)


def viewing_code(viewing: Viewing) -> str:
    """The Python that makes a viewing, with nothing that is as it is by default."""
    told = (
        f"{each.name}={getattr(viewing, each.name)!r}"
        for each in fields(viewing)
        if getattr(viewing, each.name) != getattr(PLAIN, each.name)
    )
    return f"Viewing({', '.join(told)})"
