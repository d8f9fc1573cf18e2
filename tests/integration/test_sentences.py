"""Sentences of every kind, put into the field of a real window and walked through."""

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QThread
from PySide6.QtWidgets import QLabel, QLineEdit
from pytestqt.qtbot import QtBot

from app.frame.state_page import EMPTY, TOO_LONG
from app.frame.token_chips import chips_of
from app.panels import PANELS
from app.panels.output import OutputPanel
from app.panels.tokens import TokensPanel
from app.widgets.heatmap import Heatmap
from app.workbench import Workbench
from core.tokenizers.bpe import BpeTokenizer
from core.trace.matrix import Cell
from core.trace.selection import pointed_at
from tests.helpers.bundles import save_tiny
from tests.helpers.desk import WAIT_MS, Desk

N_CTX = 64


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    models = tmp_path_factory.mktemp("models")
    return save_tiny(models / "tiny", n_ctx=N_CTX, n_layers=1)


@pytest.fixture
def desk(qtbot: QtBot, folder: Path) -> Iterator[Desk]:
    desk = Desk(qtbot, folder)
    yield desk
    desk.close()


ODD_TEXTS = {
    "one token": "a",
    "spaces only": "     ",
    "emoji": "A🙂B 👩‍👩‍👧",
    "combining accents": "e\u0301 a\u0300\u0301 \u0301",
    "Chinese": "中文字符",
    "Arabic": "مرحبا hello",
    "control characters": "a\0b \x01\x1b[0m\x7f\x85",
    "breaks": "a\r\nb\tc\u2028d\u2029",
    "directions": "\u202eabc\u200b\u200f",
    "a replacement mark": "a\ufffdb",
    "a marker": "<s>a</s>",
    "an end of text": "A<|endoftext|>B",
    "HTML": "<b>bold</b> &amp; <img src=x>",
    "an ampersand": "&File && %1 {0}",
}
"""Each fits into the model."""


@pytest.mark.parametrize("text", ODD_TEXTS.values(), ids=ODD_TEXTS)
def test_an_odd_text_is_shown_as_what_it_is(desk: Desk, text: str) -> None:
    desk.read(text)
    session = desk.session
    assert desk.bench.sentence.edit.text() == session.text == session.trace.text
    assert session.text == text
    assert session.tokenizer.decode(session.encoding.ids) == text
    chips = chips_of(session.encoding)
    assert desk.bench.tokens.strip.item_count() == len(chips) == session.trace.n
    assert all(chip.label and "\ufffd" not in chip.label for chip in chips)
    for step in ("tokens.merges", "layers.0.attn.pattern", "output.pick"):
        session.go_to(step)
        assert not desk.bench.grab().isNull()
    assert desk.reports == []


def test_half_a_character_that_is_pasted_is_shown_as_its_bytes(desk: Desk) -> None:
    source = QLineEdit()
    source.setMaxLength(2)  # cuts the smiley between its halves
    source.insert("a🙂")
    source.selectAll()
    source.copy()
    field = desk.bench.sentence.edit
    field.paste()
    desk.wait()
    assert desk.session.text == desk.session.trace.text == "a\ud83d"
    assert "".join(c.label for c in chips_of(desk.session.encoding)) == "a⟨ED⟩⟨A0⟩⟨BD⟩"
    assert field.whole_text == "a\ud83d"
    desk.qtbot.keyClicks(field, "b")
    assert desk.session.text == "a\ud83db"


EVERYTHING = "<s> &amp;e\u0301 A🙂 中 مر\0\x7f\n\u202e\ufffd"


@pytest.mark.thorough
@pytest.mark.parametrize(
    "config",
    [
        {"d_model": 5, "n_heads": 1},
        {"position": "rotary", "norm": "rms_norm", "gated": True, "n_kv_heads": 1},
        {"position": "learned", "norm_place": "post", "tie_embeddings": False},
        {"position": "none", "scale_embeddings": True, "bias": False},
    ],
    ids=["odd width", "rotary", "learned", "none"],
)
def test_every_step_of_an_odd_sentence_is_drawn_in_every_kind_of_model(
    qtbot: QtBot, tmp_path: Path, config: dict[str, object]
) -> None:
    desk = Desk(qtbot, save_tiny(tmp_path, n_ctx=N_CTX, n_layers=1, **config))
    try:
        desk.read(EVERYTHING)
        for step in desk.session.trace.keys:
            desk.session.go_to(step)
            assert not desk.bench.grab().isNull()
            assert wrongly_read(desk.bench) == []
        assert desk.reports == []
    finally:
        desk.close()


def test_a_feature_beyond_a_narrower_step_is_drawn_as_its_last(desk: Desk) -> None:
    """The widest step's last neuron is chosen, then every step is visited."""
    desk.read("the cat sat")
    trace = desk.session.trace
    hidden = Cell("layers.0.ffn.hidden", (2, trace.config.d_ff - 1))
    desk.session.request_selection(pointed_at(desk.session.selection, trace, hidden))
    for step in trace.keys:
        desk.session.go_to(step)
        assert not desk.bench.grab().isNull()
    assert desk.session.selection.feature == trace.config.d_ff - 1
    assert desk.reports == []


def wrongly_read(window: Workbench) -> list[str]:
    """Texts of labels that Qt would read as HTML, or that hold a replacement mark."""
    labels = (label for label in window.findChildren(QLabel) if label.isVisible())
    return [
        label.text()
        for label in labels
        if "\ufffd" in label.text()
        or (
            label.textFormat() != Qt.TextFormat.PlainText
            and Qt.mightBeRichText(label.text())
        )
    ]


def test_gpt2s_words_are_shown_before_any_merge(desk: Desk) -> None:
    desk.session.go_to("tokens.pieces")
    desk.read("DON'T don't 12345  x ")
    panel = desk.host.panel
    assert isinstance(panel, TokensPanel)
    shown = [word.cells[0].label for word in panel.words.words._words]
    assert shown == ["DON", "'", "T", "·don", "'t", "·12345", "·", "·x", "·"]


def test_a_word_with_and_without_its_space_are_two_tokens_and_the_tip_says_why(
    desk: Desk,
) -> None:
    desk.session.go_to("tokens.pieces")
    desk.read("cat cat")
    first, second = chips_of(desk.session.encoding)
    assert (first.label, second.label) == ("cat", "·cat")
    assert first.sub != second.sub
    panel = desk.host.panel
    assert isinstance(panel, TokensPanel)
    assert "another token" in panel.words.words.item_text(1)
    assert "another token" not in panel.words.words.item_text(0)


def test_a_cut_history_is_said_to_be_cut(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.tokenizers.merges.MAX_RECORDED_STEPS", 1)
    desk.session.go_to("tokens.merges")
    desk.read("the")
    panel = desk.host.panel
    assert isinstance(panel, TokensPanel)
    assert panel.merges.cut.text() == "showing the first 1 of 2 steps"


def test_a_marker_is_characters_until_the_reader_wants_it_as_one_token(
    desk: Desk,
) -> None:
    desk.session.go_to("tokens.ids")
    desk.read("A<|endoftext|>B")
    panel = desk.host.panel
    assert isinstance(panel, TokensPanel)
    assert desk.session.trace.n > 3
    desk.qtbot.mouseClick(panel.words.specials.as_special, Qt.MouseButton.LeftButton)
    desk.wait()
    assert [chip.state for chip in chips_of(desk.session.encoding)] == [
        "plain",
        "special",
        "plain",
    ]
    assert panel.ids.decoded.text == "A<|endoftext|>B"


def test_the_way_to_a_filled_pattern_is_one_click_after_the_start(
    qtbot: QtBot, folder: Path
) -> None:
    desk = Desk(qtbot, folder)
    try:
        desk.session.go_to("layers.0.attn.pattern")
        desk.read("the cat sat")
        shown = [
            heatmap._matrix.values
            for heatmap in desk.host.panel.findChildren(Heatmap)
            if heatmap.isVisible() and heatmap._matrix is not None
        ]
        pattern = desk.session.trace["layers.0.attn.pattern"]
        assert any(
            values.shape == (3, 3) and abs(values[2] - pattern[0, 2]).max() < 1e-6
            for values in shown
        )
    finally:
        desk.close()


def test_an_emptied_sentence_leaves_a_page_of_the_panels_size(desk: Desk) -> None:
    desk.read("the cat")
    desk.session.go_to("layers.0.ffn.hidden")
    size = desk.host.panel.size()
    desk.qtbot.keyClick(
        desk.bench.sentence.edit, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier
    )
    desk.qtbot.keyClick(desk.bench.sentence.edit, Qt.Key.Key_Delete)
    assert (desk.host.page.title, desk.host.page.size()) == (EMPTY.title, size)
    for spec in PANELS:
        desk.session.go_to(spec.steps[0].replace("*", "0"))
        desk.session.next_step()
        desk.session.append_pick()
        desk.session.generate(1)
    assert desk.session.text == ""
    desk.session.go_to("layers.0.ffn.hidden")
    desk.read("the dog")
    assert desk.host.panel.objectName() == "panel.feed_forward"
    assert desk.reports == []


LETTERS = random.Random(0).choices("abcdefghijklmnopqrstuvwxyz", k=12_000)


@pytest.mark.parametrize("text", ["a" * 12_000, "".join(LETTERS)], ids=["a", "random"])
def test_12000_letters_are_cut_elsewhere_while_the_field_takes_keys(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    cut_here: list[int] = []
    encode = BpeTokenizer.encode

    def noted(self: BpeTokenizer, text: str, **how: bool):
        if QThread.isMainThread():
            cut_here.append(len(text))
        return encode(self, text, **how)

    monkeypatch.setattr(BpeTokenizer, "encode", noted)
    desk.paste(text)
    assert desk.session.text == text
    desk.qtbot.keyClicks(desk.bench.sentence.edit, "xy")
    assert desk.bench.sentence.edit.text() == desk.session.text == f"{text}xy"
    desk.qtbot.waitUntil(
        lambda: desk.session.encoding.text == f"{text}xy", timeout=WAIT_MS
    )
    assert cut_here == []
    assert desk.host.page.title == TOO_LONG.title
    assert "too many" in desk.bench.sentence.counts
    desk.read("the cat")
    assert desk.host.panel is not None
    assert desk.reports == []


@pytest.mark.parametrize("n_typed", [N_CTX - 1, N_CTX, N_CTX + 1])
def test_writing_on_ends_at_the_last_place_and_says_so_before(
    desk: Desk, n_typed: int
) -> None:
    desk.session.go_to("output.pick")
    desk.read("q")
    panel = desk.host.panel
    assert isinstance(panel, OutputPanel)
    desk.paste("q" * n_typed)
    if n_typed <= N_CTX:
        desk.wait()
    state = panel._pages["output.pick"].writing._state.text()
    assert state.startswith(
        "Room for 1 more" if n_typed < N_CTX else f"The window of {N_CTX} tokens"
    )
    desk.session.generate(5)
    desk.qtbot.waitUntil(lambda: not desk.session.is_generating, timeout=WAIT_MS)
    assert len(desk.session.encoding.ids) == max(N_CTX, n_typed)
    assert len(desk.reports) == (n_typed >= N_CTX)


def test_generate_pressed_twice_is_one_generation(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests: list[object] = []
    generating = desk.session._generating
    request = generating.request
    monkeypatch.setattr(
        generating, "request", lambda wish: (requests.append(wish), request(wish))
    )
    desk.read("the cat")
    action = desk.bench.actions_by_id["text.generate"]
    action.trigger()
    action.trigger()
    desk.session.generate(3)
    desk.qtbot.waitUntil(lambda: not desk.session.is_generating, timeout=WAIT_MS)
    assert len(requests) == 1


def test_a_character_in_pieces_appears_when_its_last_byte_is_there(desk: Desk) -> None:
    desk.read("A")
    shown = []
    for byte in (*"🙂".encode(), ord("!")):
        desk.session.append_token(byte)
        desk.wait()
        shown.append(desk.bench.sentence.edit.text())
        chips = chips_of(desk.session.encoding)
        assert "\ufffd" not in "".join(chip.label for chip in chips)
    assert shown == ["A", "A", "A", "A🙂", "A🙂!"]
    assert [chip.sub for chip in chips] == ["65", "240", "159", "153", "130", "33"]


def test_a_count_beyond_32_bits_is_written_whole(desk: Desk) -> None:
    card = replace(desk.session.model, n_parameters=3_000_000_000)
    desk.session.model_changed.emit(card)
    tip = desk.bench.sentence.model_button.toolTip()
    assert "3,000,000,000 parameters" in tip
