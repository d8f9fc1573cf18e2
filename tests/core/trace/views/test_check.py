import numpy as np
import pytest

from core.trace.edits import Edit
from core.trace.selection import Selection, at_step
from core.trace.views.check import check_of
from tests.helpers.bundles import tiny_trace
from tests.helpers.traces import traced_ids

SELECTION = Selection(query=2, key=1, head=1)


def test_every_step_with_numbers_agrees_with_its_inputs():
    trace = tiny_trace()
    for key in trace.keys:
        check = check_of(trace, at_step(SELECTION, key))
        assert (check is None) == (trace.step(key).op in ("split", "merge", "number"))
        assert check is None or check.difference < 1e-5


def test_one_head_is_compared_whole():
    check = check_of(tiny_trace(), at_step(SELECTION, "layers.0.attn.pattern"))
    assert check.n_numbers == 9
    assert not check.is_kept
    assert check_of(tiny_trace(), at_step(SELECTION, "layers.0.attn.q")).is_kept


def test_masked_infinities_are_equal_and_no_difference():
    check = check_of(tiny_trace(), at_step(SELECTION, "layers.0.attn.masked"))
    assert check.difference == 0


def test_a_changed_step_shows_how_far_it_is_from_its_inputs():
    key = "layers.0.attn.v"
    plain = traced_ids(tiny_trace().config, [65, 66, 67])
    changed = traced_ids(
        tiny_trace().config, [65, 66, 67], edits=[Edit(key, (1,), 1.0, "add")]
    )
    check = check_of(changed, at_step(SELECTION, key))
    assert check.difference == pytest.approx(1.0, abs=1e-5)
    assert check_of(plain, at_step(SELECTION, key)).difference < 1e-5


def test_where_all_takes_too_long_one_row_is_compared(monkeypatch):
    trace = tiny_trace("the cat sat on the mat")
    # 6 tokens x 32 neurons x 8 products are 1536 multiplications, one row 256.
    monkeypatch.setattr("core.trace.views.check.EASY_MULTIPLICATIONS", 800)
    check = check_of(trace, at_step(Selection(query=1), "layers.0.ffn.hidden"))
    assert check.n_numbers == 32
    monkeypatch.setattr("core.trace.views.check.EASY_MULTIPLICATIONS", 1)
    assert check_of(trace, at_step(Selection(query=1), "layers.0.ffn.hidden")) is None


def test_the_difference_is_the_largest_of_all(monkeypatch):
    trace = tiny_trace()
    again = np.array(trace.part("layers.0.attn.q", (1,)))
    again[2, 3] += 0.25
    monkeypatch.setattr(type(trace), "recomputed", lambda *_: again)
    check = check_of(trace, at_step(SELECTION, "layers.0.attn.q"))
    assert check.difference == pytest.approx(0.25)
