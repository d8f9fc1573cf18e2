"""What the thread for runs answers, asked without the thread."""

import json
from shutil import copytree

import pytest

from app.workers.runs import (
    CurveReader,
    CurvesRequest,
    DifferenceRequest,
    PickRequest,
    RunsRequest,
    RunsWorker,
    TimelinesRequest,
    find_runs,
    pick_checkpoint,
)
from core.errors import TraceError, TrainingError
from tests.helpers.runs import trained_run, write_run


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    return trained_run(tmp_path_factory.mktemp("runs") / "cats")


@pytest.fixture
def run(trained, tmp_path):
    return copytree(trained, tmp_path / "runs" / "cats")


def test_a_run_is_listed_once_however_often_its_folders_are_named(run, tmp_path):
    found = find_runs(RunsRequest((run.parent, run, tmp_path / "nowhere", run.parent)))
    assert [info.name for info in found] == ["cats"]


def test_the_best_checkpoint_is_the_one_of_the_lowest_loss(run):
    for step, loss in ((2, 3.0), (4, 1.0), (5, 2.0)):
        file = run / "checkpoints" / f"step-{step:08d}" / "training.json"
        about = json.loads(file.read_text())
        file.write_text(json.dumps({**about, "loss": loss}))
    assert pick_checkpoint(PickRequest(run, "best")).name == "step-00000004"
    assert pick_checkpoint(PickRequest(run, "newest")).name == "step-00000005"


def test_without_any_loss_the_newest_checkpoint_is_the_best(run):
    for file in run.glob("checkpoints/*/training.json"):
        file.unlink()
    assert pick_checkpoint(PickRequest(run, "best")).name == "step-00000005"


def test_a_run_without_a_checkpoint_says_so(tmp_path):
    folder = write_run(tmp_path / "new")
    with pytest.raises(TrainingError, match="no checkpoint yet"):
        pick_checkpoint(PickRequest(folder, "newest"))


def test_curves_grow_with_the_events_and_begin_anew_with_a_new_file(run):
    reader, request = CurveReader(), CurvesRequest((run,))
    events = run / "events.jsonl"
    lines = events.read_text().splitlines(keepends=True)
    half = len(lines) // 2
    events.write_text("".join(lines[:half]))
    n_half = len(reader.read(request)[0].curves.steps)
    with events.open("a") as file:
        file.writelines(lines[half:])
    n_all = len(reader.read(request)[0].curves.steps)
    assert 0 < n_half < n_all == len(reader.read(request)[0].curves.steps)
    events.write_text("".join(lines[:half]))
    assert len(reader.read(request)[0].curves.steps) == n_half


def test_a_damaged_configuration_takes_no_curve_away(run):
    (run / "config.toml").write_text("[model\n")
    found = CurveReader().read(CurvesRequest((run,)))[0]
    assert found.config is None
    assert len(found.curves.steps) == 5


def test_every_answer_comes_by_the_table(run):
    worker = RunsWorker()
    (timeline,) = worker.answer(TimelinesRequest((run,)))
    first, last = timeline.moments[0].folder, timeline.moments[-1].folder
    compared = worker.answer(DifferenceRequest(first, last, "the cat"))
    assert compared.before.ids == compared.after.ids
    assert RunsRequest in worker.kinds


def test_a_sentence_too_long_for_a_checkpoint_is_refused(run):
    first = run / "checkpoints" / "step-00000002"
    with pytest.raises(TraceError, match="shorten it"):
        RunsWorker().answer(DifferenceRequest(first, first, "the cat " * 20))
