"""Events of a run, with figures nobody asked for filled in."""

from core.training.events import Started, Stepped


def started(step: int = 0, n_steps: int = 10, n_train_tokens: int = 100) -> Started:
    """A run of three tokens begins or goes on."""
    return Started(
        step=step,
        n_steps=n_steps,
        n_parameters=1,
        n_vocab=3,
        n_train_tokens=n_train_tokens,
        n_valid_tokens=0,
        device="cpu",
        process=1,
    )


def stepped(step: int, loss: float = 1.0, speed: float = 1.0) -> Stepped:
    """The figures of a step."""
    return Stepped(
        step=step,
        loss=loss,
        learning_rate=0.1,
        gradient_norm=1.0,
        tokens_per_second=speed,
    )
