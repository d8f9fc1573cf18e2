"""Random tokens told twice: the test that finds heads which copy.

No sentence tells whether a head completes what it has read before or only what it has
learnt, so the tokens are drawn at random, and repeated (Olsson et al. 2022, section
"Argument 1"). In: a model. Out: the scores that belong to it alone, whatever the
sentence. The training monitor tells its heads the same tokens.
"""

import random
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from core.analysis.heads import OF_TELLING, HeadScores, scores_of
from core.config import ModelConfig
from core.trace.attentions import kind_named

if TYPE_CHECKING:
    from core.bundle import Bundle
    from core.tokenizers.base import Tokenizer

LONGEST_TELLING = 40
"""Tokens that are told twice, at most."""
NO_MODEL = "needs the model"
"""What a trace file lacks to be told anything."""
TELLING_SEED = 0
"""The same tokens each time, so that runs and models can be compared."""


def told_twice(n_vocab: int, n: int, apart: Iterable[int] = ()) -> list[int]:
    """Draw n tokens, none of them twice if there are enough, and repeat them.

    Tokens kept `apart`, such as the end of a text, are not drawn unless there are no
    others.
    """
    draws = random.Random(TELLING_SEED)
    specials = set(apart)
    choice = [each for each in range(n_vocab) if each not in specials]
    choice = choice or list(range(n_vocab))
    ids = [draws.choice(choice) for _ in range(n)]  # first, as in every run so far
    if n <= len(choice):
        ids = draws.sample(choice, n)
    return ids * 2


def telling_scores(bundle: "Bundle", kind: str = "") -> HeadScores:
    """The scores of a kind of heads on tokens told twice; takes one forward pass.

    Behind an encoder the source is told twice, and so is the text that is written. NaN,
    with the reason, for a model that cannot read four tokens.
    """
    from core.pipeline import trace_encoding

    config = bundle.config
    n = min(LONGEST_TELLING, config.n_ctx // 2)
    least = OF_TELLING[0].least
    if n < least // 2:
        return without_telling(config, f"needs {least} tokens", kind)
    n_known = min(config.n_vocab, bundle.tokenizer.n_vocab)  # tables have spare rows
    ids = told_twice(n_known, n, hardly_read(bundle.tokenizer, n_known, n))
    source, written = bundle.tokenizer.encoding_of(ids), None
    if config.has_encoder:
        written = bundle.target_tokenizer.encoding_of(ids)
    trace = trace_encoding(bundle, source, target=written)
    return scores_of(trace, OF_TELLING, n, kind)


def hardly_read(tokenizer: "Tokenizer", n_vocab: int, n: int) -> set[int]:
    """The tokens that a model knows little of: special ones, and single bytes.

    Most bytes stand in no text by themselves. Where that leaves fewer than n tokens, as
    for a tokenizer of characters, only the special ones.
    """
    specials = set(tokenizer.specials.values())
    ordinary = (each for each in range(n_vocab) if each not in specials)
    single = {each for each in ordinary if len(tokenizer.token_bytes(each)) == 1}
    apart = specials | single
    return apart if n_vocab - len(apart) >= n else specials


def without_telling(config: ModelConfig, lack: str, kind: str = "") -> HeadScores:
    """What is known of a model that cannot be told tokens twice, and why it cannot."""
    shape = kind_named(config, kind).n_layers, config.n_heads
    nothing = np.full(shape, np.nan, np.float32)
    nothing.flags.writeable = False
    lacks = {score.name: lack for score in OF_TELLING}
    return HeadScores(dict.fromkeys(lacks, nothing), lacks)
