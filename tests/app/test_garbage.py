"""Cyclic garbage: who collects it, and where."""

import gc
import threading

import pytest
from PySide6.QtCore import QObject

from app.garbage import GarbageCollector


class Ring:
    """Holds on to itself, and notes in which thread it went."""

    def __init__(self, gone):
        self.ring, self.gone = self, gone

    def __del__(self):
        self.gone.append(threading.current_thread())


@pytest.fixture
def gone(qapp):
    yield []
    gc.unfreeze()
    gc.enable()


def litter(gone):
    """Enough garbage for Python to collect at once, were it to."""
    for _ in range(2 * gc.get_threshold()[0]):
        Ring(gone)


def test_what_another_thread_leaves_is_collected_in_the_main_thread(qtbot, gone):
    parent = QObject()
    collector = GarbageCollector(parent)
    thread = threading.Thread(target=litter, args=(gone,))
    thread.start()
    thread.join()
    assert gone == []
    qtbot.waitUntil(lambda: bool(gone))
    assert set(gone) == {threading.main_thread()}
    assert collector.parent() is parent


def test_the_oldest_is_set_aside_once_and_later_garbage_is_still_found(
    monkeypatch, gone
):
    parent = QObject()
    collector = GarbageCollector(parent)
    monkeypatch.setattr(gc, "get_count", lambda: (0, 0, 99))
    collector._on_looks_timeout()
    frozen = gc.get_freeze_count()
    assert frozen > 0
    litter(gone)
    collector._on_looks_timeout()
    assert gone
    assert gc.get_freeze_count() <= frozen
