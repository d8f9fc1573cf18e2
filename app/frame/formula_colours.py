"""The letters of a formula in the colours of what they stand for.

In: a step's LaTeX. Out: the same with marks such as `{query:Q}` that `FormulaView`
turns into colour. One table; letters that are in no row stay in the text colour.
"""

import re

SYMBOLS = (
    ("query", ("Q", "W_Q", "b_Q")),
    ("key", ("K", "W_K", "b_K")),
    ("value", ("V", "H", "H_1", "H_h", "O", "W_V", "b_V", "W_O", "b_O")),
    ("value", (r"\text{Cross attention}",)),
    ("pattern", ("A", "S", "B", "W_B", r"\text{Attention}")),
    ("feed_forward", ("Z", "F", "G", "W_G", "b_G", "W_1", "b_1", "W_2", "b_2")),
    ("feed_forward", (r"\text{FFN}",)),
    ("residual", ("X", "X_{enc}")),
)
"""Theme colour, and the symbols that wear it."""

ROLE_OF = {symbol: role for role, symbols in SYMBOLS for symbol in symbols}
ACCENTED = re.compile(r"\\(?:hat|tilde) ([A-Z])")
PIECE = re.compile(
    r"\\(?:hat|tilde) [A-Z]"  # a letter with its hat
    r"|\\text\{[^}]*\}"
    r"|\\[a-zA-Z]+"  # any other command
    r"|[A-Za-z]_(?:\{[^}]*\}|\w)"  # a letter with its index
    r"|[A-Z]"
)


def coloured(latex: str) -> str:
    r"""The formula with its symbols marked: "S = Q K^T" -> "S = {query:Q} ..."."""
    return PIECE.sub(_mark, latex)


def _mark(match: re.Match[str]) -> str:
    piece = match.group()
    accented = ACCENTED.fullmatch(piece)
    role = ROLE_OF.get(accented[1] if accented else piece)
    return f"{{{role}:{piece}}}" if role else piece
