"""A tokenizer learned in sight, by a small program in the place of the real one."""

import shutil

import pytest

from app.frame.sentence_bar import DEFAULT_MODEL
from core.tokenizers.folder import TOKENIZER_FILE, open_tokenizer
from core.training.config import TokenizerConfig, read_config
from core.training.events import Merged, line_of
from core.training.sources import PastedSource, StorySource

WAIT_MS = 20_000
STORIES = StorySource(seed=3, n_characters=5_000)
MERGED = Merged(
    n_done=2, n_asked=2, left=["t", "Ġ"], right=["h", "th"], counts=[90, 1234]
)


@pytest.fixture
def taught(desk):
    """A setup with a text, whose lessons always end with the default's tokenizer."""
    file = DEFAULT_MODEL / TOKENIZER_FILE
    code = (
        "import pathlib, shutil, sys\n"
        "run = pathlib.Path(sys.argv[1])\n"
        f"(run / 'events.jsonl').write_text({line_of(MERGED) + chr(10)!r})\n"
        f"shutil.copy({str(file)!r}, run)"
    )
    desk.take(STORIES)
    desk.setup.data.lesson._learning._program = ("-c", code)
    return desk


def learn(desk):
    card, lesson = desk.setup.data.tokenizer, desk.setup.data.lesson
    card.learn.click()
    assert lesson.is_running
    desk.qtbot.waitUntil(lambda: not lesson.is_running, timeout=WAIT_MS)
    desk.wait()


def test_merges_are_shown_with_their_counts_in_the_order_learned(taught):
    learn(taught)
    first, second = taught.setup.data.tokenizer.merges
    assert first.split() == ["1", "t", "+", "h", "→", "th", "90×"]
    assert second.split() == ["2", "·", "+", "th", "→", "·th", "1,234×"]


def test_what_was_learned_is_taken_and_is_as_large_as_it_became(taught):
    learn(taught)
    n_vocab = open_tokenizer(DEFAULT_MODEL).n_vocab
    assert taught.plan.draft.tokenizer.n_vocab == n_vocab
    assert taught.plan.draft.model.n_vocab == n_vocab
    assert taught.setup.data.tokenizer.buttons["Learn one"].isChecked()


def test_merges_are_in_sight_only_while_they_are_those_of_the_tokenizer(taught):
    card = taught.setup.data.tokenizer
    learn(taught)
    assert not card._merges.isHidden()
    card.buttons["Characters"].click()
    assert card._merges.isHidden()
    taught.wait()


def test_what_was_learned_stays_where_no_other_file_is_chosen(taught, monkeypatch):
    learn(taught)
    monkeypatch.setattr(
        "app.dialogs.training.tokenizer_card.QFileDialog.getOpenFileName",
        lambda *_: ("", ""),
    )
    card = taught.setup.data.tokenizer
    card.buttons["From a file…"].click()
    assert card.buttons["Learn one"].isChecked()
    assert not card._merges.isHidden()


def test_the_run_gets_its_own_copy(taught):
    learn(taught)
    folder = taught.start()
    shutil.rmtree(taught.setup.data.lesson._scratch.name)
    assert read_config(folder).tokenizer.file == TOKENIZER_FILE
    learned = open_tokenizer(folder).fingerprint
    assert learned == open_tokenizer(DEFAULT_MODEL).fingerprint


def test_another_text_asks_for_another_tokenizer(taught):
    learn(taught)
    taught.take(PastedSource("the cat sat on the mat " * 50))
    assert taught.plan.draft.tokenizer.file == ""


def test_another_size_asks_for_another_tokenizer(taught):
    learn(taught)
    taught.plan.set_tokenizer(TokenizerConfig(n_vocab=300))
    taught.wait()
    assert not taught.setup.data.lesson.made(taught.plan.draft.tokenizer)


def test_a_lesson_can_be_stopped_and_leaves_the_draft_as_it_was(taught):
    taught.setup.data.lesson._learning._program = ("-c", "import time; time.sleep(60)")
    before = taught.plan.draft
    taught.setup.data.tokenizer.learn.click()
    taught.setup.data.tokenizer.learn.click()
    assert not taught.setup.data.lesson.is_running
    assert taught.setup.data.tokenizer.learn.text() == "Learn it now"
    assert taught.plan.draft == before


def test_a_lesson_that_fails_is_told_and_may_be_tried_again(taught):
    taught.setup.data.lesson._learning._program = ("-c", "raise SystemExit('No.')")
    learn(taught)
    assert taught.reports
    assert taught.setup.data.tokenizer.learn.isEnabled()
