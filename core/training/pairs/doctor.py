"""What speaks for or against learning from pairs, before a run starts.

In: a case. Out: findings. The checks are a table that the doctor of running text puts
between its own.
"""

from collections.abc import Callable, Iterator

from core.training.config import CHARACTERS, untaught
from core.training.findings import USUAL_SHARE, Case, Finding, Mend
from core.training.pairs.corpus import n_kept_of
from core.training.pairs.lines import OddKind
from core.training.presets import FOR_PAIRS, FOR_TEXT, preset
from core.training.sources import holds_pairs

LEARN_CHARACTERS = {"tokenizer.kind": CHARACTERS, "tokenizer.file": ""}
ODD: dict[OddKind, tuple[str, str, str]] = {
    "no_tab": (
        "has no tab and is left out",
        "have no tab and are left out",
        "A pair is a source, a tab and its target, on a line of its own.",
    ),
    "empty": (
        "has an empty side and is left out",
        "have an empty side and are left out",
        "There is nothing to read, or nothing to write.",
    ),
    "columns": (
        "has more than two columns",
        "have more than two columns",
        "The first is the source, the second its target; others are not read.",
    ),
}
"""By kind: what is said of one line, of several, and what follows from it."""


def sides(case: Case) -> Iterator[Finding]:
    """Pairs ask for an encoder, and an encoder for pairs."""
    is_of_pairs = case.facts.pairs is not None
    fault = untaught(case.config.model, pairs=is_of_pairs)
    if not fault:
        return
    chosen = preset(FOR_PAIRS if is_of_pairs else FOR_TEXT)
    what, meaning = (
        (
            "The model has no encoder that could read the sources.",
            "A model of one stack learns to go on with a text, not to answer it.",
        )
        if is_of_pairs
        else (
            "The model has an encoder, and the text has no pairs for it.",
            "An encoder reads a source; running text has none.",
        )
    )
    mend = Mend(f"Take the preset “{chosen.title}”", preset=chosen.name)
    yield Finding("sides", "error", what, meaning, (mend,))


def _mixed(case: Case) -> Iterator[Finding]:
    if not case.facts.pairs or not case.facts.pairs.has_text:
        return
    every = case.facts.sources
    pairs = tuple(each for each in every if holds_pairs(each))
    texts = tuple(each for each in every if not holds_pairs(each))
    yield Finding(
        "mixed",
        "error",
        "Pairs and running text stand among your texts.",
        "A model learns from the ones or from the other.",
        (
            Mend("Keep the pairs", sources=pairs),
            Mend("Keep the running text", sources=texts),
        ),
    )


def _odd_lines(case: Case) -> Iterator[Finding]:
    facts = case.facts.pairs
    assert facts is not None
    if not facts.n_pairs and not case.facts.faults:
        yield Finding(
            "no_pairs",
            "error",
            "There is no pair in it.",
            "A pair is a source, a tab and its target, on a line of its own.",
        )
    for odd in facts.odd:
        one, many, meaning = ODD[odd.kind]
        lines = f"1 line {one}" if odd.n == 1 else f"{odd.n:,} lines {many}"
        which = odd.first if odd.n == 1 else f"the first is {odd.first}"
        yield Finding(
            odd.kind,
            "note" if odd.kind == "columns" else "warning",
            f"{lines}: {which}",
            meaning,
        )


def _unsure(case: Case) -> Iterator[Finding]:
    facts = case.facts.pairs
    n = facts.n_unsure if facts else 0
    if n:
        yield Finding(
            "unsure",
            "note",
            f"{'1 source comes' if n == 1 else f'{n:,} sources come'} with different "
            "targets.",
            "Only one of them can be written, so not every answer can be the right "
            "one.",
        )


def _lacks_ends(case: Case) -> Iterator[Finding]:
    if case.tokens and case.tokens.lacks_ends:
        yield Finding(
            "lacks_ends",
            "error",
            "The tokenizer has no start and no end token.",
            "The decoder begins with the one, and says the other when it is done.",
            (Mend("Learn the characters of these pairs", LEARN_CHARACTERS),),
        )


def _too_long(case: Case) -> Iterator[Finding]:
    tokens, n_ctx = case.tokens, case.config.model.n_ctx
    if tokens is None or tokens.pairs is None:
        return
    pairs = tokens.pairs
    n = pairs.n_longer(n_ctx)
    if not n:
        return
    is_all = n == pairs.n_pairs
    are = "1 pair is" if n == 1 else f"{n:,} of {pairs.n_pairs:,} pairs are"
    yield Finding(
        "too_long",
        "error" if is_all else "warning",
        f"{are} longer than n_ctx = {n_ctx} and left out; the longest side has "
        f"{pairs.longest:,} tokens.",
        "Source and target must fit into what the model reads at once, each by itself.",
        (Mend(f"Use a context of {pairs.longest:,}", {"model.n_ctx": pairs.longest}),),
    )


def _validation(case: Case) -> Iterator[Finding]:
    facts, share = case.facts.pairs, case.config.data.valid_share
    assert facts is not None
    none_kept = Mend("Keep no pairs for validation", {"data.valid_share": 0.0})
    if not share:
        yield Finding(
            "no_validation",
            "note",
            "No pairs are kept for validation.",
            "Whether the model has learned the rule or the pairs will not show.",
            (Mend("Keep 10 % of the sources", {"data.valid_share": USUAL_SHARE}),),
        )
    elif facts.n_pairs and n_kept_of(facts.n_sources, share) >= facts.n_sources:
        yield Finding(
            "validation_empty",
            "error",
            f"Of {facts.n_sources:,} different sources, {share:.0%} cannot be kept "
            "for validation and some be left to learn from.",
            "The same source never stands on both sides.",
            (none_kept,),
        )


CHECKS: tuple[Callable[[Case], Iterator[Finding]], ...] = (
    _mixed,
    sides,
    _odd_lines,
    _lacks_ends,
    _too_long,
    _validation,
    _unsure,
)
