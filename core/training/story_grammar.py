"""The small language the story forms are written in.

In: text such as "[One day|Once] {hero} saw a {thing}." Out: a compiled form that
`Teller.tell` (`story_cast.py`) turns into sentences. The rules:

- `[a|b]` chooses one; the parts may be empty, and may hold further choices and slots;
- `{role}` and `{role.attribute}` ask the cast; a capital first letter asks for one;
- at the start of a line "? " marks a beat that may be left out, "/" a new paragraph;
- a line break inside a choice is a space.
"""

from dataclasses import dataclass
from functools import cache

PARAGRAPH = "\n"


@dataclass(frozen=True, slots=True)
class Slot:
    """One question to the cast: `{Hero.his}` is (hero, his, capital)."""

    role: str
    attribute: str
    capital: bool


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several texts, all equally likely."""

    options: "tuple[Text, ...]"


Text = tuple[str | Slot | Choice, ...]


@dataclass(frozen=True, slots=True)
class Beat:
    """One line of a form: text that is always told, or only sometimes."""

    text: Text
    optional: bool


@cache
def parse_text(source: str) -> Text:
    """Compile one line."""
    text, end = _parse(source, 0)
    if end != len(source):
        raise ValueError(f"story text has a stray {source[end]!r}: {source!r}")
    return text


@cache
def parse_form(source: str) -> tuple[Beat, ...]:
    """Compile a whole form, line by line; a choice may run over several lines."""
    return tuple(_beat(line) for line in _logical_lines(source))


def _beat(line: str) -> Beat:
    if line == "/":
        return Beat((PARAGRAPH,), optional=False)
    optional = line.startswith("? ")
    return Beat(parse_text(line.removeprefix("? ")), optional)


def _logical_lines(source: str) -> list[str]:
    lines: list[str] = []
    depth = 0
    for line in source.strip().splitlines():
        if depth:
            lines[-1] = f"{lines[-1].rstrip()} {line.strip()}"
        else:
            lines.append(line.strip())
        depth += line.count("[") - line.count("]")
    return lines


def _parse(source: str, start: int) -> tuple[Text, int]:
    parts: list[str | Slot | Choice] = []
    position = start
    while position < len(source) and source[position] not in "|]":
        mark = source[position]
        if mark == "{":
            end = source.index("}", position)
            parts.append(_slot(source[position + 1 : end]))
            position = end + 1
        elif mark == "[":
            choice, position = _parse_choice(source, position + 1)
            parts.append(choice)
        else:
            end = _next_mark(source, position)
            parts.append(source[position:end])
            position = end
    return tuple(parts), position


def _parse_choice(source: str, start: int) -> tuple[Choice, int]:
    options: list[Text] = []
    position = start
    while True:
        option, position = _parse(source, position)
        options.append(option)
        if position >= len(source):
            raise ValueError(f"a choice is never closed: {source!r}")
        position += 1
        if source[position - 1] == "]":
            return Choice(tuple(options)), position


def _next_mark(source: str, start: int) -> int:
    position = start
    while position < len(source) and source[position] not in "[]{|":
        position += 1
    return position


def _slot(name: str) -> Slot:
    role, _, attribute = name.partition(".")
    return Slot(role[:1].lower() + role[1:], attribute, role[:1].isupper())
