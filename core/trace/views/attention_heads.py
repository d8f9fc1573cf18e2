"""All heads of one step of [n_heads, n, d_head], small and beside each other.

Steps: attn.q, attn.k, attn.v, their rotated kin, attn.heads. In: a trace and a key.
Out: one stack in one scale. Where query heads share key heads, the stack holds the key
heads, and a place in it stands for the query heads that use it.
"""

from dataclasses import dataclass

from core.trace.attentions import attention_words
from core.trace.matrix import Axis, FloatArray, Matrix, Scale
from core.trace.numbers import short
from core.trace.trace import Trace
from core.trace.views.axes import feature_axis, row_axis, signed_scale
from core.trace.views.roles import role_of


@dataclass(frozen=True, slots=True, eq=False)
class HeadsView:
    """One map a head: tokens by features."""

    name: str
    """ "Q", "K", "V", "Q turned", "H"."""
    layer: int
    stack: FloatArray
    """[n_heads or n_kv_heads, n, d_head]."""
    scale: Scale
    colour: str
    tokens: Axis
    key: str
    n_sharing: int
    """Query heads that each of these maps stands for."""
    layer_words: str
    """ "layer 2", "cross layer 2"."""

    @property
    def title(self) -> str:
        """Name and kind: "Q in all heads"."""
        kind = "heads" if self.n_sharing == 1 else "key heads"
        return f"{self.name} in all {kind}"

    @property
    def captions(self) -> tuple[str, ...]:
        """The number of each head, and the query heads that use it."""
        if self.n_sharing == 1:
            return tuple(str(head + 1) for head in range(len(self.stack)))
        return tuple(
            f"{place + 1} · of heads {first}–{first + self.n_sharing - 1}"
            for place, first in enumerate(
                range(1, len(self.stack) * self.n_sharing, self.n_sharing)
            )
        )

    def matrix(self, place: int) -> Matrix:
        """The map of one head."""
        values, prefix = self.stack[place], (place,)
        return Matrix(
            values,
            self.tokens,
            feature_axis(values.shape[1]),
            self.scale,
            self.colour,
            self.key,
            prefix,
        )

    def place_of(self, head: int) -> int:
        """Where a query head's map stands."""
        return head // self.n_sharing

    def query_head(self, place: int) -> int:
        """The first query head that a map stands for."""
        return place * self.n_sharing

    def tip(self, place: int, row: int, column: int) -> str:
        """Where a cell stands, and its number."""
        kind = "head" if self.n_sharing == 1 else "key head"
        number = short(float(self.stack[place, row, column]), 4)
        return (
            f"{self.layer_words} · {kind} {place + 1}\n"
            f"token {self.tokens.labels[row]} ({row + 1}) · feature {column + 1}\n"
            f"{self.name} = {number}"
        )


NAMES = {
    "q": "Q",
    "k": "K",
    "v": "V",
    "q_normed": "Q normed",
    "k_normed": "K normed",
    "q_rotated": "Q turned",
    "k_rotated": "K turned",
    "heads": "H",
}


def heads_view(trace: Trace, key: str) -> HeadsView:
    """Every head of a step."""
    step, stack = trace.step(key), trace[key]
    layer = step.layer
    assert layer is not None
    is_shared = step.axes[0] == "n_kv_heads"
    return HeadsView(
        name=NAMES[key.rpartition(".")[2]],
        layer=layer,
        stack=stack,
        scale=signed_scale(stack),
        colour=role_of(key),
        tokens=row_axis(trace, key),
        key=key,
        n_sharing=trace.config.n_queries_per_key if is_shared else 1,
        layer_words=attention_words(step.attention),
    )
