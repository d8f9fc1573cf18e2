"""Scores become probabilities that add up to one. Step: output.probs."""

import math
from functools import partial

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QGridLayout

from app.panels.output.figure_card import Figure, FigureCard
from app.panels.output.page import CARD_GAP, HEAD_HEIGHT, Page, side_column
from app.panels.output.row_card import RowCard
from app.panels.output.words import (
    about,
    brief_label,
    counted,
    decimal,
    share_digits,
    share_text,
)
from app.scene import Scene
from app.session import Session
from app.widgets.bars import Bar
from app.widgets.card import Card
from app.widgets.cumulative_bar import CumulativeBar, Segment
from core.tokenizers.base import Tokenizer
from core.trace.needs import Index
from core.trace.numbers import short
from core.trace.token_side import TEXTS
from core.trace.views.output import (
    Ranking,
    Stretch,
    entropy_cell,
    follower,
    ranking,
    row_parts,
    stretches,
)

COLUMNS = ("logit", "e^(logit − max)", "probability")
SIDE_WIDTH = 308
N_PIECES = 40
"""Tokens that have a piece of their own in the bar of all probabilities."""


class ProbsPage(Page):
    """The ranked tokens, the arithmetic of the chosen one, how sure the model is."""

    def __init__(self, session: Session) -> None:
        """Empty."""
        super().__init__(session)
        self._row = RowCard()
        self._row.token_chosen.connect(self.choose)
        self._softmax = FigureCard("What softmax does")
        self._softmax.head.addStrut(HEAD_HEIGHT)
        self._certainty = FigureCard("How sure the model is")
        self._certainty.cell_requested.connect(self.inspect)
        self._end_to_end = Card("All probabilities, end to end")
        self._bar = CumulativeBar()
        self._bar.segment_clicked.connect(self._on_bar_segment_clicked)
        self._end_to_end.body.addWidget(self._bar)
        self._pieces: tuple[int, ...] = ()
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(CARD_GAP)
        self._side = side_column(SIDE_WIDTH, self._softmax, self._certainty)
        grid.addWidget(self._row, 0, 0)
        grid.addWidget(self._side, 0, 1)
        grid.addWidget(self._end_to_end, 1, 0, 1, 2)
        grid.setRowStretch(0, 1)

    def parts(self, scene: Scene) -> tuple[tuple[str, Index], ...]:
        """The row of the chosen token alone."""
        return row_parts(scene.selection.query)

    def display(self, scene: Scene) -> None:
        """Draw the row."""
        row = ranking(scene.trace, scene.selection.query)
        for part in (self._side, self._end_to_end):
            part.setVisible(row.is_finite)
        if not row.is_finite:
            self._row.show_trouble(scene, row, self.trouble)
            return
        bar_of = partial(share_bar, row, scene.tokenizer)
        self._row.show_row(scene, row, COLUMNS, bar_of, partial(others, row))
        token = scene.selection.token
        chosen = int(row.order[0]) if token is None else token
        label = brief_label(scene.tokenizer.label(chosen))
        self._softmax.show_figures(arithmetic(row, chosen, label))
        self._certainty.show_figures(certainty(scene, row))
        pieces = stretches(row.probs[row.order], N_PIECES, row.rank(chosen))
        self._pieces = tuple(int(row.order[piece.start]) for piece in pieces)
        labelled = partial(segment, row, scene.tokenizer)
        self._bar.show_segments(tuple(map(labelled, pieces)), None)

    @Slot(int)
    def _on_bar_segment_clicked(self, index: int) -> None:
        self.choose(self._pieces[index])


def share_bar(row: Ranking, tokenizer: Tokenizer, rank: int) -> Bar:
    """One token; the likeliest has the longest bar."""
    token_id = int(row.order[rank])
    logit, prob = float(row.logits[token_id]), float(row.probs[token_id])
    power = math.exp(logit - float(row.logits[row.order[0]]))
    longest = float(row.probs[row.order[0]])
    note = f"id {token_id}, rank {rank + 1:,}, probability {short(prob, 4)}"
    digits = share_digits(longest)
    numbers = (decimal(logit), share_text(power), share_text(prob, digits))
    return Bar(tokenizer.label(token_id), numbers, prob / longest, note)


def others(row: Ranking, seen: range) -> str:
    """What the tokens that are not in sight hold together."""
    n_others = row.n_vocab - len(seen)
    if not n_others:
        return f"all {counted(row.n_vocab, 'token')}: 1 together"
    held = float(row.sums[seen.stop] - row.sums[seen.start])
    rest = max(0.0, 1 - held)
    return f"{n_others:,} others: {share_text(rest)} together"


def arithmetic(row: Ranking, token: int, label: str) -> tuple[Figure, ...]:
    """The softmax of one token, step by step."""
    top = float(row.logits[row.order[0]])
    logit, prob = float(row.logits[token]), float(row.probs[token])
    total = math.exp(row.log_total - top)
    return (
        Figure(f"logit of {label}, minus the largest", decimal(logit - top)),
        Figure("e to that power", short(math.exp(logit - top), 4)),
        Figure(f"divided by the sum of all {row.n_vocab:,}", short(total, 5)),
        Figure(f"probability of {label}", short(prob, 4)),
    )


def certainty(scene: Scene, row: Ranking) -> tuple[Figure, ...]:
    """How spread the probabilities are, and what really follows."""
    half = counted(row.n_holding(0.5), "token")
    figures = [
        Figure(
            "entropy",
            f"{row.entropy:.2f} bits",
            "the surprise to be expected",
            entropy_cell(row.query),
        ),
        Figure(
            "perplexity",
            about(row.perplexity),
            f"as unsure as among {about(row.perplexity)} equally likely tokens",
        ),
        Figure("half of it", half, "so few of the likeliest hold 0.5 together"),
    ]
    true = follower(scene.trace, row.query)
    comes = "goes on" if scene.trace.config.writes else "stands here"
    if true is not None:
        text = TEXTS[scene.trace.tokens().name]
        words = (
            f"{comes} in the {text}: rank {row.rank(true) + 1:,}, "
            f"{row.surprisal(true):.2f} bits of surprise"
        )
        share = short(float(row.probs[true]), 4)
        label = brief_label(scene.tokenizer.label(true))
        figures.append(Figure(label, share, words))
    return tuple(figures)


def segment(row: Ranking, tokenizer: Tokenizer, piece: Stretch) -> Segment:
    """One piece of the bar: a token, or many that are too small to see singly."""
    n = piece.stop - piece.start
    if n == 1:
        label = tokenizer.label(int(row.order[piece.start]))
    else:
        label = counted(n, "other")
    return Segment(label, piece.share)
