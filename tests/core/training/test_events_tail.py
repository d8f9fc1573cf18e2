from pathlib import Path

from core.training.events import EVENTS_FILE, Event, Stepped, line_of
from core.training.events_tail import EventTail
from tests.helpers.run_events import stepped


def lines(*steps: int) -> bytes:
    return b"".join(line_of(stepped(step)).encode() + b"\n" for step in steps)


def steps_of(events: list[Event]) -> list[int]:
    return [event.step for event in events if isinstance(event, Stepped)]


def add(folder: Path, data: bytes) -> None:
    with open(folder / EVENTS_FILE, "ab") as file:
        file.write(data)


def test_a_file_that_is_not_there_yet_has_nothing_new(tmp_path: Path) -> None:
    tail = EventTail(tmp_path / "later")
    assert tail.read_new() == []
    (tmp_path / "later").mkdir()
    add(tmp_path / "later", lines(1))
    assert steps_of(tail.read_new()) == [1]
    assert tail.n_restarts == 0


def test_each_event_comes_once(tmp_path: Path) -> None:
    tail = EventTail(tmp_path)
    add(tmp_path, lines(1, 2))
    assert steps_of(tail.read_new()) == [1, 2]
    assert tail.read_new() == []
    add(tmp_path, lines(3))
    assert steps_of(tail.read_new()) == [3]


def test_half_a_line_waits_for_its_other_half(tmp_path: Path) -> None:
    tail = EventTail(tmp_path)
    whole = lines(1, 2)
    add(tmp_path, whole[:-30])
    assert steps_of(tail.read_new()) == [1]
    assert tail.read_new() == []
    add(tmp_path, whole[-30:])
    assert steps_of(tail.read_new()) == [2]


def test_a_torn_line_that_was_ended_is_passed_over(tmp_path: Path) -> None:
    tail = EventTail(tmp_path)
    add(tmp_path, b'{"event": "sav')
    assert tail.read_new() == []
    add(tmp_path, b"\n\xff\n" + lines(4))
    assert steps_of(tail.read_new()) == [4]


def test_parts_of_any_size_give_every_event(tmp_path: Path) -> None:
    add(tmp_path, lines(*range(20)))
    for most_bytes in (1, 7, 200, 10_000):
        tail = EventTail(tmp_path)
        found: list[int] = []
        while events := tail.read_new(most_bytes):
            found += steps_of(events)
        assert found == list(range(20)), most_bytes


def test_a_part_holds_no_more_than_was_asked_for(tmp_path: Path) -> None:
    add(tmp_path, lines(*range(20)))
    assert len(EventTail(tmp_path).read_new(len(lines(0, 1, 2)))) == 3


def test_a_cut_file_is_read_afresh(tmp_path: Path) -> None:
    tail = EventTail(tmp_path)
    add(tmp_path, lines(1, 2, 3))
    tail.read_new()
    (tmp_path / EVENTS_FILE).write_bytes(lines(7))
    assert steps_of(tail.read_new()) == [7]
    assert tail.n_restarts == 1


def test_a_longer_file_in_its_place_is_read_afresh(tmp_path: Path) -> None:
    tail = EventTail(tmp_path)
    add(tmp_path, lines(1))
    tail.read_new()
    (tmp_path / "new").write_bytes(lines(5, 6, 7))
    (tmp_path / "new").replace(tmp_path / EVENTS_FILE)
    assert steps_of(tail.read_new()) == [5, 6, 7]
    assert tail.n_restarts == 1
