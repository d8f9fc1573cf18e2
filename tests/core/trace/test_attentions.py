from core.trace.attentions import (
    attention_words,
    kind_named,
    kind_of,
    kinds_of_attention,
)
from core.trace.steps import steps_for
from tests.helpers.bundles import encoder_decoder_bundle, tiny_bundle


def test_a_model_of_one_stack_has_one_kind_of_attention():
    (kind,) = kinds_of_attention(tiny_bundle().config)
    assert (kind.name, kind.paths) == ("", ("layers.0.attn", "layers.1.attn"))
    assert kind.layer_words(1) == "layer 2"


def test_a_model_of_two_sides_has_three():
    config = encoder_decoder_bundle(n_encoder_layers=1).config
    encoder, decoder, cross = kinds_of_attention(config)
    assert encoder.paths == ("encoder.layers.0.attn",)
    assert decoder.paths == ("decoder.layers.0.attn", "decoder.layers.1.attn")
    assert cross.paths == ("decoder.layers.0.cross", "decoder.layers.1.cross")
    assert [kind.is_cross for kind in (encoder, decoder, cross)] == [0, 0, 1]
    assert cross.layer_words(1) == attention_words(cross.paths[1]) == "cross layer 2"


def test_every_step_of_an_attention_is_of_the_kind_that_has_its_path():
    for bundle in (tiny_bundle(), encoder_decoder_bundle()):
        for step in steps_for(bundle.config):
            if step.attention:
                kind = kind_of(bundle.config, step.key)
                assert step.attention in kind.paths
                assert kind_of(bundle.config, step.attention) is kind


def test_a_kind_that_a_model_lacks_is_its_first_one():
    assert kind_named(tiny_bundle().config, "cross").name == ""
    assert kind_named(encoder_decoder_bundle().config, "").name == "encoder"
