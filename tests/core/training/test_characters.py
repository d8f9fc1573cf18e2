"""Runs on character tokens, from tiny texts to a vocabulary of one (R01 to R16)."""

import math
import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from core.bundle import open_bundle
from core.checkpoints.native import read_model
from core.config import ModelConfig
from core.errors import TokenizerError, TraceError, TrainingError
from core.model.transformer import Transformer
from core.pipeline import run_trace
from core.tokenizers.folder import open_tokenizer, save_tokenizer
from core.tokenizers.simple import CharacterTokenizer, learn_characters
from core.training.branch import branch
from core.training.checkpoint import checkpoints
from core.training.config import TokenizerConfig, read_config
from core.training.doctor import examine
from core.training.events import (
    Evaluated,
    Event,
    Probed,
    Sampled,
    Started,
    Stepped,
    Warned,
)
from core.training.facts import measure_tokens, read_facts
from core.training.findings import Finding
from core.training.sources import FileSource, PastedSource, Source
from core.training.start import run_texts, run_tokenizer
from tests.helpers.runs import carry_out, write_run

MakeRun = Callable[..., Path]
CHARACTERS = {"kind": "characters"}
LOOKING = {"probe_every": 2, "sample_every": 2, "n_sample_tokens": 3}


def made_of(events: list[Event], kind: type) -> list:
    return [event for event in events if isinstance(event, kind)]


def started(events: list[Event]) -> Started:
    return made_of(events, Started)[0]


@pytest.mark.parametrize(("n_characters", "n_windows"), [(65, 1), (66, 2)])
def test_a_text_gives_exactly_the_windows_it_has(
    make_run: MakeRun, n_characters: int, n_windows: int
) -> None:
    folder = make_run(
        text=("abcd" * 20)[:n_characters],
        model={"n_ctx": 64},
        data={"valid_share": 0.0},
        tokenizer=CHARACTERS,
        n_steps=1,
    )
    config = read_config(folder)
    texts = run_texts(folder, config, run_tokenizer(folder, config))
    assert (len(texts.train), texts.valid) == (n_windows, None)
    assert started(carry_out(folder)).n_train_tokens == n_characters


def test_a_text_of_64_characters_has_no_window_of_64(make_run: MakeRun) -> None:
    folder = make_run(
        text="abcd" * 16,
        model={"n_ctx": 64},
        data={"valid_share": 0.0},
        tokenizer=CHARACTERS,
    )
    with pytest.raises(TrainingError, match=r"has 64 tokens.* n_ctx = 64 needs 65"):
        carry_out(folder)


@pytest.fixture(scope="module")
def one_letter(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Path, list[Event]]:
    folder = write_run(
        tmp_path_factory.mktemp("letter") / "run",
        text="a" * 1000,
        model={"n_ctx": 16},
        tokenizer=CHARACTERS,
        watch=LOOKING,
        evaluate_every=2,
        n_steps=4,
    )
    return folder, carry_out(folder)


def test_a_vocabulary_of_one_is_known_from_the_start(
    one_letter: tuple[Path, list[Event]],
) -> None:
    _, events = one_letter
    assert started(events).n_vocab == 1
    tests = made_of(events, Evaluated)
    assert [tested.step for tested in tests] == [0, 2, 4]
    for tested in tests:
        assert f"{tested.train_loss:.4f}" == f"{tested.valid_loss:.4f}" == "0.0000"
        assert math.exp(tested.valid_loss) == 1.0
    assert {event.loss for event in made_of(events, Stepped)} == {0.0}
    assert made_of(events, Warned) == []


def test_a_vocabulary_of_one_has_one_choice(
    one_letter: tuple[Path, list[Event]],
) -> None:
    folder, events = one_letter
    sampled = made_of(events, Sampled)
    assert {(each.prompt, each.text) for each in sampled} == {("a", "aaa")}
    probed = made_of(events, Probed)[-1]
    assert (probed.top, probed.probabilities) == (["a"], [1.0])
    assert set(probed.tokens) == {"a"}
    trace = run_trace(open_bundle(checkpoints(folder)[-1]), "aaa")
    assert trace["output.probs"].tolist() == [[1.0]] * 3


@pytest.mark.parametrize(("line_end", "n_vocab"), [("\n", 3), ("\r\n", 3)])
def test_line_ends_of_windows_are_read_as_newlines(
    tmp_path: Path, line_end: str, n_vocab: int
) -> None:
    path = tmp_path / "text.txt"
    path.write_bytes(f"ab{line_end}ab{line_end}".encode())
    facts = read_facts([FileSource(path)])
    tokens = measure_tokens(facts, TokenizerConfig(kind="characters"), tmp_path)
    assert (tokens.n_vocab, tokens.n_tokens) == (n_vocab, 6)


@pytest.mark.parametrize("n_symbols", [65, 257, 97])
def test_a_new_model_knows_nothing_of_its_symbols(
    make_run: MakeRun, n_symbols: int
) -> None:
    draws = random.Random(n_symbols)
    symbols = [chr(0x100 + place) for place in range(n_symbols)]
    folder = make_run(
        text="".join(symbols + draws.choices(symbols, k=2000)),
        model={"n_ctx": 16, "d_model": 32},
        tokenizer=CHARACTERS,
        n_steps=1,
        n_evaluation_batches=8,
    )
    tested = made_of(carry_out(folder), Evaluated)[0]
    assert tested.step == 0
    assert tested.train_loss == pytest.approx(math.log(n_symbols), abs=0.3)


def test_random_letters_cannot_be_foretold(make_run: MakeRun) -> None:
    draws = random.Random(0)
    folder = make_run(
        text="".join(draws.choices("abcdefgh", k=5000)),
        model={"n_ctx": 16, "d_model": 16},
        tokenizer=CHARACTERS,
        n_steps=300,
        batch_size=8,
        log_every=100,
        n_evaluation_batches=10,
        learning_rate=3e-3,
    )
    events = carry_out(folder)
    assert started(events).n_vocab == 8
    assert made_of(events, Evaluated)[-1].valid_loss > math.log(8) - 0.05


def test_a_run_on_characters_goes_on_as_if_it_had_not_stopped(
    make_run: MakeRun,
) -> None:
    folder = make_run(tokenizer=CHARACTERS, checkpoint_every=3)
    whole = carry_out(folder)
    shutil.rmtree(checkpoints(folder)[-1])
    again = carry_out(folder)[len(whole) :]
    losses, later = (
        {event.step: event.loss for event in made_of(run, Stepped)}
        for run in (whole, again)
    )
    assert list(later) == [4, 5, 6]
    assert later == {step: losses[step] for step in later}


def test_a_branch_keeps_the_characters(make_run: MakeRun, tmp_path: Path) -> None:
    folder = make_run(tokenizer=CHARACTERS)
    carry_out(folder)
    fork = branch(folder, 6, tmp_path / "fork", {"training": {"n_steps": 2}})
    carry_out(fork)
    models = [read_model(checkpoints(run)[-1]) for run in (folder, fork)]
    one, other = (model.tokenizer for model in models)
    assert isinstance(other, CharacterTokenizer)
    assert one.fingerprint == other.fingerprint
    assert read_config(fork).tokenizer.n_vocab == one.n_vocab


def test_another_kind_of_tokenizer_is_learned_anew(make_run: MakeRun) -> None:
    folder = make_run(tokenizer=CHARACTERS)
    first = run_tokenizer(folder, read_config(folder))
    assert isinstance(first, CharacterTokenizer)
    path = folder / "config.toml"
    path.write_text(path.read_text().replace('kind = "characters"', 'kind = "bpe"'))
    assert run_tokenizer(folder, read_config(folder)).n_vocab == 257


def test_characters_of_the_validation_text_are_known(make_run: MakeRun) -> None:
    folder = make_run(text="ab" * 40, data={"valid": ["v.txt"]}, tokenizer=CHARACTERS)
    (folder / "v.txt").write_text("abc" * 20)
    tokenizer = run_tokenizer(folder, read_config(folder))
    assert b"c" in tokenizer.vocabulary


def test_a_text_that_the_tokenizer_does_not_know_is_refused(make_run: MakeRun) -> None:
    folder = make_run(text="abcd" * 40, tokenizer={"file": "tokenizer.json"})
    save_tokenizer(learn_characters(["abc"]), folder)
    with pytest.raises(TokenizerError, match="does not know: d; take it"):
        carry_out(folder)


def test_a_prompt_of_unknown_characters_begins_with_the_first_token(
    make_run: MakeRun,
) -> None:
    folder = make_run(
        text="xyz" * 40, tokenizer=CHARACTERS, watch={**LOOKING, "prompt": "??"}
    )
    assert {each.prompt for each in made_of(carry_out(folder), Sampled)} == {"x"}


def test_a_sentence_with_unknown_characters_is_not_traced(make_run: MakeRun) -> None:
    folder = make_run(text="abc" * 40, tokenizer=CHARACTERS)
    carry_out(folder)
    bundle = open_bundle(checkpoints(folder)[-1])
    assert isinstance(open_tokenizer(folder), CharacterTokenizer)
    with pytest.raises(TraceError, match=r"not in this model's 3 characters: d \?;"):
        run_trace(bundle, "abd?")


# What the doctor says of it.


def said(
    source: Source, tokenizer: TokenizerConfig, folder: Path
) -> dict[str, Finding]:
    facts = read_facts([source])
    tokens = measure_tokens(facts, tokenizer, folder)
    config = replace(read_config(folder), tokenizer=tokenizer)
    return {each.kind: each for each in examine(facts, tokens, config)}


def test_of_one_letter_there_is_nothing_to_learn(make_run: MakeRun) -> None:
    config = TokenizerConfig(kind="characters")
    found = said(PastedSource("a" * 1000), config, make_run())
    assert "nothing to learn: the vocabulary is 1" in found["one_character"].meaning
    assert "vocabulary" not in found


def test_unknown_characters_stand_in_the_way_of_a_start(make_run: MakeRun) -> None:
    folder = make_run()
    save_tokenizer(learn_characters(["abc"]), folder)
    config = TokenizerConfig(file="tokenizer.json", n_vocab=3)
    found = said(PastedSource("abcd?" * 40), config, folder)["unknown"]
    assert found.severity == "error"
    assert found.what == "The tokenizer has no token for d ?."
    assert found.mends[0].fields == {
        "tokenizer.kind": "characters",
        "tokenizer.file": "",
    }


def test_a_model_of_one_symbol_has_a_loss_of_zero() -> None:
    model = Transformer(ModelConfig(n_vocab=1, n_ctx=4, d_model=8, n_heads=2))
    logits = model(torch.zeros(1, 4, dtype=torch.long))
    loss = torch.nn.functional.cross_entropy(logits[0], torch.zeros(4).long())
    assert loss.item() == 0.0
