from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from app.frame.recent import MOST, RecentModels
from app.frame.sentence_bar import (
    SentenceBar,
    model_tip,
    short_name,
)
from app.frame.text_counts import TextCounts, counted, counts_of
from app.settings import RECENT_MODELS, Settings
from app.workers.tracing import card_of
from tests.helpers.bundles import save_tiny, tiny_bundle, tiny_tokenizer


@pytest.fixture
def bar(qtbot, empty_session):
    bar = SentenceBar(empty_session, RecentModels(Settings()))
    qtbot.addWidget(bar)
    bar.resize(1280, 52)
    bar.show()
    return bar


def test_one_is_counted_in_the_singular_and_thousands_are_parted():
    assert counted(1, "token") == "1 token"
    assert counted(0, "token") == "0 tokens"
    assert counted(12_000, "character") == "12,000 characters"


def test_tokens_characters_and_bytes_are_counted_apart():
    counts = counts_of(tiny_tokenizer().encode("é🙂"))
    assert counts == ("6 tokens", "2 characters", "6 bytes")


def test_typing_asks_for_the_text(bar, qtbot, empty_session):
    empty_session.open()
    qtbot.keyClicks(bar.edit, "the cat")
    assert empty_session.text == "the cat"
    assert bar.counts == "2 tokens · 7 characters · 7 bytes"


def test_text_that_comes_from_elsewhere_is_shown_and_not_asked_for_again(
    bar, empty_session
):
    empty_session.open()
    empty_session.read("the dog")
    assert bar.edit.text() == "the dog"
    assert empty_session.is_current


def test_the_cursor_stays_while_its_own_text_comes_back(bar, qtbot, empty_session):
    empty_session.open()
    qtbot.keyClicks(bar.edit, "the cat")
    bar.edit.setCursorPosition(3)
    qtbot.keyClicks(bar.edit, "n")
    assert (bar.edit.text(), bar.edit.cursorPosition()) == ("then cat", 4)


def test_too_long_a_sentence_is_counted_and_can_be_cut(bar, qtbot, empty_session):
    empty_session.open()
    empty_session.request_text("a" * 40)
    assert bar.counts == "40 tokens, 8 too many"
    keep = bar.findChild(type(bar.model_button), "sentence.keep")
    assert keep.isVisible()
    assert keep.text() == "Keep the last 32"
    qtbot.mouseClick(keep, Qt.MouseButton.LeftButton)
    assert empty_session.text == "a" * 32
    assert not keep.isVisible()


def test_the_text_of_a_special_token_can_be_read_as_one_token(
    bar, qtbot, empty_session
):
    empty_session.open()
    (special, *_) = tiny_tokenizer().specials
    qtbot.keyClicks(bar.edit, f"the {special}")
    assert bar.specials.objectName() == "sentence.specials"
    assert bar.specials.isVisible()
    assert special in bar.specials.toolTip() or "&lt;" in bar.specials.toolTip()
    n_characters = len(empty_session.encoding.pieces)
    qtbot.mouseClick(bar.specials, Qt.MouseButton.LeftButton)
    assert empty_session.reads_specials
    assert empty_session.encoding.pieces[-1].id == tiny_tokenizer().specials[special]
    assert len(empty_session.encoding.pieces) < n_characters
    assert not bar.specials.isVisible()


def test_no_special_token_is_offered_where_the_text_has_none(bar, qtbot, empty_session):
    empty_session.open()
    (special, *_) = tiny_tokenizer().specials
    empty_session.request_text(special)
    assert bar.specials.isVisible()
    empty_session.request_text(special[:-1])
    assert not bar.specials.isVisible()


def test_a_long_special_token_is_cut_on_the_button_and_whole_in_its_tip():
    counts, special = TextCounts("sentence"), "<|reserved_special_token_17|>"
    counts.offer_specials(f"a {special} b", (special,))
    assert counts.specials.text() == "Read <|reserved_spec… as one token"
    assert "token_17" in counts.specials.toolTip()


def test_an_example_becomes_the_sentence(bar, empty_session):
    empty_session.open()
    action = bar.examples_button.menu().actions()[1]
    action.trigger()
    assert empty_session.text == action.data() == "YOUR CAT IS A LOVELY CAT"


def test_what_the_model_knows_from_its_run_stands_before_the_examples(
    bar, empty_session
):
    empty_session.open()
    own = len(bar.examples_button.menu().actions())
    card = replace(empty_session.model, prompts=("forty-six", "sixty-five"))
    empty_session.model_changed.emit(card)
    actions = bar.examples_button.menu().actions()
    assert [action.data() for action in actions[:2]] == ["forty-six", "sixty-five"]
    assert actions[2].isSeparator()
    assert len(actions) == own + 3
    actions[1].trigger()
    assert empty_session.text == "sixty-five"
    empty_session.model_changed.emit(replace(card, prompts=()))
    assert len(bar.examples_button.menu().actions()) == own


def test_the_button_names_the_model_and_its_tip_its_size(bar, empty_session):
    empty_session.open()
    assert bar.model_button.text() == "tiny"
    assert "2 layers, 2 heads, width 8" in bar.model_button.toolTip()


def test_the_field_stays_in_its_place_while_checkpoints_of_a_run_go_by(
    bar, empty_session, tmp_path
):
    empty_session.open()

    def place_with(name, folder):
        card = replace(empty_session.model, name=name, folder=folder)
        empty_session.model_changed.emit(card)
        bar.layout().activate()
        return bar.edit.x()

    of_run = tmp_path / "reverse" / "checkpoints"
    last = place_with("reverse, step 2000", of_run / "step-00002000")
    assert place_with("reverse, step 0", of_run / "step-00000000") == last
    assert place_with("reverse, step 1999", of_run / "step-00001999") == last
    elsewhere = place_with("reverse, step 0", tmp_path / "reverse")
    assert elsewhere < last
    assert place_with("reverse, step 0", of_run / "step-00000000") == elsewhere


def test_a_special_token_that_the_model_wrote_is_not_offered_as_one(bar, empty_session):
    empty_session.open()
    special = next(iter(tiny_tokenizer().specials))
    empty_session.request_text(f"the {special}")
    assert bar._counts.specials.isVisible()
    ids = tiny_tokenizer().encode(f"the {special}", specials=True).ids
    empty_session.request_ids(ids)
    assert empty_session.text == f"the {special}"
    assert not bar._counts.specials.isVisible()


def test_a_long_name_is_cut_with_a_sign():
    assert short_name("x" * 40) == "x" * 21 + "…"
    assert short_name("short") == "short"


def test_a_narrow_bar_counts_tokens_alone(bar, empty_session):
    empty_session.open()
    empty_session.read("the cat")
    bar.resize(800, 52)
    assert bar.counts == "2 tokens"


def test_the_newest_folder_is_offered_first_and_only_once(tmp_path):
    recent = RecentModels(Settings())
    for name in ("a", "b", "a"):
        recent.note(tmp_path / name)
    assert [folder.name for folder in recent.folders] == ["a", "b"]


def test_only_a_few_folders_are_remembered(tmp_path):
    recent = RecentModels(Settings())
    for number in range(MOST + 3):
        recent.note(tmp_path / str(number))
    assert len(recent.folders) == MOST
    assert not RECENT_MODELS.is_usable(["a", 1])


def test_a_folder_that_is_gone_is_not_offered(bar, tmp_path):
    bar._recent.note(tmp_path)
    bar._recent.note(Path("/nowhere/at/all"))
    bar.model_menu.aboutToShow.emit()
    offered = [action.data() for action in bar.model_menu.actions()]
    assert str(tmp_path.resolve()) in offered
    assert "/nowhere/at/all" not in offered


def test_the_menu_names_models_as_the_button_does_and_ticks_the_open_one(
    bar, empty_session, tmp_path
):
    folder = save_tiny(tmp_path / "step-7", "stories")
    (tmp_path / "damaged").mkdir()
    for each in (folder, tmp_path / "damaged"):
        bar._recent.note(each)
    empty_session.open()
    empty_session._card = replace(empty_session.model, folder=folder)
    bar.model_menu.aboutToShow.emit()
    ticks = {
        action.text(): action.isChecked()
        for action in bar.model_menu.actions()
        if action.data() and str(tmp_path) in action.data()
    }
    assert ticks == {"stories · step-7": True, "damaged · damaged": False}


def test_while_the_first_model_is_opened_the_button_says_so(bar, empty_session):
    assert bar.model_button.text() == "no model"
    empty_session.activity_changed.emit("opening the model…")
    assert bar.model_button.text() == "opening…"
    empty_session.activity_changed.emit("")
    assert bar.model_button.text() == "no model"


def test_a_model_says_whether_one_table_serves_both_ends():
    tips = [
        model_tip(card_of(tiny_bundle(tie_embeddings=tied))) for tied in (True, False)
    ]
    assert ["tied" in tip for tip in tips] == [True, False]
