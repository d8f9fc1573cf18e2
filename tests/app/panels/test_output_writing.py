"""Append, Generate and Undo: the sentence gets the very token that was shown."""

import pytest
from PySide6.QtCore import Qt

from app.panels.output import OutputPanel
from app.session import Session
from core.generation.sampling import Sampling
from tests.helpers.bundles import save_tiny

WAIT_MS = 20_000
FULL = " ".join(["the cat sat"] * 4)  # 12 tokens


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return save_tiny(tmp_path_factory.mktemp("models") / "tiny", n_ctx=12)


@pytest.fixture
def session(qapp, qtbot, folder):
    session = Session(Sampling(seed=7), pause_ms=0)
    with qtbot.waitSignal(session.scene_changed, timeout=WAIT_MS):
        session.open_model(folder)
        session.request_text("the cat sat")
        session.start()
    yield session
    session.close()


@pytest.fixture
def panel(session, qtbot):
    panel = OutputPanel(session)
    qtbot.addWidget(panel)
    session.scene_changed.connect(panel.display)
    panel.show()
    session.go_to("output.pick")
    return panel


def page_of(panel):
    return panel._stack.currentWidget()


def pressed(qtbot, session, button):
    """Press a button and wait until the sentence is traced again."""
    before = session.trace
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(
        lambda: (
            session.trace is not before
            and session.is_current
            and not session.is_generating
        ),
        timeout=WAIT_MS,
    )


def test_append_puts_the_token_that_is_shown(panel, session, qtbot):
    writing = page_of(panel).writing
    for _ in range(3):
        label = page_of(panel).drawn.token.text()
        assert writing.append.text() == f"Append {label}".replace("&", "&&")
        pressed(qtbot, session, writing.append)
        assert session.encoding.pieces[-1].label == label


def test_generate_writes_what_append_would_and_undo_takes_it_back(
    panel, session, qtbot
):
    writing = page_of(panel).writing
    typed = session.encoding.ids
    for _ in range(3):
        pressed(qtbot, session, writing.append)
    appended = session.encoding.ids
    for _ in range(3):
        pressed(qtbot, session, writing.undo)
    assert session.encoding.ids == typed
    assert not writing.undo.is_usable
    writing.n_new.show_number(3)
    pressed(qtbot, session, writing.generate)
    assert session.encoding.ids == appended
    pressed(qtbot, session, writing.undo)
    assert session.encoding.ids == typed


def test_what_was_added_so_far_is_told(panel, session, qtbot):
    writing = page_of(panel).writing
    assert not writing._added.isVisible()
    pressed(qtbot, session, writing.append)
    pressed(qtbot, session, writing.append)
    labels = [piece.label for piece in session.encoding.pieces[-2:]]
    assert writing._added.text == f"+2 {''.join(labels)}"
    session.request_text("the dog")
    assert not writing._added.isVisible()


def test_a_full_window_says_so_and_stops_generate(panel, session, qtbot):
    writing = page_of(panel).writing
    assert writing._state.text() == "Room for 9 more; then Generate stops."
    session.request_text(FULL)
    qtbot.waitUntil(lambda: session.is_current, timeout=WAIT_MS)
    assert session.n_room == 0
    assert writing.append.isEnabled()
    assert not writing.generate.isEnabled()
    assert "12 tokens is full" in writing._state.text()


def test_generate_is_a_stop_button_while_the_model_writes(panel, session, qtbot):
    writing = page_of(panel).writing
    qtbot.mouseClick(writing.generate, Qt.MouseButton.LeftButton)
    assert writing.generate.text() == "Stop"
    assert not writing.append.isEnabled()
    qtbot.mouseClick(writing.generate, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not session.is_generating, timeout=WAIT_MS)
    assert writing.generate.text() == "Generate"


def test_the_focus_stays_on_the_button_that_was_pressed(panel, session, qtbot):
    writing = page_of(panel).writing
    panel.activateWindow()
    qtbot.waitUntil(panel.isActiveWindow)
    writing.n_new.show_number(2)
    for button in (writing.append, writing.generate, writing.undo, writing.undo):
        button.setFocus()
        pressed(qtbot, session, button)
        assert button.hasFocus()
    assert not writing.undo.is_usable


def test_another_temperature_changes_the_scene_and_the_pick(panel, session, qtbot):
    page = page_of(panel)
    page.controls.fields["temperature"].setValue(0.0)
    assert session.sampling == Sampling(temperature=0.0, seed=7)
    likeliest = int(session.trace.part("output.pick", (session.trace.n - 1,)))
    assert page.drawn.token.text() == session.scene.tokenizer.label(likeliest)
