"""What the monitor gathers from events, and what follows from it."""

import math

import pytest

from app.dialogs.training.monitor_record import (
    Checkpoint,
    RunRecord,
    best_checkpoint,
    duration,
)
from core.training.events import Evaluated, Merged, Probed, Sampled, Saved, Stopped
from tests.helpers.runs import write_run
from tests.helpers.told import started, stepped


@pytest.fixture
def record(tmp_path):
    return RunRecord(write_run(tmp_path / "run"))  # batch 2, n_ctx 8: 16 tokens a step


def evaluated(step, train, valid):
    return Evaluated(step=step, train_loss=train, valid_loss=valid, perplexity=1)


def test_a_resumed_run_forgets_what_it_does_again(record):
    sample = Sampled(step=9, prompt="", text="")
    probe = Probed(step=9, tokens=[], top=[], probabilities=[], file="")
    saved = Saved(step=9, folder="x")
    record.take([started(), *map(stepped, range(1, 10)), sample, probe, saved])
    assert record.has_checkpoints
    record.take([started(step=5), stepped(6)])
    assert record.curves.steps.tolist() == [1, 2, 3, 4, 5, 6]
    assert (record.samples, record.probes, record.has_checkpoints) == ([], [], False)
    assert record.step == 6


def test_epochs_and_the_time_left_follow_from_the_tokens(record):
    record.take([started(n_train_tokens=160, n_steps=100), stepped(20, speed=32.0)])
    assert record.epochs == 2  # 20 steps of 16 tokens over 160
    assert record.seconds_left == 40  # 80 steps of 16 tokens at 32 a second


def test_the_best_test_counts_the_validation_text(record):
    record.take([started(), evaluated(1, 1.0, 3.0), evaluated(2, 2.0, 2.5)])
    assert record.best == (2, 2.5)


def test_without_a_validation_text_the_training_text_counts(record):
    record.take([started(), evaluated(1, 1.0, None), evaluated(2, math.nan, None)])
    assert record.best == (1, 1.0)


def test_only_checkpoints_on_the_disk_are_offered(record):
    for step in (1, 2, 3):
        record.take(
            [evaluated(step, 1.0, 4.0 - step), Saved(step=step, folder=f"c{step}")]
        )
    for step in (1, 3):
        (record.folder / f"c{step}").mkdir()
    assert [each.step for each in record.checkpoints()] == [3, 1]
    assert best_checkpoint(record.checkpoints()).step == 3


def test_no_checkpoint_is_best_where_none_was_tested(tmp_path):
    assert best_checkpoint([Checkpoint(1, tmp_path, None)]) is None


def test_learning_the_tokenizer_is_told_with_its_share(record):
    record.take([Merged(n_done=5, n_asked=20, left=[], right=[], counts=[])])
    assert "merge 5" in record.activity
    assert record.activity_share == 0.25
    record.take([started()])
    assert record.activity == ""


def test_the_last_step_is_known_from_the_end(record):
    record.take([started(), stepped(10), Stopped(step=14, message="Stopped.")])
    assert (record.step, record.message) == (14, "Stopped.")


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (3, "less than a minute"),
        (300, "5 min"),
        (7800, "2 h 10 min"),
        (3 * 86400, "3.0 days"),
    ],
)
def test_a_duration_is_told_in_words(seconds, words):
    assert duration(seconds) == words
