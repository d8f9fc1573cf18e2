"""The card of a model: what it learned from, how, and how well, as a README.md.

In: a model and the record of its run: `config.toml` and `events.jsonl`, of the run or
of what `publish` put beside a model. Out: Markdown, and the curve as a picture. What
the record does not say is left out, never guessed.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from core.checkpoints.native import NativeModel
from core.errors import CoreError
from core.files import write_whole
from core.training.compare import Curves, curves_of, tokens_per_step
from core.training.config import RunConfig, read_config
from core.training.curve import loss_png
from core.training.estimate import count_parameters
from core.training.events import Event, Sampled, Started, read_events
from core.training.runs import RECIPE, run_of, step_of

CARD_FILE = "README.md"
PICTURE_FILE = "loss.png"
SETTINGS = (
    "seed",
    "n_steps",
    "batch_size",
    "learning_rate",
    "min_learning_rate",
    "warmup_steps",
    "schedule",
    "label_smoothing",
    "weight_decay",
    "beta1",
    "beta2",
    "clip",
)
"""Fields of [training] that decide what is learned."""
Row = tuple[str, str]
LARGEST_EXPONENT = 700.0
"""Of e in a float."""


@dataclass(frozen=True, slots=True)
class Record:
    """How a model was made."""

    folder: Path
    config: RunConfig
    events: tuple[Event, ...]
    """Up to the model's own step; what the run did later is not in the model."""


@dataclass(frozen=True, slots=True)
class Use:
    """How a model is opened by `transformers`, if its folder is for that."""

    model_type: str
    notes: tuple[str, ...] = ()
    """What its class stores otherwise, sentences."""
    reads_a_source: bool = False
    """Whether it has an encoder, which another class there opens."""


def record_of(model_folder: Path) -> Record | None:
    """The record of a model's run, if it is there and readable."""
    run = run_of(model_folder)
    folder = run or model_folder / RECIPE
    last = step_of(model_folder.resolve()) if run else None
    try:
        config = read_config(folder)
    except CoreError:
        return None
    events = tuple(read_events(folder))
    if last is not None:
        events = tuple(e for e in events if getattr(e, "step", 0) <= last)
    return Record(folder, config, events)


def write_card(
    folder: Path, model: NativeModel, record: Record | None, use: Use | None = None
) -> None:
    """Write a model's card and its curve into its folder.

    Raises:
        CheckpointError: A file could not be written.
    """
    if record:
        write_whole(folder / PICTURE_FILE, loss_png(record.events))
    text = card(model, record, use)
    write_whole(folder / CARD_FILE, text.encode())


def card(model: NativeModel, record: Record | None, use: Use | None = None) -> str:
    """Write the card of a model."""
    sections = [("How to use it", _use(use))] if use else []
    if record:
        curves = curves_of(record.events)
        sections += [
            ("What it learned from", _data(record)),
            ("How it learned", _training(record.config, curves)),
            ("What it writes", _answers(record.events)),
            ("How well it does", _results(curves)),
        ]
    fields = _fields(model.config.to_dict())
    sections.append(("What it is", _table("field", "value", fields)))
    kind = "transformer of an encoder and a decoder, with"
    knows = "It answers what is like the pairs that it learned from, and nothing else."
    if not model.config.has_encoder:
        kind = "decoder-only transformer of"
        knows = "It knows the text that it learned from and nothing else."
    n_weights = f"{count_parameters(model.config):,} weights"
    opening = f"A {kind} {n_weights}, trained with Glassformer. {knows}"
    body = "\n".join(f"\n## {title}\n\n{text}" for title, text in sections if text)
    front = _front_matter(use) if use else ""
    return f"{front}# {_plain(model.name)}\n\n{opening}\n{body}\n"


def _front_matter(use: Use) -> str:
    """What the Hugging Face hub reads of a card."""
    task = "text2text-generation" if use.reads_a_source else "text-generation"
    lines = ["library_name: transformers", f"pipeline_tag: {task}"]
    tags = ["tags:", f"- {use.model_type}", "- glassformer"]
    return "\n".join(["---", *lines, *tags, "---", "", ""])


def _use(use: Use) -> str:
    kind = "AutoModelForSeq2SeqLM" if use.reads_a_source else "AutoModelForCausalLM"
    code = (
        "```python\n"
        f"from transformers import {kind}, AutoTokenizer\n\n"
        f'model = {kind}.from_pretrained("this folder")\n'
        'tokenizer = AutoTokenizer.from_pretrained("this folder")\n'
        "```"
    )
    if not use.notes:
        return code
    return f"{code}\n\nIn this format: {' '.join(use.notes)}"


def _data(record: Record) -> str:
    """Files with their sizes, and how many tokens they are."""
    data = record.config.data
    rows = [
        (_code(name), f"{part}{_size(record.folder / name)}")
        for part, names in (("training", data.train), ("validation", data.valid))
        for name in names
    ]
    started = [event for event in record.events if isinstance(event, Started)]
    counts = [
        f"\n\n{each.n_train_tokens:,} tokens for training and "
        f"{each.n_valid_tokens:,} for validation, of a vocabulary of {each.n_vocab:,}."
        for each in started[-1:]
    ]
    return _table("file", "for", rows) + "".join(counts)


def _size(path: Path) -> str:
    """A file's size, where the file is still there."""
    return f", {path.stat().st_size:,} bytes" if path.is_file() else ""


def _training(config: RunConfig, curves: Curves) -> str:
    """Steps done, what they read, and the settings."""
    n_steps = int(max([0, *curves.steps[-1:], *curves.tested_steps[-1:]]))
    if not n_steps:
        return ""
    n_tokens = round(n_steps * (curves.tokens_per_step or tokens_per_step(config)))
    about = "about " * config.data.pairs
    done = f"{n_steps:,} steps, in which it read {about}{n_tokens:,} tokens."
    settings = {name: getattr(config.training, name) for name in SETTINGS}
    return f"{done}\n\n{_table('setting', 'value', _fields(settings))}"


def _results(curves: Curves) -> str:
    """Losses at the end and at their best, the curve, and the heads' scores."""
    if not len(curves.steps) and not len(curves.tested_steps):
        return ""
    rows = [*_right_rows(curves), *_loss_rows(curves), *_head_rows(curves)]
    picture = f"![Training and validation loss]({PICTURE_FILE})"
    return f"{_table('what', 'figure', rows)}\n\n{picture}"


def _right_rows(curves: Curves) -> Iterable[Row]:
    """The share of right answers, where there are answers."""
    is_known = ~np.isnan(curves.share_right)
    for share, step in zip(
        curves.share_right[is_known][-1:],
        curves.tested_steps[is_known][-1:],
        strict=True,
    ):
        yield "answers wholly right, at the end", f"{share:.1%}, step {step:,.0f}"


def _answers(events: Iterable[Event]) -> str:
    """The last answers, beside the right ones."""
    samples = [e for e in events if isinstance(e, Sampled) and e.right is not None]
    last = [each for each in samples if each.step == samples[-1].step]
    rows = [
        (_code(each.prompt), f"{_code(each.text)} {_verdict(each)}") for each in last
    ]
    return _table("source", "what it writes", rows) if rows else ""


def _verdict(sampled: Sampled) -> str:
    is_right = sampled.text == sampled.right
    return "(right)" if is_right else f"(right would be {_code(sampled.right or '')})"


def _loss_rows(curves: Curves) -> Iterable[Row]:
    for name, losses in (
        ("validation loss", curves.valid_loss),
        ("training loss, tested", curves.tested_train_loss),
    ):
        known = [
            (float(loss), int(step))
            for loss, step in zip(losses, curves.tested_steps, strict=True)
            if not math.isnan(loss)
        ]
        if not known:
            continue
        last, best = known[-1], min(known)
        places = [("at the end", last)] + [("lowest", best)] * (best != last)
        for when, (loss, step) in places:
            perplexity = math.exp(min(loss, LARGEST_EXPONENT))
            figure = f"{loss:.4f} (perplexity {perplexity:,.2f}), step {step:,}"
            yield f"{name}, {when}", figure
    if curves.ceiling:
        yield "a model that knows nothing", f"{curves.ceiling:.4f} (ln n_vocab)"


def _head_rows(curves: Curves) -> Iterable[Row]:
    for name, scores in (
        ("attention on the token before", curves.previous),
        ("attention on what followed the same token", curves.induction),
    ):
        if not scores.size:
            continue
        _, n_layers, n_heads = scores.shape
        last = scores[-1]
        layer, head = divmod(int(last.argmax()), n_heads)
        where = f"layer {layer + 1} of {n_layers}, head {head + 1} of {n_heads}"
        yield f"most {name}", f"{last[layer, head]:.2f}: {where}"


def _fields(fields: dict[str, Any]) -> list[Row]:
    return [(_code(name), _code(f"{value}")) for name, value in fields.items()]


def _table(left: str, right: str, rows: Iterable[Row]) -> str:
    lines = [f"| {left} | {right} |", "|---|---|"]
    return "\n".join([*lines, *(f"| {a} | {b} |" for a, b in rows)])


def _code(text: str) -> str:
    """A name as it is, safe inside a table's cell."""
    return f"`{text}`".replace("``", "` `").replace("|", "\\|").replace("\n", " ")


def _plain(text: str) -> str:
    """A name on one line, without marks that would change the page."""
    return " ".join(text.split()).replace("<", "&lt;")
