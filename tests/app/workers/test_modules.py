"""Modules that are loaded ahead: in a thread, whole, and not at the cost of the end."""

import sys

import pytest
from PySide6.QtCore import QThread

from app.panels import PANELS, panel_modules
from app.workers.modules import LoadingWorker, LoadRequest
from app.workers.runner import Runner


@pytest.fixture
def runner(qapp):
    runner = Runner(LoadingWorker(), (LoadRequest,), "loading")
    yield runner
    runner.stop()


@pytest.fixture
def names(tmp_path, monkeypatch):
    """Two modules that nobody has imported, which note the thread they ran in."""
    monkeypatch.syspath_prepend(str(tmp_path))
    told = "from PySide6.QtCore import QThread\nran_in_main = QThread.isMainThread()\n"
    names = ("loaded_ahead_one", "loaded_ahead_two")
    for name in names:
        (tmp_path / f"{name}.py").write_text(told)
    yield names
    for name in names:
        sys.modules.pop(name, None)


def test_modules_are_imported_in_another_thread(runner, names, qtbot):
    with qtbot.waitSignal(runner.answered, timeout=20_000):
        runner.request(LoadRequest(names))
        runner.start()
    assert [sys.modules[name].ran_in_main for name in names] == [False, False]
    assert QThread.isMainThread()


def test_nothing_more_is_imported_once_the_program_is_to_end(names, monkeypatch):
    worker = LoadingWorker()
    monkeypatch.setattr(worker, "should_end", lambda: True)
    worker.answer(LoadRequest(names))
    assert not set(names) & set(sys.modules)


def test_a_module_that_fails_is_a_report_and_no_crash(runner, qtbot):
    with qtbot.waitSignal(runner.failed, timeout=20_000):
        runner.request(LoadRequest(("no_such_module_at_all",)))
        runner.start()


def test_every_panel_has_a_module_that_makes_it():
    modules = panel_modules()
    assert len(set(modules)) == len(modules) == len(PANELS) + 1
    assert all(spec.home.startswith(f"{spec.module}:") for spec in PANELS)


def test_what_lies_in_a_package_is_imported_with_it(names, tmp_path):
    (package := tmp_path / "loaded_ahead_house").mkdir()
    (package / "__init__.py").touch()
    (package / "room.py").touch()
    worker = LoadingWorker()
    worker.should_end = lambda: False
    worker.answer(LoadRequest((package.name,)))
    assert f"{package.name}.room" in sys.modules
    for name in (f"{package.name}.room", package.name):
        del sys.modules[name]
