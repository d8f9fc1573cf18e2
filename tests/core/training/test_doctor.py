"""What the doctor says. Cases R01, R03, R04 and R06 of the trial cases among it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.config import ModelConfig
from core.errors import TrainingError
from core.training import facts as facts_module
from core.training.config import (
    DataConfig,
    RunConfig,
    TokenizerConfig,
    TrainingConfig,
)
from core.training.doctor import examine, parts
from core.training.facts import TextFacts, TokenFacts, measure_tokens, read_facts
from core.training.findings import Finding
from core.training.reading import Reading
from core.training.sources import (
    FileSource,
    FolderSource,
    PastedSource,
    Source,
    StorySource,
    write_sources,
)
from core.training.start import run_texts, run_tokenizer
from core.training.stories import story_text

N_BYTES = 257
"""Vocabulary without merges: one token for each ASCII character."""
DOCUMENTS = [f"Document {n} tells of the garden number {n * n}." for n in range(40)]


def config_of(
    n_ctx: int = 8, share: float = 0.1, n_vocab: int = N_BYTES, **training: Any
) -> RunConfig:
    return RunConfig(
        model=ModelConfig(n_vocab=n_vocab, n_ctx=n_ctx, d_model=8, n_heads=2),
        data=DataConfig(train=("train.txt",), valid_share=share),
        tokenizer=TokenizerConfig(n_vocab=n_vocab),
        training=TrainingConfig(
            **{"n_steps": 1, "batch_size": 1, "device": "cpu", **training}
        ),
    )


def looked_at(
    *sources: Source, n_vocab: int = N_BYTES
) -> tuple[TextFacts, TokenFacts | None]:
    facts = read_facts(sources)
    if not facts.n_characters:
        return facts, None
    return facts, measure_tokens(facts, TokenizerConfig(n_vocab=n_vocab), Path())


def said(source: Source | str, config: RunConfig) -> dict[str, Finding]:
    source = PastedSource(source) if isinstance(source, str) else source
    facts, tokens = looked_at(source, n_vocab=config.tokenizer.n_vocab)
    return {finding.kind: finding for finding in examine(facts, tokens, config)}


# --- facts


def test_a_text_is_counted_in_every_way() -> None:
    facts, tokens = looked_at(PastedSource("the café\nthe 🙂 \n"))
    assert (facts.n_characters, facts.n_bytes) == (16, 20)
    assert (facts.n_words, facts.n_lines, facts.n_distinct) == (4, 3, 10)
    assert tokens == TokenFacts(n_tokens=20, n_vocab=N_BYTES, is_exact=True)


def test_facts_are_those_of_the_text_that_is_written(tmp_path: Path) -> None:
    source = StorySource(5, 3000)
    facts, tokens = looked_at(source, n_vocab=300)
    written = write_sources([source], tmp_path)
    text = (tmp_path / written.train[0]).read_text(encoding="utf-8")
    assert text == story_text(5, 3000)
    assert facts.n_characters == len(text)
    config = config_of(n_vocab=300)
    run = run_texts(tmp_path, config, run_tokenizer(tmp_path, config))
    assert run.valid is not None
    assert parts(facts, tokens, config) == (run.train.n_tokens, run.valid.n_tokens)


def test_a_long_text_is_projected_from_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "\n\n".join(DOCUMENTS * 50)
    facts, exact = looked_at(PastedSource(text), n_vocab=300)
    monkeypatch.setattr(facts_module, "EXACT_CHARACTERS", 1000)
    monkeypatch.setattr(facts_module, "SAMPLE_CHARACTERS", 1000)
    tokens = measure_tokens(facts, TokenizerConfig(n_vocab=300), Path())
    assert exact is not None
    assert not tokens.is_exact
    assert tokens.n_tokens == pytest.approx(exact.n_tokens, rel=0.05)
    found = examine(facts, tokens, config_of(n_ctx=100_000))
    assert "has about" in found[0].what


def test_whoever_is_told_may_end_the_reading() -> None:
    def stop(_share: float) -> None:
        raise KeyboardInterrupt

    source = PastedSource("text")
    with pytest.raises(KeyboardInterrupt):
        read_facts([source], stop)
    with pytest.raises(KeyboardInterrupt):
        measure_tokens(read_facts([source]), TokenizerConfig(), Path(), stop)


def test_tokens_of_nothing_are_refused() -> None:
    with pytest.raises(TrainingError, match="no text"):
        measure_tokens(read_facts([]), TokenizerConfig(), Path())


# --- R01: too short


def test_64_characters_are_too_few_for_a_context_of_64() -> None:
    found = said("a b" * 21 + "c", config_of(n_ctx=64, share=0.0))
    finding = found["too_short"]
    assert finding.severity == "error"
    assert "has 64 tokens, but one window of n_ctx = 64 needs 65" in finding.what
    assert dict(finding.mends[0].fields) == {"model.n_ctx": 63}


@pytest.mark.parametrize(("n", "n_windows"), [(65, 1), (66, 2)])
def test_one_more_gives_one_window_and_nothing_is_padded(
    tmp_path: Path, n: int, n_windows: int
) -> None:
    source, config = PastedSource(("ab " * 22)[:n]), config_of(n_ctx=64, share=0.0)
    assert "too_short" not in said(source, config)
    write_sources([source], tmp_path)
    texts = run_texts(tmp_path, config, run_tokenizer(tmp_path, config))
    assert len(texts.train) == n_windows


def test_the_counts_are_those_after_the_split() -> None:
    found = said("ab " * 30, config_of(n_ctx=84, share=0.1))
    assert "The training part has 81 tokens" in found["too_short"].what
    mends = [dict(mend.fields) for mend in found["too_short"].mends]
    assert mends == [{"data.valid_share": 0.0}, {"model.n_ctx": 80}]


def test_a_validation_part_shorter_than_a_window_is_found_and_mended() -> None:
    config = config_of(n_ctx=16, share=0.1)
    found = said("ab " * 30, config)
    finding = found["validation_short"]
    assert "has 9 tokens, but one window of n_ctx = 16 needs 17" in finding.what
    larger, shorter, none = (dict(mend.fields) for mend in finding.mends)
    assert larger == {"data.valid_share": 0.19}
    assert shorter == {"model.n_ctx": 8}
    assert none == {"data.valid_share": 0.0}
    assert "validation_short" not in said("ab " * 30, config_of(n_ctx=16, share=0.19))
    assert "validation_short" not in said("ab " * 30, config_of(n_ctx=8))


def test_an_empty_validation_part_is_an_error_and_none_at_all_a_note() -> None:
    assert said("abcd", config_of(n_ctx=1))["validation_empty"].severity == "error"
    assert said("abcd", config_of(n_ctx=1, share=0.0))["no_validation"].severity == (
        "note"
    )


# --- R03: nothing to learn


def test_one_character_gives_nothing_to_learn() -> None:
    found = said("a" * 1000, config_of(n_ctx=16))
    assert "one character only: a, 1,000 times" in found["one_character"].what
    assert "nothing to learn" in found["one_character"].meaning
    assert "one_character" not in said("ab" * 500, config_of(n_ctx=16))


def test_a_text_of_nothing_is_an_error() -> None:
    assert said("", config_of())["empty"].severity == "error"


# --- R04: other encodings

Written = Callable[[str, bytes], FileSource]


@pytest.fixture
def written(tmp_path: Path) -> Written:
    def write(name: str, content: bytes) -> FileSource:
        (tmp_path / name).write_bytes(content)
        return FileSource(tmp_path / name)

    return write


def test_utf_16_is_read_and_named(written: Written) -> None:
    source = written("hi.txt", bytes.fromhex("FFFE680069000A00"))
    facts, _ = looked_at(source)
    assert facts.n_characters == 3
    found = said(source, config_of())
    assert found["encoding_read"].what == "hi.txt is read as UTF-16-LE."


def test_windows_1252_is_offered_and_mends(written: Written) -> None:
    source = written("cafe.txt", bytes.fromhex("636166E9"))
    finding = said(source, config_of())["encoding"]
    assert finding.severity == "error"
    assert "byte 0xE9 at offset 3" in finding.what
    read, replaced = finding.mends
    assert read.label == "Read it as Windows-1252 (Western Europe)"
    assert replaced.label == "Replace 1 bad byte, at offset 3"
    assert read.sources == (replace(source, reading=Reading("cp1252")),)
    assert read.sources is not None
    mended = read_facts(read.sources)
    assert mended.n_bytes == 5
    notes = [each.what for each in examine(mended, None, config_of())]
    assert "cafe.txt is read as Windows-1252 (Western Europe)." in notes
    assert read_facts(replaced.sources or ()).faults == ()


def test_utf_16_without_a_mark_can_only_be_read_as_such(written: Written) -> None:
    source = written("a.txt", "plain words".encode("utf-16-le"))
    finding = said(source, config_of())["encoding"]
    assert [mend.label for mend in finding.mends] == [
        "Read it as UTF-16, low byte first, without a mark"
    ]


def test_many_bad_bytes_are_counted_in_the_offer(written: Written) -> None:
    finding = said(written("a.txt", b"ok \xff\xff ok"), config_of())["encoding"]
    assert finding.mends[1].label == "Replace 2 bad bytes, the first at offset 3"


def test_an_image_is_refused_and_may_be_left_out(written: Written) -> None:
    image, text = written("a.txt", b"\x89PNG\r\n\x1a\n"), PastedSource("some words")
    facts = read_facts([image, text])
    finding = examine(facts, None, config_of())[0]
    assert (finding.kind, finding.severity) == ("binary", "error")
    assert [mend.sources for mend in finding.mends] == [(text,)]


def test_images_in_a_folder_are_left_out_with_a_note(
    written: Written, tmp_path: Path
) -> None:
    written("a.png", b"\x89PNG\r\n\x1a\n")
    written("b.txt", b"some words")
    found = said(FolderSource(tmp_path), config_of())
    assert found["left_out"].what.startswith("1 file in the folder is not text")
    assert not {"binary", "encoding"} & set(found)


# --- R06: line ends


def test_windows_and_unix_line_ends_give_equal_facts_and_tokens(
    written: Written,
) -> None:
    windows = looked_at(written("w.txt", b"ab\r\nab\r\n"))
    unix = looked_at(written("u.txt", b"ab\nab\n"))
    assert windows[0].n_distinct == unix[0].n_distinct == 3
    assert windows[1] == unix[1] == TokenFacts(6, N_BYTES, True)


# --- repeats, vocabulary, epochs


def test_documents_on_both_sides_are_counted_and_both_mends_help() -> None:
    text = "\n\n".join(DOCUMENTS[:36] + DOCUMENTS[:2] + DOCUMENTS[36:38])
    facts, tokens = looked_at(PastedSource(text))
    config = config_of()
    finding = {f.kind: f for f in examine(facts, tokens, config)}["leakage"]
    assert finding.severity == "warning"
    assert finding.what.startswith("2 of the 4 documents")
    assert [mend.split for mend in finding.mends] == ["documents", "unseen"]
    for mend in finding.mends:
        assert mend.split is not None
        mended = examine(facts, tokens, config, split=mend.split)
        assert "leakage" not in {each.kind for each in mended}
        n_train, n_valid = parts(facts, tokens, config, mend.split)
        assert 0 < n_valid < n_train


def test_a_text_without_repeats_leaks_nothing() -> None:
    assert "leakage" not in said("\n\n".join(DOCUMENTS), config_of())


def test_a_vocabulary_that_became_smaller_says_both_sizes() -> None:
    found = said("ab ab ab", config_of(n_vocab=300, n_ctx=1, share=0.0))
    assert "asked 300, got 259" in found["vocabulary"].what
    assert dict(found["vocabulary"].mends[0].fields) == {"tokenizer.n_vocab": 259}


def test_a_tokenizer_file_may_have_any_size() -> None:
    facts, tokens = looked_at(PastedSource("ab ab ab"))
    config = replace(
        config_of(n_vocab=300), tokenizer=TokenizerConfig(file="t.json", n_vocab=300)
    )
    assert "vocabulary" not in {each.kind for each in examine(facts, tokens, config)}


def test_more_epochs_than_are_useful_are_named_and_mended() -> None:
    text = "ab " * 300  # 810 tokens to learn from
    found = said(text, config_of(n_ctx=9, batch_size=9, n_steps=1000))
    assert "1,000 steps read the training part 100 times over" in found["epochs"].what
    assert dict(found["epochs"].mends[0].fields) == {"training.n_steps": 400}
    assert "epochs" not in said(text, config_of(n_ctx=9, batch_size=9, n_steps=400))


def test_the_gravest_comes_first() -> None:
    facts, tokens = looked_at(PastedSource("a" * 20))
    found = examine(facts, tokens, config_of(n_ctx=64, n_steps=9999))
    order = ["error", "warning", "note"]
    places = [order.index(each.severity) for each in found]
    assert places == sorted(places)
    assert found[0].kind == "too_short"
