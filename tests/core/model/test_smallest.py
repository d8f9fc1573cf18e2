"""The smallest model: one head, no norm, no feed-forward network; worked out by hand.

The sentence, the weights and the pattern are those of the lesson on queries and keys:
the last token's head is 0.0287 (1, 0) + 0.4856 (0, 2) + 0.4856 (1, 1).
"""

from pathlib import Path

import numpy as np
import pytest
import torch

from core.bundle import make_bundle, open_bundle
from core.config import ModelConfig
from core.model.transformer import Transformer
from core.pipeline import run_trace
from core.training.checkpoint import checkpoints
from tests.helpers.runs import carry_out, write_run
from tests.helpers.traces import LETTERS

SMALLEST = {
    "n_layers": 1,
    "n_heads": 1,
    "norm": "none",
    "feed_forward": False,
    "position": "none",
    "bias": False,
    "tie_embeddings": False,
}
WEIGHTS = {
    "embed.W_E": [[1, 0, 1, 0], [0, 2, 0, 2], [1, 1, 1, 1]],
    "layers.0.attn.W_Q": [[[1, 0]], [[0, 1]], [[1, 0]], [[0, 1]]],
    "layers.0.attn.W_K": [[[0, 1]], [[1, 0]], [[0, 1]], [[1, 0]]],
    "layers.0.attn.W_V": [[[1, 0]], [[0, 1]], [[0, 0]], [[0, 0]]],
    "layers.0.attn.W_O": [[1, 0, 0, 0], [0, 1, 0, 0]],
    "output.W_U": [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]],
}


@pytest.fixture
def trace():
    config = ModelConfig(n_vocab=3, n_ctx=3, d_model=4, d_head=2, **SMALLEST)
    model = Transformer(config)
    assert set(model.weights()) == set(WEIGHTS)
    with torch.no_grad():
        for address, weight in model.weights().items():
            weight.copy_(torch.tensor(WEIGHTS[address]))
    return run_trace(make_bundle(model, LETTERS, name="smallest"), ids=(0, 1, 2))


def test_the_numbers_are_those_worked_out_by_hand(trace):
    steps = {
        "layers.0.attn.pattern": [
            [[1, 0, 0], [0.9965, 0.0035, 0], [0.0287, 0.4856, 0.4856]]
        ],
        "layers.0.attn.heads": [[[1, 0], [0.9965, 0.0070], [0.5144, 1.4569]]],
    }
    for key, expected in steps.items():
        np.testing.assert_allclose(trace[key], expected, atol=1e-4)
    row = trace["layers.0.resid_out"][2]
    np.testing.assert_allclose(row, [1.5144, 2.4569, 1, 1], atol=1e-4)
    np.testing.assert_allclose(
        trace["output.logits"][2], [1.5144, 2.4569, 2], atol=1e-4
    )
    assert trace["output.pick"][2] == 1


def test_what_is_left_out_is_no_step(trace):
    names = {key.rpartition(".")[2] for key in trace.keys if ".ffn." in key}
    assert not names
    assert not any(key.endswith("norm") for key in trace.keys)
    assert trace.step("output.logits").inputs[0] == "layers.0.resid_out"


@pytest.mark.parametrize(
    "parts",
    [
        {**SMALLEST, "position": "learned"},
        {
            **SMALLEST,
            "position": "learned",
            "residual": False,
            "mix_heads": False,
        },
        {"n_experts": 3, "n_experts_per_token": 2, "gated": True},
    ],
    ids=("the smallest", "without sums", "with experts"),
)
def test_such_a_model_learns_and_opens_again(tmp_path: Path, parts):
    folder = write_run(tmp_path / "run", model=parts, n_steps=30, learning_rate=0.01)
    losses = [e.loss for e in carry_out(folder) if hasattr(e, "loss")]
    assert losses[-1] < losses[0] - 0.5
    config = open_bundle(checkpoints(folder)[-1]).config
    assert config.feed_forward == parts.get("feed_forward", True)
    assert config.residual == parts.get("residual", True)
    assert config.n_experts == parts.get("n_experts", 0)


# Without the sum and without W_O: the last row of A V goes to W_U.

BAREST = {**SMALLEST, "residual": False, "mix_heads": False}
BARE_WEIGHTS = {
    "embed.W_E": [[1, 0], [0, 2], [1, 1]],
    "layers.0.attn.W_Q": [[[1, 0]], [[0, 1]]],
    "layers.0.attn.W_K": [[[0, 1]], [[1, 0]]],
    "layers.0.attn.W_V": [[[1, 0]], [[0, 1]]],
    "output.W_U": [[1, 0, 1], [0, 1, -1]],
}
"""Queries and values are the rows themselves; keys are the rows, turned round."""


@pytest.fixture
def bare_trace():
    config = ModelConfig(n_vocab=3, n_ctx=3, d_model=2, **BAREST)
    model = Transformer(config)
    assert set(model.weights()) == set(BARE_WEIGHTS)
    with torch.no_grad():
        for address, weight in model.weights().items():
            weight.copy_(torch.tensor(BARE_WEIGHTS[address]))
    return run_trace(make_bundle(model, LETTERS, name="barest"), ids=(0, 1, 2))


def test_the_last_row_of_a_v_goes_to_w_u(bare_trace):
    # Token 3 asks (1, 1): 1, 2 and 2 over the root of 2 are 0.7071, 1.4142, 1.4142, and
    # e to these 2.028, 4.113, 4.113 of 10.255 together.
    shares = [[1, 0, 0], [0.8044, 0.1956, 0], [0.1978, 0.4011, 0.4011]]
    gathered = [[1, 0], [0.8044, 0.3911], [0.5989, 1.2033]]
    logits = [[1, 0, 1], [0.8044, 0.3911, 0.4133], [0.5989, 1.2033, -0.6044]]
    steps = {
        "layers.0.attn.pattern": [shares],
        "layers.0.attn.heads": [gathered],
        "layers.0.attn.out": gathered,
        "layers.0.resid_mid": gathered,
        "layers.0.resid_out": gathered,
        "output.logits": logits,
    }
    for key, expected in steps.items():
        np.testing.assert_allclose(bare_trace[key], expected, atol=1e-4)
    assert bare_trace["output.pick"].tolist() == [0, 0, 1]


def test_what_is_handed_on_says_so_and_leads_back(bare_trace):
    for key, source in (
        ("layers.0.attn.out", "layers.0.attn.concat"),
        ("layers.0.resid_mid", "layers.0.attn.out"),
        ("layers.0.resid_out", "layers.0.resid_mid"),
    ):
        told = bare_trace.explain(key, (2, 1))
        assert told.op == "same"
        assert [operand.address for operand in told.operands] == [source]
        assert told.value == told.recorded == pytest.approx(1.2033, abs=1e-4)
