"""What a large text costs the trainer in memory, beyond what its model takes.

Two processes of the real program train the same tiny model to the same step: one on a
small text, one on a large one (`--megabytes`, 200 unless told; the design's figure is
for 1,000). Both learn their tokenizer and cut their text first. The figure is the
difference of their largest resident sizes. Pages of the mapped token file that the
system could drop at once are counted, so that it errs on the dear side.
"""

import argparse
import json
import random
import sys
import tempfile
import time
from pathlib import Path

import psutil

TARGET_MEGABYTES = 300
MEGABYTE = 1e6
SMALL_MEGABYTES = 1
POLL_S = 0.02
CONFIG = """
[model]
n_ctx = 64
d_model = 32
n_layers = 2
n_heads = 2

[data]
train = ["text.txt"]

[tokenizer]
n_vocab = 1024

[training]
n_steps = 30
batch_size = 8
device = "cpu"
n_threads = 1

[watch]
probe_every = 0
sample_every = 0
"""


def write_text(path: Path, megabytes: float) -> None:
    """Write lines of made-up words, more of some than of others."""
    draws = random.Random(1)
    letters = "etaoinshrdlu"
    words = [
        "".join(draws.choices(letters, k=draws.randint(1, 9))) for _ in range(9000)
    ]
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    block = "\n".join(
        " ".join(draws.choices(words, weights, k=12)) for _ in range(15_000)
    )
    n_blocks = max(1, round(megabytes * MEGABYTE / len(block)))
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        for _ in range(n_blocks):
            file.write(block + "\n\n")


def largest_megabytes(megabytes: float) -> float:
    """Train on a text of that size. -> the largest resident size on the way."""
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        run.mkdir()
        (run / "config.toml").write_text(CONFIG, encoding="utf-8")
        write_text(run / "text.txt", megabytes)
        command = [sys.executable, "-m", "core.training", str(run)]
        with psutil.Popen(command) as process:
            largest = 0
            while process.poll() is None:
                try:
                    largest = max(largest, process.memory_info().rss)
                except psutil.NoSuchProcess:
                    break
                time.sleep(POLL_S)
        if process.returncode:
            raise SystemExit(process.returncode)
        return largest / MEGABYTE


def main() -> None:
    """Print the figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, default=200)
    megabytes = parser.parse_args().megabytes
    small, large = largest_megabytes(SMALL_MEGABYTES), largest_megabytes(megabytes)
    line = {
        "figure": "trainer_memory_of_a_text",
        "text_megabytes": megabytes,
        "megabytes": round(large - small),
        "target": TARGET_MEGABYTES,
        "largest_megabytes": round(large),
        "on_a_small_text": round(small),
    }
    print(json.dumps(line))


if __name__ == "__main__":
    main()
