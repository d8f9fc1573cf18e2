"""Arbitrary rows for the echo stories: what is repeated must not be guessable.

In: the lexicon and a random generator. Out: one row of a few items, or of many. Because
no item follows from the one before, a model can only continue the second telling by
looking back at the first, which is what an induction head does. Short rows told often
(chants) come before long ones in a model's eyes: where a row is all there is to look
at, looking anywhere helps, and only then does it pay to look at the right place.
"""

from collections.abc import Callable, Mapping, Sequence
from random import Random

from core.training.story_cast import made_up_word, pick
from core.training.words import Lexicon

SEPARATORS = (", ", ", ", " ", " ", " ", "; ", " - ")
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

ItemMaker = Callable[[Random, Lexicon], str]


def echo_row(generator: Random, lexicon: Lexicon, kind: str) -> str:
    """Draw a row: all of one kind of item, or mixed, with one kind of separator."""
    choices, fewest, most = ROWS[kind]
    makers = pick(generator, choices)
    n_items = fewest + int(generator.random() * (most - fewest + 1))
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

ROWS: Mapping[str, tuple[Sequence[Sequence[ItemMaker]], int, int]] = {
    "speakable": (SPEAKABLE_ROWS, 6, 30),
    "any": (ALL_ROWS, 6, 30),
    "chant": (ALL_ROWS, 3, 8),
}
"""By the name that a form asks for: kinds of items, the fewest and the most of them."""
