"""One row of the table of steps, and what can be told from its key.

A key is made of a side ("encoder", "decoder"; none in a model of one stack), a layer, a
part and a name: "decoder.layers.2.cross.q".
"""

from dataclasses import dataclass
from functools import lru_cache

ENCODER, DECODER, ONE = "encoder", "decoder", ""
"""Sides of a model; a model of one stack has a single one, without a name."""
CROSS = "cross"
"""The part of a decoder's layer that looks at what the encoder made."""

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

TOKEN_AXES = ("n", "n_query", "n_key")
"""Axes that count tokens; whose tokens, `Step.side_of` tells."""
TOKEN_OPS = ("split", "merge", "number")
"""Ops of the tokenizer; their values are texts and ids, not arrays of the model."""
ROWS_OF_KEYS = ("attn.k", "attn.k_normed", "attn.k_rotated", "attn.v")
"""Names of steps whose rows belong to the tokens looked at, not to who looks."""

MOST_KEYS = 8192
"""Keys whose parts are remembered: a step of the walk asks for those of all steps."""


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
    def side(self) -> str:
        """Whose tokens its rows are: "encoder", "decoder"; "" for the only ones."""
        return side_of(self.key)

    @property
    def layer(self) -> int | None:
        """The layer of its side it belongs to, from 0; None outside the layers."""
        return layer_of(self.key)

    @property
    def is_cross(self) -> bool:
        """Whether it is a step of the attention that looks at the other side."""
        return part_of(self.key) == CROSS

    @property
    def name(self) -> str:
        """The key without side and layer: "attn.q", "embed.sum".

        Steps of the cross attention are called as those of any attention.
        """
        return name_of(self.key)

    @property
    def is_replaced(self) -> bool:
        """Whether a place of the stream takes over what a part made, without a sum."""
        return self.op == "same" and self.inputs[0].endswith(".out")

    @property
    def attention(self) -> str:
        """The path of its attention, "decoder.layers.0.cross"; or ""."""
        path, _, _ = self.key.rpartition(".")
        return path if self.name.startswith("attn.") else ""

    def side_of(self, axis: str) -> str:
        """Whose tokens an axis counts: the encoder's, for the keys of a decoder."""
        is_key = axis == "n_key" or (axis == "n" and self.name in ROWS_OF_KEYS)
        return ENCODER if self.is_cross and is_key else self.side


@lru_cache(maxsize=MOST_KEYS)
def side_of(key: str) -> str:
    """The side that a key or an address begins with; "" for none."""
    first = key.partition(".")[0]
    return first if first in (ENCODER, DECODER) else ONE


def on_side(key: str, name: str) -> str:
    """A name with the side of a key in front: "encoder.positions"."""
    return address_on(side_of(key), name)


def address_on(side: str, name: str) -> str:
    """A name on a side of a model: "encoder.embed.sum"; on the only one as it is."""
    return f"{side}.{name}" if side else name


@lru_cache(maxsize=MOST_KEYS)
def name_of(key: str) -> str:
    """A key or an address without side and layer; of cross attention as of any."""
    own = own_name_of(key)
    return f"attn.{own.removeprefix('cross.')}" if own.startswith("cross.") else own


@lru_cache(maxsize=MOST_KEYS)
def own_name_of(key: str) -> str:
    """The same, but cross attention has its own: "cross.q", "cross.W_Q"."""
    inside = _inside(key)
    return inside.split(".", 2)[2] if inside.startswith("layers.") else inside


@lru_cache(maxsize=MOST_KEYS)
def part_of(key: str) -> str:
    """The part of a layer: "attn", "cross", "ffn"; "" for what is in none."""
    parts = _inside(key).split(".")
    return parts[2] if parts[0] == "layers" and len(parts) > 3 else ""


@lru_cache(maxsize=MOST_KEYS)
def layer_of(key: str) -> int | None:
    """The layer of a key or an address, from 0; None outside the layers."""
    parts = _inside(key).split(".")
    return int(parts[1]) if parts[0] == "layers" else None


def layer_path(key: str) -> str:
    """The path of the layer that a key is in: "decoder.layers.0"; "" outside them."""
    parts = _inside(key).split(".")
    return on_side(key, f"layers.{parts[1]}") if parts[0] == "layers" else ""


def _inside(key: str) -> str:
    """What follows the side."""
    side = side_of(key)
    return key.removeprefix(f"{side}.") if side else key
