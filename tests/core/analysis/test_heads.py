"""Head scores: by hand on built patterns, against plain loops, on the shipped model."""

import math
from pathlib import Path

import numpy as np
import pytest
import torch

import resources
from core.analysis import heads
from core.analysis.heads import (
    HEAD_SCORES,
    OF_SENTENCE,
    SCORES_BY_NAME,
    Habit,
    HeadScores,
    habit_among,
    habits_of,
    head_scores,
    scored,
    scores_of,
)
from core.analysis.reading import Reading, Tokens
from core.analysis.telling import hardly_read, telling_scores, told_twice
from core.bundle import make_bundle, open_bundle
from core.config import ModelConfig
from core.model import masks
from core.pipeline import run_trace
from tests.helpers.bundles import TINY, random_model, tiny_bundle, tiny_tokenizer
from tests.helpers.bundles import tiny_trace as traced

SENTENCE = "the cat sat on the mat"


def shifted(n, offset):
    """A pattern that looks `offset` places back; the first rows at the first token."""
    pattern = np.eye(n, k=-offset, dtype=np.float32)
    pattern[:offset, 0] = 1
    return pattern


def even(n):
    """A pattern that looks at everything it may, alike."""
    return np.tril(np.ones((n, n), np.float32)) / np.arange(1, n + 1)[:, None].astype(
        np.float32
    )


def reading(*patterns, ids=None, period=0, allowed=None):
    stack = np.stack(patterns).astype(np.float32)
    n_query, n_key = stack.shape[1:]
    ids = np.arange(n_key) if ids is None else np.array(ids)
    if allowed is None:
        allowed = masks.causal_mask(n_query, n_key).numpy()
    return Reading(stack, Tokens(ids, allowed, period))


def score(name, *patterns, **about):
    return scored(SCORES_BY_NAME[name], reading(*patterns, **about)).tolist()


def first_only(n):
    pattern = np.zeros((n, n), np.float32)
    pattern[:, 0] = 1
    return pattern


def test_a_pattern_shifted_by_one_looks_at_the_previous_token():
    patterns = shifted(5, 1), np.eye(5), first_only(5)
    assert score("previous", *patterns) == [1, 0, pytest.approx(1 / 4)]
    assert score("self", *patterns) == [0, 1, 0]
    assert score("first", *patterns) == [pytest.approx(1 / 4), 0, 1]


def test_without_a_mask_a_head_may_look_at_the_next_token():
    ahead = np.eye(4, k=1, dtype=np.float32)
    ahead[3, 0] = 1
    assert score("next", ahead, allowed=np.ones((4, 4), bool)) == [1]
    assert score("next", shifted(4, 1)) == [0]


def test_the_same_token_counts_elsewhere_and_only_where_it_was_read_before():
    pattern = [[1, 0, 0, 0], [0.5, 0.5, 0, 0], [0.6, 0.1, 0.3, 0], [0.2, 0.3, 0.4, 0.1]]
    # Rows 3 (sees 1) and 4 (sees 2): 0.6 and 0.3.
    assert score("same", pattern, ids=[7, 8, 7, 8]) == [pytest.approx(0.45)]


def test_a_copying_head_is_found_on_what_is_told_twice():
    n = 4
    ids = [*range(n)] * 2
    copying, doubling = shifted(2 * n, n - 1), shifted(2 * n, n)
    assert score("induction", copying, doubling, ids=ids, period=n) == [1, 0]
    assert score("duplicate", copying, doubling, ids=ids, period=n) == [0, 1]


def test_attention_spread_over_four_tokens_has_two_bits():
    pattern = even(4)
    bits = np.mean([1, math.log2(3), 2])
    assert score("entropy", pattern, np.eye(4)) == [pytest.approx(bits), 0]


def test_distance_is_the_mean_number_of_tokens_to_the_key():
    assert score("distance", shifted(5, 2), np.eye(5)) == [
        pytest.approx((1 + 2 + 2 + 2) / 4),  # row 2 can look no further back
        0,
    ]


def test_queries_of_a_longer_past_stand_at_the_last_keys():
    whole = even(6)
    late = whole[4:]  # two rows of a cached generation
    rows = np.stack([whole[4], whole[5]])
    assert score("previous", late) == [pytest.approx(np.mean([1 / 5, 1 / 6]))]
    assert score("self", late) == [pytest.approx(np.mean([1 / 5, 1 / 6]))]
    distances = [
        (rows[0] * [4, 3, 2, 1, 0, 1]).sum(),
        (rows[1] * range(5, -1, -1)).sum(),
    ]
    assert score("distance", late) == [pytest.approx(np.mean(distances))]


def test_more_queries_than_keys_leave_what_needs_no_place():
    pattern = np.full((5, 3), 1 / 3)
    about = {"allowed": np.ones((5, 3), bool)}
    assert score("entropy", pattern, **about) == [pytest.approx(math.log2(3))]
    assert score("first", pattern, **about) == [pytest.approx(1 / 3)]


def test_a_row_that_is_masked_altogether_has_no_vote():
    pattern = shifted(5, 1)
    pattern[2] = np.nan  # what a softmax makes of nothing but minus infinity
    allowed = np.tri(5, dtype=bool)
    assert score("previous", pattern, allowed=allowed) == [1]
    assert score("entropy", pattern, allowed=allowed) == [0]
    pattern[2] = 0
    allowed[2] = False
    assert score("previous", pattern, allowed=allowed) == [1]


def test_a_head_that_holds_no_numbers_leaves_the_others_theirs():
    values = score("previous", np.full((4, 4), np.nan), shifted(4, 1))
    assert math.isnan(values[0])
    assert values[1] == 1


@pytest.mark.parametrize("n", [1, 2])
def test_too_few_tokens_have_no_score_and_it_is_said_why(n):
    scores = scores_of(run_trace(tiny_bundle(), ids=[5] * n), OF_SENTENCE)
    assert np.isnan(scores.by_name["previous"]).all()
    assert scores.lack("previous") == "needs 3 tokens"
    assert scores.name_of(0, 0) == ""
    assert np.isnan(scores.by_name["entropy"]).all() == (n == 1)


def test_without_a_token_that_comes_twice_the_same_token_has_no_score():
    scores = scores_of(run_trace(tiny_bundle(), ids=[5, 6, 7]), OF_SENTENCE)
    assert np.isnan(scores.by_name["same"]).all()
    assert scores.lack("same") == "needs a token that comes twice"


def looped(pattern, ids):
    """The scores of one head of a causal sentence, written as their definitions say."""
    n, found = len(ids), {s.name: [] for s in OF_SENTENCE}
    for query in range(1, n):
        row = [float(pattern[query][key]) for key in range(query + 1)]
        found["previous"].append(row[query - 1])
        found["self"].append(row[query])
        found["first"].append(row[0])
        found["entropy"].append(-sum(p * math.log2(p) for p in row if p))
        found["distance"].append(sum(p * (query - k) for k, p in enumerate(row)))
        same = [row[key] for key in range(query) if ids[key] == ids[query]]
        if same:
            found["same"].append(sum(same))
    found["next"] = [0.0]
    return {name: sum(values) / len(values) for name, values in found.items()}


@pytest.mark.parametrize("at_once", [1, heads.AT_ONCE])
@pytest.mark.parametrize(
    "config", [{}, {"position": "rotary", "n_heads": 4, "n_kv_heads": 2}]
)
def test_every_score_is_what_a_plain_loop_finds(config, at_once, monkeypatch):
    monkeypatch.setattr(heads, "AT_ONCE", at_once)
    trace = traced(SENTENCE, **config)
    scores = scores_of(trace, OF_SENTENCE).by_name
    for layer in range(2):
        for head, pattern in enumerate(trace[f"layers.{layer}.attn.pattern"]):
            expected = looped(pattern, trace.ids)
            got = {name: values[layer, head] for name, values in scores.items()}
            assert got == pytest.approx(expected, rel=1e-5)


def test_scoring_leaves_the_cache_of_the_trace_alone():
    trace = run_trace(tiny_bundle(), SENTENCE)
    head_scores(trace, telling_scores(tiny_bundle()))
    assert not trace.is_stored("layers.0.attn.pattern", (None, None, None))
    assert not trace.is_stored("layers.0.attn.scores", (None, None, None))


def test_every_score_is_there_for_every_head_and_cannot_be_written_to():
    scores = head_scores(traced(SENTENCE), telling_scores(tiny_bundle()))
    assert tuple(scores.by_name) == tuple(score.name for score in HEAD_SCORES)
    for values in scores.by_name.values():
        assert values.shape == (2, 2)
        assert not values.flags.writeable


def test_a_definition_is_one_sentence():
    for row in HEAD_SCORES:
        assert row.definition.endswith(".")
        assert row.definition[0].isupper()
        assert ". " not in row.definition


def test_a_broken_weight_spoils_its_own_head_alone():
    model = random_model(ModelConfig(**TINY, n_vocab=tiny_tokenizer().n_vocab))
    with torch.no_grad():
        model.get_parameter("layers.1.attn.W_Q")[0, 1, 0] = math.nan
    trace = run_trace(make_bundle(model, tiny_tokenizer(), name="broken"), SENTENCE)
    scores = scores_of(trace, OF_SENTENCE)
    assert np.isnan(scores.by_name["previous"]).tolist() == [
        [False, False],
        [False, True],
    ]
    assert scores.lack("previous") == "not a number"


def test_a_head_is_named_by_what_it_does_most():
    names = {"previous": 0.92, "first": 0.02, "entropy": 3.5}
    habit = habit_among(names)
    assert habit.name == "previous-token head, 0.92"
    assert habit.text == "previous token .92"
    assert habit.definition.startswith("previous token .92: the mean share that rows")
    assert habit_among({"previous": 0.5, "entropy": 4.0}) is None
    assert habit_among({"previous": math.nan}) is None
    # Over by a half beats over by a fifth, and anything beats spare attention.
    assert habit_among({"self": 0.6, "induction": 0.6}).score.name == "induction"
    assert habit_among({"first": 0.9, "induction": 0.42}).score.name == "induction"
    assert habit_among({"first": 0.9, "induction": 0.4}).score.name == "first"


def test_names_come_from_the_scores_of_a_layer_and_head():
    values = {"previous": np.array([[0.1, 0.9]], np.float32)}
    scores = HeadScores(values, {})
    assert scores.name_of(0, 1) == "previous-token head, 0.90"
    assert scores.name_of(0, 0) == ""


def test_a_sentence_alone_names_heads_for_the_captions():
    trace = run_trace(tiny_bundle(), ids=[5, 6, 7, 8, 9])
    stack = np.stack([shifted(5, 1), np.eye(5), first_only(5), even(5)])
    habits = habits_of(trace, stack.astype(np.float32))
    assert [habit and habit.text for habit in habits] == [
        "previous token 1.00",
        "own token 1.00",
        "first token 1.00",
        None,
    ]
    assert habits[0] == Habit(SCORES_BY_NAME["previous"], 1.0)


def test_what_is_told_twice_leaves_special_tokens_out():
    ids = told_twice(10, 6, apart=[0, 9])
    assert ids[:6] == ids[6:]
    assert sorted(set(ids)) == sorted(ids[:6])
    assert not {0, 9} & set(ids)


def test_tokens_told_twice_are_different_and_the_same_each_time():
    ids = told_twice(272, 40)
    assert ids[:40] == ids[40:]
    assert len(set(ids)) == 40
    assert ids == told_twice(272, 40)


@pytest.mark.parametrize("n_vocab", [1, 3])
def test_a_small_vocabulary_is_told_twice_too(n_vocab):
    ids = told_twice(n_vocab, 8, apart=[0])
    assert len(ids) == 16
    assert ids[:8] == ids[8:]
    assert set(ids) == ({0} if n_vocab == 1 else {1, 2})


def test_a_model_is_told_what_it_has_read_before():
    tokenizer = tiny_tokenizer()
    n_merged = tokenizer.n_vocab - 256 - len(tokenizer.specials)
    apart = hardly_read(tokenizer, tokenizer.n_vocab, n_merged)
    assert apart == {*range(256), *tokenizer.specials.values()}
    too_few = hardly_read(tokenizer, tokenizer.n_vocab, n_merged + 1)
    assert too_few == set(tokenizer.specials.values())


@pytest.mark.parametrize(("n_ctx", "lack"), [(1, True), (3, True), (4, False)])
def test_a_model_that_reads_too_little_is_told_nothing_twice(n_ctx, lack):
    scores = telling_scores(tiny_bundle(n_ctx=n_ctx))
    for name in ("induction", "duplicate"):
        assert np.isnan(scores.by_name[name]).all() == lack
        assert (scores.lack(name) == "needs 4 tokens") == lack


def test_the_shipped_model_has_the_heads_that_its_training_formed():
    bundle = open_bundle(
        Path(resources.__file__).parent / "models" / "default", device="cpu"
    )
    text = "Once upon a time there was a little cat who sat on the mat."
    scores = head_scores(run_trace(bundle, text), telling_scores(bundle))
    assert scores.by_name["previous"].max() > 0.8
    assert 0.4 < scores.by_name["induction"].max() < 0.8
    layer, head = np.argwhere(scores.by_name["previous"] > 0.8)[0]
    assert scores.name_of(layer, head).startswith("previous-token head, 0.")
