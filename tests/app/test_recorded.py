"""A trace file in the window: its numbers are all there, and there is no model."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent

from app.dialogs.export.dialog import ExportDialog
from app.exports import Exports
from app.frame.sentence_bar import model_tip
from app.panel_host import PanelHost
from app.panels.attention.picture_bar import PictureBar
from app.session import Session
from app.settings import Settings
from app.widgets.score_table import ScoreTable
from core.analysis.heads import OF_SENTENCE, OF_TELLING, scores_of
from core.pipeline import run_trace
from core.trace.archive import read_trace, save_trace
from core.trace.viewing import Viewing
from tests.helpers.bundles import save_tiny, tiny_bundle
from tests.helpers.desk import WAIT_MS, Desk

HORIZONTAL, TIP = Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole
TEXT = "the cat <b> שלום"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    bundle = tiny_bundle()
    path = tmp_path / "cat.npz"
    save_trace(run_trace(bundle, TEXT), path, bundle.tokenizer, name="tiny")
    return path


@pytest.fixture
def desk(qtbot, tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(qtbot, save_tiny(tmp_path / "model"))
    yield desk
    desk.close()


@pytest.fixture
def recorded(desk: Desk, file: Path) -> Desk:
    desk.session.open_model(file)
    desk.qtbot.waitUntil(lambda: desk.session.is_recorded, timeout=WAIT_MS)
    desk.wait()
    return desk


def test_a_trace_file_brings_its_sentence_and_its_numbers(recorded, file):
    session = recorded.session
    assert session.text == recorded.bench.sentence.edit.text() == TEXT
    key = "layers.1.attn.pattern"
    np.testing.assert_array_equal(session.trace[key], read_trace(file)[key])
    assert "trace file, no model" in model_tip(session.model)
    assert recorded.bench.sentence.model_button.text() == "tiny · trace file"
    assert recorded.reports == []


def test_nothing_can_be_typed_or_written_on(recorded):
    bench, session = recorded.bench, recorded.session
    assert not bench.sentence.edit.isEnabled()
    assert "no model" in bench.sentence.edit.toolTip()
    for name in ("token.append", "text.generate", "text.examples", "text.specials"):
        assert not bench.actions_by_id[name].isEnabled()
    session.request_text("something else")
    session.append_pick()
    session.generate(3)
    recorded.wait()
    assert session.text == TEXT


def test_every_step_is_shown_and_what_needs_weights_says_so(recorded):
    session, host = recorded.session, recorded.host
    seen = {}
    for key in session.trace.keys:
        session.go_to(key)
        recorded.qtbot.waitUntil(lambda: not session.activity, timeout=WAIT_MS)
        assert host.panel is not None
        seen[key] = host.header.sentence.text()
    assert "W_E is not in the trace file" in seen["embed.token"]
    assert "trace file" not in seen["layers.0.attn.pattern"]
    assert recorded.reports == []


@pytest.mark.parametrize("wish", [Viewing(picture="effect"), Viewing(is_weighted=True)])
def test_a_picture_that_takes_weights_leaves_the_way_to_the_others(recorded, wish):
    session, host = recorded.session, recorded.host
    for key in ("layers.1.attn.pattern", "layers.0.attn.pattern"):
        session.go_to(key)
        session.request_viewing(wish)
        session.go_to(key.replace("pattern", "masked"))
        session.go_to(key)
        recorded.qtbot.waitUntil(lambda: not session.activity, timeout=WAIT_MS)
        assert "W_O is not in the trace file" in host.header.sentence.text()
        pictures = host.panel.findChild(PictureBar)
        assert pictures.isVisibleTo(host)
        session.request_viewing(Viewing(picture="text"))
        recorded.qtbot.waitUntil(lambda: not session.activity, timeout=WAIT_MS)
        assert "trace file" not in host.header.sentence.text()
    assert recorded.reports == []


@pytest.mark.parametrize("key", ["embed.token", "layers.1.attn.pattern"])
def test_a_view_of_a_trace_file_can_be_taken_along(recorded, key):
    session = recorded.session
    session.go_to(key)
    parent = recorded.bench
    dialog = ExportDialog(session, session.scene, Path.home(), parent)
    names: dict[str, object] = {}
    exec(dialog.code.code, names)
    np.testing.assert_array_equal(names["values"], dialog.numbers.sheet.values)
    assert "read_trace" in dialog.code.code
    assert dialog.picture.n_dots > 0
    dialog.close()


def test_a_model_can_be_opened_again_afterwards(recorded, tmp_path):
    recorded.session.open_model(tmp_path / "model")
    recorded.qtbot.waitUntil(lambda: not recorded.session.is_recorded, timeout=WAIT_MS)
    recorded.wait()
    assert recorded.session.text == TEXT
    assert recorded.bench.sentence.edit.isEnabled()
    recorded.read("another text")


def test_a_damaged_file_leaves_the_model_where_it_is(desk, tmp_path):
    broken = tmp_path / "broken.npz"
    broken.write_bytes(b"PK nothing")
    desk.read("the cat")
    desk.session.open_model(broken)
    desk.qtbot.waitUntil(lambda: bool(desk.reports), timeout=WAIT_MS)
    assert "damaged" in desk.reports[0].sentence
    assert not desk.session.is_recorded


def test_a_trace_is_saved_in_a_thread_and_told_of(desk, tmp_path):
    desk.read(TEXT)
    exports = desk.bench.exports
    target = tmp_path / "saved.npz"
    with desk.qtbot.waitSignal(exports.told, timeout=WAIT_MS) as told:
        exports.save_trace(target)
    assert str(target) in told.args[0]
    np.testing.assert_array_equal(
        read_trace(target)["output.logits"], desk.session.trace["output.logits"]
    )


def test_a_place_that_cannot_be_written_is_told(desk, tmp_path):
    desk.read(TEXT)
    desk.bench.exports.save_trace(tmp_path / "no folder" / "saved.npz")
    desk.qtbot.waitUntil(lambda: bool(desk.reports), timeout=WAIT_MS)
    assert "could not be written" in desk.reports[0].sentence
    assert not desk.bench.exports.is_busy


def test_a_view_is_written_in_a_thread_and_its_dialog_goes_with_escape(desk, tmp_path):
    desk.read(TEXT)
    exports = desk.bench.exports
    dialog = exports.open_dialog()
    dialog.save(dialog.page.content(), tmp_path / "view")
    desk.qtbot.waitUntil(lambda: not exports.is_busy, timeout=WAIT_MS)
    assert (tmp_path / "view.png").read_bytes().startswith(b"\x89PNG")
    assert exports.folder == tmp_path
    dialog.reject()
    desk.qtbot.waitUntil(lambda: exports._dialog is None, timeout=WAIT_MS)


def test_a_dropped_trace_is_opened(desk, file):
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(file))])
    drop = QDropEvent(
        QPointF(5, 5),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    assert desk.bench._drops.eventFilter(desk.bench, drop)
    desk.qtbot.waitUntil(lambda: desk.session.is_recorded, timeout=WAIT_MS)


def test_the_export_button_stands_in_the_heading_of_every_panel(desk):
    desk.read(TEXT)
    button = desk.host.header.findChild(object, "panel.export")
    for key in ("tokens.ids", "layers.0.attn.q", "output.probs"):
        desk.session.go_to(key)
        assert button.isVisible()
        assert button.isEnabled()


def test_the_kinds_are_put_together_without_a_session_running(qapp):
    session = Session()
    host = PanelHost(session)
    exports = Exports(session, Settings(), host)
    assert exports.open_dialog() is None
    exports.close_down()
    session.close()


def test_heads_are_scored_by_the_sentence_alone_and_the_rest_says_why_not(recorded):
    session = recorded.session
    wanted = {"timeout": WAIT_MS}
    if session.studies.want_scores() is None:
        with recorded.qtbot.waitSignal(session.studies.scores_changed, **wanted):
            session.studies.want_scores()
    scores = session.studies.want_scores()
    expected = scores_of(run_trace(tiny_bundle(), TEXT), OF_SENTENCE)
    for score in OF_SENTENCE:
        np.testing.assert_array_equal(
            scores.by_name[score.name], expected.by_name[score.name]
        )
    for score in OF_TELLING:
        assert np.isnan(scores.by_name[score.name]).all()
        assert scores.lack(score.name) == "needs the model"


def test_why_it_was_said_cannot_be_asked_and_the_button_says_why(recorded, tmp_path):
    bench = recorded.bench
    button = bench.findChild(object, "token.why")
    assert not bench.actions_by_id["tour.start"].isEnabled()
    assert not button.isEnabled()
    assert "lacks the weights" in button.toolTip()
    recorded.session.open_model(tmp_path / "model")
    recorded.qtbot.waitUntil(lambda: not recorded.session.is_recorded, timeout=WAIT_MS)
    recorded.wait()
    recorded.read("the cat")
    assert button.isEnabled()
    assert "Why did it say that?" in button.toolTip()


def test_the_table_of_heads_shows_what_the_sentence_tells(recorded):
    session = recorded.session
    session.go_to("layers.0.attn.pattern")
    session.request_viewing(Viewing(picture="heads"))
    table = recorded.host.findChild(ScoreTable, "overview.scores")
    recorded.qtbot.waitUntil(table.isVisible, timeout=WAIT_MS)
    model = table.model()
    columns = range(model.columnCount())
    cells = {model.headerData(at, HORIZONTAL): model.index(0, at) for at in columns}
    assert float(cells["previous"].data()) >= 0
    for name in ("induction", "duplicate"):
        assert cells[name].data() == "–"
        assert "needs the model" in cells[name].data(TIP)
