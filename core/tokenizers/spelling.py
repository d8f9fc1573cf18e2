"""Names in tokenizer files and the bytes they stand for.

A byte-level file writes each byte as a visible letter ("Ġcat" is " cat"), SentencePiece
writes a space as "▁" and a single byte as "<0x0A>", WordPiece writes what it means and
marks what goes on inside a word with "##".
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.tokenizers.alphabet import all_from_letters, from_letters, to_letters
from core.tokenizers.decoding import text_bytes

Json = Mapping[str, Any]

SPACE_MARK = "▁"
BYTE_NAME = "<0x"
"""How the name of a single byte begins."""
_BYTE_NAME = re.compile(r"<0x([0-9A-Fa-f]{2})>")


@dataclass(frozen=True, slots=True)
class Spelling:
    """One way to write tokens in a file."""

    name: str
    to_bytes: Callable[[str], bytes]
    """What a name stands for."""
    to_name: Callable[[bytes], str]
    """How some bytes are written; nonsense, but no error, where they cannot be."""


def _letters_or_text(name: str) -> bytes:
    """A byte-level name; one that is none is the text of an added token."""
    try:
        return from_letters(name)
    except KeyError:
        return text_bytes(name)


def _marked_space(name: str) -> bytes:
    return text_bytes(name.replace(SPACE_MARK, " "))


def _with_marks(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape").replace(" ", SPACE_MARK)


BYTE_LEVEL = Spelling("byte-level", _letters_or_text, to_letters)
MARKED = Spelling("marked spaces", _marked_space, _with_marks)
PLAIN = Spelling("plain", text_bytes, lambda data: data.decode("utf-8", "replace"))


def byte_of(name: str) -> bytes | None:
    """The byte that a name such as "<0x0A>" stands for; None for other names."""
    match = _BYTE_NAME.fullmatch(name)
    return bytes.fromhex(match[1]) if match else None


def spelt(names: Sequence[str], spelling: Spelling, has_bytes: bool) -> list[bytes]:
    """What each of many names stands for; with `has_bytes` some are single bytes."""
    if has_bytes:
        singles = map(byte_of, names)
        pairs = zip(names, singles, strict=True)
        return [spelling.to_bytes(n) if byte is None else byte for n, byte in pairs]
    if spelling is BYTE_LEVEL:
        try:
            return all_from_letters(names)
        except KeyError:  # of a name that is none: each by itself
            pass
    return list(map(spelling.to_bytes, names))


def parts_of(node: Any) -> Iterator[Json]:
    """A part of a `tokenizer.json` and those it is a sequence of, in order."""
    if not node:
        return
    yield node
    for key in ("normalizers", "pretokenizers", "processors", "decoders"):
        for part in node.get(key) or ():
            yield from parts_of(part)


def spelling_of(content: Json) -> Spelling:
    """How the tokens of a `tokenizer.json` are written."""
    nodes = [
        part
        for key in ("normalizer", "pre_tokenizer", "decoder")
        for part in parts_of(content.get(key))
    ]
    types = {node.get("type") for node in nodes}
    if "ByteLevel" in types:
        return BYTE_LEVEL
    marks = (node for node in nodes if node.get("type") == "Replace")
    if "Metaspace" in types or any(
        SPACE_MARK in (node.get("content"), (node.get("pattern") or {}).get("String"))
        for node in marks
    ):
        return MARKED
    return PLAIN


def puts_a_space_in_front(content: Json) -> bool:
    """Whether the text is read as if a space stood before it."""
    normalisers = parts_of(content.get("normalizer"))
    splitters = list(parts_of(content.get("pre_tokenizer")))
    return (
        any(n.get("type") == "Prepend" for n in normalisers)
        or any(
            s.get("type") == "ByteLevel" and s.get("add_prefix_space", True)
            for s in splitters
        )
        or any(
            s.get("type") == "Metaspace"
            and s.get("prepend_scheme", "always") != "never"
            and s.get("add_prefix_space", True)
            for s in splitters
        )
    )
