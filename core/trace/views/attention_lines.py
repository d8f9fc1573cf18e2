"""Attention as lines from the tokens that look to the tokens looked at.

Step: attn.pattern of one layer, whatever stage is chosen: only shares can be opacities.
In: a trace, the layer, and the heads. Out: their shares, cut out as they are needed,
and words for a token and for a pair. Layers, heads and tokens count from 1.
"""

from dataclasses import dataclass

import numpy as np

from core.trace.attentions import kind_named
from core.trace.matrix import FloatArray, Scale
from core.trace.trace import Trace
from core.trace.viewing import Viewing
from core.trace.views.attention_shares import (
    Shares,
    counted_heads,
    numbered,
    percent,
    shares_of,
    why_none,
)

LEAST_SHARE = 0.005
"""Weaker lines are not drawn."""
N_TOLD = 3
"""So many of a token's strongest lines are put into words."""


@dataclass(frozen=True, slots=True, eq=False)
class LinesView:
    """The lines of some heads of one layer."""

    layer: int
    shares: Shares
    least: float
    """Shares below this have no line."""
    scale: Scale
    """How a share becomes opacity."""
    title: str
    is_sink_dimmed: bool
    note: str
    """What is not drawn, and how the numbers were shaped."""

    @property
    def heads(self) -> tuple[int, ...]:
        """The heads within their layer."""
        return tuple(head for _, head in self.shares.heads)

    @property
    def dimmed(self) -> int | None:
        """The column whose lines are pale: the first token, where that was chosen."""
        shaping = self.shares.shaping
        return shaping.column_of(shaping.sink) if self.is_sink_dimmed else None

    def token_of(self, looks_back: bool, place: int) -> int:
        """The token that stands for a row, or looking back for a column."""
        shaping = self.shares.shaping
        runs = shaping.column_tokens if looks_back else shaping.row_tokens
        return runs[place][-1]

    def place_of(self, looks_back: bool, token: int | None) -> int | None:
        """The row (or looking back the column) of a token; None where it is hidden."""
        if token is None:
            return None
        shaping = self.shares.shaping
        return shaping.column_of(token) if looks_back else shaping.row_of(token)

    def shares_with(self, looks_back: bool, place: int) -> FloatArray:
        """The shares of one token in every head shown: [n_heads, n_others].

        Of a row with the columns, or looking back of a column with the rows.
        """
        if looks_back:
            return self.shares.columns(place, place + 1)[:, :, 0]
        return self.shares.rows(place, place + 1)[:, 0]

    def told(self, looks_back: bool, place: int) -> str:
        """Whom a token looks at most, or who looks at it most, over the heads shown."""
        shaping, values = self.shares.shaping, self.shares_with(looks_back, place)
        mine, others = shaping.rows.labels, shaping.columns.labels
        if looks_back:
            mine, others = others, mine
        best = np.nan_to_num(values, nan=0.0)
        head = best.argmax(axis=0)
        strongest = best.max(axis=0)
        order = np.argsort(-strongest, kind="stable")[:N_TOLD]
        told = [
            f"{numbered(others, at)} {percent(float(strongest[at]))}"
            + self._by(int(head[at]))
            for at in order.tolist()
            if strongest[at] > 0
        ]
        verb = "is looked at by" if looks_back else "looks at"
        return f"{numbered(mine, place)} {verb} {', '.join(told) or 'nothing'}"

    def pair(self, row: int, column: int) -> str:
        """Both tokens, and the share in every head shown, a line each."""
        shaping = self.shares.shaping
        query = numbered(shaping.rows.labels, row)
        key = numbered(shaping.columns.labels, column)
        values = self.shares.rows(row, row + 1)[:, 0, column]
        none = why_none(self.shares, row, column) if np.isnan(values).any() else ""
        lines = (
            f"head {head + 1}: {none if np.isnan(value) else percent(float(value))}"
            for head, value in zip(self.heads, values, strict=True)
        )
        return "\n".join((f"query {query} → key {key}", *lines))

    def _by(self, place: int) -> str:
        return f" (head {self.heads[place] + 1})" if len(self.heads) > 1 else ""


def lines_heads(viewing: Viewing, layer: int, head: int) -> tuple[int, ...]:
    """The heads whose lines are drawn: the gathered ones of the layer, else `head`."""
    gathered = {at for of, at in viewing.gathered if of == layer}
    return tuple(sorted(gathered)) or (head,)


def lines_view(
    trace: Trace, layer: int, heads: tuple[int, ...], viewing: Viewing
) -> LinesView:
    """The lines of these heads, of the viewing's kind."""
    kind = kind_named(trace.config, viewing.kind)
    pairs = [(layer, head) for head in heads]
    shares = shares_of(trace, pairs, viewing)
    least = max(LEAST_SHARE, viewing.threshold)
    opacity = "the logarithm of the share" if viewing.is_log else "the share"
    drawn = f"opacity is {opacity}, lines under {percent(least)} are not drawn"
    if len(heads) > 1:
        drawn = f"{drawn} · a line wears the colour of its strongest head"
    others = [each for each in viewing.gathered if each[0] != layer]
    counted = counted_heads(others, trace.config.n_heads, kind.name)
    elsewhere = (f"gathered too, each in its own layer: {counted}",) * bool(others)
    is_dimmed = viewing.sink == "dimmed"
    dimmed = ("lines to the first token are dimmed",) * is_dimmed
    return LinesView(
        layer=layer,
        shares=shares,
        least=least,
        scale=Scale("share", 1.0, viewing.is_log),
        title=counted_heads(pairs, trace.config.n_heads, kind.name).capitalize(),
        is_sink_dimmed=is_dimmed,
        note=" · ".join((drawn, *dimmed, *shares.shaping.notes, *elsewhere)),
    )
