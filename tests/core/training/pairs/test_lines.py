"""Lines of pairs: what is one, what is none, and what is said of it."""

from pathlib import Path

import pytest

from core.errors import TrainingError
from core.training.pairs.lines import Pair, checked_pairs, lines_of, pairs_of, sides_of

TEXT = "a\tb\n\nno tab\n c d \t e \n\tx\ny\t \nf\tg\tfrom a book\nlast\tline"


def test_pairs_are_the_first_two_columns_without_white_space_around() -> None:
    assert list(pairs_of([TEXT])) == [
        Pair("a", "b"),
        Pair("c d", "e"),
        Pair("f", "g"),
        Pair("last", "line"),
    ]


def test_odd_lines_are_told_by_their_number_in_the_file() -> None:
    odd = {line.number: line.odd for line in lines_of([TEXT]) if line.odd}
    assert odd == {3: "no_tab", 5: "empty", 6: "empty", 7: "columns"}


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_lines_are_the_same_wherever_blocks_end(size: int) -> None:
    blocks = [TEXT[i : i + size] for i in range(0, len(TEXT), size)]
    assert list(lines_of(blocks)) == list(lines_of([TEXT]))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a\tb\nlone\n", "pairs.tsv, line 2 ('lone') has no tab; put one between"),
        ("a\t \n", "pairs.tsv, line 1 ('a') has an empty side; write something"),
    ],
)
def test_a_run_refuses_a_line_that_is_no_pair_and_names_it(
    text: str, said: str
) -> None:
    with pytest.raises(TrainingError) as refused:
        list(checked_pairs(Path("pairs.tsv"), [text]))
    assert str(refused.value).startswith(said)


def test_both_sides_follow_one_another() -> None:
    assert list(sides_of(pairs_of(["a\tb\nc\td\n"]))) == ["a", "b", "c", "d"]


def test_a_line_without_an_end_does_not_fill_the_memory() -> None:
    block = "x" * 100_000
    lines = list(lines_of(block for _ in range(25)))
    assert len(lines) == 3
    assert sum(len(line.text) for line in lines) == 2_500_000
    assert {line.odd for line in lines} == {"no_tab"}
