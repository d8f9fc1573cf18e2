"""One pick, by hand, by law and against `transformers`."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import (
    RepetitionPenaltyLogitsProcessor,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

from core.errors import ConfigError, CoreError, TraceError
from core.generation.sampling import (
    DRAWN_SEED_LIMIT,
    Sampling,
    distribution,
    draw,
    pick,
    random_seed,
    uniform,
)
from core.model import functions

GOLDEN = json.loads(
    (Path(__file__).parents[2] / "golden" / "sampling.json").read_text(encoding="utf-8")
)
DIGITS = 5e-5  # the golden values carry four digits

a_sampling = st.builds(
    Sampling,
    temperature=st.sampled_from([0.0, 0.0001, 0.7, 1.0, 3.0]),
    top_k=st.integers(0, 30),
    top_p=st.floats(0.01, 1.0),
    repetition_penalty=st.floats(0.5, 2.0),
)
some_logits = st.lists(st.floats(-50, 50, width=32), min_size=1, max_size=20)
a_number = st.floats(0, 1, exclude_max=True)


def random_logits(n_vocab=200, seed=0):
    return np.random.default_rng(seed).normal(scale=3, size=n_vocab).astype(np.float32)


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda case: case["about"])
def test_a_case_worked_by_hand_has_its_probabilities(case):
    result = distribution(
        case["logits"], Sampling(**case["sampling"]), case.get("used_ids", ())
    )
    np.testing.assert_allclose(result.probs, case["probs"], atol=DIGITS)
    if "penalised" in case:
        np.testing.assert_allclose(result.penalised, case["penalised"], atol=1e-12)


def test_softmax_and_cross_entropy_of_the_worked_example():
    example = GOLDEN["next_token"]
    result = distribution(example["logits"], Sampling())
    np.testing.assert_allclose(result.probs, example["probabilities"], atol=DIGITS)
    loss = -np.log(result.probs[0])
    # The example takes the logarithm of the probability rounded to 0.772.
    assert loss == pytest.approx(example["cross_entropy_if_CAT"], abs=7e-4)


def test_softmax_is_the_one_the_model_computes():
    logits = random_logits()
    expected = functions.softmax(torch.from_numpy(logits).double())
    result = distribution(logits, Sampling())
    np.testing.assert_allclose(result.probs, expected, atol=1e-15)


def test_greedy_is_labelled_and_leaves_one_token():
    result = distribution([2, 1, 0], Sampling(temperature=0))
    assert result.is_greedy
    assert result.n_kept_by_top_k == result.n_kept_by_top_p == 1
    assert result.order.tolist() == [0, 1, 2]
    assert not distribution([2, 1, 0], Sampling(temperature=0.0001)).is_greedy


def test_a_temperature_far_below_any_use_gives_no_nan():
    result = distribution([30, 10, -800], Sampling(temperature=1e-308))
    assert result.probs.tolist() == [1, 0, 0]


def test_the_token_that_crosses_the_nucleus_is_kept():
    logits = np.log([0.46, 0.27, 0.17, 0.10])
    result = distribution(logits, Sampling(top_p=0.7))
    assert result.kept.tolist() == [True, True, False, False]
    assert result.n_kept_by_top_k == 4
    assert result.n_kept_by_top_p == 2
    assert distribution(logits, Sampling(top_p=0.0001)).n_kept_by_top_p == 1


def test_a_nucleus_reached_but_for_rounding_is_reached():
    logits = np.log([0.1] * 10)
    for n in range(1, 10):
        assert distribution(logits, Sampling(top_p=n / 10)).n_kept_by_top_p == n


@pytest.mark.parametrize("top_k", [0, 3, 4, 50])
def test_top_k_of_a_whole_vocabulary_or_more_is_off(top_k):
    result = distribution([1.0, 3.0, 2.0], Sampling(top_k=top_k))
    assert result.effective_top_k == result.n_kept_by_top_k == 3
    np.testing.assert_array_equal(
        result.probs, distribution([1.0, 3.0, 2.0], Sampling()).probs
    )


@given(some_logits, a_number)
def test_top_k_of_one_equals_greedy(logits, u):
    one = draw(distribution(logits, Sampling(top_k=1)), u)
    assert one == draw(distribution(logits, Sampling(temperature=0)), u)


def test_equal_logits_are_ordered_by_id():
    result = distribution([1.0, 2.0, 1.0, 2.0], Sampling(top_k=3))
    assert result.order.tolist() == [1, 3, 0, 2]
    assert result.kept.tolist() == [True, True, False, True]


@given(some_logits, a_sampling)
def test_kept_probabilities_sum_to_one_and_others_are_zero(logits, sampling):
    result = distribution(logits, sampling, used_ids=[0])
    assert result.probs.sum() == pytest.approx(1, abs=1e-12)
    assert (result.probs[~result.kept] == 0).all()
    assert result.kept.sum() == result.n_kept >= 1
    assert result.kept[result.order[: result.n_kept]].all()
    assert (np.diff(result.probs_before_cuts[result.order]) <= 0).all()


@given(some_logits, a_sampling, a_number)
def test_a_draw_lies_in_the_segment_of_a_possible_token(logits, sampling, u):
    result = distribution(logits, sampling)
    choice = draw(result, u)
    assert result.probs[choice.token_id] > 0
    assert choice.lower <= u < choice.upper + 1e-12
    width = choice.upper - choice.lower
    assert width == pytest.approx(result.probs[choice.token_id], abs=1e-12)


@given(some_logits, a_sampling, a_number)
def test_the_short_way_picks_what_the_long_way_draws(logits, sampling, u):
    used = [0, len(logits) - 1]
    assert pick(logits, sampling, used, u) == draw(
        distribution(logits, sampling, used), u
    )


def test_draws_come_as_often_as_their_probability_says():
    result = distribution(random_logits(6), Sampling(top_k=4))
    drawn = [draw(result, uniform(7, i)).token_id for i in range(4000)]
    shares = np.bincount(drawn, minlength=6) / len(drawn)
    np.testing.assert_allclose(shares, result.probs, atol=0.03)


@pytest.mark.parametrize("u", [-0.1, 1.0, float("nan")])
def test_a_number_outside_the_segments_is_refused(u):
    with pytest.raises(TraceError, match="u = "):
        draw(distribution([1.0, 2.0], Sampling()), u)


def test_arrays_are_read_only_and_the_logits_are_left_alone():
    logits = random_logits()
    before = logits.copy()
    result = distribution(logits, Sampling(repetition_penalty=2), used_ids=[1, 2])
    np.testing.assert_array_equal(logits, before)
    np.testing.assert_array_equal(result.logits, before)
    with pytest.raises(ValueError, match="read-only"):
        result.probs[0] = 1


SAMPLINGS = [
    Sampling(),
    Sampling(temperature=0.7),
    Sampling(top_k=40),
    Sampling(top_p=0.9),
    Sampling(temperature=1.3, top_k=50, top_p=0.8, repetition_penalty=1.4),
    Sampling(temperature=0.5, top_k=7, top_p=0.3, repetition_penalty=0.8),
]


@pytest.mark.parametrize("sampling", SAMPLINGS, ids=repr)
@pytest.mark.parametrize("seed", range(3))
def test_probabilities_equal_those_of_transformers(sampling, seed):
    logits = random_logits(seed=seed)
    used = [3, 17, 17, 90]
    steps = [
        RepetitionPenaltyLogitsProcessor(float(sampling.repetition_penalty)),
        TemperatureLogitsWarper(float(sampling.temperature)),
        TopKLogitsWarper(sampling.top_k or len(logits)),
        TopPLogitsWarper(sampling.top_p),
    ]
    scores = torch.from_numpy(logits)[None].double()
    for step in steps:
        scores = step(torch.tensor([used]), scores)
    result = distribution(logits, sampling, used)
    np.testing.assert_allclose(result.probs, scores[0].softmax(-1), atol=1e-12)
    np.testing.assert_array_equal(result.kept, scores[0].isfinite())


@pytest.mark.parametrize(
    ("value", "word"), [(np.nan, "not a number"), (np.inf, "infinite")]
)
@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_sampling_is_off_where_a_logit_is_not_finite(value, word, temperature):
    sampling = Sampling(temperature=temperature)
    with pytest.raises(CoreError, match=f"Sampling is off: .* token 1 is {word}"):
        pick([0.0, value, 1.0], sampling, (), 0.5)
    with pytest.raises(CoreError, match="Sampling is off"):
        distribution([0.0, value, 1.0], sampling)


@pytest.mark.parametrize("logits", [[], [[1.0, 2.0]], 3.0])
def test_anything_but_one_row_of_logits_is_refused(logits):
    with pytest.raises(TraceError, match="n_vocab"):
        distribution(logits, Sampling())


@pytest.mark.parametrize("used", [[-1], [0, 3]])
def test_a_used_token_outside_the_vocabulary_is_refused(used):
    with pytest.raises(TraceError, match="vocabulary of 3"):
        distribution([1.0, 2.0, 3.0], Sampling(repetition_penalty=2), used)


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("temperature", [-0.1, float("nan"), float("inf"), "1", None, True]),
        ("top_k", [-1, 1.5, True, None]),
        ("top_p", [0, 0.0, -0.5, 1.01, float("nan"), "0.9"]),
        ("repetition_penalty", [0, -1.0, float("inf"), float("nan")]),
        ("seed", [-1, 2**63, 0.5, None]),
    ],
)
def test_an_impossible_setting_is_refused_by_name(field, values):
    for value in values:
        with pytest.raises(ConfigError, match=f"^{field} = "):
            Sampling(**{field: value})


def test_a_random_number_depends_on_seed_and_place_alone():
    once = [uniform(7, place) for place in range(50)]
    assert [uniform(7, place) for place in reversed(range(50))] == once[::-1]
    assert [uniform(8, place) for place in range(50)] != once
    assert len(set(once)) == 50
    assert all(0 <= u < 1 for u in once)


def test_a_seed_gives_the_same_numbers_in_every_process():
    expected = [0.8720734548204873, 0.05798169919608642]
    assert [uniform(7, 0), uniform(2**62, 1000)] == expected


def test_a_random_seed_can_be_used_and_changes():
    seeds = {random_seed() for _ in range(5)}
    assert len(seeds) > 1
    assert all(Sampling(seed=s).seed < DRAWN_SEED_LIMIT for s in seeds)


def test_sampling_loads_no_torch():
    code = (
        "import sys; import core.generation.sampling, core.generation.window;"
        "sys.exit('torch' in sys.modules)"
    )
    root = Path(__file__).parents[3]
    subprocess.run([sys.executable, "-c", code], cwd=root, check=True)
