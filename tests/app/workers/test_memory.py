"""What was freed goes back to the system when it is asked to."""

import sys

import psutil
import pytest

from app.workers.memory import give_back

N, SIZE = 1000, 100_000
"""Small enough that the allocator keeps them, 100 MB together."""


def held():
    return psutil.Process().memory_info().rss


@pytest.mark.skipif(sys.platform != "linux", reason="others give back by themselves")
def test_freed_memory_goes_back_to_the_system():
    blocks = [bytearray(b"x" * SIZE) for _ in range(2 * N)]
    last = blocks.pop()  # lies above the others, which the allocator keeps therefore
    full = held()
    blocks.clear()
    give_back()
    assert held() < full - N * SIZE // 2
    assert len(last) == SIZE


def test_giving_back_twice_is_no_fault():
    give_back()
    give_back()
