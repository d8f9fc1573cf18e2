"""The rows of one layer: attention, cross attention, feed-forward, and their sums.

In: a configuration and where the layer stands. Out: rows in the order of computation.
"""

from core.config import ROTARY_FIELDS, ModelConfig
from core.trace.step import (
    ANSWERS,
    CROSS,
    DECODER,
    ENCODER,
    HIDDEN,
    HIDDENS,
    JOINED,
    KEY_HEADS,
    QUERY_HEADS,
    ROUTED,
    SQUARE,
    STREAM,
    Step,
    on_side,
    side_of,
)

CROSS_MASK = "decoder.cross_mask"
"""Which tokens of the source the decoder may look at: [n_query, n_key]."""
MEMORY = "encoder.output.norm"
"""What the decoder looks at, where the encoder's last rows are normed."""


def layer_steps(config: ModelConfig, layer: str, stream: str) -> list[Step]:
    """One layer, such as "layers.0" or "decoder.layers.0", that reads `stream`.

    A part reads the stream, or a normed copy of it, and is added to it; with norm_place
    "post" the norm follows the sum. Only a decoder has the part in the middle.
    """
    rows = [Step(f"{layer}.resid_in", "same", (stream,), STREAM, "X")]
    parts = [("attn", "resid_mid", r"\text{Attention}")]
    if side_of(layer) == DECODER:
        parts.append((CROSS, "resid_cross", r"\text{Cross attention}"))
    parts.append(("ffn", "resid_out", r"\text{FFN}"))
    before = "X"
    for name, total, word in parts:
        after = f"{before}'"
        source, path, key = rows[-1].key, f"{layer}.{name}", f"{layer}.{total}"
        if name == "ffn" and not config.feed_forward:
            rows.append(Step(key, "same", (source,), STREAM, f"{after} = {before}"))
            continue
        if config.reads_normed:
            rows.append(norm_step(config, f"{path}.norm", source, before))
        rows += _part_steps(config, path, rows[-1].key)
        out = rows[-1].key
        if config.residual:
            formula = f"{after} = {before} + {word}"
            rows.append(Step(key, "add", (source, out), STREAM, formula))
        else:
            rows.append(Step(key, "same", (out,), STREAM, f"{after} = {word}"))
        if config.norm_place == "post":
            rows.append(norm_step(config, f"{path}.norm", key, after))
        before = after
    return rows


def _part_steps(config: ModelConfig, path: str, source: str) -> list[Step]:
    if path.endswith("ffn"):
        think = _expert_steps if config.n_experts else _feed_forward_steps
        return think(config, path, source)
    return _attention_steps(config, path, source)


def memory_key(config: ModelConfig) -> str:
    """The encoder's last rows, which every layer of the decoder looks at."""
    if config.reads_normed:
        return MEMORY
    last = f"encoder.layers.{config.n_encoder_layers - 1}"
    return f"{last}.ffn.norm" if config.norm_place == "post" else f"{last}.resid_out"


def _attention_steps(config: ModelConfig, attn: str, source: str) -> list[Step]:
    is_cross = attn.endswith(CROSS)
    looks = (source, r"\hat X")
    is_seen = (memory_key(config), "X_{enc}") if is_cross else looks

    def project(letter: str, axes: tuple[str, ...]) -> Step:
        weights = _with_bias(config, f"{attn}.W_{letter}", f"{attn}.b_{letter}")
        read, rows = looks if letter == "Q" else is_seen
        formula = rf"{letter} = {rows} W_{letter}" + plus(config, f"b_{letter}")
        key = f"{attn}.{letter.lower()}"
        return Step(key, "project_heads", (read, *weights), axes, formula)

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
    rows += _shares(config, attn, q, k)
    heads, joined = f"{attn}.heads", f"{attn}.concat"
    wide = STREAM if config.d_heads == config.d_model else JOINED
    return [
        *rows,
        Step(heads, "mix", (rows[-1].key, v), QUERY_HEADS, "H = A V"),
        Step(joined, "concat", (heads,), wide, r"(H_1 \,|\, \dots \,|\, H_h)"),
        _mixed(config, attn, joined),
    ]


def _shares(config: ModelConfig, attn: str, q: str, k: str) -> list[Step]:
    """From queries and keys to the pattern: product, scale, shift, mask, softmax."""
    root = "Q K^T"
    rows = [Step(f"{attn}.scores", "dot_products", (q, k), SQUARE, "S = Q K^T")]
    if config.scale_scores:
        root = r"\frac{Q K^T}{\sqrt{d_{head}}}"
        inputs, formula = (rows[-1].key, "config.d_head"), rf"S' = {root}"
        rows.append(Step(f"{attn}.scaled", "scale", inputs, SQUARE, formula))
    if is_shifted(config, attn):
        rows += _shift(config, attn, rows[-1].key)
        root += " + B"
    hidden = CROSS_MASK if attn.endswith(CROSS) else on_side(attn, "mask")
    inputs = (rows[-1].key, hidden)
    rows.append(Step(f"{attn}.masked", "mask", inputs, SQUARE, "S'' = S' + M"))
    softmax = rf"A = \text{{softmax}}\left({root} + M\right)"
    masked = rows[-1].key
    return [*rows, Step(f"{attn}.pattern", "softmax", (masked,), SQUARE, softmax)]


def is_shifted(config: ModelConfig, attn: str) -> bool:
    """Whether an attention's scores are shifted by distance; between texts none is."""
    return config.position == "relative" and not attn.endswith(CROSS)


def _shift(config: ModelConfig, attn: str, scores: str) -> list[Step]:
    """Scores, shifted by a learned number for each distance."""
    is_both = side_of(attn) == ENCODER or config.attention == "both"
    op = "relative_bias" if is_both else "relative_bias_back"
    places, table = on_side(attn, "positions"), on_side(attn, "embed.W_B")
    inputs = (places, places, table, "config.relative_distance")
    bias, formula = f"{attn}.bias", r"B_{qk} = W_B[\text{bucket}(k - q)]"
    return [
        Step(bias, op, inputs, SQUARE, formula),
        Step(f"{attn}.biased", "add", (scores, bias), SQUARE, "S' = S + B"),
    ]


def _mixed(config: ModelConfig, attn: str, joined: str) -> Step:
    """All heads mixed into one row a token."""
    if not config.mix_heads:
        return Step(f"{attn}.out", "same", (joined,), STREAM, "O = H")
    weights = _with_bias(config, f"{attn}.W_O", f"{attn}.b_O")
    formula = r"O = (H_1 \,|\, \dots \,|\, H_h) \, W_O" + plus(config, "b_O")
    return Step(f"{attn}.out", "linear", (joined, *weights), STREAM, formula)


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
    if config.position != "rotary" or attn.endswith(CROSS):
        return []
    scaling = config.rotary_scaling
    op = "rotate" if scaling == "none" else f"rotate_{scaling}"
    given = (
        on_side(attn, "positions"),
        *(f"config.{name}" for name in ROTARY_FIELDS[scaling]),
    )
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
    formula = r"\text{FFN} = F \, W_2" + plus(config, "b_2")
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
    answers, formula = f"{ffn}.experts", r"Y_e = F_e \, W_2" + plus(config, "b_2")
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
        formula = rf"{letter} = \hat X W_{name}" + plus(config, f"b_{name}")
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


def norm_step(config: ModelConfig, key: str, source: str, symbol: str) -> Step:
    """A norm of rows."""
    inputs = (source, "config.eps", f"{key}.gamma")
    if config.norm == "rms_norm":
        whole = f"({symbol})" if "'" in symbol else symbol
        bottom = rf"\sqrt{{\overline{{{whole}^2}} + \epsilon}}"
        formula = rf"\hat X = \frac{{{symbol}}}{{{bottom}}} \odot \gamma"
        return Step(key, "rms_norm", inputs, STREAM, formula)
    bottom = r"\sqrt{\sigma^2 + \epsilon}"
    formula = rf"\hat X = \frac{{{symbol} - \mu}}{{{bottom}}} \odot \gamma"
    formula += plus(config, r"\beta")
    weights = (f"{key}.beta",) if config.bias else ()
    return Step(key, "layer_norm", (*inputs, *weights), STREAM, formula)


def _with_bias(config: ModelConfig, weight: str, bias: str) -> tuple[str, ...]:
    return (weight, bias) if config.has_bias(bias) else (weight,)


def plus(config: ModelConfig, bias: str) -> str:
    """What stands behind a product in a formula, where a bias is added."""
    return f" + {bias}" if config.has_bias(bias) else ""
