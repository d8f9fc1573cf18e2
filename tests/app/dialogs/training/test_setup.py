"""The setup as a person uses it: texts in, a run's folder out."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.dialogs.training.commands import machine_command
from app.dialogs.training.model_page import question_of
from app.dialogs.training.start_page import summary_of
from core.tokenizers.folder import open_tokenizer, save_tokenizer
from core.tokenizers.simple import learn_characters
from core.training.config import TokenizerConfig, config_of, read_config, tables_of
from core.training.sources import FileSource, FolderSource, PastedSource, StorySource

STORIES = StorySource(seed=3, n_characters=20_000)


def test_without_a_text_there_is_nothing_to_start(desk):
    desk.setup.show_page(2)
    assert desk.setup.obstacle == desk.setup.state == "Give it a text first."
    assert not desk.setup.start.is_usable
    desk.setup.start.click()
    assert desk.written == []


def test_the_summary_tells_of_the_draft_before_there_is_a_text(desk):
    said = {
        name: value.text() for name, value in desk.setup.begin._summary.values.items()
    }
    assert said["Text"] == "none yet"
    assert said["Tokenizer"] == "512 tokens, learned from the text"


def test_the_stories_make_a_run_that_has_everything_in_it(desk):
    desk.take(STORIES)
    folder = desk.start()
    assert folder == desk.place / "cats"
    config = read_config(folder)
    assert config.model.d_model == desk.plan.draft.model.d_model
    assert config.tokenizer.n_vocab == 512
    for name in config.data.train:
        assert (folder / name).read_text("utf-8").strip()


def test_pressing_start_twice_within_a_moment_makes_one_run(desk):
    desk.take(STORIES)
    desk.setup.show_page(2)
    desk.setup.show()
    for _ in range(2):
        QTest.mouseClick(desk.setup.start, Qt.MouseButton.LeftButton)
    desk.qtbot.waitUntil(lambda: bool(desk.written), timeout=20_000)
    QTest.qWait(100)
    assert desk.written == [desk.place / "cats"]
    assert [each.name for each in desk.place.iterdir() if each.is_dir()] == ["cats"]


def test_the_next_run_of_the_same_name_gets_another_folder(desk):
    desk.take(STORIES)
    desk.start()
    assert desk.setup.begin.folder == desk.place / "cats 2"


def test_a_text_that_vanishes_before_the_start_is_one_sentence(desk):
    path = desk.take_file("notes.txt", b"the cat sat on the mat\n" * 400)
    path.unlink()
    desk.setup.show_page(2)
    desk.setup.start.click()
    desk.qtbot.waitUntil(lambda: bool(desk.reports), timeout=1_000)
    assert str(path) in desk.reports[0].sentence
    assert desk.setup.message.sentence == desk.reports[0].sentence
    assert desk.setup.start.is_usable
    assert desk.setup.start.text() == "Start training"
    assert list(desk.place.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_one_sentence(desk):
    desk.take(STORIES)
    (desk.place / "blocked").write_text("a file, not a folder")
    desk.setup.begin.suggest("cats", desk.place / "blocked")
    desk.setup.show_page(2)
    desk.setup.start.click()
    desk.qtbot.waitUntil(lambda: bool(desk.reports), timeout=5_000)
    assert "blocked" in desk.reports[0].sentence
    assert desk.setup.start.is_usable


@pytest.mark.parametrize("name", ["", "a/b", "con"])
def test_a_name_that_is_no_folder_name_is_refused_before_the_start(desk, name):
    desk.take(STORIES)
    desk.setup.begin.name.setText(name)
    desk.setup.begin.refresh()
    assert desk.setup.begin.folder is None
    assert desk.setup.begin.fault
    desk.setup.show_page(2)
    assert not desk.setup.start.is_usable


def test_a_field_that_is_at_fault_stops_the_start_with_its_sentence(desk):
    desk.take(STORIES)
    edit = desk.setup.model.settings.forms["model"].editors["n_heads"]
    edit.clear()
    QTest.keyClicks(edit, "5")
    desk.setup.show_page(2)
    assert "n_heads" in desk.setup.state
    assert not desk.setup.start.is_usable
    edit.clear()
    QTest.keyClicks(edit, "8")
    assert desk.setup.obstacle == ""
    desk.qtbot.waitUntil(lambda: desk.plan.draft.model.n_heads == 8)


def test_what_is_typed_as_a_width_stays_as_it_was_typed(desk):
    edit = desk.setup.model.settings.forms["model"].editors["d_ff"]
    edit.clear()
    QTest.keyClicks(edit, str(4 * desk.plan.draft.model.d_model))
    assert edit.text() == str(4 * desk.plan.draft.model.d_model)


def test_a_preset_is_marked_until_a_field_of_it_is_changed(desk):
    presets, settings = desk.setup.model.presets, desk.setup.model.settings
    small = next(each for each in presets.buttons if each.preset.name == "small")
    small.click()
    assert desk.plan.draft.model.d_model == small.preset.model.d_model
    assert [each for each in presets.buttons if each.isChecked()] == [small]
    assert settings.forms["model"].editors["d_model"].text() == "192"
    n_steps = settings.forms["training"].editors["n_steps"]
    n_steps.clear()
    QTest.keyClicks(n_steps, "77")
    is_marked = lambda: any(each.isChecked() for each in presets.buttons)  # noqa: E731
    desk.qtbot.waitUntil(lambda: not is_marked())


def test_what_is_typed_is_looked_at_once_when_the_typing_rests(desk):
    settings, drafts = desk.setup.model.settings, []
    desk.plan.draft_changed.connect(drafts.append)
    edit = settings.forms["training"].editors["n_steps"]
    edit.selectAll()
    QTest.keyClick(edit, Qt.Key.Key_Backspace)
    assert settings.error  # said at once, beside the field
    QTest.keyClicks(edit, "4321")
    assert settings.error == ""
    assert not drafts
    desk.qtbot.waitUntil(lambda: bool(drafts))
    assert [draft.training.n_steps for draft in drafts] == [4321]


def test_all_settings_are_made_when_they_are_first_seen_and_show_what_was_chosen(desk):
    settings = desk.setup.model.settings
    desk.setup.model.presets.buttons[1].click()
    assert settings.tabs.count() == 0
    assert settings.error == ""
    desk.setup.show()
    desk.setup.show_page(1)
    desk.setup.model.show_settings("training")
    assert settings.tabs.count() == 4
    n_steps = settings.forms["training"].editors["n_steps"].text()
    assert n_steps == str(desk.plan.draft.training.n_steps)


def test_what_is_typed_counts_at_once_where_the_reader_goes_on(desk):
    desk.setup.show()
    desk.setup.show_page(1)
    model = desk.setup.model
    model.show_settings("training")
    edit = model.settings.forms["training"].editors["n_steps"]
    edit.clear()
    QTest.keyClicks(edit, "4321")
    desk.setup.show_page(2)
    assert desk.plan.draft.training.n_steps == 4321


def test_the_command_that_is_shown_is_the_one_that_starts_this_run(desk):
    commands = desk.setup.begin.commands.values()
    one, many, cluster = (line.edit.text() for line in commands)
    folder = str(desk.place / "cats")
    assert one.endswith(f"-m core.training {folder}")
    launcher, _, rest = many.partition(" ")
    assert Path(launcher).name.startswith("torchrun")
    assert rest == f"--nproc-per-node 2 -m core.training {folder}"
    assert cluster.startswith("torchrun --nnodes 2")
    assert cluster.endswith(f"-m core.training {folder}")


def test_a_launcher_beside_this_python_is_named_in_full(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert machine_command(tmp_path, 2)[0] == "torchrun"
    name = "torchrun.exe" if sys.platform == "win32" else "torchrun"
    launcher = tmp_path / name
    launcher.touch(mode=0o755)
    assert machine_command(tmp_path, 2)[0] == str(launcher)


def test_the_folder_can_be_written_for_a_terminal_without_a_start(desk):
    prepared = []
    desk.setup.run_prepared.connect(prepared.append)
    assert not desk.setup.begin.write.is_usable
    desk.take(STORIES)
    desk.setup.show_page(2)
    desk.setup.begin.write.click()
    assert desk.setup.start.text() == "Start training"
    desk.qtbot.waitUntil(lambda: bool(prepared), timeout=20_000)
    assert prepared == [desk.place / "cats"]
    assert read_config(prepared[0]).tokenizer.n_vocab == 512
    assert desk.written == []


def test_a_text_is_said_to_be_read_from_the_first_moment(desk):
    told = []
    desk.plan.look_changed.connect(lambda _: told.append(desk.plan.is_looking))
    desk.plan.add_sources((STORIES,))
    assert told == [True]
    desk.wait()


def test_every_source_is_in_the_list_once_and_can_be_left_out(desk):
    (desk.place / "texts").mkdir()
    (desk.place / "texts" / "a.txt").write_text("the cat sat\n" * 200)
    sources = (
        FolderSource(desk.place / "texts"),
        PastedSource("once upon a time " * 100),
        STORIES,
    )
    desk.take(*sources, *sources)
    lines = desk.setup.data.sources.lines
    assert len(lines) == len(sources)
    lines[1].removal_requested.emit(sources[1])
    desk.wait()
    assert desk.plan.draft.sources == (sources[0], sources[2])


def test_a_tokenizer_file_travels_into_the_run(desk):
    desk.take(STORIES)
    desk.setup.data.tokenizer.buttons["The default's"].click()
    desk.wait()
    tokenizer = open_tokenizer(desk.start())
    config = read_config(desk.written[0])
    assert tokenizer.n_vocab == config.tokenizer.n_vocab == config.model.n_vocab
    assert desk.facts["vocabulary"] == f"{tokenizer.n_vocab:,}"


def test_a_damaged_tokenizer_is_told_and_the_rest_stays(desk):
    desk.take(STORIES)
    (desk.place / "tokenizer.json").write_text("{")
    file = str(desk.place / "tokenizer.json")
    desk.plan.set_tokenizer(TokenizerConfig(file=file))
    desk.wait()
    assert "tokenizer.json" in desk.reports[0].sentence
    assert desk.plan.draft.sources == (STORIES,)


def test_a_newer_text_is_what_is_told_of(desk):
    desk.plan.add_sources((StorySource(seed=1, n_characters=300_000),))
    desk.plan.take(replace(desk.plan.draft, sources=(PastedSource("ab " * 500),)))
    desk.wait()
    assert desk.facts["characters"] == "1,500"


def test_a_file_is_read_where_it_was_dropped(desk):
    path = desk.place / "notes.txt"
    path.write_text("the cat sat on the mat\n" * 100)
    desk.setup.data.sources.sources_requested.emit((FileSource(path),))
    desk.wait()
    assert desk.facts["characters"] == "2,300"
    assert desk.facts["distinct characters"] == "11"


def test_the_keys_stay_on_the_way_from_page_to_page(desk):
    desk.take(STORIES)
    with desk.qtbot.waitExposed(desk.setup):
        desk.setup.show()
        desk.setup.activateWindow()
    setup = desk.setup
    for pressed, wanted in (
        (setup.next, setup.next),
        (setup.next, setup.begin.name),
        (setup.back, setup.next),
        (setup.back, setup.next),
    ):
        QTest.mouseClick(pressed, Qt.MouseButton.LeftButton)
        assert setup.focusWidget() is wanted


def test_characters_make_a_run_with_as_many_tokens_as_the_text_has(desk):
    desk.take(PastedSource("abcab\r\n" * 200))
    card = desk.setup.data.tokenizer
    card.buttons["Characters"].click()
    desk.wait()
    assert card.buttons["Characters"].isChecked()
    assert not card.n_vocab.isVisibleTo(card)
    assert desk.plan.draft.model.n_vocab == desk.plan.draft.tokenizer.n_vocab == 4
    assert desk.facts["vocabulary"] == "4"
    assert summary_of(desk.plan)["Tokenizer"] == "4 characters, learned from the text"
    config = read_config(desk.start())
    assert (config.tokenizer.kind, config.model.n_vocab) == ("characters", 4)


def test_characters_are_measured_again_with_another_text(desk):
    desk.take(PastedSource("abc" * 400))
    desk.setup.data.tokenizer.buttons["Characters"].click()
    desk.wait()
    desk.take(PastedSource("xyz" * 400))
    assert desk.facts["vocabulary"] == "7"  # and the empty line between the texts
    desk.setup.data.tokenizer.buttons["Learn one"].click()
    desk.wait()
    assert desk.plan.draft.tokenizer == TokenizerConfig(n_vocab=512)


def test_what_a_tokenizer_does_not_know_is_mended_by_characters(desk):
    save_tokenizer(learn_characters(["abc"]), desk.place)
    desk.take(PastedSource("abcd?" * 300))
    desk.plan.set_tokenizer(TokenizerConfig(file=str(desk.place / "tokenizer.json")))
    desk.wait()
    assert "no token for d ?" in desk.setup.obstacle
    (finding,) = (f for f in desk.plan.look.findings if f.kind == "unknown")
    desk.plan.mend(finding.mends[0])
    desk.wait()
    assert desk.setup.obstacle == ""
    assert desk.plan.draft.tokenizer == TokenizerConfig(kind="characters", n_vocab=5)


def test_of_one_letter_the_doctor_says_that_there_is_nothing_to_learn(desk):
    desk.take(PastedSource("a" * 1000))
    desk.setup.data.tokenizer.buttons["Characters"].click()
    desk.wait()
    assert desk.facts["vocabulary"] == "1"
    assert "nothing to learn: the vocabulary is 1" in desk.said()


def test_the_speed_of_a_model_of_three_characters_can_be_asked_for(desk):
    tokenizer = TokenizerConfig(file="tokenizer.json", n_vocab=3)
    asked = question_of(desk.plan.draft.with_tokenizer(tokenizer))
    assert config_of(tables_of(asked)).model.n_vocab == 3
