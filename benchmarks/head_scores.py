"""What all head scores cost beside the model's own plain forward pass.

A random model of GPT-2 small's size. "All" is what the window waits for after another
sentence: the scores of the sentence in every head, the induction pass being known;
"first" has that pass in it. Each takes turns with `model(ids)`; the ratio is the median
over pairs. Run from the repository: python -m benchmarks.head_scores
"""

import argparse
import json
import statistics
import sys
from pathlib import Path

import torch

from benchmarks.trace_speed import SIZES, seconds
from core.analysis.heads import HeadScores, head_scores
from core.analysis.telling import telling_scores
from core.bundle import Bundle, make_bundle
from core.model.transformer import Transformer
from core.pipeline import run_trace
from core.tokenizers.bpe import BpeTokenizer

TARGET = 1.5
N_REPEATS = 5
N_TOKENS = 256
LONG = 1024
TARGET_MEGABYTES = 150


def ids_of(n: int) -> list[int]:
    """Some tokens, many of them twice."""
    return [place * place % 251 for place in range(n)]


def ratio(bundle: Bundle, known: HeadScores | None) -> dict[str, object]:
    """The time of all scores over that of a plain pass."""
    ids = ids_of(N_TOKENS)
    batch = torch.tensor([ids])
    trace = run_trace(bundle, ids=ids)

    def plain() -> None:
        with torch.inference_mode():
            bundle.model(batch)

    def scored() -> None:
        head_scores(trace, known or telling_scores(bundle))

    pairs = [(seconds(scored), seconds(plain)) for _ in range(N_REPEATS + 2)][2:]
    name = "all" if known else "first"
    return {
        "figure": f"head_scores_over_forward_{N_TOKENS}_tokens_{name}",
        "ratio": round(statistics.median(a / b for a, b in pairs), 3),
        "target": TARGET,
        "ms": round(1000 * statistics.median(a for a, _ in pairs), 1),
        "repeats": N_REPEATS,
    }


def megabytes(field: str) -> float:
    """A size in the process's status: "VmRSS" now, "VmHWM" the largest since reset."""
    lines = Path("/proc/self/status").read_text().splitlines()
    (line,) = (each for each in lines if each.startswith(field))
    return int(line.split()[1]) / 1000


def memory(bundle: Bundle, known: HeadScores) -> dict[str, object]:
    """What scoring 1,024 tokens needs for the moment, beyond model and trace."""
    trace = run_trace(bundle, ids=ids_of(LONG))
    Path("/proc/self/clear_refs").write_text("5")  # resets the largest size (Linux)
    before = megabytes("VmRSS")
    milliseconds = 1000 * seconds(lambda: head_scores(trace, known))
    return {
        "figure": f"head_scores_memory_{LONG}_tokens",
        "megabytes_at_most": round(megabytes("VmHWM") - before),
        "target": TARGET_MEGABYTES,
        "ms": round(milliseconds),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=2)
    torch.set_num_threads(parser.parse_args().threads)
    torch.manual_seed(0)
    model, tokenizer = Transformer(SIZES), BpeTokenizer.from_merges(())
    bundle = make_bundle(model, tokenizer, name="random")
    known = telling_scores(bundle)
    lines = (memory(bundle, known), ratio(bundle, known), ratio(bundle, None))
    for line in lines:
        sys.stdout.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
