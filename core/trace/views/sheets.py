"""The present step's numbers as they leave the program, and the code that makes them.

In: a trace and a selection. Out: the sheet that a panel exports if it has none of its
own, and a whole Python program that makes the same array through `core`.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from core.tokenizers.base import Tokenizer
from core.tokenizers.target import target_encoding
from core.trace.matrix import Axis
from core.trace.needs import Index
from core.trace.selection import Selection
from core.trace.sheet import Sheet
from core.trace.step import TOKEN_AXES, on_side
from core.trace.steps import Step
from core.trace.trace import Trace
from core.trace.views.axes import predicted, step_axis
from core.trace.views.places import FEATURES, LabelOf, token_label
from core.trace.views.step_matrix import shown_part

IDS = "tokens.ids"
"""The numbers of the steps that have none but texts."""
MASKED = ("attn.masked", "attn.pattern")
"""Steps of which a masked cell is no number, though the trace holds −∞ or 0 there."""
IMPORT = "from core."
"""How a line begins that belongs to the top of a program."""
ONLY_HERE = "# This array is put together by the window; save its numbers instead.\n"
MASK_CODE = 'values = np.where(trace.part("{mask}"), values, np.nan)'


def sheet_part(trace: Trace, selection: Selection) -> tuple[str, Index]:
    """The part of the trace that `step_sheet` asks for."""
    step = trace.step(selection.step)
    if not step.axes:
        return on_side(step.key, IDS), (None,)
    return shown_part(trace, selection)


def step_sheet(trace: Trace, selection: Selection, label_of: LabelOf) -> Sheet:
    """The present step of the chosen head; of steps over the vocabulary one row."""
    key, index = sheet_part(trace, selection)
    step, values = trace.step(key), trace.part(key, index)
    code = [part_code(key, index)]
    if step.name in MASKED:
        mask = trace.step(f"{step.attention}.masked").inputs[1]
        values = np.where(trace.part(mask), values, np.float32(np.nan))
        values.flags.writeable = False
        code.append(MASK_CODE.format(mask=mask))
    axes = tuple(
        _axis(trace, step, axis, label_of)
        for axis, place in zip(step.axes, index, strict=True)
        if place is None
    )
    return Sheet(sheet_name(trace, key, index), values, axes, tuple(code))


def sheet_name(trace: Trace, key: str, index: Index) -> str:
    """A part of a step in words: "layers.1.attn.pattern, head 3"."""
    said, step = [key], trace.step(key)
    for axis, place in zip(step.axes, index, strict=True):
        if place is not None and axis in TOKEN_AXES:
            label = token_label(trace, place, step.side_of(axis))
            said.append(f"token {label}")
        elif place is not None:
            said.append(f"head {place + 1}")
    return ", ".join(said)


def part_code(key: str, index: Index) -> str:
    """The line that reads a part of a trace."""
    picked = list(index)
    while picked and picked[-1] is None:
        picked.pop()
    place = f", {tuple(picked)}" if picked else ""
    return f'values = trace.part("{key}"{place})'


def _axis(trace: Trace, step: Step, axis: str, label_of: LabelOf) -> Axis:
    if axis in TOKEN_AXES:
        return step_axis(trace, step, axis)
    size = trace.sizes[axis]
    if axis == "n_first":
        return Axis("token", (token_label(trace, 0),), "query")
    if axis == "n_vocab":
        return Axis(predicted(trace.config), tuple(map(label_of, range(size))))
    name = "head" if axis in ("n_heads", "n_kv_heads") else FEATURES[axis]
    return Axis(name, tuple(str(i + 1) for i in range(size)))


def program(
    sheet: Sheet, trace: Trace, tokenizer: Tokenizer, place: Path, *, is_file: bool
) -> str:
    """Python that makes the sheet's array through `core`.

    `place` is the model's folder; where the trace `is_file`, its own file.
    """
    source = _file_lines(place) if is_file else _model_lines(trace, tokenizer, place)
    if not sheet.code:
        return ONLY_HERE
    needs_numpy = any("np." in line for line in sheet.code)
    head = ["import numpy as np", ""] if needs_numpy else []
    imports = [line for line in sheet.code if line.startswith(IMPORT)]
    rest = [line for line in sheet.code if not line.startswith(IMPORT)]
    first, *others = source
    return "\n".join([*head, first, *imports, *others, *rest, ""])


def _file_lines(file: Path) -> Sequence[str]:
    return ["from core import read_trace", "", f"trace = read_trace({str(file)!r})"]


def _model_lines(trace: Trace, tokenizer: Tokenizer, folder: Path) -> Sequence[str]:
    read = trace.source or trace.encoding
    is_typed = tokenizer.encode(read.text).ids == read.ids
    sentence = repr(read.text) if is_typed else f"ids={list(read.ids)}"
    if trace.source is not None:
        sentence += f", target={_target(trace, tokenizer)}"
    names = ["open_bundle", "run_trace"]
    edits = ""
    if trace.edits:
        names.insert(0, "Edit")
        edits = f", edits=[{', '.join(map(repr, trace.edits))}]"
    return [
        f"from core import {', '.join(names)}",
        "",
        f"bundle = open_bundle({str(folder)!r})",
        f"trace = run_trace(bundle, {sentence}{edits})",
    ]


def _target(trace: Trace, tokenizer: Tokenizer) -> str:
    """The target as `run_trace` takes it: the text, or the ids behind the start."""
    start_id, *ids = trace.ids
    typed = target_encoding(tokenizer, trace.text, start_id)
    return repr(trace.text) if typed.ids == trace.ids else repr(ids)
