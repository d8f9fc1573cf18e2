import subprocess
import sys

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QWidget

from app.main_window import MainWindow
from app.settings import SHOWS_PIPELINE, TEXT, Settings
from app.workbench import Workbench
from tests.helpers.bundles import save_tiny
from tests.helpers.sessions import ShownSession


@pytest.fixture
def session(qapp):
    session = ShownSession()
    yield session
    session.close()


def opened(qtbot, sentence=None):
    window = MainWindow(Settings(), sentence)
    qtbot.addWidget(window)
    window.show()
    return window


def place_of(widget, window):
    return widget.mapTo(window, QPoint(0, 0)), widget.size()


def test_the_sentence_is_there_at_once(qtbot):
    Settings().write(TEXT, "a remembered one")
    remembered, new = opened(qtbot), opened(qtbot, "a new one")
    assert remembered.centralWidget().sentence.text() == "a remembered one"
    assert new.centralWidget().sentence.text() == "a new one"


@pytest.mark.parametrize("width", [1280, 1050])
def test_nothing_moves_when_the_opening_page_gives_way(qtbot, session, tmp_path, width):
    window = opened(qtbot, "the cat")
    window.resize(width, 700)
    page = window.centralWidget()
    parts = (page.sentence, page.body, page.page)
    before = [place_of(part, window) for part in parts]
    bench = Workbench(session, Settings())
    session.open_model(save_tiny(tmp_path / "tiny"))
    session.request_text("the cat")
    window.furnish(bench)
    parts = (bench.sentence.edit, bench.body, bench.host.page)
    after = [place_of(part, window) for part in parts]
    assert after == before


def test_what_was_folded_is_not_seen_while_opening_either(qtbot):
    Settings().write(SHOWS_PIPELINE, False)
    window = opened(qtbot)
    page = window.centralWidget()
    assert page.page.mapTo(page, QPoint(0, 0)).x() < 50


def test_the_opening_page_takes_neither_keys_nor_clicks(qtbot):
    window = opened(qtbot)
    page = window.centralWidget()
    assert page.testAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    policies = {part.focusPolicy() for part in page.findChildren(QWidget)}
    assert policies == {Qt.FocusPolicy.NoFocus}


def test_the_window_is_as_large_as_it_was_left(qtbot):
    window = opened(qtbot)
    window.resize(760, 600)  # the off-screen screen is 800 wide
    window.close()
    again = opened(qtbot)
    assert (again.width(), again.height()) == (760, 600)


def test_it_is_painted_before_anything_that_takes_long_is_loaded():
    code = (
        "import sys, os; os.environ['QT_QPA_PLATFORM'] = 'offscreen'\n"
        "from app.application import Program, create_application\n"
        "from app.options import Options\n"
        "from app.settings import Settings\n"
        "def painted(program):\n"
        "    slow = {'torch', 'numpy', 'tokenizers', 'pyqtgraph', 'qtawesome',"
        " 'ziamath', 'superqt', 'app.session', 'app.workbench'}\n"
        "    print(sorted(slow & set(sys.modules)))\n"
        "    program._window.close()\n"
        "Program._on_window_painted = painted\n"
        "app = create_application()\n"
        "Program(app, Options(), Settings()).run()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["[]"]


def test_the_workbench_loads_no_panel_before_it_is_shown():
    code = (
        "import sys, app.workbench\n"
        "print(sorted({'torch', 'pyqtgraph', 'qtawesome', 'ziamath', 'superqt'}"
        " & set(sys.modules)))\n"
        "print(sorted(m for m in sys.modules if m.startswith('app.panels.')))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["[]", "['app.panels.base']"]
