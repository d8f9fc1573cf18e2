"""Heads that form: named by how far they rose, and told from those that have formed."""

import numpy as np
import pytest

from app.dialogs.training.monitor_heads import (
    RisenHead,
    looks_since,
    part_words,
    parts_of_heads,
    risen_heads,
)
from core.training.compare import CurveRecorder
from core.training.events import HeadsScored

STEPS = np.array([0.0, 100, 200, 300, 400])


def scores_of(*heads):
    """The scores of the heads of one layer, a row of looks for each."""
    return np.array(heads).T[:, None, :]


def test_a_head_has_formed_since_it_stayed_above_one_half():
    scores = scores_of(
        (0.1, 0.6, 0.2, 0.7, 0.8),
        (0.9, 0.9, 0.9, 0.9, 0.9),
        (0.6, 0.6, 0.6, 0.6, 0.5),
    )
    found = risen_heads(STEPS, scores)
    assert [(f.head, f.since, f.has_formed) for f in found] == [
        (1, 0, True),
        (0, 300, True),
    ]
    assert risen_heads(STEPS[:0], scores[:0]) == []


def test_a_head_is_forming_since_its_score_stands_clear_of_its_beginning():
    scores = scores_of(
        (0.02, 0.03, 0.04, 0.22, 0.23),  # a jump that stays
        (0.02, 0.03, 0.04, 0.05, 0.30),  # seen once: it may be an odd look
        (0.02, 0.30, 0.04, 0.05, 0.06),  # it did not stay
        (0.20, 0.21, 0.22, 0.23, 0.29),  # a slow drift, within what is random
    )
    (found,) = risen_heads(STEPS, scores)
    expected = RisenHead(0, 0, score=0.23, began=0.03, since=300)
    assert found == expected
    assert not found.has_formed


def test_one_odd_look_at_the_start_hides_no_head():
    (found,) = risen_heads(STEPS, scores_of((0.9, 0.03, 0.03, 0.3, 0.3)))
    assert (found.began, found.since) == (0.03, 300)


def test_looks_in_a_row_are_counted_from_the_newest():
    is_there = np.array([[1, 1, 0], [0, 1, 0], [1, 1, 0], [1, 1, 0]], bool)
    assert looks_since(is_there).tolist() == [2, 4, 0]


@pytest.mark.parametrize(
    ("heads", "words"),
    [
        ([], "No induction head yet."),
        (
            [RisenHead(1, 2, 0.23, 0.03, 400)],
            "Induction head forming: layer 2 head 3, 0.23 (was 0.03).",
        ),
        (
            [RisenHead(1, 2, 0.62, 0.03, 400), RisenHead(0, 0, 0.2, 0.02, 300)],
            "Induction: layer 2 head 3 (0.62, since step 400).",
        ),
    ],
)
def test_a_head_is_named_by_its_rise_until_it_has_formed(heads, words):
    assert part_words("induction", heads) == words


def test_a_head_that_is_forming_is_offered_with_its_part():
    recorder = CurveRecorder()
    for step, score in zip((0, 100, 200, 300), (0.03, 0.03, 0.2, 0.25), strict=True):
        scored = HeadsScored(step=step, previous=[[0.0, 0.9]], induction=[[score, 0]])
        recorder.add(scored)
    assert parts_of_heads(recorder.curves()) == {
        (0, 1): "previous token 0.90",
        (0, 0): "induction forming 0.25",
    }
