"""What the shipped model has learned, looked at through its own traces."""

import json
import math
import re
import tomllib
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy

import resources
from core.bundle import Bundle, open_bundle
from core.pipeline import run_trace
from core.trace.trace import Trace
from core.training.config import read_config
from core.training.recipe import HELD_OUT_SEED_STEP
from core.training.stories import stories, story_text

FOLDER = Path(resources.__file__).parent / "models" / "default"
MOST_BYTES = 8 * 10**6
SURFACES = {"mat", "chair", "wall", "roof", "bed", "table", "floor", "house", "grass"}


@cache
def bundle() -> Bundle:
    return open_bundle(FOLDER, device="cpu")


@cache
def trace(text: str) -> Trace:
    return run_trace(bundle(), text)


def likeliest(text: str, n: int) -> list[str]:
    """The n likeliest next tokens as text."""
    probs = trace(text).part("output.probs", (trace(text).n - 1,))
    return [bundle().tokenizer.decode([int(i)]) for i in np.argsort(-probs)[:n]]


def test_the_model_is_small_enough_to_ship():
    files = [path for path in FOLDER.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= MOST_BYTES


def test_once_upon_a_time():
    story = trace("Once upon a")
    probs = story.part("output.probs", (story.n - 1,))
    (time,) = bundle().tokenizer.encode(" time").ids
    assert probs[time] > 0.8


def test_the_cat_sat_on_places_and_things():
    assert {word.strip() for word in likeliest("The cat sat on the", 5)} <= SURFACES


def test_a_made_up_name_is_remembered():
    """The first piece of the name's second word, among the three likeliest."""
    text = "Mira Tolen met a fox. Later Mira"
    (first, *_) = bundle().tokenizer.encode(" Tolen").ids
    assert bundle().tokenizer.decode([first]) in likeliest(text, 3)


def test_a_head_looks_at_the_previous_token():
    """With over 0.7 of its attention, as the mean over a held-out story's tokens."""
    story = trace(next(stories(HELD_OUT_SEED_STEP + 1))[:400])
    shares = [
        np.diagonal(pattern, offset=-1).mean()
        for layer in story.layers
        for pattern in layer.attn.pattern
    ]
    assert max(shares) > 0.7


@pytest.mark.parametrize("seed", range(3))
def test_a_head_looks_at_what_followed_the_same_token_before(seed):
    """An induction head: over 0.4, on 40 random tokens that are told twice."""
    n = 40
    ids = np.random.default_rng(seed).integers(256, bundle().config.n_vocab - 1, n)
    told_twice = run_trace(bundle(), ids=[*ids.tolist(), *ids.tolist()])
    shares = [
        np.diagonal(pattern[n:], offset=1)[:n].mean()
        for layer in told_twice.layers
        for pattern in layer.attn.pattern
    ]
    assert max(shares) > 0.4


def test_its_readme_records_the_perplexity_of_held_out_stories():
    said = re.search(
        r"perplexity of held-out stories: \*\*([\d.]+)\*\*",
        (FOLDER / "README.md").read_text(encoding="utf-8"),
    )
    assert said
    ids = torch.tensor(
        bundle().tokenizer.encode(story_text(HELD_OUT_SEED_STEP + 1, 30_000)).ids
    )
    n_ctx = bundle().config.n_ctx
    windows = ids[: (len(ids) - 1) // n_ctx * n_ctx + 1].unfold(0, n_ctx + 1, n_ctx)
    with torch.inference_mode():
        logits = bundle().model(windows[:, :-1])
    loss = cross_entropy(logits.flatten(0, 1), windows[:, 1:].flatten())
    assert math.exp(float(loss)) == pytest.approx(float(said.group(1)), rel=0.005)


def test_its_recipe_is_the_run_that_made_it():
    recipe = FOLDER / "recipe"
    config = tomllib.loads((recipe / "config.toml").read_text(encoding="utf-8"))
    events = [
        json.loads(line)
        for line in (recipe / "events.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    ours = bundle().config.to_dict()
    assert all(ours[field] == value for field, value in config["model"].items())
    assert events[-1]["event"] == "finished"
    assert events[-1]["step"] == config["training"]["n_steps"]
    assert read_config(recipe).training.n_steps == events[-1]["step"]
