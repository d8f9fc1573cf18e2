"""THE TABLE: every computation of a model, in the order in which it happens.

`steps_for(config)` is what the forward pass announces, the trace keeps or derives, the
stepper walks, the panels claim, the lessons speak of and the tests check. A row names
its `op`, a function of `core.model.functions`, and the `inputs` that function takes, in
order. An input is an address:

- another step ("layers.0.attn.q"),
- a weight ("layers.0.attn.W_Q"),
- a field of the configuration ("config.d_head"),
- or a given: "text", "positions" [n], "segments" [n], "mask" [n_query, n_key].

A model of two sides has the rows of an encoder and then those of a decoder, each with
the side in front ("encoder.layers.0.attn.q"), and one output.

Adding an architecture is adding rows here.
"""

from functools import lru_cache

from core.config import ModelConfig
from core.trace.layer_steps import (
    ACTIVATION_NAMES,
    MEMORY,
    layer_steps,
    norm_step,
)
from core.trace.step import (
    DECODER,
    ENCODER,
    FIRST,
    ONE,
    STREAM,
    TOKEN_OPS,
    TOKENS,
    VOCABULARY,
    Step,
    address_on,
    name_of,
    side_of,
)

__all__ = [
    "ACTIVATION_NAMES",
    "TOKEN_OPS",
    "Step",
    "axis_sizes",
    "kept_keys",
    "layers_of",
    "sides_of",
    "step_shape",
    "steps_for",
]

Shape = tuple[int, ...]
TABLE = "embed.W_E"
"""The rows of all tokens, which both sides look up."""
KEPT_NAMES = (
    "embed.sum",
    "resid_in",
    "attn.q",
    "attn.k",
    "attn.v",
    "attn.heads",
    "resid_mid",
    "resid_cross",
)


@lru_cache(maxsize=64)
def steps_for(config: ModelConfig) -> tuple[Step, ...]:
    """Every step of a model with this configuration, in order of computation."""
    rows: list[Step] = []
    for side in sides_of(config):
        rows += _side_steps(config, side)
    return (*rows, *_output_steps(config, rows[-1].key))


def sides_of(config: ModelConfig) -> tuple[str, ...]:
    """The sides that tokens are read on, in order: one without a name, or two."""
    return (ENCODER, DECODER) if config.has_encoder else (ONE,)


def layers_of(config: ModelConfig) -> tuple[str, ...]:
    """The path of every layer in order: "layers.0", or "encoder.layers.0"."""
    paths = []
    for side in sides_of(config):
        n = config.n_encoder_layers if side == ENCODER else config.n_layers
        paths += [address_on(side, f"layers.{i}") for i in range(n)]
    return tuple(paths)


def axis_sizes(config: ModelConfig, n: int) -> dict[str, int]:
    """The length of every axis for a text of `n` tokens on a side of its own."""
    return {
        "n": n,
        "n_first": 1,
        "n_query": n,
        "n_key": n,
        "d_model": config.d_model,
        "n_heads": config.n_heads,
        "n_kv_heads": config.n_kv_heads,
        "d_head": config.d_head,
        "d_heads": config.d_heads,
        "d_ff": config.d_ff,
        "n_experts": config.n_experts,
        "n_vocab": config.n_vocab,
    }


def step_shape(step: Step, config: ModelConfig, n: int, n_source: int = 0) -> Shape:
    """The shape of a step's value, for `n` tokens and those of a source."""
    sizes = {
        side: axis_sizes(config, n_source if side == ENCODER else n)
        for side in sides_of(config)
    }
    sizes.setdefault(ONE, axis_sizes(config, n))
    return tuple(sizes[step.side_of(axis)][axis] for axis in step.axes)


@lru_cache(maxsize=64)
def kept_keys(config: ModelConfig) -> frozenset[str]:
    """The steps a forward pass keeps; every other one follows from them."""
    layers = layers_of(config)
    last = {f"{path}.resid_out" for path in layers if _is_last(path, layers)}
    return frozenset(
        step.key
        for step in steps_for(config)
        if step.name in KEPT_NAMES or step.key in last
    )


def _is_last(path: str, layers: tuple[str, ...]) -> bool:
    stack, _, number = path.rpartition(".")
    return f"{stack}.{int(number) + 1}" not in layers


def _side_steps(config: ModelConfig, side: str) -> list[Step]:
    """From the text of a side to its last layer, and the norm behind an encoder's."""
    rows = [*_token_steps(side), *_embed_steps(config, side)]
    for path in layers_of(config):
        if side_of(path) == side:
            rows += layer_steps(config, path, rows[-1].key)
    if side == ENCODER and config.reads_normed:
        rows.append(norm_step(config, MEMORY, rows[-1].key, "X"))
    return rows


def _token_steps(side: str) -> list[Step]:
    names = ("text", "tokens.pieces", "tokens.merges", "tokens.ids")
    text, words, merges, number = (address_on(side, name) for name in names)
    split, formula = r"\text{text} \to w_1, w_2, \dots", r"t_i = \text{id}(i)"
    return [
        Step(words, "split", (text,), (), split),
        Step(merges, "merge", (words,), (), r"(a, b) \to ab"),
        Step(number, "number", (merges,), TOKENS, formula),
    ]


def _embed_steps(config: ModelConfig, side: str) -> list[Step]:
    key, read = address_on(side, "embed.token"), (address_on(side, "tokens.ids"), TABLE)
    rows = [Step(key, "lookup", read, STREAM, r"E = W_E[t]")]
    if config.scale_embeddings:
        inputs = (rows[-1].key, "config.d_model")
        formula = r"E' = E \cdot \sqrt{d_{model}}"
        key = address_on(side, "embed.scaled")
        rows.append(Step(key, "scale_embedding", inputs, STREAM, formula))
    added = [rows[-1].key]
    key, places = address_on(side, "embed.position"), address_on(side, "positions")
    if config.position == "sinusoidal":
        wave = rf"\frac{{p}}{{{config.sinusoid_base:g}^{{2i/d_{{model}}}}}}"
        sine, cosine = "2i", "2i+1"
        if config.sinusoid_halves:
            sine, cosine = "i", "i+d_{model}/2"
        formula = rf"P_{{p,{sine}}} = \sin{wave}, \quad P_{{p,{cosine}}} = \cos{wave}"
        waves = (places, "config.d_model", "config.sinusoid_base")
        op = "sinusoid_halves" if config.sinusoid_halves else "sinusoid"
        rows.append(Step(key, op, waves, STREAM, formula))
    elif config.position == "learned":
        inputs = (places, f"{key}.W_P")
        rows.append(Step(key, "lookup", inputs, STREAM, r"P = W_P[p]"))
    added += [row.key for row in rows if row.key == key]
    if config.n_segments:
        inputs = ("segments", "embed.W_S")
        rows.append(Step("embed.segment", "lookup", inputs, STREAM, r"S = W_S[s]"))
        added.append(rows[-1].key)
    if len(added) > 1:
        letters = " + ".join(SUMMANDS[name_of(each)] for each in added)
        key, formula = address_on(side, "embed.sum"), f"X = {letters}"
        rows.append(Step(key, "add", tuple(added), STREAM, formula))
    if config.norm_embeddings:
        key = address_on(side, "embed.norm")
        rows.append(norm_step(config, key, rows[-1].key, "X"))
    return rows


SUMMANDS = {
    "embed.token": "E",
    "embed.scaled": "E'",
    "embed.position": "P",
    "embed.segment": "S",
}
"""Letters of what is added up before the first layer."""


def _output_steps(config: ModelConfig, stream: str) -> list[Step]:
    if not config.has_logits:
        return _pooled_steps(config, stream)
    rows = _before_logits(config, stream)
    stream = rows[-1].key if rows else stream
    logits, probs, pick = "output.logits", "output.probs", "output.pick"
    row = r"\hat X'" if config.scale_output else r"\hat X"
    if config.tie_embeddings:
        op, table, formula = "unembed", TABLE, f"L = {row} W_E^T"
    else:
        op, table, formula = "linear", "output.W_U", f"L = {row} W_U"
    weights: tuple[str, ...] = (table,)
    if config.output_bias or config.output_head == "masked":
        weights, formula = (table, "output.b_U"), f"{formula} + b_U"
    rows.append(Step(logits, op, (stream, *weights), VOCABULARY, formula))
    softmax = r"p_t = \frac{e^{L_t}}{\sum_u e^{L_u}}"
    return [
        *rows,
        Step(probs, "softmax", (logits,), VOCABULARY, softmax),
        Step(pick, "largest", (probs,), TOKENS, r"t_{next} = \text{argmax}_t \; p_t"),
    ]


def _pooled_steps(config: ModelConfig, stream: str) -> list[Step]:
    """The row of the first token, made to stand for the whole text."""
    if config.output_head == "none":
        return []
    first, dense = "output.first", "output.dense"
    weights = ("output.W_T", "output.b_T")
    return [
        Step(first, "first_row", (stream,), FIRST, "C = X_1"),
        Step(dense, "linear", (first, *weights), FIRST, "Z = C W_T + b_T"),
        Step("output.pooled", "tanh", (dense,), FIRST, r"P = \tanh(Z)"),
    ]


def _before_logits(config: ModelConfig, stream: str) -> list[Step]:
    """What happens to the stream before it is compared with every token."""
    if config.output_head == "masked":
        dense, active = "output.dense", "output.active"
        weights = ("output.W_T", "output.b_T")
        bend = rf"F = \text{{{ACTIVATION_NAMES[config.activation]}}}(Z)"
        return [
            Step(dense, "linear", (stream, *weights), STREAM, "Z = X W_T + b_T"),
            Step(active, config.activation, (dense,), STREAM, bend),
            norm_step(config, "output.norm", active, "F"),
        ]
    rows = []
    if config.reads_normed:
        rows.append(norm_step(config, "output.norm", stream, "X"))
    if config.scale_output:
        inputs = (rows[-1].key if rows else stream, "config.d_model")
        formula = r"\hat X' = \frac{\hat X}{\sqrt{d_{model}}}"
        rows.append(Step("output.scaled", "scale", inputs, STREAM, formula))
    return rows
