"""What is exported is what is on the screen: number by number, label by label."""

import csv
import io
import itertools
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtWidgets import QWidget

from app.export.figure import STYLES, Figure, figure_of
from app.export.formats import pdf_bytes, svg_bytes
from app.panels.attention.pictures import PICTURES
from app.widgets.attention_lines import AttentionLines
from app.widgets.heatmap import Heatmap
from app.widgets.lanes import Lanes
from app.widgets.map_tiles import MapTiles
from app.widgets.shaded_text import ShadedText
from core.trace.sheet import Sheet, csv_text, write_npz
from core.trace.viewing import PLAIN, Viewing
from tests.helpers.bundles import character_bundle
from tests.helpers.sessions import ShownSession, session_showing

TEXT = "the cats <b>\n שלום 🤖 the"
STEP = "layers.1.attn.pattern"
STEPS = (
    "embed.token",
    "embed.position",
    "embed.sum",
    "layers.0.attn.norm",
    "layers.0.attn.q",
    "layers.0.attn.scores",
    "layers.0.attn.masked",
    "layers.0.attn.heads",
    "layers.0.attn.out",
    "layers.1.ffn.norm",
    "layers.1.ffn.hidden",
    "layers.1.ffn.out",
    "layers.0.resid_mid",
    "output.logits",
    "output.probs",
)
VIEWINGS = (
    PLAIN,
    Viewing(whole_words=True, sink="left out"),
    Viewing(looks_back=True, joining="mean", gathered=((1, 0), (1, 1)), pinned=2),
)
LABELLED = ("map", "lines", "text", "birth", "effect", "rollout")
"""Pictures with a label for each token; small maps have none, or some."""
ODD = "a <b>\nשל🤖"
Shown = tuple[str, np.ndarray]


@pytest.fixture
def session(qapp) -> Iterator[ShownSession]:
    session = session_showing(TEXT)
    yield session
    session.close()


def drawn(panel: QWidget) -> Iterator[Shown]:
    for widget in panel.findChildren(QWidget):
        if widget.isVisible():
            yield from ((type(widget).__name__, each) for each in held(widget))


def held(widget: QWidget) -> list[np.ndarray]:
    """The numbers that a widget draws."""
    if isinstance(widget, Heatmap) and widget.matrix is not None:
        return [widget.matrix.values]
    if isinstance(widget, MapTiles):
        return [tile.values for tile in widget._tiles if tile.values is not None]
    if isinstance(widget, Lanes):
        return [np.asarray(lane.values) for lane in widget.lanes]
    if isinstance(widget, AttentionLines):
        return [widget._source.rows(0, widget._source.n_rows)]
    if isinstance(widget, ShadedText) and widget._shade is not None:
        values = widget._shade.values  # none where another text is shaded
        return [] if values is None else [np.asarray(values)]
    return []


def holds(sheet: Sheet, array: np.ndarray) -> bool:
    """Whether a sheet is the array, or has it as the part at some place of an axis.

    In the precision of the screen: exponents leave in twice as many digits.
    """
    parts = [sheet.values.astype(array.dtype)]
    while parts[0].ndim > array.ndim:
        parts = [
            part.take(place, axis)
            for part in parts
            for axis in range(part.ndim)
            for place in range(part.shape[axis])
        ]
    return any(
        part.shape == array.shape and np.array_equal(part, array, equal_nan=True)
        for part in parts
    )


def show(session: ShownSession, step: str, viewing: Viewing) -> None:
    session.go_to(step)
    session.request_viewing(viewing)


@pytest.mark.parametrize("viewing", VIEWINGS, ids=("plain", "shaped", "gathered"))
@pytest.mark.parametrize("name", [each.name for each in PICTURES])
def test_every_number_of_a_picture_is_in_its_export(session, name, viewing, tmp_path):
    show(session, STEP, replace(viewing, picture=name))
    with figure_of(session, session.scene, STYLES[0], 1200) as figure:
        sheets = figure.panel.numbers(session.scene)
        shown = list(drawn(figure.panel))
    assert shown
    for kind, array in shown:
        assert any(holds(sheet, array) for sheet in sheets), (kind, array.shape)
    comes_back(sheets, tmp_path / "all.npz")


@pytest.mark.parametrize("step", STEPS)
def test_the_numbers_of_every_panel_are_those_of_its_step(session, step, tmp_path):
    show(session, step, PLAIN)
    with figure_of(session, session.scene, STYLES[0], 1200) as figure:
        sheets = figure.panel.numbers(session.scene)
        shown = [array for _, array in drawn(figure.panel)]
    assert not shown or any(holds(sheets[0], array) for array in shown)
    comes_back(sheets, tmp_path / "all.npz")


def comes_back(sheets: tuple[Sheet, ...], file: Path) -> None:
    """Fail unless CSV and NPZ hold the numbers of the sheets, bit by bit."""
    write_npz(sheets, file)
    with np.load(file) as saved:
        for place, sheet in enumerate(sheets):
            start = f"{place + 1} " if place else ""
            np.testing.assert_array_equal(saved[f"{start}values"], sheet.values)
            for number, axis in enumerate(sheet.axes):
                labels = saved[f"{start}labels {number}"].tolist()
                assert tuple(labels) == axis.labels
    for sheet in sheets:
        kind = sheet.values.dtype.type
        _, *lines = csv.reader(io.StringIO(csv_text(sheet, "long")))
        read = [kind(line[-1]) if line[-1] else np.nan for line in lines]
        np.testing.assert_array_equal(read, sheet.values.ravel())
        labels = [axis.labels for axis in sheet.axes]
        told = [line[1:-1:2] for line in lines]
        assert told == [list(each) for each in itertools.product(*labels)]


@pytest.fixture(params=["bytes", "characters"])
def odd(request, qapp) -> Iterator[ShownSession]:
    """A session with tokens that are hard to write."""
    session = ShownSession()
    if request.param == "bytes":
        session.open()
    else:
        session.take(character_bundle(ODD))
    session.read(ODD)
    yield session
    session.close()


def texts_of(figure: Figure) -> set[str]:
    tree = ElementTree.fromstring(svg_bytes(figure))
    found = (each for each in tree.iter() if "text" in each.tag)
    return {"".join(each.itertext()).strip() for each in found}


@pytest.mark.parametrize("name", LABELLED)
def test_an_svg_has_every_token_as_text(odd, name):
    show(odd, STEP, replace(PLAIN, picture=name))
    labels = {piece.label.strip() for piece in odd.trace.encoding.pieces}
    # Another font has the brackets of ⟨F0⟩, and a text is of one font.
    parts = {part for label in labels for part in re.split("([⟨⟩])", label) if part}
    with figure_of(odd, odd.scene, STYLES[0], 1200) as figure:
        assert parts <= texts_of(figure)


@pytest.mark.parametrize("name", [each.name for each in PICTURES])
def test_a_pdf_opens_with_one_page_and_its_type(odd, name):
    show(odd, STEP, replace(PLAIN, picture=name))
    with figure_of(odd, odd.scene, STYLES[1], 1200) as figure:
        data = pdf_bytes(figure)
    assert b"/FontFile2" in data
    assert data.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type\s*/Page\b", data)) == 1
    starts = int(data.rsplit(b"startxref", 1)[1].split()[0])
    entries = re.findall(rb"(\d{10}) \d{5} n", data[starts:])
    assert len(entries) > 10
    for entry in entries:  # every object is where the table says
        assert re.match(rb"\d+ 0 obj", data[int(entry) :])
