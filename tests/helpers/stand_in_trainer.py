"""A run without a model: it holds the lock, tells events and obeys as the trainer does.

`python -m tests.helpers.stand_in_trainer RUN_DIR`. It is up in a tenth of a second.
"""

import sys
import time
from pathlib import Path

from core.files import held_alone
from core.training.control import Control
from core.training.events import EventLog, Paused, Resumed, Started, Stopped

POLL_S = 0.01
LAST_WORDS = "a wire is loose"


def main(folder: Path) -> None:
    """Run until somebody says stop."""
    with held_alone(folder / "lock"), Control(folder) as control:
        log = EventLog(folder)
        log.write(
            Started(
                step=0,
                n_steps=9,
                n_parameters=1,
                n_vocab=3,
                n_train_tokens=9,
                n_valid_tokens=0,
                device="cpu",
                process=1,
            )
        )
        sys.stderr.write(LAST_WORDS + "\n")
        sys.stderr.flush()
        while (command := control.command()) != "stop":
            if command == "pause":
                log.write(Paused(step=1, message=""))
            if command == "resume":
                log.write(Resumed(step=1, message=""))
            time.sleep(POLL_S)
        log.write(Stopped(step=1, message=""))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
