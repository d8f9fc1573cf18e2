"""Queries and keys before and after they are turned by their place.

Steps: attn.q_rotated, attn.k_rotated. In: a trace, a key, a head. Out: two maps of
tokens by features, and the angle of any pair at any place. Feature i is turned together
with feature i + d_head / 2.
"""

import math
from dataclasses import dataclass

from core.config import ModelConfig
from core.trace.matrix import FloatArray, Matrix
from core.trace.needs import Index
from core.trace.numbers import short
from core.trace.trace import Trace
from core.trace.views.attention_products import head_of, sharing_note
from core.trace.views.axes import feature_axis, row_axis, signed_scale
from core.trace.views.roles import role_of


@dataclass(frozen=True, slots=True)
class Turn:
    """One pair of numbers of one token, as an arrow before and after."""

    before: tuple[float, float]
    after: tuple[float, float]
    angle: float
    """In radians, counter-clockwise."""
    words: str
    """How far it was turned, and why."""


@dataclass(frozen=True, slots=True, eq=False)
class RotationView:
    """One head's rows, as they come and turned."""

    name: str
    """ "Q" or "K"."""
    before: Matrix
    after: Matrix
    positions: FloatArray
    """[n]"""
    speeds: FloatArray
    """[d_head / 2]: radians from one position to the next."""
    note: str
    """Which query heads share this key head, where several do."""

    def pair_of(self, feature: int) -> tuple[int, int]:
        """The two features that are turned together with `feature` among them."""
        half = self.before.values.shape[1] // 2
        return feature % half, feature % half + half

    def turn(self, row: int, feature: int) -> Turn:
        """What happens to a token's pair."""
        low, high = self.pair_of(feature)
        position, speed = float(self.positions[row]), float(self.speeds[low])
        angle = position * speed
        return Turn(
            before=_point(self.before.values[row, [low, high]]),
            after=_point(self.after.values[row, [low, high]]),
            angle=angle,
            words=(
                f"Position {position:g} × {short(speed)} = {short(angle)} radians, "
                f"{short(math.degrees(angle))}°"
            ),
        )

    def tip(self, matrix: Matrix, row: int, column: int) -> str:
        """Where a cell stands, its number, its partner and the angle."""
        token, number = matrix.rows.labels[row], float(matrix.values[row, column])
        low, high = self.pair_of(column)
        is_before = matrix is self.before
        name = self.name if is_before else f"{self.name} turned"
        return (
            f"token {token} ({row + 1}) · feature {column + 1}\n"
            f"{name} = {short(number, 4)}\n"
            f"turned together: features {low + 1} and {high + 1}\n"
            f"{self.turn(row, column).words}"
        )


def rotation_parts(trace: Trace, key: str, head: int) -> tuple[tuple[str, Index], ...]:
    """What `rotation_view` asks of the trace."""
    step = trace.step(key)
    index = (head_of(step, trace, head),)
    return ((step.inputs[0], index), (key, index))


def rotation_view(trace: Trace, key: str, head: int) -> RotationView:
    """One head before and after."""
    step = trace.step(key)
    source, place = step.inputs[0], head_of(step, trace, head)
    rows = row_axis(trace, key)
    columns = feature_axis(trace.config.d_head)
    before, after = trace.part(source, (place,)), trace.part(key, (place,))
    scale = signed_scale(before, after)
    colour = role_of(key)
    return RotationView(
        name=step.name[5].upper(),
        before=Matrix(before, rows, columns, scale, colour, source, (place,)),
        after=Matrix(after, rows, columns, scale, colour, key, (place,)),
        positions=trace.part(step.inputs[1]),
        speeds=_speeds(trace.config),
        note=sharing_note(trace, head) if step.axes[0] == "n_kv_heads" else "",
    )


def _speeds(config: ModelConfig) -> FloatArray:
    from core.model.rotation import SLOWED, speeds

    base, *stretched = config.rotary_settings
    plain = speeds(config.d_head // 2, base)
    slowed: FloatArray = SLOWED[config.rotary_scaling](plain, *stretched).numpy()
    return slowed


def _point(pair: FloatArray) -> tuple[float, float]:
    return float(pair[0]), float(pair[1])
