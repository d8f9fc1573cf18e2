"""How fast a training step is, against transformers' GPT-2 doing the same work.

Both sides in one process, in turn: float32, 2 threads; forward, backward, clipping,
AdamW. "main" has 4 layers, 4 heads, d_model 128, context 64, batch 12, vocabulary 512;
"small" has 6 layers, 6 heads, d_model 384, context 256, batch 8, vocabulary 1,024, and
is also counted with all that the program does beside its steps at default settings.
Processor time of one thread is the figure to trust on a busy machine: `--cpu`.
"""

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import nn
from transformers import GPT2Config, GPT2LMHeadModel

from core.config import ModelConfig
from core.tokenizers.bpe import BpeTokenizer
from core.training.checkpoint import Counters, save_checkpoint
from core.training.config import TrainingConfig, WatchConfig
from core.training.corpus import Windows, windows_of
from core.training.probes import probe, sample, score_heads
from core.training.trainer import Trainer

N_THREADS = 2
AS_IT_COMES = 0.1
"""GPT-2's own dropout, which GPT2LMHeadModel has unless one says otherwise."""
N_WARM_UP = 3
Step = Callable[[], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A model and what its step is held to."""

    name: str
    model: ModelConfig
    training: TrainingConfig
    target: float
    n_steps: int
    """Steps that are timed together."""
    n_repeats: int
    """Times that both sides are timed."""


MAIN = Case(
    name="main",
    model=ModelConfig(
        n_vocab=512,
        n_ctx=64,
        d_model=128,
        n_layers=4,
        n_heads=4,
        position="learned",
        activation="gelu_tanh",
    ),
    training=TrainingConfig(n_steps=10_000, batch_size=12, device="cpu"),
    target=1.7,
    n_steps=10,
    n_repeats=9,
)
SMALL = Case(
    name="small",
    model=ModelConfig(
        n_vocab=1024,
        n_ctx=256,
        d_model=384,
        n_layers=6,
        n_heads=6,
        position="learned",
        activation="gelu_tanh",
    ),
    training=TrainingConfig(n_steps=10_000, batch_size=8, device="cpu"),
    target=1.3,
    n_steps=1,
    n_repeats=7,
)


def random_windows(model: ModelConfig) -> Windows:
    """A text of random tokens."""
    ids = np.random.default_rng(1).integers(0, model.n_vocab, 50_000)
    return windows_of(ids.astype(np.uint16), model.n_ctx, "The random text")


def pairs_tokenizer(n_vocab: int) -> BpeTokenizer:
    """A tokenizer of all bytes and of pairs of letters."""
    pairs = [(bytes([a]), bytes([b])) for a in range(65, 123) for b in range(65, 123)]
    merges = pairs[: n_vocab - 256]
    tokens = [bytes([i]) for i in range(256)] + [a + b for a, b in merges]
    return BpeTokenizer({token: i for i, token in enumerate(tokens)}, merges)


def our_step(case: Case, windows: Windows) -> Step:
    """One step of the program's own trainer."""
    trainer = Trainer(case.training, case.model, torch.device("cpu"))
    return lambda: trainer.advance(windows)


def their_step(case: Case, windows: Windows, dropout: float) -> Step:
    """One step of GPT2LMHeadModel with torch's AdamW as it comes."""
    config = case.training
    torch.manual_seed(config.seed)
    model = GPT2LMHeadModel(
        GPT2Config(
            vocab_size=case.model.n_vocab,
            n_positions=case.model.n_ctx,
            n_embd=case.model.d_model,
            n_layer=case.model.n_layers,
            n_head=case.model.n_heads,
            resid_pdrop=dropout,
            embd_pdrop=dropout,
            attn_pdrop=dropout,
            bos_token_id=None,
            eos_token_id=None,
        )
    ).train()
    optimizer = torch.optim.AdamW(
        model.parameters(),
        lr=config.learning_rate,
        betas=(config.beta1, config.beta2),
        weight_decay=config.weight_decay,
    )
    draws = torch.Generator().manual_seed(config.seed)

    def step() -> None:
        read = windows.batch(windows.draw(config.batch_size, draws)).read
        optimizer.zero_grad()
        model(input_ids=read, labels=read).loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), config.clip)
        optimizer.step()

    return step


def seconds(work: Step, n_times: int, clock: Callable[[], float]) -> float:
    """How long one call takes, over a few of them."""
    start_s = clock()
    for _ in range(n_times):
        work()
    return (clock() - start_s) / n_times


def steps(case: Case, dropout: float, clock: Callable[[], float]) -> dict[str, object]:
    """Time both sides in turn, so that a busy moment of the machine hits both."""
    windows = random_windows(case.model)
    ours, theirs = our_step(case, windows), their_step(case, windows, dropout)
    for _ in range(N_WARM_UP):
        ours(), theirs()
    pairs = [
        (seconds(ours, case.n_steps, clock), seconds(theirs, case.n_steps, clock))
        for _ in range(case.n_repeats)
    ]
    n_tokens = case.training.batch_size * case.model.n_ctx
    return {
        "figure": f"training_tokens_per_second_over_gpt2_{case.name}",
        "ratio": round(statistics.median(b / a for a, b in pairs), 2),
        "target": case.target,
        "their_dropout": dropout,
        "tokens_per_second": round(n_tokens / statistics.median(a for a, _ in pairs)),
        "transformers_tokens_per_second": round(
            n_tokens / statistics.median(b for _, b in pairs)
        ),
    }


def besides(case: Case, clock: Callable[[], float]) -> dict[str, object]:
    """What the program does beside its steps, as a share of their time.

    Each thing is timed by itself, and counts as often as the default settings ask.
    """
    windows, config, watch = random_windows(case.model), case.training, WatchConfig()
    tokenizer = pairs_tokenizer(case.model.n_vocab)
    trainer = Trainer(config, case.model, torch.device("cpu"))
    trainer.advance(windows)
    step_s = statistics.median(
        seconds(lambda: trainer.advance(windows), 1, clock) for _ in range(5)
    )
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder)
        counters = Counters(step=1, loss=1.0, best_loss=1.0)
        works: dict[str, tuple[int, Step]] = {
            "checkpoints": (
                config.checkpoint_every,
                lambda: save_checkpoint(run, trainer, tokenizer, counters),
            ),
            "probes": (
                watch.probe_every,
                lambda: (
                    probe(1, trainer.model, tokenizer, watch),
                    score_heads(1, trainer.model),
                ),
            ),
            "samples": (
                watch.sample_every,
                lambda: sample(1, trainer.model, tokenizer, watch),
            ),
            "evaluations": (
                config.evaluate_every,
                lambda: [trainer.evaluate(windows) for _ in ("train", "valid")],
            ),
        }
        shares = {
            name: seconds(work, 1, clock) / every / step_s
            for name, (every, work) in works.items()
        }
    watched = sum(share for name, share in shares.items() if name != "evaluations")
    return {
        "figure": f"training_besides_steps_{case.name}",
        "share": round(watched, 4),
        "target": 0.03,
        "shares": {name: round(share, 4) for name, share in shares.items()},
    }


def main() -> None:
    """Print one line a figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cpu", action="store_true", help="one thread's own time")
    is_cpu = parser.parse_args().cpu
    torch.set_num_threads(1 if is_cpu else N_THREADS)
    clock = time.thread_time if is_cpu else time.perf_counter
    for case in (MAIN, SMALL):
        for dropout in (AS_IT_COMES, 0.0):
            figures = steps(case, dropout, clock)
            print(json.dumps({"one_thread_cpu": is_cpu, **figures}), flush=True)
    print(json.dumps(besides(SMALL, clock)), flush=True)


if __name__ == "__main__":
    main()
