"""Folders of `transformers` in the real window: every family, every step of it."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.frame.sentence_bar import model_tip
from core.trace.matrix import Cell
from core.trace.selection import pointed_at
from tests.helpers.desk import Desk
from tests.helpers.huggingface import MAKERS, change_config, save_theirs

pytestmark = pytest.mark.thorough

N_LAYERS = ("n_layer", "num_hidden_layers")
WIDE = "the cat sat on the mat"


@pytest.mark.parametrize("name", MAKERS)
def test_every_step_of_every_family_is_drawn(
    qtbot: QtBot, tmp_path: Path, name: str
) -> None:
    *_, sizes = MAKERS[name]
    one_layer = {key: 1 for key in N_LAYERS if key in sizes}
    desk = Desk(qtbot, save_theirs(tmp_path / name, name, **one_layer))
    try:
        desk.read(WIDE)
        trace = desk.session.trace
        hidden = "layers.0.ffn.hidden"
        *experts, _, width = trace.shape(hidden)
        widest = Cell(hidden, (*(0 for _ in experts), 2, width - 1))
        chosen = pointed_at(desk.session.selection, trace, widest)
        desk.session.request_selection(chosen)
        for step in trace.keys:
            desk.session.go_to(step)
            assert not desk.bench.grab().isNull()
        assert desk.reports == []
        assert "A folder of transformers" in model_tip(desk.session.model)
    finally:
        desk.close()


def test_a_folder_that_cannot_be_opened_leaves_the_model_before_in_use(
    qtbot: QtBot, tmp_path: Path
) -> None:
    desk = Desk(qtbot, save_theirs(tmp_path / "good"))
    try:
        desk.read(WIDE)
        bad = save_theirs(tmp_path / "bad")
        change_config(bad, "model_type", "architectures")
        desk.session.open_model(bad)
        qtbot.waitUntil(lambda: bool(desk.reports), timeout=20_000)
        assert "has neither model_type nor architectures" in desk.reports[0].sentence
        assert desk.session.model.name == "good"
        desk.read("a dog ran")
        assert desk.session.trace.text == "a dog ran"
    finally:
        desk.close()
