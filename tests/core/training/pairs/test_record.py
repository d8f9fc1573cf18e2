"""What stays of a run on pairs: its curves, its card, its published model."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from core.bundle import open_bundle
from core.training.checkpoint import checkpoints
from core.training.compare import along, curves_of
from core.training.events import Evaluated, Sampled, Started, read_events
from core.training.publish import publish
from tests.helpers.runs import carry_out


@pytest.fixture
def run(make_run: Callable[..., Path]) -> Path:
    made = make_run(n_steps=4, evaluate_every=2, watch={"sample_every": 4})
    carry_out(made)
    return made


def test_the_curves_have_the_share_of_right_answers_and_the_tokens_of_a_step(
    run: Path,
) -> None:
    events = list(read_events(run))
    curves = curves_of(events)
    tested = [e for e in events if isinstance(e, Evaluated)]
    started = next(e for e in events if isinstance(e, Started))
    assert curves.share_right.tolist() == [e.share_right for e in tested]
    assert curves.tokens_per_step == started.tokens_per_step > 0
    tokens = along(curves, np.array([3.0]), "tokens", curves.tokens_per_step)
    assert tokens.tolist() == [3 * started.tokens_per_step]


def test_a_published_model_has_a_card_with_its_answers(
    run: Path, tmp_path: Path
) -> None:
    publish(run, tmp_path / "model", "Reversed")
    card = (tmp_path / "model" / "README.md").read_text(encoding="utf-8")
    assert "A transformer of an encoder and a decoder, with " in card
    assert "answers wholly right, at the end" in card
    assert "in which it read about " in card
    last = [e for e in read_events(run) if isinstance(e, Sampled)][-1]
    assert f"| `{last.prompt}` | `{last.text}`" in card or not last.text
    bundle = open_bundle(tmp_path / "model", device="cpu")
    assert bundle.config.has_encoder
    assert bundle.end_ids == (bundle.tokenizer.specials["<end>"],)


def test_a_checkpoint_says_what_ends_an_answer(run: Path) -> None:
    bundle = open_bundle(checkpoints(run)[-1], device="cpu")
    assert bundle.end_ids == (bundle.tokenizer.specials["<end>"],)
