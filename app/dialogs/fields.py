"""The fields of a configuration as a form shows them: one row each, read off its class.

Place: below the forms of the dialogs. In: a frozen dataclass of `core` in which every
field is followed by its sentence. Out: rows, the value of a typed text, and what the
class itself says against it. What a field may be is written there alone: it is asked.
"""

import ast
import inspect
import math
import re
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cache
from itertools import pairwise
from typing import Any, Literal, get_args

from core.errors import ConfigError
from core.model.device import DEVICE_NAMES
from core.training.config import SCHEDULES

Kind = Literal["whole", "number", "switch", "choice", "text", "list"]

KINDS: dict[Any, Kind] = {
    int: "whole",
    float: "number",
    bool: "switch",
    str: "text",
    tuple[str, ...]: "list",
}
LISTED: dict[str, tuple[str, ...]] = {
    "device": DEVICE_NAMES,
    "schedule": SCHEDULES,
}
"""Texts of which the class takes only some."""

REFUSED: dict[Kind, Any] = {"whole": -1, "number": -1.0}
"""What no number of a configuration may be; the refusal tells what it may be."""
STAND_IN = ("text",)
"""For a list of files that is chosen elsewhere."""
RULE = re.compile(r" must be (.+)\.$")
WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
NUMBER = re.compile(r"[+-]?([0-9]+[.,]?[0-9]*|[.,][0-9]+)([eE][+-]?[0-9]+)?")


@dataclass(frozen=True, slots=True)
class FieldRow:
    """One field of a configuration."""

    name: str
    kind: Kind
    default: Any
    """Its value where nobody chose one; None where one must be given."""
    sentence: str
    """What it is, in the words of the class."""
    choices: tuple[str, ...] = ()
    """What a "choice" may be."""
    range: str = ""
    """What a number may be: "at least 1"."""


@cache
def field_rows(owner: type) -> tuple[FieldRow, ...]:
    """Every field of a configuration class, in its order."""
    told = sentences_of(owner)
    rows = []
    for field in fields(owner):
        choices = LISTED.get(field.name) or get_args(field.type)
        kind = KINDS.get(field.type, "choice")
        if kind == "text" and choices:
            kind = "choice"
        rows.append(
            FieldRow(
                name=field.name,
                kind=kind,
                default=field.default if field.default is not MISSING else None,
                sentence=told.get(field.name, ""),
                choices=choices if kind == "choice" else (),
                range=range_of(owner, field.name, kind),
            )
        )
    return tuple(rows)


def sentences_of(owner: type) -> dict[str, str]:
    """The text that follows each field in the source of a class, on one line."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(owner))).body[0]
    assert isinstance(tree, ast.ClassDef)
    told = {}
    for field, text in pairwise(tree.body):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(text, ast.Expr)
            and isinstance(text.value, ast.Constant)
        ):
            told[field.target.id] = " ".join(str(text.value.value).split())
    return told


def range_of(owner: type, name: str, kind: Kind) -> str:
    """What a number may be, from what the class says against one that it refuses."""
    if kind not in REFUSED:
        return ""
    found = RULE.search(refusal(owner, {name: REFUSED[kind]}))
    return found.group(1) if found else ""


def made(owner: type, values: Mapping[str, Any]) -> Any:
    """The configuration of these values; a list that must be given has a stand-in.

    Raises:
        ConfigError: The class does not take them.
    """
    needed = {
        field.name: STAND_IN
        for field in fields(owner)
        if field.default is MISSING and field.type == tuple[str, ...]
    }
    return owner(**{**needed, **values})


def refusal(owner: type, values: Mapping[str, Any]) -> str:
    """What the class says against these values; "" if it takes them."""
    try:
        made(owner, values)
    except ConfigError as error:
        return str(error)
    return ""


def value_of(row: FieldRow, text: str) -> Any:
    """Read what was typed into a field, the same in every locale.

    A comma stands for a decimal point, so a German "0,7" is 0.7; never for thousands.

    Raises:
        ConfigError: It is no number, or not a whole one where that is asked.
    """
    typed = text.strip()
    if row.kind == "whole":
        if not WHOLE.fullmatch(typed):
            raise ConfigError(f"{row.name} = {typed!r} must be a whole number.")
        return int(typed)
    if row.kind == "number":
        if not NUMBER.fullmatch(typed):
            raise ConfigError(f"{row.name} = {typed!r} must be a number.")
        number = float(typed.replace(",", "."))
        if math.isinf(number):
            raise ConfigError(f"{row.name} = {typed} must be finite.")
        return number
    return text


def text_of(value: Any) -> str:
    """Write a value so that `value_of` reads the same: "0.0003", "1e-05", "10000"."""
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    return str(value)


def named_in(message: str, names: Iterable[str], edited: str = "") -> str:
    """The field that a refusal should stand beside; "" if it names none.

    The one that was just edited, if the message speaks of it; else the first it names.
    """
    places = {
        name: found.start()
        for name in names
        if (found := re.search(rf"\b{re.escape(name)}\b", message))
    }
    if edited in places:
        return edited
    return min(places, key=places.__getitem__, default="")
