"""The stories the default model learns English from: their text is checked here."""

import hashlib
import re
from collections import Counter
from itertools import islice

import pytest

from core.training.stories import (
    SEPARATOR,
    Story,
    stories,
    story_text,
    told_chants,
    told_stories,
)
from core.training.words import lexicon, plural, third_person

SEED = 4
N_STORIES = 2500
FIRST_10_KB_OF_SEED_1 = (
    "30dfe807e6fd25adb3fc9cdb47b5e16e55ceffe5ca5a46b742038593e6383153"
)


@pytest.fixture(scope="module")
def told() -> list[Story]:
    return list(islice(told_stories(SEED), N_STORIES))


@pytest.fixture(scope="module")
def prose(told: list[Story]) -> list[str]:
    """Everything but the echoes, whose rows are arbitrary on purpose."""
    return [story.text for story in told if story.kind != "echo"]


def found(pattern: str, texts: list[str]) -> list[str]:
    matches = (m for text in texts for m in re.finditer(pattern, text))
    return [m.string[max(0, m.start() - 30) : m.end() + 30] for m in matches]


def test_the_same_seed_tells_the_same_stories() -> None:
    assert story_text(3, 20_000) == story_text(3, 20_000)


def test_another_seed_tells_other_stories() -> None:
    assert list(islice(stories(1), 5)) != list(islice(stories(2), 5))


def test_the_text_is_frozen_because_the_default_model_was_trained_on_it() -> None:
    first = story_text(1, 10_000)[:10_000].encode("utf-8")
    assert hashlib.sha256(first).hexdigest() == FIRST_10_KB_OF_SEED_1


def test_story_text_is_stories_joined_by_empty_lines_and_long_enough() -> None:
    text = story_text(5, 3_000)
    parts = text.split(SEPARATOR)
    assert parts == list(islice(stories(5), len(parts)))
    assert len(text) >= 3_000
    assert len(SEPARATOR.join(parts[:-1])) < 3_000


def test_more_than_1500_different_words_are_told(told: list[Story]) -> None:
    """Words of the lexicon and of the prose; made-up words and names do not count."""
    prose = " ".join(story.text for story in told if story.kind != "echo")
    ordinary = set(re.findall(r"(?<![A-Za-z])[a-z]{2,}(?![A-Za-z])", prose))
    echoed = {word for s in told for word in re.findall(r"[a-z]{2,}", s.row)}
    assert len(ordinary) > 1_100
    assert len(ordinary | (echoed & lexicon().words)) > 1_500


def test_the_stories_differ(told: list[Story]) -> None:
    assert len({story.text for story in told}) > 0.98 * len(told)


@pytest.mark.parametrize(
    ("fault", "pattern"),
    [
        ("a slot or a choice left open", r"[{}\[\]|\x00]"),
        ("two spaces", r"  "),
        ("a space before a mark", r" [.,;!?]"),
        ("two marks", r"[.,!?;][.,;]"),
        ("a word twice", r"\b([a-z]+) \1\b"),
        ("a small letter after a full stop", r"\. [a-z]"),
        ("a before a vowel", r"\b[Aa] (?:[aeio]|honest|hour)[a-z]*"),
        ("an before a consonant", r"\b[Aa]n (?!ho)[b-df-hj-np-tv-z]\w*"),
        ("a tale that begins otherwise", r"[Oo]nce upon a(?! time\b)"),
        ("a shouted tale that begins otherwise", r"ONCE UPON A(?! TIME\b)"),
        ("a wrong plural", r"\b(?:mouses|gooses|sheeps|deers|wolfs|foxs|puppys)\b"),
    ],
)
def test_the_prose_has_no(fault: str, pattern: str, prose: list[str]) -> None:
    assert found(pattern, prose) == [], fault


def test_quotes_are_balanced(prose: list[str]) -> None:
    assert [text for text in prose if text.count('"') % 2] == []


def test_every_paragraph_ends_with_a_mark(prose: list[str]) -> None:
    ends = [line for text in prose for line in text.split("\n")]
    assert [line[-40:] for line in ends if not re.search(r'[.!?]"?$', line)] == []


def test_one_animal_does_and_many_animals_do(prose: list[str]) -> None:
    animals = lexicon().kinds["animal"]
    countable = [noun for noun in animals if plural(noun, animals[noun]) != noun]
    phrases = {phrase for entry in animals.values() for phrase in entry["does"]}
    one = "|".join(countable)
    many = "|".join(plural(noun, animals[noun]) for noun in countable)
    does = "|".join(sorted(third_person(phrase) for phrase in phrases))
    do = "|".join(sorted(phrases))
    one_does = rf"\b(?:The|A|An|One|Every) (?:{one}) (?:{does})\b"
    many_do = rf"\b(?:{many}) (?:{do})\b"
    assert len(found(one_does, prose)) > 35
    assert len(found(many_do, prose)) > 35
    assert found(rf"\b(?:The|A|An|One|Every) (?:{one}) (?:{do})\b", prose) == []
    assert found(rf"\b(?:{many}) (?:{does})\b", prose) == []
    assert found(rf"\b(?:{many}) (?:is|was|has)\b", prose) == []
    assert found(rf"\b(?:[Aa]|[Oo]ne|[Ee]very) (?:{one}) (?:are|have)\b", prose) == []


def test_pronouns_follow_the_kind_that_was_introduced(prose: list[str]) -> None:
    for kind, wrong in (("girl", "He"), ("boy", "She"), ("queen", "He")):
        opening = rf"^(?:Once upon a time|Long ago) there was an? \w+ ?{kind}"
        assert found(rf"{opening}[^.\"]*\. {wrong} ", prose) == []


def test_where_the_animals_sat_is_various(prose: list[str]) -> None:
    places = Counter(re.findall(r"\bsat on the ([a-z]+)", " ".join(prose)))
    assert len(places) > 40
    assert {"mat", "chair", "wall", "roof", "bed", "table"} <= set(places)
    assert places.most_common(1)[0][1] < 0.15 * places.total()


@pytest.mark.parametrize(
    ("kind", "least", "most"),
    [
        ("tale", 0.29, 0.37),
        ("scene", 0.28, 0.36),
        ("echo", 0.28, 0.36),
        ("shout", 0.02, 0.04),
    ],
)
def test_the_kinds_have_their_shares(
    kind: str, least: float, most: float, told: list[Story]
) -> None:
    assert least < sum(story.kind == kind for story in told) / len(told) < most


def test_about_every_fourth_story_has_made_up_names(told: list[Story]) -> None:
    assert 0.22 < sum(story.made_up_names for story in told) / len(told) < 0.32


def test_nearly_half_of_the_tales_begin_once_upon_a_time(told: list[Story]) -> None:
    tales = [story.text for story in told if story.kind == "tale"]
    once = sum(tale.startswith("Once upon a time") for tale in tales)
    assert 0.38 < once / len(tales) < 0.52


def test_echoes_repeat_their_row_exactly(told: list[Story]) -> None:
    echoes = [story for story in told if story.kind == "echo"]
    assert [echo.text for echo in echoes if echo.text.count(echo.row) < 2] == []
    rows = [echo.row for echo in echoes]
    assert len(set(rows)) == len(rows)
    lengths = [len(re.split(r"[,;]? |-", row)) for row in rows]
    assert min(lengths) >= 3


def test_many_echoes_are_chants(told: list[Story]) -> None:
    """A short row told often: from this a head that copies can begin to form."""
    echoes = [story for story in told if story.kind == "echo"]
    chants = [echo for echo in echoes if echo.is_chant]
    assert 0.4 < len(chants) / len(echoes) < 0.6


def test_made_up_names_are_repeated_with_their_family_name(told: list[Story]) -> None:
    """A name such as "Mira Tolen" can only be learnt as a rule if it comes again."""
    met = [s.text for s in told if s.made_up_names and " met a" in s.text[:40]]
    name = re.compile(r"^([A-Z][a-z]+ [A-Z][a-z]+) met an? ")
    full_names = [(m[1], text) for text in met if (m := name.match(text))]
    assert len(full_names) > 12
    assert all(text.count(full_name) >= 3 for full_name, text in full_names)


def test_made_up_names_do_not_come_from_a_list(told: list[Story]) -> None:
    named = (re.match(r"([A-Z][a-z]+ [A-Z][a-z]+) met ", s.text) for s in told)
    names = [match[1] for match in named if match]
    assert len(set(names)) > 0.95 * len(names)


def test_shouted_documents_have_no_small_letters(told: list[Story]) -> None:
    shouts = [story.text for story in told if story.kind == "shout"]
    assert all(text == text.upper() for text in shouts)
    assert any("LOVELY" in text for text in shouts)


def test_chants_are_nothing_but_short_rows_told_again_and_again() -> None:
    chants = list(islice(told_chants(3), 200))
    assert {chant.kind for chant in chants} == {"echo"}
    assert min(chant.text.count(chant.row) for chant in chants) >= 5
    text = story_text(3, 5_000, chants=True)
    assert (
        text.split(SEPARATOR) == [c.text for c in chants][: text.count(SEPARATOR) + 1]
    )
