"""A session file opened again: the window stands as it stood."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QMessageBox

from app.session_files import SessionFiles, place_of
from core.session_file import ModelReference, SessionFile, read_session
from core.trace.viewing import Viewing
from tests.helpers.bundles import save_tiny
from tests.helpers.desk import WAIT_MS, Desk

TEXT = "the cat sat <b>\n שלום"
KEY = "layers.1.attn.pattern"


@pytest.fixture
def desk(qtbot, tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(qtbot, save_tiny(tmp_path / "model"))
    yield desk
    desk.close()


def placed(desk: Desk) -> None:
    """Go somewhere that is not where a window begins."""
    session = desk.session
    desk.read(TEXT)
    session.append_pick()
    desk.wait()
    session.go_to(KEY)
    session.request_selection(type(session.selection)(step=KEY, query=3, key=1, head=1))
    session.request_viewing(Viewing(is_log=True, threshold=0.1))


def opened(desk: Desk, file: Path) -> None:
    desk.bench.session_files.open(file)
    desk.qtbot.waitUntil(
        lambda: desk.session.is_current and desk.session.selection.step == KEY,
        timeout=WAIT_MS,
    )


def test_text_place_and_switches_come_back(desk, tmp_path):
    placed(desk)
    file = tmp_path / "a.glass"
    desk.bench.session_files.save(file)
    session = desk.session
    ids, at, viewing = session.encoding.ids, session.selection, session.viewing
    desk.read("something else")
    session.go_to("tokens.ids")
    session.request_viewing(Viewing())
    opened(desk, file)
    assert session.encoding.ids == ids
    assert session.selection == at
    assert session.viewing == viewing
    assert desk.reports == []


def test_a_moved_folder_is_found_beside_the_file(desk, tmp_path):
    placed(desk)
    (tmp_path / "one").mkdir()
    save_tiny(tmp_path / "one" / "model")
    desk.session.open_model(tmp_path / "one" / "model")
    desk.qtbot.waitUntil(
        lambda: desk.session.model.folder == tmp_path / "one" / "model",
        timeout=WAIT_MS,
    )
    desk.bench.session_files.save(tmp_path / "one" / "a.glass")
    (tmp_path / "one").rename(tmp_path / "two")
    file = tmp_path / "two" / "a.glass"
    assert place_of(read_session(file), file).resolve() == tmp_path / "two" / "model"


def test_a_missing_model_is_asked_for_and_cancel_changes_nothing(
    desk, tmp_path, monkeypatch
):
    placed(desk)
    file = tmp_path / "a.glass"
    desk.bench.session_files.save(file)
    (tmp_path / "model").rename(tmp_path / "moved")
    boxes: list[str] = []

    def cancelled(box: QMessageBox) -> int:
        boxes.append(f"{box.text()} {box.informativeText()}")
        return 0

    monkeypatch.setattr(QMessageBox, "exec", cancelled)
    before = desk.session.selection
    desk.bench.session_files.open(file)
    assert "tiny" in boxes[0]
    assert str(tmp_path / "model") in boxes[0]
    assert desk.session.selection == before

    monkeypatch.setattr(SessionFiles, "_ask_for_model", lambda *_: tmp_path / "moved")
    desk.session.go_to("tokens.ids")
    opened(desk, file)
    assert desk.session.model.folder == tmp_path / "moved"


def test_a_damaged_session_is_one_sentence(desk, tmp_path):
    file = tmp_path / "a.glass"
    file.write_text("{")
    desk.bench.session_files.open(file)
    assert "damaged" in desk.reports[0].sentence


def test_an_id_that_no_token_has_is_told_and_nothing_breaks(desk, tmp_path):
    placed(desk)
    file = tmp_path / "a.glass"
    desk.bench.session_files.save(file)
    table = json.loads(file.read_text())
    table["ids"] = [99_999]
    file.write_text(json.dumps(table))
    desk.bench.session_files.open(file)
    desk.qtbot.waitUntil(lambda: bool(desk.reports), timeout=WAIT_MS)
    assert "99999" in desk.reports[0].sentence
    desk.wait()
    assert desk.session.text.startswith("the cat")


def test_without_tokens_the_text_is_cut_anew(desk, tmp_path):
    placed(desk)
    file = tmp_path / "a.glass"
    desk.bench.session_files.save(file)
    table = json.loads(file.read_text())
    file.write_text(json.dumps({**table, "text": TEXT, "ids": []}))
    desk.read("something else")
    desk.session.go_to("tokens.ids")
    opened(desk, file)
    assert desk.session.trace.text == TEXT
    assert desk.reports == []


def test_another_model_keeps_the_text_and_says_that_it_is_another(desk, tmp_path):
    placed(desk)
    file = tmp_path / "a.glass"
    desk.bench.session_files.save(file)
    save_tiny(tmp_path / "model", n_layers=3)
    told: list[str] = []
    desk.bench.session_files.told.connect(told.append)
    desk.session.go_to("tokens.ids")
    opened(desk, file)
    assert any("another" in sentence for sentence in told)
    assert desk.session.text.startswith(TEXT)


ELSEWHERE = (
    {"selection": {"step": "layers.x.attn.q"}},
    {"selection": {"focus": {"key": "embed.W_E", "index": []}}},
    {"selection": {"step": KEY, "query": 10**30, "head": 10**30, "feature": 10**30}},
    {"viewing": {"picture": "heads", "order": "by nothing"}},
    {"viewing": {"picture": "text", "gathered": [[9, 9]], "joining": "mean"}},
    {"viewing": {"picture": "compare", "other": [9, 9], "pinned": 99}},
)


@pytest.mark.parametrize("fields", ELSEWHERE)
def test_what_this_model_does_not_have_is_passed_over(desk, tmp_path, fields):
    placed(desk)
    file = tmp_path / "a.glass"
    desk.bench.session_files.save(file)
    table = json.loads(file.read_text())
    file.write_text(json.dumps({**table, **fields}))
    desk.session.go_to("tokens.ids")
    desk.bench.session_files.open(file)
    desk.qtbot.waitUntil(
        lambda: desk.session.selection.step != "tokens.ids", timeout=WAIT_MS
    )
    desk.session.go_to(KEY)
    desk.qtbot.waitUntil(lambda: not desk.session.activity, timeout=WAIT_MS)
    assert desk.reports == []


def test_a_place_with_an_impossible_name_is_nowhere():
    session = SessionFile(model=ModelReference(place="x" * 5000, beside="y" * 5000))
    assert place_of(session, Path("a.glass")) is None


def test_the_programs_own_model_has_no_place():
    session = SessionFile(model=ModelReference(name="default"))
    assert place_of(session, Path("a.glass")).name == "default"
