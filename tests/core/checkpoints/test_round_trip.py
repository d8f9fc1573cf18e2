"""A trained, tied model goes out and comes back: the same numbers in all three."""

from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM

from core.bundle import Bundle, open_bundle
from core.checkpoints.export import main
from core.checkpoints.native import save_model
from core.generation.generate import generate
from core.generation.sampling import Sampling
from core.training.checkpoint import checkpoints
from tests.helpers.runs import carry_out, write_run

TOLERANCE = 1e-5
N_NEW = 20
TEXT = "the cat "
TIED: tuple[dict[str, Any], ...] = (
    {"position": "learned", "activation": "gelu_tanh"},
    {"position": "rotary", "norm": "rms_norm", "gated": True, "activation": "silu"}
    | {"bias": False},
)


@pytest.fixture(scope="module", params=TIED, ids=["gpt2", "llama"])
def folders(request, tmp_path_factory) -> tuple[Path, Path]:
    """The last checkpoint of a tied model after 20 steps, and its export."""
    place = tmp_path_factory.mktemp("tied")
    model = {"n_ctx": 32, "tie_embeddings": True, **request.param}
    run = write_run(place / "run", model=model, n_steps=20)
    carry_out(run)
    assert main([str(run), str(place / "exported")]) == 0
    return checkpoints(run)[-1], place / "exported"


def greedy(bundle: Bundle) -> list[int]:
    ids = bundle.tokenizer.encode(TEXT).ids
    likeliest = Sampling(temperature=0)
    found = generate(bundle.model, ids, likeliest, N_NEW)
    return [each.token_id for each in found]


def test_reopened_it_is_tied_and_its_table_is_stored_once(folders):
    for folder in folders:
        bundle = open_bundle(folder, "cpu")
        assert bundle.config.tie_embeddings
        assert "output.W_U" not in bundle.weights
        shape = tuple(bundle.weights["embed.W_E"].shape)
        stored = load_file(folder / "model.safetensors").values()
        assert sum(tuple(table.shape) == shape for table in stored) == 1


def test_logits_and_twenty_greedy_tokens_are_the_same_in_all_three(folders):
    exported = folders[1]
    ours, again = (open_bundle(folder, "cpu") for folder in folders)
    theirs: Any = AutoModelForCausalLM.from_pretrained(exported).eval()
    ids = torch.tensor([ours.tokenizer.encode(TEXT).ids])
    assert ids.tolist() == [list(again.tokenizer.encode(TEXT).ids)]
    with torch.no_grad():
        expected = ours.model(ids)
        assert (again.model(ids) - expected).abs().max() <= TOLERANCE
        assert (theirs(ids).logits - expected).abs().max() <= TOLERANCE
    written = theirs.generate(
        ids, max_new_tokens=N_NEW, do_sample=False, eos_token_id=None
    )
    assert greedy(ours) == greedy(again) == written[0, ids.shape[1] :].tolist()
    assert theirs.config.tie_word_embeddings


def test_what_comes_back_can_be_saved_and_opened_once_more(folders, tmp_path):
    bundle = open_bundle(folders[1], "cpu")
    save_model(
        tmp_path, bundle.config, bundle.weights, bundle.tokenizer, name="once more"
    )
    assert greedy(open_bundle(tmp_path, "cpu")) == greedy(bundle)
