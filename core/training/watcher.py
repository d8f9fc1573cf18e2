"""The doctor that watches a run: what its tests say that somebody should look at.

In: the losses of all tests so far. Out: warnings, each once when it begins to hold. The
run goes on; what stops it by itself is in `not_finite`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.training.config import TrainingConfig
from core.training.events import Evaluated, Started, Warned, read_events

NEAR_CEILING = 0.97
"""Share of ln(n_vocab) above which a model has learned nothing."""
STUCK_STEPS = 100
"""Steps after the warm-up in which every model leaves ln(n_vocab)."""
STUCK_SHARE = 0.05
"""Or this share of the run, where that is more."""
RISE = 0.01
"""Share of the best validation loss by which it must have risen."""
RISING_TESTS = 3
"""Tests in a row that were worse than the best one."""
GAIN = 0.005
"""Share of the loss that counts as getting better."""
FLAT_TESTS = 5
"""Tests in a row without such a gain."""
FLAT_SHARE = 0.1
"""Share of the run that must have passed without one, too."""
NEAR_END = 0.9
"""Share of the run after which a flat curve is as it should be: the rate falls to 0."""
LEAST_LOSS = 0.01
"""Below it there is nothing left to gain."""


@dataclass(frozen=True, slots=True)
class Losses:
    """What one test of the model found."""

    step: int
    train_loss: float
    valid_loss: float | None = None

    @property
    def loss(self) -> float:
        """What the model is judged by."""
        return self.train_loss if self.valid_loss is None else self.valid_loss


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that holds at the newest test."""

    kind: str
    since: int
    """The step of the test after which it began; the same while it lasts."""
    message: str


class Doctor:
    """Remembers the tests of one run and what has been said about them."""

    def __init__(self, n_vocab: int, config: TrainingConfig) -> None:
        self._n_vocab = n_vocab
        self._config = config
        self._tests: list[Losses] = []
        self._said: set[tuple[str, int]] = set()

    def examine(self, tested: Losses) -> Warned | None:
        """Take a test in. -> what is new about the run."""
        self._tests.append(tested)
        found = finding(self._tests, self._n_vocab, self._config)
        if found is None or (found.kind, found.since) in self._said:
            return None
        self._said.add((found.kind, found.since))
        return Warned(step=tested.step, kind=found.kind, message=found.message)


def losses_of(folder: Path, last_step: int) -> list[Losses]:
    """What a run's events say of its tests up to a step, in order."""
    tests: dict[int, Losses] = {}
    for event in read_events(folder):
        if isinstance(event, Started):
            tests = {s: tested for s, tested in tests.items() if s <= event.step}
        elif isinstance(event, Evaluated):
            tested = Losses(event.step, event.train_loss, event.valid_loss)
            tests[event.step] = tested
    return [tested for step, tested in tests.items() if step <= last_step]


def finding(
    tests: Sequence[Losses], n_vocab: int, config: TrainingConfig
) -> Finding | None:
    """Say what holds at the newest test; the gravest alone."""
    return (
        stuck(tests, n_vocab, config)
        or overfitting(tests)
        or plateau(tests, config.n_steps)
    )


def stuck(
    tests: Sequence[Losses], n_vocab: int, config: TrainingConfig
) -> Finding | None:
    """Whether the model still, or again, knows no more than at its start."""
    ceiling = math.log(n_vocab)
    patience = max(STUCK_STEPS, STUCK_SHARE * config.n_steps)
    newest = tests[-1]
    is_near = newest.train_loss >= NEAR_CEILING * ceiling > 0
    if newest.step < config.warmup_steps + patience or not is_near:
        return None
    left = [t.step for t in tests if t.train_loss < NEAR_CEILING * ceiling]
    return Finding(
        "stuck",
        left[-1] if left else 0,
        f"After step {newest.step} the training loss is {newest.train_loss:.2f}, near "
        f"ln({n_vocab}) = {ceiling:.2f} where a model starts that knows nothing; try "
        f"another learning_rate than {config.learning_rate:g}, and look at the text.",
    )


def overfitting(tests: Sequence[Losses]) -> Finding | None:
    """Whether the validation loss rises while the training loss falls."""
    judged = [(t.valid_loss, t) for t in tests if t.valid_loss is not None]
    if not judged:
        return None
    least, best = min(judged, key=lambda pair: (pair[0], pair[1].step))
    valid_loss, newest = judged[-1]
    n_since = sum(tested.step > best.step for _, tested in judged)
    has_risen = valid_loss > least * (1 + RISE) and n_since >= RISING_TESTS
    if not has_risen or newest.train_loss >= best.train_loss:
        return None
    return Finding(
        "overfitting",
        best.step,
        f"The validation loss rose from {least:.3f} after step {best.step} to "
        f"{valid_loss:.3f} while the training loss fell: the model learns its text by "
        f"heart; step {best.step} was the best, and more text or dropout would help.",
    )


def plateau(tests: Sequence[Losses], n_steps: int) -> Finding | None:
    """Whether the loss has not become better for a while."""
    best = tests[0]
    for tested in tests:
        if tested.loss < best.loss * (1 - GAIN):
            best = tested
    newest = tests[-1]
    n_since = sum(tested.step > best.step for tested in tests)
    is_flat = n_since >= FLAT_TESTS and newest.step - best.step >= FLAT_SHARE * n_steps
    is_over = newest.step > NEAR_END * n_steps or best.loss < LEAST_LOSS
    if not is_flat or is_over:
        return None
    return Finding(
        "plateau",
        best.step,
        f"The loss has stayed near {best.loss:.3f} since step {best.step}: the model "
        "has learned what it can this way; a larger model, more text or another "
        "learning_rate may go further.",
    )
