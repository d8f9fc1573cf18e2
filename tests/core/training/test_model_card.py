from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.checkpoints.native import NativeModel, read_model
from core.training.checkpoint import checkpoints
from core.training.events import Event
from core.training.model_card import Record, Use, card, record_of, write_card
from tests.helpers.bundles import save_tiny
from tests.helpers.run_events import (
    evaluated,
    heads_scored,
    started,
    stepped,
    write_events,
)
from tests.helpers.runs import carry_out


@pytest.fixture
def model(tmp_path: Path) -> NativeModel:
    return read_model(save_tiny(tmp_path / "model"))


def record_with(run: Path, *events: Event) -> Record:
    write_events(run, events)
    save_tiny(run / "checkpoints" / "step-00000020")
    found = record_of(run / "checkpoints" / "step-00000020")
    assert found is not None
    return found


def test_a_card_tells_of_data_steps_losses_and_heads(
    make_run: Callable[..., Path], model: NativeModel
) -> None:
    record = record_with(
        make_run(text="a" * 1234, batch_size=2),
        started(n_vocab=100),
        evaluated(0, 5.0, 6.0),
        evaluated(10, 1.0, 0.5),
        heads_scored(10, 0.75),
        stepped(20),
        evaluated(20, 2.0, 0.25),
    )
    text = card(model, record)
    assert "| `text.txt` | training, 1,234 bytes |" in text
    assert "20 steps, in which it read 320 tokens" in text  # 2 windows of 8
    assert "| `batch_size` | `2` |" in text
    assert "| validation loss, at the end | 2.0000 (perplexity 7.39), step 20 |" in text
    assert "| validation loss, lowest | 1.0000 (perplexity 2.72), step 10 |" in text
    assert "| a model that knows nothing | 4.6052 (ln n_vocab) |" in text
    assert (
        "| most attention on the token before | 0.75: layer 1 of 1, head 1 of 2" in text
    )
    assert "| `d_model` | `8` |" in text


def test_what_a_run_did_after_the_checkpoint_is_not_told(
    make_run: Callable[..., Path], model: NativeModel
) -> None:
    later = (stepped(40), evaluated(40, 0.5))
    run = make_run()
    events = (started(), stepped(20), evaluated(20, 2.0))
    assert card(model, record_with(run, *events, *later)) == card(
        model, record_with(run, *events)
    )


def test_a_model_without_a_record_has_a_card_of_itself(
    tmp_path: Path, model: NativeModel
) -> None:
    assert record_of(tmp_path / "model") is None
    text = card(model, None)
    assert text.startswith("# tiny\n")
    assert "## What it is" in text
    assert "learned from\n\n|" not in text


def test_a_spoilt_configuration_makes_no_record(
    make_run: Callable[..., Path],
) -> None:
    run = make_run(n_steps=0)
    folder = save_tiny(run / "checkpoints" / "step-00000020")
    assert record_of(folder) is None


def test_a_card_for_the_hub_says_how_to_open_it(model: NativeModel) -> None:
    text = card(model, None, Use("gpt2", ("Biases are zero.",)))
    assert text.startswith("---\nlibrary_name: transformers\n")
    assert "- gpt2\n" in text
    assert "AutoModelForCausalLM.from_pretrained" in text
    assert "In this format: Biases are zero.\n" in text


@pytest.mark.parametrize("name", ["a|b.txt", "a``b.txt", "x\ny.txt"])
def test_the_name_of_a_file_breaks_no_table(
    make_run: Callable[..., Path], model: NativeModel, name: str
) -> None:
    data: dict[str, Any] = {"train": [name]}
    text = card(model, record_with(make_run(data=data), started()))
    (row,) = [line for line in text.splitlines() if "| training" in line]
    assert row.replace("\\|", "").count("|") == 3
    assert row.count("`") % 2 == 0


def test_a_card_and_the_curve_lie_beside_the_model(
    make_run: Callable[..., Path], model: NativeModel, tmp_path: Path
) -> None:
    run = make_run()
    carry_out(run)
    write_card(tmp_path, model, record_of(checkpoints(run)[-1]))
    assert "(loss.png)" in (tmp_path / "README.md").read_text(encoding="utf-8")
    assert (tmp_path / "loss.png").read_bytes().startswith(b"\x89PNG")
