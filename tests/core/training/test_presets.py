import pytest

from core.errors import ConfigError
from core.model.encoder_decoder import n_parameters
from core.training.presets import PRESETS, Preset, preset

each_preset = pytest.mark.parametrize("each", PRESETS, ids=lambda each: each.name)


def test_presets_grow() -> None:
    sizes = [n_parameters(each.model) for each in PRESETS]
    assert sizes == sorted(sizes)


def test_gpt2_small_has_the_published_number_of_weights() -> None:
    assert n_parameters(preset("gpt2-small").model) == 124_439_808


def test_the_base_of_2017_has_the_fields_of_the_paper() -> None:
    model = preset("base-2017").model
    assert (model.d_model, model.n_heads, model.n_layers, model.d_ff) == (
        512,
        8,
        6,
        2048,
    )
    assert (model.norm_place, model.activation, model.position) == (
        "post",
        "relu",
        "sinusoidal",
    )
    assert model.scale_embeddings
    assert model.tie_embeddings


@each_preset
def test_the_warm_up_ends_early_and_the_rate_falls(each: Preset) -> None:
    training = each.training
    assert training.warmup_steps <= training.n_steps / 10
    assert training.min_learning_rate < training.learning_rate


@each_preset
def test_a_batch_is_shared_evenly_between_its_parts(each: Preset) -> None:
    assert each.training.batch_size % each.training.n_parts == 0


@each_preset
def test_a_preset_is_found_by_its_name_and_described_in_a_sentence(
    each: Preset,
) -> None:
    assert preset(each.name) is each
    assert each.text.endswith(".")
    assert len(each.text) < 80


def test_another_name_is_refused() -> None:
    with pytest.raises(ConfigError, match="'huge' is no preset; choose one of tiny"):
        preset("huge")
