"""An answer as text: complete, in plain signs, with its proof."""

import math
import re

import numpy as np
import pytest

from core.pipeline import run_trace
from core.trace.broken import broken_note
from core.trace.equations import products
from core.trace.explain import explain
from core.trace.numbers import MINUS, by_size, largest
from core.trace.plain import plain
from core.trace.proof import is_close, proof_lines
from core.trace.steps import TOKEN_OPS
from tests.helpers.bundles import tiny_bundle, tiny_trace

MODELS = (
    {},
    {"activation": "relu", "norm_place": "post", "position": "learned"},
    {"activation": "gelu_tanh", "scale_embeddings": True, "tie_embeddings": False},
    {"norm": "rms_norm", "position": "rotary", "gated": True, "activation": "silu"},
)
STATISTICS = (
    ("length:layers.0.resid_mid", (1,)),
    ("entropy:output.probs", (1,)),
    ("cosine:layers.0.resid_mid,layers.0.attn.out", (1, 1)),
)


def number_of(text):
    return float(text.replace(MINUS, "-"))


def explanations(model):
    trace = tiny_trace(**model)
    for step in trace.steps:
        if step.op not in TOKEN_OPS:
            yield trace.explain(step.key, (1,) * len(step.axes))
    for address, index in STATISTICS:
        yield trace.explain(address, index)


@pytest.mark.parametrize("model", MODELS, ids=range(len(MODELS)))
def test_every_answer_names_the_cell_its_operands_and_the_proof(model):
    for explanation in explanations(model):
        lines = explanation.text.splitlines()
        assert lines[0].startswith(f"{explanation.address}[")
        assert lines[1].startswith("  = ")
        words = [line.split()[0] for line in lines[-3:]]
        assert words == ["recomputed", "recorded", "difference"]
        assert len({len(line) for line in lines[-3:]}) == 1
        for block in explanation.blocks:
            assert block.address in explanation.text
        assert number_of(lines[-2].split()[1]) == pytest.approx(
            explanation.recorded, rel=1e-6
        )


@pytest.mark.parametrize("model", MODELS, ids=range(len(MODELS)))
def test_no_equation_keeps_a_command_or_a_brace(model):
    for explanation in explanations(model):
        assert not re.search(r"[\\{}]", plain(explanation.equation))


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"\frac{-5.32}{\sqrt{4}}", "-5.32 / √4"),
        (r"\frac{e^{-2.6}}{e^{1.0} + e^{-2.6}}", "e^-2.6 / (e^1.0 + e^-2.6)"),
        (r"1.2 \cdot (-3.0) + \underbrace{0.5}_{58 \text{ more}}",
         "1.2 × (-3.0) + 0.5 [58 more]"),
        (r"2.04 + (-\infty)", "2.04 + (-∞)"),
        (r"\cos\frac{1}{10^{0 / 8}}", "cos(1 / (10^(0 / 8)))"),
        (r"\max(0, \; 1.5)", "max(0, 1.5)"),
        (r"1.2 \cdot 10^{-5}", "1.2 × 10^-5"),
    ],
)  # fmt: skip
def test_an_equation_is_written_on_one_line(latex, text):
    assert plain(latex) == text


@pytest.mark.parametrize("key", ["layers.1.ffn.hidden", "output.logits"])
def test_the_shown_terms_of_a_sum_and_the_rest_are_the_number(key):
    explanation = tiny_trace().explain(key, (1, 3))
    lines = explanation.text.splitlines()[2:-3]
    total = math.fsum(number_of(line.split()[0]) for line in lines)
    assert "more" in lines[-1]
    assert total == pytest.approx(explanation.value, abs=0.005)


def test_an_infinite_term_and_one_that_is_none_come_first():
    assert list(by_size(np.array([1.0, -np.inf, np.nan, 3.0]))[:2]) == [1, 2]


def test_a_softmax_far_down_the_row_still_shows_its_own_score():
    trace = tiny_trace()
    last = int(trace.part("output.probs", (0,)).argmin())
    assert f"output.logits[0, {last}]" in str(trace.explain("output.probs", (0, last)))


def test_equal_infinities_agree_and_so_do_two_that_are_no_numbers():
    assert is_close(-math.inf, -math.inf)
    assert is_close(math.nan, math.nan)
    assert not is_close(1.0, math.nan)


def test_minus_infinity_and_a_share_of_zero_are_said_in_words():
    trace = tiny_trace()
    for key in ("layers.0.attn.masked", "layers.0.attn.pattern"):
        assert "after the query" in trace.explain(key, (0, 0, 2)).note
        assert trace.explain(key, (0, 2, 2)).note == ""


def test_a_small_difference_is_not_written_as_zero():
    explanation = tiny_trace().explain("layers.0.attn.scores", (1, 2, 0))
    object.__setattr__(explanation, "value", explanation.recorded + 1e-13)
    assert number_of(proof_lines(explanation)[-1].text) > 0


def test_a_number_of_the_model_has_no_warning():
    trace = tiny_trace()
    explanation = explain(trace, "layers.0.resid_mid", (1, 2))
    assert broken_note(explanation, trace.config) == ""


def test_a_gate_names_its_activation():
    trace = tiny_trace(gated=True, activation="silu")
    assert "= SiLU(" in str(trace.explain("layers.0.ffn.active", (1, 2)))


def padded_trace():
    """Two places of padding before the sentence."""
    bundle = tiny_bundle()
    ids = [0, 0, *bundle.tokenizer.encode("the cat sat").ids]
    return run_trace(bundle, ids=ids, attention_mask=[0, 0, 1, 1, 1])


def test_padding_is_said_to_be_padding_and_positions_do_not_count_it():
    trace = padded_trace()
    for key in ("layers.0.attn.masked", "layers.0.attn.pattern"):
        assert "the key is padding" in trace.explain(key, (0, 3, 0)).note
        assert "after the query" in trace.explain(key, (0, 3, 4)).note
    assert "padding" in trace.explain("mask", (3, 0)).note
    assert trace.explain("mask", (3, 3)).note.startswith("1: ")
    assert "token 4" in trace.explain("positions", (3,)).note.lower()
    assert "position 1." in trace.explain("positions", (3,)).note


def test_a_row_that_may_look_at_nothing_has_shares_of_zero():
    trace = padded_trace()
    explanation = trace.explain("layers.0.attn.pattern", (0, 0, 0))
    assert explanation.equation == "0"
    assert not explanation.contributions.any()
    assert "not a number" not in explanation.text


def test_a_key_without_a_share_adds_nothing_even_where_its_value_is_no_number():
    terms = products("mix", np.array([0.0, 0.5]), np.array([np.nan, 2.0]))
    assert list(terms) == [0.0, 1.0]


@pytest.mark.parametrize("n", [0, 1, 6, 299, 300, 400])
@pytest.mark.parametrize("kinds", [(0.0,), (0.0, 1.0), (-np.inf, 3.0), (np.nan, 2.0)])
def test_the_largest_are_the_first_of_all_in_order(n, kinds):
    rng = np.random.default_rng(n)
    values = rng.integers(0, 40, 300).astype(np.float32)
    values[rng.integers(0, 300, 90)] = rng.choice(kinds, 90)
    whole = np.argsort(-values, kind="stable")
    assert largest(values, n).tolist() == whole[:n].tolist()
