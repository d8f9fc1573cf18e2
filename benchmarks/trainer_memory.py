"""What a large text costs the trainer in memory, beyond what its model takes.

Two processes of the real program train the same tiny model to the same step: one on a
small text, one on a large one (`--megabytes`, 200 unless told; the design's figure is
for 1,000; or a file, `--text`). Both learn their tokenizer and cut their text. The
figure is the difference of their largest resident sizes. Pages of the mapped token file
that the system could drop at once are counted, so that it errs on the dear side. The
speed is that of the whole preparation: learning, hashing and cutting.
"""

import argparse
import json
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
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


def trained(write: Callable[[Path], object]) -> tuple[float, float]:
    """Train on a text. -> the largest resident size on the way, seconds of the CPU."""
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        run.mkdir()
        (run / "config.toml").write_text(CONFIG, encoding="utf-8")
        write(run / "text.txt")
        command = [sys.executable, "-m", "core.training", str(run)]
        with psutil.Popen(command) as process:
            largest, taken_s = 0, 0.0
            while process.poll() is None:
                try:
                    largest = max(largest, process.memory_info().rss)
                    taken_s = max(taken_s, sum(process.cpu_times()[:2]))
                except psutil.NoSuchProcess:
                    break
                time.sleep(POLL_S)
        if process.returncode:
            raise SystemExit(process.returncode)
        return largest / MEGABYTE, taken_s


def main() -> None:
    """Print the figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, default=200)
    parser.add_argument("--text", type=Path, help="a text file instead")
    chosen = parser.parse_args()

    def write(path: Path) -> None:
        if chosen.text:
            shutil.copyfile(chosen.text, path)
        else:
            write_text(path, chosen.megabytes)

    small, small_s = trained(lambda path: write_text(path, SMALL_MEGABYTES))
    large, large_s = trained(write)
    megabytes = chosen.megabytes
    if chosen.text:
        megabytes = round(chosen.text.stat().st_size / MEGABYTE)
    line = {
        "figure": "trainer_memory_of_a_text",
        "text_megabytes": megabytes,
        "megabytes": round(large - small),
        "target": TARGET_MEGABYTES,
        "largest_megabytes": round(large),
        "on_a_small_text": round(small),
        "mb_per_cpu_s": round(megabytes / max(large_s - small_s, POLL_S), 1),
    }
    print(json.dumps(line))


if __name__ == "__main__":
    main()
