"""Direct logit attribution: what each part of the model added to one logit.

In: a trace, a token of the text that is written, an entry of the vocabulary. Out:
contributions that add up to the logit. The stream is a sum, and a logit is a product of
its last row, so the logit is a sum over whoever wrote into the stream; only norms stand
between. Each norm's divisor is held at what it was in this pass, which makes the norm
linear and the sum exact: with norm_place "pre" that is the final norm, with "post"
every norm behind the part. What is counted is the direct way through the stream, not
what a part changed in later parts; so an encoder, which only the decoder looks at, is
in no sum by itself. Source: Elhage et al. 2021, "A Mathematical Framework for
Transformer Circuits".
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from core.analysis.effect import output_weights
from core.analysis.held_norm import HeldNorm, Row, held_norm
from core.config import ModelConfig
from core.errors import MissingWeightError
from core.trace.numbers import may_be_broken
from core.trace.step import CROSS, ENCODER, side_of
from core.trace.steps import Step
from core.trace.trace import Trace

NORMS = ("layer_norm", "rms_norm")
HANDED_ON = ("same", "scale")
"""Ops of the stream that add nothing."""
PARTS = ("attn.out", "ffn.out")
"""What is added to the stream in a layer, or takes its place."""
LOGITS = "output.logits"
NO_LOGITS = "This model scores no tokens, so there is no logit to take apart."
BENT = (
    "This model bends its rows once more before it compares them with tokens, so no "
    "part of them adds to a logit by itself."
)
OF_ENCODER = (
    "Nothing of the encoder adds to a logit by itself: the decoder takes from its last "
    "rows by cross attention. Look at the effect of a cross attention instead."
)
REPLACED = (
    "This model has no residual stream: what a layer makes takes the place of what it "
    "read, so only the last layer adds to a logit."
)


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one part of the model added to a logit."""

    name: str
    """In words, counted from 1: "layer 2 head 3", "cross layer 2 head 3"."""
    key: str
    """The step or weight that was added: "layers.1.attn.heads", "layers.1.ffn.out"."""
    layer: int | None
    """From 0; None before and after the layers."""
    head: int | None
    """From 0; None where it is no head's."""
    value: float


def check_is_direct(config: ModelConfig) -> None:
    """Refuse a model in which nothing of the stream adds to a logit by itself.

    Raises:
        MissingWeightError: It has no logits, or bends the rows before them.
    """
    if config.output_head != "unembed":
        raise MissingWeightError(BENT if config.has_logits else NO_LOGITS)


def check_adds(trace: Trace, key: str) -> None:
    """Refuse a part that adds to no logit by itself: of an encoder, or replaced.

    Raises:
        MissingWeightError: Says why.
    """
    _steps_behind(trace, key)


@may_be_broken
def logit_parts(trace: Trace, position: int, token_id: int) -> tuple[Contribution, ...]:
    """Everything that added to a logit, in order of computation.

    The embedding, the position, every head, the biases of attention and norms, every
    feed-forward network, the token's own bias; and what an edit of the stream set. They
    sum to the logit.

    Raises:
        TraceError: There is no such token in the sentence or the vocabulary.
    """
    check_is_direct(trace.config)
    parts: list[Contribution] = []
    logit = trace.step(LOGITS)
    row = _edited_by(trace, logit, position)
    if row is not None:
        parts.append(_part(logit, "edit", float(row[token_id])))
    for bias in logit.inputs[2:]:
        value = trace.value(bias, (token_id,))
        parts.append(Contribution(TOKEN_BIAS, bias, None, None, value))
    for step, direction in _stream(trace, position, token_id):
        parts += reversed(_parts_of(trace, step, position, direction))
    return tuple(reversed(parts))


@may_be_broken
def key_parts(trace: Trace, attn: str, head: int, position: int, token_id: int) -> Row:
    """What a head added to a logit, by the tokens it took it from.

    -> [n_key]; the pattern times what the value row adds. They sum to the head's part.
    """
    pattern = trace.part(f"{attn}.pattern", (head, position))
    values = trace.part(f"{attn}.v", (head // trace.config.n_queries_per_key,))
    direction = head_direction(trace, attn, head, position, token_id)
    parts = pattern * np.einsum("kd,d->k", values, direction)
    return np.where(pattern == 0, 0.0, parts)  # a key without a share adds nothing


@may_be_broken
def neuron_parts(trace: Trace, ffn: str, position: int, token_id: int) -> Row:
    """What a feed-forward network added to a logit, by its neurons; without the bias.

    -> [d_ff]
    """
    direction = direction_behind(trace, f"{ffn}.out", position, token_id)
    active = _wide(trace, f"{ffn}.active", position)
    return np.asarray(active * _seen(trace, f"{ffn}.W_2", direction))


@may_be_broken
def expert_parts(trace: Trace, ffn: str, position: int, token_id: int) -> Row:
    """What a layer's experts added to a logit, each by its weight. [n_experts]."""
    direction = direction_behind(trace, f"{ffn}.out", position, token_id)
    weights = _wide(trace, f"{ffn}.chosen", position)
    answers = trace.part(f"{ffn}.experts", (None, position)).astype(np.float64)
    return np.asarray(np.where(weights == 0, 0.0, weights * (answers @ direction)))


def head_direction(
    trace: Trace, attn: str, head: int, position: int, token_id: int
) -> Row:
    """The direction in a head's output that makes the logit. [d_head]."""
    out = f"{attn}.out"
    direction = direction_behind(trace, out, position, token_id)
    return np.asarray(_seen_by_heads(trace, trace.step(out), direction)[head])


@may_be_broken
def head_row(trace: Trace, attn: str, head: int, position: int) -> Row:
    """What a head adds to the stream of a token, without the bias. [d_model]."""
    row = trace.part(f"{attn}.heads", (head, position))
    weights = output_weights(trace, attn, head).astype(np.float64)
    return np.asarray(np.einsum("i,id->d", row, weights))


@may_be_broken
def head_logits(
    trace: Trace, attn: str, head: int, position: int
) -> NDArray[np.float32]:
    """What a head's output adds to every logit, each norm's divisor held fixed.

    -> [n_vocab], float32
    """
    row = head_row(trace, attn, head, position)
    for norm in norms_behind(trace, f"{attn}.out", position):
        row = norm.onward(row)
    if trace.config.scale_output:
        row = row / sqrt(trace.config.d_model)
    table = trace.step(LOGITS).inputs[1]
    weights = trace.part(table)
    narrow = row.astype(np.float32)
    is_tied = trace.config.tie_embeddings
    return np.asarray(weights @ narrow if is_tied else narrow @ weights)


def norms_behind(trace: Trace, key: str, position: int) -> tuple[HeldNorm, ...]:
    """The norms a part of the stream still passes on its direct way to the logits.

    In order of computation; `key` is what a layer adds to the stream.

    Raises:
        MissingWeightError: It does not reach the logits by itself.
    """
    steps = [step for step in _steps_behind(trace, key) if step.op in NORMS]
    return tuple(held_norm(trace, step, position) for step in reversed(steps))


def sums_behind(trace: Trace, key: str) -> tuple[str, ...]:
    """The steps whose rows `norms_behind` looks at."""
    return tuple(s.inputs[0] for s in _steps_behind(trace, key) if s.op in NORMS)


# The stream, walked back from the logits.


def _back_along_stream(trace: Trace) -> Iterator[Step]:
    """The steps of the stream from the last: norms, sums, and what it began with."""
    check_is_direct(trace.config)
    key = trace.step(LOGITS).inputs[0]
    while True:
        step = trace.step(key)
        yield step
        if step.name in PARTS or step.op not in ("add", *HANDED_ON, *NORMS):
            return
        key = step.inputs[0]


def _steps_behind(trace: Trace, key: str) -> tuple[Step, ...]:
    """The steps of the stream behind a part, from the last."""
    found: list[Step] = []
    for step in _back_along_stream(trace):
        if _brings_in(step, key):
            return tuple(found)
        found.append(step)
    raise _apart(key)


def _apart(key: str) -> MissingWeightError:
    """Why a part reaches no logit by itself."""
    return MissingWeightError(OF_ENCODER if side_of(key) == ENCODER else REPLACED)


def _brings_in(step: Step, key: str) -> bool:
    """Whether a step of the stream adds a part to it, or is the part itself."""
    return step.key == key or (step.op == "add" and key in step.inputs[1:])


def _stream(trace: Trace, position: int, token_id: int) -> Iterator[tuple[Step, Row]]:
    """Each step of the stream, and the direction in its row that makes the logit."""
    direction = unembedding(trace, token_id)
    for step in _back_along_stream(trace):
        yield step, direction
        if step.op in NORMS:
            direction = held_norm(trace, step, position).backward(direction)
        elif step.op == "scale":
            direction = direction / sqrt(trace.config.d_model)


def direction_behind(trace: Trace, key: str, position: int, token_id: int) -> Row:
    """The direction in what is added as `key` that makes the logit. [d_model].

    Raises:
        MissingWeightError: It does not reach the logits by itself.
    """
    for step, direction in _stream(trace, position, token_id):
        if _brings_in(step, key):
            return direction
    raise _apart(key)


def unembedding(trace: Trace, token_id: int) -> Row:
    """What the last row is multiplied with to give a logit. [d_model]."""
    table = trace.step(LOGITS).inputs[1]
    index = (token_id,) if trace.config.tie_embeddings else (None, token_id)
    return trace.part(table, index).astype(np.float64)


# What one step of the stream contributes.


def _parts_of(
    trace: Trace, step: Step, position: int, direction: Row
) -> list[Contribution]:
    """In order of computation; a step that only hands on contributes nothing."""
    parts: list[Contribution] = []
    if step.name in PARTS:
        return _added(trace, step, position, direction)
    if step.op == "add":
        for key in step.inputs[1:]:
            parts += _added(trace, trace.step(key), position, direction)
    elif step.op in NORMS:
        beta = held_norm(trace, step, position).beta
        if beta is not None:
            parts.append(_part(step, "shift", float(beta @ direction), step.inputs[3]))
    elif step.op not in HANDED_ON:
        value = float(_wide(trace, step.key, position) @ direction)
        return [_part(step, "", value)]
    change = _edited_by(trace, step, position)
    if change is not None:
        parts.append(_part(step, "edit", float(change @ direction)))
    return parts


def _added(
    trace: Trace, step: Step, position: int, direction: Row
) -> list[Contribution]:
    """What attention, feed-forward or the position added; attention head by head."""
    if step.name != "attn.out":
        value = float(_wide(trace, step.key, position) @ direction)
        return [_part(step, "", value)]
    heads = f"{step.attention}.heads"
    rows = trace.part(heads, (None, position)).astype(np.float64)
    values = (rows * _seen_by_heads(trace, step, direction)).sum(1)
    parts = [
        Contribution(f"{where_of(step)}head {head + 1}", heads, step.layer, head, value)
        for head, value in enumerate(values.tolist())
    ]
    for bias in step.inputs[2:]:
        value = float(trace.part(bias).astype(np.float64) @ direction)
        parts.append(_part(step, "bias", value, bias))
    change = _edited_by(trace, step, position)
    if change is not None:
        parts.append(_part(step, "edit", float(change @ direction)))
    return parts


NAMES = {
    "embed.token": "token embedding",
    "embed.scaled": "token embedding",
    "embed.position": "position",
    "embed.segment": "segment",
    "embed.norm": "norm of the embedding",
    "attn.out": "attention",
    "ffn.out": "feed-forward",
    "attn.norm": "norm after attention",
    "ffn.norm": "norm after feed-forward",
    "output.norm": "final norm",
    "output.scaled": "scaled stream",
    "output.logits": "logit",
    "embed.sum": "embedding",
    "resid_in": "stream before",
    "resid_mid": "stream after attention",
    "resid_cross": "stream after cross attention",
    "resid_out": "stream after feed-forward",
}
"""How the steps along the stream are called among contributions."""
TOKEN_BIAS = "the token's own bias"


def _part(step: Step, what: str, value: float, key: str = "") -> Contribution:
    """A part that is no head's: the step's own, or its "bias", "shift" or "edit"."""
    name = f"{where_of(step)}{NAMES[step.name]} {what}".rstrip()
    return Contribution(name, key or step.key, step.layer, None, value)


def where_of(step: Step) -> str:
    """The layer of a part, and of which attention it is: "cross layer 2 ", or ""."""
    if step.layer is None:
        return ""
    return f"{CROSS} " * step.is_cross + f"layer {step.layer + 1} "


def _edited_by(trace: Trace, step: Step, position: int) -> Row | None:
    """What an edit added to a row of a step; None where none touched the step."""
    if all(edit.key != step.key for edit in trace.edits):
        return None
    made = trace.recomputed(step.key, (position,)).astype(np.float64)
    return np.asarray(_wide(trace, step.key, position) - made)


def _seen_by_heads(trace: Trace, out: Step, direction: Row) -> Row:
    """How much of the direction each number of the heads adds. [n_heads, d_head]."""
    is_mixed = len(out.inputs) > 1
    seen = _seen(trace, out.inputs[1], direction) if is_mixed else direction
    return seen.reshape(trace.config.n_heads, -1)


def _seen(trace: Trace, weight: str, direction: Row) -> Row:
    """How much of the direction each row of a weight has. [n_rows].

    In float32: a wider copy of the weight would take longer than all the rest. And by
    einsum: numpy's own product of a matrix and a row waits for threads that torch keeps
    busy, which takes a hundred times as long (15 ms of 768 x 768 on two cores).
    """
    narrow = direction.astype(np.float32)
    seen = np.einsum("rd,d->r", trace.part(weight), narrow)
    return np.asarray(seen, dtype=np.float64)


def _wide(trace: Trace, key: str, position: int) -> Row:
    """A token's row of a step, float64."""
    return trace.part(key, (position,)).astype(np.float64)
