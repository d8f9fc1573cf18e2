"""What bertviz takes for the model view of a 12 x 12 model: a helper of `attention`.

`python -m benchmarks.model_view N`, in a process of its own, since the memory is never
given back: patterns of N tokens become one HTML text. Prints one JSON line. bertviz is
no dependency; `attention` runs this where it can be imported.
"""

import json
import sys

import torch
from bertviz import model_view  # type: ignore[import-not-found]

from benchmarks.attention_models import Took, megabytes, timed, wide_bundle
from core.pipeline import run_trace

KILOBYTE = 1000


def main() -> None:
    """Measure and print."""
    n = int(sys.argv[1])
    bundle = wide_bundle(96)
    trace = run_trace(bundle, ids=[token % 256 for token in range(n)])
    patterns = [torch.from_numpy(layer.attn.pattern.copy()) for layer in trace.layers]
    labels = [piece.label for piece in trace.encoding.pieces]
    before = megabytes("VmRSS")
    torch.set_num_threads(1)
    took: list[Took] = []
    with timed(took):
        batches = [each[None] for each in patterns]
        page = model_view(batches, labels, html_action="return")
    line = {
        "s": took[0].s,
        "cpu_s": took[0].cpu_s,
        "megabytes": round(megabytes("VmHWM") - before),
        "html_megabytes": round(len(page.data) / KILOBYTE**2),
    }
    sys.stdout.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
