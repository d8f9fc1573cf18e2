"""Weight beside effect: numbers that add up, and sentences that are true of them."""

import numpy as np
import pytest

from core.analysis.attribution import head_logits, head_row
from core.pipeline import run_trace
from core.trace.edits import Edit
from core.trace.matrix import Cell
from core.trace.selection import Selection
from core.trace.viewing import Viewing
from core.trace.views.attention_effect import (
    N_ROWS,
    effect_map,
    effect_parts,
    key_effects,
    percent,
)
from core.trace.views.attention_output import head_output, head_pushes, output_cell
from tests.helpers.bundles import tiny_bundle, tiny_trace
from tests.helpers.scenes import scene_of

TEXT, ATTN = "the cat sat on the mat", "layers.1.attn"
PLAIN = Viewing()
ROTARY = {"position": "rotary", "n_heads": 4, "n_kv_heads": 2, "norm": "rms_norm"}


@pytest.fixture(params=[{}, ROTARY, {"norm_place": "post"}], ids=["gpt", "gqa", "post"])
def trace(request):
    return tiny_trace(TEXT, **request.param)


def effects(trace, query=4, token=97, head=1):
    return key_effects(trace, ATTN, head, query, token, str)


def test_the_map_is_each_share_times_the_length_of_what_it_moves(trace):
    view = effect_map(trace, ATTN, 1, PLAIN)
    expected = trace[f"{ATTN}.pattern"][1] * view.reach
    allowed = trace.part("mask")
    np.testing.assert_allclose(view.matrix.values[allowed], expected[allowed])
    assert np.isnan(view.matrix.values[~allowed]).all()


def test_the_map_of_all_heads_is_the_sum_of_theirs(trace):
    heads = range(trace.config.n_heads)
    each = sum(effect_map(trace, ATTN, head, PLAIN).matrix.values for head in heads)
    whole = effect_map(trace, ATTN, None, PLAIN).matrix.values
    np.testing.assert_allclose(whole, each, rtol=1e-5)


def test_joined_words_add_up_keys_and_average_queries():
    trace = tiny_trace(TEXT)
    view = effect_map(trace, ATTN, 1, Viewing(whole_words=True))
    plain = np.nan_to_num(effect_map(trace, ATTN, 1, PLAIN).matrix.values)
    rows, columns = view.shaping.row_tokens[-1], view.shaping.column_tokens[0]
    expected = plain[np.ix_(rows, columns)].sum(axis=1).mean()
    assert view.matrix.values[-1, 0] == pytest.approx(expected, rel=1e-5)
    assert "words joined" in view.reading


def test_leaving_the_first_token_out_changes_no_other_length():
    trace = tiny_trace(TEXT)
    plain = effect_map(trace, ATTN, 1, PLAIN).matrix.values
    rest = effect_map(trace, ATTN, 1, Viewing(sink="left out"))
    np.testing.assert_array_equal(rest.matrix.values, plain[:, 1:])
    assert "the first token is left out" in rest.reading
    assert "share is of what it left over" not in rest.reading


def test_a_row_holds_what_may_be_looked_at(trace):
    view = effects(trace, query=3)
    assert view.keys.tolist() == [0, 1, 2, 3]
    assert view.weights.sum() == pytest.approx(1, abs=1e-5)
    assert view.effect_shares.sum() == pytest.approx(1, abs=1e-5)


def test_the_logits_of_a_row_add_up_to_what_the_head_adds(trace):
    added = head_logits(trace, ATTN, 1, 4)[97]
    assert effects(trace).logits.sum() == pytest.approx(added, abs=1e-4)


def test_the_sentence_names_the_token_that_takes_most():
    trace = tiny_trace(TEXT)
    view = effects(trace)
    most = int(view.weights.argmax())
    words = (
        f"{view.label(most)} ({most + 1}) takes {percent(view.weights[most])} of the "
        f"attention and {percent(view.effect_shares[most])} of the effect"
    )
    assert view.answer.startswith(words)


def test_the_sentence_names_who_moves_more_than_that():
    view = effects(tiny_trace(TEXT))
    view.effects.flags.writeable = True
    view.effects[:] = 0.0
    other = 1 + int(view.weights.argmax()) % 4
    view.effects[other] = 2.0
    mover = f"{view.label(other)} ({other + 1})"
    assert view.answer.endswith(f"0 % of the effect; most of it, 100 %, is {mover}'s.")


def test_rows_are_sorted_by_size_and_the_chosen_key_is_among_them():
    trace = tiny_trace("the cat sat " * 24, n_ctx=128)
    view = effects(trace, query=trace.n - 1)
    assert len(view.keys) == trace.n > N_ROWS
    for by, numbers in (("weight", view.weights), ("logit", np.abs(view.logits))):
        least = int(numbers.argmin())
        places = view.shown(by, key=int(view.keys[least]))
        assert len(places) == N_ROWS
        assert places[-1] == least
        assert (np.diff(numbers[places]) <= 0).all()
    in_order = view.shown("in order", key=0)
    assert (np.diff(in_order) > 0).all()


def test_rows_and_the_others_together_are_the_whole():
    trace = tiny_trace("the cat sat " * 24, n_ctx=128)
    view = effects(trace, query=trace.n - 1)
    places = view.shown("effect", key=0)
    n_others, weight, effect, logit = view.others(places)
    assert n_others == trace.n - N_ROWS
    assert weight + view.weights[places].sum() == pytest.approx(1, abs=1e-5)
    total = view.effects.sum()
    assert effect + view.effects[places].sum() == pytest.approx(total, rel=1e-5)
    added = view.logits.sum()
    assert logit + view.logits[places].sum() == pytest.approx(added, abs=1e-9)


def test_an_edited_head_says_that_its_rows_are_no_longer_its_output():
    edits = [Edit(f"{ATTN}.heads", (1,), 0.0)]
    edited = run_trace(tiny_bundle(), TEXT, edits=edits)
    assert "An edit set" in effects(edited).answer
    assert "An edit set" not in effects(tiny_trace(TEXT)).answer


def test_numbers_that_are_none_are_told():
    view = effects(tiny_trace(TEXT))
    view.effects.flags.writeable = True
    view.effects[0] = np.nan
    assert "no telling" in view.answer
    assert view.largest_share <= 1


def test_the_output_is_the_row_that_the_head_adds(trace):
    view = head_output(trace, ATTN, 1, 4)
    np.testing.assert_allclose(view.vector, head_row(trace, ATTN, 1, 4), rtol=1e-5)
    assert view.length == pytest.approx(float(view.lengths[4]), rel=1e-4)
    assert trace.has(*_address(output_cell(ATTN, 4, 3)))


def test_the_pushes_are_the_ends_of_the_heads_logits(trace):
    logits = head_logits(trace, ATTN, 1, 4)
    pushes = head_pushes(trace, ATTN, 1, 4, str)
    assert pushes.raised[0].amount == logits.max()
    assert pushes.lowered[0].amount == logits.min()
    amounts = [push.amount for push in pushes.raised]
    assert amounts == sorted(amounts, reverse=True)
    assert all(logits[push.token] == push.amount for push in pushes.lowered)
    assert pushes.largest == np.abs(logits).max()


def test_the_way_to_the_logits_is_said_in_words():
    said = {
        place: head_output(tiny_trace(TEXT, norm_place=place), ATTN, 1, 4).reading
        for place in ("pre", "post")
    }
    assert "through the final norm, its divisor as it was" in said["pre"]
    assert "through the 2 norms behind, each divisor as it was" in said["post"]


@pytest.mark.parametrize("is_summed", [False, True])
def test_it_declares_what_it_asks_for(trace, is_summed):
    at = Selection(step=f"{ATTN}.pattern", query=3, head=1)
    parts = effect_parts(trace, ATTN, at, is_summed=is_summed)
    assert all(trace.has(*part) for part in parts)


def test_one_token_takes_all_and_has_all_of_the_effect():
    scene = scene_of("t")
    view = key_effects(scene.trace, ATTN, 0, 0, 97, scene.tokenizer.label)
    assert view.answer == "t (1) takes 100 % of the attention and 100 % of the effect."


@pytest.mark.parametrize(
    ("share", "words"), [(0.0, "0 %"), (0.001, "less than 1 %"), (0.567, "57 %")]
)
def test_small_shares_are_not_told_as_none(share, words):
    assert percent(share) == words


def _address(cell: Cell):
    return cell.key, cell.index
