"""The built-in tasks: one right answer each, and the same pairs from the same seed."""

from itertools import product
from pathlib import Path
from random import Random

import pytest

from core.errors import TrainingError
from core.training.pairs.lines import pairs_of
from core.training.pairs.recipe import main
from core.training.pairs.tasks import TASKS, number_words, task_blocks, task_named


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "zero"),
        (13, "thirteen"),
        (40, "forty"),
        (99, "ninety-nine"),
        (100, "one hundred"),
        (304, "three hundred and four"),
        (1000, "one thousand"),
        (1005, "one thousand and five"),
        (9999, "nine thousand nine hundred and ninety-nine"),
        (21_000, "twenty-one thousand"),
    ],
)
def test_numbers_are_spelled_as_in_english(number: int, words: str) -> None:
    assert number_words(number) == words


def test_no_two_numbers_are_spelled_alike() -> None:
    assert len({number_words(number) for number in range(100_000)}) == 100_000


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_every_source_has_one_right_target(task) -> None:
    target_of: dict[str, str] = {}
    for source, target in pairs_of(task_blocks(task.name, 3, 4000)):
        assert target_of.setdefault(source, target) == target


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_the_same_seed_gives_the_same_pairs_and_another_one_others(task) -> None:
    first, again, other = (
        "".join(task_blocks(task.name, seed, 50)) for seed in (1, 1, 2)
    )
    assert first == again != other
    assert "".join(task_blocks(task.name, 1, 80)).startswith(first)


def test_answers_are_those_of_the_rule() -> None:
    for source, target in pairs_of(task_blocks("reverse", 1, 100)):
        assert target == "".join(reversed(source))
    for source, target in pairs_of(task_blocks("numbers", 1, 100)):
        assert source == number_words(int(target))
    for source, target in pairs_of(task_blocks("verb_last", 1, 100)):
        assert sorted(source.split()) == sorted(target.split())


def test_numbers_of_every_length_come() -> None:
    pairs = pairs_of(task_blocks("numbers", 1, 400))
    assert {len(target) for _, target in pairs} == {1, 2, 3, 4}


def test_a_task_that_is_none_is_refused_with_those_there_are() -> None:
    with pytest.raises(TrainingError, match="choose one of reverse, numbers"):
        task_named("poetry")


def test_every_task_says_what_it_is() -> None:
    assert all(task.title and task.text.endswith(".") for task in TASKS)
    assert not any(a.name == b.name for a, b in product(TASKS, TASKS) if a is not b)
    assert all("\t" not in part for t in TASKS for part in t.make(Random(1)))


def test_a_task_is_written_as_a_file_of_pairs(tmp_path: Path) -> None:
    assert main([str(tmp_path / "new"), "--task", "reverse", "--pairs", "30"]) == 0
    text = (tmp_path / "new" / "train.tsv").read_text(encoding="utf-8")
    assert text == "".join(task_blocks("reverse", 1, 30))
    assert main([str(tmp_path / "new"), "--pairs", "0"]) == 1
