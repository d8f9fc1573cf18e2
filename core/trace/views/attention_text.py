"""Attention in the sentence itself: how much each token has to do with a chosen one.

Step: attn.pattern, of one head, or of several joined by their mean or their largest
share. In: a trace and how it is looked at. Out: the tokens as flowing text (in cross
attention two texts), a share for each of them beside any one, and words. Layers, heads
and tokens count from 1.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from core.analysis.words import word_runs
from core.tokenizers.base import Encoding
from core.tokenizers.labels import label_of
from core.trace.attentions import kind_named
from core.trace.matrix import FloatArray, Scale
from core.trace.trace import Trace
from core.trace.viewing import Head, Joining, Viewing
from core.trace.views.attention_shares import (
    Shares,
    counted_heads,
    is_leftward,
    numbered,
    percent,
    shares_of,
    why_none,
)
from core.trace.views.shaping import Places, Shaping, place_of

LIMITS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
"""Where the full colour may stand; above the last it stands at 1."""
NO_COLUMN = -1
LEFT_OUT = "left out"
N_TOLD = 3
"""So many of the strongest are told in a sentence."""
Side = tuple[tuple[str, ...], tuple[Places, ...]]
"""The labels of a text's items, and the tokens behind each."""
JOINED: dict[Joining, str] = {"head": "", "mean": "mean of ", "largest": "largest of "}


@dataclass(frozen=True, slots=True)
class TextItem:
    """A token, or a word whose tokens are joined, as it stands in the text."""

    label: str
    """With a true space where one stands before a word."""
    is_glued: bool
    """Whether no line may end before it."""
    ends_line: bool
    bracket: int | None
    """Neighbours with the same number share one character."""
    is_leftward: bool
    """Whether its script is read from right to left."""


@dataclass(frozen=True, slots=True, eq=False)
class TextView:
    """A text whose items look, the text that they look at, and what they share out.

    Mostly both are the same text. An item of one of them is pointed at, the items of
    the other are shaded: which is which, `viewing.looks_back` says.
    """

    texts: tuple[tuple[TextItem, ...], tuple[TextItem, ...]]
    """Of who looks, and of who is looked at."""
    shares: Shares
    columns: NDArray[np.intp]
    """The column of each item that is looked at; NO_COLUMN where it is left out."""
    viewing: Viewing
    specials: Places
    """The special tokens among those looked at."""
    title: str
    note: str
    is_crossed: bool
    """Whether there are two texts."""

    @property
    def items(self) -> tuple[TextItem, ...]:
        """The items of which one is pointed at."""
        return self.texts[self.viewing.looks_back]

    @property
    def shaded(self) -> tuple[TextItem, ...]:
        """The items that are shaded."""
        return self.texts[not self.viewing.looks_back]

    @property
    def labels(self) -> tuple[str, ...]:
        """Of what may be pointed at."""
        return self._sides[self.viewing.looks_back][0]

    @property
    def shaded_labels(self) -> tuple[str, ...]:
        """Of what is shaded."""
        return self._sides[not self.viewing.looks_back][0]

    @property
    def _sides(self) -> tuple[Side, Side]:
        shaping = self.shares.shaping
        return (
            (shaping.rows.labels, shaping.row_tokens),
            (shaping.seen.labels, shaping.seen_tokens),
        )

    def token_of(self, item: int) -> int:
        """The token that stands for an item pointed at: the last of a word."""
        return self._sides[self.viewing.looks_back][1][item][-1]

    def shaded_token_of(self, item: int) -> int:
        """The token that stands for an item that is shaded."""
        return self._sides[not self.viewing.looks_back][1][item][-1]

    def item_of(self, token: int | None) -> int | None:
        """The item to point at that a token belongs to; None where it is hidden."""
        runs = self._sides[self.viewing.looks_back][1]
        return None if token is None else place_of(token, runs)

    def shaded_item_of(self, token: int) -> int | None:
        """The shaded item that a token belongs to; None where it is hidden."""
        return place_of(token, self._sides[not self.viewing.looks_back][1])

    @property
    def dimmed(self) -> int | None:
        """The item whose shade is pale: the first token, where that was chosen."""
        is_of_who_looks = self.is_crossed and self.viewing.looks_back
        if self.viewing.sink != "dimmed" or is_of_who_looks:
            return None
        return self.shaded_item_of(self.shares.shaping.sink)

    def shades(self, item: int) -> FloatArray:
        """The share between an item and each shaded item: [n_shaded].

        Of what it looks at, or looking back of who looks at it. NaN where the mask
        forbids it, and for what is left out.
        """
        shades = np.full(len(self.shaded), np.nan, np.float32)
        if self.viewing.looks_back:
            at = int(self.columns[item])
            if at != NO_COLUMN:
                shades = self.joined(self.shares.columns(at, at + 1)[:, :, 0])
        else:
            row = self.joined(self.shares.rows(item, item + 1)[:, 0])
            is_seen = self.columns != NO_COLUMN
            shades[is_seen] = row[self.columns[is_seen]]
        return shades

    def scale(self, shades: FloatArray) -> Scale:
        """Full colour at the next round share above the largest that is not dimmed."""
        kept = np.nan_to_num(shades)
        if self.dimmed is not None:
            kept[self.dimmed] = 0
        largest = float(kept.max(initial=0.0))
        limit = next((limit for limit in LIMITS if largest <= limit), 1.0)
        return Scale("share", limit, self.viewing.is_log, self.viewing.threshold)

    def told(self, item: int, shades: FloatArray) -> str:
        """The strongest shares of an item in words, and what of them is not shown."""
        told = ", ".join(
            f"{self.shaded_name_of(at)} {percent(float(shades[at]))}"
            for at in strongest(shades, N_TOLD)
        )
        verb = "is looked at by" if self.viewing.looks_back else "looks at"
        words = f"{self.name_of(item)} {verb} {told or 'nothing that is shown'}"
        return " · ".join((words, *self.unseen(item)))

    def name_of(self, item: int) -> str:
        """An item to point at with its place, counted from 1: "·cat (2)"."""
        return numbered(self.labels, item)

    def shaded_name_of(self, item: int) -> str:
        """A shaded item with its place."""
        return numbered(self.shaded_labels, item)

    def question(self, item: int) -> str:
        """What its shades answer, as a heading."""
        name = self.name_of(item)
        ways = f"What {name} looks at", f"What looks at {name}"
        return ways[self.viewing.looks_back]

    def pair(self, item: int, other: int, share: float) -> str:
        """Who looks at whom, and how much; `other` is a shaded item."""
        names = self.name_of(item), self.shaded_name_of(other)
        looks, seen = (other, item) if self.viewing.looks_back else (item, other)
        row, column = looks, int(self.columns[seen])
        number = LEFT_OUT
        if column != NO_COLUMN:
            none = np.isnan(share)
            number = why_none(self.shares, row, column) if none else percent(share)
        looking, looked_at = names[::-1] if self.viewing.looks_back else names
        return f"{looking} → {looked_at}: {number}"

    def unseen(self, item: int) -> tuple[str, ...]:
        """The shares of a query that no item shows: "first token 57 % left out"."""
        if self.viewing.looks_back:
            return ()
        tokens = list(self.shares.shaping.row_tokens[item])
        rows = np.stack([each[tokens].mean(axis=0) for each in self.shares.maps])
        shares = self.joined(rows)
        said = []
        if self.shares.shaping.has_no_sink:
            spare = percent(float(shares[self.shares.shaping.sink]))
            said.append(f"first token {spare} left out")
        hidden = [place for place in self.specials if self.viewing.hides_specials]
        if hidden:
            whole = float(shares[hidden].sum())
            said.append(f"special tokens {percent(whole)} hidden")
        return tuple(said)

    def joined(self, values: FloatArray) -> FloatArray:
        """The heads as one: [n_heads, ...] -> [...]."""
        if self.viewing.joining == "largest":
            return np.asarray(values.max(axis=0))
        return np.asarray(values.mean(axis=0))


def text_heads(
    viewing: Viewing, layer: int, head: int, n_heads: int
) -> tuple[Head, ...]:
    """The heads that are looked at: one, the gathered ones, or all of the layer."""
    if viewing.joining == "head":
        return ((layer, head),)
    return viewing.gathered or tuple((layer, each) for each in range(n_heads))


def text_view(trace: Trace, heads: tuple[Head, ...], viewing: Viewing) -> TextView:
    """The texts with the shares of these heads, of the viewing's kind."""
    kind = kind_named(trace.config, viewing.kind)
    shares = shares_of(trace, heads, viewing)
    shaping, key = shares.shaping, kind.key("pattern")
    looking, seen = trace.rows_of(key).encoding, trace.keys_of(key).encoding
    counted = counted_heads(heads, trace.config.n_heads, kind.name)
    title = f"{JOINED[viewing.joining]}{counted}"
    dimmed = ("the first token is dimmed",) * (viewing.sink == "dimmed")
    specials = (at for at, piece in enumerate(seen.pieces) if piece.is_special)
    return TextView(
        texts=(
            items_of(looking, shaping.row_tokens),
            items_of(seen, shaping.seen_tokens),
        ),
        shares=shares,
        columns=columns_of(shaping),
        viewing=viewing,
        specials=tuple(specials),
        title=title[:1].upper() + title[1:],
        note=" · ".join((*dimmed, *shaping.notes)),
        is_crossed=kind.is_cross,
    )


def strongest(shades: FloatArray, most: int) -> tuple[int, ...]:
    """The items with the largest shares, `most` of them; none that has no share."""
    kept = np.nan_to_num(shades)
    order = np.argsort(-kept, kind="stable")[:most].tolist()
    return tuple(at for at in order if kept[at] > 0)


def columns_of(shaping: Shaping) -> NDArray[np.intp]:
    """The column of each item that is looked at, or NO_COLUMN: [n_seen]."""
    by_token = {run[-1]: place for place, run in enumerate(shaping.column_tokens)}
    found = [by_token.get(run[-1], NO_COLUMN) for run in shaping.seen_tokens]
    return np.array(found, np.intp)


@lru_cache(maxsize=8)
def items_of(encoding: Encoding, runs: tuple[Places, ...]) -> tuple[TextItem, ...]:
    """The tokens of each run as one item of the text; another head has the same."""
    brackets = {
        place: number
        for number, (start, stop) in enumerate(encoding.brackets)
        for place in range(start, stop)
    }
    words = {
        place: number
        for number, word in enumerate(word_runs(encoding))
        for place in word
    }
    pieces = encoding.pieces
    items, before, stop = [], None, 0
    for run in runs:
        in_one = len({brackets.get(place) for place in run}) == 1
        data = b"".join(pieces[place].spelt for place in run)
        left_out = encoding.text[stop : pieces[run[0]].char_span[0]]
        label = " " * left_out.isspace() + label_in_text(data)
        items.append(
            TextItem(
                label=label,
                is_glued=before == words[run[0]],
                ends_line=data.endswith(b"\n"),
                bracket=brackets.get(run[0]) if in_one else None,
                is_leftward=is_leftward(label),
            )
        )
        before, stop = words[run[-1]], pieces[run[-1]].char_span[1]
    return tuple(items)


def label_in_text(data: bytes) -> str:
    """Bytes as on a chip, but with a true space before a word."""
    label = label_of(data)
    has_space = data.startswith(b" ") and label.strip("·")
    return f" {label[1:]}" if has_space else label
