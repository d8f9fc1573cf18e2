"""Every step of every configuration: derived, recomputed and explained alike."""

import itertools
import math
from collections.abc import Iterator

import numpy as np
import pytest
import torch

from core.config import ModelConfig
from core.trace.explain import Explanation
from core.trace.steps import TOKEN_OPS
from core.trace.trace import Trace
from tests.helpers.traces import random_model, traced_ids

IDS = (3, 1, 4, 1, 5)
CELLS_PER_STEP = 2


def grid() -> Iterator[ModelConfig]:
    """positions x norms x places x activations x gated x grouped heads x tied."""
    for position, norm, place, activation, gated, n_kv_heads, tied in itertools.product(
        ("sinusoidal", "learned", "rotary", "none"),
        ("layer_norm", "rms_norm"),
        ("pre", "post"),
        ("relu", "gelu", "gelu_tanh", "silu"),
        (False, True),
        (4, 2),
        (True, False),
    ):
        yield ModelConfig(
            n_vocab=16,
            n_ctx=8,
            d_model=16,
            n_layers=2,
            n_heads=4,
            n_kv_heads=n_kv_heads,
            d_ff=12,
            position=position,
            norm=norm,
            norm_place=place,
            activation=activation,
            gated=gated,
            tie_embeddings=tied,
            scale_embeddings=gated,
            bias=norm == "layer_norm",
            eps=1e-5 if tied else 0.5,  # so large that an eps of its own shows
            sinusoid_base=10000.0 if tied else 64.0,
        )


def by_hand(explanation: Explanation, config: ModelConfig) -> float:
    """The value from the operands alone, in plain Python, op by op."""
    values = [block.values for block in explanation.blocks]
    index = explanation.index
    one = [float(v[0]) for v in values]
    op = explanation.op
    if op in ("linear", "project_heads", "dot_products", "mix", "unembed"):
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
    if op == "rms_norm":
        root = math.sqrt(float(np.mean(values[0] ** 2)) + one[1])
        return values[0][index[1]] / root * one[2]
    if op == "rotate":
        half = config.d_head // 2
        place = complex(values[0][index[2] % half], values[0][index[2] % half + half])
        angle = one[1] / one[2] ** ((index[2] % half) / half)
        turned = place * complex(math.cos(angle), math.sin(angle))
        return turned.real if index[2] < half else turned.imag
    if op == "sinusoid":
        angle = one[0] / one[2] ** (2 * (index[1] // 2) / config.d_model)
        return math.sin(angle) if index[1] % 2 == 0 else math.cos(angle)
    x = one[0]
    rules = {
        "same": lambda: x,
        "concat": lambda: x,
        "lookup": lambda: one[1],
        "add": lambda: x + one[1],
        "scale_embedding": lambda: x * math.sqrt(one[1]),
        "scale": lambda: x / math.sqrt(one[1]),
        "mask": lambda: x if one[1] else -math.inf,
        "gate": lambda: bend(config.activation, x) * one[1],
        "largest": lambda: float(np.argmax(values[0])),
    }
    return rules[op]() if op in rules else bend(op, x)


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


@pytest.mark.parametrize("position", ["sinusoidal", "learned", "rotary", "none"])
def test_derived_logits_equal_those_of_the_plain_forward_pass(position):
    for number, config in enumerate(c for c in grid() if c.position == position):
        trace = traced_ids(config, IDS, seed=number)
        with torch.inference_mode():
            plain = random_model(config, number)(torch.tensor([IDS]))[0]
        np.testing.assert_allclose(
            trace["output.logits"], plain.numpy(), rtol=1e-5, atol=2e-5
        )
