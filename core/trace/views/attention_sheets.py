"""The numbers of the attention pictures as they leave the program.

In: the views that the pictures draw. Out: sheets, each with the Python that makes the
same array. What a picture joins or leaves out is joined or left out here, too.
"""

from dataclasses import fields

import numpy as np

from core.analysis.heads import HeadScores
from core.analysis.rollout import Joining
from core.trace.attentions import kind_named, kind_of
from core.trace.matrix import Axis
from core.trace.sheet import Sheet, sheet_of
from core.trace.trace import Trace
from core.trace.viewing import PLAIN, Head, Viewing, viewing_of
from core.trace.views.attention_compare import CompareView
from core.trace.views.attention_map import MapView, map_view, row_in_heads, seen
from core.trace.views.attention_rollout import RolloutView
from core.trace.views.shaping import shaped, shaping_of
from core.trace.views.sheets import MASK_CODE, MASKED, part_code, sheet_name

IMPORTS = {
    "seen": "from core.trace.views.attention_map import seen",
    "shaped": "from core.trace.views.shaping import shaped, shaping_of",
    "map_view": "from core.trace.views.attention_map import map_view",
    "row_in_heads": "from core.trace.views.attention_map import row_in_heads",
    "weighted_view": "from core.trace.views.attention_effect import weighted_view",
    "kind_named": "from core.trace.attentions import kind_named",
    "rollout": "from core.analysis.rollout import rollout",
    "rollout_view": "from core.trace.views.attention_rollout import rollout_view",
    "compare_view": "from core.trace.views.attention_compare import compare_view",
    "Viewing": "from core.trace.viewing import Viewing",
}


def map_sheets(
    trace: Trace, key: str, head: int, query: int, viewing: Viewing
) -> tuple[Sheet, ...]:
    """The enlarged map of a head, the query's row in every head, and their maps.

    The last only where they are at hand.
    """
    row = row_sheet(trace, key, query, viewing)
    sheets = [map_sheet(trace, map_view(trace, key, head, viewing), viewing), row]
    if trace.is_at_hand(key):
        sheets.append(layer_sheet(trace, key, viewing))
    return tuple(sheets)


def row_sheet(trace: Trace, key: str, query: int, viewing: Viewing) -> Sheet:
    """The row of one query in every head of its layer."""
    viewing = viewing_of(viewing, kind_of(trace.config, key))
    matrix = row_in_heads(trace, key, query, viewing)
    notes = shaping_of(trace, viewing, key.rpartition(".")[2]).notes
    code = (
        *imports("row_in_heads", "Viewing"),
        f'view = row_in_heads(trace, "{key}", {query}, {viewing_code(viewing)})',
        "values = view.values",
    )
    name = f"{key}, {trace.rows_of(key).label(query)} in every head"
    return sheet_of(matrix, " · ".join((name, *notes)), code)


def map_sheet(trace: Trace, view: MapView, viewing: Viewing) -> Sheet:
    """One map in the shape that the viewing gives it."""
    key = view.matrix.key
    name = f"{key}, head {view.head + 1}"
    if view.shaping.is_plain:
        code = part_code(key, (view.head,)), *mask_code(trace, key)
        return sheet_of(view.matrix, name, code)
    code = (
        *imports("map_view", "Viewing"),
        f'view = map_view(trace, "{key}", {view.head}, {viewing_code(viewing)})',
        "values = view.matrix.values",
    )
    return sheet_of(view.matrix, " · ".join((name, *view.shaping.notes)), code)


def layer_sheet(trace: Trace, key: str, viewing: Viewing = PLAIN) -> Sheet:
    """A stage of every head of a layer, in the shape that the viewing gives it."""
    stage = key.rpartition(".")[2]
    viewing = viewing_of(viewing, kind_of(trace.config, key))
    shaping = shaping_of(trace, viewing, stage)
    values = shaped(seen(trace, key, trace.part(key)), shaping)
    name = f"{sheet_name(trace, key, (None,) * 3)}, all heads"
    code: tuple[str, ...] = (part_code(key, ()), *mask_code(trace, key))
    if not shaping.is_plain:
        maps = f'seen(trace, "{key}", trace.part("{key}"))'
        code = (*shaping_code(stage, viewing), f"values = shaped({maps}, shaping)")
    axes = number_axis("head", len(values)), shaping.rows, shaping.columns
    return Sheet(" · ".join((name, *shaping.notes)), values, axes, code)


def every_head_sheet(trace: Trace, stage: str, viewing: Viewing) -> Sheet:
    """A stage of every head of a kind: [layer, head, query, key]."""
    kind = kind_named(trace.config, viewing.kind)
    shaping = shaping_of(trace, viewing, stage)
    keys = [kind.key(stage, layer) for layer in range(kind.n_layers)]
    maps = (shaped(seen(trace, key, trace.part(key)), shaping) for key in keys)
    values = np.stack([*maps])
    values.flags.writeable = False
    code = (
        *shaping_code(stage, viewing),
        *imports("kind_named"),
        f'paths = kind_named(trace.config, "{viewing.kind}").paths',
        f'keys = [f"{{path}}.{stage}" for path in paths]',
        "maps = [seen(trace, key, trace.part(key)) for key in keys]",
        "values = np.stack([shaped(each, shaping) for each in maps])",
    )
    axes = number_axis("layer", kind.n_layers), number_axis("head", values.shape[1])
    every = f"attn.{stage}, all heads of all layers"
    name = " · ".join((f"{kind.name} {every}".lstrip(), *shaping.notes))
    return Sheet(name, values, (*axes, shaping.rows, shaping.columns), code)


def number_axis(name: str, size: int) -> Axis:
    """Layers or heads, counted from 1."""
    return Axis(name, tuple(str(place + 1) for place in range(size)))


def shaping_code(stage: str, viewing: Viewing) -> tuple[str, ...]:
    """The lines that make the `shaping` of a stage's maps."""
    made = f'shaping = shaping_of(trace, {viewing_code(viewing)}, "{stage}")'
    return (*imports("seen", "shaped", "Viewing"), made)


def mask_code(trace: Trace, key: str) -> tuple[str, ...]:
    """The line that empties the masked cells of a stage which has some."""
    if trace.step(key).name not in MASKED:
        return ()
    mask = trace.step(f"{trace.step(key).attention}.masked").inputs[1]
    return (MASK_CODE.format(mask=mask),)


def weighted_sheet(view: MapView, viewing: Viewing) -> Sheet:
    """A pattern times the lengths of what its shares move."""
    place = f'"{view.matrix.key}", {view.head}, {viewing_code(viewing)}'
    code = (
        *imports("weighted_view", "Viewing"),
        f"values = weighted_view(trace, {place}).matrix.values",
    )
    of = "v·W_O" if "W_O" in view.unit else "v"
    name = f"{view.matrix.key} × the length of {of}, head {view.head + 1}"
    return sheet_of(view.matrix, " · ".join((name, *view.shaping.notes)), code)


def rollout_sheet(view: RolloutView, joining: Joining, viewing: Viewing) -> Sheet:
    """Attention rolled out up to and with a layer."""
    of_map = f'{view.layer}, "{joining}", {viewing_code(viewing)}'
    asked = (joining, viewing.kind) if viewing.kind else (joining,)
    code = (
        *imports("rollout", "rollout_view", "Viewing"),
        f"maps = rollout(trace, {', '.join(map(repr, asked))})",
        f"values = rollout_view(trace, maps, {of_map}).matrix.values",
    )
    return sheet_of(view.matrix, view.title, code)


def compare_sheets(
    trace: Trace,
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
    kind = kind_named(trace.config, viewing.kind)
    name = (
        f"{stage}: {kind.layer_words(layer)} head {head + 1} minus "
        f"{kind.layer_words(other_layer)} head {other + 1}"
    )
    difference = sheet_of(view.difference, name, code if is_one_sentence else ())
    others = map_sheet(trace, view.other, viewing)
    if not is_one_sentence:
        others = sheet_of(view.other.matrix, f"{others.name}, of the sentence beside")
    return difference, map_sheet(trace, view.one, viewing), others


def score_sheet(scores: HeadScores) -> Sheet:
    """Every score of every head: [score, layer, head]."""
    values = np.stack(list(scores.by_name.values()))
    values.flags.writeable = False
    sides = zip(("layer", "head"), values.shape[1:], strict=True)
    axes = (number_axis(name, size) for name, size in sides)
    names = Axis("score", tuple(scores.by_name))
    return Sheet("scores of every head", values, (names, *axes))


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
