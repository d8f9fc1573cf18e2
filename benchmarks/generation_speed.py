"""Time to write 64 tokens with the cache, against `transformers.generate`.

Both models have GPT-2 small's sizes and random weights, write greedily after the same
prompt, and take turns, so that whatever else the machine does falls on both. Prints one
JSON line. Run from the repository: python -m benchmarks.generation_speed [--threads N]
"""

import argparse
import json
import logging
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import torch
from transformers import GPT2Config, GPT2LMHeadModel

from core.config import ModelConfig
from core.generation.generate import generate
from core.generation.sampling import Sampling
from core.model.transformer import Transformer

N_PROMPT, N_NEW, N_REPEATS = 16, 64, 7
TARGET = 1.2
PROMPT = list(range(100, 100 + N_PROMPT))
SIZES = ModelConfig(
    n_vocab=50257,
    n_ctx=1024,
    d_model=768,
    n_layers=12,
    n_heads=12,
    position="learned",
    activation="gelu_tanh",
)


def ours() -> Callable[[], int]:
    """Our model, and how to let it write; gives the number of tokens written."""
    model = Transformer(SIZES)
    greedy = Sampling(temperature=0)
    return lambda: sum(1 for _ in generate(model, PROMPT, greedy, N_NEW))


def theirs() -> Callable[[], int]:
    """The same for GPT-2 in `transformers`, whose sizes are these by default."""
    model: Any = GPT2LMHeadModel(GPT2Config())  # whose methods have no types
    model.eval()
    ids = torch.tensor([PROMPT])

    def write() -> int:
        written = model.generate(
            ids,
            attention_mask=torch.ones_like(ids),
            max_new_tokens=N_NEW,
            min_new_tokens=N_NEW,
            do_sample=False,
            use_cache=True,
            pad_token_id=0,
        )
        return int(written.shape[1]) - N_PROMPT

    return write


def seconds(write: Callable[[], int]) -> float:
    """How long one text takes."""
    start = time.perf_counter()
    n_written = write()
    took = time.perf_counter() - start
    if n_written != N_NEW:
        raise SystemExit(f"{n_written} tokens were written instead of {N_NEW}.")
    return took


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=1, help="of torch, for both")
    torch.set_num_threads(parser.parse_args().threads)
    torch.manual_seed(0)
    logging.disable()  # of transformers' advice
    writers = (ours(), theirs())
    pairs = [[seconds(write) for write in writers] for _ in range(N_REPEATS + 1)][1:]
    mine, other = (statistics.median(column) for column in zip(*pairs, strict=True))
    line = {
        "figure": "generation_with_cache",
        "ratio": round(statistics.median(b / a for a, b in pairs), 3),
        "target": TARGET,
        "ms_per_token": round(1000 * mine / N_NEW, 2),
        "transformers_ms_per_token": round(1000 * other / N_NEW, 2),
        "repeats": N_REPEATS,
        "threads": torch.get_num_threads(),
    }
    sys.stdout.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
