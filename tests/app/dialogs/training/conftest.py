"""A setup over a real preparing thread, and hands to choose with."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.dialogs.training.setup import Setup
from app.failures import ErrorReport
from app.settings import Settings
from app.workers.runner import stop_runners
from core.training.sources import FileSource, Source

WAIT_MS = 20_000


class SetupDesk:
    """A setup that keeps its runs in a folder of the test."""

    def __init__(self, qtbot: QtBot, place: Path) -> None:
        self.qtbot, self.place = qtbot, place
        self.setup = Setup(Settings())
        qtbot.addWidget(self.setup)
        self.plan = self.setup.plan
        self.written: list[Path] = []
        self.reports: list[ErrorReport] = []
        self.setup.run_written.connect(self.written.append)
        self.plan.failed.connect(self.reports.append)
        self.setup.begin.suggest("cats", place)

    def take(self, *sources: Source) -> None:
        """Choose texts and wait for what the doctor says."""
        self.plan.add_sources(sources)
        self.wait()

    def take_file(self, name: str, content: bytes) -> Path:
        """Write a file, choose it, and wait for what the doctor says."""
        path = self.place / name
        path.write_bytes(content)
        self.take(FileSource(path))
        return path

    def wait(self) -> None:
        self.qtbot.waitUntil(lambda: not self.plan.is_looking, timeout=WAIT_MS)

    def start(self) -> Path:
        """Press Start and wait for the run's folder."""
        self.setup.show_page(2)
        self.setup.start.click()
        self.qtbot.waitUntil(lambda: bool(self.written), timeout=WAIT_MS)
        return self.written[-1]

    @property
    def facts(self) -> dict[str, str]:
        return self.setup.data.facts.shown

    def said(self) -> str:
        """All that the doctor says, in one text."""
        findings = self.setup.data.doctor.findings
        return "\n".join(f"{each.what} {each.meaning}" for each in findings)


@pytest.fixture
def desk(qtbot: QtBot, tmp_path: Path) -> Iterator[SetupDesk]:
    """A setup without a text."""
    place = tmp_path / "place"
    place.mkdir()
    made = SetupDesk(qtbot, place)
    yield made
    made.setup.rest()
    stop_runners(WAIT_MS)
