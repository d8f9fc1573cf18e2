"""NaN in a weight: what was recorded is what is derived, and nothing spreads."""

from functools import cache

import numpy as np
import pytest
import torch

from core.bundle import make_bundle
from core.config import ModelConfig
from core.model import functions
from core.model.transformer import Transformer
from core.pipeline import run_trace
from core.trace.trace import Trace
from tests.helpers.traces import LETTERS

CONFIG = ModelConfig(
    n_vocab=16, n_ctx=8, d_model=8, n_layers=2, n_heads=2, position="learned"
)
IDS = (1, 2, 3, 4)
NAN, INF = float("nan"), float("inf")


@cache
def damaged(address: str, place: tuple[int, ...], value: float = NAN) -> Trace:
    """Four tokens through a model with one spoilt weight."""
    torch.manual_seed(0)
    model = Transformer(CONFIG)
    with torch.no_grad():
        model.weights()[address][place] = value
    return run_trace(make_bundle(model, LETTERS, name="damaged"), ids=IDS)


@pytest.mark.parametrize("value", [NAN, INF])
@pytest.mark.parametrize("letter", ["Q", "K", "V", "O"])
def test_what_was_recorded_is_what_the_damaged_weights_give(letter, value):
    place = (0, 0, 0) if letter != "O" else (0, 0)
    trace = damaged(f"layers.0.attn.W_{letter}", place, value)
    for key in trace.keys:
        if trace.is_kept(key) and key != "tokens.ids":
            np.testing.assert_allclose(trace[key], trace.recomputed(key), atol=1e-6)


def test_a_damaged_query_head_has_no_output_and_the_other_head_has_one():
    heads = damaged("layers.0.attn.W_Q", (0, 0, 0))["layers.0.attn.heads"]
    assert np.isnan(heads[0]).all()
    assert np.isfinite(heads[1]).all()


def test_a_damaged_token_spoils_no_token_before_it():
    trace = damaged("embed.W_E", (3, 0))
    stream = trace["layers.1.resid_out"]
    assert np.isfinite(stream[:2]).all()
    assert np.isnan(stream[2:]).any(axis=1).all()


def test_a_key_without_a_share_adds_nothing_even_if_it_is_not_a_number():
    pattern = torch.tensor([[[1.0, 0.0], [0.5, 0.5]]])
    v = torch.tensor([[[2.0, 3.0], [NAN, INF]]])
    mixed = functions.mix(pattern, v)[0]
    assert mixed[0].tolist() == [2.0, 3.0]
    assert mixed[1].isnan().tolist() == [True, False]
    assert mixed[1, 1] == INF


def test_a_row_of_minus_infinity_alone_has_shares_of_0():
    scores = torch.tensor([[-INF, -INF], [-INF, 1.0], [0.0, 0.0], [NAN, -INF]])
    shares = functions.softmax(scores)
    assert shares[:3].tolist() == [[0, 0], [0, 1], [0.5, 0.5]]
    assert shares[3].isnan().all()
