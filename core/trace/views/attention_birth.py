"""The whole birth of one share of attention: from two vectors to a row of shares.

Steps: attn.scores, attn.scaled, attn.masked, attn.pattern, of one head, one token that
looks and one token looked at. In: a trace and those places. Out: the two vectors and
their products, every stage that the sum of these passes, and the row it is measured
against. Softmax takes the row's largest number away before it raises e to the rest, so
that nothing overflows; both ways are told.
"""

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.trace.matrix import Axis, Cell, FloatArray
from core.trace.needs import Index
from core.trace.numbers import MINUS, brief, may_be_broken, short
from core.trace.trace import Trace
from core.trace.views.attention_products import sharing_note
from core.trace.views.axes import token_axis
from core.trace.views.masking import AFTER, FAR, NO_KEY, PADDING, why_hidden
from core.trace.views.places import layer_of, token_label

Part = tuple[str, Index]
Numbers = NDArray[np.floating[Any]]

STAGES = ("scores", "scaled", "masked", "pattern")
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
    """By stage, [n_key]: the row of the token that looks."""
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

    @property
    def key_label(self) -> str:
        """The token looked at."""
        return self.keys.labels[self.key]

    @property
    def title(self) -> str:
        """Who asks whom, and through which head."""
        place = f"layer {self.layer + 1}, head {self.head + 1}"
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
        """Scores, scaled and masked ones, exponents and shares. [5, n_key].

        NaN where the mask has taken a number away.
        """
        *before, masked, shares = (self.rows[stage] for stage in STAGES)
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
        score, scaled, masked, share = (self.rows[s][self.key] for s in STAGES)
        largest, at = float(self.rows["masked"][self.largest_at]), self.largest_at
        power, plain = self.powers[self.key], self.plain_powers[self.key]
        d_head = len(self.q)
        shifted = float(masked) - largest if np.isfinite(masked) else float(masked)
        seen = SEEN[self.hidden]
        return (
            Stage(
                "", "q · k", brief(score, 4), _n_products(d_head), self.cell("scores")
            ),
            Stage(
                f"÷ √{d_head}",
                "scaled",
                brief(scaled, 4),
                f"√{d_head} = {short(sqrt(d_head), 4)}",
                self.cell("scaled"),
            ),
            Stage(
                f"+ ({MINUS}∞)" if self.is_masked else "+ 0",
                "masked",
                brief(masked, 4),
                seen,
                self.cell("masked"),
            ),
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
                brief(share, 4),
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
            f"q · k / √d = {short(value, 4)}",
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
    rows = ((f"{attn}.{stage}", (head, query)) for stage in STAGES)
    return ((q, (head, query)), (k, (place, key)), *rows)


@may_be_broken
def birth_view(trace: Trace, attn: str, head: int, query: int, key: int) -> BirthView:
    """One share of attention and all that it came from."""
    sources = trace.step(f"{attn}.scores").inputs
    parts = birth_parts(trace, attn, head, query, key)
    q, k, *rows = (trace.part(*part) for part in parts)
    masked = rows[STAGES.index("masked")].astype(np.float64)
    largest = float(masked.max())
    products = q * k
    layer = layer_of(f"{attn}.scores")
    assert layer is not None
    return BirthView(
        attn=attn,
        layer=layer,
        head=head,
        key_head=head // trace.config.n_queries_per_key,
        query=query,
        key=key,
        query_label=token_label(trace, query),
        keys=token_axis(trace, "key", "key"),
        sources=(sources[0], sources[1]),
        q=q,
        k=k,
        products=products,
        running=np.cumsum(products, dtype=np.float64).astype(np.float32),
        rows=dict(zip(STAGES, rows, strict=True)),
        allowed=trace.part("mask", (query,)),
        hidden=why_hidden(trace.part("mask"), query, key),
        powers=np.exp(masked - (0.0 if np.isneginf(largest) else largest)),
        plain_powers=np.exp(masked),
        sharing=sharing_note(trace, head),
    )


def _n_products(n: int) -> str:
    return f"{n} products" if n > 1 else "one product"


def _plain(number: float) -> str:
    return "too large" if np.isposinf(number) else brief(number)


def _in_brackets(number: float) -> str:
    text = short(float(number))
    return f"({text})" if text.startswith(MINUS) else text
