"""What it costs to record the passes of generation, and to show their trace.

A random model of GPT-2 small's sizes writes up to 256 tokens greedily, once plainly and
once recorded, with a trace assembled as often as the window asks for it.
Both take turns in one thread, whose own time is counted: the few per cent would drown
in what else the machine does. The ratio is the median over pairs. Prints one JSON line.
Run from the repository: python -m benchmarks.recorded_generation
"""

import json
import statistics
import sys
import time
from collections.abc import Callable

import torch

from app.workers.generating import TELL_EVERY_S, TIMES_AS_LONG
from benchmarks.generation_speed import PROMPT, SIZES
from core.bundle import make_bundle
from core.generation.generate import generate
from core.generation.recorded import Recording
from core.generation.sampling import Sampling
from core.model.transformer import Transformer
from core.tokenizers.bpe import BpeTokenizer

N_TOKENS, N_REPEATS = 256, 3
N_NEW = N_TOKENS - len(PROMPT)
TARGET = 1.05
GREEDY = Sampling(temperature=0)
LETTERS = BpeTokenizer.from_merges(())


def plain(model: Transformer) -> Callable[[], object]:
    """Write, and nothing else."""
    return lambda: sum(1 for _ in generate(model, PROMPT, GREEDY, N_NEW))


def recorded(model: Transformer) -> Callable[[], object]:
    """Write, record, and assemble traces."""
    bundle = make_bundle(model, LETTERS, name="random")

    def write() -> None:
        recording = Recording(SIZES, N_TOKENS)
        due = 0.0
        for _ in generate(model, PROMPT, GREEDY, N_NEW, watch=recording):
            now = time.perf_counter()
            if now >= due:
                recording.trace(bundle, LETTERS.encoding_of([1] * recording.n))
                took = time.perf_counter() - now
                due = now + took + max(TELL_EVERY_S, TIMES_AS_LONG * took)

    return write


def seconds(write: Callable[[], object]) -> float:
    """What one text costs this thread."""
    start = time.thread_time()
    write()
    return time.thread_time() - start


def main() -> None:
    """Measure and print."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = Transformer(SIZES)
    writers = (recorded(model), plain(model))
    pairs = [[seconds(write) for write in writers] for _ in range(N_REPEATS + 1)][1:]
    line = {
        "figure": "recorded_generation_256_tokens",
        "ratio": round(statistics.median(a / b for a, b in pairs), 3),
        "target": TARGET,
        "ms_per_token": round(1000 * statistics.median(a for a, _ in pairs) / N_NEW, 2),
        "repeats": N_REPEATS,
    }
    sys.stdout.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
