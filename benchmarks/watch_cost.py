"""What a run pays for being watched: events, checkpoints, probes and samples.

The default model (4 layers, 4 heads, d_model 192, context 256, vocabulary 2,048) in
batches of 4 on one thread, with the default cadences of [training] and [watch]. Each
part is timed alone and counted as often as it comes; a test of the model is not part of
it. One JSON line.
"""

import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from core.bundle import open_bundle
from core.training.checkpoint import Counters, save_checkpoint
from core.training.config import TrainingConfig, WatchConfig
from core.training.corpus import windows_of
from core.training.events import EventLog, Stepped
from core.training.probes import probe, sample, score_heads, write_patterns
from core.training.trainer import Trainer

TARGET = 0.03
MODEL = Path(__file__).parents[1] / "resources" / "models" / "default"
TRAINING = TrainingConfig(batch_size=4, device="cpu")
WATCH = WatchConfig()
N_STEPS = 12
N_REPEATS = 7


def seconds(act: Callable[[], object], n_repeats: int = N_REPEATS) -> float:
    """The median time of doing something, after one time that does not count."""
    times_s = []
    for _ in range(n_repeats + 1):
        start_s = time.perf_counter()
        act()
        times_s.append(time.perf_counter() - start_s)
    return statistics.median(times_s[1:])


def measure(folder: Path) -> dict[str, object]:
    """Time a step and each thing that a run does beside its steps."""
    torch.set_num_threads(1)
    bundle = open_bundle(MODEL, device="cpu")
    model, tokenizer = bundle.config, bundle.tokenizer
    trainer = Trainer(TRAINING, model, torch.device("cpu"))
    ids = np.random.default_rng(1).integers(0, model.n_vocab, 50_000)
    windows = windows_of(ids.astype(np.uint16), model.n_ctx, "The random text")
    step_s = seconds(lambda: trainer.advance(windows), N_STEPS)
    log = EventLog(folder)
    stepped = Stepped(
        step=1, loss=1.0, learning_rate=1e-3, gradient_norm=1.0, tokens_per_second=1e3
    )

    def look() -> None:
        found = probe(trainer.step, trainer.model, tokenizer, WATCH)
        scored = score_heads(trainer.step, trainer.model)
        assert found is not None
        assert scored is not None
        write_patterns(folder / found[0].file, found[1])
        log.write(found[0])
        log.write(scored)

    def save() -> None:
        save_checkpoint(folder, trainer, tokenizer, Counters(step=trainer.step))

    parts_s = {
        "events": seconds(lambda: log.write(stepped)) / TRAINING.log_every,
        "checkpoints": seconds(save) / TRAINING.checkpoint_every,
        "probes": seconds(look) / WATCH.probe_every,
        "samples": seconds(
            lambda: sample(trainer.step, trainer.model, tokenizer, WATCH)
        )
        / WATCH.sample_every,
    }
    log.close()
    return {
        "figure": "watching_share_of_training_time",
        "share": round(sum(parts_s.values()) / step_s, 4),
        "target": TARGET,
        **{name: round(part_s / step_s, 5) for name, part_s in parts_s.items()},
        "step_ms": round(1000 * step_s, 1),
    }


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        print(json.dumps(measure(Path(place))))
