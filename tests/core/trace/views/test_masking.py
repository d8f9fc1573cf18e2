"""Padding in the views: named, empty, and in no average."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from core.analysis.heads import OF_SENTENCE, scores_of
from core.analysis.rollout import rollout
from core.pipeline import run_trace
from core.trace.archive import read_trace, save_trace
from core.trace.trace import Trace
from core.trace.viewing import PLAIN
from core.trace.views.attention_birth import birth_view
from core.trace.views.attention_map import map_view
from core.trace.views.attention_mix import mix_view
from core.trace.views.attention_rollout import rollout_view
from core.trace.views.attention_shares import shares_of, why_none
from core.trace.views.axes import token_axis
from core.trace.views.masking import AFTER, NO_KEY, PADDING, why_hidden
from tests.helpers.bundles import tiny_bundle, tiny_trace

TEXT = "the cat sat on the mat"
N_PADS = 2
PATTERN = "layers.1.attn.pattern"
PAD_ROW, TOKEN_ROW = 1, 4


@cache
def padded(n_left: int = N_PADS, n_right: int = 0) -> Trace:
    bundle = tiny_bundle()
    ids = bundle.tokenizer.encode(TEXT).ids
    return run_trace(
        bundle,
        ids=[0] * n_left + list(ids) + [0] * n_right,
        attention_mask=[0] * n_left + [1] * len(ids) + [0] * n_right,
    )


def test_there_are_three_reasons_to_be_hidden_and_one_not_to_be():
    mask = padded().part("mask")
    assert why_hidden(mask, PAD_ROW, 0) == NO_KEY
    assert why_hidden(mask, TOKEN_ROW, 0) == PADDING
    assert why_hidden(mask, TOKEN_ROW, TOKEN_ROW + 1) == AFTER
    assert why_hidden(mask, TOKEN_ROW, TOKEN_ROW) == ""


@pytest.mark.parametrize("stage", ["masked", "pattern"])
def test_a_map_names_padding_and_rows_without_a_key(stage):
    view = map_view(padded(), f"layers.1.attn.{stage}", 0, PLAIN)
    assert view.value(PAD_ROW, 0) == NO_KEY
    assert view.value(PAD_ROW, TOKEN_ROW) == NO_KEY
    assert view.value(TOKEN_ROW, 1) == "masked: padding"
    assert "masked" in view.value(TOKEN_ROW, TOKEN_ROW + 1)
    assert np.isnan(view.matrix.values[:N_PADS]).all()
    assert np.isnan(view.matrix.values[:, :N_PADS]).all()


def test_the_tip_names_layer_head_query_key_and_the_number_of_the_table():
    bundle = tiny_bundle(n_heads=4)
    trace = run_trace(bundle, TEXT)
    tip = map_view(trace, PATTERN, 2, PLAIN).tip(2, 0)
    labels = [piece.label for piece in trace.encoding.pieces]
    where, tokens, number = tip.split("\n")
    assert where == "layer 2 · head 3"
    assert tokens == f"query {labels[2]} (3) → key {labels[0]} (1)"
    share = trace.value(PATTERN, (2, 2, 0))
    assert float(number.removeprefix("share = ")) == pytest.approx(share, rel=1e-3)


def test_every_view_of_a_cell_says_padding():
    trace = padded()
    shares = shares_of(trace, ((1, 0),), PLAIN)
    assert why_none(shares, TOKEN_ROW, 0) == "masked: padding"
    assert why_none(shares, PAD_ROW, 0) == NO_KEY
    assert "padding" in mix_view(trace, "layers.1.attn.heads", 0, TOKEN_ROW).where(0)
    birth = birth_view(trace, "layers.1.attn", 0, TOKEN_ROW, 0)
    assert PADDING in [stage.note for stage in birth.stages]
    nothing = birth_view(trace, "layers.1.attn", 0, PAD_ROW, 0)
    assert NO_KEY in [stage.note for stage in nothing.stages]
    assert (nothing.powers == 0).all()


@pytest.mark.parametrize("pads", [(2, 0), (0, 3), (1, 2)])
def test_heads_score_as_they_do_without_padding(pads):
    alone = scores_of(tiny_trace(TEXT), OF_SENTENCE)
    scores = scores_of(padded(*pads), OF_SENTENCE)
    assert scores.lacks == alone.lacks
    for name, values in alone.by_name.items():
        np.testing.assert_allclose(scores.by_name[name], values, atol=1e-5)


@pytest.mark.parametrize("pads", [(2, 0), (0, 3), (1, 2)])
def test_rollout_of_tokens_is_theirs_and_padding_has_none(pads):
    n = tiny_trace(TEXT).n
    tokens = slice(pads[0], pads[0] + n)
    maps = rollout(padded(*pads))
    alone = rollout(tiny_trace(TEXT))
    np.testing.assert_allclose(maps[:, tokens, tokens], alone, atol=1e-5)
    assert np.isnan(maps[:, padded(*pads).padding]).all()


def test_rollout_names_padding():
    view = rollout_view(padded(), rollout(padded()), 1, "mean", PLAIN)
    assert view.value(TOKEN_ROW, 0) == "share = 0: padding"
    assert view.value(PAD_ROW, 0) == NO_KEY


def test_a_trace_file_keeps_padding(tmp_path):
    file = tmp_path / "padded.npz"
    save_trace(padded(), file, tiny_bundle().tokenizer)
    back = read_trace(file)
    assert back.padding.tolist() == padded().padding.tolist()
    np.testing.assert_array_equal(back.part("positions"), padded().part("positions"))
    np.testing.assert_array_equal(back[PATTERN], padded()[PATTERN])


def test_the_first_token_is_the_first_that_is_no_padding():
    left_out = replace(PLAIN, sink="left out")
    alone, trace = tiny_trace(TEXT), padded()
    ours = map_view(trace, PATTERN, 0, left_out)
    theirs = map_view(alone, PATTERN, 0, left_out)
    assert len(ours.shaping.column_tokens) == trace.n - 1
    np.testing.assert_allclose(
        ours.matrix.values[N_PADS:, N_PADS:], theirs.matrix.values, atol=1e-5
    )


def test_padding_is_part_of_no_word():
    whole_words = replace(PLAIN, whole_words=True)
    ours = map_view(padded(), PATTERN, 0, whole_words)
    theirs = map_view(tiny_trace(TEXT), PATTERN, 0, whole_words)
    first = tuple(place + N_PADS for place in theirs.shaping.row_tokens[0])
    assert ours.shaping.row_tokens[:3] == ((0,), (1,), first)
    np.testing.assert_allclose(
        ours.matrix.values[N_PADS:, N_PADS:], theirs.matrix.values, atol=1e-5
    )


def test_five_tokens_padded_to_sixteen_are_a_map_of_sixteen_with_padding_named():
    bundle = tiny_bundle()
    ids = bundle.tokenizer.encode("the cat sat on").ids[:5]
    trace = run_trace(bundle, ids=[*ids, *[0] * 11], attention_mask=[1] * 5 + [0] * 11)
    view = map_view(trace, PATTERN, 0, PLAIN)
    assert view.matrix.values.shape == (16, 16)
    labels = tuple(piece.label for piece in trace.encoding.pieces[:5])
    for axis in (view.matrix.rows, view.matrix.columns, token_axis(trace, "token")):
        assert axis.labels == (*labels, *["⟨pad⟩"] * 11)
    assert np.isnan(view.matrix.values[:, 5:]).all()
