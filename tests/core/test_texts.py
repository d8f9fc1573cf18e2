from fnmatch import fnmatchcase
from itertools import product

import pytest

from app.panels import PANELS, panel_of
from core.config import ModelConfig
from core.errors import CoreError
from core.texts import examples, lesson_text, step_text
from core.trace.step import part_of
from core.trace.steps import Step, steps_for
from core.trace.views.attention_map import STAGE_WORDS
from tests.helpers.bundles import TWO_SIDES

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
ONE_OF_EACH = {"n_layers": 1, "n_encoder_layers": 1}
SIDED = {
    name: ModelConfig(**{**ONE_OF_EACH, **fields}) for name, fields in TWO_SIDES.items()
}
BARE = ModelConfig(
    n_layers=1,
    n_heads=1,
    norm="none",
    feed_forward=False,
    residual=False,
    mix_heads=False,
    bias=False,
)
CONFIGS += (*SIDED.values(), BARE)
STEPS = {
    (step.name, step.op, config.norm_place, step.side, part_of(step.key)): (
        step,
        config,
    )
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
    assert (claims or ["matrix"]) == [panel_of(step.key).name]


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
        for (name, op, *_), (step, config) in STEPS.items()
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
    by_name = {
        s.name: (s, c) for s, c in STEPS.values() if not s.side and c is not BARE
    }
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
    assert (words.short, words.title[:9]) == ("Characters", "No merges")
    assert (words.formula, step_text(step, CONFIGS[0]).formula) == ("", None)
    lesson = lesson_text(step, "tokens", CONFIGS[0], "characters")
    assert "one character" in lesson.body[0]
    cut = next(s for s, _ in STEPS.values() if s.key == "tokens.pieces")
    assert "so is the space" in step_text(cut, CONFIGS[0], "characters").sentence


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


def words_of(config, key):
    step = next(step for step in steps_for(config) if step.key == key)
    words = step_text(step, config)
    lesson = lesson_text(step, panel_of(key).name, config)
    return words, " ".join(lesson.body)


def test_the_text_of_the_decoder_begins_with_a_token_of_the_models():
    words, lesson = words_of(SIDED["T5"], "decoder.tokens.pieces")
    assert words.title.startswith("Target")
    assert "start token" in words.sentence
    assert "puts there" in lesson
    words, lesson = words_of(SIDED["T5"], "encoder.tokens.pieces")
    assert words.title.startswith("Source")


def test_cross_attention_speaks_of_the_source_and_an_encoder_of_both_ways():
    for name in ("q", "k", "v", "scores", "masked", "pattern", "heads"):
        words, _ = words_of(SIDED["2017"], f"decoder.layers.0.cross.{name}")
        assert "source" in words.title + words.sentence
    words, lesson = words_of(SIDED["2017"], "encoder.layers.0.attn.masked")
    assert "both ways" in words.sentence
    assert "padding" in lesson
    words, _ = words_of(SIDED["2017"], "decoder.layers.0.attn.masked")
    assert "looks ahead" in words.title


def test_waves_in_halves_are_told_from_waves_in_turn():
    words, lesson = words_of(SIDED["Marian"], "encoder.embed.position")
    assert "left half" in words.sentence
    assert "another order" in lesson
    assert "half" not in words_of(SIDED["2017"], "encoder.embed.position")[0].sentence


def test_a_model_that_adds_nothing_speaks_of_no_addition_and_of_one_head():
    said = {
        step.key: words_of(BARE, step.key)
        for step in steps_for(BARE)
        if step.layer == 0
    }
    words, _ = said["layers.0.resid_mid"]
    assert words.title.startswith("No addition")
    assert "A V" in said["layers.0.attn.out"][0].title
    for key, (words, lesson) in said.items():
        texts = " ".join((words.title, words.sentence, lesson))
        assert "1 heads" not in texts, key
        assert "found is added" not in texts, key
        assert "ready to be added" not in texts, key


def test_learned_places_are_spoken_of_as_no_waves():
    assert "wave" not in words_of(ModelConfig(position="learned"), "embed.sum")[1]
    assert "wave" in words_of(ModelConfig(), "embed.sum")[1]
    assert "wave" not in words_of(SIDED["BART"], "decoder.embed.sum")[1]


ENCODERS = tuple(
    ModelConfig(n_layers=1, attention="both", output_head=head, norm_place="post")
    for head in ("masked", "pooled", "none")
)
AHEAD = ("what comes after it", "can only look at itself", "must guess what follows")


@pytest.mark.parametrize("config", ENCODERS, ids=lambda config: config.output_head)
def test_of_a_model_that_looks_both_ways_nothing_says_that_it_looks_back(config):
    for step in steps_for(config):
        words, lesson = step_text(step, config), text_of(step, config)
        said = (words.title, words.sentence, *lesson)
        assert not [text for text in said if any(each in text for each in AHEAD)]


def text_of(step: Step, config: ModelConfig) -> tuple[str, ...]:
    """All of a step's lesson."""
    lesson = lesson_text(step, panel_of(step.key).name, config)
    return (*lesson.body, lesson.question, lesson.answer)


def test_sizes_in_sentences_have_their_thousands_apart():
    config = ModelConfig(n_layers=1, n_vocab=49152)
    step = next(s for s in steps_for(config) if s.key == "output.logits")
    assert "49,152 tokens" in step_text(step, config).sentence


def test_a_stage_is_called_above_the_map_as_in_the_pipeline():
    t5 = ModelConfig(**TWO_SIDES["T5"])
    steps = {step.name: step for step in steps_for(t5)}
    for stage, word in STAGE_WORDS.items():
        assert step_text(steps[f"attn.{stage}"], t5).short == word
