r"""An equation in the lines of a narrow column.

In: the LaTeX of `core.trace.equations`. Out: the same, a long sum broken before its
plus signs into the rows of an array. Nothing is left out.
"""

import re
from itertools import pairwise

LINE_LENGTH = 26
"""Visible characters of one line, about."""
COMMAND = re.compile(r"\\[a-zA-Z]+|[{}_^\\ ]")
NEGATIVE = re.compile(r"(^|[({=]\s*)-")
"""A minus that takes nothing away from anything: nothing stands before it."""


def in_lines(latex: str, length: int = LINE_LENGTH) -> str:
    """A sum that is longer than a line as an array of lines; all else unchanged."""
    terms = terms_of(latex)
    if r"\frac" in latex:
        length *= 2  # half of it stands above the other half
    if visible_length(latex) <= length or len(terms) == 1:
        return signed(latex)
    lines = [terms[0]]
    for term in terms[1:]:
        if visible_length(lines[-1]) + visible_length(term) + 1 <= length:
            lines[-1] += f" + {term}"
        else:
            lines.append(rf"{{}} + {term}")
    rows = r" \\ ".join(map(signed, lines))
    return rf"\begin{{array}}{{l}} {rows} \end{{array}}"


def terms_of(latex: str) -> list[str]:
    """The terms of a sum: cut at plus signs outside all brackets and braces."""
    depth, cuts = 0, [-3]
    for place, sign in enumerate(latex):
        depth += (sign in "{(") - (sign in "})")
        if not depth and latex[place : place + 3] == " + ":
            cuts.append(place)
    return [latex[a + 3 : b] for a, b in pairwise((*cuts, len(latex)))]


def visible_length(latex: str) -> int:
    """How many characters are seen, about: no commands, no braces."""
    return len(COMMAND.sub("", latex))


def signed(latex: str) -> str:
    """Minus signs with nothing before them as signs, not as differences."""
    return NEGATIVE.sub(r"\1{-}", latex)
