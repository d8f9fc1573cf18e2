"""The cast of one story: who plays which role, and what every slot is answered with.

In: the lexicon, the phrases and a random generator. Out: `Teller`, which tells
compiled forms (`story_grammar.py`). A role keeps its player for the whole story, and a
player keeps its attributes: that is what makes pronouns and descriptions refer.
"""

from collections.abc import Mapping, Sequence
from random import Random
from typing import TypeVar

from core.training.story_grammar import Beat, Choice, Slot, Text, parse_text
from core.training.words import (
    Entry,
    Lexicon,
    capitalised,
    plural,
    third_person,
)

T = TypeVar("T")

Player = dict[str, str | tuple[str, ...]]
"""One character or thing: attribute to text, or to several texts to choose from."""

PRONOUNS: Mapping[str, Mapping[str, str]] = {
    "f": {"he": "she", "him": "her", "his": "her", "himself": "herself"},
    "m": {"he": "he", "him": "him", "his": "his", "himself": "himself"},
    "n": {"he": "it", "him": "it", "his": "its", "himself": "itself"},
}

DEFAULT_KINDS: Mapping[str, str] = {
    "hero": "being",
    "friend": "being",
    "third": "being",
    "judge": "helper",
    "elder": "ruler",
    "beast": "big_beast",
    "person": "person",
    "child": "named_child",
    "hatchling": "hatchling",
}
"""Which kind of player a role asks for unless the form's cast says otherwise."""

ROYALS = ("king", "queen", "prince", "princess")
CHILDREN = ("girl", "boy")
WORKERS = (
    "baker",
    "farmer",
    "teacher",
    "doctor",
    "shepherd",
    "tailor",
    "miller",
    "smith",
    "gardener",
    "carpenter",
    "cook",
    "painter",
    "singer",
    "weaver",
    "potter",
    "librarian",
    "clockmaker",
    "beekeeper",
)
PERSON_GROUPS: Mapping[str, tuple[str, ...]] = {
    "named_child": CHILDREN,
    "young_person": ("girl", "boy", "shepherd", "tailor", "prince", "princess"),
    "named_worker": WORKERS,
    "ruler": ("king", "queen"),
    "named_knight": ("girl", "boy", "princess", "prince", "tailor", "shepherd"),
    "hen_keeper": ("girl", "boy", "farmer"),
}
DIGITS = "0123456789"
OPTIONAL_BEAT_SHARE = 0.5
FEWEST_NAME_LETTERS = 3
MADE_UP_SHARE = 0.44
"""Of the stories, how many use made-up first and family names if they name anybody."""
FULL_NAME_SHARES = (0.2, 0.55, 0.55, 0.9)
"""How often a story says "Mira Tolen" where "Mira" would do; each story keeps one."""


def pick(generator: Random, items: Sequence[T]) -> T:
    """Choose one; built on `random()` alone, which Python promises never to change."""
    return items[int(generator.random() * len(items))]


def made_up_word(generator: Random, lexicon: Lexicon, n_syllables: int) -> str:
    """A word that means nothing, such as "brel" or "tokra"."""
    parts = lexicon.syllables
    return "".join(
        pick(generator, parts["onset"])
        + pick(generator, parts["vowel"])
        + (pick(generator, parts["coda"]) if i == n_syllables - 1 else "")
        for i in range(n_syllables)
    )


class Teller:
    """Owns the players of one story and tells forms with them."""

    def __init__(
        self,
        generator: Random,
        lexicon: Lexicon,
        phrases: Mapping[str, Sequence[str]],
        cast: Mapping[str, str],
    ) -> None:
        self._generator = generator
        self._lexicon = lexicon
        self._phrases = phrases
        self._cast = cast
        self._players: dict[str, Player] = {}
        self._answers: dict[tuple[str, str], str] = {}
        self._taken: set[str] = set()
        self._made_up = generator.random() < MADE_UP_SHARE
        self._full_name_share = pick(generator, FULL_NAME_SHARES)
        self.named_made_up = False
        """Whether a made-up name has been given to anybody."""

    def tell(self, beats: Sequence[Beat]) -> str:
        """Tell a form: its beats joined by spaces, its paragraphs by line breaks."""
        told = [
            self.say(beat.text)
            for beat in beats
            if not beat.optional or self._generator.random() < OPTIONAL_BEAT_SHARE
        ]
        return " ".join(told).replace(" \n ", "\n")

    def say(self, text: Text) -> str:
        """Fill one compiled text."""
        parts: list[str] = []
        for part in text:
            if isinstance(part, str):
                parts.append(part)
            elif isinstance(part, Slot):
                answer = self._answer(part.role, part.attribute)
                parts.append(capitalised(answer) if part.capital else answer)
            else:
                parts.append(self._chosen(part))
        return "".join(parts)

    def _chosen(self, choice: Choice) -> str:
        return self.say(pick(self._generator, choice.options))

    def _answer(self, role: str, attribute: str) -> str:
        if attribute == "upper":
            return self._answer(role, "").upper()
        kind = role.rstrip(DIGITS)
        if kind in self._phrases:
            return self._phrase(kind, role)
        player = self._player(role)
        if attribute == "" and "first" in player:
            return self._reference(player)
        if attribute == "intro":
            return self._introduction(player)
        key = (role, attribute)
        if key not in self._answers:
            self._answers[key] = self._attribute(role, attribute)
        return self._answers[key]

    def _phrase(self, kind: str, role: str) -> str:
        if kind == role:
            return self.say(parse_text(pick(self._generator, self._phrases[kind])))
        key = (role, "")
        if key not in self._answers:
            self._answers[key] = self._fresh(kind, self._phrases[kind])
        return self._answers[key]

    def _attribute(self, role: str, attribute: str) -> str:
        kind = attribute.rstrip(DIGITS)
        if kind == "does" and "do" in self._player(role):
            return third_person(self._answer(role, "do" + attribute[len(kind) :]))
        value = self._player(role)[kind]
        if isinstance(value, str):
            return value
        return self._fresh(f"{role}.{kind}", value)

    def _fresh(self, purpose: str, values: Sequence[str]) -> str:
        """Choose one that this story has not yet used for the same purpose."""
        taken = {v for v in values if f"{purpose}={v}" in self._taken}
        chosen = pick(self._generator, [v for v in values if v not in taken] or values)
        self._taken.add(f"{purpose}={chosen}")
        return self.say(parse_text(chosen)) if "{" in chosen else chosen

    def _reference(self, player: Player) -> str:
        if self._generator.random() < self._full_name_share:
            return str(player["full"])
        return str(player["first"])

    def _introduction(self, player: Player) -> str:
        intro = player["intro"]
        return intro if isinstance(intro, str) else pick(self._generator, intro)

    def _player(self, role: str) -> Player:
        if role not in self._players:
            self._players[role] = self._drawn(role)
        return self._players[role]

    def _drawn(self, role: str) -> Player:
        base = role.rstrip(DIGITS)
        kind = self._cast.get(role) or DEFAULT_KINDS.get(base, base)
        if kind == "being":
            kind = "person" if self._generator.random() < 0.55 else "hero_animal"
        if kind in self._lexicon.groups:
            return self._animal(role, self._lexicon.groups[kind])
        if kind in PERSON_GROUPS or kind in ("person", "named"):
            return self._person(role, kind)
        return self._thing(kind)

    def _unused(self, kind: str, words: Sequence[str]) -> str:
        free = [word for word in words if f"{kind}={word}" not in self._taken] or words
        word = pick(self._generator, free)
        self._taken.add(f"{kind}={word}")
        return word

    def _thing(self, kind: str) -> Player:
        if kind == "animal":
            return self._animal(kind, tuple(self._lexicon.kinds["animal"]))
        if kind == "action":
            actions = {action[0]: action for action in self._lexicon.actions}
            base, past, ing = actions[self._unused("action", tuple(actions))]
            return {"": base, "past": past, "ing": ing, "does": third_person(base)}
        if kind in self._lexicon.kinds:
            noun = self._unused("noun", tuple(self._lexicon.kinds[kind]))
            return _noun_player(noun, self._lexicon.kinds[kind][noun])
        noun = self._unused("noun", self._lexicon.lists[kind])
        return {"": noun, "s": plural(noun), "it": "it"}

    def _animal(self, role: str, names: Sequence[str]) -> Player:
        noun = self._unused("animal", names)
        entry = self._lexicon.kinds["animal"][noun]
        player = _noun_player(noun, entry)
        adjective = pick(self._generator, entry["adj"])
        player |= {"kind": noun, "a_kind": f"a {noun}"}
        self._describe(role, adjective)
        player["full"] = player["first"] = player["name"] = f"the {noun}"
        named = role.startswith(("hero", "friend", "third")) and self._chance(0.4)
        gender = str(
            entry.get("gender") or self._gender(role, "fm" if named else "nnfm")
        )
        player |= PRONOUNS[gender]
        player["intro"] = f"a {adjective} {noun}"
        if named:
            first, full = self._name(gender, pet=True)
            player |= {"first": first, "name": first, "full": full}
            player["intro"] = (
                f"a {adjective} {noun} named {full}",
                f"a {noun} called {full}",
                f"a {adjective} {noun} whose name was {full}",
            )
        return player

    def _person(self, role: str, group: str) -> Player:
        people = self._lexicon.kinds["person"]
        choices = PERSON_GROUPS.get(group) or (*people, *CHILDREN * 8)
        noun = self._unused("person", choices)
        entry = people[noun]
        gender = str(entry.get("gender") or self._gender(role, "fm"))
        child = noun in CHILDREN
        adjectives = self._lexicon.lists["child_adj"] if child else entry["adj"]
        adjective = pick(self._generator, adjectives)
        player = _noun_player(noun, entry)
        player |= PRONOUNS[gender]
        player |= {"kind": noun, "a_kind": f"a {noun}"}
        self._describe(role, adjective)
        player["adj"] = adjectives
        royal = noun in ROYALS
        lists = self._lexicon.lists
        player["home"] = lists["royal_homes" if royal else "homes"]
        player["at"] = lists["royal_homes" if royal else "person_at"]
        player["food"] = ("bread", "cheese", "apples", "soup")
        player["gender"] = gender
        if child or group.startswith("named") or self._chance(0.7):
            first, full = self._name(gender, pet=False)
            player |= {"first": first, "name": first, "full": full}
            player["intro"] = (
                f"a {noun} named {full}",
                f"a {adjective} {noun} named {full}",
                f"a {adjective} {noun} called {full}",
                f"a {noun} whose name was {full}",
            )
        else:
            player["full"] = player["first"] = player["name"] = f"the {noun}"
            player["intro"] = f"a {adjective} {noun}"
        return player

    def _describe(self, role: str, adjective: str) -> None:
        """Keep the adjective of an introduction for the rest of the story."""
        self._answers[role, "adj"] = adjective
        self._taken.add(f"{role}.adj={adjective}")

    def _gender(self, role: str, genders: str) -> str:
        """Another gender than the hero's where there is one, so that "she" is clear."""
        hero = self._players.get("hero") if role != "hero" else None
        taken = "" if hero is None else str(hero["he"])
        free = [g for g in genders if PRONOUNS[g]["he"] != taken]
        return pick(self._generator, free or genders)

    def _name(self, gender: str, *, pet: bool) -> tuple[str, str]:
        """A first name and the full name; both are the same unless they are made up."""
        if not self._made_up:
            names = self._lexicon.names[f"pet_{gender}" if pet else gender]
            name = self._unused("name", names)
            return name, name
        self.named_made_up = True
        first = self._made_up_first(gender)
        while len(first) < FEWEST_NAME_LETTERS or first.lower() in self._lexicon.words:
            first = self._made_up_first(gender)
        family = made_up_word(self._generator, self._lexicon, 1 + self._chance(0.6))
        return first, f"{first} {capitalised(family)}"

    def _made_up_first(self, gender: str) -> str:
        parts = self._lexicon.syllables
        stem = pick(self._generator, parts["onset"]) + pick(
            self._generator, parts["vowel"]
        )
        if self._chance(0.25):
            stem += pick(self._generator, parts["coda"])
            return capitalised(stem)
        ending = pick(self._generator, parts["end_f" if gender == "f" else "end_m"])
        return capitalised(stem + pick(self._generator, "lmnrstvdk") + ending)

    def _chance(self, share: float) -> bool:
        return self._generator.random() < share


def _noun_player(noun: str, entry: Entry) -> Player:
    """The attributes any noun has: itself, its plural and what the lexicon says."""
    player: Player = {"": noun, "s": plural(noun, entry), "it": "it"}
    for name, value in entry.items():
        if isinstance(value, str):
            player[name] = value
        elif isinstance(value, list):
            player[name] = tuple(value)
    if "does" in player:
        player["do"] = player.pop("does")
    return player
