"""The badge of a check: there again with the same files, gone with other ones."""

from pathlib import Path

import pytest

from app.badges import MOST, Badges
from app.model_card import stamp_of
from app.settings import BADGES, Settings
from core.bundle import open_bundle
from tests.helpers.bundles import save_tiny
from tests.helpers.sessions import ShownSession

BADGE = "checked against transformers 5.24.0: 2.0e−07"


@pytest.fixture
def folder(tmp_path):
    return save_tiny(tmp_path / "model")


def session_of(settings: Settings, folder: Path) -> ShownSession:
    session = ShownSession()
    Badges(session, settings, session)
    session.take(open_bundle(folder, device="cpu"))
    return session


def checked(settings: Settings, folder: Path) -> None:
    """Open a model and hold it to another program."""
    session = session_of(settings, folder)
    session.note_badge(session._bundle, BADGE)
    session.close()


def test_a_badge_is_there_when_the_model_is_opened_again(qtbot, folder):
    settings = Settings()
    checked(settings, folder)
    session = session_of(settings, folder)
    assert session.model.badge == "", "everybody first hears of the model"
    with qtbot.waitSignal(session.badge_changed) as told:
        pass
    assert told.args[0] is session.model
    assert session.model.badge == BADGE
    session.close()


def test_other_files_at_the_same_place_have_no_badge(qtbot, folder):
    settings = Settings()
    checked(settings, folder)
    (folder / "more.json").write_text("{}", encoding="utf-8")
    session = session_of(settings, folder)
    qtbot.wait(50)
    assert session.model.badge == ""
    session.close()


def test_a_badge_is_not_given_to_a_model_at_another_place(qtbot, folder, tmp_path):
    settings = Settings()
    checked(settings, folder)
    folder.rename(tmp_path / "elsewhere")
    session = session_of(settings, tmp_path / "elsewhere")
    qtbot.wait(50)
    assert session.model.badge == ""
    session.close()


def test_the_newest_badges_are_kept_one_a_place(qapp, folder):
    settings = Settings()
    full = [[f"/models/{n}", "1 2 3", BADGE] for n in range(MOST)]
    settings.write(BADGES, full)
    checked(settings, folder)
    checked(settings, folder)
    rows = settings.read(BADGES)
    assert len(rows) == MOST
    assert [row[0] for row in rows[:2]] == [str(folder), "/models/0"]


def test_a_stamp_changes_with_a_file_of_the_model_and_only_then(tmp_path):
    file = tmp_path / "model.gguf"
    file.write_bytes(b"abc")
    for place in (file, tmp_path):
        stamp = stamp_of(place)
        assert stamp == stamp_of(place)
        file.write_bytes(file.read_bytes() + b"d")
        assert stamp_of(place) != stamp
    assert stamp_of(None) == ""
    assert stamp_of(tmp_path / "gone") == ""
