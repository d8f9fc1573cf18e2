"""The arithmetic of a transformer: one pure function for each kind of step.

The forward pass calls these, and so does the trace when it derives or explains a
number: there is no second implementation. A step's `op` (see `core.trace.steps`) is the
name of a function here, and its inputs are the arguments, in order.

`...` in front stands for an optional batch axis. Papers: Vaswani et al. 2017 (section
numbers below), Su et al. 2021 (rotary), Shazeer 2020 (gated), Zhang and Sennrich 2019
(RMS norm), Hendrycks and Gimpel 2016 (GELU).
"""

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from core.model.masks import causal_mask, over_heads
from core.model.relative import bucket_of
from core.model.rotation import speeds, speeds_linear, speeds_llama3, turn_pairs


def same(x: Tensor) -> Tensor:
    """Hand a value on under its next name."""
    return x


def add(a: Tensor, b: Tensor, c: Tensor | None = None) -> Tensor:
    """Add arrays of the same shape: the residual connection (section 3.1)."""
    return a + b if c is None else a + b + c


def lookup(ids: Tensor, table: Tensor) -> Tensor:
    """Take the row of each id (section 3.4).

    [..., n], [n_rows, d_model] -> [..., n, d_model]
    """
    return F.embedding(ids, table)


def scale_embedding(x: Tensor, d_model: int) -> Tensor:
    """Multiply embeddings by sqrt(d_model) (section 3.4). [..., n, d_model]."""
    return x * math.sqrt(d_model)


def sinusoid_halves(positions: Tensor, d_model: int, base: float) -> Tensor:
    """Write each position as `sinusoid` does, all sines before all cosines (Marian).

    [n] -> [n, d_model]
    """
    waves = sinusoid(positions, d_model, base)
    return torch.cat((waves[:, 0::2], waves[:, 1::2]), dim=-1)


def sinusoid(positions: Tensor, d_model: int, base: float) -> Tensor:
    """Write each position as waves of falling frequency (section 3.5).

    [n] -> [n, d_model]   PE(p, 2i) = sin(p / base^(2i / d_model)), PE(p, 2i+1) = cos.
    """
    even = torch.arange(0, d_model, 2, dtype=torch.float64)
    angles = positions[:, None] / base ** (even / d_model)
    waves = torch.stack((angles.sin(), angles.cos()), dim=-1).flatten(-2)
    return waves[:, :d_model].float()


def layer_norm(
    x: Tensor, eps: float, gamma: Tensor, beta: Tensor | None = None
) -> Tensor:
    """Take each row's mean away, divide by its deviation, scale and shift.

    [..., n, d_model] -> the same. The variance is over d_model, not d_model - 1.
    """
    return F.layer_norm(x, x.shape[-1:], gamma, beta, eps)


def rms_norm(x: Tensor, eps: float, gamma: Tensor) -> Tensor:
    """Divide each row by its root mean square and scale. [..., n, d_model]."""
    return F.rms_norm(x, x.shape[-1:], gamma, eps)


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Multiply rows by a matrix: x W + b.

    [..., n, d_in], [d_in, d_out], [d_out] -> [..., n, d_out]
    """
    return F.linear(x, weight.mT, bias)


def project_heads(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Give every head its own projection of the rows (section 3.2.2).

    [..., n, d_model], [d_model, n_heads, d_head] -> [..., n_heads, n, d_head]
    """
    flat_bias = None if bias is None else bias.flatten()
    rows = linear(x, weight.flatten(1), flat_bias)
    return rows.view(*x.shape[:-1], *weight.shape[1:]).transpose(-3, -2)


def ask_experts(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Give the rows to every expert, a matrix each (Shazeer et al. 2017).

    [..., n, d_in], [n_experts, d_in, d_out], [n_experts, d_out]
    -> [..., n_experts, n, d_out]
    """
    rows = torch.einsum("...ni,eio->...eno", x, weight)
    return rows if bias is None else rows + bias.unsqueeze(-2)


def map_experts(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Multiply each expert's rows by its own matrix.

    [..., n_experts, n, d_in], [n_experts, d_in, d_out], [n_experts, d_out]
    -> [..., n_experts, n, d_out]
    """
    rows = torch.einsum("...eni,eio->...eno", x, weight)
    return rows if bias is None else rows + bias.unsqueeze(-2)


def choose(shares: Tensor, n_chosen: int) -> Tensor:
    """Keep each row's largest shares, made to add up to one; the others become 0.

    [..., n, n_experts] -> the same. So Mixtral weighs its experts (Jiang et al. 2024).
    """
    values, places = shares.topk(n_chosen, dim=-1)
    kept = torch.zeros_like(shares).scatter(-1, places, values)
    return kept / values.sum(dim=-1, keepdim=True)


def weigh_experts(weights: Tensor, answers: Tensor) -> Tensor:
    """Add up the experts' answers to each token, by the token's weights.

    [..., n, n_experts], [..., n_experts, n, d_model] -> [..., n, d_model]

    An expert that was not chosen adds nothing, also where its answer is no number.
    """
    weights = weights.mT.unsqueeze(-1)
    return (weights * answers).masked_fill(weights == 0, 0.0).sum(dim=-3)


def norm_heads(x: Tensor, eps: float, gamma: Tensor) -> Tensor:
    """Norm each head's rows by themselves, as `rms_norm` does (Henry et al. 2020).

    [..., n_heads, n, d_head] -> the same.
    """
    return F.rms_norm(x, x.shape[-1:], gamma, eps)


def rotate(x: Tensor, positions: Tensor, base: float) -> Tensor:
    """Turn pairs of features by an angle that grows with the position (RoPE).

    [..., n_heads, n, d_head] -> the same. Feature d is paired with d + d_head / 2, as
    Llama's published weights expect; pair i turns by position / base^(2i / d_head).
    """
    return turn_pairs(x, positions, speeds(x.shape[-1] // 2, base, x.device))


def rotate_linear(x: Tensor, positions: Tensor, base: float, factor: float) -> Tensor:
    """Turn pairs as `rotate` does, `factor` times more slowly.

    So a longer text has the angles that shorter ones had in training.
    """
    plain = speeds(x.shape[-1] // 2, base, x.device)
    return turn_pairs(x, positions, speeds_linear(plain, factor))


def rotate_llama3(
    x: Tensor,
    positions: Tensor,
    base: float,
    factor: float,
    low: float,
    high: float,
    n_ctx: float,
) -> Tensor:
    """Turn pairs as `rotate` does, slow ones `factor` times more slowly (Llama 3.1)."""
    plain = speeds(x.shape[-1] // 2, base, x.device)
    slowed = speeds_llama3(plain, factor, low, high, n_ctx)
    return turn_pairs(x, positions, slowed)


ROTATIONS: dict[str, Callable[..., Tensor]] = {
    "none": rotate,
    "linear": rotate_linear,
    "llama3": rotate_llama3,
}
"""By `rotary_scaling`; what each takes, `ModelConfig.rotary_settings` gives."""


def dot_products(q: Tensor, k: Tensor) -> Tensor:
    """Compare each query with each key (section 3.2.1): Q K^T.

    [..., n_heads, n_query, d_head], [..., n_kv_heads, n_key, d_head]
    -> [..., n_heads, n_query, n_key]
    """
    return q @ share_heads(k, q.shape[-3]).mT


def scale(scores: Tensor, d_head: int) -> Tensor:
    """Divide by sqrt(d_head), so that softmax stays soft (section 3.2.1)."""
    return scores / math.sqrt(d_head)


def relative_bias(
    queries: Tensor, keys: Tensor, table: Tensor, farthest: int
) -> Tensor:
    """Shift each score by how far the key is from the query, on either side.

    [n_query], [n_key], [n_buckets, n_heads] -> [n_heads, n_query, n_key]
    Raffel et al. 2020 (section 2.1): a learned number a head and bucket of distances.
    """
    distances = keys[None, :] - queries[:, None]
    return table[bucket_of(distances, len(table), farthest, is_both=True)].permute(
        2, 0, 1
    )


def relative_bias_back(
    queries: Tensor, keys: Tensor, table: Tensor, farthest: int
) -> Tensor:
    """Shift each score as `relative_bias` does, all buckets for keys before the query.

    [n_query], [n_key], [n_buckets, n_heads] -> [n_heads, n_query, n_key]
    """
    distances = keys[None, :] - queries[:, None]
    return table[bucket_of(distances, len(table), farthest, is_both=False)].permute(
        2, 0, 1
    )


def mask(scaled: Tensor, allowed: Tensor) -> Tensor:
    """Set scores that may not be looked at to minus infinity (section 3.2.3).

    [..., n_heads, n_query, n_key], [..., n_query, n_key] of bool -> the first shape
    """
    return scaled.masked_fill(~over_heads(allowed), -math.inf)


def softmax(x: Tensor) -> Tensor:
    """Turn each row into shares that add up to one.

    A row of minus infinity alone, which may look at no key, has nothing to share out:
    its shares are 0, as they are in the fused kernel.
    """
    shares = torch.softmax(x, dim=-1)
    if torch.isneginf(x[..., 0]).any():  # or else no row can be all minus infinity
        has_none = torch.isneginf(x).all(dim=-1, keepdim=True)
        shares = shares.masked_fill(has_none, 0.0)
    return shares


def mix(pattern: Tensor, v: Tensor) -> Tensor:
    """Add up the value rows by the shares of the pattern: A V (section 3.2.1).

    [..., n_heads, n_query, n_key], [..., n_kv_heads, n_key, d_head]
    -> [..., n_heads, n_query, d_head]

    A key without a share adds nothing, also where its value is not a number: 0 times
    NaN would carry it from a masked token to every other.
    """
    rows = share_heads(v, pattern.shape[-3])
    if is_finite(rows):
        return pattern @ rows
    broken = ~torch.isfinite(rows)
    takes_it = (pattern != 0).to(v.dtype) @ broken.to(v.dtype) > 0
    return torch.where(
        takes_it, pattern @ rows, pattern @ rows.masked_fill(broken, 0.0)
    )


def is_finite(x: Tensor) -> bool:
    """Whether an array holds numbers alone, told by its sum: quicker than each."""
    return math.isfinite(float(x.sum()))


def attend(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    dropout: float = 0.0,
    allowed: Tensor | None = None,
    bias: Tensor | None = None,
    *,
    is_scaled: bool = True,
) -> Tensor:
    """Go from Q, K, V to the heads' outputs in one fused kernel.

    The same as `mix(softmax(mask(scale(dot_products(q, k)), allowed)), v)` without ever
    holding an n x n matrix, where all are finite. `allowed` is [..., n_query, n_key] of
    bool; without it the mask is causal, and the last query stands at the last key.
    `bias` [n_heads, n_query, n_key] is added to the scores, which are divided by
    sqrt(d_head) only where `is_scaled`.
    """
    n_heads, n_query, n_key = q.shape[-3], q.shape[-2], k.shape[-2]
    is_causal = allowed is None and n_query == n_key
    if bias is not None:
        is_causal = False
    if allowed is None and (1 < n_query < n_key or bias is not None):
        allowed = causal_mask(n_query, n_key, device=q.device)
    added = None if allowed is None else over_heads(allowed)
    if bias is not None and added is not None:
        added = bias.masked_fill(~added, -math.inf)
    return F.scaled_dot_product_attention(
        q,
        share_heads(k, n_heads),
        share_heads(v, n_heads),
        attn_mask=added,
        dropout_p=dropout,
        is_causal=is_causal,
        scale=None if is_scaled else 1.0,
    )


def concat(heads: Tensor) -> Tensor:
    """Lay the heads side by side (section 3.2.2).

    [..., n_heads, n, d_head] -> [..., n, n_heads * d_head]
    """
    return heads.transpose(-3, -2).flatten(-2)


def first_row(x: Tensor) -> Tensor:
    """Take the row of the first token, [CLS] (Devlin et al. 2018).

    [..., n, d_model] -> [..., 1, d_model]
    """
    return x[..., :1, :]


def tanh(x: Tensor) -> Tensor:
    """Press every number between -1 and 1."""
    return torch.tanh(x)


def relu(x: Tensor) -> Tensor:
    """Cut off below zero: max(0, x) (section 3.3)."""
    return F.relu(x)


def gelu(x: Tensor) -> Tensor:
    """Multiply x by the chance that a normal number is below it: x Phi(x), exactly."""
    return F.gelu(x)


def gelu_tanh(x: Tensor) -> Tensor:
    """GELU by its tanh estimate, as GPT-2 uses it ("gelu_new")."""
    return F.gelu(x, approximate="tanh")


def silu(x: Tensor) -> Tensor:
    """Multiply x by its sigmoid: x / (1 + e^-x)."""
    return F.silu(x)


ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": relu,
    "gelu": gelu,
    "gelu_tanh": gelu_tanh,
    "silu": silu,
}


def gate(gates: Tensor, hidden: Tensor, activation: str) -> Tensor:
    """Let activated gates through which hidden values pass: f(gate) * hidden."""
    return ACTIVATIONS[activation](gates) * hidden


def unembed(x: Tensor, table: Tensor, bias: Tensor | None = None) -> Tensor:
    """Compare each row with every token's embedding (tied logits, section 3.4).

    [..., n, d_model], [n_vocab, d_model], [n_vocab] -> [..., n, n_vocab]
    """
    return F.linear(x, table, bias)


def largest(probs: Tensor) -> Tensor:
    """Pick the likeliest token of each row. [..., n, n_vocab] -> [..., n]."""
    return probs.argmax(dim=-1)


def share_heads(x: Tensor, n_heads: int) -> Tensor:
    """Repeat key or value heads so that each query head has its own (grouped queries).

    [..., n_kv_heads, n, d_head] -> [..., n_heads, n, d_head]
    """
    n_shared = n_heads // x.shape[-3]
    return x if n_shared == 1 else x.repeat_interleave(n_shared, dim=-3)
