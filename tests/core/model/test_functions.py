"""Each function against numbers worked out by hand."""

import json
import math
from pathlib import Path

import pytest
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from core.model import functions, masks

GOLDEN = json.loads(
    (Path(__file__).parents[2] / "golden" / "worked_examples.json").read_text("utf-8")
)


def rows(name: str, part: str) -> Tensor:
    return torch.tensor(GOLDEN[name][part], dtype=torch.float32)


def close(found: Tensor, expected: Tensor, digits: int) -> None:
    """Equal to the digits that the worked example was rounded to."""
    torch.testing.assert_close(found, expected, rtol=0, atol=0.51 * 10**-digits)


def test_sinusoid_rows_equal_the_worked_table():
    waves = functions.sinusoid(torch.arange(4), 4, 10000.0)
    close(waves, rows("sinusoidal_position", "rows"), 4)


def test_sinusoid_of_an_odd_width_has_one_sine_more():
    wave = functions.sinusoid(torch.tensor([1]), 5, 10000.0)[0].tolist()
    frequencies = [10000 ** (-2 * i / 5) for i in range(3)]
    expected = [math.sin(frequencies[0]), math.cos(frequencies[0])]
    expected += [math.sin(frequencies[1]), math.cos(frequencies[1])]
    assert wave == pytest.approx([*expected, math.sin(frequencies[2])], abs=1e-7)


@pytest.mark.parametrize("name", ["Q", "K", "V"])
def test_projections_of_the_worked_sentence(name):
    weight = rows("qkv", f"W_{name}")[:, None, :]
    projected = functions.project_heads(rows("qkv", "X"), weight)
    assert projected[0].equal(rows("qkv", name))


def test_scores_of_the_worked_sentence():
    scores = functions.dot_products(rows("qkv", "Q")[None], rows("qkv", "K")[None])
    assert scores[0].equal(rows("qkv", "scores"))


@pytest.mark.parametrize(
    ("masked", "part"), [(False, "pattern_unmasked"), (True, "pattern_causal")]
)
def test_pattern_of_the_worked_sentence(masked, part):
    scaled = functions.scale(rows("qkv", "scores"), GOLDEN["qkv"]["d_head"])
    if masked:
        scaled = functions.mask(scaled, masks.causal_mask(3, 3))
    close(functions.softmax(scaled), rows("qkv", part), 4)


def test_heads_of_the_worked_sentence():
    scaled = functions.scale(rows("qkv", "scores"), GOLDEN["qkv"]["d_head"])
    pattern = functions.softmax(scaled)[None]
    mixed = functions.mix(pattern, rows("qkv", "V")[None])
    close(mixed[0], rows("qkv", "heads_unmasked"), 4)


def test_a_single_query_is_answered_as_worked_out():
    example = "attention_one_query"
    query, keys = rows(example, "q")[None, None], rows(example, "K")[None]
    scores = functions.dot_products(query, keys)
    assert scores[0, 0].equal(rows(example, "scores"))
    scaled = functions.scale(scores, 2)
    close(scaled[0, 0], rows(example, "scaled"), 4)
    pattern = functions.softmax(scaled)
    close(pattern[0, 0], rows(example, "pattern"), 3)
    mixed = functions.mix(pattern, rows(example, "V")[None])
    close(mixed[0, 0], rows(example, "output"), 4)


def test_masking_a_row_renormalises_what_is_left():
    """A mask before the softmax equals dividing the allowed shares by their sum."""
    example = GOLDEN["mask_renormalises"]
    logits = torch.tensor(example["unmasked_row"]).log()
    allowed = torch.arange(6) < example["allowed"]
    row = functions.softmax(functions.mask(logits, allowed))
    close(row, torch.tensor(example["masked_row"]), 3)


def test_scaling_keeps_the_ratio_of_the_worked_softmax():
    example = GOLDEN["scaling"]
    unscaled = torch.tensor(example["unscaled"], dtype=torch.float64)
    before = functions.softmax(unscaled)
    after = functions.softmax(functions.scale(unscaled, example["d_head"]))
    assert before[0] / before[1] == pytest.approx(example["ratio_unscaled"], abs=0.5)
    assert after[0] / after[1] == pytest.approx(example["ratio_scaled"], abs=5e-4)


def test_layer_norm_of_the_worked_row():
    row = torch.tensor(GOLDEN["layer_norm"]["x"], dtype=torch.float32)
    normed = functions.layer_norm(row, 1e-12, torch.ones(4), torch.zeros(4))
    close(normed, torch.tensor(GOLDEN["layer_norm"]["normalised"]), 4)


def test_next_token_shares_and_loss_of_the_worked_logits():
    example = GOLDEN["next_token"]
    probs = functions.softmax(torch.tensor(example["logits"]))
    close(probs, torch.tensor(example["probabilities"]), 4)
    # The example took the logarithm of the rounded share: -ln 0.772 = 0.2588.
    loss = cross_entropy(torch.tensor([example["logits"]]), torch.tensor([0]))
    assert float(loss) == pytest.approx(-math.log(float(probs[0])), abs=1e-6)
    assert float(loss) == pytest.approx(example["cross_entropy_if_CAT"], abs=7e-4)


def test_attention_of_unit_keys():
    """Scaled scores of row 2 are 0, 1, masked; its shares 0.2689 and 0.7311."""
    queries = torch.tensor([[1.0, 0, 0, 0], [0, 2, 0, 0], [1, 1, 0, 0]])
    keys = torch.eye(4)[:3]
    scaled = functions.scale(functions.dot_products(queries[None], keys[None]), 4)
    masked = functions.mask(scaled, masks.causal_mask(3, 3))[0]
    assert masked[1].tolist() == [0, 1, -math.inf]
    expected = [[1, 0, 0], [0.2689, 0.7311, 0], [0.3837, 0.3837, 0.2327]]
    close(functions.softmax(masked), torch.tensor(expected), 4)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gelu", [-0.009361, -0.158655, 0.345731, 0.841345, 1.954500]),
        ("gelu_tanh", [-0.008888, -0.158808, 0.345714, 0.841192, 1.954598]),
    ],
)
def test_the_two_gelus_differ_in_the_fourth_digit(name, expected):
    bent = functions.ACTIVATIONS[name](torch.tensor([-2.7, -1, 0.5, 1, 2]))
    close(bent, torch.tensor(expected), 6)


@pytest.mark.parametrize(("eps", "expected"), [(1e-5, 0.3015), (1e-12, 1.0)])
def test_layer_norm_reads_its_eps(eps, expected):
    row = torch.tensor([0.001, -0.001])
    normed = functions.layer_norm(row, eps, torch.ones(2))
    close(normed, torch.tensor([expected, -expected]), 4)


def test_rms_norm_keeps_the_mean():
    normed = functions.rms_norm(torch.tensor([3.0, 4.0]), 1e-6, torch.ones(2))
    close(normed, torch.tensor([0.8485, 1.1314]), 4)


def test_rotate_turns_pairs_and_keeps_their_length():
    x = torch.randn(2, 5, 8, generator=torch.Generator().manual_seed(0))
    turned = functions.rotate(x, torch.arange(5), 10000.0)
    assert turned[:, 0].equal(x[:, 0])
    before = x[..., :4] ** 2 + x[..., 4:] ** 2
    after = turned[..., :4] ** 2 + turned[..., 4:] ** 2
    torch.testing.assert_close(after, before)


def test_rotated_scores_depend_on_the_distance_alone():
    generator = torch.Generator().manual_seed(1)
    q, k = torch.randn(2, 1, 1, 8, generator=generator)

    def score(query_place: int, key_place: int) -> float:
        turned = functions.rotate(q, torch.tensor([query_place]), 10000.0)
        other = functions.rotate(k, torch.tensor([key_place]), 10000.0)
        return float(functions.dot_products(turned, other))

    assert score(9, 4) == pytest.approx(score(6, 1), abs=1e-5)


@pytest.mark.parametrize(("n_query", "n_key"), [(5, 5), (1, 5), (3, 5)])
@pytest.mark.parametrize("n_kv_heads", [4, 2, 1])
def test_the_fused_kernel_equals_the_steps(n_query, n_key, n_kv_heads):
    generator = torch.Generator().manual_seed(2)
    q = torch.randn(1, 4, n_query, 8, generator=generator)
    k, v = torch.randn(2, 1, n_kv_heads, n_key, 8, generator=generator)
    allowed = masks.causal_mask(n_query, n_key)
    scaled = functions.scale(functions.dot_products(q, k), 8)
    pattern = functions.softmax(functions.mask(scaled, allowed))
    stepwise = functions.mix(pattern, v)
    torch.testing.assert_close(
        functions.attend(q, k, v), stepwise, rtol=1e-5, atol=1e-6
    )


def test_attention_equals_that_of_torch():
    """Against `torch.nn.MultiheadAttention` with the same weights."""
    torch.manual_seed(3)
    theirs = torch.nn.MultiheadAttention(12, 3, batch_first=True).eval()
    x = torch.randn(1, 6, 12)
    allowed = masks.causal_mask(6, 6)
    with torch.inference_mode():
        expected, weights = theirs(
            x, x, x, attn_mask=~allowed, average_attn_weights=False
        )
        packed = theirs.in_proj_weight.T.reshape(12, 3, 3, 4).unbind(1)
        q, k, v = (functions.project_heads(x, w) for w in packed)
        scaled = functions.scale(functions.dot_products(q, k), 4)
        pattern = functions.softmax(functions.mask(scaled, allowed))
        joined = functions.concat(functions.mix(pattern, v))
        out = functions.linear(joined, theirs.out_proj.weight.T, theirs.out_proj.bias)
    torch.testing.assert_close(pattern, weights, rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(out, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("window", [1, 2, 4])
@pytest.mark.parametrize("n_query", [1, 3, 6])
def test_a_window_leaves_the_last_keys_alone(n_query, window):
    allowed = masks.causal_mask(n_query, 6)
    found = masks.windowed(allowed, torch.arange(6), window)
    for row in range(n_query):
        place = 6 - n_query + row
        assert found[row].tolist() == [place - window < k <= place for k in range(6)]


def test_a_window_of_none_hides_nothing():
    allowed = masks.causal_mask(3, 6)
    assert masks.windowed(allowed, torch.arange(6), 0) is allowed
