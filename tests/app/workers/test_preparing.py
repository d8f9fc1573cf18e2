"""Texts are looked at beside the window, and no longer than somebody waits."""

import os
import signal
import time
from pathlib import Path
from threading import Event, Timer
from typing import Any

import numpy as np
import pytest

from app.dialogs.training.plan import first_draft
from app.workers.apart import EndedError, apart
from app.workers.looking import SHORT, Share, are_short, look
from app.workers.preparing import (
    Looked,
    LookRequest,
    PreparingWorker,
    WithdrawnError,
    WriteRunRequest,
)
from core.errors import TrainingError
from core.training.config import TokenizerConfig
from core.training.facts import measure_tokens, read_facts
from core.training.sources import FileSource, PastedSource, StorySource, expanded

LONG = StorySource(seed=1, n_characters=2 * SHORT)
ENDLESS = StorySource(seed=2, n_characters=10**9)
PATIENCE_S = 0.5
BPE = TokenizerConfig(n_vocab=300)


def request_of(*sources: Any, withdrawn: Event | None = None) -> LookRequest:
    return LookRequest(sources, BPE, Path(), None, withdrawn or Event())


def test_a_long_text_is_looked_at_in_a_process_with_the_facts_of_a_thread(
    qapp: Any,
) -> None:
    worker, parts = PreparingWorker(), list[Any]()
    worker.progressed.connect(lambda _, part: parts.append(part))
    looked = worker.answer(request_of(LONG))
    assert isinstance(looked, Looked)
    here = read_facts([LONG])
    assert looked.facts.n_characters == here.n_characters
    assert np.array_equal(looked.facts.units.firsts, here.units.firsts)
    assert looked.tokens == measure_tokens(here, BPE, Path())
    assert any(part is looked.facts for part in parts)
    assert {part.what for part in parts if isinstance(part, Share)} == {
        "reading the text",
        "counting tokens",
    }


def test_a_look_that_nobody_waits_for_ends_at_once(qapp: Any) -> None:
    withdrawn = Event()
    Timer(0.2, withdrawn.set).start()
    start_s = time.monotonic()
    assert PreparingWorker().answer(request_of(ENDLESS, withdrawn=withdrawn)) is None
    assert time.monotonic() - start_s < 0.2 + PATIENCE_S


def test_stories_that_nobody_waits_for_are_not_written_to_the_end(
    qapp: Any, tmp_path: Path
) -> None:
    withdrawn = Event()
    Timer(0.1, withdrawn.set).start()
    start_s = time.monotonic()
    for split in ("tail", "documents"):
        request = WriteRunRequest(
            tmp_path / "run", (ENDLESS,), split, first_draft().config, withdrawn
        )
        assert PreparingWorker().answer(request) is None
    assert time.monotonic() - start_s < 0.1 + PATIENCE_S
    assert not list(tmp_path.iterdir())


def test_a_short_text_needs_no_process_and_a_folder_does(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("cat")
    assert are_short((PastedSource("cat"), FileSource(tmp_path / "a.txt")))
    assert not are_short((PastedSource("c" * (SHORT + 1)),))
    assert not are_short((FileSource(tmp_path),))
    assert are_short((FileSource(tmp_path / "none.txt"),))


def test_what_fails_in_the_process_is_raised_here_with_its_place() -> None:
    sources = tuple(expanded([PastedSource("a")]))
    facts = read_facts(sources)
    missing = TokenizerConfig(file="none.json")
    with pytest.raises(Exception, match="none") as caught:
        apart(look, (sources, missing, Path("nowhere"), facts), print, lambda: None)
    assert "measure_tokens" in caught.value.__notes__[0]
    empty = read_facts([])
    with pytest.raises(TrainingError, match="no text"):
        apart(measure_tokens_of, (empty,), print, lambda: None)


def test_a_process_that_is_killed_is_told_from_one_that_answers() -> None:
    with pytest.raises(EndedError):
        apart(killed, (), print, lambda: None)


def test_who_listens_may_end_it() -> None:
    def refuse(_: Any) -> None:
        raise WithdrawnError

    with pytest.raises(WithdrawnError):
        apart(look, ((ENDLESS,), BPE, Path(), None), refuse, lambda: None)


def measure_tokens_of(facts: Any, _tell: Any) -> object:
    return measure_tokens(facts, BPE, Path())


def killed(_tell: Any) -> None:
    os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
