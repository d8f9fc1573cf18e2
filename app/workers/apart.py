"""Work in a process of its own, for what would keep the interpreter from the window.

In: a function of `core` or of a module without Qt, and what it is given. Out: what it
gives back, or its exception. A thread that computes in Python holds the window up each
time the window wants the interpreter; a process never does, and can be ended at once.
"""

import multiprocessing
import os
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any, Literal

Kind = Literal["told", "answered", "failed"]

SPAWN = multiprocessing.get_context("spawn")
"""A fork would copy Qt's locks without the threads that hold them."""
LOOK_S = 0.05
"""Between two looks whether anybody still waits."""
NICENESS = 5
"""Added in the process: the window comes first where both want the processor."""


class EndedError(Exception):
    """A process ended without an answer."""


def apart(
    work: Callable[..., Any],
    given: tuple[Any, ...],
    told: Callable[[Any], None],
    check: Callable[[], None],
) -> Any:
    """Call `work(*given, tell)` in a process; what it tells is told here.

    `told` and `check`, which is asked all the while, may raise: that ends the process.

    Raises:
        EndedError: The process was killed, by the system or by a person.
        Exception: What `work` raised.
    """
    ours, theirs = SPAWN.Pipe()
    process = SPAWN.Process(target=carry_out, args=(work, given, theirs), daemon=True)
    try:
        process.start()
        theirs.close()
        while True:
            check()
            if ours.poll(LOOK_S):
                kind, value = ours.recv()
                if kind == "answered":
                    return value
                if kind == "failed":
                    raise value
                told(value)
    except (EOFError, ConnectionError) as error:
        raise EndedError("The process that worked on it has ended.") from error
    finally:
        if process.pid is not None:
            process.kill()
            process.join()
        ours.close()


def carry_out(
    work: Callable[..., Any], given: tuple[Any, ...], pipe: "Connection[Any, Any]"
) -> None:
    """Do the work, in the process, and send everything that comes of it."""
    if sys.platform != "win32":
        with suppress(OSError):
            os.nice(NICENESS)

    def send(kind: Kind, value: Any) -> None:
        pipe.send((kind, value))

    try:
        answer = work(*given, lambda value: send("told", value))
    except Exception as error:  # the border of the process
        error.add_note(traceback.format_exc())
        send("failed", error)
    else:
        send("answered", answer)
