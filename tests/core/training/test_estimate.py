from typing import Any

import pytest
import torch
from torch import Tensor, nn

from core.config import ModelConfig
from core.model.encoder_decoder import model_of, n_parameters
from core.training.config import TrainingConfig
from core.training.estimate import (
    GAPS,
    Memory,
    checkpoint_bytes,
    count_parameters,
    fits,
    memory_of,
    minutes,
    n_checkpoints,
    parameters_by_part,
    window_bytes,
)
from core.training.presets import PRESETS

BASE: dict[str, Any] = {
    "n_vocab": 300,
    "n_ctx": 64,
    "d_model": 64,
    "n_layers": 3,
    "n_heads": 4,
}
LLAMA: dict[str, Any] = {
    "position": "rotary",
    "norm": "rms_norm",
    "gated": True,
    "activation": "silu",
    "bias": False,
    "n_kv_heads": 2,
}
VARIANTS: tuple[dict[str, Any], ...] = (
    {},
    {"position": "learned"},
    {"norm_place": "post", "activation": "relu"},
    {"norm": "rms_norm"},
    {"gated": True, "activation": "silu"},
    {"n_kv_heads": 2, "d_ff": 100},
    {"tie_embeddings": False, "bias": False},
    {"dropout": 0.1},
    LLAMA,
    {**LLAMA, "n_experts": 4, "n_experts_per_token": 2, "d_ff": 48},
    {"n_experts": 3},
    {"norm": "none", "feed_forward": False},
    {"norm": "none"},
    {"feed_forward": False},
    {"n_encoder_layers": 2, "norm_place": "post", "activation": "relu"},
    {"n_encoder_layers": 1, "position": "learned", "output_bias": True},
    {
        "n_encoder_layers": 3,
        "position": "relative",
        "norm": "rms_norm",
        "bias": False,
        "norm_embeddings": True,
    },
    {"n_encoder_layers": 2, "dropout": 0.1},
)
FACTOR = 1.15
"""Between what is estimated and what is kept."""
each_variant = pytest.mark.parametrize("fields", VARIANTS, ids=str)


def config_with(fields: dict[str, Any]) -> ModelConfig:
    return ModelConfig(**{**BASE, **fields})


def kept_bytes(config: ModelConfig, n_windows: int) -> int:
    """What the forward pass keeps for the backward pass, counted as it is kept."""
    model = model_of(config)
    weights = {weight.untyped_storage().data_ptr() for weight in model.parameters()}
    kept: dict[int, Tensor] = {}

    def keep(value: Tensor) -> Tensor:
        place = value.untyped_storage().data_ptr()
        if place not in weights:
            kept[place] = value
        return value

    ids = torch.zeros(n_windows, config.n_ctx, dtype=torch.long)
    given = {"source": ids} if config.has_encoder else {}
    with torch.autograd.graph.saved_tensors_hooks(keep, lambda value: value):
        logits = model(ids, **given)
        nn.functional.cross_entropy(logits.flatten(0, 1), ids.flatten())
    return sum(value.untyped_storage().nbytes() for value in kept.values())


@each_variant
def test_the_parts_add_up_to_every_weight(fields: dict[str, Any]) -> None:
    config = config_with(fields)
    assert sum(parameters_by_part(config).values()) == n_parameters(config)


@each_variant
def test_each_part_counts_its_own_weights(fields: dict[str, Any]) -> None:
    config = config_with(fields)
    found = dict.fromkeys(parameters_by_part(config), 0)
    with torch.device("meta"):
        weights = model_of(config).weights()
    for address, weight in weights.items():
        found[part_of(address)] += weight.numel()
    assert parameters_by_part(config) == found


def part_of(address: str) -> str:
    if address.endswith(("gamma", "beta")):
        return "norms"
    if address.endswith((".W_P", ".W_B")):
        return "position"
    parts = {
        "embed.W_E": "embedding",
        ".attn.": "attention",
        ".cross.": "attention",
        ".ffn.": "feed-forward",
        "output.": "output",
    }
    return next(part for piece, part in parts.items() if piece in address)


@each_variant
def test_activations_are_what_the_forward_pass_keeps(fields: dict[str, Any]) -> None:
    config = config_with(fields)
    # At the peak two gradients of the scores are there that are not kept.
    gradients = 2 * 4 * config.n_vocab * config.n_ctx
    estimated = 4 * (window_bytes(config) - gradients)
    assert 1 / FACTOR < kept_bytes(config, 4) / estimated < FACTOR


def test_weights_gradients_and_means_have_four_bytes_each() -> None:
    config = config_with({})
    memory = memory_of(config, TrainingConfig(batch_size=1))
    assert memory.weights == memory.gradients == 4 * n_parameters(config)
    assert memory.optimizer == 8 * n_parameters(config)
    assert memory.total == 16 * n_parameters(config) + memory.activations


def test_a_batch_read_in_parts_keeps_one_part() -> None:
    config = config_with({})
    whole = memory_of(config, TrainingConfig(batch_size=8)).activations
    parts = memory_of(config, TrainingConfig(batch_size=8, n_parts=3)).activations
    assert whole == pytest.approx(8 * GAPS * window_bytes(config))
    assert parts == pytest.approx(3 * GAPS * window_bytes(config))


def test_half_as_wide_products_keep_less() -> None:
    for preset in PRESETS:
        assert window_bytes(preset.model, half=True) < window_bytes(preset.model)


def test_too_little_memory_is_said_in_a_sentence() -> None:
    memory = Memory(weights=1e9, gradients=1e9, optimizer=2e9, activations=1.2e9)
    assert fits(memory, 5.2e9) == fits(memory, None) == ""
    assert fits(memory, 5.1e9).startswith("Training needs about 5.2 GB and 5.1 GB are")


def test_a_checkpoint_has_the_size_that_was_found_on_the_disk() -> None:
    default = ModelConfig(n_vocab=2048, d_model=192, n_layers=4, n_heads=4)
    assert count_parameters(default) == 2_173_056
    found = 613 + 8_698_016 + 91_076 + 135 + 17_407_648
    assert checkpoint_bytes(default) == pytest.approx(found, rel=0.01)


@pytest.mark.parametrize(
    ("fields", "n_kept"),
    [
        ({"disk_budget_mb": 1000.0}, 38),  # 26.2 MB each
        ({"disk_budget_mb": 1.0}, 2),
        ({"disk_budget_mb": 1000.0, "keep": 5}, 5),
        ({"n_steps": 900, "checkpoint_every": 200}, 6),  # 0, 200, ..., 800, 900
    ],
)
def test_checkpoints_are_kept_as_far_as_the_disk_may_be_filled(
    fields: dict[str, Any], n_kept: int
) -> None:
    default = ModelConfig(n_vocab=2048, d_model=192, n_layers=4, n_heads=4)
    fields = {"n_steps": 100_000, **fields}
    assert n_checkpoints(default, TrainingConfig(**fields)) == n_kept


def test_minutes_count_the_steps_and_the_tests() -> None:
    config = config_with({})
    training = TrainingConfig(
        n_steps=600, batch_size=10, evaluate_every=200, n_evaluation_batches=15
    )
    # 600 steps and 4 tests of two texts, 15 batches each, at a third of a step.
    n_tokens = (600 + 4 * 2 * 15 / 3) * 10 * 64
    assert minutes(config, training, 1000) == pytest.approx(n_tokens / 1000 / 60)


def test_minutes_of_pairs_count_the_tokens_that_they_have() -> None:
    config, training = config_with({"n_encoder_layers": 1}), TrainingConfig()
    whole = minutes(config, training, 1000)
    assert minutes(config, training, 1000, 16.0) == pytest.approx(whole * 16 / 64)
