"""Scores of heads that look at a source, by hand; of each kind, in models of two sides.

A source of 7 tokens and a target of 3: the diagonal meets rows 1 to 3 at keys 1, 4, 7.
"""

import numpy as np
import pytest

from core.analysis.heads import (
    CROSS_SCORES,
    HEAD_SCORES,
    OF_TELLING,
    HeadScores,
    habit_among,
    head_scores,
    scored,
    scores_for,
    scores_of,
)
from core.analysis.reading import Reading, Tokens
from core.analysis.telling import telling_scores, told_twice, without_telling
from core.pipeline import run_trace, trace_encoding
from core.trace.attentions import kinds_of_attention
from core.trace.views.head_table import head_table
from tests.helpers.bundles import (
    SOURCE_TEXT,
    TARGET_TEXT,
    encoder_decoder_bundle,
    encoder_decoder_trace,
)

BY_NAME = {score.name: score for score in CROSS_SCORES}
SOURCE, TARGET = [7, 8, 9, 7, 5, 6, 1], [0, 8, 7]


def score(name, *patterns, source=SOURCE, target=TARGET):
    stack = np.array(patterns, np.float32)
    allowed = np.ones(stack.shape[1:], bool)
    tokens = Tokens(np.array(source), allowed, query_ids=np.array(target))
    return scored(BY_NAME[name], Reading(stack, tokens)).tolist()


def row(**shares):
    """Shares by place, counted from 1: row(k2=1.0)."""
    found = np.zeros(7)
    for name, share in shares.items():
        found[int(name[1:]) - 1] = share
    return found


EVEN = np.full((3, 7), 1 / 7)


def test_the_diagonal_is_a_straight_line_with_one_key_on_either_side():
    along = [row(k2=1), row(k4=1), row(k6=0.5, k1=0.5)]
    assert score("diagonal", along, EVEN) == pytest.approx(
        [(1 + 1 + 0.5) / 3, (2 + 3 + 2) / 21]
    )


def test_the_ends_of_the_source_are_its_first_and_its_last_token():
    ends = [row(k1=1), row(k1=0.5, k7=0.5), row(k7=1)]
    assert score("first", ends, EVEN) == pytest.approx([0.5, 1 / 7])
    assert score("last", ends, EVEN) == pytest.approx([0.5, 1 / 7])


def test_the_same_token_counts_in_the_rows_whose_token_the_source_has():
    # Token 0 is not there, 8 is key 2, 7 is keys 1 and 4.
    pattern = [row(k2=1), row(k2=0.6, k1=0.4), row(k1=0.1, k4=0.2, k3=0.7)]
    assert score("same", pattern) == pytest.approx([(0.6 + 0.3) / 2])


def test_a_row_over_four_equal_keys_has_two_bits():
    four = row(k1=0.25, k3=0.25, k5=0.25, k7=0.25)
    assert score("entropy", [four] * 3) == pytest.approx([2])


@pytest.mark.parametrize(
    ("name", "n_query", "n_key", "lack"),
    [
        ("diagonal", 3, 6, "needs 7 tokens of the source"),
        ("diagonal", 1, 7, "needs 2 tokens of the target"),
        ("same", 1, 7, "needs a token that both texts have"),
        ("first", 1, 2, "needs 3 tokens of the source"),
        ("diagonal", 2, 7, ""),
        ("entropy", 1, 2, ""),
    ],
)
def test_what_is_lacking_is_said_of_its_text(name, n_query, n_key, lack):
    allowed = np.ones((n_query, n_key), bool)
    ids = np.array(SOURCE[:n_key])
    tokens = Tokens(ids, allowed, query_ids=np.array(TARGET[:n_query]))
    assert BY_NAME[name].lack(tokens) == lack


def test_a_longer_target_than_source_is_scored_too():
    pattern = np.full((9, 7), 1 / 7)
    assert score("first", pattern, target=[0] * 9) == pytest.approx([1 / 7])


def test_a_head_is_named_by_what_stands_out_and_spare_attention_comes_last():
    values = {"diagonal": 0.6, "first": 0.2, "last": 0.9, "entropy": 3.0}
    assert habit_among(values, CROSS_SCORES).name == "diagonal head, 0.60"
    assert habit_among({"last": 0.9}, CROSS_SCORES).name == "last-token head, 0.90"
    assert habit_among({"diagonal": 0.5}, CROSS_SCORES) is None


@pytest.fixture
def trace():
    return encoder_decoder_trace("2017")


def test_each_kind_is_asked_what_makes_sense_for_it(trace):
    kinds = kinds_of_attention(trace.config)
    assert [scores_for(kind) for kind in kinds] == [
        HEAD_SCORES,
        HEAD_SCORES,
        CROSS_SCORES,
    ]


def test_scores_of_a_kind_are_means_over_the_rows_of_its_own_patterns(trace):
    for kind in kinds_of_attention(trace.config):
        found = scores_of(trace, scores_for(kind)[:1], kind=kind.name)
        assert next(iter(found.by_name.values())).shape == (kind.n_layers, 2)
    pattern = trace["decoder.layers.1.cross.pattern"]
    cross = scores_of(trace, CROSS_SCORES, kind="cross").by_name
    np.testing.assert_allclose(
        cross["last"][1], pattern[:, :, -1].mean(axis=1), rtol=1e-5
    )
    n_query, n_key = pattern.shape[1:]
    line = np.arange(n_query) * (n_key - 1) / (n_query - 1)
    expected = [
        np.mean(
            [
                sum(head[q, k] for k in range(n_key) if abs(k - line[q]) <= 1)
                for q in range(n_query)
            ]
        )
        for head in pattern
    ]
    np.testing.assert_allclose(cross["diagonal"][1], expected, rtol=1e-5)
    behind = trace["encoder.layers.0.attn.pattern"]
    encoder = scores_of(trace, HEAD_SCORES[:1], kind="encoder").by_name["previous"]
    n = behind.shape[1]
    means = [np.mean([head[q, q - 1] for q in range(1, n)]) for head in behind]
    np.testing.assert_allclose(encoder[0], means, rtol=1e-5)


@pytest.mark.parametrize("kind", ["encoder", "cross"])
def test_padding_of_the_source_changes_no_score(kind):
    bundle = encoder_decoder_bundle("2017")
    ids = bundle.tokenizer.encode(SOURCE_TEXT).ids
    alone = run_trace(bundle, ids=ids, target=TARGET_TEXT)
    mask = [1] * len(ids) + [0] * 3
    padded = run_trace(
        bundle, ids=[*ids, 0, 0, 0], target=TARGET_TEXT, attention_mask=mask
    )
    table = CROSS_SCORES if kind == "cross" else HEAD_SCORES[:5]
    one, other = (scores_of(each, table, kind=kind) for each in (alone, padded))
    assert one.lacks == other.lacks
    for name, values in one.by_name.items():
        np.testing.assert_allclose(other.by_name[name], values, atol=1e-5)


@pytest.mark.parametrize("kind", ["encoder", "decoder"])
def test_both_texts_are_told_twice(kind):
    bundle = encoder_decoder_bundle("2017", n_ctx=16)
    found = telling_scores(bundle, kind).by_name["duplicate"]
    n, size = 8, min(bundle.config.n_vocab, bundle.tokenizer.n_vocab)
    specials = set(bundle.tokenizer.specials.values())
    ids = told_twice(size, n, specials)
    single = {i for i in range(size) if len(bundle.tokenizer.token_bytes(i)) == 1}
    if size - len(specials | single) >= n:
        ids = told_twice(size, n, specials | single)
    encoding = bundle.tokenizer.encoding_of(ids)
    trace = trace_encoding(bundle, encoding, target=encoding)
    pattern = trace[f"{kind}.layers.1.attn.pattern"]
    expected = [np.mean([head[q, q - n] for q in range(n, 2 * n)]) for head in pattern]
    np.testing.assert_allclose(found[1], expected, rtol=1e-4)


def test_all_scores_of_a_kind_fill_the_table_of_heads(trace):
    nothing = without_telling(trace.config, "needs the model", "encoder")
    for kind, of_model in (("cross", HeadScores({}, {})), ("encoder", nothing)):
        scores = head_scores(trace, of_model, kind)
        table = head_table(scores)
        titles = [column.title for column in table.columns]
        assert titles == [score.name for score in scores.table]
    assert scores.lacks == {s.name: "needs the model" for s in OF_TELLING}
