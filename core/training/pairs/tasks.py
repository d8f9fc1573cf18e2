"""Built-in pairs: small tasks of which every answer can be checked by eye.

In: a task and a seed. Out: pairs, as many as one likes; the same seed gives the same
ones on every machine. Each is a function in the mathematical sense: a source has one
right target, so the share of right answers can reach all.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from core.errors import TrainingError
from core.training.pairs.lines import Pair

LETTERS = "abcdefghijklmnopqrstuvwxyz"
SHORTEST_WORD, LONGEST_WORD = 3, 8
MOST_DIGITS = 4
BLOCK_PAIRS = 1000
"""Pairs that are told at a time."""

ONES = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"),
    *("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen"),
    *("seventeen", "eighteen", "nineteen"),
)
TENS = (
    *("", "", "twenty", "thirty", "forty", "fifty"),
    *("sixty", "seventy", "eighty", "ninety"),
)
HUNDRED, THOUSAND = 100, 1000

WHO = (
    *("the cat", "the dog", "a child", "the farmer", "an old man", "a small bird"),
    *("the teacher", "my sister", "the king", "a stranger", "the baker", "her friend"),
)
DOES = (
    *("sees", "follows", "likes", "hears", "finds", "calls", "helps", "knows"),
    *("meets", "paints"),
)
WHERE = (
    *("", "in the garden", "by the river", "at night", "every morning"),
    *("on the hill", "near the old house", "after the rain"),
)


def drawn(items: Sequence[str], generator: Random) -> str:
    """One of some, by `random()` alone, which Python promises never to change."""
    return items[int(generator.random() * len(items))]


def reversed_word(generator: Random) -> Pair:
    """A word of random letters, and the same from behind."""
    lengths = LONGEST_WORD - SHORTEST_WORD + 1
    n = SHORTEST_WORD + int(generator.random() * lengths)
    word = "".join(drawn(LETTERS, generator) for _ in range(n))
    return Pair(word, word[::-1])


def number_words(number: int) -> str:
    """A number below a million in English: "three hundred and four"."""
    thousands, rest = divmod(number, THOUSAND)
    words = [f"{number_words(thousands)} thousand"] if thousands else []
    hundreds, rest = divmod(rest, HUNDRED)
    if hundreds:
        words.append(f"{ONES[hundreds]} hundred")
    if rest or not words:
        words += ["and"] * bool(words)
        tens, ones = divmod(rest, 10)
        ending = f"-{ONES[ones]}" if ones else ""
        words.append(ONES[rest] if rest < len(ONES) else TENS[tens] + ending)
    return " ".join(words)


def drawn_number(generator: Random) -> int:
    """A number of one to `MOST_DIGITS` digits; long ones come more often."""
    n_digits = 1 + int(generator.random() ** 0.5 * MOST_DIGITS)
    return int(generator.random() * 10**n_digits)


def words_to_digits(generator: Random) -> Pair:
    """A number in words, and in digits."""
    number = drawn_number(generator)
    return Pair(number_words(number), str(number))


def digits_to_words(generator: Random) -> Pair:
    """A number in digits, and in words."""
    return Pair(*words_to_digits(generator)[::-1])


def verb_last(generator: Random) -> Pair:
    """A sentence, and the same with its verb at the end."""
    who, does, whom = (drawn(part, generator) for part in (WHO, DOES, WHO))
    rest = " ".join(filter(None, (whom, drawn(WHERE, generator))))
    return Pair(f"{who} {does} {rest}", f"{who} {rest} {does}")


@dataclass(frozen=True, slots=True)
class Task:
    """A kind of pairs."""

    name: str
    title: str
    text: str
    """What is to be learned, with an example."""
    make: Callable[[Random], Pair]


TASKS = (
    Task(
        "reverse",
        "Reverse the letters",
        "Random words of three to eight letters from behind: abcd → dcba. Cross "
        "attention becomes a line that falls the other way.",
        reversed_word,
    ),
    Task(
        "numbers",
        "Number words to digits",
        "Numbers up to 9,999: three hundred and four → 304.",
        words_to_digits,
    ),
    Task(
        "spelled",
        "Digits to number words",
        "The other way: 304 → three hundred and four.",
        digits_to_words,
    ),
    Task(
        "verb_last",
        "The verb to the end",
        "Sentences in another order of words: the cat sees a child → the cat a child "
        "sees.",
        verb_last,
    ),
)
TASK_BY_NAME = {task.name: task for task in TASKS}


def task_named(name: str) -> Task:
    """Find a task.

    Raises:
        TrainingError: None has the name.
    """
    if name not in TASK_BY_NAME:
        listed = ", ".join(TASK_BY_NAME)
        raise TrainingError(f"{name!r} is no built-in task; choose one of {listed}.")
    return TASK_BY_NAME[name]


def task_blocks(name: str, seed: int, n_pairs: int) -> Iterator[str]:
    """So many pairs of a task, as the blocks of a text; some may come again."""
    make, generator = task_named(name).make, Random(seed)
    for first in range(0, n_pairs, BLOCK_PAIRS):
        n = min(BLOCK_PAIRS, n_pairs - first)
        yield "".join(make(generator).line for _ in range(n))
