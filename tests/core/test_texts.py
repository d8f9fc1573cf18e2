from fnmatch import fnmatchcase
from itertools import product

import pytest

from app.panels import PANELS, panel_of
from core.config import ModelConfig
from core.errors import CoreError
from core.texts import examples, lesson_text, step_text
from core.trace.steps import Step, steps_for

CONFIGS = tuple(
    ModelConfig(
        n_layers=1,
        position=position,
        norm=norm,
        norm_place=place,
        activation=activation,
        gated=gated,
        scale_embeddings=gated,
        tie_embeddings=not gated,
    )
    for position, norm, place, activation, gated in product(
        ("sinusoidal", "learned", "rotary", "none"),
        ("layer_norm", "rms_norm"),
        ("pre", "post"),
        ("relu", "gelu", "gelu_tanh", "silu"),
        (False, True),
    )
) + tuple(
    ModelConfig(n_layers=1, n_experts=8, n_experts_per_token=2, gated=gated)
    for gated in (False, True)
)
STEPS = {
    (step.name, step.op, config.norm_place): (step, config)
    for config in CONFIGS
    for step in steps_for(config)
}
"""One of every kind of step that any of the configurations has."""


@pytest.mark.parametrize(("step", "config"), STEPS.values(), ids=map(str, STEPS))
def test_every_step_has_a_title_a_short_name_a_sentence_and_a_lesson(step, config):
    words = step_text(step, config)
    assert words.title
    assert 0 < len(words.short) <= 12
    assert words.sentence.endswith(".")
    assert "{" not in words.title + words.sentence
    lesson = lesson_text(step, panel_of(step.key).name, config)
    assert len(lesson.body) == 2
    assert bool(lesson.question) == bool(lesson.answer)


@pytest.mark.parametrize("step", [s for s, _ in STEPS.values()], ids=lambda s: s.key)
def test_exactly_one_panel_claims_a_step(step):
    claims = [
        spec.name for spec in PANELS for p in spec.steps if fnmatchcase(step.name, p)
    ]
    assert claims == [panel_of(step.key).name]


def test_a_panel_serves_both_sides_and_all_kinds_of_attention():
    for key in ("attn.q", "layers.0.attn.q", "encoder.layers.0.attn.q"):
        assert panel_of(key).name == "attention"
    assert panel_of("decoder.layers.0.cross.pattern").name == "attention"
    assert panel_of("decoder.layers.0.resid_cross").name == "residual"
    assert panel_of("encoder.tokens.ids").name == "tokens"
    assert panel_of("encoder.output.norm").name == "output"


def test_a_step_that_no_panel_claims_is_shown_as_its_matrix():
    assert panel_of("embed.mystery").name == "matrix"


def test_a_sentence_has_the_models_own_sizes():
    step = next(s for s in steps_for(CONFIGS[0]) if s.key == "tokens.ids")
    assert "777" in step_text(step, ModelConfig(n_vocab=777)).sentence


def test_the_activation_is_called_by_its_name():
    named = {
        config.activation: step_text(step, config).sentence
        for (name, op, _), (step, config) in STEPS.items()
        if name == "ffn.active" and op != "gate"
    }
    assert "GELU lets" in named["gelu"]
    assert "tanh" in named["gelu_tanh"]
    assert "ReLU" in named["relu"]
    assert "SiLU" in named["silu"]


def test_a_step_without_words_is_refused_by_name():
    with pytest.raises(CoreError, match=r"nothing of output\.mystery"):
        step_text(Step("output.mystery", "add", (), (), ""), CONFIGS[0])


def test_the_strong_first_column_and_the_two_ids_of_a_word_are_explained():
    by_name = {step.name: (step, config) for step, config in STEPS.values()}
    step, config = by_name["attn.pattern"]
    assert (
        "first row is always exactly 1" in lesson_text(step, "attention", config).answer
    )
    step, config = by_name["tokens.ids"]
    assert "space belongs" in lesson_text(step, "tokens", config).answer


def test_examples_are_different_sentences_with_a_word_on_each():
    texts = [example.text for example in examples()]
    assert len(set(texts)) == len(texts) > 5
    assert all(example.shows for example in examples())


def test_where_tokens_are_characters_nothing_is_said_of_merges():
    step = next(s for s, _ in STEPS.values() if s.key == "tokens.merges")
    words = step_text(step, CONFIGS[0], "characters")
    assert words.title.startswith("No merges")
    assert (words.formula, step_text(step, CONFIGS[0]).formula) == ("", None)
    lesson = lesson_text(step, "tokens", CONFIGS[0], "characters")
    assert "one character" in lesson.body[0]


@pytest.mark.parametrize(
    ("method", "title", "word"),
    [("longest match", "Longest match", "##"), ("best path", "Best path", "likeliest")],
)
def test_where_words_are_not_merged_the_texts_say_what_is_done(method, title, word):
    step = next(s for s, _ in STEPS.values() if s.key == "tokens.merges")
    words = step_text(step, CONFIGS[0], method)
    assert words.title.startswith(title)
    assert words.formula == ""
    assert word in "".join(lesson_text(step, "tokens", CONFIGS[0], method).body)
