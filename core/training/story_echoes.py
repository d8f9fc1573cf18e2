"""Arbitrary rows for the echo stories: what is repeated must not be guessable.

In: the lexicon and a random generator. Out: one row of 6 to 30 items. Because no item
follows from the one before, a model can only continue the second telling by looking
back at the first, which is what an induction head does.
"""

from collections.abc import Callable, Sequence
from random import Random

from core.training.story_cast import made_up_word, pick
from core.training.words import Lexicon

FEWEST_ITEMS = 6
MOST_ITEMS = 30
SEPARATORS = (", ", ", ", " ", " ", " ", "; ", " - ")
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

ItemMaker = Callable[[Random, Lexicon], str]


def echo_row(generator: Random, lexicon: Lexicon, *, speakable: bool) -> str:
    """Draw a row: all of one kind of item, or mixed, with one kind of separator."""
    makers = pick(generator, SPEAKABLE_ROWS if speakable else ALL_ROWS)
    n_items = FEWEST_ITEMS + int(generator.random() * (MOST_ITEMS - FEWEST_ITEMS + 1))
    items = [pick(generator, makers)(generator, lexicon) for _ in range(n_items)]
    separator = " " if makers is SCRAPS else pick(generator, SEPARATORS)
    return separator.join(items)


def _word(generator: Random, lexicon: Lexicon) -> str:
    return pick(generator, lexicon.everything)


def _made_up(generator: Random, lexicon: Lexicon) -> str:
    return made_up_word(generator, lexicon, 1 + int(generator.random() * 3))


def _number(generator: Random, lexicon: Lexicon) -> str:
    return str(int(generator.random() * 10 ** (1 + int(generator.random() * 3))))


def _code(generator: Random, lexicon: Lexicon) -> str:
    return pick(generator, LETTERS) + pick(generator, ("", "", "1", "2", "5", "7", "9"))


def _scrap(generator: Random, lexicon: Lexicon) -> str:
    """A piece torn out of one word or of two, so that any letters may follow any."""
    letters = _word(generator, lexicon) + _word(generator, lexicon)
    start = int(generator.random() * (len(letters) - 1))
    return letters[start : start + 1 + int(generator.random() * 6)]


def _name(generator: Random, lexicon: Lexicon) -> str:
    return pick(generator, lexicon.names["f"] + lexicon.names["m"])


WORDS: Sequence[ItemMaker] = (_word,)
SCRAPS: Sequence[ItemMaker] = (_scrap,)
SPEAKABLE_ROWS: tuple[Sequence[ItemMaker], ...] = (
    WORDS,
    WORDS,
    WORDS,
    (_made_up,),
    (_made_up,),
    (_number,),
    (_code,),
    (_name, _word),
    (_word, _made_up, _number, _code),
)
ALL_ROWS = (*SPEAKABLE_ROWS, SCRAPS, SCRAPS, SCRAPS, SCRAPS)
