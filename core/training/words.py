"""The words of the stories: who there is, what they do, how words change their form.

In: `resources/texts/en/words.toml`. Out: one frozen `Lexicon` and the few rules of
English spelling the stories need. The cast (`story_cast.py`) draws from it.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

Entry = Mapping[str, Any]
"""What the lexicon knows of one word: adjectives, home, food, size and so on."""

_BEFORE_VOWEL = re.compile(
    r"\b([Aa]) (?=[aeioAEIO]|hon(?:est|our)|hour|u(?!n?i[cfntvqo])(?!s[eu]))"
)
"""An "a" that must be "an"; "a uniform", "a useful", "a unicorn" stay as they are."""

_SAYS_W = re.compile(r"\b([Aa])n (?=on(?:e|ce)\b)")
"""An "an" that stands before a w sound ("a one") and must be "a" again."""

_SIBILANTS = ("s", "x", "z", "ch", "sh")

_IRREGULAR_VERBS = {"have": "has", "do": "does", "go": "goes", "be": "is"}


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """Everything `words.toml` says, by kind of word."""

    kinds: Mapping[str, Mapping[str, Entry]]
    """Words with attributes: animal, person, thing, food, place, weather, feeling."""
    groups: Mapping[str, tuple[str, ...]]
    """Named choices among the animals, such as "sitter" or "pet"."""
    lists: Mapping[str, tuple[str, ...]]
    """Plain lists of words: surface, mass, relative, room, number and so on."""
    names: Mapping[str, tuple[str, ...]]
    """Given names: f and m, and pet_f and pet_m."""
    syllables: Mapping[str, tuple[str, ...]]
    """The parts made-up names and words are built from."""
    actions: tuple[tuple[str, str, str], ...]
    """Verb phrases: base form, past, -ing form."""
    everything: tuple[str, ...]
    """Every single word a list or a game may draw, sorted, each once."""
    words: frozenset[str]
    """The same words, to ask whether something is one."""


def read_toml(name: str) -> dict[str, Any]:
    """Read one data file of `resources/texts/en`."""
    folder = resources.files("resources") / "texts" / "en"
    return tomllib.loads((folder / name).read_text(encoding="utf-8"))


@cache
def lexicon() -> Lexicon:
    """Load the lexicon once."""
    data = read_toml("words.toml")
    kinds = {
        kind: data[kind]
        for kind in ("animal", "person", "thing", "food", "place", "weather", "feeling")
    }
    kinds["public_place"] = {
        name: data["place"][name] for name in data["place_group"]["public"]
    }
    lists = {name: tuple(words) for name, words in data["plain"].items()}
    lists |= {
        name: tuple(data[name]["all"])
        for name in ("surface", "mass", "homes", "royal_homes", "person_at")
    }
    lists["child_adj"] = tuple(data["child"]["adj"])
    everything = _single_words(data["loose"]["all"].split(), kinds, lists)
    return Lexicon(
        kinds=kinds,
        groups=_frozen(data["group"]),
        lists=lists,
        names=_frozen(data["names"]),
        syllables=_frozen(data["syllables"]),
        actions=tuple((base, past, ing) for base, past, ing in data["action"]["all"]),
        everything=everything,
        words=frozenset(everything),
    )


def plural(noun: str, entry: Entry | None = None) -> str:
    """More than one: fox, foxes; berry, berries; what the entry says goes first."""
    if entry is not None and "plural" in entry:
        return str(entry["plural"])
    return _with_s(noun)


def third_person(phrase: str) -> str:
    """A base verb phrase as one who does it: "run away" becomes "runs away"."""
    verb, space, rest = phrase.partition(" ")
    return _IRREGULAR_VERBS.get(verb, _with_s(verb)) + space + rest


def with_articles(text: str) -> str:
    """Turn every "a" before a vowel sound into "an"."""
    return _SAYS_W.sub(r"\1 ", _BEFORE_VOWEL.sub(r"\1n ", text))


def capitalised(text: str) -> str:
    """The text with its first letter in upper case and nothing else changed."""
    return text[:1].upper() + text[1:]


def _with_s(word: str) -> str:
    if word.endswith(_SIBILANTS):
        return word + "es"
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    return word + "s"


def _frozen(table: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(words) for name, words in table.items()}


def _single_words(
    loose: Sequence[str],
    kinds: Mapping[str, Mapping[str, Entry]],
    lists: Mapping[str, tuple[str, ...]],
) -> tuple[str, ...]:
    words = set(loose)
    for entries in kinds.values():
        words |= set(entries)
        for entry in entries.values():
            adjectives = entry.get("adj", ())
            words |= {adjectives} if isinstance(adjectives, str) else set(adjectives)
    for name in ("surface", "mass", "relative", "colour", "number", "flower"):
        words |= set(lists[name])
    return tuple(sorted(word for word in words if word.isalpha()))
