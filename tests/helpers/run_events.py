"""Events of made-up runs, with plain values for what a test does not look at."""

from collections.abc import Iterable
from pathlib import Path

from core.training.events import (
    EVENTS_FILE,
    Evaluated,
    Event,
    HeadsScored,
    Started,
    Stepped,
    line_of,
)


def started(step: int = 0, n_steps: int = 100, n_vocab: int = 257) -> Started:
    """The run begins or goes on."""
    return Started(
        step=step,
        n_steps=n_steps,
        n_parameters=1,
        n_vocab=n_vocab,
        n_train_tokens=1,
        n_valid_tokens=1,
        device="cpu",
        process=1,
    )


def stepped(step: int, loss: float = 2.0, speed: float = 9.0) -> Stepped:
    """One logged step."""
    return Stepped(
        step=step,
        loss=loss,
        learning_rate=step / 1000,
        gradient_norm=step / 10,
        tokens_per_second=speed,
    )


def evaluated(step: int, valid: float | None, train: float = 9.0) -> Evaluated:
    """One test."""
    return Evaluated(step=step, train_loss=train, valid_loss=valid, perplexity=1.0)


def heads_scored(step: int, previous: float) -> HeadsScored:
    """The scores of one layer of two heads; the second looks back half as much."""
    scores = [[previous, previous / 2]]
    return HeadsScored(step=step, previous=scores, induction=[[0.0, 0.25]])


def write_events(run: Path, events: Iterable[Event]) -> None:
    """Write a run's `events.jsonl` as the program would."""
    text = "".join(f"{line_of(event)}\n" for event in events)
    (run / EVENTS_FILE).write_text(text, encoding="utf-8")
