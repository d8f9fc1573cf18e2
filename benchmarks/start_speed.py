"""Start to first painted window, against an empty PySide6 window in the same run.

Each start is a process of its own, off screen, imports included; both kinds take turns.
Fails if torch or numpy was imported before the paint. Prints one JSON line.
Run from the repository: python -m benchmarks.start_speed
"""

import json
import os
import runpy
import statistics
import subprocess
import sys
import time

N_REPEATS = 9
TARGET = 2.5
MODULE = "benchmarks.start_speed"


def leave_at_first_paint() -> None:
    """Let every event loop end the process once a window has been painted."""
    from PySide6.QtCore import QEvent, QObject, QTimer
    from PySide6.QtWidgets import QApplication

    class Watch(QObject):
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            if event.type() == QEvent.Type.Paint and watched.isWidgetType():
                QTimer.singleShot(0, leave)
            return False

    def leave() -> None:
        slow = {"torch", "numpy"} & set(sys.modules)
        sys.stdout.write(f"{', '.join(slow) or 'painted'}\n")
        sys.stdout.flush()
        os._exit(0)

    run = QApplication.exec

    def watched_run(*_: object) -> int:
        app = QApplication.instance()
        watch = Watch(app)
        app.installEventFilter(watch)
        return run()

    QApplication.exec = watched_run


def empty_window() -> None:
    """The least that a PySide6 program can do."""
    from PySide6.QtWidgets import QApplication, QMainWindow

    app = QApplication([])
    window = QMainWindow()
    window.show()
    app.exec()


def program() -> None:
    """The whole program."""
    sys.argv = ["app"]
    runpy.run_module("app", run_name="__main__")


KINDS = {"empty": empty_window, "program": program}


def seconds(kind: str) -> float:
    """From the start of a process to its first painted window."""
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", MODULE, kind],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    took = time.perf_counter() - start
    if done.stdout.strip() != "painted":
        raise SystemExit(
            f"{kind}: {done.stdout.strip()} imported before the first paint."
        )
    return took


def main() -> None:
    """Measure and print, or be the process that is measured."""
    if sys.argv[1:]:
        leave_at_first_paint()
        KINDS[sys.argv[1]]()
        return
    pairs = [(seconds("program"), seconds("empty")) for _ in range(N_REPEATS + 1)][1:]
    line = {
        "figure": "start_to_first_paint",
        "ratio": round(statistics.median(a / b for a, b in pairs), 2),
        "target": TARGET,
        "ms": round(1000 * statistics.median(a for a, _ in pairs)),
        "empty_ms": round(1000 * statistics.median(b for _, b in pairs)),
        "repeats": N_REPEATS,
    }
    sys.stdout.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
