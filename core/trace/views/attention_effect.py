"""What attention moves: shares beside the lengths and the logits that come of them.

Steps: attn.scores to attn.pattern of one layer. In: a trace, a head, the token that
looks, an entry of the vocabulary. Out: the value-weighted pattern as a map, and a row
of numbers for each token looked at. A large share moves little where the value row
behind it is short.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.analysis.attribution import key_parts, sums_behind
from core.analysis.effect import (
    is_edited,
    reach,
    summed_pattern,
    weighted_pattern,
)
from core.tokenizers.base import Piece
from core.trace.attentions import attention_words, kind_of
from core.trace.matrix import FloatArray, Matrix, Scale
from core.trace.needs import Index
from core.trace.numbers import may_be_broken, short
from core.trace.selection import Selection, likeliest
from core.trace.trace import Trace
from core.trace.viewing import Viewing, viewing_of
from core.trace.views.attention_map import DIMMED, MapView, dimmed_in, seen
from core.trace.views.axes import largest_size
from core.trace.views.places import LabelOf
from core.trace.views.shaping import HIDDEN, SINK_OUT, Shaping, shaped, shaping_of

Part = tuple[str, Index]

ORDERS = ("in order", "weight", "effect", "logit")
"""What the tokens looked at can be sorted by."""
SAID_OF_SHARES, SAID_OF_OTHERS = (
    tuple(table[is_of_shares] for table in (SINK_OUT, HIDDEN))
    for is_of_shares in (True, False)
)
"""What was left out, in the words for shares and in those for other numbers."""
WEIGHTED_UNIT, UNMIXED_UNIT = "share × ‖v W_O‖", "share × ‖v‖"
"""The latter where heads are laid side by side as they are."""
N_ROWS = 60
"""Tokens looked at that have a row of their own; the others are added up in one."""


@dataclass(frozen=True, slots=True, eq=False)
class EffectMap:
    """Every share times the length of what it moves."""

    matrix: Matrix
    """[rows, columns] in the shape; NaN where the mask forbids to look."""
    shaping: Shaping
    shares: FloatArray | None
    """[n_query, n_key]; None where several heads are added up."""
    reach: FloatArray | None
    """[n_key]"""
    where: str
    """ "layer 2 · head 1"."""
    unit: str
    """ "share × ‖v W_O‖"."""

    @property
    def reading(self) -> str:
        """How to read the map, and what was done to it."""
        words = f"{self.unit}: how much each key moves its query"
        if self.shares is None:
            words = f"{self.unit} of each head, added up"
        dimmed = (DIMMED,) if self.matrix.dimmed else ()
        return " · ".join((words, *self.shaping.notes, *dimmed))

    def tip(self, row: int, column: int) -> str:
        """Both tokens, and the product in numbers where it is one."""
        matrix, shape = self.matrix, self.shaping
        query, key = shape.tokens_at(row, column)
        place = (
            f"{self.where}\nquery {matrix.rows.labels[row]} ({query + 1}) → "
            f"key {matrix.columns.labels[column]} ({key + 1})"
        )
        value = float(matrix.values[row, column])
        if np.isnan(value):
            return f"{place}\nmasked, or not a number"
        is_one = len(shape.row_tokens[row]) == len(shape.column_tokens[column]) == 1
        if self.shares is None or self.reach is None or not is_one:
            return f"{place}\nlength = {short(value, 4)}"
        share, length = self.shares[query, key], self.reach[key]
        product = f"{short(share, 4)} × {short(length, 4)} = {short(value, 4)}"
        return f"{place}\n{self.unit} = {product}"


@dataclass(frozen=True, slots=True, eq=False)
class KeyEffects:
    """What one token takes through one head, token by token it may look at."""

    query: int
    query_label: str
    keys: NDArray[np.intp]
    """[n]: the tokens it may look at."""
    pieces: Sequence[Piece]
    """[n_key]: the tokens of the text that is looked at."""
    weights: FloatArray
    """[n]: shares of attention."""
    effects: FloatArray
    """[n]: lengths of what each adds."""
    logits: NDArray[np.float64]
    """[n]: what each adds to the logit of `token_label`."""
    token: int
    token_label: str
    note: str
    """What to know of a head that an edit has set."""
    unit: str
    """What an effect is."""

    @property
    def weight_shares(self) -> FloatArray:
        """[n]: of the attention of the row."""
        return parts_of_whole(self.weights)

    @property
    def effect_shares(self) -> FloatArray:
        """[n]: of all lengths together."""
        return parts_of_whole(self.effects)

    @property
    def columns(self) -> NDArray[np.float64]:
        """Weight, effect and logit side by side. [n, 3]."""
        return np.stack([self.weights, self.effects, self.logits], axis=1)

    def shown(self, by: str, key: int) -> NDArray[np.intp]:
        """Places that get a row, sorted: the largest, and the one of `key`.

        As in the sentence, the ones that take most attention are shown.
        """
        numbers = {"effect": self.effects, "logit": np.abs(self.logits)}
        ranked = np.argsort(-numbers.get(by, self.weights), kind="stable")
        kept = ranked[:N_ROWS]
        chosen = np.flatnonzero(self.keys == key)
        if not np.isin(chosen, kept).all():
            kept = np.concatenate((kept[:-1], chosen))
        return np.sort(kept) if by == ORDERS[0] else kept

    def others(self, places: NDArray[np.intp]) -> tuple[int, float, float, float]:
        """How many tokens have no row; their weight, effect and logit, added up."""
        rest = np.delete(np.arange(len(self.keys)), places)
        columns = (self.weights, self.effects, self.logits)
        sums = (float(c[rest].sum(dtype=np.float64)) for c in columns)
        weight, effect, logit = sums
        return len(rest), weight, effect, logit

    @property
    def answer(self) -> str:
        """Whether the attention matters, in a sentence."""
        weights, effects = self.weight_shares, self.effect_shares
        if not len(weights):
            return "This token may look at none."
        if not np.isfinite(weights).all() or not np.isfinite(effects).all():
            return "Some numbers of this row are not numbers, so there is no telling."
        most, mover = int(weights.argmax()), int(effects.argmax())
        takes = (
            f"{self._name(most)} takes {percent(weights[most])} of the attention and "
            f"{percent(effects[most])} of the effect"
        )
        if mover != most:
            moves = f"most of it, {percent(effects[mover])}, is {self._name(mover)}'s"
            return self._with_note(f"{takes}; {moves}.")
        return self._with_note(f"{takes}.")

    @property
    def largest_share(self) -> float:
        """The largest of all shares, of attention or of effect; 0 where none is one."""
        return largest_size(self.weight_shares, self.effect_shares)

    def tip(self, weight: float, effect: float) -> str:
        """How a row's numbers come about, from its two shares."""
        return (
            f"{percent(weight)} of the attention, {percent(effect)} of the effect\n"
            f"effect: {self.unit} · logit: what it adds to {self.token_label}"
        )

    def label(self, place: int) -> str:
        """What the chip of a token that may be looked at says."""
        return self.pieces[int(self.keys[place])].label

    def _name(self, place: int) -> str:
        return f"{self.label(place)} ({int(self.keys[place]) + 1})"

    def _with_note(self, words: str) -> str:
        return f"{words} {self.note}".strip()


def effect_parts(
    trace: Trace, attn: str, at: Selection, *, is_summed: bool
) -> tuple[Part, ...]:
    """What the views below ask of the trace.

    Raises:
        MissingWeightError: Nothing adds to a logit by itself in this model, or in this
            attention.
    """
    # The way to the logits passes every norm behind.
    sums = ((key, (at.query,)) for key in sums_behind(trace, f"{attn}.out"))
    place = at.head // trace.config.n_queries_per_key
    pattern = f"{attn}.pattern"
    return (
        (pattern, () if is_summed else (at.head,)),
        (pattern, (at.head, at.query)),
        (f"{attn}.v", (place,)),
        (f"{attn}.heads", (at.head,)),
        ("output.pick", (at.query,)),
        *sums,
    )


def effect_map(
    trace: Trace, attn: str, head: int | None, viewing: Viewing
) -> EffectMap:
    """The value-weighted pattern of a head; of all heads added up for None."""
    key = f"{attn}.pattern"
    viewing = viewing_of(viewing, kind_of(trace.config, key))
    shares: FloatArray | None = None
    lengths: FloatArray | None = None
    if head is None:
        values = summed_pattern(trace, attn)
    else:
        values = weighted_pattern(trace, attn, head)
        shares = trace.part(key, (head,))
        lengths = reach(trace, attn, head)
    shaping = shaping_of_lengths(trace, viewing)
    values = shaped(np.where(trace.mask_of(key), values, np.float32(np.nan)), shaping)
    values.flags.writeable = False
    dimmed = dimmed_in(shaping, viewing)
    others = np.delete(values, dimmed, axis=-1) if dimmed else values
    scale = Scale("share", largest_size(others), viewing.is_log)
    axes = shaping.rows, shaping.columns
    matrix = Matrix(values, *axes, scale, "value", key, (), dimmed)
    of_head = "all heads" if head is None else f"head {head + 1}"
    where = f"{attention_words(attn)} · {of_head}"
    unit = weighted_unit(trace)
    return EffectMap(matrix, shaping, shares, lengths, where, unit)


def weighted_unit(trace: Trace) -> str:
    """What a share is multiplied by: how long a value row is, as it is added."""
    return WEIGHTED_UNIT if trace.config.mix_heads else UNMIXED_UNIT


def weighted_view(trace: Trace, key: str, head: int, viewing: Viewing) -> MapView:
    """The value-weighted pattern as the map of a head shows it: one stage more."""
    attn = key.rpartition(".")[0]
    effect = effect_map(trace, attn, head, viewing)
    layer = trace.step(key).layer
    assert layer is not None
    return MapView(
        layer=layer,
        head=head,
        stage="pattern",
        matrix=replace(effect.matrix, prefix=(head,)),
        recorded=seen(trace, key, weighted_pattern(trace, attn, head)),
        mask=trace.mask_of(key),
        shaping=effect.shaping,
        unit=effect.unit,
        note=effect.reading,
        layer_words=attention_words(attn),
        is_cross=trace.step(key).is_cross,
    )


def shaping_of_lengths(trace: Trace, viewing: Viewing) -> Shaping:
    """The shape of a map of lengths: added up as shares are, but never made new ones.

    Lengths are no shares of a whole: what is left out takes nothing from the rest.
    """
    shaping = shaping_of(trace, viewing)
    no_shares = dict(zip(SAID_OF_SHARES, SAID_OF_OTHERS, strict=True))
    notes = tuple(no_shares.get(note, note) for note in shaping.notes)
    return replace(shaping, has_no_sink=False, notes=notes)


@may_be_broken
def key_effects(
    trace: Trace, attn: str, head: int, query: int, token: int, label_of: LabelOf
) -> KeyEffects:
    """Weight beside effect, for each token that `query` may look at."""
    key, mask = f"{attn}.pattern", trace.mask_of(f"{attn}.pattern")
    keys = np.flatnonzero(mask[query])
    shares: FloatArray = trace.part(key, (head, query))
    lengths = shares * reach(trace, attn, head)
    logits = key_parts(trace, attn, head, query, token)
    edited = "An edit set this head's output: the rows are what it would have been."
    return KeyEffects(
        query=query,
        query_label=trace.rows_of(key).label(query),
        keys=keys,
        pieces=trace.keys_of(key).encoding.pieces,
        weights=shares[keys],
        effects=lengths[keys],
        logits=logits[keys] + 0.0,  # no zero has a sign
        token=token,
        token_label=label_of(token),
        note=edited if is_edited(trace, attn) else "",
        unit=weighted_unit(trace),
    )


def chosen_token(trace: Trace, at: Selection) -> int:
    """The entry of the vocabulary whose logit is looked at."""
    return likeliest(trace, at) if at.token is None else at.token


@may_be_broken
def parts_of_whole(numbers: FloatArray) -> FloatArray:
    """Each number over their sum; zeros where all are zero."""
    total = numbers.sum()
    return numbers / total if total else np.zeros_like(numbers)


def percent(share: float) -> str:
    """A share as whole percent: "57 %"."""
    if 0 < share < 0.005:
        return "less than 1 %"
    return f"{100 * float(share):.0f} %"
