"""The tour in the window: asked for, walked, left; each stop an ordinary selection."""

from dataclasses import replace

import pytest

from app.frame.tour_strip import TourStrip
from app.tour import TourGuide, asked_token
from core.analysis.why import why
from core.generation.sampling import Sampling
from core.trace.views.output import pick_view
from tests.helpers.sessions import session_showing, session_translating

WAIT_MS = 20_000


@pytest.fixture
def session(qapp):
    session = session_showing("the cat sat on the mat")
    yield session
    session.close()


@pytest.fixture
def strip(qtbot, session):
    strip = TourStrip(TourGuide(session))
    qtbot.addWidget(strip)
    strip.resize(900, 60)
    return strip


def begin(qtbot, strip):
    with qtbot.waitSignal(strip.guide.tour_changed, timeout=WAIT_MS):
        strip.guide.start()


def test_a_tour_begins_with_the_pick_and_goes_from_stop_to_stop(qtbot, session, strip):
    assert strip.isHidden()
    begin(qtbot, strip)
    scene = session.scene
    last = scene.trace.n - 1
    token_id = pick_view(scene.trace, scene.sampling).draw.token_id
    stops = why(scene.trace, last, token_id, scene.tokenizer.label)
    assert not strip.isHidden()
    for place, stop in enumerate(stops):
        assert session.selection == stop.selection
        assert strip.sentence.text() == stop.sentence
        assert strip.count.text() == f"stop {place + 1} of {len(stops)}"
        assert strip.next.isEnabled() == (place < len(stops) - 1)
        strip.next.click()
    strip.previous.click()
    assert session.selection == stops[-2].selection


def test_the_question_names_the_token(qtbot, session, strip):
    begin(qtbot, strip)
    assert strip.question.text.endswith(f"{strip.guide.label}?")


def test_at_the_output_the_tour_is_about_the_chosen_token(qtbot, session, strip):
    session.go_to("output.logits")
    chosen = replace(session.selection, query=1, token=40)
    session.request_selection(chosen)
    assert asked_token(session.scene) == (1, 40)
    begin(qtbot, strip)
    assert session.selection.token == 40
    assert session.selection.query == 1


def test_elsewhere_it_is_about_what_append_would_put(session):
    session.go_to("layers.0.attn.pattern")
    last = session.trace.n - 1
    for sampling in (Sampling(temperature=0), Sampling(temperature=2, seed=5)):
        session.request_sampling(sampling)
        drawn = pick_view(session.trace, sampling).draw.token_id
        assert asked_token(session.scene) == (last, drawn)


def test_whoever_wandered_off_goes_on_where_the_tour_was(qtbot, session, strip):
    begin(qtbot, strip)
    session.go_to("embed.token")
    strip.next.click()
    assert strip.guide.place[0] == 2
    assert session.selection.step == "output.logits"


def test_another_sentence_ends_the_tour_and_so_does_the_reader(qtbot, session, strip):
    begin(qtbot, strip)
    strip.close_button.click()
    assert strip.isHidden()
    begin(qtbot, strip)
    session.read("a dog ran")
    assert strip.isHidden()
    assert strip.guide.sentence == ""


def test_a_second_tour_of_the_same_token_begins_at_once(qtbot, session, strip):
    session.go_to("output.probs")
    begin(qtbot, strip)
    first = strip.guide.sentence
    session.go_to("output.probs")
    strip.guide.end()
    with qtbot.waitSignal(strip.guide.tour_changed, timeout=WAIT_MS):
        strip.guide.start()
    assert strip.guide.sentence == first


def test_without_a_trace_there_is_no_tour(session, strip):
    session.request_text("")
    strip.guide.start()
    assert not strip.guide.is_on


def test_behind_an_encoder_the_tour_leads_from_the_target_to_the_source(qtbot, qapp):
    session = session_translating(kind="T5")
    strip = TourStrip(TourGuide(session))
    qtbot.addWidget(strip)
    strip.resize(900, 60)
    begin(qtbot, strip)
    steps = []
    while strip.next.isEnabled():
        steps.append(session.selection.step)
        strip.next.click()
    steps.append(session.selection.step)
    looks = [step for step in steps if step.endswith("cross.pattern")]
    assert looks
    assert "encoder.tokens.ids" in steps[steps.index(looks[-1]) :]
    assert all(step in session.trace.keys for step in steps)
    session.close()
