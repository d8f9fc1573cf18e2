"""What the position panel shows: token + position = sum, waves, similar positions.

In: a trace of a model that adds positions (sinusoidal or learned). Out: matrices and
curves. Steps: embed.position, embed.sum. Positions count from 0, as in the formula.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil, pi

import numpy as np

from core.config import ModelConfig
from core.trace.matrix import Axis, Cell, FloatArray, Matrix, Scale
from core.trace.numbers import may_be_broken, short
from core.trace.selection import Selection
from core.trace.statistics import statistic_cell
from core.trace.step import address_on, on_side, side_of
from core.trace.trace import Trace
from core.trace.views.axes import feature_axis, signed_scale, token_axis
from core.trace.views.roles import role_of

POSITION, SUM = "embed.position", "embed.sum"
LEAST_SHOWN = 32
"""Curves reach over so many positions, also where the sentence is shorter."""
N_WAVES = 4
"""In a long sentence, so many waves of the chosen feature are shown."""
N_SAMPLES = 160
"""About so many points make a curve."""
N_OTHERS = 2
"""Curves of other features beside the chosen one's."""
SHAPES = ("sin", "cos")
"""What even and odd features are, counted from 0."""
DOTS = "Dots are tokens."


@dataclass(frozen=True, slots=True, eq=False)
class Wave:
    """One feature over the positions."""

    name: str
    y: FloatArray
    """[n_samples]."""
    is_chosen: bool
    is_dashed: bool = False
    """For cosines, to be told from the sines beside them."""


@dataclass(frozen=True, slots=True, eq=False)
class Waves:
    """A few features over the positions, the chosen one's first."""

    x: FloatArray
    """[n_samples], positions, also between whole ones where a formula gives them."""
    curves: tuple[Wave, ...]
    dots: tuple[int, ...]
    """Samples at the positions of the sentence's tokens."""
    title: str
    note: str


def sum_maps(trace: Trace, side: str = "") -> tuple[Matrix, ...]:
    """Token, position, segment if any, sum: [n, d_model] each, one range of colours."""
    keys = sum_keys(trace, side)
    arrays = [np.asarray(trace[key], dtype=np.float32) for key in keys]
    scale = signed_scale(*arrays)
    tokens = token_axis(trace, "token", "query", side)
    # The rows of the last one, the sum, are the first one's.
    others = (Axis("", position_axis(trace, side).labels, "query"), *_segments(trace))
    sides = (tokens, *others, Axis("", ()))
    features = feature_axis(trace.config.d_model)
    columns = (features, *[replace(features, name="")] * (len(keys) - 1))
    return tuple(
        Matrix(array, side, column, scale, role_of(key), key)
        for key, array, side, column in zip(keys, arrays, sides, columns, strict=True)
    )


def _segments(trace: Trace) -> tuple[Axis, ...]:
    """The part of the text that each token is of; nothing where none are told apart."""
    if not trace.config.n_segments:
        return ()
    return (Axis("", tuple(map(str, trace.part("segments").tolist())), "query"),)


def sum_keys(trace: Trace, side: str = "") -> tuple[str, ...]:
    """The steps that are added, and the one that holds the sum."""
    total = address_on(side, SUM)
    return (*trace.step(total).inputs, total)


def sum_place(trace: Trace, selection: Selection) -> tuple[int, int]:
    """The chosen token and feature."""
    return selection.query, chosen_feature(trace.config, selection)


def sum_values(trace: Trace, selection: Selection) -> tuple[str, ...]:
    """Their numbers at the chosen place, ready to read."""
    place = sum_place(trace, selection)
    keys = sum_keys(trace, side_of(selection.step))
    return tuple(short(trace.value(key, place), 4) for key in keys)


def position_axis(trace: Trace, side: str = "", role: str = "") -> Axis:
    """Where the tokens stand, counted from 0, or from what the model leaves out."""
    positions = trace.part(address_on(side, "positions"))
    return Axis("position", tuple(map(str, positions.tolist())), role)


def position_of(trace: Trace, selection: Selection) -> float:
    """Where the chosen token stands, as the curves' axis counts."""
    return float(trace.part(on_side(selection.step, "positions"))[selection.query])


def token_at(trace: Trace, selection: Selection, position: float) -> int:
    """The token that stands nearest to a position."""
    positions = trace.part(on_side(selection.step, "positions"))
    return int(np.abs(positions - position).argmin())


def chosen_feature(config: ModelConfig, selection: Selection) -> int:
    """The selection's feature, as far as the model is wide."""
    return min(selection.feature, config.d_model - 1)


@may_be_broken
def similarity(trace: Trace, side: str = "") -> Matrix:
    """The cosine of every two position rows: [n, n]."""
    rows = np.asarray(trace[address_on(side, POSITION)], dtype=np.float32)
    sizes = np.linalg.norm(rows, axis=1, keepdims=True)
    units = rows / np.where(sizes > 0, sizes, 1)
    values = np.asarray(units @ units.T, dtype=np.float32)
    values.flags.writeable = False
    return Matrix(
        values=values,
        rows=position_axis(trace, side, "query"),
        columns=position_axis(trace, side, "key"),
        scale=Scale("signed", 1.0),
        colour=role_of(POSITION),
    )


def similarity_cell(row: int, column: int, side: str = "") -> Cell:
    """The address of the cosine of two position rows."""
    source = address_on(side, POSITION)
    return statistic_cell("cosine", (source, row), (source, column))


def waves(trace: Trace, selection: Selection) -> Waves:
    """The chosen feature's curve, its partner's, and two others to compare."""
    make = _learned if trace.config.position == "learned" else _sinusoidal
    return make(trace, chosen_feature(trace.config, selection), selection)


def _sinusoidal(trace: Trace, feature: int, selection: Selection) -> Waves:
    config = trace.config
    d_model, base = config.d_model, config.sinusoid_base
    first = in_turn(feature, config) // 2 * 2
    pair = (first, first + 1)[: d_model - first]
    long = wavelength(feature, config)
    n = trace.tokens(side_of(selection.step)).n
    wanted = ceil(min(N_WAVES * long, n))
    shown = shown_positions(config, selection.query, wanted, n)
    n_between = max(1, N_SAMPLES // len(shown))
    values = _sinusoid(shown, n_between, d_model, base)
    names = {at: written_at(at, config) + 1 for at in range(d_model)}
    curves = tuple(
        Wave(f"{names[at]} {SHAPES[at % 2]}", values[:, at], at in pair, at % 2 == 1)
        for at in (*pair, *other_features(first, d_model))
    )
    named = " and ".join(str(names[at]) for at in pair)
    return Waves(
        x=_samples(shown, n_between),
        curves=curves,
        dots=_dots(shown, n, n_between),
        title=f"Features {named} over the positions",
        note=f"One wave: 2π · {base:g}^({first}/{d_model}) = {short(long)} positions. "
        f"{DOTS}",
    )


def in_turn(feature: int, config: ModelConfig) -> int:
    """Where a feature's wave stands if sines and cosines take turns, as in 2017."""
    if not config.sinusoid_halves:
        return feature
    n_sines = (config.d_model + 1) // 2
    return 2 * feature if feature < n_sines else 2 * (feature - n_sines) + 1


def written_at(place: int, config: ModelConfig) -> int:
    """The feature that holds the wave of such a place."""
    if not config.sinusoid_halves:
        return place
    n_sines = (config.d_model + 1) // 2
    return place // 2 + n_sines * (place % 2)


def _learned(trace: Trace, feature: int, selection: Selection) -> Waves:
    config, side = trace.config, side_of(selection.step)
    offset, n = config.position_offset, trace.tokens(side).n
    table = f"{address_on(side, POSITION)}.W_P"
    shown = shown_positions(config, selection.query, LEAST_SHOWN, n)
    rows = slice(shown.start + offset, shown.stop + offset)
    curves = tuple(
        Wave(
            f"feature {at + 1}",
            trace.part(table, (None, at))[rows],
            at == feature,
        )
        for at in (feature, *other_features(feature, config.d_model))
    )
    return Waves(
        x=_samples(shown, 1) + offset,
        curves=curves,
        dots=_dots(shown, n, 1),
        title=f"Feature {feature + 1} over the positions",
        note=f"Learned in training, a number a position. {DOTS}",
    )


def wavelength(feature: int, config: ModelConfig) -> float:
    """How many positions one wave of a sinusoidal feature takes (section 3.5)."""
    exponent = in_turn(feature, config) // 2 * 2 / config.d_model
    return float(2 * pi * config.sinusoid_base**exponent)


def shown_positions(config: ModelConfig, position: int, wanted: int, n: int) -> range:
    """About `wanted` positions around one of `n`, at least LEAST_SHOWN if there are."""
    n_shown = min(config.n_ctx, max(wanted, LEAST_SHOWN))
    start = max(0, min(position - n_shown // 2, max(n, n_shown) - n_shown))
    return range(start, start + n_shown)


def other_features(chosen: int, d_model: int) -> tuple[int, ...]:
    """Two features an eighth of the width away: for waves, about 3 times as long."""
    step = max(2, d_model // 8 // 2 * 2)
    near = (chosen + way * step for way in (1, -1, 2, -2))
    return tuple(at for at in near if 0 <= at < d_model)[:N_OTHERS]


def _samples(shown: range, n_between: int) -> FloatArray:
    n_samples = (len(shown) - 1) * n_between + 1
    return (shown.start + np.arange(n_samples) / n_between).astype(np.float32)


def _dots(shown: range, n: int, n_between: int) -> tuple[int, ...]:
    """The samples that are positions of tokens."""
    n_dots = max(0, min(n, shown.stop) - shown.start)
    return tuple(range(0, n_dots * n_between, n_between))


@lru_cache(maxsize=4)
def _sinusoid(shown: range, n_between: int, d_model: int, base: float) -> FloatArray:
    """The model's own function, also between positions: [n_samples, d_model]."""
    import torch

    from core.model.functions import sinusoid

    n_samples = (len(shown) - 1) * n_between + 1
    places = shown.start + torch.arange(n_samples, dtype=torch.float64) / n_between
    values: FloatArray = sinusoid(places, d_model, base).numpy()
    values.flags.writeable = False
    return values


def pair_text(matrix: Matrix, row: int, column: int) -> str:
    """Two positions and their cosine, for a tooltip."""
    value = short(float(matrix.values[row, column]), 4)
    one, other = matrix.rows.labels[row], matrix.columns.labels[column]
    return f"positions {one} and {other}\ncosine {value}"
