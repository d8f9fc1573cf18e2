"""Studies are made when somebody wants them, once, and only of the present trace."""

import numpy as np
import pytest

from app.studies import Studies
from app.workers import studies as work
from core.analysis.heads import HEAD_SCORES, head_scores
from core.analysis.rollout import rollout
from core.analysis.telling import telling_scores
from core.errors import TraceError
from tests.helpers.sessions import session_showing

WAIT_MS = 20_000


@pytest.fixture
def session(qapp):
    return session_showing("the cat sat on the mat")


@pytest.fixture
def studies(session):
    studies = Studies(session)
    yield studies
    studies.close()


def wanted(qtbot, studies):
    """The scores, asked for and waited for."""
    with qtbot.waitSignal(studies.scores_changed, timeout=WAIT_MS):
        assert studies.want_scores() is None
    return studies.want_scores()


def test_scores_come_after_they_are_wanted_and_are_those_of_the_trace(
    qtbot, session, studies
):
    scores = wanted(qtbot, studies)
    expected = head_scores(session.trace, telling_scores(session.bundle))
    for row in HEAD_SCORES:
        np.testing.assert_array_equal(
            scores.by_name[row.name], expected.by_name[row.name]
        )
    assert not studies.is_busy


def test_nothing_is_computed_that_nobody_wants(session, studies):
    session.read("a dog ran")
    assert not studies.is_busy


def test_what_is_wanted_twice_is_computed_once(qtbot, studies, monkeypatch):
    n_passes = []
    score = work.score
    monkeypatch.setitem(
        work.ANSWERS, work.ScoresRequest, lambda r: n_passes.append(r) or score(r)
    )
    studies.want_scores()
    wanted(qtbot, studies)
    assert len(n_passes) == 1


def test_another_sentence_keeps_what_belongs_to_the_model(qtbot, session, studies):
    first = wanted(qtbot, studies)
    session.read("a dog ran to the cat")
    second = wanted(qtbot, studies)
    assert second.by_name["induction"] is first.by_name["induction"]
    assert second.by_name["previous"] is not first.by_name["previous"]


def test_another_model_is_tested_anew(qtbot, session, studies):
    first = wanted(qtbot, studies)
    session.open(n_layers=3)
    session.read("a dog ran")
    assert wanted(qtbot, studies).by_name["induction"].shape == (3, 2)
    assert first.by_name["induction"].shape == (2, 2)


def test_an_answer_about_an_older_sentence_is_dropped(qtbot, session, studies):
    heard = []
    studies.scores_changed.connect(heard.append)
    studies.want_scores()
    session.read("a dog ran")
    qtbot.waitUntil(lambda: not studies.is_busy, timeout=WAIT_MS)
    assert heard == []
    assert studies.want_scores() is None


@pytest.mark.parametrize("joining", ["mean", "largest"])
def test_rollout_comes_joined_as_it_is_wanted(qtbot, session, studies, joining):
    with qtbot.waitSignal(studies.rollout_changed, timeout=WAIT_MS) as heard:
        assert studies.want_rollout(joining) is None
    np.testing.assert_array_equal(heard.args[0], rollout(session.trace, joining))
    assert studies.want_rollout(joining) is heard.args[0]


def test_a_failure_is_told_once_and_not_asked_for_again(qtbot, studies, monkeypatch):
    def refuse(request):
        raise TraceError("This cannot be rolled out.")

    monkeypatch.setitem(work.ANSWERS, work.RolloutRequest, refuse)
    with qtbot.waitSignal(studies.failed, timeout=WAIT_MS) as heard:
        studies.want_rollout("mean")
    assert "cannot be rolled out" in heard.args[0].sentence
    assert studies.want_rollout("mean") is None
    assert not studies.is_busy


def test_without_a_trace_there_is_nothing_to_want(session, studies):
    session.request_text("")
    assert studies.want_scores() is None
    assert studies.want_rollout("mean") is None
    assert not studies.is_busy
