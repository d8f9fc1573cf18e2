"""What holds of every step of every kind of model: words, panel, colour, place."""

import numpy as np
import pytest

from app.frame.panel_header import KINDS, lengths_of, shape_text, title_words
from app.panels import panel_of
from app.style.theme import DARK, LIGHT
from core.config import ModelConfig
from core.texts import lesson_text, step_text
from core.trace.matrix import Cell
from core.trace.selection import Selection, at_step, cell_of, clamped, stepped, to_layer
from core.trace.step import ENCODER, TOKEN_AXES, part_of
from core.trace.steps import TOKEN_OPS, layers_of
from core.trace.trace import Trace
from core.trace.views.axes import step_axis
from core.trace.views.inspector import inspector_view
from core.trace.views.pipeline import pipeline_lines
from core.trace.views.places import place_text, place_words
from core.trace.views.roles import role_of
from core.trace.views.sheets import step_sheet
from core.trace.views.step_matrix import step_matrix
from tests.helpers.bundles import TWO_SIDES, encoder_decoder_trace
from tests.helpers.grid import both_sided, smallest, thin_grid, with_experts
from tests.helpers.traces import traced_ids

BARE = {
    "n_vocab": 16,
    "n_ctx": 8,
    "d_model": 16,
    "n_layers": 1,
    "n_heads": 1,
    "norm": "none",
    "feed_forward": False,
    "residual": False,
    "mix_heads": False,
    "bias": False,
    "position": "learned",
}
ONE_SIDE = (
    *thin_grid(),
    *both_sided(),
    *with_experts(),
    *smallest(),
    ModelConfig(**BARE),
)
TRACES = {
    **{
        f"one {i}": (lambda c=c: traced_ids(c, (3, 1, 4, 1, 5)))
        for i, c in enumerate(ONE_SIDE)
    },
    **{
        f"{kind}": (lambda kind=kind: encoder_decoder_trace(kind)) for kind in TWO_SIDES
    },
    **{
        f"{kind}, start alone": (
            lambda kind=kind: encoder_decoder_trace(kind, target="")
        )
        for kind in TWO_SIDES
    },
}


FEW = ("one 0", f"one {len(thin_grid()) - 1}", "T5, start alone")
"""Of the thin grid, and of targets that have only begun, these stand for all."""


def thoroughly(name: str) -> bool:
    """Whether a trace is one of many like it."""
    is_of_grid = name in {f"one {i}" for i in range(len(thin_grid()))}
    return (is_of_grid or "start alone" in name) and name not in FEW


@pytest.fixture(
    params=[
        pytest.param(name, marks=[pytest.mark.thorough] * thoroughly(name))
        for name in TRACES
    ]
)
def trace(request) -> Trace:
    return TRACES[request.param]()


def with_numbers(trace):
    return [s for s in trace.steps if s.axes and s.op not in TOKEN_OPS]


def labels_of(trace, side):
    tokens = trace.tokens(side)
    return {tokens.label(place) for place in range(tokens.n)}


def test_every_step_has_words_a_lesson_and_a_colour_of_both_themes(trace):
    titles = {}
    for step in trace.steps:
        words = step_text(step, trace.config)
        assert words.title
        assert 0 < len(words.short) <= 12
        assert words.sentence.endswith(".")
        assert lesson_text(step, panel_of(step.key).name, trace.config).body
        role = role_of(step.key)
        assert role != "text", step.key
        assert getattr(LIGHT, role)
        assert getattr(DARK, role)
        place = step.side, step.layer, part_of(step.key)
        titles.setdefault((place, words.title), []).append(step.key)
    assert all(len(keys) == 1 for keys in titles.values()), titles


def test_a_title_of_two_sides_names_side_layer_and_part(trace):
    for step in trace.steps:
        said = " ".join(
            w.text for w in title_words(step, step_text(step, trace.config).title)
        )
        if step.side:
            assert said.startswith(step.side.capitalize())
        if step.side and step.layer is not None:
            assert f"layer {step.layer + 1}" in said
            assert KINDS.get(part_of(step.key), "") in said


def test_every_axis_of_tokens_is_that_of_its_side(trace):
    lengths = lengths_of(trace)
    for step in trace.steps:
        shape = trace.shape(step.key)
        text = shape_text(step, trace.config, lengths)
        for axis, size in zip(step.axes, shape, strict=True):
            assert f"{size} " in text
            if axis not in TOKEN_AXES:
                continue
            shown = step_axis(trace, step, axis)
            tokens = trace.tokens(step.side_of(axis))
            assert shown.labels == tuple(map(tokens.label, range(size)))
            if step.side:
                whose = "source" if step.side_of(axis) == ENCODER else "target"
                assert shown.name.startswith(whose)
                assert whose in text


def test_every_number_names_its_tokens_and_so_does_each_operand(trace):
    for step in with_numbers(trace):
        last = tuple(size - 1 for size in trace.shape(step.key))
        for index in ((0,) * len(last), last):
            view = inspector_view(trace, Cell(step.key, index), str)
            assert view.is_proven, step.key
            assert place_words(trace, view.cell, str)
            for block in view.explanation.blocks:
                if block.address.startswith("config."):
                    continue
                check_place(trace, block.operand(0))
                check_place(trace, block.operand(len(block) - 1))


def check_place(trace, operand):
    """The place of an operand: its side, and labels of tokens of the right text."""
    said = place_text(trace, Cell(operand.address, operand.index), str)
    if operand.address not in trace.keys:
        return
    step = trace.step(operand.address)
    assert said.startswith(step.side)
    for axis, place in zip(step.axes, operand.index, strict=True):
        if axis in TOKEN_AXES:
            assert trace.tokens(step.side_of(axis)).label(place) in said
            if step.side_of(axis) != step.side:
                assert "of the source" in said


def test_every_step_is_a_matrix_and_a_sheet(trace):
    for step in trace.steps:
        at = clamped(
            Selection(step=step.key, query=99, key=99, head=99, feature=99), trace
        )
        sheet = step_sheet(trace, at, str)
        assert sheet.values.shape == tuple(len(axis.labels) for axis in sheet.axes)
        if step in with_numbers(trace):
            shown = step_matrix(trace, at, str)
            shape = (len(shown.matrix.rows.labels), len(shown.matrix.columns.labels))
            assert shown.matrix.values.shape == shape
            row, column = shown.selected
            assert 0 <= row < shape[0]
            assert 0 <= column < shape[1]


def test_the_walk_goes_through_every_step_once_and_the_list_has_them_in_order(trace):
    selection, seen = Selection(step=trace.keys[0]), []
    while selection is not None:
        if selection.step not in seen[-1:]:
            seen.append(selection.step)
        tokens = trace.tokens(trace.step(selection.step).side)
        assert selection.query < tokens.n
        cell = cell_of(selection, trace)
        assert cell is None or trace.has_number(cell.key, cell.index)
        selection = stepped(selection, trace, 1)
    assert tuple(seen) == trace.keys
    lines = pipeline_lines(trace.config)
    assert [stop.key for line in lines for stop in line.stops] == seen


def test_down_leads_through_all_layers_of_both_sides_and_up_leads_back(trace):
    first = next(key for key in trace.keys if key.endswith("layers.0.attn.q"))
    at, way = at_step(Selection(step=trace.keys[0]), first), [first]
    while (after := to_layer(at, trace, 1)) is not None:
        at = after
        way.append(at.step)
    assert way == [f"{path}.attn.q" for path in layers_of(trace.config)]
    while (before := to_layer(at, trace, -1)) is not None:
        at = before
    assert at.step == first


def test_a_number_that_is_pointed_at_from_cross_attention_is_of_the_source():
    trace = encoder_decoder_trace()
    key = "decoder.layers.1.cross.pattern"
    at = Selection(step=key, query=1, key=7)
    back = at_step(at, "encoder.embed.sum")
    assert (back.query, back.other) == (7, 1)
    assert cell_of(back, trace).index[0] == 7
    np.testing.assert_array_equal(
        trace.part("encoder.embed.sum", (7,)), trace["encoder.embed.sum"][7]
    )
