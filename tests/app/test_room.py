"""Every picture in the window at its usual size: nothing is squeezed or covered."""

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QScrollArea

from app.main_window import MainWindow
from app.panels.attention.pictures import PICTURES
from app.widgets.card import Card
from core.bundle import open_bundle
from tests.helpers.encoders import save_encoder

TEXTS = ("a", "the cat sat", "the cat sat on the mat " * 30)
PATTERN = "layers.1.attn.pattern"
SETTLED_MS = 60


def squeezed(window: MainWindow) -> list[str]:
    """Cards that have less room than they need, with what they have and need."""
    return [
        f"{card.size().toTuple()} needs {card.minimumSizeHint().toTuple()}"
        for card in window.bench.host.findChildren(Card)
        if card.isVisible()
        and not card.visibleRegion().isEmpty()
        and card.height() < card.minimumSizeHint().height()
    ]


def cut_off(window: MainWindow) -> list[str]:
    """Areas without a bar across whose content is wider than they are."""
    return [
        f"{area.objectName()} {area.viewport().width()} < {area.widget().width()}"
        for area in window.bench.host.findChildren(QScrollArea)
        if area.isVisible() and area.widget().width() > area.viewport().width()
    ]


def cut_words(window: MainWindow) -> str:
    """The sentence over the panel, where not all of its lines are seen."""
    label = window.bench.host.header.sentence
    needed = label.heightForWidth(label.width())
    return label.text() if needed > label.height() else ""


def faults(window: MainWindow) -> tuple[list[str], list[str], str] | None:
    """What is squeezed or cut in any of these ways; None where nothing is."""
    found = squeezed(window), cut_off(window), cut_words(window)
    return found if any(found) else None


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(TEXTS[0], id="one", marks=pytest.mark.thorough),
        pytest.param(TEXTS[1], id="short", marks=pytest.mark.thorough),
        pytest.param(TEXTS[2], id="long"),
    ],
)
def test_no_picture_of_attention_is_squeezed(window, session, qtbot, text):
    session.open(n_ctx=1024)
    session.read(text)
    session.go_to(PATTERN)
    for picture in PICTURES:
        session.request_viewing(replace(session.viewing, picture=picture.name))
        qtbot.wait(SETTLED_MS)
        assert not faults(window), picture.name


@pytest.mark.thorough
@pytest.mark.parametrize("text", TEXTS, ids=["one", "short", "long"])
def test_no_step_of_a_model_that_writes_is_squeezed(window, session, qtbot, text):
    session.open(n_ctx=1024)
    session.read(text)
    for key in session.trace.keys:
        session.go_to(key)
        qtbot.wait(SETTLED_MS)
        assert not faults(window), key


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["bert", "minilm"])
def test_no_step_of_an_encoder_is_squeezed(window, session, qtbot, tmp_path, name):
    session.take(open_bundle(save_encoder(tmp_path, name), device="cpu"))
    session.read("the cat sat on a mat")
    for key in session.trace.keys:
        session.go_to(key)
        qtbot.wait(SETTLED_MS)
        assert not faults(window), key


@pytest.mark.thorough
@pytest.mark.parametrize(
    "config",
    [
        {"norm_place": "post", "norm": "rms_norm"},
        {"position": "rotary", "gated": True, "activation": "silu"},
        {"n_experts": 4, "n_experts_per_token": 2},
        {"position": "rotary", "window": 4, "n_kv_heads": 1},
        {"tie_embeddings": False, "position": "learned"},
    ],
    ids=", ".join,
)
def test_the_words_over_every_step_of_every_kind_are_seen(
    window, session, qtbot, config
):
    session.open(n_ctx=64, **config)
    session.read("the cat sat")
    for key in session.trace.keys:
        session.go_to(key)
        qtbot.wait(1)
        assert not cut_words(window), key
