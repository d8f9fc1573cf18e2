"""The whole birth of one share of attention: from two vectors to a row of shares.

Steps: attn.scores to attn.pattern, of one head, one token that looks and one token
looked at. In: a trace and those places. Out: the two vectors and
their products, every stage that the sum of these passes, and the row it is measured
against. Softmax takes the row's largest number away before it raises e to the rest, so
that nothing overflows; both ways are told.
"""

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.trace.attentions import attention_words
from core.trace.matrix import Axis, Cell, FloatArray
from core.trace.needs import Index
from core.trace.numbers import MINUS, brief, may_be_broken, short
from core.trace.trace import Trace
from core.trace.views.attention_buckets import buckets_of
from core.trace.views.attention_map import stage_unit, stages_of
from core.trace.views.attention_products import sharing_note
from core.trace.views.axes import key_axis
from core.trace.views.masking import AFTER, FAR, NO_KEY, PADDING, why_hidden

Part = tuple[str, Index]
Numbers = NDArray[np.floating[Any]]

SEEN = {
    "": "allowed",
    AFTER: "it comes after",
    FAR: "too far back",
    PADDING: PADDING,
    NO_KEY: NO_KEY,
}
VECTOR_NAMES = {
    "q": "q",
    "k": "k",
    "q_normed": "q normed",
    "k_normed": "k normed",
    "q_rotated": "q turned",
    "k_rotated": "k turned",
}


@dataclass(frozen=True, slots=True)
class Stage:
    """One number on the way, and what was done to the one before it."""

    sign: str
    """The operation that leads here: "÷ √16 = 4"; "" for the first."""
    name: str
    """What the number is called."""
    number: str
    note: str
    """What else belongs to it, in a few words."""
    cell: Cell
    """The number of the trace that it is, or that it is a part of."""


@dataclass(frozen=True, slots=True, eq=False)
class BirthView:
    """How much one token looks at another, and why."""

    attn: str
    """The key of the layer's attention: "layers.1.attn"."""
    layer: int
    head: int
    key_head: int
    query: int
    key: int
    query_label: str
    keys: Axis
    sources: tuple[str, str]
    """The steps that hold q and k."""
    q: FloatArray
    """[d_head]"""
    k: FloatArray
    """[d_head]"""
    products: FloatArray
    """[d_head]: q times k, dimension by dimension."""
    running: FloatArray
    """[d_head]: the sum of the products so far."""
    rows: dict[str, FloatArray]
    """By stage, in order, [n_key]: the row of the token that looks."""
    allowed: NDArray[np.bool_]
    """[n_key]: which tokens it may look at."""
    hidden: str
    """Why it may not look at the key; "" where it may."""
    powers: Numbers
    """[n_key]: e to the masked score minus the largest one."""
    plain_powers: Numbers
    """[n_key]: e to the masked score as it is; infinite where too large."""
    sharing: str
    """Which key head is used, where query heads share one."""
    layer_words: str
    """ "layer 2", "cross layer 2"."""
    unit: str
    """What is masked: "q · k / √d"."""
    bucket: str
    """Which distances share the shift, where scores are shifted."""

    @property
    def key_label(self) -> str:
        """The token looked at."""
        return self.keys.labels[self.key]

    @property
    def title(self) -> str:
        """Who asks whom, and through which head."""
        place = f"{self.layer_words}, head {self.head + 1}"
        return f"{self.query_label} asks {self.key_label} · {place}"

    @property
    def is_masked(self) -> bool:
        """Whether the token may not be looked at."""
        return not self.allowed[self.key]

    @property
    def largest_at(self) -> int:
        """The place of the row's largest number, which softmax takes away."""
        row = self.rows["masked"]
        return 0 if np.isnan(row).all() else int(np.nanargmax(row))

    @property
    def vector_names(self) -> tuple[str, str]:
        """What the two vectors are called; turned and shared ones say so."""
        first, second = (
            VECTOR_NAMES[source.rpartition(".")[2]] for source in self.sources
        )
        shared = f" · key head {self.key_head + 1}" if self.sharing else ""
        return first, second + shared

    @property
    def reading(self) -> str:
        """How to read the products."""
        is_turned = self.vector_names[0] == VECTOR_NAMES["q_rotated"]
        turned = ", both turned by their positions" if is_turned else ""
        sharing = f" · {self.sharing}" if self.sharing else ""
        return f"each number of q times the one below it in k{turned}{sharing}"

    @property
    def row_reading(self) -> str:
        """What makes the row's exponents shares, or why there are none."""
        row = self.rows["masked"]
        if np.isnan(row).any():
            return "a number of this row is not a number, and so no share is one"
        if np.isneginf(row).all():
            return "the whole row is masked: there is nothing to share"
        total, plain = short(self.powers.sum(), 4), short(self.plain_powers.sum(), 4)
        unshifted = (
            f"{plain} unshifted, and the shares are the same"
            if np.isfinite(self.plain_powers.sum())
            else "unshifted the sum is too large for a number, hence the shift"
        )
        return f"the exponents of the row add up to {total}; {unshifted}"

    @property
    def vectors(self) -> Numbers:
        """q, k, their products and the sum so far. [4, d_head]."""
        return np.stack([self.q, self.k, self.products, self.running])

    @property
    def row(self) -> Numbers:
        """A row a stage, and the exponents before the shares. [n_stages + 1, n_key].

        NaN where the mask has taken a number away.
        """
        *before, masked, shares = self.rows.values()
        behind = np.where(self.allowed, [masked, self.powers, shares], np.nan)
        return np.vstack([*before, behind])

    def cell(self, stage: str, key: int | None = None) -> Cell:
        """A number of this row."""
        place = self.key if key is None else key
        return Cell(f"{self.attn}.{stage}", (self.head, self.query, place))

    def vector_cell(self, vector: int, feature: int) -> Cell:
        """A number of q (0) or k (1)."""
        head, token = ((self.head, self.query), (self.key_head, self.key))[vector]
        return Cell(self.sources[vector], (head, token, feature))

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The sum of the products, and what becomes of it."""
        return (*self._before_the_mask, *self._softmax)

    @property
    def _before_the_mask(self) -> tuple[Stage, ...]:
        """The score, as it is scaled, shifted and masked."""
        d_head, shifts = len(self.q), self.rows.get("bias")
        shift = 0.0 if shifts is None else float(shifts[self.key])
        sign = f"{MINUS if shift < 0 else '+'} {brief(abs(shift), 4)}"
        said = {
            "scores": ("", "q · k", _n_products(d_head)),
            "scaled": (f"÷ √{d_head}", "scaled", f"√{d_head} = {_root(d_head)}"),
            "biased": (sign, "shifted", self.bucket.partition(":")[0]),
            "masked": (
                f"+ ({MINUS}∞)" if self.is_masked else "+ 0",
                "masked",
                SEEN[self.hidden],
            ),
        }
        found = [(stage, *said[stage]) for stage in self.rows if stage in said]
        return tuple(
            Stage(sign, name, self._number(stage), note, self.cell(stage))
            for stage, sign, name, note in found
        )

    def _number(self, stage: str) -> str:
        return brief(self.rows[stage][self.key], 4)

    @property
    def _softmax(self) -> tuple[Stage, ...]:
        """From the masked score to its share of the row."""
        masked, at = self.rows["masked"][self.key], self.largest_at
        largest = float(self.rows["masked"][at])
        shifted = float(masked) - largest if np.isfinite(masked) else float(masked)
        power, plain = self.powers[self.key], self.plain_powers[self.key]
        return (
            Stage(
                f"{MINUS} max",
                f"x {MINUS} max",
                brief(shifted, 4),
                f"max {brief(largest)} at {self.keys.labels[at]}",
                self.cell("masked", at),
            ),
            Stage(
                "exp",
                f"e^(x {MINUS} max)",
                brief(power, 4),
                f"e^x = {_plain(plain)}",
                self.cell("pattern"),
            ),
            Stage(
                f"÷ {brief(self.powers.sum())}",
                "share",
                self._number("pattern"),
                f"e^x ÷ {_plain(self.plain_powers.sum())}",
                self.cell("pattern"),
            ),
        )

    def product_tip(self, lane: int, feature: int) -> str:
        """What a number of q, k, their products or the running sum is."""
        q, k = float(self.q[feature]), float(self.k[feature])
        names = self.vector_names
        where = f"dimension {feature + 1} of {len(self.q)}"
        if lane == 0:
            return f"{names[0]} of {self.query_label} · {where}\n{short(q, 4)}"
        if lane == 1:
            return f"{names[1]} of {self.key_label} · {where}\n{short(k, 4)}"
        product, so_far = short(self.products[feature], 4), self.running[feature]
        if lane == 2:
            return f"{where}\n{short(q, 4)} × {short(k, 4)} = {product}"
        return f"sum of dimensions 1 to {feature + 1}\n{short(so_far, 4)}"

    def row_tip(self, lane: int, key: int) -> str:
        """What a number of the row is."""
        token = f"{self.query_label} → {self.keys.labels[key]} ({key + 1})"
        if not self.allowed[key]:
            return f"{token}\nmasked: −∞, e to it is 0, the share is 0"
        value = self.rows["masked"][key]
        share = self.rows["pattern"][key]
        largest = self.rows["masked"][self.largest_at]
        power = short(self.powers[key], 4)
        texts = (
            f"{self.unit} = {short(value, 4)}",
            f"e^({short(value)} {MINUS} {_in_brackets(largest)}) = {power}"
            f" · unshifted {_plain(self.plain_powers[key])}",
            f"share = {power} ÷ {short(self.powers.sum(), 4)} = {short(share, 4)}",
        )
        return f"{token}\n{texts[lane]}"


def birth_parts(
    trace: Trace, attn: str, head: int, query: int, key: int
) -> tuple[Part, ...]:
    """What `birth_view` asks of the trace: two vectors and one row of each stage."""
    q, k = trace.step(f"{attn}.scores").inputs
    place = head // trace.config.n_queries_per_key
    rows = ((f"{attn}.{stage}", (head, query)) for stage in stages_of(trace, attn))
    return ((q, (head, query)), (k, (place, key)), *rows)


@may_be_broken
def birth_view(trace: Trace, attn: str, head: int, query: int, key: int) -> BirthView:
    """One share of attention and all that it came from."""
    step, stages = trace.step(f"{attn}.scores"), stages_of(trace, attn)
    parts = birth_parts(trace, attn, head, query, key)
    q, k, *rows = (trace.part(*part) for part in parts)
    masked = rows[stages.index("masked")].astype(np.float64)
    largest = float(masked.max())
    products, mask = q * k, trace.mask_of(step.key)
    assert step.layer is not None
    shift = f"{attn}.bias"
    return BirthView(
        attn=attn,
        layer=step.layer,
        head=head,
        key_head=head // trace.config.n_queries_per_key,
        query=query,
        key=key,
        query_label=trace.rows_of(step.key).label(query),
        keys=key_axis(trace, step.key),
        sources=(step.inputs[0], step.inputs[1]),
        q=q,
        k=k,
        products=products,
        running=np.cumsum(products, dtype=np.float64).astype(np.float32),
        rows=dict(zip(stages, rows, strict=True)),
        allowed=mask[query],
        hidden=why_hidden(mask, query, key),
        powers=np.exp(masked - (0.0 if np.isneginf(largest) else largest)),
        plain_powers=np.exp(masked),
        sharing=sharing_note(trace, head),
        layer_words=attention_words(attn),
        unit=stage_unit(trace, f"{attn}.masked"),
        bucket=buckets_of(trace, shift).words(query, key) if "bias" in stages else "",
    )


def _root(d_head: int) -> str:
    return short(sqrt(d_head), 4)


def _n_products(n: int) -> str:
    return f"{n} products" if n > 1 else "one product"


def _plain(number: float) -> str:
    return "too large" if np.isposinf(number) else brief(number)


def _in_brackets(number: float) -> str:
    text = short(float(number))
    return f"({text})" if text.startswith(MINUS) else text
