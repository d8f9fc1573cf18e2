"""Which part of each input a part of a step needs.

An index has one entry per axis: a number for one place, None for all of them. Each op
has a signature such as "h q d, g k d -> h q k": a letter shared with the output is
taken at the output's place, any other letter in full. A capital letter is always
needed in full (a softmax needs its whole row). "." is a number without axes, "*" stands
for all axes of the output; "g" is the key head that query head "h" uses.
"""

from core.config import ModelConfig
from core.trace.steps import Step

Index = tuple[int | None, ...]

SIGNATURES = {
    "same": "* -> *",
    "add": "*, *, * -> *",
    "lookup": "n, V d -> n d",
    "scale_embedding": "*, . -> *",
    "sinusoid": "n, ., . -> n D",
    "sinusoid_halves": "n, ., . -> n D",
    "layer_norm": "n D, ., D, D -> n D",
    "rms_norm": "n D, ., D -> n D",
    "linear": "n i, i o, o -> n o",
    "project_heads": "n i, i h d, h d -> h n d",
    "ask_experts": "n i, e i o, e o -> e n o",
    "map_experts": "e n i, e i o, e o -> e n o",
    "choose": "n E, . -> n E",
    "weigh_experts": "n e, e n o -> n o",
    "norm_heads": "h n D, ., D -> h n D",
    "rotate": "h n D, n, . -> h n D",
    "rotate_linear": "h n D, n, ., . -> h n D",
    "rotate_llama3": "h n D, n, ., ., ., ., . -> h n D",
    "dot_products": "h q d, g k d -> h q k",
    "scale": "*, . -> *",
    "relative_bias": "q, k, B h, . -> h q k",
    "relative_bias_back": "q, k, B h, . -> h q k",
    "mask": "h q k, q k -> h q k",
    "softmax": "*! -> *!",
    "mix": "h q k, g k d -> h q d",
    "concat": "H n D -> n F",
    "first_row": "N d -> n d",
    "tanh": "* -> *",
    "relu": "* -> *",
    "gelu": "* -> *",
    "gelu_tanh": "* -> *",
    "silu": "* -> *",
    "gate": "*, *, . -> *",
    "unembed": "n i, v i, v -> n v",
    "largest": "n V -> n",
}

SUMS_OF_PRODUCTS = (
    "linear",
    "project_heads",
    "dot_products",
    "mix",
    "unembed",
    "ask_experts",
    "map_experts",
    "weigh_experts",
)


def input_letters(op: str) -> tuple[str, ...]:
    """The axes of each input, a letter each: ("hqd", "gkd")."""
    inputs, _ = SIGNATURES[op].split(" -> ")
    return tuple(letters.replace(" ", "") for letters in inputs.split(","))


def places(step: Step, index: Index, config: ModelConfig) -> dict[str, int | None]:
    """What each letter of the op's signature stands for at `index` of the output."""
    _, output = SIGNATURES[step.op].split(" -> ")
    found = dict(zip(output.replace(" ", ""), index, strict=False))
    head = found.get("h")
    found["g"] = None if head is None else head // config.n_queries_per_key
    return found


def needs(step: Step, index: Index, config: ModelConfig) -> tuple[Index, ...]:
    """The part of each input that the part `index` of the step is computed from."""
    at = places(step, index, config)
    parts: list[Index] = []
    for letters in input_letters(step.op)[: len(step.inputs)]:
        if letters == "*":
            parts.append(index)
        elif letters == "*!":
            parts.append((*index[:-1], None))
        elif letters == ".":
            parts.append(())
        else:
            parts.append(tuple(_place(letter, at) for letter in letters))
    return tuple(parts)


def _place(letter: str, at: dict[str, int | None]) -> int | None:
    return None if letter.isupper() else at.get(letter)
