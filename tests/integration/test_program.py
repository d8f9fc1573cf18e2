"""The whole program in a process of its own: pictures, faults, and how it ends."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from tests.helpers.bundles import save_tiny

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).parents[2]
END_S = 60

CLOSED_AFTER = """
import runpy, sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from app.application import Program

loop, furnish = QApplication.exec, Program._furnish

def loop_until_closed(*_):
    QTimer.singleShot({ms}, QApplication.closeAllWindows)
    return loop()

def noted_furnish(program):
    print("loaded at the first paint:", {{"torch", "numpy"}} & set(sys.modules))
    furnish(program)

QApplication.exec, Program._furnish = loop_until_closed, noted_furnish
runpy.run_module("app", run_name="__main__", alter_sys=True)
"""

INTERRUPTED_IN_A_PAINT = """
import os, runpy, signal
from app.application import FirstPaint
from PySide6.QtCore import QEvent

watch = FirstPaint.eventFilter

def interrupted(first_paint, watched, event):
    if event.type() == QEvent.Type.Paint:
        os.kill(os.getpid(), signal.SIGINT)
    return watch(first_paint, watched, event)

FirstPaint.eventFilter = interrupted
runpy.run_module("app", run_name="__main__", alter_sys=True)
"""

CLOSED_AT_WORK = """
import runpy
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication
from app.session import Session

accept = Session.accept

def quit_by_menu():
    for window in QApplication.topLevelWidgets():
        for action in window.findChildren(QAction, "action.app.quit"):
            action.trigger()

def accept_and_leave(session, request, traced):
    accept(session, request, traced)
    if session.model is not None:
        Session.accept = accept
        {work}
        print(session.activity)
        {leave}

Session.accept = accept_and_leave
runpy.run_module("app", run_name="__main__", alter_sys=True)
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return save_tiny(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture
def start(tmp_path):
    """Starts Python with arguments, as somebody who never used the program."""
    places = ("XDG_CONFIG_HOME", "XDG_DATA_HOME")
    fresh = dict.fromkeys(places, str(tmp_path / "home"))

    def process(*arguments):
        return subprocess.Popen(
            [sys.executable, *map(str, arguments)],
            cwd=ROOT,
            env={**os.environ, **fresh, "QT_QPA_PLATFORM": "offscreen"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return process


def ended(process):
    """Exit code, output and errors."""
    out, err = process.communicate(timeout=END_S)
    return process.returncode, out, err


def test_a_picture_of_a_step_is_drawn_without_a_display(start, model, tmp_path):
    file = tmp_path / "picture.png"
    line = ("--text", "the cat sat", "--step", "layers.1.attn.pattern")
    process = start(
        *("-m", "app", "--model", model, *line),
        *("--screenshot", file, "--theme", "dark", "--size", "1100x700"),
    )
    assert ended(process) == (0, "", "")
    picture = QImage(str(file))
    assert (picture.width(), picture.height()) == (1100, 700)
    colours = {picture.pixel(x, y) for x in range(0, 1100, 5) for y in range(0, 700, 5)}
    assert len(colours) > 20


def test_a_source_and_a_target_are_drawn_together(start, tmp_path):
    file = tmp_path / "picture.png"
    model = save_tiny(tmp_path / "pair", n_encoder_layers=2)
    line = ("--text", "the cat", "--step", "decoder.layers.1.cross.pattern")
    pictures = []
    for target in ("a dog", "a dog sat on the mat"):
        process = start(
            *("-m", "app", "--model", model, *line, "--target", target),
            *("--screenshot", file),
        )
        assert ended(process) == (0, "", "")
        pictures.append(QImage(str(file)))
    assert pictures[0] != pictures[1]


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (("--step", "layers.1.atn.patern"), "layers.1.attn.pattern"),
        (("--model", "nowhere"), "nowhere"),
        (("--target", "a dog"), "has no encoder"),
        (("--screenshot", "no/such/folder/a.png"), "a.png cannot be written"),
    ],
)
def test_a_fault_is_one_sentence_and_code_2(start, model, tmp_path, line, what):
    picture = tmp_path / "a.png"
    process = start(
        *("-m", "app", "--model", model, "--text", "the", "--screenshot", picture),
        *line,
    )
    code, _, err = ended(process)
    assert (code, err.count("\n"), picture.exists()) == (2, 1, False)
    assert what in err


@pytest.mark.parametrize("ms", [0, 50, 200, 1200])
def test_closing_the_window_at_any_time_ends_well(start, model, ms):
    line = ("--model", model, "--text", "the cat")
    code, out, err = ended(start("-c", CLOSED_AFTER.format(ms=ms), *line))
    assert (code, err) == (0, "")
    assert out in ("", "loaded at the first paint: set()\n")


@pytest.mark.parametrize(
    ("work", "said", "leave"),
    [
        ("session.generate(25)", "writing…", "QApplication.closeAllWindows()"),
        ("session.append_token(5)", "thinking…", "quit_by_menu()"),
    ],
)
def test_leaving_in_the_middle_of_work_ends_well(start, model, work, said, leave):
    code = CLOSED_AT_WORK.format(work=work, leave=leave)
    line = ("--model", model, "--text", "the cat")
    assert ended(start("-c", code, *line)) == (0, f"{said}\n", "")


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGINT to send")
@pytest.mark.parametrize("seconds", [0.3, 1.5])
def test_ctrl_c_ends_well_while_loading_and_later(start, model, seconds):
    process = start("-m", "app", "--model", model, "--text", "the cat")
    time.sleep(seconds)
    process.send_signal(signal.SIGINT)
    assert ended(process) == (0, "", "")


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGINT to send")
def test_ctrl_c_in_the_middle_of_a_paint_ends_well(start, model):
    process = start("-c", INTERRUPTED_IN_A_PAINT, "--model", model)
    assert ended(process) == (0, "", "")
