"""The doctor: what speaks for or against learning from a text, before a run starts.

In: facts of the text, of its tokens, and the run's configuration. Out: findings, each
with what it means and, where one click can help, how to mend it. Pure and quick: asked
again at every change of a field. The checks are a table, in the order they are shown.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

from core.tokenizers.base import listed
from core.tokenizers.labels import label_of
from core.training.config import BPE, CHARACTERS, RunConfig
from core.training.corpus import n_train_of
from core.training.documents import TRAIN, VALID, Split, n_leaked, sides_of
from core.training.facts import TextFacts, TokenFacts
from core.training.findings import USUAL_SHARE, Case, Finding, Mend, Severity
from core.training.pairs import doctor as of_pairs
from core.training.pairs.corpus import n_kept_of
from core.training.reading import ENCODINGS, Fault, Reading
from core.training.sources import FileSource, Source

USEFUL_EPOCHS = 40
"""Passes over a text before the doctor speaks; the number is ours. Up to 4 are as good
as new text, later ones are worth less and less (Muennighoff et al. 2023)."""
SHARE_STEP = 100
"""A proposed validation share is a whole number of hundredths."""
LARGEST_SHARE = 0.5
HARMLESS_SHARE = 0.01
"""Of the validation text; so little repetition is no more than a note."""


def examine(
    facts: TextFacts,
    tokens: TokenFacts | None,
    config: RunConfig,
    *,
    split: Split = "tail",
) -> tuple[Finding, ...]:
    """Say what is found, the gravest first; without `tokens`, what is known so far."""
    case = Case(facts, tokens, config, split, *parts(facts, tokens, config, split))
    checks = CHECKS if facts.pairs is None else PAIR_CHECKS
    findings = [finding for check in checks for finding in check(case)]
    order: tuple[Severity, ...] = ("error", "warning", "note")
    return tuple(sorted(findings, key=lambda finding: order.index(finding.severity)))


def parts(
    facts: TextFacts,
    tokens: TokenFacts | None,
    config: RunConfig,
    split: Split = "tail",
) -> tuple[int, int]:
    """Tokens that are learned from, and tokens that are kept for validation.

    Exact for "tail" where the tokens are; else in proportion to the characters, and of
    pairs to their sources.
    """
    share = config.data.valid_share
    if tokens is None:
        return 0, 0
    if facts.pairs is not None:
        n_sources = max(facts.pairs.n_sources, 1)
        n_kept = n_kept_of(n_sources, share) if share else 0
        n_valid = round(tokens.n_tokens * n_kept / n_sources)
        return tokens.n_tokens - n_valid, n_valid
    if split == "tail" or not share or not len(facts.units):
        n_train = n_train_of(tokens.n_tokens, share)
        return n_train, tokens.n_tokens - n_train
    sides, lengths = sides_of(facts.units, share, split), facts.units.lengths
    scale = tokens.n_tokens / max(int(lengths.sum()), 1)
    n_train, n_valid = (
        round(int(lengths[sides == side].sum()) * scale) for side in (TRAIN, VALID)
    )
    return n_train, n_valid


def _faults(case: Case) -> Iterator[Finding]:
    meanings = {
        "encoding": "Its letters cannot be told yet; nothing is guessed silently.",
        "binary": "Its bytes are no letters, and a model would learn noise.",
        "unreadable": "Its text is missing from what the model would learn.",
    }
    for fault in case.facts.faults:
        mends = tuple(_mends_of_fault(fault, case.facts.sources))
        yield Finding(fault.kind, "error", fault.message, meanings[fault.kind], mends)


def _mends_of_fault(fault: Fault, sources: tuple[Source, ...]) -> Iterator[Mend]:
    found = [s for s in sources if isinstance(s, FileSource) and s.path == fault.path]
    if not found:
        return
    source = found[0]

    def read_as(reading: Reading) -> tuple[Source, ...]:
        mended = replace(source, reading=reading)
        return tuple(mended if each == source else each for each in sources)

    for choice in ENCODINGS:
        if choice.codec == fault.suggested:
            label = f"Read it as {choice.label}"
            yield Mend(label, sources=read_as(Reading(choice.codec)))
    if fault.n_bad:
        reading = replace(source.reading, replace=True)
        count = "1 bad byte" if fault.n_bad == 1 else f"{fault.n_bad:,} bad bytes"
        which = "at" if fault.n_bad == 1 else "the first at"
        label = f"Replace {count}, {which} offset {fault.offset:,}"
        yield Mend(label, sources=read_as(reading))
    others = tuple(each for each in sources if each != source)
    if others:
        yield Mend(f"Leave {source.path.name} out", sources=others)


def _left_out(case: Case) -> Iterator[Finding]:
    n = case.facts.n_left_out
    if n:
        are = "1 file in the folder is" if n == 1 else f"{n:,} files in the folder are"
        yield Finding(
            "left_out",
            "note",
            f"{are} not text and left out.",
            "Images, archives and programs have no letters to learn from.",
        )


def _encodings(case: Case) -> Iterator[Finding]:
    for path, name in case.facts.encodings:
        yield Finding(
            "encoding_read",
            "note",
            f"{path.name} is read as {name}.",
            "The run keeps a copy in UTF-8; the file itself stays as it is.",
        )


def _empty(case: Case) -> Iterator[Finding]:
    if not case.facts.n_characters and not case.facts.faults:
        yield Finding(
            "empty",
            "error",
            "The text is empty.",
            "There is nothing to learn from; add a file or paste some text.",
        )


def _one_character(case: Case) -> Iterator[Finding]:
    only = case.facts.only_character
    if only:
        yield Finding(
            "one_character",
            "warning",
            f"The text is one character only: {label_of(only.encode())}, "
            f"{case.facts.n_characters:,} times.",
            "There is nothing to learn: the vocabulary is 1, so every guess is right "
            "and the loss is 0 from the first step."
            if case.tokens is not None and case.tokens.n_vocab == 1
            else "There is nothing to learn: what follows is certain, so the loss is 0 "
            "as soon as the model says so.",
        )


def _unknown(case: Case) -> Iterator[Finding]:
    if case.tokens is None or not case.tokens.unknown:
        return
    learned = {"tokenizer.kind": CHARACTERS, "tokenizer.file": ""}
    yield Finding(
        "unknown",
        "error",
        f"The tokenizer has no token for {listed(case.tokens.unknown)}.",
        "The text has no ids, and nothing of it is left out silently.",
        (Mend("Learn the characters of this text", learned),),
    )


def _too_short(case: Case) -> Iterator[Finding]:
    if case.tokens is None or case.n_train >= case.window:
        return
    mends: list[Mend] = []
    if case.n_valid and case.tokens.n_tokens >= case.window:
        mends.append(Mend("Keep no text for validation", {"data.valid_share": 0.0}))
    yield Finding(
        "too_short",
        "error",
        f"The training part has {case.counted(case.n_train)}, but one window of "
        f"n_ctx = {case.config.model.n_ctx} needs {case.window}.",
        "Not a single window can be cut from it, and no text is made up to fill one.",
        (*mends, *_shorter_windows(case.n_train)),
    )


def _shorter_windows(n_tokens: int) -> Iterator[Mend]:
    """A context that fits into so many tokens, if any does."""
    n_ctx = n_tokens - 1
    if n_ctx >= 1:
        yield Mend(f"Use a context of {n_ctx:,}", {"model.n_ctx": n_ctx})


def _validation(case: Case) -> Iterator[Finding]:
    share, tokens = case.config.data.valid_share, case.tokens
    if not share:
        yield Finding(
            "no_validation",
            "note",
            "No text is kept for validation.",
            "Whether the model learns the language or the text by heart will not show.",
            (Mend("Keep the last 10 %", {"data.valid_share": USUAL_SHARE}),),
        )
    elif tokens is not None and case.n_valid < case.window:
        n_ctx, has = case.config.model.n_ctx, case.counted(case.n_valid)
        is_empty = case.n_valid == 0
        mends = [*_larger_share(case), *_shorter_windows(case.n_valid)]
        yield Finding(
            "validation_empty" if is_empty else "validation_short",
            "error",
            f"The validation part is empty: {share:.0%} of the text is kept for it."
            if is_empty
            else f"The validation part has {has}, but one window of n_ctx = {n_ctx} "
            f"needs {case.window}.",
            "The model could not be tested on text that it has not seen.",
            (*mends, Mend("Keep no text for validation", {"data.valid_share": 0.0})),
        )


def _larger_share(case: Case) -> Iterator[Mend]:
    """A share that gives a window to either side, if one does."""
    n_tokens = case.tokens.n_tokens if case.tokens else 0
    percent = math.ceil(SHARE_STEP * case.window / max(n_tokens, 1))
    share = percent / SHARE_STEP
    n_train = n_train_of(n_tokens, min(share, 1.0))
    is_enough = n_tokens - n_train >= case.window and n_train >= case.window
    if case.split == "tail" and share <= LARGEST_SHARE and is_enough:
        yield Mend(f"Keep the last {percent} %", {"data.valid_share": share})


def _leakage(case: Case) -> Iterator[Finding]:
    share, units = case.config.data.valid_share, case.facts.units
    if not share or case.split != "tail":
        return
    n, n_all = n_leaked(units, share)
    if n == 0:
        return
    one = units.kind.removesuffix("s")
    whole_labels: dict[Split, str] = {
        "documents": f"Keep each {one} once, and on one side",
        "unseen": f"Drop the {units.kind} seen before from validation",
    }
    mends = []
    for split, label in whole_labels.items():
        sides = sides_of(units, share, split)
        if (sides == TRAIN).any() and (sides == VALID).any():
            mends.append(Mend(label, split=split))
    yield Finding(
        "leakage",
        "warning" if n > HARMLESS_SHARE * n_all else "note",
        f"{n:,} of the {n_all:,} {units.kind} of the validation part "
        f"{'stands' if n == 1 else 'stand'} in the training part too, word for word.",
        "The model can know them by heart, so the validation loss looks better than "
        "it is.",
        tuple(mends),
    )


def _vocabulary(case: Case) -> Iterator[Finding]:
    asked, tokens = case.config.tokenizer.n_vocab, case.tokens
    learns_bpe = case.config.tokenizer.kind == BPE and not case.config.tokenizer.file
    if tokens is None or not learns_bpe or tokens.n_vocab >= asked:
        return
    got = tokens.n_vocab
    yield Finding(
        "vocabulary",
        "note",
        f"The text gives a smaller vocabulary: asked {asked:,}, got {got:,}.",
        "No further pair of neighbours occurs twice, so nothing is left to merge.",
        (Mend(f"Ask for {got:,}", {"tokenizer.n_vocab": got}),)
        if tokens.is_exact
        else (),
    )


def _epochs(case: Case) -> Iterator[Finding]:
    training, n_step = case.config.training, case.tokens_per_step
    epochs = training.n_steps * n_step / max(case.n_train, 1)
    is_short = case.facts.pairs is None and case.n_train < case.window
    if is_short or not case.n_train or epochs <= USEFUL_EPOCHS:
        return
    n_steps = max(int(USEFUL_EPOCHS * case.n_train // n_step), 1)
    is_fewer = n_steps < training.n_steps
    yield Finding(
        "epochs",
        "warning",
        f"{training.n_steps:,} steps read the training part {epochs:,.0f} times over.",
        "The first 4 or so are as good as new text; further ones are worth less and "
        "less, and the text is learned by heart.",
        (Mend(f"Train {steps_text(n_steps)}", {"training.n_steps": n_steps}),)
        if is_fewer
        else (),
    )


def steps_text(n: int) -> str:
    """How many steps: "1 step", "1,024 steps"."""
    return f"{n:,} {'step' if n == 1 else 'steps'}"


CHECKS: tuple[Callable[[Case], Iterator[Finding]], ...] = (
    _faults,
    _empty,
    of_pairs.sides,
    _one_character,
    _unknown,
    _too_short,
    _validation,
    _leakage,
    _vocabulary,
    _epochs,
    _encodings,
    _left_out,
)
PAIR_CHECKS: tuple[Callable[[Case], Iterator[Finding]], ...] = (
    _faults,
    _empty,
    *of_pairs.CHECKS,
    _unknown,
    _vocabulary,
    _epochs,
    _encodings,
    _left_out,
)
"""The same where there are pairs among the sources."""
