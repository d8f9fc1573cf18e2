import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor

from core.config import ModelConfig
from core.errors import ConfigError
from core.model.transformer import Transformer
from core.training.config import TrainingConfig
from core.training.corpus import Windows, windows_of
from core.training.distributed import Processes
from core.training.trainer import Trainer, adamw

MODEL = ModelConfig(n_vocab=16, n_ctx=8, d_model=8, n_heads=2, n_layers=2)
CONFIG = TrainingConfig(n_steps=1000, batch_size=4, learning_rate=0.01, seed=3)
CPU = torch.device("cpu")


def random_text(n_vocab: int = 16, n: int = 300) -> Windows:
    ids = np.random.default_rng(1).integers(0, n_vocab, n)
    return windows_of(ids, MODEL.n_ctx, "")


@pytest.mark.parametrize(("n_vocab", "loss"), [(65, 4.17), (257, 5.55), (97, 4.57)])
def test_a_new_model_guesses(n_vocab: int, loss: float) -> None:
    model = ModelConfig(n_vocab=n_vocab, n_ctx=8, d_model=32, n_heads=2, n_layers=2)
    first = Trainer(CONFIG, model, CPU).evaluate(random_text(n_vocab))
    assert first == pytest.approx(loss, abs=0.3)
    assert loss == pytest.approx(math.log(n_vocab), abs=0.005)


def test_the_loss_is_the_cross_entropy_of_the_next_token() -> None:
    trainer = Trainer(CONFIG, MODEL, CPU)
    windows = windows_of(np.arange(9), 8, "")
    logits = trainer.model(torch.arange(8)).detach().double()
    shares = logits.exp() / logits.exp().sum(-1, keepdim=True)
    by_hand = [-math.log(shares[place, place + 1]) for place in range(8)]
    assert trainer.evaluate(windows) == pytest.approx(sum(by_hand) / 8, abs=1e-6)


def test_the_same_seed_makes_the_same_steps() -> None:
    one, two = Trainer(CONFIG, MODEL, CPU), None
    losses = [one.advance(random_text())[0].item() for _ in range(3)]
    two = Trainer(CONFIG, MODEL, CPU)
    assert [two.advance(random_text())[0].item() for _ in range(3)] == losses


def test_an_evaluation_changes_nothing() -> None:
    plain, watched = (Trainer(CONFIG, MODEL, CPU) for _ in "ab")
    for _ in range(3):
        watched.evaluate(random_text())
        expected = plain.advance(random_text())
        assert watched.advance(random_text()) == expected


def test_steps_make_a_repeated_text_likely() -> None:
    trainer = Trainer(CONFIG, MODEL, CPU)
    windows = windows_of(np.tile(np.arange(16), 8), MODEL.n_ctx, "")
    for _ in range(150):
        trainer.advance(windows)
    assert trainer.evaluate(windows) < 0.5


def test_random_letters_cannot_be_foretold() -> None:
    trainer = Trainer(CONFIG, MODEL, CPU)
    learned, unseen = random_text(8, 4000), random_text(8, 8000)
    for _ in range(150):
        trainer.advance(learned)
    rest = Windows(unseen.rows[4000:])
    assert trainer.evaluate(rest) > math.log(8) - 0.03


def test_only_matrices_and_tables_decay() -> None:
    model = Trainer(CONFIG, MODEL, CPU).model
    decayed, free = adamw(model, CONFIG).param_groups
    assert (decayed["weight_decay"], free["weight_decay"]) == (0.1, 0.0)
    names = {weight: address for address, weight in model.weights().items()}
    plain = {names[weight].rpartition(".")[2][0] for weight in free["params"]}
    matrices = {names[weight].rpartition(".")[2][0] for weight in decayed["params"]}
    assert (matrices, plain) == ({"W", "b"}, {"g", "b"})
    assert len(decayed["params"]) + len(free["params"]) == len(names)


def test_a_long_gradient_is_cut_to_the_clip() -> None:
    config = TrainingConfig(n_steps=10, batch_size=4, clip=0.01)
    trainer = Trainer(config, MODEL, CPU)
    _, norm = trainer.advance(random_text())
    gradients = [weight.grad for weight in trainer.model.weights().values()]
    left = [grad.norm() for grad in gradients if grad is not None]
    assert norm > 0.01
    assert torch.stack(left).norm() == pytest.approx(0.01, rel=1e-3)


def test_a_weight_that_is_not_finite_is_noticed() -> None:
    trainer = Trainer(CONFIG, MODEL, CPU)
    assert trainer.is_sound()
    with torch.no_grad():
        trainer.model.embed.W_E[3, 2] = math.inf
    assert not trainer.is_sound()


@pytest.mark.parametrize("n_parts", [2, 3, 4, 9])
def test_a_batch_read_in_parts_makes_the_same_step(n_parts: int) -> None:
    whole = Trainer(CONFIG, MODEL, CPU)
    parted = Trainer(replace(CONFIG, n_parts=n_parts), MODEL, CPU)
    for _ in range(3):
        loss, norm = whole.advance(random_text())
        parts_loss, parts_norm = parted.advance(random_text())
        assert parts_loss.item() == pytest.approx(loss.item(), abs=1e-6)
        assert parts_norm.item() == pytest.approx(norm.item(), abs=1e-5)


@pytest.mark.parametrize("n_before", [0, 1])
def test_what_is_put_back_goes_on_with_the_same_numbers(n_before: int) -> None:
    model = replace(MODEL, dropout=0.3)
    first = Trainer(CONFIG, model, CPU)
    for _ in range(n_before):
        first.advance(random_text())
    weights = {address: weight.clone() for address, weight in first.weights().items()}
    state = {name: value.clone() for name, value in first.state().items()}
    expected = [first.advance(random_text()) for _ in range(3)]
    again = Trainer(replace(CONFIG, seed=99), model, CPU)
    again.take_up(weights, state, n_before)
    assert [again.advance(random_text()) for _ in range(3)] == expected


def test_a_rehearsal_changes_nothing() -> None:
    model = replace(MODEL, dropout=0.3)
    plain, rehearsed = Trainer(CONFIG, model, CPU), Trainer(CONFIG, model, CPU)
    generator = torch.get_rng_state()
    expected = [plain.advance(random_text()) for _ in range(3)]
    torch.set_rng_state(generator)
    found = []
    for _ in range(3):
        rehearsed.rehearse(random_text())
        found.append(rehearsed.advance(random_text()))
    assert found == expected


def test_a_gradient_that_is_not_finite_changes_no_weight() -> None:
    trainer = Trainer(CONFIG, MODEL, CPU)
    trainer.advance(random_text())
    before = {address: weight.clone() for address, weight in trainer.weights().items()}
    trainer.model.embed.W_E.register_hook(lambda gradient: gradient * math.nan)
    _, norm = trainer.advance(random_text())
    assert not norm.isfinite()
    assert all(weight.equal(before[a]) for a, weight in trainer.weights().items())
    assert trainer.is_sound()


def test_a_batch_smaller_than_the_processes_is_refused() -> None:
    with pytest.raises(ConfigError, match="batch_size = 4 cannot be shared by 5"):
        Trainer(CONFIG, MODEL, CPU, Processes(n=5))


def test_another_process_draws_the_same_weights_but_other_dropout() -> None:
    main = Trainer(CONFIG, MODEL, CPU)
    drawn = torch.rand(4)
    other = Trainer(CONFIG, MODEL, CPU, Processes(rank=1))
    assert all(w.equal(main.weights()[a]) for a, w in other.weights().items())
    assert not torch.rand(4).equal(drawn)


def test_a_compiled_model_is_called_in_training_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[bool] = []

    def compiled(model: Transformer) -> Callable[[Tensor], Tensor]:
        def call(ids: Tensor) -> Tensor:
            calls.append(model.training)
            return model(ids)

        return call

    monkeypatch.setattr(torch, "compile", compiled)
    trainer = Trainer(replace(CONFIG, compile=True), MODEL, CPU)
    trainer.evaluate(random_text())
    trainer.advance(random_text())
    assert calls == [True]
    assert isinstance(trainer.model, Transformer)
