import dataclasses
from pathlib import Path
from typing import Any

import pytest

from core.training.events import (
    KINDS,
    Event,
    EventLog,
    Failed,
    Saved,
    Stepped,
    event_of,
    line_of,
    read_events,
)

STEP = Stepped(
    step=3,
    loss=0.1 + 0.2,
    learning_rate=1e-3,
    gradient_norm=1.5,
    tokens_per_second=4000.0,
)


@pytest.mark.parametrize("kind", KINDS.values())
def test_every_kind_of_event_comes_back_from_its_line(kind: type[Event]) -> None:
    fields: dict[str, Any] = {field.name: 1 for field in dataclasses.fields(kind)}
    event = kind(**fields)
    assert event_of(line_of(event)) == event


def test_a_line_is_one_line() -> None:
    assert "\n" not in line_of(Failed(message="one\ntwo"))


def test_numbers_come_back_to_the_last_bit() -> None:
    assert event_of(line_of(STEP)) == STEP


def test_written_events_are_there_at_once(tmp_path: Path) -> None:
    log = EventLog(tmp_path)
    log.write(STEP)
    assert list(read_events(tmp_path)) == [STEP]
    log.close()


def test_a_torn_last_line_is_passed_over_and_then_ended(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text(f'{line_of(STEP)}\n{{"event": "sav', encoding="utf-8")
    assert list(read_events(tmp_path)) == [STEP]
    log = EventLog(tmp_path)
    log.write(Saved(step=4, folder="checkpoints/step-00000004"))
    log.close()
    assert [type(event) for event in read_events(tmp_path)] == [Stepped, Saved]


@pytest.mark.parametrize(
    "line", ["", "7", "[]", '{"event": "unheard of"}', '{"event": "step", "step": 1}']
)
def test_a_line_that_is_no_event_is_none(line: str) -> None:
    assert event_of(line) is None


def test_a_folder_without_events_has_none(tmp_path: Path) -> None:
    assert list(read_events(tmp_path)) == []
