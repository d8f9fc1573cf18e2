"""The rollout page asks the studies for its map and shows the present layer of it."""

from dataclasses import replace

import numpy as np
import pytest

from app.panels.attention import AttentionPanel
from app.panels.attention.rollout_page import NO_MAP, WAITING
from app.widgets.play_slider import PlaySlider
from app.widgets.segments import Segments
from app.widgets.zoom_map import ZoomMap
from app.workers import studies as work
from app.workers.runner import stop_runners
from core.analysis.rollout import JOININGS, rollout
from core.errors import TraceError
from tests.helpers.sessions import session_showing

WAIT_MS = 20_000
SENTENCE = "the cat sat on the mat"


@pytest.fixture
def session(qapp):
    session = session_showing(SENTENCE, n_layers=3)
    session.go_to("layers.1.attn.scaled")
    return session


@pytest.fixture
def panel(qtbot, session):
    """The panel as the host has it: shown, and told of every scene."""
    panel = AttentionPanel(session)
    qtbot.addWidget(panel)
    panel.resize(782, 560)
    session.request_viewing(replace(session.viewing, picture="rollout"))
    session.scene_changed.connect(panel.display)
    panel.show()
    yield panel
    stop_runners(WAIT_MS)


@pytest.fixture
def page(panel, session):
    return panel.page(session.scene)


def shown(qtbot, session, page):
    """The values of the map, once they have come."""
    session.scene_changed.emit(session.scene)
    qtbot.waitUntil(lambda: not page.studies.is_busy, timeout=WAIT_MS)
    return page.findChild(ZoomMap).matrix.values


def test_the_map_is_the_present_layers(qtbot, session, page):
    values = shown(qtbot, session, page)
    allowed = session.trace.part("mask")
    expected = rollout(session.trace)[1]
    np.testing.assert_array_equal(values[allowed], expected[allowed])


def test_the_slider_leads_to_another_layer_at_the_same_stage(qtbot, session, page):
    shown(qtbot, session, page)
    slider = page.findChild(PlaySlider)
    assert slider.position == 2
    slider.position_requested.emit(3)
    assert session.selection.step == "layers.2.attn.scaled"
    allowed = session.trace.part("mask")
    values = page.findChild(ZoomMap).matrix.values
    np.testing.assert_array_equal(values[allowed], rollout(session.trace)[2][allowed])


def test_heads_are_joined_as_the_reader_chooses(qtbot, session, page):
    shown(qtbot, session, page)
    page.findChild(Segments).choose(JOININGS.index("largest"))
    assert session.viewing.joining == "largest"
    values = shown(qtbot, session, page)
    allowed = session.trace.part("mask")
    expected = rollout(session.trace, "largest")[1]
    np.testing.assert_array_equal(values[allowed], expected[allowed])


def test_a_click_asks_for_both_tokens(qtbot, session, page):
    shown(qtbot, session, page)
    page.findChild(ZoomMap).cell_clicked.emit(3, 1)
    assert (session.selection.query, session.selection.key) == (3, 1)


def test_a_newer_sentence_is_waited_for_and_shown(qtbot, session, page):
    shown(qtbot, session, page)
    session.read("a dog ran")
    assert page._status.text == WAITING
    assert shown(qtbot, session, page).shape == (session.trace.n,) * 2
    assert "rows sum to 1" in page._status.text


def test_what_cannot_be_rolled_out_is_said_where_the_map_would_be(
    qtbot, session, page, monkeypatch
):
    def refuse(request):
        raise TraceError("This cannot be.")

    monkeypatch.setitem(work.ANSWERS, work.RolloutRequest, refuse)
    with qtbot.waitSignal(session.failed, timeout=WAIT_MS) as heard:
        session.scene_changed.emit(session.scene)
    assert "This cannot be." in heard.args[0].sentence
    assert page._status.text == NO_MAP


@pytest.mark.parametrize("text", ["t", SENTENCE])
def test_it_is_drawn_for_one_token_and_for_some(qtbot, session, page, text):
    session.read(text)
    session.request_viewing(replace(session.viewing, whole_words=True))
    shown(qtbot, session, page)
    assert not page.grab().isNull()
