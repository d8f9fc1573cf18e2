"""What goes wrong is said in the window in one sentence, and the window goes on."""

import math
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.failures import FailureWatch
from app.widgets.canvas import Canvas
from app.widgets.heatmap import Heatmap
from core.checkpoints.native import save_model
from core.config import ModelConfig
from tests.helpers.bundles import TINY, random_model, save_tiny, tiny_tokenizer
from tests.helpers.desk import WAIT_MS, Desk


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture
def desk(qtbot: QtBot, folder: Path) -> Iterator[Desk]:
    """A window with "the cat sat" traced, and the program's own watch installed."""
    desk = Desk(qtbot, folder)
    watch = FailureWatch()
    watch.failed.connect(desk.session.failed)
    watch.install()
    desk.read("the cat sat")
    yield desk
    watch.remove()
    desk.close()


def cut_off(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:100])


def overwrite(file: Path) -> None:
    file.write_text("<html>404</html>", encoding="utf-8")


@pytest.mark.parametrize("damage", [Path.unlink, cut_off, overwrite])
@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "tokenizer.json"])
def test_a_damaged_folder_is_named_and_the_last_model_stays(
    desk: Desk, tmp_path: Path, name: str, damage: Callable[[Path], None]
) -> None:
    damage(save_tiny(tmp_path / "other", name="other") / name)
    before = (desk.session.model, desk.session.trace)
    panel = desk.host.panel
    desk.session.open_model(tmp_path / "other")
    desk.qtbot.waitUntil(desk.bench.message.isVisible, timeout=WAIT_MS)
    sentence = desk.bench.message.sentence
    assert name in sentence
    assert "\n" not in sentence
    assert "unexpected" not in sentence
    assert (desk.session.model, desk.session.trace) == before
    assert (desk.host.panel, desk.session.activity) == (panel, "")
    desk.read("the dog")


def test_a_missing_folder_is_named_and_the_last_model_stays(
    desk: Desk, tmp_path: Path
) -> None:
    desk.session.open_model(tmp_path / "gone")
    desk.qtbot.waitUntil(desk.bench.message.isVisible, timeout=WAIT_MS)
    assert "gone is not a folder" in desk.bench.message.sentence
    desk.read("the dog")


def fail(*_: object, **how: object) -> None:
    raise ZeroDivisionError("one by none")


def expect_message(desk: Desk) -> None:
    """The bar says what went wrong, its details are copied, and typing goes on."""
    message = desk.bench.message
    desk.qtbot.waitUntil(message.isVisible, timeout=WAIT_MS)
    assert "ZeroDivisionError: one by none" in message.sentence
    desk.qtbot.mouseClick(message._copy, Qt.MouseButton.LeftButton)
    copied = QApplication.clipboard().text()
    assert "Traceback" in copied
    assert "in fail" in copied


def test_a_fault_in_a_button_is_told_and_the_window_goes_on(desk: Desk) -> None:
    desk.bench.actions_by_id["help.about"].triggered.connect(fail)
    desk.bench.actions_by_id["help.about"].trigger()
    expect_message(desk)
    desk.read("the dog")


def test_a_fault_while_a_panel_is_filled_is_told_and_the_next_one_is_drawn(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.session.go_to("layers.0.attn.pattern")
    panel = type(desk.host.panel)
    monkeypatch.setattr(panel, "display", fail)
    desk.session.go_to("layers.1.attn.pattern")
    expect_message(desk)
    monkeypatch.undo()
    desk.session.go_to("layers.1.attn.masked")
    assert desk.host.panel is not None
    desk.read("the dog")


@pytest.mark.parametrize(
    ("painted", "method"), [(Heatmap, "_paint_map"), (Canvas, "paint_ring")]
)
def test_a_fault_in_a_repaint_is_told_and_the_window_goes_on(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, painted: type[QWidget], method: str
) -> None:
    desk.session.go_to("layers.0.attn.pattern")
    monkeypatch.setattr(painted, method, fail)
    for widget in desk.bench.findChildren(painted):
        getattr(widget, "viewport", lambda widget=widget: widget)().update()
    desk.qtbot.waitUntil(desk.bench.message.isVisible, timeout=WAIT_MS)
    monkeypatch.undo()
    expect_message(desk)
    desk.read("the dog")


@pytest.mark.parametrize("work", ["trace_sentence", "encode", "derive", "open_model"])
def test_a_fault_in_the_tracing_thread_is_told_and_the_thread_goes_on(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, folder: Path, work: str
) -> None:
    from app.workers import tracing

    row = next(kind for kind, do in tracing.ANSWERS.items() if do.__name__ == work)
    monkeypatch.setitem(tracing.ANSWERS, row, fail)
    ask = {
        "trace_sentence": lambda: desk.paste("the mat"),
        "encode": lambda: desk.paste("a" * 3000),
        "derive": lambda: desk.session._tracing.request(
            tracing.PartsRequest(desk.session.trace, (("embed.sum", ()),))
        ),
        "open_model": lambda: desk.session.open_model(folder),
    }
    ask[work]()
    expect_message(desk)
    monkeypatch.undo()
    desk.read("the dog")
    assert desk.session.activity == ""


def test_a_fault_while_writing_gives_the_buttons_back(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.generation.generate.generate", fail)
    desk.bench.actions_by_id["text.generate"].trigger()
    expect_message(desk)
    desk.qtbot.waitUntil(lambda: not desk.session.is_generating, timeout=WAIT_MS)
    assert desk.session.activity == ""
    assert desk.bench.actions_by_id["text.generate"].isEnabled()
    assert not desk.bench.actions_by_id["generate.stop"].isEnabled()


@pytest.mark.thorough
@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize(
    ("address", "value", "step"),
    [
        ("layers.0.ffn.W_1", math.nan, "layers.0.ffn.hidden"),
        ("layers.0.ffn.W_1", math.inf, "layers.0.ffn.hidden"),
        ("layers.0.attn.W_Q", -math.inf, "layers.0.attn.q"),
        ("embed.position.W_P", math.inf, "embed.position"),
        ("output.norm.gamma", math.inf, "output.norm"),
    ],
)
def test_every_step_of_a_broken_model_is_drawn_and_says_since_when(
    qtbot: QtBot,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    address: str,
    value: float,
    step: str,
) -> None:
    tokenizer = tiny_tokenizer()
    fields = {"n_vocab": tokenizer.n_vocab, "n_layers": 1, "position": "learned"}
    model = random_model(ModelConfig(**{**TINY, **fields}))
    with torch.no_grad():
        model.get_parameter(address).flatten()[0] = value
    save_model(tmp_path, model.config, model.weights(), tokenizer, name="broken")
    desk = Desk(qtbot, tmp_path)
    try:
        assert f"{address} holds 1" in desk.bench.message.sentence
        desk.read("the cat sat")
        session = desk.session
        first = session.trace.keys.index(step)
        for place, key in enumerate(session.trace.keys):
            session.go_to(key)
            assert not desk.bench.grab().isNull()
            warned = f"Not a number since {step}"
            said = desk.host.header.sentence.text()
            assert said.startswith(warned) == (place >= first)
        assert not desk.bench.actions_by_id["text.generate"].isEnabled()
        assert not desk.bench.actions_by_id["token.append"].isEnabled()
        assert desk.reports == []
        assert [record.message for record in caplog.records] == []
    finally:
        desk.close()
