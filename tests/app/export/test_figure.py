"""Pictures of every view: complete, of whole pixels, whatever the window did before."""

from collections.abc import Iterator
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QByteArray, QCoreApplication, QEvent
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from app.export.figure import STYLES, Style, figure_of
from app.export.formats import (
    PICTURE_FORMATS,
    image_of,
    pdf_bytes,
    png_bytes,
    svg_bytes,
)
from app.panel_host import PanelHost
from app.style.theme import DARK, LIGHT, Theme, apply_theme, theme
from tests.helpers.sessions import ShownSession, session_showing

TEXT = "the <b>&\n שלום 🤖"
SCREEN, PAPER = STYLES
STEPS = (
    "tokens.merges",
    "embed.token",
    "embed.sum",
    "layers.1.attn.pattern",
    "layers.0.attn.q",
    "layers.1.ffn.hidden",
    "layers.0.resid_mid",
    "output.probs",
)
"""A step of every panel."""


@pytest.fixture
def session(qapp) -> Iterator[ShownSession]:
    session = session_showing(TEXT)
    yield session
    session.close()


def picture(
    session: ShownSession, step: str, style: Style = SCREEN, width: int = 801
) -> QImage:
    session.go_to(step)
    with figure_of(session, session.scene, style, width) as figure:
        return image_of(figure)


def svg_texts(session: ShownSession, step: str) -> list[str]:
    """What the text elements of the SVG say; fails if it is no XML."""
    session.go_to(step)
    with figure_of(session, session.scene, SCREEN, 801) as figure:
        tree = ElementTree.fromstring(svg_bytes(figure))
    return [
        "".join(each.itertext()).strip() for each in tree.iter() if "text" in each.tag
    ]


@pytest.mark.parametrize("step", STEPS)
def test_a_picture_is_the_same_before_and_after_its_panel_was_visited(
    session, step, qtbot
):
    before = picture(session, step)
    host = PanelHost(session)
    qtbot.addWidget(host)
    host.resize(613, 377)
    host.show()
    session.go_to("tokens.ids")
    session.go_to(step)
    assert picture(session, step) == before
    assert before.width() == 801


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.name)
@pytest.mark.parametrize("step", STEPS)
def test_type_and_lines_grow_with_the_width(session, step, style):
    small, large = (picture(session, step, style, width) for width in (1200, 4000))
    assert large.width() == 4000
    assert abs(large.height() - small.height() * 4000 / 1200) <= 2


@pytest.mark.parametrize("step", STEPS)
def test_an_svg_has_title_and_tokens_as_text(session, step):
    texts = svg_texts(session, step)
    title = session.trace.step(step)
    assert any(title.key in text for text in texts)
    assert "the" in texts or any("the" in text.split() for text in texts)


def test_the_labels_of_a_map_are_the_tokens_whatever_they_are(session):
    texts = svg_texts(session, "layers.1.attn.pattern")
    labels = {piece.label for piece in session.trace.encoding.pieces}
    assert {"the", "<", "b"} <= labels & set(texts)
    assert {"0", "1", "share"} <= set(texts)  # the colour bar


def test_a_svg_looks_like_the_picture(session):
    session.go_to("layers.1.attn.pattern")
    with figure_of(session, session.scene, SCREEN, 801) as figure:
        dots, vectors = image_of(figure), svg_bytes(figure)
    drawn = QImage(dots.size(), dots.format())
    drawn.fill(0)
    with QPainter(drawn) as painter:
        QSvgRenderer(QByteArray(vectors)).render(painter)
    places = [(x, y) for x in range(0, 801, 7) for y in range(0, dots.height(), 7)]
    far = [p for p in places if distance(dots.pixel(*p), drawn.pixel(*p)) > 60]
    assert len(far) < 0.02 * len(places)


def distance(one: int, other: int) -> int:
    a, b = QColor(one), QColor(other)
    return max(
        abs(a.red() - b.red()), abs(a.green() - b.green()), abs(a.blue() - b.blue())
    )


def test_a_pdf_has_its_type_in_it_and_no_lossy_picture(session):
    session.go_to("layers.1.attn.pattern")
    with figure_of(session, session.scene, PAPER, 801) as figure:
        data = pdf_bytes(figure)
    assert data.startswith(b"%PDF-")
    assert b"/FontFile2" in data
    assert b"/DCTDecode" not in data


@pytest.mark.thorough
@pytest.mark.parametrize("worn", [LIGHT, DARK], ids=lambda each: each.name)
def test_a_figure_is_white_in_either_theme_and_the_screen_stays_as_it_is(
    session, qapp, worn: Theme
):
    apply_theme(qapp, worn)
    try:
        paper = picture(session, "layers.1.attn.pattern", PAPER)
        screen = picture(session, "layers.1.attn.pattern", SCREEN)
        assert theme() is worn
    finally:
        apply_theme(qapp, LIGHT)
    assert QColor(paper.pixel(2, 2)).name() == "#ffffff"
    assert QColor(screen.pixel(2, 2)).name() == worn.window.lower()


def test_a_figure_has_no_buttons(session):
    session.go_to("layers.1.attn.pattern")
    with figure_of(session, session.scene, PAPER, 801) as figure:
        texts = svg_bytes(figure).decode()
    assert ">scaled</text>" not in texts
    assert "share" in texts


def test_the_words_beside_a_control_go_with_it(session):
    session.go_to("layers.1.attn.pattern")
    session.request_viewing(replace(session.viewing, picture="compare"))
    with figure_of(session, session.scene, PAPER, 801) as figure:
        texts = svg_bytes(figure).decode()
    assert "Difference" in texts
    assert "with layer" not in texts


def test_a_scale_makes_more_dots_and_nothing_else(session):
    session.go_to("embed.sum")
    with figure_of(session, session.scene, SCREEN, 801) as figure:
        width, height = figure.size
        for scale in (1, 2, 4):
            image = QImage.fromData(png_bytes(figure, scale))
            assert (image.width(), image.height()) == (width * scale, height * scale)


def test_every_format_is_told_by_its_ending():
    assert [each.ending for each in PICTURE_FORMATS] == [".png", ".svg", ".pdf"]


def test_nothing_is_left_of_a_figure(session, qapp):
    picture(session, "embed.sum")
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert "figure" not in {each.objectName() for each in qapp.topLevelWidgets()}
