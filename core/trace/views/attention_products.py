"""Rows times a matrix: how Q, K, V and the output of a layer's attention come about.

Steps: attn.q, attn.k, attn.v (one head of them), attn.out. In: a trace, a key, a head.
Out: the three matrices of one product, whose rows and columns belong together.
"""

from dataclasses import dataclass

from core.trace.attentions import attention_words
from core.trace.matrix import Axis, FloatArray, Matrix
from core.trace.needs import Index
from core.trace.numbers import short
from core.trace.step import ROWS_OF_KEYS
from core.trace.steps import Step
from core.trace.trace import Trace
from core.trace.views.axes import feature_axis, row_axis, signed_scale
from core.trace.views.roles import role_of

Part = tuple[str, Index]

NO_BREAK = "\u00a0"
"""A space at which no line ends: a result stays beside its sign."""

PROJECTIONS = ("q", "k", "v")
"""The three products that make queries, keys and values."""
ENCODED = "X_enc"
"""What the encoder made of the source, which keys and values are made of."""


@dataclass(frozen=True, slots=True, eq=False)
class ProductView:
    """left x right = result; a bias may be added to every row of the result."""

    left: Matrix
    right: Matrix
    result: Matrix
    names: tuple[str, str, str]
    """What the three are called in the formula: "X̂", "W_Q", "Q"."""
    bias: str
    """The name of the bias, or ""."""
    biases: FloatArray | None
    """[n_columns]: what is added to every row of the result; None for nothing."""
    place: str
    """ "layer 2 · head 1"."""
    note: str = ""
    """Which query heads share this result, where several do."""

    @property
    def sentence(self) -> str:
        """The product in a line: "Q = X̂ W_Q + b_Q"."""
        left, right, result = self.names
        bias = f" + {self.bias}" if self.bias else ""
        return f"{result} = {left} {right}{bias}"

    @property
    def explanation(self) -> str:
        """What one number of the result is made of."""
        left, right, result = self.names
        n_inner = self.left.values.shape[1]
        bias = f", plus one of {self.bias}," if self.bias else ""
        return (
            f"A row of {left} meets a column of {right}: {n_inner} products, added "
            f"up{bias} make one number of {result}."
        )

    def meeting(self, row: int, column: int) -> str:
        """One number of the result, and the row and column that make it."""
        token = self.result.rows.labels[row]
        number = short(float(self.result.values[row, column]), 4)
        bias = ""
        if self.biases is not None:
            bias = f" + bias {short(float(self.biases[column]))}"
        return f"{token} × column {column + 1}{bias} ={NO_BREAK}{number}"

    def tip(self, factor: str, row: int, column: int) -> str:
        """Where a cell of one of the three stands, and its number."""
        place = FACTORS.index(factor)
        matrix = (self.left, self.right, self.result)[place]
        where = f"feature {row + 1}"
        if factor != "right":
            where = f"token {matrix.rows.labels[row]} ({row + 1})"
        number = short(float(matrix.values[row, column]), 4)
        words = f"{self.names[place]} · {where} · feature {column + 1}: {number}"
        return f"{self.place} · {words}"


FACTORS = ("left", "right", "result")


def head_of(step: Step, trace: Trace, head: int) -> int:
    """The place of a query head on the heads axis of a step."""
    is_shared = step.axes[0] == "n_kv_heads"
    return head // trace.config.n_queries_per_key if is_shared else head


def projection_parts(trace: Trace, key: str, head: int) -> tuple[Part, ...]:
    """What `projection_view` asks of the trace."""
    step = trace.step(key)
    return ((step.inputs[0], ()), (key, (head_of(step, trace, head),)))


def projection_view(trace: Trace, key: str, head: int) -> ProductView:
    """One head's product of what it reads: [n, d_model] x W [d_model, d_head]."""
    step = trace.step(key)
    source, weight, *bias = step.inputs
    place, letter = head_of(step, trace, head), step.name[-1].upper()
    colour = role_of(key)
    rows = row_axis(trace, key)
    inner = feature_axis(trace.config.d_model)
    columns = feature_axis(trace.config.d_head)
    return ProductView(
        left=_matrix(trace, source, (), rows, inner, "residual"),
        right=_matrix(trace, weight, (None, place), inner, columns, colour),
        result=_matrix(trace, key, (place,), rows, columns, colour),
        names=(read_name(step), f"W_{letter}", letter),
        bias=f"b_{letter}" if bias else "",
        biases=trace.part(bias[0], (place,)) if bias else None,
        place=f"{attention_words(step.attention)} · head {head + 1}",
        note=sharing_note(trace, head) if step.axes[0] == "n_kv_heads" else "",
    )


def read_name(step: Step) -> str:
    """What a projection reads: the normed stream, or the encoder's last rows."""
    return ENCODED if step.is_cross and step.name in ROWS_OF_KEYS else "X̂"


def output_parts(trace: Trace, key: str) -> tuple[Part, ...]:
    """What `output_view` asks of the trace."""
    return ((trace.step(key).inputs[0], ()), (key, ()))


def output_view(trace: Trace, key: str) -> ProductView:
    """All heads side by side times W_O [d_heads, d_model]."""
    source, weight, *bias = trace.step(key).inputs
    rows = row_axis(trace, key)
    inner = feature_axis(trace.config.d_heads)
    features = feature_axis(trace.config.d_model)
    return ProductView(
        left=_matrix(trace, source, (), rows, inner, "value"),
        right=_matrix(trace, weight, (), inner, features, "value"),
        result=_matrix(trace, key, (), rows, features, "residual"),
        names=("heads", "W_O", "out"),
        bias="b_O" if bias else "",
        biases=trace.part(bias[0]) if bias else None,
        place=attention_words(trace.step(key).attention),
    )


def _matrix(
    trace: Trace, address: str, index: Index, rows: Axis, columns: Axis, colour: str
) -> Matrix:
    values = trace.part(address, index)
    scale = signed_scale(values)
    prefix = tuple(place for place in index if place is not None)
    return Matrix(values, rows, columns, scale, colour, address, prefix)


def sharing_note(trace: Trace, head: int) -> str:
    """Which key head a query head uses, where several share one; else ""."""
    group = trace.config.n_queries_per_key
    if group == 1:
        return ""
    first = head - head % group + 1
    heads = ", ".join(str(each) for each in range(first, first + group))
    return f"Query heads {heads} use key head {head // group + 1}."
