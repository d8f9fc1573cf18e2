"""The states of a run as its window sees them, in tables.

Place: read by `RunControl` and by whoever shows a run.
"""

from typing import Literal

from core.training.control import Command
from core.training.events import (
    Event,
    Failed,
    Finished,
    Merged,
    Paused,
    Preparing,
    Resumed,
    Started,
    Stopped,
)

State = Literal[
    "idle",
    "starting",
    "preparing",
    "running",
    "pausing",
    "paused",
    "resuming",
    "stopping",
    "stopped",
    "finished",
    "failed",
    "crashed",
]
STATE_AFTER: dict[type[Event], State] = {
    Preparing: "preparing",
    Merged: "preparing",
    Started: "running",
    Resumed: "running",
    Paused: "paused",
    Stopped: "stopped",
    Finished: "finished",
    Failed: "failed",
}
"""What a run is after an event that changes it."""
LIVE: frozenset[State] = frozenset(("starting", "preparing", "running", "paused"))
"""States that only a living process can be in."""
WISHES: dict[Command, State] = {
    "pause": "pausing",
    "resume": "resuming",
    "stop": "stopping",
}
"""What a run is called while it has been asked and has not answered."""
GRANTED = (("pause", "paused"), ("resume", "running"))
"""A wish, and the state that grants it; a stop is granted by any end."""
