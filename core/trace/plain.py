r"""An equation as plain text: for the clipboard, a notebook, a screen reader.

In: the LaTeX of `core.trace.equations`, such as "\frac{1.20}{\sqrt{4}}". Out: the same
on one line: "1.20 / √4". Nothing is left out.
"""

import re
from collections.abc import Callable

INNER = r"\{([^{}]*)\}"
"""A group with no group inside."""
ONE_THING = re.compile(r"\S*|√?\([^()]*\)")
"""What needs no brackets to stand before or behind a sign."""


def _grouped(text: str) -> str:
    """In brackets where it is more than one thing."""
    text = text.strip()
    return text if ONE_THING.fullmatch(text) else f"({text})"


def _fraction(over: str, under: str) -> str:
    return f"{_grouped(over)} / {_grouped(under)}"


Rule = tuple[re.Pattern[str], Callable[[re.Match[str]], str]]

RULES: tuple[Rule, ...] = (
    (re.compile(r"\\text" + INNER), lambda m: m[1]),
    (
        re.compile(r"\\(sin|cos|log_2 ?)\\t?frac" + INNER + INNER),
        lambda m: f"{m[1].strip()}({_fraction(m[2], m[3])})",
    ),
    (re.compile(r"\\frac" + INNER + INNER), lambda m: _fraction(m[1], m[2])),
    (re.compile(r"\\sqrt" + INNER), lambda m: f"√{_grouped(m[1])}"),
    (re.compile(r"\\underbrace" + INNER + "_" + INNER), lambda m: f"{m[1]} [{m[2]}]"),
    (re.compile(r"\^" + INNER), lambda m: f"^{_grouped(m[1])}"),
    (re.compile(r"(?<!\})_" + INNER), lambda m: f"_{_grouped(m[1])}"),
)
"""What is done to a command and its groups, the innermost first."""

SIGNS = {
    "cdot": " × ",
    "infty": "∞",
    "dots": "…",
    "Phi": "Φ",
    "pi": "π",
    "quad": " ",
    "left": "",
    "right": "",
}
"""Commands that are one sign; any other is its own name, as "sin" is."""


def plain(latex: str) -> str:
    """The equation on one line without a command or a brace."""
    before = ""
    while latex != before:
        before = latex
        for pattern, written in RULES:
            latex = pattern.sub(written, latex)
    latex = re.sub(r"\\[,;]", " ", latex)
    latex = re.sub(r"\\([a-zA-Z]+)", lambda m: SIGNS.get(m[1], f" {m[1]} "), latex)
    latex = re.sub(r"(Φ|max|tanh) +\(", r"\1(", latex)
    return re.sub(r"\s+", " ", re.sub(r" +([,)])|(\() +", r"\1\2", latex)).strip()
