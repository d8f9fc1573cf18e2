import torch

from core.model.transformer import Transformer
from core.training.batch import Batch
from core.training.config import TrainingConfig
from core.training.not_finite import advice, first_not_finite
from tests.helpers.bundles import random_model, tiny_bundle

READ = torch.tensor([[1, 2, 3, 4]])
WINDOWS = [Batch(READ, READ)]


def model_with(address: str = "embed.W_E", value: float | None = None) -> Transformer:
    model = random_model(tiny_bundle().config).train()
    if value is not None:
        with torch.no_grad():
            model.weights()[address].flatten()[0] = value
    return model


def test_a_sound_model_has_nothing_to_name() -> None:
    assert first_not_finite(model_with(), WINDOWS) == ""
    assert first_not_finite(model_with(), ()) == ""


def test_a_ruined_weight_is_named_before_the_steps_it_spoils() -> None:
    model = model_with("layers.1.ffn.W_1", float("inf"))
    assert first_not_finite(model, WINDOWS) == "the weight layers.1.ffn.W_1"


def test_scores_that_grow_too_large_are_named() -> None:
    model = model_with()
    with torch.no_grad():
        for name in ("W_Q", "W_K"):
            model.weights()[f"layers.1.attn.{name}"].fill_(1e20)
    assert first_not_finite(model, WINDOWS) == "layers.1.attn.scores"


def test_masked_scores_are_infinite_on_purpose() -> None:
    model = model_with()
    with torch.no_grad():
        model.weights()["layers.1.ffn.W_2"].fill_(3e38)
    assert first_not_finite(model, WINDOWS) == "layers.1.ffn.out"


def test_a_gradient_is_named_where_the_pass_itself_is_finite() -> None:
    model = random_model(tiny_bundle(tie_embeddings=False).config)
    weights = model.weights()
    with torch.no_grad():
        weights["output.W_U"].copy_(weights["output.W_U"].sign() * 3e38)
        weights["output.norm.gamma"].fill_(1e-3)
        weights["output.norm.beta"].fill_(0.0)
    found = first_not_finite(model, WINDOWS)
    assert found == "the gradient of output.norm.beta"


def test_the_search_leaves_the_model_in_training() -> None:
    model = model_with()
    first_not_finite(model, WINDOWS)
    assert model.training


def test_the_advice_is_a_tenth_of_the_rate_and_at_most_a_safe_one() -> None:
    assert advice(TrainingConfig(learning_rate=1e6)) == (
        "try learning_rate = 0.001 or clip = 0.5"
    )
    assert advice(TrainingConfig(learning_rate=2e-3, clip=10.0)) == (
        "try learning_rate = 0.0002 or clip = 1"
    )
