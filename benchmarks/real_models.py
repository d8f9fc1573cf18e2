"""A real model, beside `transformers` with the same files: opening, tracing, writing.

`python -m benchmarks.real_models FOLDER`, a folder of `transformers` with a Llama, such
as SmolLM2-135M; without one, random weights of its shape. All take turns, and a
ratio is the median over the rounds, by the clock and by the processor's time: on a
machine that has other work to do, the rest of the clock is spent waiting for it.
Modules are imported and files read before the clock starts. Prints one JSON line a
figure; `--only` chooses some.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")  # before Qt is imported

import numpy as np
import torch
import transformers
from numpy.typing import NDArray
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    LlamaConfig,
    LlamaForCausalLM,
)

from benchmarks.real_window import edited
from core.bundle import Bundle, open_bundle
from core.checkpoints.weight_files import find_weights
from core.generation.generate import generate
from core.generation.sampling import Sampling
from core.pipeline import run_trace
from core.tokenizers.alphabet import to_letters
from core.tokenizers.folder import open_tokenizers

Work = Callable[[], object]
Figure = dict[str, Any]
Took = NDArray[np.float64]
"""Seconds by the clock and by the processor, [..., 2]."""

TEXT = (
    "Once upon a time there was a girl named Mira who lived in a small house by the "
    "sea, and every morning she counted 27 boats. "
)
KINDS = {"float32": torch.float32, "bfloat16": torch.bfloat16}
SHAPE = {
    "vocab_size": 49152,
    "hidden_size": 576,
    "intermediate_size": 1536,
    "num_hidden_layers": 30,
    "num_attention_heads": 9,
    "num_key_value_heads": 3,
    "max_position_embeddings": 8192,
    "rope_theta": 100000.0,
    "tie_word_embeddings": True,
}
"""SmolLM2-135M's."""
TOKENIZERS = "core.checkpoints.huggingface.open_tokenizers"
N_PROMPT, N_NEW = 16, 32
N_OPENINGS, N_WRITINGS = 9, 5
N_PASSES = {16: 15, 64: 11, 256: 7, 1024: 3}
"""Repeats by the number of tokens."""
OPEN_TARGET, TRACE_TARGET, EAGER_TARGET, WRITING_TARGET = 0.7, 1.15, 1.5, 1.2
MEMORY_TARGET = 1.2
"""Times the weights in float32."""


def seconds(work: Work) -> Took:
    """How long one call takes."""
    start, working = time.perf_counter(), time.process_time()
    work()
    return np.array([time.perf_counter() - start, time.process_time() - working])


def turns(n_repeats: int, **works: Work) -> dict[str, Took]:
    """Seconds of each work, taking turns: [n_repeats, 2], clock and processor.

    The first round only warms up.
    """
    rounds = [[seconds(work) for work in works.values()] for _ in range(n_repeats + 1)]
    columns = zip(*rounds[1:], strict=True)
    return {name: np.array(each) for name, each in zip(works, columns, strict=True)}


def compared(name: str, took: Mapping[str, Took]) -> Figure:
    """Milliseconds of the first, and the median of its ratio to each other."""
    first, *others = took
    line: Figure = {"figure": name, "ms": median(1000 * took[first])[0]}
    for other in others:
        line[f"ms_{other}"] = median(1000 * took[other])[0]
        ratios = median(took[first] / took[other], 3)
        line[f"ratio_to_{other}"], line[f"cpu_ratio_to_{other}"] = ratios
    return line | {"repeats": len(took[first])}


def median(values: Took, n_digits: int = 1) -> tuple[float, float]:
    """By the clock, by the processor."""
    clock, cpu = (round(float(each), n_digits) for each in np.median(values, axis=0))
    return clock, cpu


def theirs(folder: Path, **settings: Any) -> Any:
    """The model as `transformers` opens it, in float32 as ours is."""
    settings = {"dtype": torch.float32, **settings}
    return AutoModelForCausalLM.from_pretrained(folder, **settings).eval()


def ids_of(bundle: Bundle, n: int) -> list[int]:
    """The first `n` tokens of a text."""
    return list(bundle.tokenizer.encode(TEXT * (n // 20 + 1)).ids[:n])


# Opening


def opening(folder: Path) -> Iterator[Figure]:
    """Model with tokenizer, against the model alone and both of `transformers`."""
    kinds = {each.kind for each in find_weights(folder).stored.values()}
    at_hand = open_tokenizers(folder)

    def without_tokenizer() -> object:
        with patch(TOKENIZERS, return_value=at_hand):
            return open_bundle(folder, device="cpu")

    took = turns(
        N_OPENINGS,
        ours=lambda: open_bundle(folder, device="cpu"),
        ours_without_tokenizer=without_tokenizer,
        model=lambda: theirs(folder),
        tokenizer=lambda: AutoTokenizer.from_pretrained(folder),
    )
    took["model_and_tokenizer"] = took["model"] + took.pop("tokenizer")
    model = took["model"]
    alone = {"ours": took.pop("ours_without_tokenizer"), "model": model}
    target = {"target": OPEN_TARGET, "stored": sorted(kinds)}
    yield compared("open_model_and_tokenizer", took) | target
    yield compared("open_model_without_its_tokenizer", alone) | target
    for who in ("ours", "theirs"):
        command = [sys.executable, "-m", __spec__.name, str(folder), "--memory", who]
        said = subprocess.run(command, check=True, capture_output=True, text=True)
        yield json.loads(said.stdout)


def memory(folder: Path, who: str) -> Figure:
    """What a process of its own grows by when it opens a model and reads a sentence.

    Pages of files that are mapped count, too: those that were looked at.
    """
    ids = torch.tensor([list(range(N_PROMPT))])
    before = _megabytes("VmRSS")
    if who == "ours":
        model: Any = open_bundle(folder, device="cpu").model
    else:
        model = theirs(folder)
        AutoTokenizer.from_pretrained(folder)
    opened, own = _megabytes("VmHWM") - before, _megabytes("RssAnon")
    with torch.inference_mode():
        model(ids)
    weights = sum(weight.nbytes for weight in model.parameters()) / 1e6
    return {
        "figure": f"memory_of_opening_{who}",
        "peak_mb": round(opened),
        "peak_mb_with_a_sentence_read": round(_megabytes("VmHWM") - before),
        "private_mb": round(own),
        "weights_mb": round(weights),
        "target_mb": round(MEMORY_TARGET * weights),
    }


def _megabytes(field: str) -> float:
    """A size in the process's status: "VmRSS" now, "VmHWM" the largest so far."""
    lines = Path("/proc/self/status").read_text().splitlines()
    (line,) = (each for each in lines if each.startswith(field))
    return int(line.split()[1]) / 1000


# Reading


def tracing(folder: Path) -> Iterator[Figure]:
    """A trace beside the model's own plain pass, and beside one that shows its steps.

    A plain pass scores every place; a trace, the last one, and the others when asked.
    So both passes are measured with the last row of logits alone, too.
    """
    bundle, eager = open_bundle(folder), theirs(folder, attn_implementation="eager")
    for n, n_repeats in N_PASSES.items():
        ids = ids_of(bundle, n)
        row = torch.tensor([ids])

        def shown(keep: int, row: torch.Tensor = row) -> object:
            return eager(
                row,
                output_attentions=True,
                output_hidden_states=True,
                logits_to_keep=keep,
                use_cache=False,
            )

        with torch.inference_mode():
            took = turns(
                n_repeats,
                ours=partial(run_trace, bundle, ids=ids),
                plain=partial(bundle.model, row),
                plain_last_row=partial(bundle.model, row, last_only=True),
                eager=partial(shown, 0),
                eager_last_row=partial(shown, 1),
            )
        line = compared(f"trace_of_{n}_tokens", took)
        eager_target = {"target_eager": round(1 / EAGER_TARGET, 3)} if n >= 1024 else {}
        yield line | {"target_plain": TRACE_TARGET} | eager_target


# Writing


def writing(folder: Path) -> Iterator[Figure]:
    """Greedy tokens with the cache, against `generate` of `transformers`."""
    bundle, other = open_bundle(folder), theirs(folder)
    prompt = ids_of(bundle, N_PROMPT)
    row, greedy = torch.tensor([prompt]), Sampling(temperature=0)
    written: dict[str, list[int]] = {}

    def our_words() -> None:
        words = generate(bundle.model, prompt, greedy, N_NEW)
        written["ours"] = [each.token_id for each in words]

    def their_words() -> None:
        found = other.generate(
            row,
            attention_mask=torch.ones_like(row),
            max_new_tokens=N_NEW,
            min_new_tokens=N_NEW,
            do_sample=False,
            use_cache=True,
            pad_token_id=0,
        )
        written["theirs"] = found[0, N_PROMPT:].tolist()

    took = turns(N_WRITINGS, theirs=their_words, ours=our_words)
    line = compared("generation_with_cache", took)
    yield line | {
        "target_ours": WRITING_TARGET,
        "ms_per_token": round(line["ms_ours"] / N_NEW, 2),
        "same_tokens": written["ours"] == written["theirs"],
    }


# In the window


def editing(folder: Path) -> Iterator[Figure]:
    """The last letter of a sentence of 32 tokens, until the panel is painted.

    Beside it the trace alone, in the same minute: the rest is the window.
    """
    text = TEXT * 3
    line = edited(folder, text)
    bundle = open_bundle(folder, device="cpu")
    ids = ids_of(bundle, line["tokens"])
    took = turns(N_WRITINGS, trace=partial(run_trace, bundle, ids=ids))
    alone = compared("trace", took)["ms"]
    yield line | {"ms_of_the_trace_alone": alone}


# A model to measure with


@contextmanager
def model_folder(given: Path | None, kind: str) -> Iterator[Path]:
    """The folder that is named, or one with random weights of SmolLM2's shape."""
    if given is not None:
        yield given
        return
    with TemporaryDirectory() as place:
        torch.manual_seed(0)
        model = LlamaForCausalLM(LlamaConfig(**SHAPE)).to(KINDS[kind])
        model.save_pretrained(place)
        every_pair().save(f"{place}/tokenizer.json")
        settings = {"tokenizer_class": "PreTrainedTokenizerFast"}
        Path(place, "tokenizer_config.json").write_text(json.dumps(settings))
        yield Path(place)


def every_pair() -> Tokenizer:
    """A BPE with as many tokens as SmolLM2's: the bytes, and pairs of them."""
    letters = [to_letters(bytes([byte])) for byte in range(256)]
    pairs = [(a, b) for a in letters for b in letters]
    pairs = pairs[: SHAPE["vocab_size"] - len(letters)]
    names = [*letters, *(a + b for a, b in pairs)]
    vocabulary = {name: place for place, name in enumerate(names)}
    tokenizer = Tokenizer(models.BPE(vocabulary, pairs))
    digits = pre_tokenizers.Digits(individual_digits=True)
    split = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([digits, split])
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


FIGURES = {
    "opening": opening,
    "tracing": tracing,
    "writing": writing,
    "editing": editing,
}


def main() -> int:
    """Measure and print. -> 0."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", help="of transformers")
    parser.add_argument("--only", choices=FIGURES, nargs="+", default=[*FIGURES])
    parser.add_argument("--kind", choices=KINDS, default="bfloat16", help="if random")
    half = max(1, (os.cpu_count() or 2) // 2)  # as the window's tracing worker
    parser.add_argument("--threads", type=int, default=half)
    parser.add_argument("--memory", choices=("ours", "theirs"), help="of one process")
    chosen = parser.parse_args()
    torch.set_num_threads(chosen.threads)
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    if chosen.memory:
        write_line(memory(chosen.folder, chosen.memory))
        return 0
    with model_folder(chosen.folder, chosen.kind) as folder:
        for name in chosen.only:
            for line in FIGURES[name](folder):
                write_line(line | {"threads": torch.get_num_threads()})
    return 0


def write_line(line: Figure) -> None:
    """Print one figure."""
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
