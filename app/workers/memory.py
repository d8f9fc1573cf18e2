"""Memory that work leaves behind, given back to the system.

glibc keeps what was freed for whoever asks next, thread by thread. After sentences of a
thousand tokens that is half a gigabyte, twice what their trace holds. Other systems'
allocators give back by themselves.
"""

import ctypes
import sys

ALL = 0
"""Bytes that may be kept at the top of the heap."""


def give_back() -> None:
    """Let the system have what is not in use; takes some milliseconds without the GIL.

    For workers, once an answer is on its way: never for the window's thread.
    """
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc alone has it
        if trim is not None:
            trim(ALL)
