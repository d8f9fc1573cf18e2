"""What a run will take, said before it starts: weights, memory, disk and time.

In: a model's and a run's configuration. Out: counts, from formulas, so that they change
as somebody types; nothing is made and torch is not loaded. Only the time needs a figure
that was measured (`calibrate`).

Memory. Each weight has its own 4 bytes, a gradient's and AdamW's two means'. What the
backward pass needs of the forward pass is counted per token and part, as in
Korthikanti et al. 2022 (section 4.1) but for fused attention; at its peak, the scores
of the output layer are there three times: as logarithms, and as two gradients. On a CPU
the measured peaks of three models were 0.95 to 1.03 of the estimate (`benchmarks/
memory_estimate.py`); count on a factor of 1.3.
"""

from dataclasses import dataclass

from core.config import ModelConfig
from core.training.config import TrainingConfig

FLOAT = 4
"""Bytes of a weight, a gradient, a mean."""
HALF = 2
"""Bytes of a bfloat16, in which matrix products are computed on a GPU."""
GAPS = 1.2
"""What passing values and gaps between arrays add to activations, as measured."""
MEGABYTE, GIGABYTE = 1e6, 1e9
TOKENIZER_BYTES = 45
"""Of `tokenizer.json`, for each token."""
FEWEST_KEPT = 2
"""Checkpoints: the best and the newest."""
FORWARD_SHARE = 1 / 3
"""Of a step's time, which goes forward once and backward at twice the cost."""
SECONDS_IN_A_MINUTE = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Bytes that training takes on its device."""

    weights: float
    gradients: float
    optimizer: float
    activations: float
    """Of the windows that are read at once: batch_size / n_parts."""

    @property
    def total(self) -> float:
        """All of it together."""
        return self.weights + self.gradients + self.optimizer + self.activations


def parameters_by_part(config: ModelConfig) -> dict[str, int]:
    """Count the weights by part, in the order of the pass; tied ones once."""
    d_model, d_ff, bias = config.d_model, config.d_ff, config.bias
    d_heads, d_keys = config.d_heads, config.n_kv_heads * config.d_head
    n_hidden = 2 if config.gated else 1
    n_sides = 1 + config.has_encoder
    n_attentions, n_networks = _n_parts(config)
    n_norms = n_attentions + n_networks + n_sides * config.norm_embeddings
    is_masked = config.output_head == "masked"
    has_dense = is_masked or config.output_head == "pooled"
    n_norms += is_masked or n_sides * (config.norm_place == "pre")
    n_norms *= config.norm != "none"
    has_shift = bias and config.norm == "layer_norm"
    attention = (
        d_model * (d_heads + 2 * d_keys)
        + config.has_bias("b_Q") * (d_heads + 2 * d_keys)
        + config.mix_heads * (d_heads + bias) * d_model
        + config.norm_qk * 2 * config.d_head
    )
    network = (n_hidden + 1) * d_model * d_ff + bias * (n_hidden * d_ff + d_model)
    feed_forward = max(config.n_experts, 1) * network + config.n_experts * d_model
    n_positions = {
        "learned": (config.n_ctx + config.position_offset) * d_model,
        "relative": config.relative_buckets * config.n_heads,
    }.get(config.position, 0)
    is_tied = config.tie_embeddings or not config.has_logits
    output = 0 if is_tied else d_model * config.n_vocab
    output += has_dense * (d_model + 1) * d_model
    output += (is_masked or config.output_bias) * config.n_vocab
    return {
        "embedding": (config.n_vocab + config.n_segments) * d_model,
        "position": n_sides * n_positions,
        "attention": n_attentions * attention,
        "feed-forward": n_networks * feed_forward,
        "norms": n_norms * d_model * (1 + has_shift),
        "output": output,
    }


def _n_parts(config: ModelConfig) -> tuple[int, int]:
    """How many attentions and feed-forward networks there are, cross ones included."""
    n_cross = config.n_layers if config.has_encoder else 0
    n_layers = config.n_encoder_layers + config.n_layers
    return n_layers + n_cross, config.feed_forward * n_layers


def count_parameters(config: ModelConfig) -> int:
    """The weights of a model, tied ones once."""
    return sum(parameters_by_part(config).values())


def memory_of(
    model: ModelConfig, training: TrainingConfig, *, half: bool = False
) -> Memory:
    """Estimate what training takes; `half` where products are in bfloat16 (a GPU)."""
    n_bytes = FLOAT * count_parameters(model)
    n_windows = -(-training.batch_size // training.n_parts)
    copies = HALF * count_parameters(model) if half else 0
    return Memory(
        weights=n_bytes,
        gradients=n_bytes,
        optimizer=2 * n_bytes,
        activations=copies + GAPS * n_windows * window_bytes(model, half=half),
    )


def window_bytes(model: ModelConfig, *, half: bool = False) -> int:
    """Bytes that one window of n_ctx tokens leaves for the backward pass, at its peak.

    Of each layer: two norms' inputs; what goes into each product; q, k, v and the
    heads; the hidden layer before and after its bend. Dropout keeps what it dropped
    and, on a CPU, makes attention keep three n x n arrays for each head; relative
    positions keep two. Of a pair, both sides are taken to be n_ctx tokens long, which
    is the most there can be.
    """
    product = HALF if half else FLOAT
    n_masks = 1 if model.dropout else 0
    mask = 1 if half else FLOAT
    d_model = model.d_model
    row = d_model * (FLOAT * (model.norm != "none") + product)
    n_attentions, n_networks = _n_parts(model)
    attention = row + (5 * product + n_masks * mask) * d_model
    network = row + n_masks * d_model * mask
    network += max(model.n_experts, 1) * _hidden_widths(model) * model.d_ff * product
    network += model.n_experts * (d_model + 4) * product
    per_token = n_attentions * attention + n_networks * network
    per_token += (1 + model.has_encoder) * n_masks * d_model * mask
    per_token += row + 3 * model.n_vocab * FLOAT
    n_squares = 0 if half else 3 * n_masks * n_attentions
    if model.position == "relative":  # scores of one's own side are shifted
        n_squares += 2 * (model.n_encoder_layers + model.n_layers)
    squares = n_squares * model.n_heads * model.n_ctx * FLOAT
    return model.n_ctx * (per_token + squares)


def _hidden_widths(model: ModelConfig) -> int:
    """Arrays as wide as the hidden layer that stay; ReLU needs its result alone."""
    n_before_product = 1 if model.activation == "relu" else 2
    return n_before_product + 2 if model.gated else n_before_product


def fits(memory: Memory, available: float | None) -> str:
    """Say in a sentence that memory will not do; "" if it will or nobody knows."""
    if available is None or memory.total <= available:
        return ""
    return (
        f"Training needs about {memory.total / GIGABYTE:,.1f} GB and "
        f"{available / GIGABYTE:,.1f} GB are free; choose a smaller batch_size, more "
        "n_parts, or a smaller model."
    )


def checkpoint_bytes(model: ModelConfig) -> int:
    """Bytes of one checkpoint: weights, AdamW's two means, the tokenizer."""
    return 3 * FLOAT * count_parameters(model) + TOKENIZER_BYTES * model.n_vocab


def n_checkpoints(model: ModelConfig, training: TrainingConfig) -> int:
    """How many checkpoints stay on the disk when the run has ended."""
    n_made = 1 + -(-training.n_steps // training.checkpoint_every)  # step 0 is one
    n_fitting = int(training.disk_budget_mb * MEGABYTE // checkpoint_bytes(model))
    n_allowed = min(n_fitting, training.keep) if training.keep else n_fitting
    return min(n_made, max(FEWEST_KEPT, n_allowed))


def minutes(
    model: ModelConfig,
    training: TrainingConfig,
    tokens_per_second: float,
    tokens_per_example: float = 0.0,
) -> float:
    """How long a run takes at a speed: its steps, and its tests on two texts.

    Windows have n_ctx tokens; of pairs it must be said how many they have.
    """
    n_tests = training.n_steps // training.evaluate_every + 1
    n_batches = 2 * n_tests * training.n_evaluation_batches * FORWARD_SHARE
    n_examples = (training.n_steps + n_batches) * training.batch_size
    n_tokens = n_examples * (tokens_per_example or model.n_ctx)
    return n_tokens / tokens_per_second / SECONDS_IN_A_MINUTE
