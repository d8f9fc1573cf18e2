"""Every step of every configuration: derived, recomputed and explained alike."""

import itertools
import math

import numpy as np
import pytest
import torch

from core.config import ModelConfig
from core.pipeline import run_trace
from core.trace.explain import Explanation
from core.trace.needs import SUMS_OF_PRODUCTS
from core.trace.steps import TOKEN_OPS
from core.trace.trace import Trace
from tests.helpers.bundles import SOURCE_TEXT, TWO_SIDES, encoder_decoder_bundle
from tests.helpers.grid import both_sided, grid, smallest, thin_grid, with_experts
from tests.helpers.traces import random_model, traced_ids

IDS = (3, 1, 4, 1, 5)
CELLS_PER_STEP = 1


def by_hand(explanation: Explanation, config: ModelConfig) -> float:
    """The value from the operands alone, in plain Python, op by op."""
    values = [block.values for block in explanation.blocks]
    index = explanation.index
    one = [float(v[0]) for v in values]
    op = explanation.op
    if op in SUMS_OF_PRODUCTS:
        products = math.fsum(a * b for a, b in zip(values[0], values[1], strict=True))
        return products + math.fsum(one[2:])
    if op == "softmax":
        powers = [math.exp(x - max(values[0])) for x in values[0]]
        return powers[index[-1]] / math.fsum(powers)
    if op == "layer_norm":
        mean = float(np.mean(values[0]))
        deviation = math.sqrt(float(np.mean((values[0] - mean) ** 2)) + one[1])
        centred = (values[0][index[1]] - mean) / deviation
        return centred * one[2] + math.fsum(one[3:])
    if op in ("rms_norm", "norm_heads"):
        root = math.sqrt(float(np.mean(values[0] ** 2)) + one[1])
        return values[0][index[-1]] / root * one[2]
    if op.startswith("rotate"):
        half = config.d_head // 2
        place = complex(values[0][index[2] % half], values[0][index[2] % half + half])
        speed = one[2] ** -((index[2] % half) / half)
        angle = one[1] * slowed(speed, *one[3:])
        turned = place * complex(math.cos(angle), math.sin(angle))
        return turned.real if index[2] < half else turned.imag
    if op.startswith("sinusoid"):
        half = (config.d_model + 1) // 2
        is_cosine, pair = divmod(index[1], half)
        if op == "sinusoid":
            pair, is_cosine = divmod(index[1], 2)
        angle = one[0] / one[2] ** (2 * pair / config.d_model)
        return math.cos(angle) if is_cosine else math.sin(angle)
    x = one[0]
    rules = {
        "same": lambda: x,
        "concat": lambda: x,
        "first_row": lambda: x,
        "tanh": lambda: math.tanh(x),
        "lookup": lambda: one[1],
        "add": lambda: math.fsum(one),
        "scale_embedding": lambda: x * math.sqrt(one[1]),
        "scale": lambda: x / math.sqrt(one[1]),
        "mask": lambda: x if one[1] else -math.inf,
        "gate": lambda: bend(config.activation, x) * one[1],
        "choose": lambda: weight_of(values[0][index[-1]], values[0], int(one[1])),
        "largest": lambda: float(np.argmax(values[0])),
        "relative_bias": lambda: one[2],
        "relative_bias_back": lambda: one[2],
    }
    return rules[op]() if op in rules else bend(op, x)


def weight_of(share: float, shares: np.ndarray, n_chosen: int) -> float:
    """A share among the largest, over their sum."""
    chosen = sorted(shares, reverse=True)[:n_chosen]
    return share / math.fsum(chosen) if share in chosen else 0.0


def slowed(speed: float, factor: float = 1.0, *llama3: float) -> float:
    """A pair's speed after its stretching, as Llama 3.1's paper has it."""
    if not llama3:
        return speed / factor
    low, high, n_ctx = llama3
    wavelength = 2 * math.pi / speed
    if wavelength < n_ctx / high:
        return speed
    if wavelength > n_ctx / low:
        return speed / factor
    smooth = (n_ctx / wavelength - low) / (high - low)
    return (1 - smooth) * speed / factor + smooth * speed


def bend(activation: str, x: float) -> float:
    """The activations from their definitions."""
    if activation == "relu":
        return max(0.0, x)
    if activation == "gelu":
        return x * 0.5 * (1 + math.erf(x / math.sqrt(2)))
    if activation == "gelu_tanh":
        inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
        return 0.5 * x * (1 + math.tanh(inner))
    return x / (1 + math.exp(-x))


@pytest.mark.thorough
@pytest.mark.parametrize("position", ["sinusoidal", "learned", "rotary", "none"])
def test_every_step_follows_from_its_inputs_and_explains_its_cells(position):
    seen = 0
    for number, config in enumerate(c for c in grid() if c.position == position):
        trace = traced_ids(config, IDS, seed=number)
        draw = np.random.default_rng(number)
        for step in trace.steps:
            if step.op not in TOKEN_OPS:
                check_step(trace, step.key, draw)
                seen += 1
    assert seen > 4000


@pytest.mark.parametrize("number", range(len(thin_grid())))
def test_every_corner_of_every_step_explains_itself(number):
    trace = traced_ids(thin_grid()[number], IDS, seed=number)
    for step in trace.steps:
        if step.op not in TOKEN_OPS:
            for index in corners(trace.shape(step.key)):
                check_cell(trace, step.key, index)


@pytest.mark.parametrize("config", both_sided(), ids=lambda c: c.output_head)
def test_every_step_of_models_that_look_to_both_sides_explains_itself(config):
    check_every_step(traced_ids(config, IDS))


@pytest.mark.parametrize("config", with_experts(), ids=lambda c: c.activation)
def test_every_step_of_models_with_experts_explains_itself(config):
    check_every_step(traced_ids(config, IDS))


@pytest.mark.parametrize("config", smallest(), ids=lambda c: c.norm)
def test_every_step_of_models_that_leave_parts_out_explains_itself(config):
    trace = traced_ids(config, IDS)
    check_every_step(trace)
    left_out = [key for key in trace.keys if ".norm" in key or ".ffn." in key]
    assert bool(left_out) == (config.norm != "none" or config.feed_forward)


@pytest.mark.parametrize("kind", TWO_SIDES)
def test_every_step_of_models_of_two_sides_explains_itself(kind):
    bundle = encoder_decoder_bundle(kind, n_layers=1, n_encoder_layers=1)
    # A trace of its own: a part that others have derived may end in another bit.
    check_every_step(run_trace(bundle, SOURCE_TEXT, target="a dog ran"))


@pytest.mark.thorough
@pytest.mark.parametrize("kind", TWO_SIDES)
@pytest.mark.parametrize("target", ["a dog ran", ""], ids=("words", "start alone"))
def test_every_step_of_all_layers_of_two_sides_explains_itself(kind, target):
    check_every_step(
        run_trace(encoder_decoder_bundle(kind), SOURCE_TEXT, target=target)
    )


def check_every_step(trace: Trace) -> None:
    """Every step as a whole, and every corner of it."""
    draw = np.random.default_rng(0)
    for step in trace.steps:
        if step.op not in TOKEN_OPS:
            check_step(trace, step.key, draw)
            for index in corners(trace.shape(step.key)):
                check_cell(trace, step.key, index)


@pytest.mark.parametrize("ids", [(7,), (7, 7)], ids=("one token", "the same twice"))
def test_the_shortest_sentences_explain_themselves(ids):
    for number, config in enumerate(thin_grid()):
        trace = traced_ids(config, ids, seed=number)
        for step in trace.steps:
            if step.op not in TOKEN_OPS:
                check_cell(trace, step.key, tuple(s - 1 for s in trace.shape(step.key)))


def test_the_thin_grid_has_every_value_of_every_field():
    def values(configs):
        fields = [config.to_dict().items() for config in configs]
        return set(itertools.chain.from_iterable(fields))

    assert values(thin_grid()) == values(grid())
    assert len(thin_grid()) < 20


def corners(shape: tuple[int, ...]) -> set[tuple[int, ...]]:
    """The first and the last place of every axis, in every combination."""
    return set(itertools.product(*((0, size - 1) for size in shape)))


def check_cell(trace: Trace, key: str, index: tuple[int, ...]) -> None:
    """Recorded, recomputed and worked out by hand are one number."""
    explanation = trace.explain(key, index)
    recorded = trace.value(key, index)
    assert explanation.recorded == recorded
    told = by_hand(explanation, trace.config)
    for value in (explanation.value, told):
        assert value == pytest.approx(recorded, rel=1e-5, abs=1e-5)
    assert explanation.equation
    assert explanation.text.count("\n") >= 4


def check_step(trace: Trace, key: str, draw: np.random.Generator) -> None:
    value = trace[key]
    assert value.shape == trace.shape(key)
    assert not value.flags.writeable
    np.testing.assert_allclose(trace.recomputed(key), value, rtol=1e-5, atol=1e-5)
    for _ in range(CELLS_PER_STEP):
        index = tuple(int(draw.integers(size)) for size in value.shape)
        explanation = trace.explain(key, index)
        assert explanation.recorded == value[index]
        assert explanation.value == pytest.approx(value[index], rel=1e-5, abs=1e-5)
        told = by_hand(explanation, trace.config)
        assert told == pytest.approx(float(value[index]), rel=1e-5, abs=1e-5)
        operands = explanation.operands
        for place in draw.integers(len(operands), size=2):
            operand = operands[place]
            check_operand(trace, operand.address, operand.index, operand.value)
        assert explanation.equation


def check_operand(
    trace: Trace, address: str, index: tuple[int, ...], value: float
) -> None:
    if address.startswith("config."):
        assert getattr(trace.config, address[7:]) == value
    else:
        found = trace.value(address, index)
        assert found == value or math.isclose(found, value, rel_tol=1e-5, abs_tol=1e-6)


@pytest.mark.thorough
@pytest.mark.parametrize("position", ["sinusoidal", "learned", "rotary", "none"])
def test_derived_logits_equal_those_of_the_plain_forward_pass(position):
    for number, config in enumerate(c for c in grid() if c.position == position):
        trace = traced_ids(config, IDS, seed=number)
        with torch.inference_mode():
            plain = random_model(config, number)(torch.tensor([IDS]))[0]
        np.testing.assert_allclose(
            trace["output.logits"], plain.numpy(), rtol=1e-5, atol=2e-5
        )
