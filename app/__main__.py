"""Where the program begins: `python -m app`. Qt is loaded only when it runs."""

import os
import signal
import sys
from types import FrameType

DISPLAYS = ("QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY")


def main() -> int:
    """Open the window, or draw one picture; the exit code."""
    signal.signal(signal.SIGINT, leave)  # before anything that takes time to load
    from app.options import parse

    options = parse(sys.argv[1:])
    if options.screenshot is not None:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    elif sys.platform == "linux" and not any(map(os.environ.get, DISPLAYS)):
        sys.stderr.write(
            "There is no display to open a window on; --screenshot FILE.png draws "
            "without one.\n"
        )
        return 2
    from app.application import run

    return run(options)


def leave(number: int, frame: FrameType | None) -> None:
    """End at once on Ctrl+C while Qt is loading, which would abort; nothing is lost."""
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main())
