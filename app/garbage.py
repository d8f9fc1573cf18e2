"""Cyclic garbage is collected in the main thread alone.

Python collects in whichever thread happens to allocate. Widgets found by a worker are
deleted later, when their parents may have done it already, and the program crashes
(measured with PySide 6.11.3, after a fault had left a half-made widget behind).
"""

import gc

from PySide6.QtCore import QObject, QTimer, Slot

EVERY_MS = 300


OLDEST = 2
"""Python's name for the generation of what has lived long."""


class GarbageCollector(QObject):
    """Takes over from Python's own collector, in the thread that made it."""

    def __init__(self, parent: QObject) -> None:
        """Begin at once."""
        super().__init__(parent)
        gc.disable()
        self._has_frozen = False
        self._looks = QTimer(self, interval=EVERY_MS)
        self._looks.timeout.connect(self._on_looks_timeout)
        self._looks.start()

    @Slot()
    def _on_looks_timeout(self) -> None:
        """Collect the oldest generation that is due, by Python's own counts.

        What is there when the oldest is due first is the program and torch: set aside,
        since looking through it takes 0.2 s.
        """
        limits = zip(gc.get_count(), gc.get_threshold(), strict=True)
        due = [age for age, (count, limit) in enumerate(limits) if count > limit]
        if OLDEST in due and not self._has_frozen:
            self._has_frozen = True
            gc.collect(OLDEST - 1)
            gc.freeze()
        if due:
            gc.collect(due[-1])
