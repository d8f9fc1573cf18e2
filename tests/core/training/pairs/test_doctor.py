"""What is said of pairs before a run, and what a click mends."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from core.config import ModelConfig
from core.training.config import DataConfig, RunConfig, TokenizerConfig, TrainingConfig
from core.training.doctor import examine, parts
from core.training.facts import TextFacts, TokenFacts, measure_tokens, read_facts
from core.training.findings import Finding
from core.training.pairs.lines import pairs_of
from core.training.pairs.tasks import task_blocks
from core.training.sources import (
    FileSource,
    PairsSource,
    PastedSource,
    Source,
    TaskSource,
    text_blocks,
    write_sources,
)
from tests.helpers.runs import PAIRS_MODEL

CHARACTERS = TokenizerConfig(kind="characters")
CONFIG = RunConfig(
    model=ModelConfig(**PAIRS_MODEL),
    data=DataConfig(train=("a.tsv",), pairs=True),
    tokenizer=CHARACTERS,
    training=TrainingConfig(n_steps=100, batch_size=4),
)


@pytest.fixture
def pairs_file(tmp_path: Path) -> Callable[[str], PairsSource]:
    def made(text: str) -> PairsSource:
        (tmp_path / "mine.tsv").write_text(text, encoding="utf-8")
        return PairsSource(tmp_path / "mine.tsv")

    return made


def looked_at(
    *sources: Source, config: RunConfig = CONFIG
) -> tuple[TextFacts, TokenFacts | None, dict[str, Finding]]:
    facts, tokens = read_facts(sources), None
    if facts.n_characters:
        tokens = measure_tokens(facts, config.tokenizer, Path())
    found = examine(facts, tokens, config)
    return facts, tokens, {each.kind: each for each in found}


def test_a_built_in_task_has_nothing_against_it() -> None:
    facts, tokens, found = looked_at(TaskSource("reverse", 1, 500))
    assert facts.pairs is not None
    assert (facts.pairs.n_pairs, facts.n_lines) == (500, 501)
    assert tokens is not None
    assert tokens.pairs is not None
    assert tokens.n_vocab == 28
    assert tokens.n_tokens == sum(
        len(source) + 1 + len(target)
        for source, target in pairs_of(task_blocks("reverse", 1, 500))
    )
    assert not found


def test_odd_lines_are_counted_and_the_first_is_named(pairs_file) -> None:
    text = "a\tb\nalone here\nc\td\n\te\nf\tg\th\nsolo\n"
    facts, _, found = looked_at(pairs_file(text))
    assert facts.pairs is not None
    assert facts.pairs.n_pairs == 3
    what = {kind: finding.what for kind, finding in found.items()}
    assert what["no_tab"] == (
        "2 lines have no tab and are left out: the first is line 2 of mine.tsv: "
        "alone here"
    )
    assert what["empty"] == (
        "1 line has an empty side and is left out: line 4 of mine.tsv: e"
    )
    assert what["columns"].startswith("1 line has more than two columns: line 5")
    assert found["no_tab"].severity == "warning"


def test_what_is_left_out_is_not_written(pairs_file, tmp_path: Path) -> None:
    source = pairs_file("\ufeffa\tb\r\nalone\r\nc \t d\textra\r\n")
    other = TaskSource("reverse", 1, 2)
    written = write_sources((source, other), tmp_path, valid_share=0.1)
    assert (written.train, written.valid) == (("train.tsv",), ())
    lines = (tmp_path / "train.tsv").read_bytes().decode().split("\n")
    assert lines[:3] == ["a\tb", "c\td", ""]
    assert len(list(pairs_of(text_blocks([source, other])))) == 4


def test_a_text_without_any_pair_is_refused(pairs_file) -> None:
    _, tokens, found = looked_at(pairs_file("nothing here\nnor there\n"))
    assert tokens is None
    assert found["no_pairs"].severity == "error"


def test_other_encodings_are_read_as_for_running_text(tmp_path: Path) -> None:
    path = tmp_path / "old.tsv"
    path.write_bytes("café\tkaffee\n".encode("cp1252"))
    *_, found = looked_at(PairsSource(path))
    mend = found["encoding"].mends[0]
    assert mend.sources is not None
    assert isinstance(mend.sources[0], PairsSource)
    facts, *_ = looked_at(*mend.sources)
    assert facts.pairs is not None
    assert facts.pairs.n_pairs == 1


def test_pairs_need_an_encoder_and_an_encoder_pairs() -> None:
    plain = replace(CONFIG, model=ModelConfig())
    *_, found = looked_at(TaskSource("reverse", 1, 100), config=plain)
    assert found["sides"].severity == "error"
    assert found["sides"].mends[0].preset == "transformer-2017"
    text = PastedSource("the cat sat on the mat. " * 100)
    *_, found = looked_at(text)
    assert found["sides"].severity == "error"
    assert found["sides"].mends[0].preset == "tiny"


def test_pairs_and_running_text_are_not_learned_together(pairs_file) -> None:
    pairs, text = TaskSource("reverse", 1, 100), PastedSource("the cat sat.")
    *_, found = looked_at(pairs, text)
    keep_pairs, keep_text = found["mixed"].mends
    assert (keep_pairs.sources, keep_text.sources) == ((pairs,), (text,))


def test_long_pairs_are_counted_and_a_context_is_proposed(pairs_file) -> None:
    source = pairs_file("ab\tcd\n" + "x" * 30 + "\ty\nab\t" + "z" * 12 + "\n")
    *_, found = looked_at(source)
    assert found["too_long"].what == (
        "2 of 3 pairs are longer than n_ctx = 12 and left out; the longest side has "
        "30 tokens."
    )
    assert found["too_long"].mends[0].fields == {"model.n_ctx": 30}
    wide = replace(CONFIG, model=ModelConfig(**{**PAIRS_MODEL, "n_ctx": 30}))
    *_, found = looked_at(source, config=wide)
    assert "too_long" not in found


def test_a_tokenizer_without_ends_is_refused_at_once() -> None:
    config = replace(
        CONFIG,
        tokenizer=TokenizerConfig(file="resources/models/default/tokenizer.json"),
    )
    *_, found = looked_at(TaskSource("reverse", 1, 100), config=config)
    assert found["lacks_ends"].severity == "error"
    assert found["lacks_ends"].mends[0].fields["tokenizer.kind"] == "characters"


def test_letters_that_a_tokenizer_lacks_are_told(tmp_path: Path, pairs_file) -> None:
    from core.tokenizers.folder import save_tokenizer
    from core.training.pairs.corpus import pair_characters

    save_tokenizer(pair_characters(["abc"]), tmp_path)
    config = replace(CONFIG, tokenizer=TokenizerConfig(file="tokenizer.json"))
    facts = read_facts([pairs_file("ab\tcd\n")])
    tokens = measure_tokens(facts, config.tokenizer, tmp_path)
    found = {each.kind: each for each in examine(facts, tokens, config)}
    assert found["unknown"].what == "The tokenizer has no token for d."


def test_sources_with_several_targets_are_told(pairs_file) -> None:
    *_, found = looked_at(pairs_file("a\tb\na\tc\nd\te\nd\te\nf\tg\n"))
    assert found["unsure"].what == "1 source comes with different targets."


def test_a_split_that_leaves_a_side_empty_is_refused(pairs_file) -> None:
    *_, found = looked_at(pairs_file("ab\tc\nab\td\n"))
    assert found["validation_empty"].severity == "error"
    none_kept = replace(CONFIG, data=replace(CONFIG.data, valid_share=0.0))
    *_, found = looked_at(pairs_file("ab\tc\nab\td\n"), config=none_kept)
    assert found["no_validation"].severity == "note"


def test_the_parts_of_pairs_follow_their_sources() -> None:
    facts = read_facts([TaskSource("reverse", 1, 1000)])
    tokens = measure_tokens(facts, CHARACTERS, Path())
    n_train, n_valid = parts(facts, tokens, CONFIG)
    assert n_train + n_valid == tokens.n_tokens
    assert n_valid == pytest.approx(0.1 * tokens.n_tokens, rel=0.02)


def test_passes_over_pairs_count_the_tokens_that_pairs_have() -> None:
    many = replace(CONFIG, training=TrainingConfig(n_steps=5000, batch_size=10))
    *_, found = looked_at(TaskSource("reverse", 1, 500), config=many)
    assert "read the training part 111 times over" in found["epochs"].what


def test_a_file_of_pairs_is_a_file_and_is_not_a_text(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    assert isinstance(PairsSource(path), FileSource)
    assert PairsSource(path) != FileSource(path)
    assert replace(PairsSource(path), reading=replace(PairsSource(path).reading)) == (
        PairsSource(path)
    )


@pytest.mark.parametrize("kind", ["bpe", "characters"])
def test_a_doctor_counts_what_the_run_will_count(
    kind: str, tmp_path: Path, make_run: Callable[..., Path]
) -> None:
    from core.training.config import read_config
    from core.training.start import run_texts, run_tokenizer

    asked = TokenizerConfig(kind=kind, n_vocab=280)
    source = TaskSource("numbers", 1, 200)
    facts = read_facts([source])
    tokens = measure_tokens(facts, asked, Path())
    run = make_run(
        text="".join(text_blocks([source])),
        tokenizer={"kind": kind, "n_vocab": 280},
        model={"n_ctx": 70},
        data={"valid_share": 0.0},
    )
    config = read_config(run)
    tokenizer = run_tokenizer(run, config)
    texts = run_texts(run, config, tokenizer)
    assert (tokens.n_vocab, tokens.n_tokens) == (
        tokenizer.n_vocab,
        texts.train.n_tokens,
    )
