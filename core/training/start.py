"""What a run needs before its first step: a tokenizer, and texts as windows.

In: a run's folder and configuration. Out: `RUN_DIR/tokenizer.json`, opened or trained,
and the training and validation texts. Nothing here changes during the run.
"""

import logging
from dataclasses import dataclass
from pathlib import Path

from core.checkpoints.native import TOKENIZER_FILE
from core.tokenizers.bpe import BpeTokenizer
from core.tokenizers.bpe_training import train_bpe
from core.tokenizers.folder import open_tokenizer, save_tokenizer
from core.training.config import DataConfig, RunConfig
from core.training.corpus import (
    CACHE,
    Ids,
    Windows,
    encoded,
    read_text,
    split_off,
    windows_of,
)

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """What is learned from and what is kept for testing."""

    train: Windows
    valid: Windows | None


def run_tokenizer(folder: Path, config: RunConfig) -> BpeTokenizer:
    """Open the tokenizer of a run, or train it on the run's text and keep it.

    Raises:
        CoreError: A file is missing or damaged.
    """
    if config.tokenizer.file:
        return open_tokenizer(folder / config.tokenizer.file)
    kept = folder / TOKENIZER_FILE
    if kept.exists():
        tokenizer = open_tokenizer(kept)
        if tokenizer.n_vocab == config.tokenizer.n_vocab:
            return tokenizer
    asked = config.tokenizer.n_vocab
    log.info("Training a tokenizer of %d tokens.", asked)
    paths = train_paths(folder, config.data)
    tokenizer = train_bpe(map(read_text, paths), asked)
    log.info("It has %d merges.", len(tokenizer.merges))
    if tokenizer.n_vocab < asked:
        log.info(
            "Asked for %d tokens, got %d: no further pair occurs twice in the text.",
            asked,
            tokenizer.n_vocab,
        )
    save_tokenizer(tokenizer, folder)
    return tokenizer


def run_texts(folder: Path, config: RunConfig, tokenizer: BpeTokenizer) -> Texts:
    """Encode the texts of a run, or map what is encoded already.

    Raises:
        CoreError: A text is missing, not text, or shorter than one window.
    """
    cache = folder / CACHE
    n_ctx = config.model.n_ctx
    ids = encoded(train_paths(folder, config.data), tokenizer, cache)
    valid: Ids | None = None
    if config.data.valid:
        paths = [folder / name for name in config.data.valid]
        valid = encoded(paths, tokenizer, cache)
    elif config.data.valid_share:
        ids, valid = split_off(ids, config.data.valid_share)
    return Texts(
        windows_of(ids, n_ctx, "The training text"),
        None if valid is None else windows_of(valid, n_ctx, "The validation text"),
    )


def train_paths(folder: Path, data: DataConfig) -> list[Path]:
    """The files to learn from; relative names begin at the run's folder."""
    return [folder / name for name in data.train]
