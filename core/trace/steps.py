"""THE TABLE: every computation of a model, in the order in which it happens.

`steps_for(config)` is what the forward pass announces, the trace keeps or derives, the
stepper walks, the panels claim, the lessons speak of and the tests check. A row names
its `op`, a function of `core.model.functions`, and the `inputs` that function takes, in
order. An input is an address:

- another step ("layers.0.attn.q"),
- a weight ("layers.0.attn.W_Q"),
- a field of the configuration ("config.d_head"),
- or a given: "text", "positions" [n], "segments" [n], "mask" [n_query, n_key].

Adding an architecture is adding rows here.
"""

from dataclasses import dataclass
from functools import lru_cache

from core.config import ROTARY_FIELDS, ModelConfig

TOKENS = ("n",)
STREAM = ("n", "d_model")
QUERY_HEADS = ("n_heads", "n", "d_head")
KEY_HEADS = ("n_kv_heads", "n", "d_head")
SQUARE = ("n_heads", "n_query", "n_key")
HIDDEN = ("n", "d_ff")
ROUTED = ("n", "n_experts")
HIDDENS = ("n_experts", "n", "d_ff")
ANSWERS = ("n_experts", "n", "d_model")
JOINED = ("n", "d_heads")
VOCABULARY = ("n", "n_vocab")
FIRST = ("n_first", "d_model")

TOKEN_OPS = ("split", "merge", "number")
"""Ops of the tokenizer; their values are texts and ids, not arrays of the model."""


@dataclass(frozen=True, slots=True)
class Step:
    """One computation."""

    key: str
    """Its name, and an attribute path of the trace: "layers.2.attn.q"."""
    op: str
    """The function of `core.model.functions` that computes it."""
    inputs: tuple[str, ...]
    """Addresses of the function's arguments, in order."""
    axes: tuple[str, ...]
    """What each axis of the value counts; names as in `axis_sizes`."""
    formula: str
    """The equation, in LaTeX."""

    @property
    def layer(self) -> int | None:
        """The layer it belongs to, from 0; None before and after the layers."""
        parts = self.key.split(".")
        return int(parts[1]) if parts[0] == "layers" else None

    @property
    def name(self) -> str:
        """The key without its layer: "attn.q", "embed.sum"."""
        return self.key.split(".", 2)[2] if self.layer is not None else self.key


@lru_cache(maxsize=64)
def steps_for(config: ModelConfig) -> tuple[Step, ...]:
    """Every step of a model with this configuration, in order of computation."""
    rows = [*_token_steps(), *_embed_steps(config)]
    stream = rows[-1].key
    for layer in range(config.n_layers):
        rows += _layer_steps(config, f"layers.{layer}", stream)
        stream = rows[-1].key
    return (*rows, *_output_steps(config, stream))


def axis_sizes(config: ModelConfig, n: int) -> dict[str, int]:
    """The length of every axis for a sentence of `n` tokens."""
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


@lru_cache(maxsize=64)
def kept_keys(config: ModelConfig) -> frozenset[str]:
    """The steps a forward pass keeps; every other one follows from them."""
    parts = ("resid_in", "attn.q", "attn.k", "attn.v", "attn.heads", "resid_mid")
    layers = {f"layers.{i}.{part}" for i in range(config.n_layers) for part in parts}
    return frozenset(layers | {"embed.sum", f"layers.{config.n_layers - 1}.resid_out"})


def _token_steps() -> list[Step]:
    return [
        Step(
            "tokens.pieces", "split", ("text",), (), r"\text{text} \to w_1, w_2, \dots"
        ),
        Step("tokens.merges", "merge", ("tokens.pieces",), (), r"(a, b) \to ab"),
        Step("tokens.ids", "number", ("tokens.merges",), TOKENS, r"t_i = \text{id}(i)"),
    ]


def _embed_steps(config: ModelConfig) -> list[Step]:
    table = "embed.W_E"
    rows = [Step("embed.token", "lookup", ("tokens.ids", table), STREAM, r"E = W_E[t]")]
    if config.scale_embeddings:
        inputs = (rows[-1].key, "config.d_model")
        formula = r"E' = E \cdot \sqrt{d_{model}}"
        rows.append(Step("embed.scaled", "scale_embedding", inputs, STREAM, formula))
    added = [rows[-1].key]
    key = "embed.position"
    if config.position == "sinusoidal":
        wave = rf"\frac{{p}}{{{config.sinusoid_base:g}^{{2i/d_{{model}}}}}}"
        formula = rf"P_{{p,2i}} = \sin{wave}, \quad P_{{p,2i+1}} = \cos{wave}"
        waves = ("positions", "config.d_model", "config.sinusoid_base")
        rows.append(Step(key, "sinusoid", waves, STREAM, formula))
    elif config.position == "learned":
        inputs = ("positions", "embed.position.W_P")
        rows.append(Step(key, "lookup", inputs, STREAM, r"P = W_P[p]"))
    added += [row.key for row in rows if row.key == key]
    if config.n_segments:
        inputs = ("segments", "embed.W_S")
        rows.append(Step("embed.segment", "lookup", inputs, STREAM, r"S = W_S[s]"))
        added.append(rows[-1].key)
    if len(added) > 1:
        letters = " + ".join(SUMMANDS[name] for name in added)
        rows.append(Step("embed.sum", "add", tuple(added), STREAM, f"X = {letters}"))
    if config.norm_embeddings:
        rows.append(_norm(config, "embed.norm", rows[-1].key, "X"))
    return rows


SUMMANDS = {
    "embed.token": "E",
    "embed.scaled": "E'",
    "embed.position": "P",
    "embed.segment": "S",
}
"""Letters of what is added up before the first layer."""


def _layer_steps(config: ModelConfig, layer: str, stream: str) -> list[Step]:
    """One layer; with norm_place "post" the two norms follow their sums."""
    first = Step(f"{layer}.resid_in", "same", (stream,), STREAM, "X")
    rows = [first]
    pre = config.norm_place == "pre"

    def part(name: str, steps: list[Step], total: Step) -> None:
        rows.extend(steps)
        rows.append(total)
        if not pre:
            rows.append(_norm(config, f"{layer}.{name}.norm", total.key, "X'"))

    source = first.key
    reads_normed = pre and config.norm != "none"
    if reads_normed:
        rows.append(_norm(config, f"{layer}.attn.norm", source, "X"))
    out = f"{layer}.attn.out"
    key, formula = f"{layer}.resid_mid", r"X' = X + \text{Attention}"
    total = Step(key, "add", (source, out), STREAM, formula)
    part("attn", _attention_steps(config, f"{layer}.attn", rows[-1].key), total)

    source = rows[-1].key
    if not config.feed_forward:
        same = Step(f"{layer}.resid_out", "same", (source,), STREAM, "X'' = X'")
        return [*rows, same]
    if reads_normed:
        rows.append(_norm(config, f"{layer}.ffn.norm", source, "X'"))
    out = f"{layer}.ffn.out"
    key, formula = f"{layer}.resid_out", r"X'' = X' + \text{FFN}"
    total = Step(key, "add", (source, out), STREAM, formula)
    think = _expert_steps if config.n_experts else _feed_forward_steps
    part("ffn", think(config, f"{layer}.ffn", rows[-1].key), total)
    return rows


def _attention_steps(config: ModelConfig, attn: str, source: str) -> list[Step]:
    def project(letter: str, axes: tuple[str, ...]) -> Step:
        weights = _with_bias(config, f"{attn}.W_{letter}", f"{attn}.b_{letter}")
        formula = rf"{letter} = \hat X W_{letter}" + _plus(config, f"b_{letter}")
        key = f"{attn}.{letter.lower()}"
        return Step(key, "project_heads", (source, *weights), axes, formula)

    rows = [
        project("Q", QUERY_HEADS),
        project("K", KEY_HEADS),
        project("V", KEY_HEADS),
    ]
    q, k, v = (row.key for row in rows)
    for prepare in (_normed_heads, _rotated_heads):
        prepared = prepare(config, attn, q, k)
        if prepared:
            q, k = (row.key for row in prepared)
        rows += prepared
    scores, scaled, masked = f"{attn}.scores", f"{attn}.scaled", f"{attn}.masked"
    pattern, heads, joined = f"{attn}.pattern", f"{attn}.heads", f"{attn}.concat"
    root, out = r"\frac{Q K^T}{\sqrt{d_{head}}}", f"{attn}.out"
    softmax = rf"A = \text{{softmax}}\left({root} + M\right)"
    weights = _with_bias(config, f"{attn}.W_O", f"{attn}.b_O")
    wide = STREAM if config.d_heads == config.d_model else JOINED
    mixed = r"O = (H_1 \,|\, \dots \,|\, H_h) \, W_O" + _plus(config, "b_O")
    return [
        *rows,
        Step(scores, "dot_products", (q, k), SQUARE, "S = Q K^T"),
        Step(scaled, "scale", (scores, "config.d_head"), SQUARE, rf"S' = {root}"),
        Step(masked, "mask", (scaled, "mask"), SQUARE, "S'' = S' + M"),
        Step(pattern, "softmax", (masked,), SQUARE, softmax),
        Step(heads, "mix", (pattern, v), QUERY_HEADS, "H = A V"),
        Step(joined, "concat", (heads,), wide, r"(H_1 \,|\, \dots \,|\, H_h)"),
        Step(out, "linear", (joined, *weights), STREAM, mixed),
    ]


def _normed_heads(config: ModelConfig, attn: str, q: str, k: str) -> list[Step]:
    """Queries and keys, each head's rows normed by themselves."""
    if not config.norm_qk:
        return []
    rows = []
    for source, letter, axes in ((q, "q", QUERY_HEADS), (k, "k", KEY_HEADS)):
        key, x = f"{attn}.{letter}_normed", letter.upper()
        bottom = rf"\sqrt{{\overline{{{x}^2}} + \epsilon}}"
        formula = rf"\hat {x} = \frac{{{x}}}{{{bottom}}} \odot \gamma"
        inputs = (source, "config.eps", f"{key}.gamma")
        rows.append(Step(key, "norm_heads", inputs, axes, formula))
    return rows


def _rotated_heads(config: ModelConfig, attn: str, q: str, k: str) -> list[Step]:
    """Queries and keys, turned by their positions."""
    if config.position != "rotary":
        return []
    scaling = config.rotary_scaling
    op = "rotate" if scaling == "none" else f"rotate_{scaling}"
    given = ("positions", *(f"config.{name}" for name in ROTARY_FIELDS[scaling]))
    rows = []
    for source, letter, axes in ((q, "q", QUERY_HEADS), (k, "k", KEY_HEADS)):
        hat = r"\hat " if config.norm_qk else ""
        formula = rf"\tilde {letter.upper()}_p = R_p \, {hat}{letter.upper()}_p"
        rows.append(
            Step(f"{attn}.{letter}_rotated", op, (source, *given), axes, formula)
        )
    return rows


def _feed_forward_steps(config: ModelConfig, ffn: str, source: str) -> list[Step]:
    rows = _hidden_steps(config, ffn, source, "linear", HIDDEN)
    weights = _with_bias(config, f"{ffn}.W_2", f"{ffn}.b_2")
    formula = r"\text{FFN} = F \, W_2" + _plus(config, "b_2")
    inputs = (rows[-1].key, *weights)
    return [*rows, Step(f"{ffn}.out", "linear", inputs, STREAM, formula)]


def _expert_steps(config: ModelConfig, ffn: str, source: str) -> list[Step]:
    """Many networks, and a router that weighs a few of them for each token."""
    router, shares, chosen = f"{ffn}.router", f"{ffn}.shares", f"{ffn}.chosen"
    rows = [
        Step(router, "linear", (source, f"{ffn}.W_R"), ROUTED, r"R = \hat X W_R"),
        Step(shares, "softmax", (router,), ROUTED, r"p_e = \text{softmax}_e(R)"),
        Step(
            chosen,
            "choose",
            (shares, "config.n_experts_per_token"),
            ROUTED,
            r"w_e = \frac{p_e}{\sum_{c \in \text{chosen}} p_c}, \quad \text{or } 0",
        ),
        *_hidden_steps(config, ffn, source, "ask_experts", HIDDENS),
    ]
    weights = _with_bias(config, f"{ffn}.W_2", f"{ffn}.b_2")
    answers, formula = f"{ffn}.experts", r"Y_e = F_e \, W_2" + _plus(config, "b_2")
    inputs = (rows[-1].key, *weights)
    rows.append(Step(answers, "map_experts", inputs, ANSWERS, formula))
    formula, inputs = r"\text{FFN} = \sum_e w_e \, Y_e", (chosen, answers)
    return [*rows, Step(f"{ffn}.out", "weigh_experts", inputs, STREAM, formula)]


def _hidden_steps(
    config: ModelConfig, ffn: str, source: str, op: str, axes: tuple[str, ...]
) -> list[Step]:
    """From a row to the hidden layer behind its bend; `op` widens the row."""

    def widen(key: str, letter: str, name: str) -> Step:
        weights = _with_bias(config, f"{ffn}.W_{name}", f"{ffn}.b_{name}")
        formula = rf"{letter} = \hat X W_{name}" + _plus(config, f"b_{name}")
        return Step(key, op, (source, *weights), axes, formula)

    bend = rf"\text{{{ACTIVATION_NAMES[config.activation]}}}"
    gate, hidden, active = f"{ffn}.gate", f"{ffn}.hidden", f"{ffn}.active"
    rows = [widen(gate, "G", "G")] if config.gated else []
    rows.append(widen(hidden, "Z", "1"))
    if config.gated:
        inputs = (gate, hidden, "config.activation")
        formula = rf"F = {bend}(G) \odot Z"
        return [*rows, Step(active, "gate", inputs, axes, formula)]
    formula = rf"F = {bend}(Z)"
    return [*rows, Step(active, config.activation, (hidden,), axes, formula)]


ACTIVATION_NAMES = {
    "relu": "ReLU",
    "gelu": "GELU",
    "gelu_tanh": "GELU-tanh",
    "silu": "SiLU",
}
"""How an activation is called in formulas and captions."""


def _output_steps(config: ModelConfig, stream: str) -> list[Step]:
    if not config.has_logits:
        return _pooled_steps(config, stream)
    rows = _before_logits(config, stream)
    stream = rows[-1].key if rows else stream
    logits, probs, pick = "output.logits", "output.probs", "output.pick"
    if config.tie_embeddings:
        op, table, formula = "unembed", "embed.W_E", r"L = \hat X W_E^T"
    else:
        op, table, formula = "linear", "output.W_U", r"L = \hat X W_U"
    weights: tuple[str, ...] = (table,)
    if config.output_head == "masked":
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
            _norm(config, "output.norm", active, "F"),
        ]
    if config.norm_place == "pre" and config.norm != "none":
        return [_norm(config, "output.norm", stream, "X")]
    return []


def _norm(config: ModelConfig, key: str, source: str, symbol: str) -> Step:
    inputs = (source, "config.eps", f"{key}.gamma")
    if config.norm == "rms_norm":
        bottom = rf"\sqrt{{\overline{{{symbol}^2}} + \epsilon}}"
        formula = rf"\hat X = \frac{{{symbol}}}{{{bottom}}} \odot \gamma"
        return Step(key, "rms_norm", inputs, STREAM, formula)
    bottom = r"\sqrt{\sigma^2 + \epsilon}"
    formula = rf"\hat X = \frac{{{symbol} - \mu}}{{{bottom}}} \odot \gamma"
    formula += _plus(config, r"\beta")
    weights = (f"{key}.beta",) if config.bias else ()
    return Step(key, "layer_norm", (*inputs, *weights), STREAM, formula)


def _with_bias(config: ModelConfig, weight: str, bias: str) -> tuple[str, ...]:
    return (weight, bias) if config.has_bias(bias) else (weight,)


def _plus(config: ModelConfig, bias: str) -> str:
    return f" + {bias}" if config.has_bias(bias) else ""
