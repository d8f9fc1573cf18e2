from dataclasses import replace
from threading import Event

import pytest

from app.workers import generating
from app.workers.generating import GenerateRequest, GeneratingWorker
from core.generation.generate import generate
from core.generation.sampling import Sampling
from tests.helpers.bundles import tiny_bundle, tiny_tokenizer

PROMPT = (116, 104)


@pytest.fixture
def worker(qapp):
    worker = GeneratingWorker()
    worker.told = []
    worker.progressed.connect(lambda _, new: worker.told.append(new.ids))
    return worker


def request(n_new, sampling=Sampling(seed=3)):  # noqa: B008
    return GenerateRequest(tiny_bundle(), PROMPT, sampling, n_new, Event())


def test_all_tokens_of_the_loop_are_told_in_order(worker):
    worker.answer(request(8))
    end = tiny_tokenizer().specials["<|endoftext|>"]
    tokens = generate(tiny_bundle().model, PROMPT, Sampling(seed=3), 8, stop_ids=(end,))
    expected = [token.token_id for token in tokens]
    assert [token_id for ids in worker.told for token_id in ids] == expected


def test_the_first_token_is_told_at_once_and_the_others_together(worker, monkeypatch):
    monkeypatch.setattr(generating, "TELL_EVERY_S", 1e9)
    worker.answer(request(8))
    assert [len(ids) for ids in worker.told] == [1, 7]


def test_it_stops_before_the_next_token(worker, monkeypatch):
    monkeypatch.setattr(generating, "TELL_EVERY_S", 0)
    wanted = request(20)
    worker.progressed.connect(lambda *_: wanted.stop.set())
    worker.answer(wanted)
    assert [len(ids) for ids in worker.told] == [1]


def test_it_stops_after_the_end_of_the_text(worker, monkeypatch):
    worker.answer(request(1, Sampling(temperature=0)))
    first = worker.told[0][0]
    monkeypatch.setitem(vars(tiny_tokenizer()), "specials", {"<|endoftext|>": first})
    worker.told.clear()
    worker.answer(request(5, Sampling(temperature=0)))
    assert worker.told == [(first,)]


def test_the_ends_that_the_files_name_go_before(worker):
    worker.answer(request(1, Sampling(temperature=0)))
    first = worker.told[0][0]
    worker.told.clear()
    bundle = replace(tiny_bundle(), end_ids=(first, 1))
    how = PROMPT, Sampling(temperature=0), 5, Event()
    worker.answer(GenerateRequest(bundle, *how))
    assert worker.told == [(first,)]


def test_each_telling_brings_the_trace_of_what_was_read(worker, monkeypatch):
    monkeypatch.setattr(generating, "TELL_EVERY_S", 0)
    monkeypatch.setattr(generating, "TIMES_AS_LONG", 0)
    told = []
    worker.progressed.connect(lambda _, new: told.append(new))
    worker.answer(request(5))
    ids = PROMPT
    for new in told:
        assert new.trace.ids == (*ids, *new.ids[:-1])
        assert new.timing.milliseconds > 0
        ids = (*ids, *new.ids)
