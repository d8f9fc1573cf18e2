"""Modules are loaded before they are needed: a panel's take 50 to 150 ms.

In: names. Out: nothing; whoever imports one of them afterwards has it at once. One that
cannot be loaded is told of where it is needed.
"""

from collections import deque
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from app.workers.runner import Worker


@dataclass(frozen=True, slots=True)
class LoadRequest:
    """Import modules, in order, and what lies in them. Answer: None."""

    names: tuple[str, ...]
    doing: str = "loading the panels"


class LoadingWorker(Worker):
    """Imports, as long as the program is to go on."""

    def answer(self, request: Any) -> None:
        """Import what is asked for."""
        waiting = deque(request.names)
        while waiting and not self.should_end():
            name = waiting.popleft()
            inside = getattr(import_module(name), "__path__", ())
            waiting += (f"{name}.{each.name}" for each in iter_modules(inside))
