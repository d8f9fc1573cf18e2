import dataclasses
import math
import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import torch

from core.checkpoints.native import read_model
from core.errors import DeviceError, TokenizerError, TrainingError
from core.model.transformer import Transformer
from core.training.checkpoint import checkpoints, newest_step, read_counters
from core.training.config import read_config
from core.training.control import Control, send
from core.training.events import (
    Evaluated,
    Event,
    Finished,
    Paused,
    Preparing,
    Resumed,
    Saved,
    Started,
    Stepped,
    Stopped,
    read_events,
)
from core.training.schedule import learning_rate
from core.training.trainer import Trainer
from tests.helpers.runs import N_BYTE_TOKENS, carry_out

MakeRun = Callable[..., Path]


def steps(events: list[Event]) -> dict[int, Stepped]:
    """Every step's figures, without the one that a clock decides."""
    return {
        event.step: dataclasses.replace(event, tokens_per_second=0.0)
        for event in events
        if isinstance(event, Stepped)
    }


def evaluations(events: Sequence[Event]) -> list[Evaluated]:
    return [event for event in events if isinstance(event, Evaluated)]


def interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def kinds(events: Sequence[Event]) -> list[str]:
    passed_over = (Preparing, Stepped)
    return [
        type(event).__name__ for event in events if not isinstance(event, passed_over)
    ]


def started(events: Sequence[Event]) -> Started:
    return next(event for event in events if isinstance(event, Started))


def change_config(folder: Path, before: str, after: str) -> None:
    config = folder / "config.toml"
    text = config.read_text(encoding="utf-8")
    assert before in text
    config.write_text(text.replace(before, after), encoding="utf-8")


def tell_after(
    monkeypatch: pytest.MonkeyPatch, n_steps: int, *commands: str | None
) -> None:
    """Have the run told these commands, one each time it asks, after some steps."""
    told = iter([None] * (n_steps - 1) + list(commands))
    monkeypatch.setattr(Control, "command", lambda _: next(told, None))


def test_a_resumed_run_has_the_very_losses_of_a_straight_one(
    make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    fields = {"n_steps": 100, "evaluate_every": 20, "learning_rate": 1e-3}
    model = {"dropout": 0.1}
    straight = carry_out(make_run(name="straight", model=model, **fields))
    folder = make_run(name="resumed", model=model, **fields)
    tell_after(monkeypatch, 50, "stop")
    assert kinds(carry_out(folder))[-2:] == ["Saved", "Stopped"]
    assert newest_step(folder) == 50
    monkeypatch.undo()
    resumed = carry_out(folder)
    assert steps(resumed) == steps(straight)
    assert len(steps(resumed)) == 100
    assert steps(resumed)[50].learning_rate == pytest.approx(5.000e-4, abs=5e-8)
    assert steps(resumed)[51].learning_rate == pytest.approx(4.843e-4, abs=5e-8)
    assert evaluations(resumed) == evaluations(straight)
    counters = [
        read_counters(checkpoints(folder.with_name(name))[-1])
        for name in ("straight", "resumed")
    ]
    assert counters[0] == counters[1]


def test_a_fresh_run_keeps_what_it_knew_before_the_first_step(
    make_run: MakeRun,
) -> None:
    folder = make_run(n_steps=2, seed=7, learning_rate=1e-2)
    carry_out(folder)
    first, last = checkpoints(folder)
    config = dataclasses.replace(read_config(folder).model, n_vocab=N_BYTE_TOKENS)
    torch.manual_seed(7)
    drawn = Transformer(config).weights()
    kept = read_model(first).weights
    assert kept.keys() == drawn.keys()
    assert all(torch.equal(kept[address], drawn[address]) for address in drawn)
    counters = read_counters(first)
    assert (counters.step, counters.tested_step) == (0, 0)
    assert counters.loss == pytest.approx(math.log(N_BYTE_TOKENS), abs=0.05)
    assert read_counters(last).best_step == 2


def test_a_run_killed_before_its_first_step_has_the_losses_of_a_straight_one(
    make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    fields = {"model": {"dropout": 0.1}, "n_steps": 8, "evaluate_every": 4}
    straight = carry_out(make_run(name="straight", **fields))
    folder = make_run(name="resumed", **fields)
    monkeypatch.setattr(Trainer, "advance", interrupt)
    with pytest.raises(KeyboardInterrupt):
        carry_out(folder)
    monkeypatch.undo()
    assert [kept.name for kept in checkpoints(folder)] == ["step-00000000"]
    torch.manual_seed(99)  # another process draws from elsewhere
    resumed = carry_out(folder)
    assert [event.step for event in resumed if isinstance(event, Started)] == [0, 0]
    assert steps(resumed) == steps(straight)
    assert evaluations(resumed) == evaluations(straight)


def test_a_run_tells_its_story_in_order(make_run: MakeRun) -> None:
    events = carry_out(make_run(n_steps=4, evaluate_every=2, checkpoint_every=2))
    turn = ["Evaluated", "Saved"]
    assert kinds(events) == ["Started", *turn, *turn, *turn, "Finished"]
    assert started(events).n_vocab == 257
    assert [event.step for event in events if isinstance(event, Saved)] == [0, 2, 4]


def test_a_finished_run_opens_as_a_model(make_run: MakeRun) -> None:
    folder = make_run(n_steps=2)
    carry_out(folder)
    model = read_model(checkpoints(folder)[-1])
    assert (model.name, model.config.n_vocab) == ("run, step 2", 257)


def test_a_finished_run_started_again_only_says_so(make_run: MakeRun) -> None:
    folder = make_run(n_steps=2)
    carry_out(folder)
    assert kinds(carry_out(folder))[-2:] == ["Started", "Finished"]


def test_a_longer_run_goes_on_from_the_shorter_one(make_run: MakeRun) -> None:
    folder = make_run(n_steps=2)
    carry_out(folder)
    change_config(folder, "n_steps = 2", "n_steps = 5")
    events = carry_out(folder)
    assert [event.step for event in events if isinstance(event, Started)] == [0, 2]
    assert events[-1] == Finished(step=5, message="All 5 steps are done.")
    config = read_config(folder).training
    assert steps(events)[4].learning_rate == learning_rate(4, config)


def test_a_run_made_shorter_than_it_is_has_all_its_steps(make_run: MakeRun) -> None:
    folder = make_run(n_steps=5)
    carry_out(folder)
    change_config(folder, "n_steps = 5", "n_steps = 2")
    assert carry_out(folder)[-1] == Finished(step=5, message="All 2 steps are done.")
    assert newest_step(folder) == 5


def test_a_paused_run_saves_waits_and_goes_on(
    make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_run(n_steps=4)
    monkeypatch.setattr("core.training.loop.PAUSE_POLL_S", 0.0)
    tell_after(monkeypatch, 2, "pause", None, None, "resume")
    events = carry_out(folder)
    middle = [e for e in events if isinstance(e, Saved | Paused | Resumed)][1:4]
    assert kinds(middle) == ["Saved", "Paused", "Resumed"]
    assert {event.step for event in middle} == {2}
    assert isinstance(events[-1], Finished)


def test_a_paused_run_can_be_stopped(
    make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.training.loop.PAUSE_POLL_S", 0.0)
    tell_after(monkeypatch, 2, "pause", "stop")
    events = carry_out(make_run(n_steps=4))
    assert isinstance(events[-1], Stopped)
    assert events[-1].step == 2


def test_a_run_forgets_what_an_earlier_one_was_told(make_run: MakeRun) -> None:
    folder = make_run(n_steps=2)
    send(folder, "stop")
    assert isinstance(carry_out(folder)[-1], Finished)


def test_a_loss_that_is_no_number_stops_the_run_at_its_step(make_run: MakeRun) -> None:
    folder = make_run(n_steps=50, learning_rate=1e6, log_every=5, checkpoint_every=1)
    with pytest.raises(TrainingError) as raised:
        carry_out(folder)
    assert str(raised.value) == (
        "Step 2 has loss nan and gradient nan, first in output.norm: the run was "
        "stopped (step-00000001 is intact); try learning_rate = 0.001 or clip = 0.5, "
        "and start it again."
    )
    names = [kept.name for kept in checkpoints(folder)]
    assert names == ["step-00000000", "step-00000001"]
    weights = read_model(checkpoints(folder)[-1]).weights
    assert all(bool(weight.isfinite().all()) for weight in weights.values())


def test_a_lost_number_is_found_though_nobody_looked_for_steps(
    make_run: MakeRun,
) -> None:
    folder = make_run(n_steps=50, learning_rate=1e6, log_every=10)
    with pytest.raises(TrainingError, match=r"^Step 2 has .* first in output\.norm: "):
        carry_out(folder)


def test_a_ruined_run_started_again_with_a_lower_rate_goes_through(
    make_run: MakeRun,
) -> None:
    folder = make_run(n_steps=4, learning_rate=1e6)
    with pytest.raises(TrainingError):
        carry_out(folder)
    change_config(folder, "learning_rate = 1000000.0", "learning_rate = 1e-3")
    assert isinstance(carry_out(folder)[-1], Finished)


def test_a_run_ruined_by_its_first_steps_still_has_what_it_began_with(
    make_run: MakeRun,
) -> None:
    with pytest.raises(TrainingError, match=r"\(step-00000000 is intact\)"):
        carry_out(make_run(n_steps=50, learning_rate=1e6))


def test_a_run_ruined_before_it_began_says_that_nothing_was_saved(
    make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Trainer, "evaluate", lambda *_: math.nan)
    folder = make_run()
    with pytest.raises(TrainingError, match=r"^After step 0 .*nothing was saved yet"):
        carry_out(folder)
    assert checkpoints(folder) == []


@pytest.mark.parametrize(("n_characters", "n_windows"), [(65, 1), (66, 2)])
def test_a_text_of_one_window_is_enough(
    make_run: MakeRun, n_characters: int, n_windows: int
) -> None:
    events = carry_out(
        make_run(
            text=("abcdefgh" * 9)[:n_characters],
            model={"n_ctx": 64},
            data={"valid_share": 0.0},
            n_steps=2,
        )
    )
    assert isinstance(events[-1], Finished)
    assert started(events).n_train_tokens - 64 == n_windows


def test_a_text_shorter_than_a_window_is_refused(make_run: MakeRun) -> None:
    folder = make_run(text="a" * 64, model={"n_ctx": 64}, data={"valid_share": 0.0})
    with pytest.raises(TrainingError, match=r"has 64 tokens.* needs 65"):
        carry_out(folder)


def test_one_letter_over_and_over_is_learned(make_run: MakeRun) -> None:
    events = carry_out(make_run(text="a" * 1000, n_steps=60, learning_rate=0.05))
    last = [event for event in events if isinstance(event, Evaluated)][-1]
    assert last.valid_loss == pytest.approx(0.0, abs=0.02)
    assert last.perplexity == pytest.approx(1.0, abs=0.02)


def test_without_a_validation_text_the_training_text_is_judged(
    make_run: MakeRun,
) -> None:
    events = carry_out(make_run(data={"valid_share": 0.0}, n_steps=1))
    last = [event for event in events if isinstance(event, Evaluated)][-1]
    assert last.valid_loss is None
    assert last.perplexity == pytest.approx(math.exp(last.train_loss))


def test_validation_files_are_read(make_run: MakeRun) -> None:
    folder = make_run(data={"valid": ["other.txt"]}, n_steps=1)
    text = "".join(random.Random(1).choices("abc", k=100))
    (folder / "other.txt").write_text(text, encoding="utf-8")
    events = carry_out(folder)
    assert started(events).n_valid_tokens == 100


def test_a_model_that_cannot_fit_is_refused_before_the_text_is_read(
    make_run: MakeRun,
) -> None:
    huge = {"d_model": 65_536, "n_layers": 96, "n_heads": 64}
    folder = make_run(model=huge, data={"train": ["missing.txt"]})
    with pytest.raises(TrainingError, match=r"needs about 79,[\d,.]+ GB"):
        carry_out(folder)


@pytest.mark.parametrize(
    "error",
    [
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB."),
        RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to"),
        MemoryError(),
    ],
)
def test_after_a_lack_of_memory_a_smaller_run_goes_through(
    make_run: MakeRun, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(Trainer, "advance", fail)
    with pytest.raises(TrainingError, match=r"too small for batch_size = 2; choose"):
        carry_out(make_run())
    monkeypatch.undo()
    assert isinstance(carry_out(make_run(name="small", batch_size=1))[-1], Finished)


def test_another_fault_of_torch_is_not_called_a_lack_of_memory(
    make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("shapes differ")

    monkeypatch.setattr(Trainer, "advance", fail)
    with pytest.raises(RuntimeError, match="shapes differ"):
        carry_out(make_run())


def test_an_empty_text_is_refused_before_anything_starts(make_run: MakeRun) -> None:
    folder = make_run(text="")
    with pytest.raises(TokenizerError, match="cannot be trained on an empty text"):
        carry_out(folder)
    assert list(read_events(folder)) == []


@pytest.mark.parametrize(
    ("text", "n_vocab"), [("x", 257), ("\n\n\n", 258), ("   ", 258)]
)
def test_a_text_of_almost_nothing_gives_a_tokenizer_and_is_then_refused(
    make_run: MakeRun, caplog: pytest.LogCaptureFixture, text: str, n_vocab: int
) -> None:
    folder = make_run(text=text, tokenizer={"n_vocab": 300})
    with (
        caplog.at_level("INFO"),
        pytest.raises(TrainingError, match=r"The training text has \d tokens"),
    ):
        carry_out(folder)
    assert f"asked 300, got {n_vocab}, because no further pair" in caplog.text


def test_a_model_of_odd_width_learns(make_run: MakeRun) -> None:
    folder = make_run(model={"d_model": 5, "n_heads": 1}, n_steps=2)
    assert isinstance(carry_out(folder)[-1], Finished)


def test_a_device_that_is_not_there_is_refused(
    make_run: MakeRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    with pytest.raises(DeviceError, match="'cuda' is not on this machine"):
        carry_out(make_run(device="cuda"))


def test_the_runs_own_tokenizer_is_kept(make_run: MakeRun) -> None:
    folder = make_run(n_steps=1)
    carry_out(folder)
    kept = (folder / "tokenizer.json").read_bytes()
    carry_out(folder)
    assert (folder / "tokenizer.json").read_bytes() == kept


def test_a_tokenizer_file_can_be_given(make_run: MakeRun, tmp_path: Path) -> None:
    first = make_run(n_steps=1)
    carry_out(first)
    second = make_run(name="second", n_steps=1)
    config = second / "config.toml"
    text = config.read_text(encoding="utf-8")
    given = 'file = "../run/tokenizer.json"'
    config.write_text(text.replace("n_vocab = 257", given), encoding="utf-8")
    assert isinstance(carry_out(second)[-1], Finished)
    assert not (second / "tokenizer.json").exists()
