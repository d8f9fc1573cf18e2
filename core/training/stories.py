"""The story generator: endless simple English for the default model and its tests.

In: a seed. Out: one story after another, the same on every machine. Three files hold
the forms: `tales.toml` (whole stories), `scenes.toml` (short and shouted forms) and
`echoes.toml` (arbitrary rows repeated exactly). `story_grammar.py` compiles them,
`story_cast.py` fills them; here the mixture is decided.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from core.training.story_cast import Teller, pick
from core.training.story_echoes import echo_row
from core.training.story_grammar import Beat, parse_form
from core.training.words import capitalised, lexicon, read_toml, with_articles

SHARES: Mapping[str, float] = {"tale": 0.33, "scene": 0.32, "echo": 0.32}
"""How often each kind is told; the rest is shouted, in upper case."""

CHANTED = 5
"""Times that a chant says its row, at least."""

SEPARATOR = "\n\n"
"""What stands between two documents of a corpus."""

BLOCK_CHARACTERS = 1 << 16
"""Told within a few hundredths of a second."""

_ROW = "\x00"
"""Stands for an echo's row until the articles are right, so the row stays untouched."""


@dataclass(frozen=True, slots=True)
class Story:
    """One document, and what a test or a reader may want to know of it."""

    kind: str
    """tale, scene, echo or shout."""
    text: str
    made_up_names: bool
    """Whether somebody in it has a made-up first and family name."""
    row: str = ""
    """What an echo repeats; empty for the other kinds."""

    @property
    def is_chant(self) -> bool:
        """Whether it is an echo that says a short row again and again."""
        return bool(self.row) and self.text.count(self.row) >= CHANTED


@dataclass(frozen=True, slots=True)
class Form:
    """One compiled form and the players it asks for."""

    beats: tuple[Beat, ...]
    cast: Mapping[str, str]


def stories(seed: int, *, chants: bool = False) -> Iterator[str]:
    """Tell stories without end, or chants; the same seed tells the same everywhere."""
    for story in told_chants(seed) if chants else told_stories(seed):
        yield story.text


def story_text(seed: int, n_characters: int, *, chants: bool = False) -> str:
    """Stories separated by empty lines, as many as make at least so many characters."""
    return "".join(story_blocks(seed, n_characters, chants=chants))


def story_blocks(
    seed: int, n_characters: int, *, chants: bool = False
) -> Iterator[str]:
    """The same text in blocks of about `BLOCK_CHARACTERS`, as they are told."""
    block, n_block, n_before = [""], 0, 0
    for story in stories(seed, chants=chants):
        block.append(story)
        n_block += len(story) + len(SEPARATOR)
        is_last = n_before + n_block - len(SEPARATOR) >= n_characters
        if is_last or n_block >= BLOCK_CHARACTERS:
            text = SEPARATOR.join(block)
            yield text if n_before else text.removeprefix(SEPARATOR)
            block, n_before, n_block = [""], n_before + n_block, 0
        if is_last:
            return


def told_stories(seed: int) -> Iterator[Story]:
    """The same stories with their kinds."""
    generator = Random(seed)
    while True:
        yield _story(generator, _kind(generator.random()))


def told_chants(seed: int) -> Iterator[Story]:
    """Chants and nothing else: a text on which a head learns to copy within minutes."""
    generator = Random(seed)
    while True:
        story = _story(generator, "echo")
        if story.is_chant:
            yield story


def _kind(draw: float) -> str:
    for kind, share in SHARES.items():
        if draw < share:
            return kind
        draw -= share
    return "shout"


def _story(generator: Random, kind: str) -> Story:
    form = pick(generator, _forms()[kind])
    teller = Teller(generator, lexicon(), _phrases(), form.cast)
    text = with_articles(teller.tell(form.beats))
    row = ""
    if kind == "echo":
        row = echo_row(generator, lexicon(), form.cast.get("row", "speakable"))
    return Story(
        kind=kind,
        text=_FINISH.get(kind, str)(text).replace(_ROW, row),
        made_up_names=teller.named_made_up,
        row=row,
    )


def _shouted(text: str) -> str:
    return " ".join(text.split()).upper()


_FINISH = {"shout": _shouted, "echo": capitalised}


@cache
def _forms() -> Mapping[str, Sequence[Form]]:
    """Every form by kind, each as often as its weight says."""
    tables = [read_toml(f"{name}.toml") for name in ("tales", "scenes", "echoes")]
    return {
        kind: [form for table in tables for form in _weighted(table.get(kind, []))]
        for kind in (*SHARES, "shout")
    }


def _weighted(rows: Sequence[Mapping[str, Any]]) -> list[Form]:
    return [
        form
        for row in rows
        for form in [Form(parse_form(row["text"]), row.get("cast", {}))]
        * row.get("weight", 1)
    ]


@cache
def _phrases() -> Mapping[str, Sequence[str]]:
    phrases: dict[str, Sequence[str]] = {"row": (_ROW,)}
    for name in ("tales", "scenes", "echoes"):
        phrases |= read_toml(f"{name}.toml")["phrases"]
    return phrases
