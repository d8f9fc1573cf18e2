"""A score for every possible next token. Step: output.logits."""

from functools import partial

from PySide6.QtWidgets import QHBoxLayout

from app.panels.output.page import CARD_GAP, HEAD_HEIGHT, Page
from app.panels.output.row_card import RowCard
from app.panels.output.words import decimal
from app.scene import Scene
from app.session import Session
from app.widgets.bars import Bar
from app.widgets.card import Card, plain_label
from app.widgets.histogram import Histogram, Mark
from core.tokenizers.base import Tokenizer
from core.trace.needs import Index
from core.trace.numbers import short
from core.trace.step import Step, name_of
from core.trace.views.output import (
    LOGITS,
    Ranking,
    follower,
    histogram,
    ranking,
    row_parts,
)


class LogitsPage(Page):
    """The ranked tokens at the left, all logits counted at the right."""

    def __init__(self, session: Session) -> None:
        """Empty."""
        super().__init__(session)
        self._row, self._all = RowCard(), Card()
        self._all.head.addStrut(HEAD_HEIGHT)
        self._row.token_chosen.connect(self.choose)
        self._histogram = Histogram("All logits of this row, counted")
        self._meaning = plain_label(ink="muted")
        self._meaning.setWordWrap(True)
        self._all.body.addWidget(self._histogram, 1)
        self._all.body.addWidget(self._meaning)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(CARD_GAP)
        row.addWidget(self._row, 1)
        row.addWidget(self._all, 1)

    def parts(self, scene: Scene) -> tuple[tuple[str, Index], ...]:
        """The row of the chosen token alone."""
        return row_parts(scene.selection.query)

    def display(self, scene: Scene) -> None:
        """Draw the row."""
        row = ranking(scene.trace, scene.selection.query)
        self._all.set_title(f"All {row.n_vocab:,} logits of this row, counted")
        if not row.is_finite:
            self._row.show_trouble(scene, row, self.trouble)
            self._histogram.set_message(self.trouble)
            self._histogram.clear()
            self._meaning.clear()
            return
        bar_of = partial(logit_bar, row, scene.tokenizer)
        self._row.show_row(scene, row, ("logit",), bar_of, partial(in_sight, row))
        counted = histogram(row.logits)
        self._histogram.show_counts(
            counted.edges, counted.counts, marks(scene, row), "tokens"
        )
        self._meaning.setText(meaning(scene, row))


def logit_bar(row: Ranking, tokenizer: Tokenizer, rank: int) -> Bar:
    """One token; its bar runs from the lowest logit of the row to the highest."""
    token_id = int(row.order[rank])
    logit, low, high = (
        float(row.logits[i]) for i in (token_id, row.order[-1], row.order[0])
    )
    share = (logit - low) / (high - low) if high > low else 1.0
    note = f"id {token_id}, rank {rank + 1:,} of {row.n_vocab:,}"
    return Bar(tokenizer.label(token_id), (decimal(logit),), share, note)


def in_sight(row: Ranking, seen: range) -> str:
    """Which places of the list are in sight."""
    return (
        f"ranks {seen.start + 1:,}–{seen.stop:,} of {row.n_vocab:,} · "
        "bars start at the lowest logit"
    )


def marks(scene: Scene, row: Ranking) -> tuple[Mark, ...]:
    """The chosen token, and the one that follows in the sentence, if it does."""
    chosen, label = chosen_token(scene, row), scene.tokenizer.label
    found = [Mark(float(row.logits[chosen]), f"{label(chosen)} selected", "text")]
    true = follower(scene.trace, row.query)
    comes = "follows here" if scene.trace.config.writes else "stands here"
    if true is not None and true != chosen:
        logit = float(row.logits[true])
        found.append(Mark(logit, f"{label(true)} {comes}", "muted"))
    return tuple(found)


def chosen_token(scene: Scene, row: Ranking) -> int:
    """The selected token of the vocabulary; the likeliest where none is."""
    token = scene.selection.token
    return int(row.order[0]) if token is None else token


def meaning(scene: Scene, row: Ranking) -> str:
    """What a logit is: one dot product."""
    token = chosen_token(scene, row)
    step = scene.trace.step(LOGITS)
    is_tied = step.op == "unembed"
    weights = f"row {token} of W_E" if is_tied else f"column {token} of W_U"
    whose = "its own embedding" if is_tied else "its own weights"
    label, logit = scene.tokenizer.label(token), decimal(float(row.logits[token]))
    return (
        f"{label} has {logit}: {row_words(step)} times {weights}, {whose}, "
        f"summed over {scene.trace.config.d_model} features{bias_words(scene, token)}. "
        "The better the two agree, the larger the logit."
    )


def row_words(step: Step) -> str:
    """What is compared with every token: the row as the step before left it."""
    source = name_of(step.inputs[0])
    if source == "output.scaled":
        return "the scaled row"
    return "the normed row x̂" if source.endswith("norm") else "the last row"


def bias_words(scene: Scene, token: int) -> str:
    """The number of its own that is added to a token's logit; "" where none is."""
    _, _, *bias = scene.trace.step(LOGITS).inputs
    if not bias:
        return ""
    return f", plus its own {short(scene.trace.value(bias[0], (token,)))}"
