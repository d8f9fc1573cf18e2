import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from core.files import held_alone
from core.tokenizers.folder import open_tokenizer
from core.training.config import read_config
from core.training.control import send
from core.training.corpus import CACHE
from core.training.events import (
    Event,
    Failed,
    Merged,
    Preparing,
    Started,
    Stopped,
    read_events,
)
from core.training.prepare import main, prepare
from core.training.progress import Paced
from core.training.reading import spread
from core.training.start import run_tokenizer
from tests.helpers.runs import N_BYTE_TOKENS, carry_out

MakeRun = Callable[..., Path]
LEARNED = {"n_vocab": 290}


def test_preparing_tells_every_merge_in_its_order(make_run: MakeRun) -> None:
    folder = make_run(tokenizer=LEARNED)
    events: list[Event] = []
    prepare(folder, events.append)
    merged = [event for event in events if isinstance(event, Merged)]
    joined = [
        a + b for each in merged for a, b in zip(each.left, each.right, strict=True)
    ]
    tokenizer = open_tokenizer(folder)
    names = [(a + b).decode().replace(" ", "Ġ") for a, b in tokenizer.merges]
    assert joined == names
    assert (merged[-1].n_done, merged[-1].n_asked) == (len(names), 33)
    counts = [count for each in merged for count in each.counts]
    assert counts == sorted(counts, reverse=True)
    assert isinstance(events[-1], Preparing)
    assert events[-1].share == 1.0
    assert "tokens to learn from" in events[-1].message


def test_the_training_program_finds_all_of_it_done(make_run: MakeRun) -> None:
    folder = make_run(tokenizer=LEARNED)
    assert main([str(folder)]) == 0
    before = {path: path.stat().st_mtime_ns for path in (folder / CACHE).iterdir()}
    tokenizer = (folder / "tokenizer.json").stat().st_mtime_ns
    n_merged = sum(isinstance(event, Merged) for event in read_events(folder))
    events = carry_out(folder)
    assert any(isinstance(event, Started) for event in events)
    assert sum(isinstance(event, Merged) for event in events) == n_merged
    assert {p: p.stat().st_mtime_ns for p in (folder / CACHE).iterdir()} == before
    assert (folder / "tokenizer.json").stat().st_mtime_ns == tokenizer


def test_a_tokenizer_that_became_smaller_is_not_learned_again(
    make_run: MakeRun,
) -> None:
    folder = make_run(
        text="ab ab",
        tokenizer=LEARNED,
        model={"n_ctx": 1},
        data={"valid_share": 0.0},
    )
    events: list[Event] = []
    prepare(folder, events.append)
    said = [event.message for event in events if isinstance(event, Preparing)]
    assert any("asked 290, got 258" in message for message in said)
    events.clear()
    prepare(folder, events.append)
    assert not [event for event in events if isinstance(event, Merged)]


def test_events_leave_people_and_disks_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now_s)
    events: list[Event] = []
    told = Paced(events.append).share("Reading.")
    for _ in range(1000):
        now_s += 0.001
        told(0.5)
    assert 10 < len(events) <= 20


def test_a_stop_in_the_control_file_leaves_nothing_half(make_run: MakeRun) -> None:
    folder = make_run(tokenizer=LEARNED)

    def stop(event: Event) -> None:
        if isinstance(event, Merged):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        prepare(folder, stop)
    assert sorted(path.name for path in folder.iterdir()) == ["config.toml", "text.txt"]


def test_the_program_obeys_the_control_file(
    make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_run(tokenizer=LEARNED)

    def asked_to_stop(folder: Path, config: object, tell: Callable[..., None]) -> None:
        send(folder, "stop")
        tell(Preparing(message="On the way."))
        raise AssertionError("the stop was not heard")

    monkeypatch.setattr("core.training.prepare.run_tokenizer", asked_to_stop)
    assert main([str(folder)]) == 0
    assert isinstance(list(read_events(folder))[-1], Stopped)


def test_a_fault_is_told_in_a_sentence(make_run: MakeRun) -> None:
    folder = make_run(text="")
    assert main([str(folder)]) == 1
    last = list(read_events(folder))[-1]
    assert isinstance(last, Failed)
    assert "empty text" in last.message


def test_a_folder_that_is_being_trained_is_left_alone(make_run: MakeRun) -> None:
    folder = make_run()
    with held_alone(folder / "lock"):
        assert main([str(folder)]) == 1
    assert not (folder / "events.jsonl").exists()


def test_a_share_of_the_blocks_is_spread_over_all() -> None:
    blocks = [str(n) for n in range(10)]
    assert list(spread(blocks, 1.0)) == blocks
    assert list(spread(blocks, 0.3)) == ["0", "4", "7"]


def test_sigterm_ends_the_program_with_an_event(make_run: MakeRun) -> None:
    folder = make_run(text="so many words " * 300_000, tokenizer=LEARNED)
    program = [sys.executable, "-m", "core.training.prepare", str(folder)]
    process = subprocess.Popen(program, stderr=subprocess.DEVNULL)
    events = folder / "events.jsonl"
    while process.poll() is None and not (events.exists() and events.stat().st_size):
        time.sleep(0.005)
    os.kill(process.pid, signal.SIGTERM)
    assert process.wait(20) == 0
    assert isinstance(list(read_events(folder))[-1], Stopped | Preparing)
    assert not list(folder.rglob("*.partial"))


def test_preparing_needs_no_torch(make_run: MakeRun) -> None:
    program = (
        "import sys; from core.training.prepare import main; "
        f"code = main([{str(make_run(tokenizer=LEARNED))!r}]); "
        "sys.exit(code or 'torch' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_a_tokenizer_file_is_opened_where_it_is(make_run: MakeRun) -> None:
    learned = make_run("first", tokenizer=LEARNED)
    prepare(learned, lambda _: None)
    folder = make_run("second", tokenizer={"file": "../first/tokenizer.json"})
    found = run_tokenizer(folder, read_config(folder))
    assert found.fingerprint == open_tokenizer(learned).fingerprint


def test_a_run_tells_its_merges_before_it_starts(make_run: MakeRun) -> None:
    events = carry_out(make_run(tokenizer={"n_vocab": 270}))
    first = next(i for i, event in enumerate(events) if isinstance(event, Started))
    merged = [event for event in events[:first] if isinstance(event, Merged)]
    assert sum(len(event.left) for event in merged) == 270 - N_BYTE_TOKENS
    assert merged[-1].n_done == merged[-1].n_asked
