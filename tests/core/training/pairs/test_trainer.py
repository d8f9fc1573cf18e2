"""Learning from pairs: the loss by hand, batches as if alone, and a task learned."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn import functional

from core.bundle import open_bundle
from core.config import ModelConfig
from core.errors import ConfigError
from core.pipeline import run_trace
from core.training.branch import branch
from core.training.checkpoint import checkpoints
from core.training.config import TrainingConfig, read_config
from core.training.events import (
    Evaluated,
    Finished,
    HeadsScored,
    Probed,
    Sampled,
    Started,
    Stepped,
)
from core.training.pairs.answers import answers, share_right
from core.training.pairs.corpus import split_pairs
from core.training.pairs.tasks import task_blocks
from core.training.schedule import learning_rate
from core.training.trainer import Trainer
from tests.core.training.pairs.test_corpus import END, START, pairs_from, words
from tests.helpers.bundles import random_model
from tests.helpers.runs import PAIRS_MODEL, carry_out

CPU = torch.device("cpu")
MODEL = ModelConfig(**PAIRS_MODEL, n_vocab=28, start_id=START)
CONFIG = TrainingConfig(batch_size=8, learning_rate=3e-3, n_threads=1)


def trainer(model: ModelConfig = MODEL, **fields: object) -> Trainer:
    return Trainer(replace(CONFIG, **fields), model, CPU)


def test_the_loss_of_a_padded_batch_by_hand() -> None:
    """The mean of -log p over the 2 + 4 tokens that are said, each pair read alone."""
    pairs, made = pairs_from("ab\tc\nd\tefg\n"), trainer()
    both = torch.tensor([0, 1])
    model, surprises = made.model.eval(), []
    with torch.no_grad():
        for source, read, said in (
            ([0, 1], [START, 2], [2, END]),
            ([3], [START, 4, 5, 6], [4, 5, 6, END]),
        ):
            logits = model(torch.tensor([read]), source=torch.tensor([source]))
            surprises += (-logits[0].log_softmax(-1)[range(len(said)), said]).tolist()
        loss = float(made._loss(model, pairs.batch(both)))
    assert loss == pytest.approx(np.mean(surprises), rel=1e-5)
    assert made.evaluate(pairs) == pytest.approx(np.mean(surprises), rel=1e-5)


def test_the_loss_is_that_of_torch_with_padding_left_out() -> None:
    made = trainer()
    batch = words().batch(torch.arange(8))
    with torch.no_grad():
        logits = made.model(batch.read, **batch.given)
        theirs = functional.cross_entropy(
            logits.transpose(1, 2), batch.following, ignore_index=-100
        )
        smooth = functional.cross_entropy(
            logits.transpose(1, 2),
            batch.following,
            ignore_index=-100,
            label_smoothing=0.1,
        )
        assert made._loss(made.model, batch).item() == pytest.approx(theirs.item())
        assert made._loss(made.model, batch, 0.1).item() == pytest.approx(smooth.item())


@pytest.mark.parametrize("n_parts", [2, 3, 8])
def test_parts_of_a_batch_give_the_gradient_of_the_whole(n_parts: int) -> None:
    pairs, places = words(), torch.arange(8) * 7
    whole, parted = trainer(), trainer(n_parts=n_parts)
    losses = [made._descend(pairs, places) for made in (whole, parted)]
    assert losses[0].item() == pytest.approx(losses[1].item(), rel=1e-5)
    for one, other in zip(
        whole.model.parameters(), parted.model.parameters(), strict=True
    ):
        assert one.grad is not None
        torch.testing.assert_close(one.grad, other.grad, rtol=1e-4, atol=1e-6)


def test_tests_are_not_smoothed() -> None:
    pairs = words()
    assert trainer(label_smoothing=0.3).evaluate(pairs) == trainer().evaluate(pairs)


def test_answers_side_by_side_are_those_that_each_source_gets_alone() -> None:
    model, pairs = random_model(MODEL), words(200)
    sources = [pairs.source(i) for i in range(40)]
    for end in (3, 11, END):
        together = answers(model, sources, end, 9)
        assert all(end not in answer for answer in together)
        assert together == [answers(model, [each], end, 9)[0] for each in sources]


@pytest.mark.thorough
def test_a_tiny_model_learns_to_turn_words_of_three_letters_round() -> None:
    letters = "abcdefgh"
    lines = (
        f"{a}{b}{c}\t{c}{b}{a}\n" for a in letters for b in letters for c in letters
    )
    train, valid = split_pairs(pairs_from("".join(lines)), 0.2)
    assert valid is not None
    model = replace(MODEL, n_ctx=4, d_model=32, d_head=0, d_ff=0, n_heads=4)
    made = trainer(model, batch_size=64, warmup_steps=50)
    before = share_right(made.model, valid, END)
    for _ in range(400):
        made.advance(train)
    assert before < 0.1
    assert share_right(made.model, valid, END) > 0.95


def test_a_run_on_pairs_tells_of_answers_and_of_cross_attention(
    make_run: Callable[..., Path],
) -> None:
    run = make_run(watch={"sample_every": 3, "probe_every": 3}, evaluate_every=3)
    events = carry_out(run)
    assert isinstance(events[-1], Finished)
    kinds = {type(event) for event in events}
    assert kinds >= {Probed, Sampled, Evaluated}
    assert HeadsScored not in kinds
    started = next(e for e in events if isinstance(e, Started))
    assert started.n_train_tokens / started.tokens_per_step * 2 == pytest.approx(
        sum(1 for _ in lines_kept(run)), abs=1
    )
    sampled = next(e for e in events if isinstance(e, Sampled))
    assert sampled.right == sampled.prompt[::-1]
    tested = [e.share_right for e in events if isinstance(e, Evaluated)]
    assert all(share is not None and 0 <= share <= 1 for share in tested)
    probed = next(e for e in events if isinstance(e, Probed))
    patterns = np.load(run / probed.file)
    assert patterns.shape == (1, 2, len(probed.tokens), len(probed.source))
    assert patterns.astype(np.float32).sum(-1) == pytest.approx(1, abs=1e-2)
    word = "".join(probed.source)
    assert probed.tokens == ["<start>", *word[::-1]]


def lines_kept(run: Path) -> list[str]:
    pairs = sorted(set((run / "text.txt").read_text().splitlines()))
    return pairs[: len(pairs) - round(0.1 * len(pairs))]


def test_the_watched_pair_may_be_written_down(make_run: Callable[..., Path]) -> None:
    run = make_run(watch={"probe_every": 6, "sentence": "abc -> cba"})
    probed = next(e for e in carry_out(run) if isinstance(e, Probed))
    assert (probed.source, probed.tokens) == (list("abc"), ["<start>", *"cba"])


def test_a_run_that_was_stopped_goes_on_with_the_numbers_it_would_have_had(
    make_run: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    fields = {"n_steps": 8, "checkpoint_every": 4, "model": {"dropout": 0.1}}
    whole = [
        e for e in carry_out(make_run("whole", **fields)) if isinstance(e, Stepped)
    ]
    halved = make_run("halved", **fields)
    advance = Trainer.advance

    def dies(self: Trainer, *given: object) -> object:
        if self.step == 6:
            raise KeyboardInterrupt
        return advance(self, *given)

    monkeypatch.setattr(Trainer, "advance", dies)
    with pytest.raises(KeyboardInterrupt):
        carry_out(halved)
    monkeypatch.undo()
    again = [e for e in carry_out(halved) if isinstance(e, Stepped)]
    assert [e.loss for e in again[-4:]] == [e.loss for e in whole[-4:]]
    assert [e.step for e in again[-4:]] == [5, 6, 7, 8]


def test_a_trained_folder_opens_and_walks_source_and_target(
    make_run: Callable[..., Path],
) -> None:
    run = make_run()
    carry_out(run)
    bundle = open_bundle(checkpoints(run)[-1], device="cpu")
    start = bundle.tokenizer.specials["<start>"]
    assert bundle.config.start_id == start
    trace = run_trace(bundle, "abc", target="cb")
    assert trace.ids[0] == start
    assert trace["decoder.layers.0.cross.pattern"].shape == (2, 3, 3)


@pytest.mark.parametrize("kind", ["characters", "bpe"])
def test_either_tokenizer_is_learned_from_both_sides_and_has_ends(
    make_run: Callable[..., Path], kind: str
) -> None:
    text = "".join(task_blocks("numbers", 1, 80))
    run = make_run(
        text=text, tokenizer={"kind": kind, "n_vocab": 300}, model={"n_ctx": 60}
    )
    carry_out(run)
    tokenizer = open_bundle(checkpoints(run)[-1], device="cpu").tokenizer
    assert set(tokenizer.specials) == {"<start>", "<end>"}
    assert not tokenizer.encode("three hundred and four 304").unknown
    assert all(b"\t" not in data or len(data) == 1 for data in tokenizer.vocabulary)


def test_a_run_may_begin_with_the_weights_of_another_one_on_pairs(
    make_run: Callable[..., Path], tmp_path: Path
) -> None:
    run = make_run()
    carry_out(run)
    changes = {"model": read_config(run).model.to_dict(), "training": {"n_steps": 2}}
    del changes["model"]["n_vocab"]
    new = branch(run, 6, tmp_path / "new", changes)
    events = carry_out(new)
    assert isinstance(events[-1], Finished)
    assert len([e for e in events if isinstance(e, Stepped)]) == 2


@pytest.mark.parametrize(
    ("model", "pairs", "said"),
    [
        (
            {"n_encoder_layers": 0},
            True,
            "n_encoder_layers = 0, but pairs have a source",
        ),
        ({}, False, "n_encoder_layers = 1, but running text has no source"),
    ],
)
def test_pairs_and_encoders_are_taught_only_together(
    make_run: Callable[..., Path], model: dict[str, int], pairs: bool, said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        read_config(make_run(model=model, data={"pairs": pairs}))


def test_the_schedule_of_2017_by_its_formula() -> None:
    d_model, warmup = 512, 4000
    config = TrainingConfig(
        schedule="inverse_root",
        warmup_steps=warmup,
        learning_rate=(d_model * warmup) ** -0.5,
        n_steps=100_000,
    )
    for step in (1, 2, 1999, 4000, 4001, 9000, 100_000):
        paper = d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)
        assert learning_rate(step, config) == pytest.approx(paper)
    with pytest.raises(ConfigError, match="one of cosine, inverse_root"):
        TrainingConfig(schedule="stairs")


def test_pairs_are_found_again_in_the_cache(make_run: Callable[..., Path]) -> None:
    run = make_run(n_steps=2)
    first = [e.loss for e in carry_out(run) if isinstance(e, Stepped)]
    (kept,) = run.glob("cache/*.npy")
    assert kept.name.endswith("-pairs_cut.npy")
    changed = kept.stat().st_mtime_ns
    shutil.rmtree(run / "checkpoints")
    again = [e.loss for e in carry_out(run) if isinstance(e, Stepped)]
    assert again == first * 2
    assert kept.stat().st_mtime_ns == changed
