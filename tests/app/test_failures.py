import logging
import sys
import threading

import pytest
from PySide6.QtCore import QObject, QThread, Slot, qCritical, qWarning

from app.failures import LOG_FILE, ErrorReport, FailureWatch, log_to_file
from core.errors import TraceError


class Listener(QObject):
    def __init__(self):
        super().__init__()
        self.reports = []

    @Slot(object)
    def on_failed(self, report):
        assert QThread.isMainThread()
        self.reports.append(report)


@pytest.fixture
def listener(qapp):
    listener = Listener()
    watch = FailureWatch()
    watch.failed.connect(listener.on_failed)
    watch.install()
    listener.watch = watch
    yield listener
    watch.remove()


def fail(error=None):
    raise error or TypeError("no such thing")


def failure_of(error):
    try:
        fail(error)
    except type(error):
        sys.excepthook(*sys.exc_info())


def test_a_core_error_speaks_for_itself():
    report = ErrorReport.of(TraceError("The file is damaged; copy it."), "opening")
    assert report.sentence == "The file is damaged; copy it."


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        RuntimeError("[enforce fail] DefaultCPUAllocator: not enough memory: you t"),
        type("OutOfMemoryError", (RuntimeError,), {})("CUDA out of memory."),
    ],
)
def test_a_lack_of_memory_is_said_in_words(error):
    assert "not enough memory for tracing" in ErrorReport.of(error, "tracing").sentence


def test_an_exception_without_a_text_is_named():
    assert "(KeyError)" in ErrorReport.of(KeyError(), "drawing").sentence


def test_where_qt_was_when_it_happened_is_left_to_the_details():
    way = "Error calling Python override of QWidget::event(): "
    way += "Error calling Python override of QWidget::paintEvent(): "
    report = ErrorReport.of(ValueError(f"{way}too long"), "drawing")
    assert "(ValueError: too long)" in report.sentence
    assert "paintEvent" in report.details


def test_only_the_first_line_of_a_long_text_is_in_the_sentence():
    report = ErrorReport.of(ValueError("one\ntwo"), "drawing")
    assert "two" not in report.sentence
    assert "two" in report.details


def test_what_nobody_caught_is_reported_with_its_traceback(listener):
    failure_of(TypeError("no such thing"))
    (report,) = listener.reports
    assert "TypeError: no such thing" in report.sentence
    assert "in fail" in report.details


def test_a_failure_in_another_thread_is_told_in_the_main_thread(listener, qtbot):
    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
    qtbot.waitUntil(lambda: len(listener.reports) == 1)
    assert "no such thing" in listener.reports[0].sentence


def test_a_fault_that_repeats_at_once_is_told_once(listener):
    error = TypeError("no such thing")
    for _ in range(3):
        sys.excepthook(type(error), error, None)
    assert len(listener.reports) == 1
    other = TypeError("another")
    sys.excepthook(type(other), other, None)
    assert len(listener.reports) == 2


def test_a_fault_of_qt_is_reported_and_a_warning_is_only_logged(listener, caplog):
    qWarning("a thing to note")
    assert listener.reports == []
    qCritical("a real fault")
    assert "a real fault" in listener.reports[0].sentence
    assert "a thing to note" in caplog.text


def test_the_hooks_go_back_to_who_had_them(listener):
    listener.watch.remove()
    before = (sys.excepthook, threading.excepthook)
    listener.watch.install()
    assert sys.excepthook is not before[0]
    listener.watch.remove()
    assert (sys.excepthook, threading.excepthook) == before


def test_faults_are_written_to_a_file(tmp_path):
    handler = log_to_file(tmp_path / "logs")
    try:
        logging.getLogger("app").error("it broke")
    finally:
        logging.getLogger().removeHandler(handler)
        handler.close()
    assert "it broke" in (tmp_path / "logs" / LOG_FILE).read_text()


def test_a_place_that_takes_no_log_is_no_fault(tmp_path):
    (tmp_path / "file").write_text("")
    assert log_to_file(tmp_path / "file") is None
