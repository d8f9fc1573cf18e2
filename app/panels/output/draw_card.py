"""The draw: the picked token, bars with the cut, a point on the cumulative bar.

In: a `PickView`. Out: which token was clicked.
"""

from functools import partial

from PySide6.QtCore import Qt, Signal, Slot

from app.panels.output.words import (
    CUT_NOTES,
    counted,
    cut_label,
    decimal,
    is_adjusted,
    share_digits,
    share_text,
)
from app.style.fonts import LARGE, MEDIUM, SMALL, TITLE, mono, sans
from app.widgets.bars import Bar, BarState
from app.widgets.card import GAP, Card, plain_label
from app.widgets.cumulative_bar import CumulativeBar, Segment
from app.widgets.label import as_tip, elided
from app.widgets.ranked_bars import NO_BARS, Ranked, RankedBars
from core.tokenizers.base import Tokenizer
from core.trace.numbers import short
from core.trace.views.output import PickView, Stretch, stretches

LABEL_WIDTH = 180.0
"""Room for the picked token, in pixels."""
BARS_HEIGHT = 140
"""Room for some bars above the cumulative one; the page scrolls where that is low."""
N_PIECES = 40
"""Tokens that have a piece of their own in the cumulative bar."""


class DrawCard(Card):
    """What is picked, and how."""

    token_chosen = Signal(int)
    """The reader chose a token: its id."""

    def __init__(self) -> None:
        """Nothing picked yet."""
        super().__init__()
        self._view: PickView | None = None
        self._pieces: tuple[Stretch, ...] = ()
        title = plain_label("Picked")
        title.setFont(sans(LARGE))
        self.token, self.how = plain_label(ink="checked"), plain_label(ink="muted")
        self.token.setFont(mono(TITLE, MEDIUM))
        self.token.setProperty("card", True)  # framed as a chip: it may be a full stop
        self.token.setContentsMargins(GAP, 0, GAP, 0)
        self.how.setFont(sans(SMALL))
        self.how.setWordWrap(True)
        self.bars = RankedBars("The likeliest tokens, what is cut, and what is picked")
        self.bars.setMinimumHeight(BARS_HEIGHT)
        self.bars.row_clicked.connect(self._on_bars_row_clicked)
        self.bar = CumulativeBar()
        self.bar.segment_clicked.connect(self._on_bar_segment_clicked)
        self._title.hide()  # the head begins with the token
        self.head.addWidget(title)
        self.head.addWidget(self.token, 0, Qt.AlignmentFlag.AlignVCenter)
        self.head.addWidget(self.how, 1, Qt.AlignmentFlag.AlignVCenter)
        self.body.addWidget(self.bars, 1)
        self.body.addWidget(self.bar)

    def show_pick(self, view: PickView, tokenizer: Tokenizer) -> None:
        """Show a pick; another one than before is scrolled into sight."""
        is_new = self._view is None or drawn_by(self._view) != drawn_by(view)
        self._view = view
        self.bar.show()
        self.token.show()
        label = tokenizer.label(view.draw.token_id)
        self.token.setText(elided(label, self.token.font(), LABEL_WIDTH))
        self.token.setToolTip(as_tip(label))
        self.how.setText(how_picked(view))
        ranked = Ranked(
            n_rows=len(view.distribution.logits),
            bar_of=partial(pick_bar, view, tokenizer),
            columns=columns(view),
            cut_label=cut_label(view),
        )
        self.bars.show_ranked(ranked)
        if is_new:
            self.bars.reveal(view.rank)
        self._pieces = stretches(view.falling, N_PIECES, view.rank)
        labelled = partial(segment, view, tokenizer)
        u = None if view.distribution.is_greedy else view.draw.u
        self.bar.show_segments(tuple(map(labelled, self._pieces)), u)

    def show_trouble(self, reason: str) -> None:
        """Show that nothing can be picked, and why."""
        self._view = None
        self.token.hide()
        self.how.clear()
        self.bar.hide()
        self.bars.set_message(reason)
        self.bars.show_ranked(NO_BARS)

    def set_selected(self, token_id: int | None) -> None:
        """Outline a token's bar; None outlines none."""
        if self._view is None or token_id is None:
            self.bars.set_selected(None)
        else:
            self.bars.set_selected(self._view.rank_of(token_id))

    def _choose(self, rank: int) -> None:
        if self._view is not None:
            self.token_chosen.emit(int(self._view.distribution.order[rank]))

    @Slot(int)
    def _on_bars_row_clicked(self, rank: int) -> None:
        self._choose(rank)

    @Slot(int)
    def _on_bar_segment_clicked(self, index: int) -> None:
        self._choose(self._pieces[index].start)


def drawn_by(view: PickView) -> tuple[int, int]:
    """What tells one pick from another: where it will stand, and which token it is."""
    return view.position, view.draw.token_id


def how_picked(view: PickView) -> str:
    """The draw in words."""
    if view.distribution.is_greedy:
        return "the likeliest token; temperature 0 leaves nothing to chance"
    draw = view.draw
    return (
        f"rank {view.rank + 1:,}, drawn with probability "
        f"{share_text(draw.upper - draw.lower)}: u = {draw.u:.4f} falls between "
        f"{draw.lower:.4f} and {draw.upper:.4f}"
    )


def columns(view: PickView) -> tuple[str, ...]:
    """The heads of the numbers; only stages that change something have one."""
    spread = view.distribution
    adjusted = ("adjusted",) if is_adjusted(view.sampling) else ()
    is_cut = spread.n_kept < len(spread.logits) and not spread.is_greedy
    shares = ("softmax", "after cuts") if is_cut else ("probability",)
    return ("logit", *adjusted, *shares)


def pick_bar(view: PickView, tokenizer: Tokenizer, rank: int) -> Bar:
    """One token; its bar is its probability before the cuts."""
    spread = view.distribution
    token_id = int(spread.order[rank])
    before, after = (
        float(array[token_id]) for array in (spread.probs_before_cuts, spread.probs)
    )
    longest = float(spread.probs_before_cuts[spread.order[0]])
    digits = share_digits(longest)
    # With its digits, so that it stands below the others and not before the point.
    share_kept = share_text(after, digits) if after else f"{0:.{digits}f}"
    numbers = {
        "logit": decimal(float(spread.logits[token_id])),
        "adjusted": decimal(float(spread.scaled[token_id])),
        "softmax": share_text(before, digits),
        "after cuts": share_kept,
        "probability": share_kept,
    }
    cut = view.cut_by(rank)
    is_picked = token_id == view.draw.token_id
    state: BarState = "cut" if cut else "picked" if is_picked else "kept"
    notes = (f"id {token_id}, rank {rank + 1:,}", CUT_NOTES[cut])
    return Bar(
        label=tokenizer.label(token_id),
        value=tuple(numbers[column] for column in columns(view)),
        share=before / longest,
        note="\n".join(note for note in notes if note),
        state=state,
    )


def segment(view: PickView, tokenizer: Tokenizer, piece: Stretch) -> Segment:
    """One piece of the cumulative bar: a token, or many that are too small to see."""
    n = piece.stop - piece.start
    if n > 1:
        return Segment(counted(n, "other"), piece.share)
    token_id = int(view.distribution.order[piece.start])
    note = f"id {token_id}, {short(piece.share, 4)}"
    return Segment(tokenizer.label(token_id), piece.share, note)
