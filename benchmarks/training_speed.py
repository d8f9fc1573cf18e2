"""How fast one training step is, against transformers' GPT-2 doing the same work.

Both sides: 4 layers, 4 heads, d_model 128, context 64, batch 12, vocabulary 512,
float32, 2 threads; forward, backward, clipping, AdamW. One JSON line.
"""

import json
import statistics
import time
from collections.abc import Callable

import numpy as np
import torch
from torch import nn
from transformers import GPT2Config, GPT2LMHeadModel

from core.config import ModelConfig
from core.training.config import TrainingConfig
from core.training.corpus import Windows, windows_of
from core.training.trainer import Trainer

TARGET = 1.7
N_THREADS = 2
N_REPEATS = 9
N_STEPS = 10
N_WARM_UP = 5
CONFIG = TrainingConfig(n_steps=10_000, batch_size=12, device="cpu")
MODEL = ModelConfig(
    n_vocab=512,
    n_ctx=64,
    d_model=128,
    n_layers=4,
    n_heads=4,
    position="learned",
    activation="gelu_tanh",
)
AS_IT_COMES = 0.1
"""GPT-2's own dropout, which GPT2LMHeadModel has unless one says otherwise."""


def our_step(windows: Windows) -> Callable[[], object]:
    """One step of the program's own trainer."""
    trainer = Trainer(CONFIG, MODEL, torch.device("cpu"))
    return lambda: trainer.advance(windows)


def their_step(windows: Windows, dropout: float) -> Callable[[], object]:
    """One step of GPT2LMHeadModel with torch's AdamW as it comes."""
    torch.manual_seed(CONFIG.seed)
    model = GPT2LMHeadModel(
        GPT2Config(
            vocab_size=MODEL.n_vocab,
            n_positions=MODEL.n_ctx,
            n_embd=MODEL.d_model,
            n_layer=MODEL.n_layers,
            n_head=MODEL.n_heads,
            resid_pdrop=dropout,
            embd_pdrop=dropout,
            attn_pdrop=dropout,
        )
    ).train()
    optimizer = torch.optim.AdamW(
        model.parameters(),
        lr=CONFIG.learning_rate,
        betas=(CONFIG.beta1, CONFIG.beta2),
        weight_decay=CONFIG.weight_decay,
    )
    draws = torch.Generator().manual_seed(CONFIG.seed)

    def step() -> None:
        read, _ = windows.drawn(CONFIG.batch_size, draws)
        optimizer.zero_grad()
        model(input_ids=read, labels=read).loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), CONFIG.clip)
        optimizer.step()

    return step


def tokens_per_second(step: Callable[[], object]) -> float:
    """Time a few steps."""
    start_s = time.perf_counter()
    for _ in range(N_STEPS):
        step()
    n_tokens = N_STEPS * CONFIG.batch_size * MODEL.n_ctx
    return n_tokens / (time.perf_counter() - start_s)


def measure(dropout: float) -> dict[str, object]:
    """Time both sides in turn, so that a busy moment of the machine hits both."""
    torch.set_num_threads(N_THREADS)
    ids = np.random.default_rng(1).integers(0, MODEL.n_vocab, 50_000)
    windows = windows_of(ids.astype(np.uint16), MODEL.n_ctx, "The random text")
    ours, theirs = our_step(windows), their_step(windows, dropout)
    for _ in range(N_WARM_UP):
        ours(), theirs()
    pairs = [
        (tokens_per_second(ours), tokens_per_second(theirs)) for _ in range(N_REPEATS)
    ]
    return {
        "figure": "training_tokens_per_second_over_gpt2",
        "ratio": round(statistics.median(a / b for a, b in pairs), 2),
        "target": TARGET,
        "their_dropout": dropout,
        "tokens_per_second": round(statistics.median(a for a, _ in pairs)),
        "transformers_tokens_per_second": round(statistics.median(b for _, b in pairs)),
    }


if __name__ == "__main__":
    for each in (AS_IT_COMES, 0.0):
        print(json.dumps(measure(each)))
