"""An opened model is at rest: it gives the same numbers whenever it is asked."""

from pathlib import Path

import numpy as np
import pytest

from core.bundle import Bundle, open_bundle
from core.pipeline import run_trace
from core.training.checkpoint import checkpoints
from tests.helpers.bundles import save_tiny
from tests.helpers.runs import carry_out, write_run


@pytest.fixture
def saved(tmp_path: Path) -> Bundle:
    """A model whose configuration asks for dropout."""
    return open_bundle(save_tiny(tmp_path, dropout=0.1))


@pytest.fixture
def trained(tmp_path: Path) -> Bundle:
    """A model that was trained with dropout a moment ago, in this process."""
    folder = write_run(tmp_path / "run", model={"dropout": 0.3}, n_steps=2)
    carry_out(folder)
    return open_bundle(checkpoints(folder)[-1])


@pytest.mark.parametrize("name", ["saved", "trained"])
def test_dropout_is_off_while_looking_at_a_model(
    name: str, request: pytest.FixtureRequest
) -> None:
    bundle = request.getfixturevalue(name)
    assert bundle.config.dropout > 0
    first, second = (run_trace(bundle, ids=b"the cat") for _ in range(2))
    for key in (key for key in first.keys if first.step(key).axes):
        np.testing.assert_array_equal(first[key], second[key])
    pattern = first["layers.0.attn.pattern"]
    np.testing.assert_allclose(pattern.sum(-1), 1, atol=1e-5)


def test_another_checkpoint_of_a_run_shares_the_tokenizer(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", n_steps=3, checkpoint_every=1, keep=3)
    carry_out(folder)
    first, second, _ = checkpoints(folder)
    one = open_bundle(first)
    other = open_bundle(second, like=one)
    assert other.tokenizer is one.tokenizer
    alone = open_bundle(second)
    for address, weight in alone.weights.items():
        np.testing.assert_array_equal(other.weights[address], weight)
    assert not np.array_equal(other.weights["embed.W_E"], one.weights["embed.W_E"])


def test_a_model_with_another_tokenizer_brings_its_own(tmp_path: Path) -> None:
    one = open_bundle(save_tiny(tmp_path / "one"))
    folder = write_run(tmp_path / "run", n_steps=1)
    carry_out(folder)
    other = open_bundle(checkpoints(folder)[-1], like=one)
    assert other.tokenizer.n_vocab == other.config.n_vocab != one.config.n_vocab
