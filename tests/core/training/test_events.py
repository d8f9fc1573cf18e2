import dataclasses
import json
import os
from pathlib import Path
from typing import Any

import pytest

from core.errors import CheckpointError
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


VALUES: dict[Any, Any] = {int: 1, float: 0.5, str: "a"}
VALUES |= {float | None: None, str | None: None}


@pytest.mark.parametrize("kind", KINDS.values())
def test_every_kind_of_event_comes_back_from_its_line(kind: type[Event]) -> None:
    fields = {
        field.name: VALUES.get(field.type, []) for field in dataclasses.fields(kind)
    }
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
    "line",
    [
        *("", "7", "[]", '{"event": "unheard of"}', '{"event": "step", "step": 1}'),
        pytest.param("[" * 100_000, id="brackets"),
    ],
)
def test_a_line_that_is_no_event_is_none(line: str) -> None:
    assert event_of(line) is None


def test_a_folder_without_events_has_none(tmp_path: Path) -> None:
    assert list(read_events(tmp_path)) == []


@pytest.mark.parametrize(
    ("field", "value"),
    [("step", "4"), ("step", 4.5), ("step", True), ("loss", None), ("loss", [1])],
)
def test_a_line_whose_values_are_of_other_types_is_no_event(
    field: str, value: Any
) -> None:
    fields = {**json.loads(line_of(STEP)), field: value}
    assert event_of(json.dumps(fields)) is None


@pytest.mark.parametrize("scores", ["[[0.5, 1]]", "[]"])
def test_scores_are_lists_of_lists_of_numbers(scores: str) -> None:
    line = f'{{"event": "heads", "step": 1, "previous": {scores}, "induction": [[]]}}'
    assert event_of(line) is not None
    assert event_of(line.replace("[[]]", "[0.5]")) is None
    assert event_of(line.replace("[[]]", '[["a"]]')) is None


def test_a_folder_in_the_place_of_the_events_is_named(tmp_path: Path) -> None:
    (tmp_path / "events.jsonl").mkdir()
    with pytest.raises(CheckpointError, match=r"events\.jsonl cannot be read"):
        list(read_events(tmp_path))


@pytest.mark.skipif(os.name == "nt", reason="a file in use cannot be removed there")
def test_a_log_whose_file_was_removed_or_replaced_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    for replace in (path.touch, path.mkdir):
        log = EventLog(tmp_path)
        log.check_there()
        path.unlink()
        replace()
        with pytest.raises(CheckpointError, match=r"events\.jsonl was removed or"):
            log.write(STEP)
        log.close()
