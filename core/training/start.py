"""What a run needs before its first step: a tokenizer, and texts as windows.

In: a run's folder and configuration. Out: `RUN_DIR/tokenizer.json`, opened or trained,
and the training and validation texts. Nothing here changes during the run. Somebody may
be told how far it is; `prepare.py` does the same ahead of the training program.
"""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from core.files import explained, write_whole
from core.tokenizers.bpe import BpeTokenizer, Ids
from core.tokenizers.bpe_training import END_OF_TEXT, train_bpe
from core.tokenizers.folder import TOKENIZER_FILE, open_tokenizer, save_tokenizer
from core.tokenizers.splitting import whole_words
from core.training.config import DataConfig, RunConfig
from core.training.corpus import (
    CACHE,
    Windows,
    encoded,
    size_of,
    split_off,
    windows_of,
)
from core.training.progress import Paced, Tell, told_along, untold
from core.training.reading import read_blocks, spread

log = logging.getLogger(__name__)

ASKED_FILE = "n_vocab_asked"
"""In the cache: the size that was asked for when the run's tokenizer was trained."""
N_UNLEARNED = 257
"""Tokens that every tokenizer trained here has: the bytes and the end of text."""
LEARNED_FROM_BYTES = 1 << 24
"""A tokenizer is learned from this much of a text, spread evenly over it."""
MEGABYTE = 1e6


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """What is learned from and what is kept for testing."""

    train: Windows
    valid: Windows | None


def run_tokenizer(folder: Path, config: RunConfig, tell: Tell = untold) -> BpeTokenizer:
    """Open the tokenizer of a run, or train it on the run's text and keep it.

    Raises:
        CoreError: A file is missing or damaged.
    """
    if config.tokenizer.file:
        return open_tokenizer(folder / config.tokenizer.file)
    kept = folder / TOKENIZER_FILE
    asked = config.tokenizer.n_vocab
    if kept.exists():
        tokenizer = open_tokenizer(kept)
        if asked in (tokenizer.n_vocab, _asked_before(folder)):
            return tokenizer
    log.info("Training a tokenizer of %d tokens.", asked)
    paced = Paced(tell)
    tokenizer = learn_tokenizer(train_paths(folder, config.data), asked, paced)
    log.info("It has %d merges.", len(tokenizer.merges))
    said = said_of(tokenizer, asked)
    log.info(said)
    paced.say(said, 1.0)
    save_tokenizer(tokenizer, folder)
    with explained(folder / CACHE):
        (folder / CACHE).mkdir(exist_ok=True)
    write_whole(folder / CACHE / ASKED_FILE, str(asked).encode())
    return tokenizer


def learn_tokenizer(paths: Iterable[Path], asked: int, paced: Paced) -> BpeTokenizer:
    """Learn a tokenizer from files; each merge is told as it is chosen.

    Of a very long text it reads `LEARNED_FROM_BYTES`, in blocks spread over it.

    Raises:
        CoreError: A file cannot be read, or there is no text in any.
    """
    paths = tuple(paths)
    n_bytes = size_of(paths)
    share = min(LEARNED_FROM_BYTES / max(n_bytes, 1), 1.0)
    part = "the text" if share == 1 else f"{LEARNED_FROM_BYTES / MEGABYTE:.0f} MB of it"
    counting = paced.share(f"Counting the words of {part}.")
    texts = (whole_words(read_blocks(path), (END_OF_TEXT,)) for path in paths)
    blocks = (block for text in texts for block in text)
    n_asked = asked - N_UNLEARNED
    tokenizer = train_bpe(
        spread(told_along(blocks, n_bytes, counting), share),
        asked,
        told=lambda merge: paced.merge(merge, n_asked),
    )
    paced.tell_merges(n_asked)
    return tokenizer


def said_of(tokenizer: BpeTokenizer, asked: int) -> str:
    """Say how large a tokenizer has become."""
    if tokenizer.n_vocab == asked:
        return f"The tokenizer has {asked:,} tokens."
    return (
        f"The tokenizer has fewer tokens: asked {asked:,}, got {tokenizer.n_vocab:,}, "
        "because no further pair occurs twice in the text."
    )


def run_texts(
    folder: Path, config: RunConfig, tokenizer: BpeTokenizer, tell: Tell = untold
) -> Texts:
    """Encode the texts of a run, or map what is encoded already.

    Raises:
        CoreError: A text is missing, not text, or shorter than one window.
    """
    ids, valid = _run_ids(folder, config, tokenizer, Paced(tell))
    n_ctx = config.model.n_ctx
    return Texts(
        windows_of(ids, n_ctx, "The training text"),
        None if valid is None else windows_of(valid, n_ctx, "The validation text"),
    )


def _run_ids(
    folder: Path, config: RunConfig, tokenizer: BpeTokenizer, paced: Paced
) -> tuple[Ids, Ids | None]:
    """The ids of the training text, and of the validation text if there is one."""
    cache = folder / CACHE
    told = paced.share("Cutting the text into tokens.")
    ids = encoded(train_paths(folder, config.data), tokenizer, cache, told)
    if config.data.valid:
        paths = [folder / name for name in config.data.valid]
        told = paced.share("Cutting the validation text into tokens.")
        return ids, encoded(paths, tokenizer, cache, told)
    if config.data.valid_share:
        return split_off(ids, config.data.valid_share)
    return ids, None


def train_paths(folder: Path, data: DataConfig) -> list[Path]:
    """The files to learn from; relative names begin at the run's folder."""
    return [folder / name for name in data.train]


def _asked_before(folder: Path) -> int | None:
    path = folder / CACHE / ASKED_FILE
    try:
        return int(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
