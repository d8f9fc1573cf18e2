"""What a tokenizer does to a text besides cutting it, said in sentences.

In: a `tokenizer.json`. Out: a sentence for each part that changes the text or adds
tokens to it: lower-casing, accents, spaces in front, tokens around.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from core.tokenizers.spelling import SPACE_MARK, Json, parts_of, puts_a_space_in_front

SEVERAL_SPACES = " {2,}"
"""A pattern of many folders."""


def notes_of(content: Json, before: Iterable[str], after: Iterable[str]) -> list[str]:
    """What is done to a text, in order; `before` and `after` are put around it."""
    notes = [
        note
        for part in parts_of(content.get("normalizer"))
        for note in _NORMALISERS.get(part.get("type", ""), _nothing)(part)
    ]
    if puts_a_space_in_front(content):
        notes.append("Puts a space in front of the text.")
    around = [(list(before), "in front"), (list(after), "behind")]
    said = [f"{' '.join(names)} {place}" for names, place in around if names]
    if said:
        notes.append(f"Puts {' and '.join(said)}.")
    return notes


def _nothing(_part: Json) -> Iterator[str]:
    return iter(())


def _bert(part: Json) -> Iterator[str]:
    lowers = bool(part.get("lowercase"))
    strips = part.get("strip_accents")
    if lowers if strips is None else strips:
        yield "Lower-cases and strips accents." if lowers else "Strips accents."
    elif lowers:
        yield "Lower-cases."
    else:
        yield "Keeps upper case and accents."
    if part.get("handle_chinese_chars"):
        yield "Makes each Chinese character a word of its own."
    if part.get("clean_text"):
        yield "Leaves out control characters."


def _replace(part: Json) -> Iterator[str]:
    pattern: Mapping[str, Any] = part.get("pattern") or {}
    old = pattern.get("String", pattern.get("Regex", ""))
    new = part.get("content", "")
    if old == SEVERAL_SPACES:
        yield "Reads several spaces as one."
    elif SPACE_MARK not in (old, new):
        yield f"Reads “{old}” as “{new}”."


def _saying(sentence: str) -> Callable[[Json], Iterator[str]]:
    def say(_part: Json) -> Iterator[str]:
        yield sentence

    return say


_NORMALISERS: Mapping[str, Callable[[Json], Iterator[str]]] = {
    "BertNormalizer": _bert,
    "Lowercase": _saying("Lower-cases."),
    "StripAccents": _saying("Strips accents."),
    "NFC": _saying("Writes accents and letters as one character (NFC)."),
    "NFD": _saying("Takes accents and letters apart (NFD)."),
    "NFKC": _saying("Reads look-alike characters as one (NFKC)."),
    "NFKD": _saying("Reads look-alike characters as one, accents apart (NFKD)."),
    "Nmt": _saying("Leaves out control characters."),
    "Precompiled": _saying("Reads look-alike characters as one (SentencePiece)."),
    "Strip": _saying("Leaves out spaces at the ends."),
    "Replace": _replace,
}
"""What the parts of a normaliser do."""
