"""A model's configuration: what it fills in, and what it refuses by name."""

import dataclasses
import inspect

import pytest

from core.checkpoints.native import weight_shapes
from core.config import ModelConfig
from core.config_checks import CHOICES, LARGEST_SIZE, nearest_divisors
from core.errors import ConfigError


def test_zeros_are_filled_in_from_the_other_fields():
    config = ModelConfig(d_model=48, n_heads=6)
    assert (config.n_kv_heads, config.d_ff, config.d_head) == (6, 192, 8)


def test_a_configuration_comes_back_from_its_own_table():
    config = ModelConfig(position="rotary", n_kv_heads=2, gated=True, eps=1e-6)
    assert ModelConfig.from_dict(config.to_dict()) == config


def test_an_unknown_field_is_refused_by_name():
    with pytest.raises(ConfigError, match="d_modell is not a field"):
        ModelConfig.from_dict({"d_modell": 3})


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"d_model": 0}, "d_model = 0 must be at least 1"),
        ({"n_heads": 0}, "n_heads = 0 must be at least 1"),
        ({"n_layers": 2.0}, "n_layers = 2.0 must be a whole number"),
        ({"n_vocab": True}, "n_vocab = True must be a whole number"),
        ({"n_ctx": -1}, "n_ctx = -1 must be at least 1"),
        ({"d_ff": -4}, "d_ff = -4 must be at least 0"),
        ({"d_model": 48, "n_heads": 5}, "n_heads = 5; try n_heads = 4 or 6"),
        ({"n_kv_heads": 3}, "n_kv_heads = 3; it must divide n_heads"),
        ({"d_model": 48, "n_heads": 48, "position": "rotary"}, "d_head must be even"),
        ({"d_head": 7, "position": "rotary"}, "d_head must be even"),
        ({"d_head": -1}, "d_head = -1 must be at least 0"),
        ({"qkv_bias": 1}, "qkv_bias = 1"),
        ({"rotary_factor": 0}, "rotary_factor = 0"),
        ({"rotary_n_ctx": 0}, "rotary_n_ctx = 0"),
        ({"rotary_scaling": "llama3", "rotary_high": 1}, "rotary_high = 1.*rotary_low"),
        ({"dropout": 1.0}, "dropout = 1.0"),
        ({"dropout": float("nan")}, "dropout = nan"),
        ({"eps": 0.0}, "eps = 0.0 must be above 0"),
        ({"eps": "small"}, "eps = 'small' must be a number"),
        ({"rotary_base": float("inf")}, "rotary_base = inf"),
        ({"sinusoid_base": 0.0}, "sinusoid_base = 0.0 must be above 0"),
        ({"norm": "none", "norm_place": "post"}, "none., so norm_place"),
        ({"norm": "none", "norm_embeddings": True}, "so norm_embeddings must be"),
        ({"feed_forward": False, "norm_place": "post"}, "feed_forward = false, so"),
        ({"feed_forward": False, "n_experts": 2}, "feed_forward must be true"),
        ({"n_experts": -1}, "n_experts = -1 must be at least 0"),
        ({"n_experts_per_token": 0}, "n_experts_per_token = 0 must be at least 1"),
        ({"n_experts": 2, "n_experts_per_token": 3}, "at most n_experts = 2"),
        ({"n_experts_per_token": 2}, "at most n_experts = 0"),
        ({"gated": 1}, "gated = 1 must be true or false"),
    ],
)
def test_an_impossible_value_is_refused_with_its_field(fields, message):
    with pytest.raises(ConfigError, match=message):
        ModelConfig(**fields)


@pytest.mark.parametrize("field", CHOICES)
def test_a_choice_that_does_not_exist_is_refused_with_those_that_do(field):
    with pytest.raises(ConfigError, match=f"{field} = 'x'.*{CHOICES[field][0]}"):
        ModelConfig(**{field: "x"})


def test_heads_of_width_one_are_allowed_without_rotation():
    assert ModelConfig(d_model=48, n_heads=48).d_head == 1


def test_every_field_has_a_sentence():

    source = inspect.getsource(ModelConfig)
    for field in dataclasses.fields(ModelConfig):
        after = source.split(f"    {field.name}: ", 1)[1].split("\n")
        assert after[1].strip().startswith('"""'), field.name


@pytest.mark.parametrize(
    ("width", "n_heads", "near"),
    [
        (48, 5, "4 or 6"),
        (7, 3, "1 or 7"),
        (8, 20, "8"),
        (10**12 - 11, 2, "1"),
        (10**12, 10**12 - 1, "1000000000000"),
    ],
)
def test_nearest_divisors(width, n_heads, near):
    assert nearest_divisors(width, n_heads) == near


@pytest.mark.parametrize("name", ["d_model", "n_layers", "n_ctx", "d_ff"])
def test_a_number_that_no_machine_has_room_for_is_refused_by_name(name):
    with pytest.raises(ConfigError, match=f"{name} = 1.* at most 1,073,741,824"):
        ModelConfig(**{name: 10**400})


def test_a_matrix_of_the_largest_sides_can_still_be_counted():
    config = ModelConfig(d_model=LARGEST_SIZE, d_ff=LARGEST_SIZE, n_layers=1)
    assert weight_shapes(config)["layers.0.ffn.W_1"] == (LARGEST_SIZE, LARGEST_SIZE)


def test_whole_numbers_serve_where_any_number_does():
    config = ModelConfig(eps=1, sinusoid_base=10**30)
    assert (config.eps, config.sinusoid_base) == (1.0, 1e30)
    assert isinstance(config.sinusoid_base, float)
    with pytest.raises(ConfigError, match="eps is a larger number"):
        ModelConfig(eps=10**400)
