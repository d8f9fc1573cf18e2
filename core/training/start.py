"""What a run needs before its first step: a tokenizer, and texts as windows.

In: a run's folder and configuration. Out: `RUN_DIR/tokenizer.json`, opened or trained,
and the training and validation texts. Nothing here changes during the run. Somebody may
be told how far it is; `prepare.py` does the same ahead of the training program.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from core.config import ModelConfig
from core.files import explained, write_whole
from core.tokenizers.base import Ids, Tokenizer
from core.tokenizers.bpe import SINGLE_BYTES
from core.tokenizers.bpe_training import END_OF_TEXT, train_bpe
from core.tokenizers.folder import TOKENIZER_FILE, open_tokenizer, save_tokenizer
from core.tokenizers.simple import learn_characters
from core.tokenizers.splitting import whole_words
from core.training.batch import Examples
from core.training.config import (
    BPE,
    CHARACTERS,
    DataConfig,
    RunConfig,
    TokenizerConfig,
)
from core.training.corpus import (
    CACHE,
    encoded,
    size_of,
    split_off,
    windows_of,
)
from core.training.pairs.corpus import (
    PAIR_SPECIALS,
    Pairs,
    ends_of,
    fitting,
    pair_characters,
    pairs_cut,
    pairs_in,
    split_pairs,
)
from core.training.pairs.lines import checked_pairs, sides_of
from core.training.progress import Paced, Tell, told_along, untold
from core.training.reading import read_blocks, spread

log = logging.getLogger(__name__)

ASKED_FILE = "n_vocab_asked"
"""In the cache: the size, or the kind, that the run's tokenizer was asked for with."""
LEARNED_FROM_BYTES = 1 << 23
"""A tokenizer is learned from this much of a text, spread evenly over it."""
MEGABYTE = 1e6


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """What is learned from and what is kept for testing."""

    train: Examples
    valid: Examples | None


def run_tokenizer(folder: Path, config: RunConfig, tell: Tell = untold) -> Tokenizer:
    """Open the tokenizer of a run, or train it on the run's text and keep it.

    Raises:
        CoreError: A file is missing or damaged.
    """
    if config.tokenizer.file:
        return open_tokenizer(folder / config.tokenizer.file)
    kept = folder / TOKENIZER_FILE
    kind, asked = config.tokenizer.kind, asked_of(config.tokenizer)
    if kept.exists():
        tokenizer = open_tokenizer(kept)
        before = _asked_before(folder)
        is_as_large = before != CHARACTERS and asked == str(tokenizer.n_vocab)
        if asked == before or is_as_large:
            return tokenizer
    log.info("Learning a tokenizer: %s, %s.", kind, asked)
    paced = Paced(tell)
    tokenizer = LEARNERS[kind](folder, config, paced)
    said = said_of(tokenizer, config.tokenizer)
    log.info(said)
    paced.say(said, 1.0)
    save_tokenizer(tokenizer, folder)
    with explained(folder / CACHE):
        (folder / CACHE).mkdir(exist_ok=True)
    write_whole(folder / CACHE / ASKED_FILE, asked.encode())
    return tokenizer


def asked_of(config: TokenizerConfig) -> str:
    """What tells one wish for a learned tokenizer from another."""
    return str(config.n_vocab) if config.kind == BPE else config.kind


def _learn_bpe(folder: Path, config: RunConfig, paced: Paced) -> Tokenizer:
    paths = train_paths(folder, config.data)
    return learn_tokenizer(
        paths, config.tokenizer.n_vocab, paced, pairs=config.data.pairs
    )


def _learn_characters(folder: Path, config: RunConfig, paced: Paced) -> Tokenizer:
    """The characters of all texts, read to the end: none may be unknown later."""
    paths = [*train_paths(folder, config.data), *valid_paths(folder, config.data)]
    reading = paced.share("Looking for the characters of the text.")
    texts = told_along(
        texts_of(paths, pairs=config.data.pairs), size_of(paths), reading
    )
    if config.data.pairs:
        return pair_characters(texts)
    return learn_characters(texts)


LEARNERS: Mapping[str, Callable[[Path, RunConfig, Paced], Tokenizer]] = {
    BPE: _learn_bpe,
    CHARACTERS: _learn_characters,
}
"""How a run's tokenizer is learned, by [tokenizer] kind."""


def texts_of(paths: Iterable[Path], *, pairs: bool) -> Iterator[str]:
    """Blocks of files, none of which ends inside a word or the end of a text.

    Of pairs, each side by itself: a tokenizer is learned from both together.
    """
    for path in paths:
        if pairs:
            yield from sides_of(checked_pairs(path, read_blocks(path)))
        else:
            yield from whole_words(read_blocks(path), (END_OF_TEXT,))


def learn_tokenizer(
    paths: Iterable[Path], asked: int, paced: Paced, *, pairs: bool = False
) -> Tokenizer:
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
    specials = PAIR_SPECIALS if pairs else (END_OF_TEXT,)
    n_asked = asked - len(SINGLE_BYTES) - len(specials)
    texts = texts_of(paths, pairs=pairs)
    tokenizer = train_bpe(
        spread(told_along(texts, n_bytes, counting), share),
        asked,
        specials=specials,
        told=lambda merge: paced.merge(merge, n_asked),
    )
    paced.tell_merges(n_asked)
    return tokenizer


def said_of(tokenizer: Tokenizer, config: TokenizerConfig) -> str:
    """Say how large a tokenizer has become."""
    got, asked = tokenizer.n_vocab, config.n_vocab
    if config.kind != BPE or got == asked:
        return f"The tokenizer has {got:,} {'token' if got == 1 else 'tokens'}."
    return (
        f"The tokenizer has fewer tokens: asked {asked:,}, got {got:,}, "
        "because no further pair occurs twice in the text."
    )


def model_for(config: RunConfig, tokenizer: Tokenizer) -> ModelConfig:
    """The model of a run, with what its tokenizer decides.

    Raises:
        TokenizerError: Pairs need a start token, and there is none.
    """
    model = replace(config.model, n_vocab=tokenizer.n_vocab)
    if not config.data.pairs:
        return model
    return replace(model, start_id=ends_of(tokenizer)[0])


def run_texts(
    folder: Path, config: RunConfig, tokenizer: Tokenizer, tell: Tell = untold
) -> Texts:
    """Encode the texts of a run, or map what is encoded already.

    Raises:
        CoreError: A text is missing, not text, or shorter than one window.
    """
    if config.data.pairs:
        return _run_pairs(folder, config, tokenizer, Paced(tell))
    ids, valid = _run_ids(folder, config, tokenizer, Paced(tell))
    n_ctx = config.model.n_ctx
    return Texts(
        windows_of(ids, n_ctx, "The training text"),
        None if valid is None else windows_of(valid, n_ctx, "The validation text"),
    )


def _run_ids(
    folder: Path, config: RunConfig, tokenizer: Tokenizer, paced: Paced
) -> tuple[Ids, Ids | None]:
    """The ids of the training text, and of the validation text if there is one."""
    cache = folder / CACHE
    told = paced.share("Cutting the text into tokens.")
    ids = encoded(train_paths(folder, config.data), tokenizer, cache, told)
    if config.data.valid:
        told = paced.share("Cutting the validation text into tokens.")
        valid = valid_paths(folder, config.data)
        return ids, encoded(valid, tokenizer, cache, told)
    if config.data.valid_share:
        return split_off(ids, config.data.valid_share)
    return ids, None


def _run_pairs(
    folder: Path, config: RunConfig, tokenizer: Tokenizer, paced: Paced
) -> Texts:
    """The pairs to learn from and to be tested on, without those that are too long."""
    cache, data = folder / CACHE, config.data

    def cut(paths: list[Path], what: str) -> Pairs:
        told = paced.share(f"Cutting the {what} into tokens.")
        ids = encoded(paths, tokenizer, cache, told, pairs_cut)
        pairs, n_left_out = fitting(pairs_in(ids, tokenizer), config.model.n_ctx)
        if n_left_out:
            said = too_long(n_left_out, what, config.model.n_ctx)
            log.warning(said)
            paced.say(said)
        return pairs

    pairs = cut(train_paths(folder, data), "pairs")
    if data.valid:
        return Texts(pairs, cut(valid_paths(folder, data), "validation pairs"))
    return Texts(*split_pairs(pairs, data.valid_share))


def too_long(n: int, what: str, n_ctx: int) -> str:
    """Say how many pairs are left out for their length."""
    are = f"1 of the {what} is" if n == 1 else f"{n:,} of the {what} are"
    return f"{are} longer than n_ctx = {n_ctx} on one side, and left out."


def train_paths(folder: Path, data: DataConfig) -> list[Path]:
    """The files to learn from; relative names begin at the run's folder."""
    return [folder / name for name in data.train]


def valid_paths(folder: Path, data: DataConfig) -> list[Path]:
    """The files to be tested on, if any are named."""
    return [folder / name for name in data.valid]


def _asked_before(folder: Path) -> str | None:
    path = folder / CACHE / ASKED_FILE
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        return None
