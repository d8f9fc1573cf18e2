"""The vocabulary of one row: its order, its sums, the pick that Append will take."""

import math

import numpy as np
import pytest

from core.errors import TraceError
from core.generation.sampling import Sampling, distribution, draw, pick, uniform
from core.trace.views.output import (
    NORM,
    PickView,
    Ranking,
    follower,
    histogram,
    norm_view,
    pick_formula,
    pick_note,
    pick_view,
    ranking,
    row_parts,
    stretches,
)
from tests.helpers.bundles import encoder_decoder_trace, tiny_tokenizer, tiny_trace

LOGITS = np.log(np.array([0.1, 0.46, 0.17, 0.27], dtype=np.float32)) + 3


def by_hand(logits=LOGITS):
    logits = np.asarray(logits, dtype=np.float32)
    powers = np.exp(logits - logits.max())
    return Ranking(0, logits, powers / powers.sum())


def picked(logits, sampling, u):
    spread = distribution(logits, sampling)
    return PickView(spread, draw(spread, u), sampling, position=1)


def test_tokens_are_ranked_by_falling_logit_and_equal_ones_by_id():
    assert by_hand().order.tolist() == [1, 3, 2, 0]
    assert by_hand([2, 5, 2, 5]).order.tolist() == [1, 3, 0, 2]
    assert [by_hand().rank(token) for token in range(4)] == [3, 0, 2, 1]


def test_sums_hold_the_likeliest_together():
    np.testing.assert_allclose(by_hand().sums, [0, 0.46, 0.73, 0.9, 1], atol=1e-6)


@pytest.mark.parametrize(("share", "n"), [(0.4, 1), (0.5, 2), (0.8, 3), (1.1, 4)])
def test_it_takes_so_many_tokens_to_hold_a_share(share, n):
    assert by_hand().n_holding(share) == n


@pytest.mark.parametrize("n", [1, 3, 8])
def test_n_equal_tokens_have_perplexity_n(n):
    row = by_hand(np.zeros(n))
    assert row.entropy == pytest.approx(math.log2(n), abs=1e-6)
    assert row.perplexity == pytest.approx(n, rel=1e-6)


def test_surprisal_is_minus_log2_of_the_probability():
    assert by_hand().surprisal(1) == pytest.approx(-math.log2(0.46), abs=1e-5)


def test_surprisal_is_finite_where_the_probability_rounds_to_zero():
    row = by_hand([0.0, 200.0])
    assert row.probs[0] == 0
    assert row.surprisal(0) == pytest.approx(200 / math.log(2), rel=1e-5)


def test_a_row_with_something_that_is_no_number_is_not_finite():
    assert by_hand().is_finite
    for wrong in (np.nan, np.inf, -np.inf):
        logits = np.array([1.0, wrong], dtype=np.float32)
        assert not Ranking(0, logits, logits).is_finite


def test_a_ranking_is_the_row_of_the_trace_and_asks_for_nothing_else():
    trace = tiny_trace()
    row = ranking(trace, 1)
    np.testing.assert_allclose(row.logits, trace["output.logits"][1], atol=1e-6)
    np.testing.assert_allclose(row.probs, trace["output.probs"][1], atol=1e-6)
    fresh = tiny_trace("the cat ran")
    ranking(fresh, 1)
    for key, index in row_parts(1):
        assert fresh.is_stored(key, index)
        assert not fresh.is_stored(key, (0, None))


def test_what_follows_is_the_next_token_of_the_sentence():
    trace = tiny_trace()
    assert [follower(trace, place) for place in range(3)] == [*trace.ids[1:], None]


def test_a_histogram_counts_every_logit():
    values = np.random.default_rng(0).normal(size=2048).astype(np.float32)
    counted = histogram(values, 40)
    inside = [
        ((values >= low) & (values < high)).sum()
        for low, high in zip(counted.edges[:-1], counted.edges[1:], strict=True)
    ]
    inside[-1] += (values == counted.edges[-1]).sum()
    assert counted.counts.tolist() == inside
    assert counted.counts.sum() == 2048


def test_equal_logits_fall_into_one_bar():
    assert sorted(histogram(np.full(3, 7.0, dtype=np.float32), 5).counts)[-1] == 3


@pytest.mark.parametrize("norm", ["layer_norm", "rms_norm"])
def test_the_norm_takes_the_centre_and_divides_by_the_size(norm):
    trace = tiny_trace(norm=norm)
    view = norm_view(trace, NORM, 1)
    scaled = (view.before.values[1] - view.centre) / view.size
    gamma = trace.part("output.norm.gamma")
    beta = 0 if view.is_rms else trace.part("output.norm.beta")
    np.testing.assert_allclose(view.after.values[1], scaled * gamma + beta, atol=1e-5)
    assert view.is_rms == (norm == "rms_norm")


@pytest.mark.parametrize(
    "sampling",
    [
        Sampling(),
        Sampling(temperature=0),
        Sampling(temperature=3.0, top_k=7, top_p=0.8, seed=9),
        Sampling(repetition_penalty=1.7, seed=2**63 - 1),
    ],
)
def test_the_pick_that_is_shown_is_the_one_that_append_takes(sampling):
    trace = tiny_trace()
    logits = trace.part("output.logits", (trace.n - 1,))  # as the session takes them
    u = uniform(sampling.seed, trace.n)
    view = pick_view(trace, sampling)
    assert view.draw == pick(logits, sampling, trace.ids, u)
    assert view.distribution.order[view.rank] == view.draw.token_id


def test_each_token_says_what_cut_it():
    view = picked(LOGITS, Sampling(top_k=3, top_p=0.7), u=0.0)
    assert [view.cut_by(rank) for rank in range(4)] == ["", "", "top_p", "top_k"]
    greedy = picked(LOGITS, Sampling(temperature=0), u=0.0)
    assert [greedy.cut_by(rank) for rank in range(3)] == ["", "greedy", "greedy"]


@pytest.mark.parametrize("u", [0.0, 0.3, 0.9, 0.99999])
@pytest.mark.parametrize("n_most", [1, 5, 100])
def test_stretches_tile_what_is_kept_and_single_out_the_pick(u, n_most):
    logits = np.random.default_rng(1).normal(size=300)
    view = picked(logits, Sampling(top_p=0.97), u)
    parts = stretches(view.falling, n_most, view.rank)
    assert len(parts) <= n_most + 3
    assert [part.start for part in parts[1:]] == [part.stop for part in parts[:-1]]
    assert (parts[0].start, parts[-1].stop) == (0, view.distribution.n_kept)
    assert sum(part.share for part in parts) == pytest.approx(1)
    before = sum(part.share for part in parts if part.stop <= view.rank)
    own = next(part for part in parts if part.start == view.rank)
    assert own.stop == view.rank + 1
    assert before <= u + 1e-12
    assert u < before + own.share + 1e-12


def test_without_a_pick_the_small_ones_share_one_stretch():
    shares = np.array([0.5, 0.3, 0.199, 0.0005, 0.0005])
    ranks = [(part.start, part.stop) for part in stretches(shares, 10)]
    assert ranks == [(0, 1), (1, 2), (2, 3), (3, 5)]


def test_logits_that_are_no_numbers_are_refused_with_the_reason():
    with pytest.raises(TraceError, match="Sampling is off: the logit of token 1"):
        picked([1.0, np.nan], Sampling(), 0.5)


@pytest.mark.parametrize(
    ("sampling", "formula"),
    [
        (Sampling(), r"t_{next} \sim \text{softmax}(L)"),
        (Sampling(temperature=0), r"t_{next} = \text{argmax}_t \; L_t"),
        (
            Sampling(temperature=0.8, top_k=40, top_p=0.9),
            r"t_{next} \sim \text{softmax}(L / 0.8)_{\text{top-k 40, top-p 0.9}}",
        ),
        (
            Sampling(repetition_penalty=1.2),
            r"t_{next} \sim \text{softmax}(\tilde L)",
        ),
    ],
)
def test_the_formula_of_the_pick_is_that_of_the_sampling(sampling, formula):
    assert pick_formula(sampling) == formula


def test_the_note_on_the_pick_names_the_token_that_is_drawn():
    trace, label_of = tiny_trace(), tiny_tokenizer().label
    for seed in range(5):
        sampling = Sampling(temperature=1.5, top_k=9, seed=seed)
        view = pick_view(trace, sampling)
        note = pick_note(trace, sampling, label_of)
        assert f"{label_of(view.draw.token_id)} has p = " in note
        assert f"u = {view.draw.u:.4f}" in note
    assert "Temperature 0" in pick_note(trace, Sampling(temperature=0), label_of)


def test_behind_an_encoder_each_row_is_held_to_what_follows_in_the_target():
    trace = encoder_decoder_trace("T5")
    assert [follower(trace, place) for place in range(trace.n)] == [
        *trace.ids[1:],
        None,
    ]
    view = norm_view(trace, "encoder.output.norm", 5)
    assert view.after.values.shape == (trace.tokens("encoder").n, 8)
    assert view.is_rms


def test_the_same_pick_is_worked_out_once_and_another_sampling_anew():
    trace = tiny_trace()
    first = pick_view(trace, Sampling())
    assert pick_view(trace, Sampling()) is first
    other = pick_view(trace, Sampling(temperature=0))
    assert other is not first
    assert other.distribution.is_greedy
    assert pick_view(tiny_trace(), Sampling()) is not first


def test_a_row_is_ranked_once_for_all_steps_that_look_at_it():
    trace = tiny_trace("the cat sat")
    row = ranking(trace, 1)
    assert ranking(trace, 1) is row
    assert ranking(trace, 0) is not row
    assert ranking(trace, 0).query == 0
