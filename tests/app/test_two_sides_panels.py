"""Every step of a model of two sides in the window: panel, heading, place."""

from dataclasses import replace

import pytest

from app.panels import panel_of
from tests.helpers.bundles import encoder_decoder_bundle

SOURCE = "the cat sat on the mat and the dog ran to a"
READ = (("2017", "a dog ran to the cat and"), ("T5", ""))
"""The kind of model and the target: seven words, and the start token alone.

The other kinds differ in steps that tests of their panels draw.
"""


@pytest.fixture(
    params=[
        pytest.param(READ[0], id="2017, seven words"),
        pytest.param(READ[1], id="T5, the start token", marks=pytest.mark.thorough),
    ]
)
def bench(request, window, session):
    kind, target = request.param
    session.take(encoder_decoder_bundle(kind, n_ctx=64))
    session.read(SOURCE, target)
    return window.bench


def test_every_step_is_drawn_with_the_last_token_of_its_side(bench, session):
    for key in (key for key in session.trace.keys if "layers.0" not in key):
        session.go_to(key)
        last = session.trace.tokens(session.trace.step(key).side).n - 1
        session.request_selection(replace(session.selection, query=last))
        assert bench.host.panel is not None, key
        assert bench.host.panel.objectName() == f"panel.{panel_of(key).name}"
        assert not bench.host.panel.grab().isNull()
        assert bench.host.header.title.text
        assert bench.pipeline.present_text
        step = session.trace.step(key)
        if step.side:
            assert bench.host.header.title.text.startswith(step.side.capitalize())


def test_a_layer_down_goes_from_the_encoders_last_to_the_decoders_first(bench, session):
    session.go_to("encoder.layers.1.attn.pattern")
    session.next_layer()
    assert session.selection.step == "decoder.layers.0.attn.pattern"
    assert bench.pipeline.unfolded >= {"decoder.layers.0"}
    session.previous_layer()
    assert session.selection.step == "encoder.layers.1.attn.pattern"
    session.go_to("decoder.layers.0.cross.pattern")
    session.previous_layer()  # an encoder has no cross attention
    assert session.selection.step == "encoder.layers.1.attn.pattern"
