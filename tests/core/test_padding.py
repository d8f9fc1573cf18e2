"""Padding changes nothing: not the answer, not the positions, not the other rows."""

import warnings
from functools import cache

import numpy as np
import pytest
import torch

from core.bundle import make_bundle
from core.config import ModelConfig
from core.errors import TraceError
from core.model import masks
from core.model.recording import Nobody
from core.pipeline import run_trace
from core.trace.edits import Edit
from core.trace.trace import Trace
from tests.core.model.test_oracle import gpt2
from tests.helpers.grid import thin_grid
from tests.helpers.traces import LETTERS, random_model, traced_ids

TINY_GPT2 = ModelConfig(
    n_vocab=97,
    n_ctx=16,
    d_model=12,
    n_layers=2,
    n_heads=3,
    position="learned",
    activation="gelu_tanh",
)
IDS = (5, 6, 7, 8)
PAD = 0
PADDED = {
    "left": ((PAD, PAD, *IDS), (0, 0, 1, 1, 1, 1)),
    "right": ((*IDS, PAD, PAD), (1, 1, 1, 1, 0, 0)),
    "inside": ((5, 6, PAD, 7, PAD, 8), (1, 1, 0, 1, 0, 1)),
    "both": ((PAD, 5, 6, PAD, 7, 8, PAD), (0, 1, 1, 0, 1, 1, 0)),
    "to sixteen": ((PAD,) * 12 + IDS, (0,) * 12 + (1,) * 4),
}
each_padding = pytest.mark.parametrize("where", PADDED)


@cache
def padded(where: str, config: ModelConfig = TINY_GPT2) -> Trace:
    """The sentence with padding there; a warning of torch is an error."""
    ids, mask = PADDED[where]
    bundle = make_bundle(random_model(config, 0), LETTERS, name="random")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return run_trace(bundle, ids=ids, attention_mask=mask)


def token_places(where: str) -> np.ndarray:
    """Where the tokens stand among the padding."""
    return np.flatnonzero(PADDED[where][1])


def assert_close(left, right) -> None:
    np.testing.assert_allclose(left, right, atol=1e-5)


@each_padding
def test_tokens_answer_as_they_do_without_padding(where):
    alone, places = traced_ids(TINY_GPT2, IDS), token_places(where)
    for key in ("embed.sum", "layers.1.resid_in", "layers.1.resid_out"):
        assert_close(padded(where)[key][places], alone[key])
    assert_close(padded(where)["output.logits"][places], alone["output.logits"])
    for layer in range(2):
        key = f"layers.{layer}.attn.pattern"
        both = padded(where)[key][:, places][:, :, places]
        assert_close(both, alone[key])


@pytest.mark.parametrize("config", thin_grid())
def test_padding_changes_nothing_in_any_kind_of_model(config):
    for where in ("left", "right", "inside"):
        trace, places = padded(where, config), token_places(where)
        alone = traced_ids(config, [5, 6, 7, 8])
        last = trace["output.logits"][places][-1]
        np.testing.assert_allclose(last, alone["output.logits"][-1], atol=2e-5)


@each_padding
def test_gpt2_of_transformers_agrees_where_tokens_stand(where):
    ids, mask = PADDED[where]
    trace, places = padded(where), token_places(where)
    with torch.inference_mode():
        theirs = gpt2(TINY_GPT2, 0)(
            torch.tensor([ids]),
            attention_mask=torch.tensor([mask]),
            position_ids=torch.from_numpy(trace.part("positions").copy())[None],
            output_hidden_states=True,
            output_attentions=True,
        )
    for layer, hidden in enumerate(theirs.hidden_states[:-1]):
        ours = trace[f"layers.{layer}.resid_in"]
        assert_close(ours[places], hidden[0, places])
    for layer, pattern in enumerate(theirs.attentions):
        ours = trace[f"layers.{layer}.attn.pattern"]
        assert_close(ours[:, places], pattern[0][:, places])
    assert_close(trace["output.logits"][places], theirs.logits[0, places])


def test_rows_without_a_valid_key_share_nothing_out_and_spread_nothing():
    trace = padded("left")
    for layer in range(2):
        pattern = trace[f"layers.{layer}.attn.pattern"]
        assert (pattern[:, :2] == 0).all()
        assert (pattern[:, :, :2] == 0).all()
        np.testing.assert_allclose(pattern[:, 2:].sum(axis=-1), 1, atol=1e-6)
        assert (trace[f"layers.{layer}.attn.heads"][:, :2] == 0).all()
    for key in trace.keys:
        if trace.step(key).axes and not key.endswith(".masked"):
            assert np.isfinite(trace[key]).all(), key


@each_padding
def test_what_was_recorded_with_padding_is_what_its_inputs_give(where):
    trace = padded(where)
    for key in trace.keys:
        if trace.is_kept(key) and key != "tokens.ids":
            assert_close(trace[key], trace.recomputed(key))


@each_padding
def test_step_by_step_and_in_one_kernel_padding_gives_the_same(where):
    ids, mask = PADDED[where]
    model = random_model(TINY_GPT2, 0).eval()

    class Everybody(Nobody):
        def asks_for_rows(self, path: str) -> bool:
            return True

    arguments = {"is_token": torch.tensor(mask).bool()}
    with torch.inference_mode():
        fused = model(torch.tensor([ids]), **arguments)
        stepwise = model(torch.tensor([ids]), Everybody(), **arguments)
    torch.testing.assert_close(fused, stepwise, rtol=1e-5, atol=1e-5)


def test_an_edit_inside_attention_keeps_the_padding_out():
    ids, mask = PADDED["left"]
    bundle = make_bundle(random_model(TINY_GPT2, 0), LETTERS, name="random")
    edit = Edit("layers.0.attn.scores", (0,), 0.0)
    edited = run_trace(bundle, ids=ids, attention_mask=mask, edits=[edit])
    alone = traced_ids(TINY_GPT2, IDS, edits=[edit])
    assert_close(edited["output.logits"][2:], alone["output.logits"])


def test_a_trace_knows_its_padding():
    assert padded("both").padding.tolist() == [1, 0, 0, 1, 0, 0, 1]
    assert not traced_ids(TINY_GPT2, IDS).padding.any()


def test_a_mask_of_ones_alone_is_no_padding():
    bundle = make_bundle(random_model(TINY_GPT2, 0), LETTERS, name="random")
    ones = run_trace(bundle, ids=IDS, attention_mask=[1] * 4)
    assert_close(ones["output.logits"], traced_ids(TINY_GPT2, IDS)["output.logits"])


def test_positions_count_tokens_alone_and_never_fall():
    is_token = torch.tensor([0, 0, 1, 0, 1, 1, 0]).bool()
    positions = masks.padded_positions(is_token)
    assert positions.tolist() == [0, 0, 0, 0, 1, 2, 2]


@pytest.mark.parametrize(
    ("mask", "said"),
    [
        ((1, 1, 1), "3 numbers for 4 tokens"),
        ((1, 1, 1, 2), "holds 2"),
        ((0, 0, 0, 0), "every token padding"),
    ],
)
def test_a_mask_that_fits_no_sentence_is_refused(mask, said):
    bundle = make_bundle(random_model(TINY_GPT2, 0), LETTERS, name="random")
    with pytest.raises(TraceError, match=said):
        run_trace(bundle, ids=IDS, attention_mask=mask)


def test_two_traces_of_a_model_with_dropout_are_equal_to_the_last_digit():
    config = ModelConfig(**{**TINY_GPT2.to_dict(), "dropout": 0.3})
    random_model(config, 0).train()
    first, second = traced_ids(config, IDS), traced_ids(config, IDS)
    for key in ("layers.1.attn.pattern", "output.logits"):
        np.testing.assert_array_equal(first[key], second[key])
    np.testing.assert_allclose(first["layers.1.attn.pattern"].sum(-1), 1, atol=1e-5)
