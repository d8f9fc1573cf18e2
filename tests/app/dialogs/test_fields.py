import pytest

from app.dialogs.fields import (
    field_rows,
    named_in,
    refusal,
    sentences_of,
    text_of,
    value_of,
)
from core.config import ModelConfig
from core.errors import ConfigError
from core.training.config import (
    DataConfig,
    TokenizerConfig,
    TrainingConfig,
    WatchConfig,
)

OWNERS = (ModelConfig, DataConfig, TokenizerConfig, TrainingConfig, WatchConfig)
EVERY_FIELD = [(owner, row) for owner in OWNERS for row in field_rows(owner)]


def row_of(owner, name):
    return next(row for row in field_rows(owner) if row.name == name)


@pytest.mark.parametrize(
    ("owner", "row"), EVERY_FIELD, ids=lambda each: getattr(each, "name", None)
)
def test_every_field_has_a_sentence_and_its_default_survives_being_shown(owner, row):
    assert row.sentence.endswith(".")
    if row.kind in ("whole", "number"):
        assert row.range
        assert value_of(row, text_of(row.default)) == row.default
    if row.kind == "choice":
        assert row.default in row.choices


def test_the_sentence_of_a_field_is_the_one_that_stands_below_it_in_the_class():
    assert sentences_of(ModelConfig)["d_model"] == "Width of the residual stream."
    assert sentences_of(TrainingConfig)["keep"].startswith("Most checkpoints kept")


def test_the_range_of_a_number_is_what_the_class_itself_says():
    assert row_of(TrainingConfig, "n_steps").range == "at least 1"
    assert row_of(TrainingConfig, "beta1").range == "at least 0 and below 1"
    assert row_of(TokenizerConfig, "n_vocab").range == "at least 257"
    assert row_of(ModelConfig, "eps").range == "above 0"
    for owner, name in (
        (TrainingConfig, "n_evaluation_batches"),
        (WatchConfig, "n_sample_tokens"),
    ):
        assert row_of(owner, name).range == "from 1 to 10,000"


def test_choices_are_those_that_the_class_takes():
    beside = {"output_head": {"norm_place": "post"}}  # a choice may need another one
    for owner, row in EVERY_FIELD:
        for choice in row.choices:
            fields = {row.name: choice, **beside.get(row.name, {})}
            assert refusal(owner, fields) == ""
    assert refusal(TrainingConfig, {"device": "abacus"})


@pytest.mark.parametrize(
    ("typed", "value"), [("0.7", 0.7), ("0,7", 0.7), ("1.5", 1.5), ("1e-4", 1e-4)]
)
def test_a_decimal_point_is_a_point_and_a_comma_becomes_one(typed, value):
    assert value_of(row_of(TrainingConfig, "learning_rate"), typed) == value


@pytest.mark.parametrize("typed", ["1.5", "1,024", "1e3", "", "four", "١"])
def test_a_whole_number_is_digits_alone(typed):
    with pytest.raises(ConfigError, match=r"n_steps = .* must be a whole number"):
        value_of(row_of(TrainingConfig, "n_steps"), typed)


@pytest.mark.parametrize("value", [0.1, 1e-5, 3e-4, 10_000.0, 0.0, 1 / 3, 7, 1e300])
def test_a_number_is_shown_so_that_it_reads_the_same(value):
    kind = "n_steps" if isinstance(value, int) else "learning_rate"
    assert value_of(row_of(TrainingConfig, kind), text_of(value)) == value


@pytest.mark.parametrize("typed", ["fast", "nan", "inf", "1e999", "1,000.5", "1 2"])
def test_what_is_no_finite_number_is_refused_by_its_field(typed):
    with pytest.raises(ConfigError, match="learning_rate"):
        value_of(row_of(TrainingConfig, "learning_rate"), typed)


def test_a_refusal_stands_beside_the_field_that_was_edited_or_the_first_it_names():
    message = refusal(ModelConfig, {"d_model": 48, "n_heads": 5})
    names = [row.name for row in field_rows(ModelConfig)]
    assert named_in(message, names, edited="n_heads") == "n_heads"
    assert named_in(message, names, edited="dropout") == "d_model"
    assert named_in("Something else.", names) == ""
