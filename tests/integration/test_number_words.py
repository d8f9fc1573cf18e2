"""The small model of two sides that comes with the program, held to its card."""

import json
from pathlib import Path

import pytest

import resources
from core.analysis.self_check import self_check
from core.bundle import Bundle, open_bundle
from core.pipeline import run_trace
from core.training.config import read_config
from core.training.pairs.answers import answers
from core.training.pairs.tasks import number_words
from core.training.presets import FOR_PAIRS, preset

FOLDER = Path(resources.__file__).parent / "models" / "number-words"


@pytest.fixture(scope="module")
def bundle() -> Bundle:
    return open_bundle(FOLDER, device="cpu")


def written_for(bundle: Bundle, numbers: range) -> list[str]:
    sources = [bundle.tokenizer.encode(number_words(n)).ids for n in numbers]
    (end,) = bundle.end_ids
    found = answers(bundle.model, sources, end, 5)
    return [bundle.tokenizer.decode(answer) for answer in found]


def test_it_turns_number_words_into_digits(bundle: Bundle) -> None:
    numbers = range(0, 10_000, 17)
    assert written_for(bundle, numbers) == list(map(str, numbers))


@pytest.mark.thorough
def test_it_makes_no_mistake_at_all(bundle: Bundle) -> None:
    numbers = range(10_000)
    assert written_for(bundle, numbers) == list(map(str, numbers))


def test_it_opens_without_a_word_of_warning_and_is_small(bundle: Bundle) -> None:
    assert bundle.name == "Number words (2017)"
    assert not bundle.warnings
    assert not self_check(bundle).warning
    assert sum(file.stat().st_size for file in FOLDER.rglob("*")) < 1_500_000


def test_its_cross_attention_looks_at_the_word_of_each_digit(bundle: Bundle) -> None:
    """Layer 2, head 1: 3 is read off "three", 0 off "and", 4 off "four"."""
    trace = run_trace(bundle, "three hundred and four", target="304")
    pattern = trace["decoder.layers.1.cross.pattern"][0]
    words = slice(0, 5), slice(14, 17), slice(18, 22)
    shares = [float(pattern[row, word].sum()) for row, word in enumerate(words)]
    assert shares == pytest.approx([0.98, 0.79, 0.97], abs=0.01)


def test_its_recipe_is_the_preset(bundle: Bundle) -> None:
    config = read_config(FOLDER / "recipe")
    chosen = preset(FOR_PAIRS)
    for name in ("d_model", "n_layers", "n_encoder_layers", "n_ctx", "norm_place"):
        assert getattr(config.model, name) == getattr(chosen.model, name)
    assert config.training.learning_rate == chosen.training.learning_rate
    lines = (FOLDER / "recipe" / "events.jsonl").read_text(encoding="utf-8")
    tested = [json.loads(line) for line in lines.splitlines() if '"evaluated"' in line]
    assert tested[-1]["share_right"] > 0.99
