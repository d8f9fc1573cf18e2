"""The methods that Qt calls: no exception may leave one.

PySide keeps such an exception until Python next asks Qt for something. Where that is a
new widget, the program crashes (measured with PySide 6.11.3). So a fault is told at
once, to `sys.excepthook` like any other, and Qt gets an answer.
"""

import sys
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from PySide6.QtCore import QSize

Owner = TypeVar("Owner", bound=type)

ANSWERS: dict[str, Any] = {
    "event": False,
    "viewportEvent": False,
    "eventFilter": False,
    "sizeHint": QSize(),
    "minimumSizeHint": QSize(),
}
"""What Qt is told after a fault, by method; the others answer nothing."""


def is_called_by_qt(name: str) -> bool:
    """Whether a method of this name is one that Qt calls: "paintEvent", "sizeHint"."""
    return name in ANSWERS or name.endswith("Event")


def tells_faults(owner: Owner) -> Owner:
    """Guard the methods of a class that Qt calls. For use as its decorator."""
    for name, method in list(vars(owner).items()):
        if is_called_by_qt(name):
            setattr(owner, name, _guarded(method, ANSWERS.get(name)))
    return owner


def _guarded(method: Callable[..., Any], answer: Any) -> Callable[..., Any]:
    @wraps(method)
    def guarded(*args: Any) -> Any:
        try:
            return method(*args)
        except Exception:  # the border to Qt: everything becomes a report
            sys.excepthook(*sys.exc_info())
            return answer

    return guarded
