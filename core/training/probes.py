"""What a run shows of itself while it learns: a sample, a sentence's attention, heads.

In: the model as it stands. Out: events, and `RUN_DIR/probes/step-00000100.npy` with the
patterns of every head. The arithmetic is the forward pass's own, seen by a `Watcher`;
nothing here draws from a generator of the run, so that it learns what a run learns that
nobody looks into. Every pass reads at most 80 tokens, whatever the model's size.
"""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.analysis.heads import SCORES_BY_NAME, scored
from core.analysis.reading import Reading, Tokens
from core.analysis.telling import LONGEST_TELLING, told_twice
from core.errors import TraceError
from core.files import explained, write_whole
from core.generation.generate import generate
from core.generation.sampling import Sampling
from core.model import functions, masks
from core.model.transformer import Transformer
from core.tokenizers.base import Tokenizer
from core.tokenizers.labels import readable_text
from core.training.config import WatchConfig
from core.training.events import HeadsScored, Probed, Sampled

PROBES = "probes"
LONGEST_SENTENCE = 48
"""Tokens of the probe sentence that are read."""
N_TOP = 5
"""Likeliest next tokens that are told."""
SAMPLE_TEMPERATURE = 0.8
"""Of a text sample: a small model rambles at 1."""
FIRST_TOKEN = (0,)
"""What a sample begins with if nothing of the prompt is known."""
PATTERN_ENDING = ".attn.pattern"

Patterns = NDArray[np.float32]


class PatternKeeper:
    """The watcher that keeps every layer's pattern, [n_heads, n_query, n_key]."""

    def __init__(self, ending: str = PATTERN_ENDING) -> None:
        """Keep the patterns whose keys end so."""
        self._ending = ending
        self.patterns: list[Tensor] = []

    def __call__(self, key: str, value: Tensor) -> Tensor:
        """Keep a pattern of the one sentence in the batch."""
        if key.endswith(self._ending):
            self.patterns.append(value[0])
        return value

    def asks_for_rows(self, path: str) -> bool:
        """Always: the fused kernel writes no pattern down."""
        return True


class Looks(Protocol):
    """Looks at a model while it learns; draws from no generator of the run."""

    def probe(self, step: int, model: Transformer) -> tuple[Probed, Patterns] | None:
        """Read one sentence, always the same, and keep its patterns."""

    def heads(self, step: int, model: Transformer) -> HeadsScored | None:
        """Rate what each head does."""

    def samples(self, step: int, model: Transformer) -> list[Sampled]:
        """Let it write."""

    def share_right(self, model: Transformer) -> float | None:
        """The share of answers that are right, where there are answers."""


class TextLooks:
    """Looks at a model that learns from running text."""

    def __init__(self, tokenizer: Tokenizer, watch: WatchConfig) -> None:
        self._tokenizer, self._watch = tokenizer, watch

    def probe(self, step: int, model: Transformer) -> tuple[Probed, Patterns] | None:
        """Read the sentence of [watch]; see `probe`."""
        return probe(step, model, self._tokenizer, self._watch)

    def heads(self, step: int, model: Transformer) -> HeadsScored | None:
        """Rate how far each looks back; see `score_heads`."""
        return score_heads(step, model)

    def samples(self, step: int, model: Transformer) -> list[Sampled]:
        """Write on from the prompt of [watch]; see `sample`."""
        found = sample(step, model, self._tokenizer, self._watch)
        return [found] if found else []

    def share_right(self, model: Transformer) -> float | None:
        """None: what may follow in a text is not right or wrong."""
        return None


def probe(
    step: int, model: Transformer, tokenizer: Tokenizer, watch: WatchConfig
) -> tuple[Probed, Patterns] | None:
    """Read the sentence of [watch], as far as it is tokens; None without a sentence.

    -> what is told of it, and the patterns [n_layers, n_heads, n, n] for its file.

    Raises:
        TraceError: The model's numbers are not finite any more.
    """
    every = tokenizer.encode(watch.sentence).pieces
    known = [piece for piece in every if not piece.is_unknown]
    pieces = known[: _longest(model, LONGEST_SENTENCE)]
    if not pieces:
        return None
    patterns, probs = read(model, [piece.id for piece in pieces])
    top = np.argsort(-probs, kind="stable")[:N_TOP]
    probed = Probed(
        step=step,
        tokens=[piece.label for piece in pieces],
        top=[tokenizer.label(int(token_id)) for token_id in top],
        probabilities=[float(probs[token_id]) for token_id in top],
        file=f"{PROBES}/step-{step:08d}.npy",
    )
    return probed, patterns


def score_heads(step: int, model: Transformer) -> HeadsScored | None:
    """Rate how far each head looks back; None where n_ctx is below 4.

    Both scores are those of `core.analysis.heads`, on tokens told twice and over the
    second telling, where either can be done.
    """
    n = min(LONGEST_TELLING, model.config.n_ctx // 2)
    if n < 2:
        return None
    ids = told_twice(model.config.n_vocab, n)
    patterns, _ = read(model, ids)
    allowed = masks.causal_mask(2 * n, 2 * n).numpy()
    tokens = Tokens(np.array(ids), allowed, period=n)
    layers = [Reading(pattern, tokens) for pattern in patterns]
    scores = {
        name: [scored(SCORES_BY_NAME[name], layer).tolist() for layer in layers]
        for name in ("previous", "induction")
    }
    return HeadsScored(step=step, **scores)


def sample(
    step: int, model: Transformer, tokenizer: Tokenizer, watch: WatchConfig
) -> Sampled | None:
    """Write on from the prompt of [watch]; the step is the seed.

    What the tokenizer does not know of the prompt is left out. An empty prompt is the
    end of a text, after which another begins; None if the tokenizer has no such token.

    Raises:
        TraceError: The model's numbers are not finite any more.
    """
    endings = tuple(tokenizer.specials.values())
    prompt = tokenizer.encode(watch.prompt)
    ids = prompt.known_ids or endings[:1]
    if not ids and prompt.unknown:
        ids = FIRST_TOKEN
    if not ids:
        return None
    sampling = Sampling(temperature=SAMPLE_TEMPERATURE, seed=step)
    with evaluated(model):
        tokens = generate(model, ids, sampling, watch.n_sample_tokens, stop_ids=endings)
        new = [each.token_id for each in tokens]
    data = tokenizer.decode_bytes([each for each in new if each not in endings])
    read_of_prompt = tokenizer.decode(ids) if prompt.unknown else watch.prompt
    return Sampled(step=step, prompt=read_of_prompt, text=readable_text(data))


def read(model: Transformer, ids: list[int]) -> tuple[Patterns, Patterns]:
    """Read one sentence.

    [n] -> the patterns [n_layers, n_heads, n, n], and the chances [n_vocab] of what
    comes next.

    Raises:
        TraceError: They are not finite.
    """
    keeper = PatternKeeper()
    row = torch.tensor([ids], device=model.table.device)
    with evaluated(model):
        logits = model(row, keeper, last_only=True)
    patterns = torch.stack(keeper.patterns).float().cpu().numpy()
    probs = functions.softmax(logits[0, -1].float()).cpu().numpy()
    if not (np.isfinite(patterns).all() and np.isfinite(probs).all()):
        raise TraceError("The model's numbers are not finite any more.")
    return patterns, probs


def write_patterns(path: Path, patterns: Patterns) -> None:
    """Write patterns as float16, whole or not at all.

    Raises:
        CheckpointError: The disk is full or read-only.
    """
    with explained(path.parent):
        path.parent.mkdir(exist_ok=True)
    file = io.BytesIO()
    np.save(file, patterns.astype(np.float16))
    write_whole(path, file.getvalue())


@contextmanager
def evaluated(model: Transformer) -> Iterator[None]:
    """Look at a model without dropout and gradients, and put it back to training."""
    was_training = model.training
    model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        model.train(was_training)


def _longest(model: Transformer, n: int) -> int:
    return min(n, model.config.n_ctx)
