"""What the program begins with, where what it remembers cannot be opened."""

import pytest

import app.furnishing
from app.failures import FailureWatch
from app.furnishing import Furnishing
from app.main_window import MainWindow
from app.options import Options
from app.settings import MODEL, TEXT, Settings
from tests.helpers.bundles import save_tiny

WAIT_MS = 20_000


@pytest.fixture
def default(tmp_path, monkeypatch):
    folder = save_tiny(tmp_path / "default")
    monkeypatch.setattr(app.furnishing, "DEFAULT_MODEL", folder)
    return folder


@pytest.fixture
def damaged(tmp_path):
    folder = save_tiny(tmp_path / "damaged")
    (folder / "model.safetensors").write_bytes(b"cut off")
    return folder


def test_a_remembered_model_that_is_damaged_is_told_and_the_default_one_opened(
    qapp, qtbot, default, damaged
):
    settings = Settings()
    settings.write(MODEL, str(damaged))
    settings.write(TEXT, "the cat sat")
    window = MainWindow(settings)
    qtbot.addWidget(window)
    furnishing = Furnishing(qapp, window, Options(), settings, FailureWatch())
    window.show()
    session = furnishing._session
    qtbot.waitUntil(lambda: session.is_current, timeout=WAIT_MS)
    assert session.model.folder == default
    assert "damaged" in window.bench.message.sentence
    assert window.bench.message.isVisible()
    window.close()
    assert furnishing.end()
