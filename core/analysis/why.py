"""Why did it say that? A tour from a token's share back to the tokens of the sentence.

In: a trace, the token whose row gives the logits, an entry of the vocabulary. Out:
stops, each an ordinary selection and one sentence. The way goes by the largest
contributions of the direct logit attribution: share, logit, the parts of the sum, the
attention and the feed-forward that added most, their head and neuron, and the tokens
that the head took it from.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from core.analysis.attribution import (
    LOGITS,
    TOKEN_BIAS,
    Contribution,
    direction_behind,
    expert_parts,
    head_direction,
    key_parts,
    logit_parts,
    neuron_parts,
    unembedding,
)
from core.trace.numbers import short
from core.trace.selection import Selection
from core.trace.step import CROSS, part_of
from core.trace.token_side import TEXTS
from core.trace.trace import Trace
from core.trace.views.places import token_label

LabelOf = Callable[[int], str]
Row = NDArray[np.float64]

N_KEYS = 2
"""Tokens that the largest head took most from, at most."""
LEAST_KEY = 0.1
"""A token that gave less than this share of the head's part is no stop."""
CROSS_ATTENTION = "cross attention"
LAYER_KINDS = ("attention", CROSS_ATTENTION, "feed-forward")
KINDS = ("embedding", *LAYER_KINDS, "norms", TOKEN_BIAS, "edits")


@dataclass(frozen=True, slots=True)
class TourStop:
    """One place of the tour."""

    selection: Selection
    sentence: str


@dataclass(frozen=True, slots=True)
class _Question:
    """What is asked, and the answer's parts."""

    trace: Trace
    position: int
    token_id: int
    label: str
    logit: float
    parts: tuple[Contribution, ...]

    def stop(
        self,
        step: str,
        sentence: str,
        *,
        head: int = 0,
        key: int = 0,
        expert: int = 0,
        feature: int = 0,
    ) -> TourStop:
        place = Selection(
            step=step,
            query=self.position,
            key=key,
            head=head,
            expert=expert,
            feature=feature,
            token=self.token_id,
        )
        return TourStop(place, sentence)

    def feature(self, step: str, direction: Row, *head: int) -> int:
        """The feature of the row that a direction takes most from."""
        row = self.trace.part(step, (*head, self.position))
        return int((row * direction).argmax())

    def added_feature(self, step: str) -> int:
        """The feature of what a step adds to the stream that matters most."""
        asked = self.position, self.token_id
        return self.feature(step, direction_behind(self.trace, step, *asked))

    @property
    def of_logit(self) -> str:
        return f"of the logit {short(self.logit)}"


def why(
    trace: Trace, position: int, token_id: int, label_of: LabelOf
) -> tuple[TourStop, ...]:
    """The tour of one token's logit; a single stop where the logit is no number.

    Raises:
        TraceError: There is no such token in the sentence or the vocabulary.
    """
    logit = trace.value(LOGITS, (position, token_id))
    parts = logit_parts(trace, position, token_id) if isfinite(logit) else ()
    asked = _Question(trace, position, token_id, label_of(token_id), logit, parts)
    if not parts:
        said = "The logit is not a finite number, so there is no sum to look into."
        return (asked.stop(LOGITS, said),)
    return (*_ends(asked), *_layers(asked))


def parts_of_kind(parts: tuple[Contribution, ...], kind: str) -> float:
    """What one of `KINDS` added, over all layers."""
    return sum(part.value for part in parts if kind_of(part) == kind)


def kind_of(part: Contribution) -> str:
    """Which of `KINDS` a contribution belongs to."""
    if part.name.endswith(" edit"):
        return "edits"
    if part.name.endswith(" shift"):
        return "norms"
    if part.name == TOKEN_BIAS:
        return TOKEN_BIAS
    if part.layer is None:
        return "embedding"
    return KIND_OF_PART[part_of(part.key)]


KIND_OF_PART = dict(zip(("attn", CROSS, "ffn"), LAYER_KINDS, strict=True))


def by_layer(parts: tuple[Contribution, ...], kind: str) -> dict[int, float]:
    """What a kind of part added in each layer, heads and biases joined."""
    sums: dict[int, float] = {}
    for part in parts:
        if part.layer is not None and kind_of(part) == kind:
            sums[part.layer] = sums.get(part.layer, 0.0) + part.value
    return sums


def signed(x: float) -> str:
    """A contribution with its sign: "+3.11", "−0.21"."""
    return short(x) if x < 0 else f"+{short(x)}"


# The stops.


def _ends(asked: _Question) -> Iterator[TourStop]:
    """The share, the logit, and the sum that the logit is."""
    trace, position = asked.trace, asked.position
    probs = trace.part("output.probs", (position,))
    share = float(probs[asked.token_id])
    n_above = int((probs > share).sum())
    rank = "the largest" if not n_above else f"rank {n_above + 1}"
    yield asked.stop(
        "output.probs",
        f"After “{token_label(trace, position)}” the model gives “{asked.label}” "
        f"a share of {short(share)}, {rank} of {len(probs)}.",
    )
    yield asked.stop(
        LOGITS,
        f"The share comes from the logit {short(asked.logit)}: {_last_row(trace)} "
        f"times the vector of “{asked.label}” in {_table(trace)}{_own_bias(trace)}.",
    )
    sums = {kind: parts_of_kind(asked.parts, kind) for kind in KINDS}
    listed = ", ".join(f"{kind} {signed(x)}" for kind, x in sums.items() if x)
    last = trace.step(LOGITS).inputs[0]
    yield asked.stop(
        last,
        f"{_sum(trace)} is the logit {short(asked.logit)}: {listed}. {_held(trace)}",
        feature=asked.feature(last, unembedding(trace, asked.token_id)),
    )


def _last_row(trace: Trace) -> str:
    """What logits are read off."""
    scaled = ", divided by √d_model," * trace.config.scale_output
    return f"the last row of the stream{scaled}"


def _own_bias(trace: Trace) -> str:
    """What is added to the product."""
    return ", plus its own bias" * (len(trace.step(LOGITS).inputs) > 2)


def _table(trace: Trace) -> str:
    """What logits are read off with."""
    return trace.step(LOGITS).inputs[1].rpartition(".")[2]


def _sum(trace: Trace) -> str:
    """Why the logit is a sum."""
    if trace.config.residual:
        return "The stream is a sum, and so"
    return "What the last layer made is a sum, and so"


def _held(trace: Trace) -> str:
    """Why the parts sum to the logit although a norm divides."""
    if trace.config.norm == "none":
        return "No norm stands between."
    if trace.config.norm_place == "pre":
        return "The final norm's divisor is held as it was here."
    return "The divisor of every norm behind a part is held as it was here."


def _layers(asked: _Question) -> Iterator[TourStop]:
    """The largest attentions and the largest feed-forward, the largest one first."""
    found: list[tuple[float, list[TourStop]]] = []
    for kind in LAYER_KINDS:
        sums = by_layer(asked.parts, kind)
        if not sums:
            continue
        layer = max(sums, key=lambda layer: sums[layer])
        paths = (part for part in asked.parts if kind_of(part) == kind)
        path = next(p.key for p in paths if p.layer == layer).rpartition(".")[0]
        stops = _feed_forward if kind == "feed-forward" else _attention
        found.append((sums[layer], list(stops(asked, path, sums[layer]))))
    for _, made in sorted(found, key=lambda pair: -pair[0]):
        yield from made


def _attention(asked: _Question, path: str, value: float) -> Iterator[TourStop]:
    """What attention added, its largest head, and the tokens it was taken from."""
    step = asked.trace.step(f"{path}.out")
    heads = {
        part.head: part.value
        for part in asked.parts
        if part.key == f"{path}.heads" and part.head is not None
    }
    head = max(heads, key=lambda head: heads[head])
    assert step.layer is not None
    layer = f"layer {step.layer + 1}"
    name = f"{layer} {CROSS_ATTENTION if step.is_cross else 'attention'}"
    of_cross = f"'s {CROSS_ATTENTION}" * step.is_cross
    whose = f"head {head + 1} of {layer}{of_cross}"
    yield asked.stop(
        f"{path}.out",
        f"{_first_up(name)} added {signed(value)} {asked.of_logit}; the largest part "
        f"of it is head {head + 1} ({signed(heads[head])}).",
        feature=asked.added_feature(f"{path}.out"),
    )
    found = asked.position, asked.token_id
    seen = head_direction(asked.trace, path, head, *found)
    yield asked.stop(
        f"{path}.heads",
        f"{_first_up(whose)} added {signed(heads[head])}: its output through "
        f"{_way(asked.trace)}.",
        head=head,
        feature=asked.feature(f"{path}.heads", seen, head),
    )
    yield from _keys(asked, path, head, heads[head])


def _way(trace: Trace) -> str:
    """What stands between a head's output and the logit: "W_O, the norm and W_E"."""
    config = trace.config
    passed = ["W_O"] * config.mix_heads + ["the norm"] * (config.norm != "none")
    return " and ".join(filter(None, (", ".join(passed), _table(trace))))


def _keys(asked: _Question, path: str, head: int, value: float) -> Iterator[TourStop]:
    """The tokens that gave the head most, and the last of them in its text."""
    trace, key_of_step = asked.trace, f"{path}.pattern"
    tokens, is_cross = trace.keys_of(key_of_step), trace.step(key_of_step).is_cross
    given = key_parts(trace, path, head, asked.position, asked.token_id)
    shares = trace.part(key_of_step, (head, asked.position))
    order = [int(key) for key in np.argsort(-given, kind="stable")[:N_KEYS]]
    least = LEAST_KEY * abs(value)
    keys = order[:1] + [key for key in order[1:] if given[key] > least]
    for key in keys:
        label, share = tokens.label(key), short(float(shares[key]))
        said = (
            f"Head {head + 1} took {signed(given[key])} of its {signed(value)} from "
            f"“{label}”, token {key + 1}: it gets {share} of the attention."
        )
        if is_cross:
            said = (
                f"Head {head + 1} looks at the source word “{label}”, token {key + 1}: "
                f"it gets {share} of the attention and gave {signed(given[key])} of "
                f"the head's {signed(value)}."
            )
        yield asked.stop(key_of_step, said, head=head, key=key)
    first, name = keys[0], tokens.name
    end = replace(asked, position=first)
    yield end.stop(
        f"{name}.tokens.ids" if name else "tokens.ids",
        f"“{tokens.label(first)}” is token {first + 1} of {tokens.n}: here the way "
        f"ends, in the {TEXTS[name]}.",
    )


def _feed_forward(asked: _Question, path: str, value: float) -> Iterator[TourStop]:
    """What the feed-forward network added, and its largest neuron."""
    if asked.trace.config.n_experts:
        yield from _experts(asked, path, value)
        return
    given = neuron_parts(asked.trace, path, asked.position, asked.token_id)
    neuron = int(given.argmax())
    layer = _layer(asked, path)
    yield asked.stop(
        f"{path}.out",
        f"{_first_up(layer)} feed-forward added {signed(value)} {asked.of_logit}; the "
        f"largest part of it is neuron {neuron + 1} ({signed(float(given[neuron]))}).",
        feature=asked.added_feature(f"{path}.out"),
    )
    active = asked.trace.value(f"{path}.active", (asked.position, neuron))
    yield asked.stop(
        f"{path}.active",
        f"Neuron {neuron + 1} of {layer} stands at {short(active)}; times its row of "
        f"W_2 that added {signed(float(given[neuron]))}.",
        feature=neuron,
    )


def _layer(asked: _Question, path: str) -> str:
    """The layer of a feed-forward network: "layer 2"."""
    layer = asked.trace.step(f"{path}.out").layer
    assert layer is not None
    return f"layer {layer + 1}"


def _experts(asked: _Question, path: str, value: float) -> Iterator[TourStop]:
    """What the experts added, and why the one that added most was asked."""
    given = expert_parts(asked.trace, path, asked.position, asked.token_id)
    expert, layer = int(given.argmax()), _first_up(_layer(asked, path))
    yield asked.stop(
        f"{path}.out",
        f"{layer} feed-forward added {signed(value)} {asked.of_logit}; the largest "
        f"part of it is expert {expert + 1}'s ({signed(float(given[expert]))}).",
        feature=asked.added_feature(f"{path}.out"),
    )
    weight = asked.trace.value(f"{path}.chosen", (asked.position, expert))
    yield asked.stop(
        f"{path}.chosen",
        f"The router gave expert {expert + 1} the weight {short(weight)} for this "
        "token.",
        expert=expert,
    )


def _first_up(name: str) -> str:
    return name[0].upper() + name[1:]
