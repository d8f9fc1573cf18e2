"""The events of a run as they come: who watches reads only what is new.

In: a run's folder, whose `events.jsonl` another process writes. Out: whole events, in
order. The file may not be there yet, end in half a line, or be replaced by a new one.
"""

import os
from pathlib import Path
from typing import BinaryIO

from core.training.events import EVENTS_FILE, Event, event_of


class EventTail:
    """Remembers how far one run's events have been read."""

    def __init__(self, folder: Path) -> None:
        """Begin before the first event; nothing is opened yet."""
        self._path = folder / EVENTS_FILE
        self._offset = 0
        self._identity = 0
        self._torn = b""
        """The begun line at the end of what was read."""
        self.n_restarts = 0
        """Times the file was found cut or replaced; what it told before is void."""

    def read_new(self, most_bytes: int | None = None) -> list[Event]:
        """Read the events that were added since the last time; [] if there are none.

        With `most_bytes` a long file is read in parts: go on until nothing comes. A
        file that cannot be read just now is as one with nothing new.
        """
        while data := self._more(most_bytes):
            *lines, self._torn = (self._torn + data).split(b"\n")
            read = (event_of(line.decode("utf-8", "replace")) for line in lines)
            if events := [event for event in read if event is not None]:
                return events
        return []

    def _more(self, most_bytes: int | None) -> bytes:
        try:
            with open(self._path, "rb") as file:
                self._find_place(file)
                data = file.read(-1 if most_bytes is None else most_bytes)
        except OSError:
            return b""
        self._offset += len(data)
        return data

    def _find_place(self, file: BinaryIO) -> None:
        """Go to where the last reading ended, or to the start of a new file."""
        stat = os.fstat(file.fileno())
        is_other = self._identity not in (0, stat.st_ino)
        if is_other or stat.st_size < self._offset:
            self._offset, self._torn = 0, b""
            self.n_restarts += 1
        self._identity = stat.st_ino
        file.seek(self._offset)
