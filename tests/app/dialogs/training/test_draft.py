import pytest

from app.dialogs.training.draft import Draft, raw
from core.config import ModelConfig
from core.errors import ConfigError
from core.training.config import TokenizerConfig, TrainingConfig
from core.training.presets import PRESETS


def test_the_vocabulary_of_the_model_follows_the_tokenizer():
    draft = Draft().with_tokenizer(TokenizerConfig(n_vocab=300))
    assert draft.model.n_vocab == 300
    assert draft.config.tokenizer.n_vocab == 300


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_a_preset_changes_the_model_but_not_the_tokenizer_nor_the_device(preset):
    before = Draft(training=TrainingConfig(device="cpu", seed=7)).with_tokenizer(
        TokenizerConfig(n_vocab=300)
    )
    after = before.with_preset(preset.model, preset.training)
    assert after.model.d_model == preset.model.d_model
    assert after.model.n_vocab == 300
    assert (after.training.device, after.training.seed) == ("cpu", 7)
    assert after.training.n_steps == preset.training.n_steps


def test_widths_that_were_left_to_the_model_go_on_following_it():
    draft = Draft(model=ModelConfig(d_model=64, n_heads=4))
    wider = draft.with_fields({"model.d_model": 96, "model.n_heads": 6})
    assert (wider.model.d_ff, wider.model.n_kv_heads) == (384, 6)
    grouped = draft.with_fields({"model.n_kv_heads": 2, "model.d_ff": 100})
    kept = grouped.with_fields({"model.d_model": 128})
    assert (kept.model.d_ff, kept.model.n_kv_heads) == (100, 2)


def test_fields_of_several_tables_change_at_once():
    fields = {"model.n_ctx": 63, "training.n_steps": 5, "tokenizer.n_vocab": 400}
    draft = Draft().with_fields({**fields, "data.valid_share": 0.0})
    assert (draft.model.n_ctx, draft.model.n_vocab) == (63, 400)
    assert (draft.training.n_steps, draft.data.valid_share) == (5, 0.0)
    assert draft.data.train == Draft().data.train


def test_a_field_that_cannot_be_is_refused_by_its_class():
    with pytest.raises(ConfigError, match="n_heads = 5"):
        Draft(model=ModelConfig(d_model=48, n_heads=4)).with_fields(
            {"model.n_heads": 5}
        )


def test_raw_fields_make_the_same_configuration_again():
    for preset in PRESETS:
        assert ModelConfig(**raw(preset.model)) == preset.model
        assert TrainingConfig(**raw(preset.training)) == preset.training
