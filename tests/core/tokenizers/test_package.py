"""The package's tokenizer as it is made here, against the one that it reads itself."""

import json
from pathlib import Path

import pytest
from tokenizers import Tokenizer as Oracle

from core.errors import TokenizerError
from core.tokenizers.alphabet import all_from_letters, from_letters, to_letters
from core.tokenizers.folder import open_tokenizer
from core.tokenizers.lost import with_lost
from core.tokenizers.package import names_of, reference_of
from core.tokenizers.spelling import Json
from tests.helpers.trained_tokenizers import KINDS, content_of

kinds = pytest.mark.parametrize("kind", KINDS)


def without_trimming(text: str) -> str:
    return text.replace('"trim_offsets": true', '"trim_offsets": false')


def read_by_the_package(content: Json) -> Oracle:
    return Oracle.from_str(without_trimming(json.dumps(content)))


@kinds
def test_it_is_the_one_that_the_package_reads_from_the_file(kind: str) -> None:
    content = content_of(kind)
    assert reference_of(content).to_str() == read_by_the_package(content).to_str()


@kinds
def test_its_names_and_ids_are_those_that_the_package_lists(kind: str) -> None:
    content = content_of(kind)
    reference = reference_of(content)
    assert dict(names_of(reference, content)) == reference.get_vocab()


def test_merges_written_as_texts_are_the_same_merges() -> None:
    content = content_of("llama3")
    model = content["model"]
    joined = [m if isinstance(m, str) else " ".join(m) for m in model["merges"]]
    apart = [m.split(" ") if isinstance(m, str) else m for m in model["merges"]]
    made = [
        reference_of({**content, "model": {**model, "merges": merges}}).to_str()
        for merges in (joined, apart)
    ]
    assert made[0] == made[1]


def test_a_token_for_what_has_none_is_made_by_both_roads() -> None:
    content, lost_id = with_lost(content_of("gpt2"))
    made = reference_of(content)
    assert made.to_str() == read_by_the_package(content).to_str()
    assert names_of(made, content) == made.get_vocab()
    assert lost_id in made.get_vocab().values()


def test_what_the_package_cannot_read_is_said_in_its_words() -> None:
    content = content_of("gpt2")
    broken = {**content, "model": {**content["model"], "merges": [["no", "such"]]}}
    with pytest.raises(Exception, match="out of vocabulary") as theirs:
        read_by_the_package(broken)
    with pytest.raises(ValueError, match="out of vocabulary") as ours:
        reference_of(broken)
    assert str(ours.value) == str(theirs.value)


def test_many_names_are_read_as_one_by_one() -> None:
    every = [to_letters(bytes([a, b])) for a in range(256) for b in (0, 32, 255)]
    names = ["", *every, "Ġthe", "é" * 5]
    assert all_from_letters(names) == [from_letters(name) for name in names]
    assert all_from_letters([]) == []


@pytest.mark.parametrize("letter", ["\n", " ", "\u0144", "\u2581", "\U0001f642"])
def test_a_letter_that_stands_for_no_byte_is_refused_among_many(letter: str) -> None:
    with pytest.raises(KeyError) as error:
        all_from_letters(["Ġthe", f"a{letter}"])
    assert error.value.args == (letter,)


@pytest.mark.parametrize("n_levels", [150, 600, 100_000])
@pytest.mark.parametrize("part", ["normalizer", "model", "decoder"])
def test_a_file_of_a_thousand_levels_is_refused_in_one_sentence(
    part: str, n_levels: int, tmp_path: Path
) -> None:
    nested = '{"normalizers": [' * n_levels + "]}" * n_levels
    content = {**content_of("gpt2"), part: "NESTED"}
    text = json.dumps(content).replace('"NESTED"', nested)
    path = tmp_path / "tokenizer.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(TokenizerError, match=str(path)):
        open_tokenizer(path)
