"""Opens the real program in a real window, types, steps, and looks at the screen.

A script and not a test of pytest's: it needs a screen to itself, and how the program
ends is part of what it looks at.

    xvfb-run env QT_QPA_PLATFORM=xcb python tests/integration/window_smoke.py P.png

It runs `python -m app` in this process, just as a person starts it; a visitor inside
the event loop then does what a person does, and closes the window.
"""

import os
import runpy
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEventLoop, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

SENTENCE = "The dog saw a cat, and it ran."
STEPS = 6
WAIT_MS = 60_000  # the first trace waits for the import of torch
POLL_MS = 50
STILL_MS = 600  # more than the pause after the last keystroke and one short trace
FEWEST_COLOURS = 64  # a blank screen has 1, text on an empty window about 30


def main(picture: Path) -> int:
    """Visit the program; 0 if it showed what it should and ended well."""
    complaints: list[str] = []

    def visit_and_close() -> None:
        try:
            visit(picture)
        except Exception as error:  # the program's own hook would swallow it
            complaints.append(f"{type(error).__name__}: {error}")
        QApplication.closeAllWindows()

    with tempfile.TemporaryDirectory() as settings:
        os.environ["XDG_CONFIG_HOME"] = settings  # a first start, whoever runs this
        code = run_program_with(visit_and_close)
    if code != 0:
        complaints.append(f"the program ended with exit code {code}")
    report = "; ".join(complaints) or f"typed, stepped, closed; picture in {picture}"
    sys.stdout.write(f"window   {report}\n")
    return len(complaints)


def run_program_with(visitor: Callable[[], None]) -> int:
    """Run `python -m app`, call the visitor in its event loop, return its exit code."""
    exec_loop = QApplication.exec

    def exec_with_visitor(*_: object) -> int:
        QTimer.singleShot(0, visitor)
        return exec_loop()

    QApplication.exec = exec_with_visitor
    sys.argv = ["app"]
    try:
        runpy.run_module("app", run_name="__main__")
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def visit(picture: Path) -> None:
    """Type a sentence, see it traced, take some steps, keep a picture of the last."""
    QApplication.setCursorFlashTime(0)  # a blinking cursor never comes to rest
    sentence = widget("sentence.edit")
    next_step = widget("step.next")
    wait_until(next_step.isEnabled, "a first trace to step through")

    shown = still_screen()
    QTest.keyClick(sentence, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(sentence, SENTENCE)
    shown = changed_screen(shown, "the typed sentence")
    wait_until(next_step.isEnabled, "the trace of the typed sentence")
    for number in range(1, STEPS + 1):
        QTest.mouseClick(next_step, Qt.MouseButton.LeftButton)
        shown = changed_screen(shown, f"another picture after step {number}")

    if not shown.save(str(picture)):
        raise OSError(f"{picture} cannot be written")
    if count_colours(shown) < FEWEST_COLOURS:
        raise AssertionError(f"the screen is blank, or nearly so; see {picture}")


def widget(name: str) -> QWidget:
    """The widget with this object name, as soon as there is one on the screen."""

    def matches() -> list[QWidget]:
        everything = QApplication.allWidgets()
        return [w for w in everything if w.objectName() == name and w.isVisible()]

    wait_until(lambda: bool(matches()), f"a visible {name}")
    return matches()[0]


def wait_until(is_true: Callable[[], bool], what: str) -> None:
    """Let the program work until it is so."""
    for _ in range(WAIT_MS // POLL_MS):
        if is_true():
            return
        work(POLL_MS)
    raise TimeoutError(f"waited {WAIT_MS // 1000} s for {what}")


def work(ms: int) -> None:
    """Let the program work for a while; QTest.qWait would keep its threads waiting."""
    loop = QEventLoop()
    QTimer.singleShot(ms, loop.quit)
    loop.exec()


def changed_screen(before: QImage, what: str) -> QImage:
    """The screen at rest again, once it differs from what it was."""
    wait_until(lambda: screen() != before, what)
    return still_screen()


def still_screen() -> QImage:
    """The screen once nothing on it has changed for a while."""
    pictures = [screen()]

    def is_still() -> bool:
        work(STILL_MS)
        pictures.append(screen())
        return pictures[-1] == pictures.pop(0)

    wait_until(is_still, "the screen to come to rest")
    return pictures[0]


def screen() -> QImage:
    """All of the screen, as it is now."""
    grabbed = QGuiApplication.primaryScreen().grabWindow(0)
    return grabbed.toImage().convertToFormat(QImage.Format.Format_RGB32)


def count_colours(image: QImage) -> int:
    """How many different colours the pixels have."""
    return len(set(memoryview(image.constBits()).cast("I")))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
