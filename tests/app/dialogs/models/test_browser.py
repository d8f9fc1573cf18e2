"""The models of a folder, listed, searched and opened; what cannot be says why."""

import pytest
from PySide6.QtCore import Qt

from app.dialogs.models.browser import ModelBrowser
from app.dialogs.models.table import COLUMNS
from app.settings import MODELS, Settings
from core.checkpoints import discovery
from tests.helpers.huggingface import save_theirs

WAIT_MS = 20_000


@pytest.fixture
def browser(qtbot, qapp, tmp_path, monkeypatch):
    monkeypatch.setattr(discovery, "hub_folder", lambda: tmp_path / "hub")
    monkeypatch.setattr(discovery, "installed_models", tuple)
    save_theirs(tmp_path / "m" / "good-llama", "llama")
    bad = save_theirs(tmp_path / "m" / "other", "gpt2")
    (bad / "config.json").write_text('{"model_type": "rwkv"}')
    settings = Settings()
    settings.write(MODELS, str(tmp_path / "m"))
    browser = ModelBrowser(settings)
    qtbot.addWidget(browser)
    browser.show()
    qtbot.waitUntil(lambda: len(browser.table.rows) == 2, timeout=WAIT_MS)
    yield browser
    browser.close_down()


def test_each_row_says_name_family_size_and_whether_it_opens(browser):
    table = browser.table
    cells = [table.data(table.index(0, column)) for column in range(len(COLUMNS))]
    assert cells[:2] == ["good-llama", "Llama"]
    assert cells[2].endswith("KB")
    assert cells[3] == "opens"


def test_a_search_leaves_the_rows_that_have_all_its_words(browser):
    browser.search.setText("LLAMA good")
    assert [row.name for row in browser.table.rows] == ["good-llama"]
    browser.search.setText("nothing like it")
    assert not browser.table.rows
    assert "No model has these words" in browser.note.text()


def test_a_model_that_cannot_be_opened_says_why_and_offers_no_opening(browser):
    browser.view.selectRow(1)
    assert "'rwkv' is not known here" in browser.note.text()
    assert not browser.open_button.isEnabled()


def test_a_chosen_model_is_opened_by_enter(qtbot, browser):
    browser.view.selectRow(0)
    assert browser.open_button.isEnabled()
    with qtbot.waitSignal(browser.open_requested) as told:
        qtbot.keyClick(browser.view, Qt.Key.Key_Return)
    assert told.args[0].name == "good-llama"
    assert not browser.isVisible()


def test_another_folder_is_looked_into_and_remembered(qtbot, browser, tmp_path):
    save_theirs(tmp_path / "n" / "third", "qwen2")
    browser.look_into(tmp_path / "n")
    qtbot.waitUntil(
        lambda: [row.name for row in browser.table.rows] == ["third"], timeout=WAIT_MS
    )
    assert Settings().read(MODELS) == str(tmp_path / "n")
