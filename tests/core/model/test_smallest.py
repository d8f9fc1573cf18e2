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
        {"n_experts": 3, "n_experts_per_token": 2, "gated": True},
    ],
    ids=("the smallest", "with experts"),
)
def test_such_a_model_learns_and_opens_again(tmp_path: Path, parts):
    folder = write_run(tmp_path / "run", model=parts, n_steps=30, learning_rate=0.01)
    losses = [e.loss for e in carry_out(folder) if hasattr(e, "loss")]
    assert losses[-1] < losses[0] - 0.5
    config = open_bundle(checkpoints(folder)[-1]).config
    assert config.feed_forward == parts.get("feed_forward", True)
    assert config.n_experts == parts.get("n_experts", 0)
