from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton

from app.actions import ACTIONS
from app.failures import ErrorReport
from app.frame.body import NARROW, ONE_SIDE
from app.frame.state_page import EMPTY, NO_MODEL, OPENING, TOO_LONG
from app.main_window import MainWindow
from app.panel_host import REST_MS
from app.panels import PANELS, panel_of
from app.settings import SHOWS_INSPECTOR, SHOWS_PIPELINE, THEME, Settings
from app.workbench import Workbench
from tests.helpers.sessions import ShownSession


@pytest.fixture
def session(qapp):
    session = ShownSession()
    yield session
    session.close()


@pytest.fixture
def window(session, qtbot):
    return furnished(session, qtbot)


@pytest.fixture
def bench(window):
    return window.bench


@pytest.fixture
def shown(bench, session):
    session.open()
    session.read("the cat sat")
    return bench


def furnished(session, qtbot):
    """A window that is shown, with a workbench in it."""
    window = MainWindow(Settings())
    qtbot.addWidget(window)
    window.furnish(Workbench(session, Settings()))
    window.show()
    return window


def test_every_step_is_shown_by_its_panel_with_its_own_heading(shown, session):
    titles = set()
    for key in session.trace.keys:
        session.go_to(key)
        assert shown.host.panel.objectName() == f"panel.{panel_of(key).name}"
        titles.add((key.split(".", 2)[-1], shown.host.header.title.text))
    assert all(title for _, title in titles)
    seen = {panel_of(key).name for key in session.trace.keys}
    assert seen == {spec.name for spec in PANELS}


def test_before_a_model_is_open_the_page_says_so(bench, session):
    assert bench.host.page.title == OPENING.title
    session.failed.emit(ErrorReport("There is no such folder.", ""))
    assert bench.host.page.title == NO_MODEL.title
    assert bench.message.sentence == "There is no such folder."


def test_an_empty_sentence_asks_for_one_and_keeps_the_heading(shown, session):
    session.go_to("layers.0.attn.pattern")
    session.request_text("")
    assert shown.host.panel is None
    assert shown.host.page.title == EMPTY.title
    assert shown.host.header.title.text.startswith("Softmax")


def test_after_a_failure_the_last_picture_stays(shown, session):
    session.go_to("layers.0.attn.pattern")
    session.failed.emit(ErrorReport("This went wrong.", "details"))
    assert shown.host.panel is not None
    assert shown.message.isVisible()


def test_a_first_sentence_that_is_too_long_gets_a_page_of_its_own(bench, session):
    session.open()
    session.request_text("a" * 40)
    assert bench.host.page.title == TOO_LONG.title


def test_a_later_sentence_that_is_too_long_says_whose_numbers_these_are(shown, session):
    session.request_text("a" * 40)
    assert "sentence before" in shown.host.header.sentence.text()
    session.read("the dog")
    assert "sentence before" not in shown.host.header.sentence.text()


def test_every_action_of_the_table_can_be_reached(bench):
    for row in ACTIONS:
        action = bench.actions_by_id[row.id]
        assert action in bench.actions()
        assert action.objectName() == f"action.{row.id}"


def test_arrow_keys_step_from_the_start(shown, session, qtbot):
    shown.window().activateWindow()
    session.go_to("layers.0.attn.q")
    qtbot.keyClick(shown, Qt.Key.Key_Right)
    assert session.selection.step == "layers.0.attn.k"
    qtbot.keyClick(shown, Qt.Key.Key_Down)
    assert session.selection.step == "layers.1.attn.k"
    qtbot.keyClick(shown, Qt.Key.Key_Left)
    assert session.selection.step == "layers.1.attn.q"


def test_arrow_keys_stay_in_the_sentence_while_it_is_edited(shown, session, qtbot):
    session.go_to("layers.0.attn.q")
    shown.sentence.edit.setFocus()
    qtbot.keyClick(shown.sentence.edit, Qt.Key.Key_Left)
    assert session.selection.step == "layers.0.attn.q"


def test_tab_goes_from_the_top_left_to_the_bottom_right(shown, session, qtbot):
    session.go_to("layers.0.attn.pattern")
    qtbot.wait(2 * REST_MS)
    order, widget = [], shown.sentence.edit
    while (widget := widget.nextInFocusChain()) is not shown.sentence.edit:
        order.append(widget)
    names = [widget.objectName() for widget in order]
    stops = ("window.menu", "token.strip", "pipeline", "head.grid", "step.next")
    places = [names.index(name) for name in stops]
    assert places == sorted(places)
    assert order.index(shown.inspector.operands) > names.index("head.grid")


def test_actions_are_off_where_they_would_do_nothing(shown, session):
    actions = shown.actions_by_id
    assert not actions["step.previous"].isEnabled()
    assert actions["token.append"].isEnabled()
    assert not actions["token.undo"].isEnabled()
    assert not actions["generate.stop"].isEnabled()
    session.go_to("layers.1.attn.q")
    assert not actions["layer.next"].isEnabled()
    assert actions["layer.previous"].isEnabled()


def test_folded_sides_stay_folded_at_the_next_start(bench, session, qtbot):
    bench.actions_by_id["view.pipeline"].trigger()
    bench.actions_by_id["view.inspector"].trigger()
    assert not bench.pipeline.isVisible()
    assert not bench.inspector.isVisible()
    again = furnished(session, qtbot)
    assert not again.bench.pipeline.isVisible()
    assert not Settings().read(SHOWS_PIPELINE)
    assert not Settings().read(SHOWS_INSPECTOR)


def test_on_a_narrow_window_the_inspector_is_a_drawer_over_the_panel(shown, session):
    session.go_to("layers.0.attn.q")
    assert shown.inspector.isVisible()
    shown.window().resize(NARROW - 100, 700)
    assert not shown.inspector.isVisible()
    shown.actions_by_id["view.inspector"].trigger()
    assert shown.inspector.isVisible()
    right = shown.inspector.geometry().right()
    assert right == shown.body.width() - 1
    assert Settings().read(SHOWS_INSPECTOR)
    shown.window().resize(NARROW + 100, 700)
    assert shown.inspector.isVisible()


def test_choosing_a_theme_is_remembered(bench):
    bench.actions_by_id["view.theme.dark"].trigger()
    assert Settings().read(THEME) == "dark"


def test_the_columns_are_as_wide_as_they_were_left(bench):
    splitter = bench.body._splitter
    splitter.setSizes([230, 700, 300])
    before, state = splitter.sizes(), bench.body.state()
    splitter.setSizes([190, 700, 400])
    bench.body.restore(state)
    assert splitter.sizes() == before
    bench.body.restore("damaged")
    assert splitter.sizes() == before


def test_only_what_is_odd_about_a_model_is_said_aloud(bench, session):
    session.open()
    card = replace(session.model, notes=("The file holds float16.",))
    session.model_changed.emit(card)
    assert not bench.message.isVisible()
    assert "float16" in bench.sentence.model_button.toolTip()
    session.model_changed.emit(replace(card, warnings=("W_Q holds 1 NaN value.",)))
    assert bench.message.sentence == "W_Q holds 1 NaN value."


def test_below_a_thousand_pixels_one_side_stays_open(shown):
    window = shown.window()
    window.resize(ONE_SIDE - 100, 600)
    assert shown.pipeline.isVisible()
    shown.actions_by_id["view.inspector"].trigger()
    assert shown.inspector.isVisible()
    assert not shown.pipeline.isVisible()
    shown.actions_by_id["view.inspector"].trigger()
    assert shown.pipeline.isVisible()
    window.resize(NARROW + 100, 600)
    assert shown.pipeline.isVisible()
    assert shown.inspector.isVisible()


def test_back_and_forward_follow_the_trail_by_their_actions(shown, session):
    session.go_to("layers.0.attn.scores")
    back, forward = (shown.actions_by_id[f"trail.{way}"] for way in ("back", "forward"))
    assert not back.isEnabled()
    assert shown.inspector.view is not None
    shown.inspector.operands.activate(0, is_secondary=False)
    assert session.selection.step == "layers.0.attn.q"
    back.trigger()
    assert session.selection.step == "layers.0.attn.scores"
    assert not back.isEnabled()
    forward.trigger()
    assert session.selection.step == "layers.0.attn.q"


def test_the_tour_can_be_begun_where_there_is_a_trace(bench, session, qtbot):
    action = bench.actions_by_id["tour.start"]
    why = bench.tokens.findChild(QToolButton, "token.why")
    assert not action.isEnabled()
    assert not why.isEnabled()
    session.open()
    session.read("the cat sat")
    assert why.isEnabled()
    with qtbot.waitSignal(bench.tour.guide.tour_changed, timeout=20_000):
        why.click()
    assert bench.tour.isVisible()
    assert session.selection.step == "output.probs"
    bench.leave()
