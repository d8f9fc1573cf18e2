import dataclasses
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from core.checkpoints.native import read_model
from core.errors import CheckpointError, TraceError
from core.model.transformer import Transformer
from core.pipeline import run_trace
from core.tokenizers.bpe import BpeTokenizer
from core.training.checkpoint import checkpoints
from core.training.config import WatchConfig
from core.training.events import Event, HeadsScored, Probed, Sampled, Stepped
from core.training.probes import (
    probe,
    sample,
    score_heads,
    write_patterns,
)
from tests.helpers.bundles import random_model, tiny_bundle, tiny_tokenizer
from tests.helpers.runs import carry_out

MakeRun = Callable[..., Path]
WATCH = WatchConfig(sentence="the cat sat on", prompt="the cat", n_sample_tokens=6)


def tiny_model(**fields: int) -> Transformer:
    return random_model(tiny_bundle(**fields).config).train()


def probed(model: Transformer, sentence: str = WATCH.sentence) -> Probed:
    watch = dataclasses.replace(WATCH, sentence=sentence)
    found = probe(7, model, tiny_tokenizer(), watch)
    assert found is not None
    return found[0]


def test_the_patterns_kept_are_those_of_a_trace(tmp_path: Path) -> None:
    found = probe(7, tiny_model(), tiny_tokenizer(), WATCH)
    assert found is not None
    event, read = found
    assert event.file == "probes/step-00000007.npy"
    write_patterns(tmp_path / event.file, read)
    patterns = np.load(tmp_path / event.file)
    trace = run_trace(tiny_bundle(), WATCH.sentence)
    n = len(event.tokens)
    assert patterns.dtype == np.float16
    assert patterns.shape == (2, 2, n, n)
    for layer in range(2):
        pattern = trace[f"layers.{layer}.attn.pattern"]
        assert patterns[layer] == pytest.approx(pattern, abs=1e-3)
    assert event.tokens == [piece.label for piece in trace.encoding.pieces]


def test_the_likeliest_tokens_are_told_with_their_chances() -> None:
    event = probed(tiny_model())
    logits = run_trace(tiny_bundle(), WATCH.sentence)["output.logits"][-1]
    probs = np.exp(logits - logits.max()) / np.exp(logits - logits.max()).sum()
    order = np.argsort(-probs)[:5]
    assert event.top == [tiny_tokenizer().label(int(i)) for i in order]
    assert event.probabilities == pytest.approx(probs[order].tolist(), rel=1e-4)


@pytest.mark.parametrize(("n_ctx", "n_read"), [(32, 32), (64, 48)])
def test_a_long_sentence_is_cut_to_what_the_model_reads(
    n_ctx: int, n_read: int
) -> None:
    event = probed(tiny_model(n_ctx=n_ctx), "the cat sat " * 50)
    assert len(event.tokens) == n_read


def test_without_a_sentence_nothing_is_probed() -> None:
    watch = dataclasses.replace(WATCH, sentence="")
    assert probe(0, tiny_model(), tiny_tokenizer(), watch) is None


def test_a_head_that_looks_back_by_one_scores_one() -> None:
    """With no content in q and k, and rows that point back, the pattern is known."""
    model = tiny_model(n_layers=1, n_heads=1)
    patterns = {}

    def look(query: int, key: int) -> None:
        patterns[query] = key

    n = 16
    for query in range(2 * n):
        look(query, max(0, query - 1))
    event = scored_with(model, patterns)
    assert event.previous == [[1.0]]
    assert event.induction == [[0.0]]
    for query in range(n, 2 * n):
        look(query, query - n + 1)
    event = scored_with(model, patterns)
    assert event.previous == [[0.0]]
    assert event.induction == [[1.0]]


def scored_with(model: Transformer, looks: dict[int, int]) -> HeadsScored:
    """Score a head that looks from each query at one key."""
    rows = torch.zeros(1, 1, len(looks), len(looks))
    for query, key in looks.items():
        rows[0, 0, query, key] = 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "core.model.functions.softmax", lambda x: rows[..., : x.shape[-1]]
        )
        event = score_heads(7, model)
    assert event is not None
    return event


def test_scores_are_shares_for_every_head() -> None:
    event = score_heads(7, tiny_model())
    assert event is not None
    scores = np.array([event.previous, event.induction])
    assert scores.shape == (2, 2, 2)
    assert ((scores > 0) & (scores < 1)).all()


@pytest.mark.parametrize(("n_ctx", "is_scored"), [(1, False), (3, False), (4, True)])
def test_a_window_too_short_to_tell_twice_is_not_scored(
    n_ctx: int, is_scored: bool
) -> None:
    assert (score_heads(0, tiny_model(n_ctx=n_ctx)) is not None) == is_scored


def test_a_sample_is_seeded_by_its_step() -> None:
    model, tokenizer = tiny_model(), tiny_tokenizer()
    first, again, other = (sample(s, model, tokenizer, WATCH) for s in (3, 3, 4))
    assert first == again
    assert first is not None
    assert other is not None
    assert first.text != other.text
    assert (first.step, first.prompt) == (3, "the cat")
    assert model.training


def test_a_sample_stops_at_the_end_of_a_text_without_writing_it() -> None:
    model, tokenizer = tiny_model(), tiny_tokenizer()
    (end,) = tokenizer.specials.values()
    with torch.no_grad():
        model.embed.W_E[end] = 1e3 * model.embed.W_E[end]
        model.output.norm.gamma.fill_(1e-3)  # type: ignore[union-attr, operator]
        model.output.norm.beta.copy_(model.embed.W_E[end])  # type: ignore[union-attr]
    event = sample(1, model, tokenizer, WATCH)
    assert event is not None
    assert event.text == ""


def test_a_sample_of_broken_characters_has_no_replacement_mark() -> None:
    samples = [sample(step, tiny_model(), tiny_tokenizer(), WATCH) for step in range(8)]
    texts = "".join(each.text for each in samples if each is not None)
    assert "⟨" in texts  # an untrained model writes bytes above 127
    assert "\ufffd" not in texts


def test_without_a_prompt_a_text_begins_after_the_end_of_another() -> None:
    watch = dataclasses.replace(WATCH, prompt="")
    event = sample(1, tiny_model(), tiny_tokenizer(), watch)
    assert event is not None
    assert len(event.text) > 0
    bare = BpeTokenizer.from_merges([(b"t", b"h")])
    assert bare.specials == {}
    assert sample(1, tiny_model(), bare, watch) is None


def test_a_model_without_numbers_is_refused() -> None:
    model = tiny_model()
    with torch.no_grad():
        model.embed.W_E.fill_(torch.nan)
    with pytest.raises(TraceError):
        probe(0, model, tiny_tokenizer(), WATCH)
    with pytest.raises(TraceError):
        score_heads(0, model)
    with pytest.raises(TraceError):
        sample(0, model, tiny_tokenizer(), WATCH)
    assert model.training


def test_patterns_are_not_written_into_a_folder_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="could not be written"):
        write_patterns(tmp_path / "gone" / "probes" / "a.npy", np.zeros((1, 1, 1, 1)))


def shown(events: list[Event]) -> list[tuple[str, int]]:
    return [
        (type(event).__name__, event.step)
        for event in events
        if isinstance(event, Probed | HeadsScored | Sampled)
    ]


def test_a_run_shows_itself_at_the_start_in_turn_and_at_the_end(
    make_run: MakeRun,
) -> None:
    watch = {"probe_every": 2, "sample_every": 3, "n_sample_tokens": 2}
    events = carry_out(make_run(n_steps=5, watch=watch))
    expected = {step: ["Probed", "HeadsScored"] for step in (0, 2, 4, 5)}
    for step in (0, 3, 5):
        expected[step] = [*expected.get(step, []), "Sampled"]
    assert shown(events) == [
        (kind, step) for step in sorted(expected) for kind in expected[step]
    ]


def test_looking_inside_changes_no_number_of_the_run(make_run: MakeRun) -> None:
    """Also not with dropout, nor by the generators that a checkpoint keeps."""
    looks = {"probe_every": 1, "sample_every": 1, "n_sample_tokens": 4}
    losses, weights, states = [], [], []
    for name, watch in (("blind", {}), ("watched", looks)):
        folder = make_run(name=name, n_steps=8, model={"dropout": 0.2}, watch=watch)
        events = carry_out(folder)
        losses.append([e.loss for e in events if isinstance(e, Stepped)])
        newest = checkpoints(folder)[-1]
        weights.append(read_model(newest).weights)
        states.append((newest / "training.safetensors").read_bytes())
    assert losses[0] == losses[1]
    assert len(losses[0]) == 8
    assert states[0] == states[1]
    for address, weight in weights[0].items():
        assert torch.equal(weight, weights[1][address]), address
