"""How large each step is: a rise in a straight line, then a fall.

In: the number of the step, from 1. Out: its learning rate. The fall is half a cosine,
or that of Vaswani et al. 2017 (section 5.3), d_model^-0.5 * min(step^-0.5, step *
warmup^-1.5), told by its highest rate, which is (d_model * warmup)^-0.5 there.
"""

import math

from core.training.config import TrainingConfig


def learning_rate(step: int, config: TrainingConfig) -> float:
    """Give the rate of a step; with a cosine, the last has `min_learning_rate`."""
    peak, least = config.learning_rate, config.min_learning_rate
    if step < config.warmup_steps:
        return peak * step / config.warmup_steps
    if config.schedule == "inverse_root":
        return max(peak * math.sqrt(max(config.warmup_steps, 1) / step), least)
    n_falling = max(1, config.n_steps - config.warmup_steps)
    progress = min(1.0, (step - config.warmup_steps) / n_falling)
    return least + (peak - least) * (1 + math.cos(math.pi * progress)) / 2
