from dataclasses import dataclass
from threading import Event

import pytest
from PySide6.QtCore import QDeadlineTimer, QThread

from app.workers.runner import RUNNERS, Runner, Worker, stop_runners
from core.errors import TraceError


@dataclass(frozen=True)
class Double:
    """Answer: twice the number; waits for the gate, if there is one."""

    number: int
    gate: Event | None = None
    doing: str = "doubling"


@dataclass(frozen=True)
class Fail:
    error: Exception
    doing: str = "failing"


class Doubler(Worker):
    def answer(self, request):
        assert not QThread.isMainThread()
        if isinstance(request, Fail):
            raise request.error
        if request.gate is not None:
            while not self.should_end() and not request.gate.wait(0.01):
                self.progressed.emit(request, "waiting")
        return 2 * request.number


@pytest.fixture
def runner(qapp):
    runner = Runner(Doubler(), (Fail, Double), "doubler")
    runner.heard = []
    runner.answered.connect(lambda request, answer: runner.heard.append(answer))
    yield runner
    runner.stop()


def test_nothing_runs_before_the_start(runner, qtbot):
    runner.request(Double(1))
    qtbot.wait(20)
    assert runner.heard == []
    with qtbot.waitSignal(runner.answered):
        runner.start()
    assert runner.heard == [2]


def test_a_newer_request_replaces_the_waiting_one_and_not_the_running_one(
    runner, qtbot
):
    gate = Event()
    runner.start()
    runner.request(Double(1, gate))
    for number in range(2, 50):
        runner.request(Double(number))
    assert len(runner.pending) == 2
    gate.set()
    qtbot.waitUntil(lambda: not runner.pending)
    assert runner.heard == [2, 98]


def test_what_waits_goes_in_the_order_of_its_kinds(runner, qtbot):
    order = []
    runner.answered.connect(lambda request, _: order.append(type(request)))
    runner.failed.connect(lambda request, _: order.append(type(request)))
    runner.request(Double(1))
    runner.request(Fail(ValueError()))
    runner.start()
    qtbot.waitUntil(lambda: len(order) == 2)
    assert order == [Fail, Double]


def test_a_withdrawn_request_is_never_answered(runner, qtbot):
    runner.request(Double(1))
    runner.withdraw(Double)
    runner.start()
    with qtbot.waitSignal(runner.answered):
        runner.request(Double(2))
    assert runner.heard == [4]


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (TraceError("There is nothing to trace."), "There is nothing to trace."),
        (
            TypeError("no"),
            "Something unexpected happened while failing (TypeError: no). "
            "You can go on; copy the details to report it.",
        ),
    ],
)
def test_every_exception_becomes_a_report_and_the_thread_goes_on(
    runner, qtbot, error, sentence
):
    runner.start()
    with qtbot.waitSignal(runner.failed) as heard:
        runner.request(Fail(error))
    assert heard.args[1].sentence == sentence
    assert type(error).__name__ in heard.args[1].details
    with qtbot.waitSignal(runner.answered):
        runner.request(Double(3))
    assert runner.heard == [6]


def test_parts_of_an_answer_come_on_the_way(runner, qtbot):
    gate = Event()
    runner.start()
    with qtbot.waitSignal(runner.progressed) as heard:
        runner.request(Double(1, gate))
    assert heard.args[1] == "waiting"
    gate.set()
    qtbot.waitUntil(lambda: runner.heard == [2])


def test_stopping_ends_the_work_and_drops_its_answer(runner, qtbot):
    runner.start()
    with qtbot.waitSignal(runner.progressed):
        runner.request(Double(1, Event()))
    runner.request(Double(2))
    assert runner.stop()
    qtbot.wait(20)
    assert runner.heard == []


def test_a_thread_that_does_not_end_in_time_is_told_and_left_alone(runner, qtbot):
    class Stubborn(Worker):
        def answer(self, request):
            self.progressed.emit(request, None)
            request.gate.wait()

    gate = Event()
    stubborn = Runner(Stubborn(), (Double,), "stubborn")
    stubborn.start()
    with qtbot.waitSignal(stubborn.progressed):
        stubborn.request(Double(1, gate))
    assert not stubborn.stop(QDeadlineTimer(20))
    gate.set()
    assert stubborn.stop()


def test_all_runners_can_be_stopped_at_once(runner):
    runner.start()
    assert runner in RUNNERS
    assert stop_runners(5000)
    assert not runner._thread.isRunning()
