import math
from collections.abc import Callable
from pathlib import Path

import pytest

from core.training.config import TrainingConfig
from core.training.events import Evaluated, EventLog, Started, Warned
from core.training.watcher import (
    Doctor,
    Losses,
    finding,
    losses_of,
    overfitting,
    plateau,
    stuck,
)
from tests.helpers.runs import carry_out

MakeRun = Callable[..., Path]
CONFIG = TrainingConfig(n_steps=1000, warmup_steps=50)
N_VOCAB = 257
CEILING = math.log(N_VOCAB)  # 5.549


def course(train: list[float], valid: list[float] | None = None) -> list[Losses]:
    """One test every 100 steps, from step 0."""
    judged: list[float | None] = [*valid] if valid else [None] * len(train)
    return [
        Losses(100 * i, *losses)
        for i, losses in enumerate(zip(train, judged, strict=True))
    ]


@pytest.mark.parametrize(
    ("train", "is_stuck"),
    [
        ([5.55, 5.5], False),  # step 100: too early after 50 steps of warm-up
        ([5.55, 5.5, 5.45], True),
        ([5.55, 5.5, 5.3], False),
        ([5.55, 4.0, 900.0], True),
    ],
)
def test_a_loss_near_the_ceiling_is_stuck(train: list[float], is_stuck: bool) -> None:
    assert (stuck(course(train), N_VOCAB, CONFIG) is not None) == is_stuck


def test_what_is_stuck_says_where_and_with_which_rate() -> None:
    found = stuck(course([5.55, 5.5, 5.5]), N_VOCAB, CONFIG)
    assert found is not None
    assert "After step 200 the training loss is 5.50" in found.message
    assert "ln(257) = 5.55" in found.message
    assert "learning_rate than 0.001" in found.message


def test_a_vocabulary_of_one_is_never_stuck() -> None:
    assert stuck(course([0.0] * 5), 1, CONFIG) is None


def test_validation_rising_while_training_falls_is_overfitting() -> None:
    train = [5.0, 4.0, 3.0, 2.5, 2.0, 1.5]
    found = overfitting(course(train, [5.0, 4.2, 3.9, 4.0, 4.1, 4.2]))
    assert found is not None
    assert found.since == 200
    assert "from 3.900 after step 200 to 4.200" in found.message
    assert "step 200 was the best" in found.message


@pytest.mark.parametrize(
    ("train", "valid"),
    [
        ([5.0, 4.0, 3.0, 2.5, 2.0], [5.0, 4.2, 3.9, 4.0, 4.1]),  # only two tests since
        ([5.0, 4.0, 3.0, 3.1, 3.2, 3.3], [5.0, 4.2, 3.9, 4.0, 4.1, 4.2]),  # both rise
        ([5.0, 4.0, 3.0, 2.5, 2.0, 1.5], [5.0, 4.2, 3.9, 3.91, 3.92, 3.92]),  # flat
        ([5.0, 4.0, 3.0, 2.5, 2.0, 1.5], None),  # nothing to be tested on
    ],
)
def test_less_than_that_is_not_overfitting(
    train: list[float], valid: list[float] | None
) -> None:
    assert overfitting(course(train, valid)) is None


def test_a_loss_that_stays_is_a_plateau_until_the_end_is_near() -> None:
    train = [5.0, 3.0, *[2.995] * 8]
    assert plateau(course(train[:6]), 1000) is None
    found = plateau(course(train[:7]), 1000)
    assert found is not None
    assert found.since == 100
    assert "near 3.000 since step 100" in found.message
    assert plateau(course([*train, 2.995]), 1000) is None


def test_slow_progress_is_no_plateau() -> None:
    train = [3.0 * 0.998**i for i in range(9)]
    assert plateau(course(train), 1000) is None


def test_a_loss_of_nothing_is_no_plateau() -> None:
    assert plateau(course([1.0, *[0.001] * 8]), 1000) is None


def test_only_the_gravest_is_said() -> None:
    both = course([5.6, *[5.5] * 8], [5.6, 5.5, *[5.9] * 7])
    assert plateau(both, 1000) is not None
    found = finding(both, N_VOCAB, CONFIG)
    assert found is not None
    assert found.kind == "stuck"


def warned(losses: list[Losses]) -> list[tuple[str, int]]:
    doctor = Doctor(N_VOCAB, CONFIG)
    said = [doctor.examine(tested) for tested in losses]
    return [(each.kind, each.step) for each in said if each is not None]


def test_each_is_said_once_when_it_begins() -> None:
    assert warned(course([5.55] * 9)) == [("stuck", 200)]
    train = [5.0 - i / 2 for i in range(9)]
    valid = [5.0, 4.0, 4.1, 4.2, 4.3, 4.4, 3.0, 3.1, 3.2]
    assert warned(course(train, valid)) == [("overfitting", 400)]


def test_what_begins_again_is_said_again() -> None:
    train = [5.55, 5.5, 5.5, 4.0, 5.5, 5.5]
    assert warned(course(train)) == [("stuck", 200), ("stuck", 400)]


def test_losses_of_a_run_leave_out_what_a_resume_took_back(tmp_path: Path) -> None:
    def started(step: int) -> Started:
        return Started(
            step=step,
            n_steps=9,
            n_parameters=1,
            n_vocab=257,
            n_train_tokens=9,
            n_valid_tokens=9,
            device="cpu",
            process=1,
        )

    def evaluated(step: int, loss: float) -> Evaluated:
        return Evaluated(step=step, train_loss=loss, valid_loss=None, perplexity=1.0)

    log = EventLog(tmp_path)
    for event in (
        started(0),
        evaluated(0, 5.0),
        evaluated(2, 4.0),
        evaluated(4, 3.0),
        started(2),
        evaluated(4, 3.5),
        evaluated(6, 2.0),
    ):
        log.write(event)
    log.close()
    assert losses_of(tmp_path, 4) == [Losses(0, 5.0), Losses(2, 4.0), Losses(4, 3.5)]


def test_a_run_that_learns_nothing_warns_once_also_over_a_resume(
    make_run: MakeRun,
) -> None:
    fields = {"learning_rate": 1e-9, "evaluate_every": 25, "log_every": 50}
    folder = make_run(n_steps=150, checkpoint_every=125, **fields)
    said = [event for event in carry_out(folder) if isinstance(event, Warned)]
    assert [(event.kind, event.step) for event in said] == [("stuck", 100)]
    config = folder / "config.toml"
    text = config.read_text(encoding="utf-8")
    config.write_text(text.replace("n_steps = 150", "n_steps = 200"), encoding="utf-8")
    events = carry_out(folder)
    assert [event for event in events if isinstance(event, Warned)] == said
