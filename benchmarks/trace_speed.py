"""What a trace costs beside the model's own plain forward pass, and what it holds.

A random model of GPT-2 small's size, sentences of 64, 256 and 1,024 tokens. "Plain" is
`model(ids)` with all logits and nobody watching. Both take turns; the ratio is the
median over pairs. Run from the repository: python -m benchmarks.trace_speed
"""

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Callable

import psutil
import torch

from core.bundle import Bundle, make_bundle
from core.config import ModelConfig
from core.model.transformer import Transformer
from core.pipeline import run_trace
from core.tokenizers.bpe import BpeTokenizer
from core.trace.trace import Trace

SIZES = ModelConfig(
    n_vocab=50257, n_ctx=1024, d_model=768, n_layers=12, n_heads=12, position="learned"
)
TARGETS = {64: 1.05, 256: 1.05, 1024: 1.0}
TARGET_MEGABYTES = 350
N_REPEATS = {64: 15, 256: 9, 1024: 5}


def seconds(work: Callable[[], object]) -> float:
    """How long one call takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def ratio(bundle: Bundle, n: int) -> dict[str, object]:
    """The time of a trace of `n` tokens over that of a plain pass."""
    ids = [token % 256 for token in range(n)]
    batch = torch.tensor([ids])

    def plain() -> None:
        with torch.inference_mode():
            bundle.model(batch)

    def traced() -> None:
        run_trace(bundle, ids=ids)

    pairs = [(seconds(traced), seconds(plain)) for _ in range(N_REPEATS[n] + 2)][2:]
    return {
        "figure": f"trace_over_forward_{n}_tokens",
        "ratio": round(statistics.median(a / b for a, b in pairs), 3),
        "target": TARGETS[n],
        "ms": round(1000 * statistics.median(a for a, _ in pairs), 1),
        "repeats": N_REPEATS[n],
    }


def kept_megabytes(trace: Trace) -> float:
    """Memory of the kept arrays, each counted once."""
    arrays = [trace[key] for key in trace.keys if trace.is_kept(key)]
    owners = {array.ctypes.data: array.nbytes for array in arrays}
    return sum(owners.values()) / 1e6


def memory(bundle: Bundle) -> dict[str, object]:
    """What one trace of 1,024 tokens holds beyond the model."""
    process = psutil.Process(os.getpid())
    run_trace(bundle, ids=[1] * 1024)
    before = process.memory_info().rss
    trace = run_trace(bundle, ids=[token % 256 for token in range(1024)])
    grown = (process.memory_info().rss - before) / 1e6
    return {
        "figure": "trace_memory_1024_tokens",
        "megabytes_kept": round(kept_megabytes(trace)),
        "megabytes_of_process": round(grown),
        "target": TARGET_MEGABYTES,
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=2)
    torch.set_num_threads(parser.parse_args().threads)
    torch.manual_seed(0)
    bundle = make_bundle(
        Transformer(SIZES), BpeTokenizer.from_merges(()), name="random"
    )
    for line in (memory(bundle), *(ratio(bundle, n) for n in TARGETS)):
        sys.stdout.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
