"""The export dialog: what it writes and copies is what the panel shows."""

import csv
import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QWidget

from app.dialogs.export.dialog import ExportDialog
from app.dialogs.export.numbers_page import NUMBERS_FORMATS
from app.dialogs.export.page import Content
from app.export.formats import PICTURE_FORMATS
from core.bundle import open_bundle
from tests.helpers.bundles import save_tiny
from tests.helpers.sessions import ShownSession, session_showing

KEY = "layers.1.attn.pattern"
TEXT = "the <b>\n שלום 🤖"
PICTURE, NUMBERS, CODE = range(3)


@pytest.fixture
def session(qapp) -> Iterator[ShownSession]:
    session = session_showing(TEXT)
    session.go_to(KEY)
    yield session
    session.close()


@pytest.fixture
def dialog(session, qtbot, tmp_path: Path) -> Iterator[ExportDialog]:
    parent = QWidget()
    qtbot.addWidget(parent)
    yield ExportDialog(session, session.scene, tmp_path, parent)
    parent.close()


def saved(dialog: ExportDialog, folder: Path) -> Path:
    """The file that the page on top writes."""
    content = dialog.page.content()
    file = folder / content.name
    content.write(file)
    return file


@pytest.mark.parametrize("place", range(len(PICTURE_FORMATS)))
def test_each_picture_format_writes_a_file_of_its_kind(dialog, tmp_path, place):
    dialog.picture.format.choose(place)
    file = saved(dialog, tmp_path)
    starts = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF-"}
    assert file.name == KEY + PICTURE_FORMATS[place].ending
    assert file.read_bytes().startswith(starts[file.suffix])


def test_scale_and_width_make_the_size_that_is_told(dialog, tmp_path):
    dialog.picture.width_field.show_number(801)
    dialog.picture.draw()
    dialog.picture.scale.choose(2)
    image = QImage(str(saved(dialog, tmp_path)))
    assert image.width() == 3 * 801
    assert dialog.picture.n_dots == image.width() * image.height()


def test_a_picture_of_too_many_dots_is_refused_before_it_is_drawn(dialog):
    dialog.picture.width_field.show_number(8000)
    dialog.picture.draw()
    dialog.picture.scale.choose(3)
    assert dialog.picture.content() is None
    data, sentence = dialog.picture.copied()
    assert data is None
    assert "too many" in sentence


def shown(session: ShownSession) -> np.ndarray:
    """The pattern of the chosen head as the map has it."""
    trace, head = session.trace, session.selection.head
    values = trace.part(KEY, (head,))
    return np.where(trace.part("mask"), values, np.nan).astype(np.float32)


def test_the_numbers_are_those_of_the_map(dialog, session, tmp_path):
    dialog.kinds.choose(NUMBERS)
    rows = list(csv.reader(io.StringIO(saved(dialog, tmp_path).read_text("utf-8"))))
    labels = [piece.label for piece in session.trace.encoding.pieces]
    assert rows[0][1:] == labels == [row[0] for row in rows[1:]]
    cells = [[np.float32(c) if c else np.nan for c in row[1:]] for row in rows[1:]]
    np.testing.assert_array_equal(np.array(cells, np.float32), shown(session))


def test_an_npz_holds_the_same_numbers(dialog, session, tmp_path):
    dialog.kinds.choose(NUMBERS)
    dialog.numbers.format.choose(len(NUMBERS_FORMATS) - 1)
    with np.load(saved(dialog, tmp_path), allow_pickle=False) as arrays:
        np.testing.assert_array_equal(arrays["values"], shown(session))
        assert arrays["axes"].tolist() == ["query", "key"]


def test_the_program_makes_what_is_on_the_screen(session, tmp_path, qtbot):
    folder = save_tiny(tmp_path / "model")
    session._card = replace(session.opened.card, folder=folder)
    parent = QWidget()
    qtbot.addWidget(parent)
    dialog = ExportDialog(session, session.scene, tmp_path, parent)
    names: dict[str, object] = {}
    exec(dialog.code.code, names)
    np.testing.assert_array_equal(names["values"], shown(session))
    assert open_bundle(folder).name == "tiny"


def test_what_is_copied_is_in_the_clipboard(dialog, session):
    clipboard = QGuiApplication.clipboard()
    dialog.copy()
    assert clipboard.image().width() == 1200
    dialog.kinds.choose(NUMBERS)
    dialog.copy()
    n = session.trace.n
    assert clipboard.text().splitlines()[0].count("\t") == n
    dialog.kinds.choose(CODE)
    dialog.copy()
    assert clipboard.text() == dialog.code.code


def test_a_file_gets_the_ending_of_its_kind(dialog, tmp_path):
    asked: list[tuple[Content, Path]] = []
    dialog.save_requested.connect(lambda *both: asked.append(both))
    content = dialog.page.content()
    dialog.save(content, tmp_path / "my.view")
    dialog.save(content, tmp_path / "b.PNG")
    assert [file.name for _, file in asked] == ["my.view.png", "b.PNG"]
