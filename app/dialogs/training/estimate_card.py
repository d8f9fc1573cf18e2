"""What a model costs before a step is made: weights, memory, minutes, and its rates.

Place: right half of the model page. In: a draft, and the speed of this machine where it
has been measured. Out: a wish to measure.
"""

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.dialogs.training.wording import (
    count_text,
    duration_text,
    plural,
    size_text,
)
from app.style.fonts import LARGE, SMALL, mono, sans
from app.widgets.card import Card, give_the_rest, plain_label, set_ink
from app.widgets.lines import Curve, Lines
from app.widgets.share_bar import Part, ShareBar
from core.config import ModelConfig
from core.training.config import TrainingConfig
from core.training.estimate import fits, memory_of, minutes, parameters_by_part
from core.training.memory import available_memory
from core.training.schedule import learning_rate
from core.training.speed import Speed

ROLES = {
    "embedding": "residual",
    "position": "key",
    "attention": "pattern",
    "feed-forward": "feed_forward",
    "norms": "faint",
    "output": "value",
}
"""The colour of a part of the model, the same as in the pipeline."""
MEMORY_PARTS = ("weights", "gradients", "optimizer", "activations")
PALER = 0.22
"""Each part of the memory is this much paler than the one before."""
SCHEDULE_HEIGHT = 64
N_SAMPLES = 160
MEASURE, MEASURING = "Measure", "Measuring…"
UNMEASURED = "How long it takes is measured with a few real steps."
HALF_DEVICES = ("cuda",)
"""Where products are computed in half the width."""


class ModelCard(Card):
    """What the model is made of."""

    def __init__(self) -> None:
        """Nothing yet."""
        super().__init__("Parameters")
        self.total = plain_label("")
        self.total.setFont(mono(LARGE))
        self.head.addWidget(self.total)
        self.bar = ShareBar("Parameters by part of the model")
        self.body.addWidget(self.bar)

    def show_model(self, model: ModelConfig) -> None:
        """Show the weights of a model, part by part."""
        parts = parameters_by_part(model)
        self.total.setText(f"{sum(parts.values()):,}")
        shown = (
            Part(name, n, count_text(n), ROLES.get(name, "accent"))
            for name, n in parts.items()
            if n
        )
        self.bar.show_parts(tuple(shown))


class MachineCard(Card):
    """What the training takes from this machine."""

    measure_requested = Signal()
    """The speed is to be measured now."""

    def __init__(self) -> None:
        """Nothing is known yet."""
        super().__init__("On this machine")
        self.total, self.time = plain_label(""), plain_label("")
        self.total.setFont(mono(LARGE))
        self.head.addWidget(self.total)
        self.bar = ShareBar("Memory by what it holds")
        self.warning, self.speed = plain_label(), plain_label(UNMEASURED, "muted")
        self.measure = QPushButton(MEASURE)
        self.measure.setObjectName("training.measure")
        self.measure.clicked.connect(self.measure_requested)
        self.time.setFont(sans(LARGE))
        for label in (self.warning, self.speed):
            label.setFont(sans(SMALL))
            label.setWordWrap(True)
        words, row = QVBoxLayout(), QHBoxLayout()
        words.addWidget(self.time)
        words.addWidget(self.speed)
        words.setSpacing(2)
        row.addLayout(words, 1)
        row.addWidget(self.measure)
        self.body.addWidget(self.bar)
        self.body.addWidget(self.warning)
        self.body.addLayout(row)

    def show_memory(self, model: ModelConfig, training: TrainingConfig) -> None:
        """Show what has to be held at once, and say so if it will not do."""
        memory = memory_of(model, training, half=training.device in HALF_DEVICES)
        self.total.setText(size_text(memory.total))
        sizes = [getattr(memory, name) for name in MEMORY_PARTS]
        self.bar.show_parts(
            tuple(
                Part(name, size, size_text(size), "accent", index * PALER)
                for index, (name, size) in enumerate(
                    zip(MEMORY_PARTS, sizes, strict=True)
                )
            )
        )
        fault = fits(memory, available_memory())
        self.warning.setText(fault)
        self.warning.setVisible(bool(fault))
        set_ink(self.warning, "error")

    def show_speed(
        self,
        config: tuple[ModelConfig, TrainingConfig],
        speed: Speed | None,
        tokens_per_pair: float = 0.0,
    ) -> None:
        """Say how long the run takes, once that can be said."""
        self.time.setVisible(speed is not None)
        if speed is None:
            self.speed.setText(UNMEASURED)
            return
        training = config[1]
        took = duration_text(minutes(*config, speed.tokens_per_second, tokens_per_pair))
        self.time.setText(f"{took} for {plural(training.n_steps, 'step')}")
        self.speed.setText(
            f"Measured: {speed.tokens_per_second:,.0f} tokens a second "
            f"on {speed.device}."
        )

    def show_measuring(self, *, is_measuring: bool) -> None:
        """Say whether the speed is being measured."""
        self.measure.setText(MEASURING if is_measuring else MEASURE)
        self.measure.setEnabled(not is_measuring)

    def show_fault(self, sentence: str) -> None:
        """Say why the speed is not known."""
        self.time.hide()
        self.speed.setText(sentence)


class ScheduleCard(Card):
    """How large each step is, over the run."""

    def __init__(self, parent: QWidget | None = None) -> None:
        """No run yet."""
        super().__init__("Learning rate", parent)
        self.lines = Lines("Learning rate by step")
        give_the_rest(self.lines, SCHEDULE_HEIGHT)
        self.body.addWidget(self.lines, 1)

    def show_training(self, training: TrainingConfig) -> None:
        """Draw the rate of every step, or of enough of them."""
        n = min(training.n_steps, N_SAMPLES)
        steps = np.unique(np.linspace(1, training.n_steps, n).round())
        rates = np.array([learning_rate(int(step), training) for step in steps])
        curve = Curve("", steps.astype(np.float32), rates.astype(np.float32))
        self.lines.show_curves((curve,), "step", "rate")
