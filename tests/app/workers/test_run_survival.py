"""What becomes of a run when the window that started it ends, in whatever way."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from core.files import is_held
from core.training.control import send
from core.training.events import Stopped, read_events

ROOT = Path(__file__).parents[3]
WAIT_S = 20.0
END_S = 5.0
"""Within this a closed program must have ended."""

WINDOW = """
import signal, sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication, QTimer
from app.workers.run_control import RunControl

app = QCoreApplication([])
signal.signal(signal.SIGINT, lambda *_: app.exit(0))
awake = QTimer(interval=50)
awake.timeout.connect(lambda: None)
awake.start()
control = RunControl(program=("-m", "tests.helpers.stand_in_trainer"))

def tell(state):
    if state == "running":
        control.keep_running(sys.argv[2] == "keep")
        print("running", flush=True)

control.state_changed.connect(tell)
control.start(Path(sys.argv[1]))
sys.exit(app.exec())
"""


@pytest.fixture
def run(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    yield folder
    if is_held(folder / "lock"):
        send(folder, "stop")
        wait_until(lambda: not is_held(folder / "lock"))


def wait_until(holds: Callable[[], bool]) -> None:
    end_s = time.monotonic() + WAIT_S
    while not holds():
        assert time.monotonic() < end_s
        time.sleep(0.02)


def open_window(run: Path, choice: str) -> subprocess.Popen[str]:
    """A window that has started the run, and knows what is to become of it."""
    window = subprocess.Popen(
        [sys.executable, "-c", WINDOW, str(run), choice],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert window.stdout is not None
    assert window.stdout.readline() == "running\n"
    return window


def has_stopped(run: Path) -> bool:
    return isinstance(list(read_events(run))[-1], Stopped)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=str)
def test_a_run_stops_with_its_checkpoint_when_its_window_ends(run, number):
    with open_window(run, "stop") as window:
        window.send_signal(number)
        code = window.wait(END_S)
    assert code == (0 if number == signal.SIGINT else -number)
    wait_until(lambda: not is_held(run / "lock"))
    assert has_stopped(run)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=str)
def test_a_run_that_was_kept_goes_on_when_its_window_ends(run, number):
    with open_window(run, "keep") as window:
        window.send_signal(number)
        window.wait(END_S)
    time.sleep(0.5)
    assert is_held(run / "lock")
    assert not has_stopped(run)
