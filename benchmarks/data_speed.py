"""How fast a text becomes tokens: learning a tokenizer, and encoding by it.

The built-in stories, or a text file that is named. JSON lines: seconds for 1,000 merges
of 1 MB, MB/s of encoding in blocks, and the memory that preparing a text takes beyond
what the program has before, each with its target. Seconds are those of the one thread
that works, so other programs on the machine do not count.
"""

import argparse
import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil

from core.tokenizers.bpe import BpeTokenizer
from core.tokenizers.bpe_training import train_bpe
from core.training.config import LEAST_BPE
from core.training.corpus import encoded
from core.training.progress import Paced, untold
from core.training.reading import read_text
from core.training.start import learn_tokenizer
from core.training.stories import story_text

MEGABYTE = 1_000_000
N_MERGES = 1000
N_REPEATS = 3
TARGET_LEARNING_S = 3.0
TARGET_MB_PER_S = 5.0
TARGET_MEMORY_MB = 300.0
SAMPLE_S = 0.01


def seconds(work: Callable[[], object]) -> float:
    """The best of a few times; the others were disturbed."""
    taken: list[float] = []
    for _ in range(N_REPEATS):
        start_s = time.thread_time()
        work()
        taken.append(time.thread_time() - start_s)
    return min(taken)


def learning(text: str) -> dict[str, object]:
    """Learn 1,000 merges from 1 MB."""
    some = text[:MEGABYTE]
    return {
        "figure": "tokenizer_learning_s",
        "value": round(seconds(lambda: train_bpe([some], LEAST_BPE + N_MERGES)), 2),
        "target": TARGET_LEARNING_S,
        "characters": len(some),
        "merges": N_MERGES,
    }


def encoding(text: str) -> dict[str, object]:
    """Encode all of it in blocks, by a tokenizer that has seen none of it cut."""
    learned = train_bpe([text[:MEGABYTE]], LEAST_BPE + N_MERGES)
    n_bytes = len(text.encode())

    def encode() -> None:
        fresh = BpeTokenizer(learned.vocabulary, learned.merges, learned.specials)
        for _ in fresh.encode_blocks(blocks_of(text)):
            pass

    return {
        "figure": "encoding_mb_per_s",
        "value": round(n_bytes / MEGABYTE / seconds(encode), 1),
        "target": TARGET_MB_PER_S,
        "megabytes": round(n_bytes / MEGABYTE, 1),
    }


def blocks_of(text: str) -> Iterator[str]:
    """A text as it comes from a file."""
    return (text[at : at + MEGABYTE] for at in range(0, len(text), MEGABYTE))


def memory(text: str, n_megabytes: int) -> dict[str, object]:
    """Learn from and encode a file of so many megabytes, the text over and over."""
    with TemporaryDirectory() as name:
        path = Path(name) / "text.txt"
        content = text.encode()
        with open(path, "wb") as file:
            while file.tell() < n_megabytes * MEGABYTE:
                file.write(content)
        peak_mb, taken_s = peak_memory(lambda: prepared(path))
        n_bytes = path.stat().st_size
    return {
        "figure": "preparing_memory_mb",
        "value": round(peak_mb),
        "target": TARGET_MEMORY_MB,
        "megabytes": round(n_bytes / MEGABYTE),
        "mb_per_s_with_learning": round(n_bytes / MEGABYTE / taken_s, 1),
    }


def prepared(path: Path) -> None:
    """Do with a file what a run does before its first step."""
    tokenizer = learn_tokenizer([path], LEAST_BPE + N_MERGES, Paced(untold))
    encoded([path], tokenizer, path.parent / "cache")


def peak_memory(work: Callable[[], object]) -> tuple[float, float]:
    """Megabytes that a work takes at most beyond what was there before; its seconds."""
    process, done = psutil.Process(), threading.Event()
    before = peak = process.memory_info().rss

    def watch() -> None:
        nonlocal peak
        while not done.wait(SAMPLE_S):
            peak = max(peak, process.memory_info().rss)

    watcher = threading.Thread(target=watch)
    watcher.start()
    start_s = time.thread_time()
    work()
    taken_s = time.thread_time() - start_s
    done.set()
    watcher.join()
    return (peak - before) / MEGABYTE, taken_s


def main() -> None:
    """Read the command line and print the figures."""
    parser = argparse.ArgumentParser(description="Measure how a text becomes tokens.")
    parser.add_argument("--text", type=Path, help="a text file instead of the stories")
    parser.add_argument("--characters", type=int, default=10 * MEGABYTE)
    parser.add_argument(
        "--memory-megabytes", type=int, default=100, help="size of the file prepared"
    )
    chosen = parser.parse_args()
    if chosen.text:
        text = read_text(chosen.text)[: chosen.characters]
    else:
        text = story_text(1, chosen.characters)
    print(json.dumps(memory(text, chosen.memory_megabytes)), flush=True)
    for measure in (learning, encoding):
        print(json.dumps(measure(text)), flush=True)


if __name__ == "__main__":
    main()
