"""Pictures of a panel at every checkpoint, over a real run and a window."""

import numpy as np
import pytest
from PIL import Image

from tests.helpers.desk import Desk
from tests.helpers.runs import trained_run

WAIT_MS = 30_000


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    root = tmp_path_factory.mktemp("runs")
    return trained_run(root / "small run", learning_rate=0.05)


@pytest.fixture
def desk(qtbot, qapp, run):
    """The third of four checkpoints open, at the pattern of the first layer."""
    desk = Desk(qtbot, run / "checkpoints" / "step-00000004")
    desk.read("the cat sat")
    desk.session.go_to("layers.0.attn.pattern")
    qtbot.waitUntil(lambda: desk.session.timeline is not None, timeout=WAIT_MS)
    yield desk
    desk.close()


def exported(desk, file):
    """Export into a file and wait for the end."""
    export = desk.bench.runs.export(file)
    with desk.qtbot.waitSignal(export.ended, timeout=WAIT_MS):
        pass
    desk.wait()
    return export


def test_a_gif_has_a_picture_of_every_checkpoint_and_the_reader_is_back(desk, tmp_path):
    exported(desk, tmp_path / "heads.gif")
    assert desk.reports == []
    with Image.open(tmp_path / "heads.gif") as gif:
        assert gif.n_frames == 4
        pictures = []
        for place in range(4):
            gif.seek(place)
            pictures.append(np.asarray(gif.convert("RGB"), np.int16))
    assert np.abs(pictures[0] - pictures[3]).max() > 50  # another step is written there
    desk.qtbot.waitUntil(lambda: desk.session.model.name == "small run, step 4")
    assert desk.session.selection.step == "layers.0.attn.pattern"
    assert desk.session.text == "the cat sat"
    assert desk.bench.message.sentence.startswith(str(tmp_path / "heads.gif"))


def test_a_strip_has_the_pictures_side_by_side(desk, tmp_path):
    host = desk.bench.host
    width, height = host.width(), host.height()
    exported(desk, tmp_path / "heads.png")
    with Image.open(tmp_path / "heads.png") as strip:
        assert strip.width == 4 * width
        assert strip.height == height + 40


def test_a_cancelled_export_writes_nothing_and_goes_back(desk, qtbot, tmp_path):
    export = desk.bench.runs.export(tmp_path / "heads.gif")
    qtbot.waitUntil(lambda: export.n_done == 1, timeout=WAIT_MS)
    desk.bench.runs._progress.canceled.emit()
    qtbot.waitUntil(lambda: desk.session.model.name.endswith("step 4"), timeout=WAIT_MS)
    desk.wait()
    assert not (tmp_path / "heads.gif").exists()
    assert desk.bench.runs._export is None


def test_a_place_that_cannot_be_written_is_told(desk, tmp_path):
    exported(desk, tmp_path / "nowhere" / "heads.gif")
    assert "nowhere" in desk.reports[0].sentence


def test_a_checkpoint_that_is_gone_ends_the_export_with_a_sentence(desk, run, tmp_path):
    gone = run / "checkpoints" / "step-00000005"
    hidden = gone.rename(run / "hidden")
    exported(desk, tmp_path / "heads.gif")
    hidden.rename(gone)
    assert "step-00000005" in desk.reports[0].sentence
    assert not (tmp_path / "heads.gif").exists()
