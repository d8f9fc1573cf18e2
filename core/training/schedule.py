"""How large each step is: a rise in a straight line, then half a cosine down.

In: the number of the step, from 1. Out: its learning rate.
"""

import math

from core.training.config import TrainingConfig


def learning_rate(step: int, config: TrainingConfig) -> float:
    """Give the rate of a step; step `n_steps` has `min_learning_rate`."""
    peak, least = config.learning_rate, config.min_learning_rate
    if step < config.warmup_steps:
        return peak * step / config.warmup_steps
    n_falling = max(1, config.n_steps - config.warmup_steps)
    progress = min(1.0, (step - config.warmup_steps) / n_falling)
    return least + (peak - least) * (1 + math.cos(math.pi * progress)) / 2
