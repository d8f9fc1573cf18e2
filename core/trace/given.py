"""What there is to say of a number that no step computed: a weight, an id, a place.

The end of every way back through the arithmetic. In: the address of such a number. Out:
one or two sentences: where it is from and what it does.
"""

from collections.abc import Callable

from core.config import ModelConfig
from core.trace.distances import reach_of, reach_words
from core.trace.step import CROSS, DECODER, ENCODER, name_of, part_of, side_of
from core.trace.steps import sides_of
from core.trace.token_side import TEXTS
from core.trace.trace import Trace

LEARNED = "Learned in training."
LabelOf = Callable[[int], str]

MEANINGS = {
    "W_E": "The row of {token} in the embedding table, id {id}: its feature {b}.",
    "W_P": "The row of position {a} in the table of positions: its feature {b}.",
    "W_S": "The row of segment {a} in the table of segments: its feature {b}.",
    "W_B": "Added to head {b}'s scores {where}.",
    "W_Q": "What feature {a} of the row adds to feature {c} of head {b}'s query.",
    "W_K": "What feature {a} of the row adds to feature {c} of key head {b}'s key.",
    "W_V": "What feature {a} of the row adds to feature {c} of key head {b}'s value.",
    "b_Q": "Added to feature {b} of every query of head {a}.",
    "b_K": "Added to feature {b} of every key of key head {a}.",
    "b_V": "Added to feature {b} of every value of key head {a}.",
    "W_O": "What feature {part} of head {head} adds to feature {b} of the stream.",
    "b_O": "Added to feature {a} of the stream, whatever the heads found.",
    "W_G": "What feature {a} of the row adds to the gate of neuron {b}.",
    "b_G": "Added to the gate of neuron {a}.",
    "W_1": "What feature {a} of the row adds to neuron {b}.",
    "b_1": "Added to neuron {a}.",
    "W_2": "What neuron {a} adds to feature {b} of the stream.",
    "b_2": "Added to feature {a} of the stream, whatever the neurons found.",
    "W_R": "What feature {a} of the row adds to the score of expert {b}.",
    "W_T": "What feature {a} of the last row adds to feature {b} of the head's row.",
    "b_T": "Added to feature {a} of the head's row, whatever the last row holds.",
    "b_U": "Added to the logit of {token}, id {id}, whatever the row holds.",
    "W_U": "What feature {a} of the last row adds to the logit of {token}, id {id}.",
    "gamma": "What feature {a} is multiplied by when the row has been normed.",
    "beta": "Added to feature {a} when the row has been normed.",
}
"""What one number of a weight does; ids count from 0, all else from 1."""

EVERY_TOKEN = "1: the key is a token, and every token may be looked at."
NO_PADDING = "0: the key is padding, so it may not be looked at."
START = (
    "The id of the token “{label}” in the vocabulary. The model puts it there: each "
    "text of its decoder begins so. Nobody typed it."
)

ID_AXES = {"W_E": 0, "W_U": 1, "b_U": 0}
"""The axis of a weight that counts the vocabulary."""


def given_note(
    trace: Trace, address: str, index: tuple[int, ...], label_of: LabelOf | None = None
) -> str:
    """The sentences for a number that was given.

    `label_of` names any id; without it only the sentence's own tokens have names.
    """
    kind, text = name_of(address), TEXTS[side_of(address)]
    if kind == "tokens.ids":
        return _id_note(trace, address, index[0])
    if kind == "positions":
        place = int(trace.value(address, index))
        return f"Token {index[0] + 1} of the {text} stands at position {place}."
    if kind == "segments":
        part = int(trace.value(address, index))
        return f"Token {index[0] + 1} of the {text} is of segment {part}."
    if kind in ("mask", "cross_mask"):
        may_look = bool(trace.value(address, index))
        return _mask_note(trace, address, *index, may_look=may_look)
    name = address.rpartition(".")[2]
    if is_of_expert(trace, address):
        expert, *index_of_it = index
        said = MEANINGS[name].format(**_names(trace, address, tuple(index_of_it)))
        return f"{LEARNED} {said} Of expert {expert + 1}."
    said = MEANINGS[name].format(**_names(trace, address, index, label_of))
    if name == "W_E" and _reads_off(trace.config):
        said += " The same row reads the token's logit off."
    return f"{LEARNED} {said}"


def is_of_expert(trace: Trace, address: str) -> bool:
    """Whether a weight has a matrix, or a row, for each expert: its first axis."""
    has_norm_or_router = address.endswith(("gamma", "beta", "W_R"))
    return trace.config.n_experts > 0 and ".ffn." in address and not has_norm_or_router


def _reads_off(config: ModelConfig) -> bool:
    """Whether the table of the embedding gives the logits, too."""
    return config.has_logits and config.tie_embeddings


def looks_both_ways(config: ModelConfig, address: str) -> bool:
    """Whether only padding is hidden in the attention of a step, or by a mask."""
    is_cross = CROSS in (part_of(address), name_of(address).partition("_")[0])
    return is_cross or side_of(address) == ENCODER or config.attention == "both"


def _where(config: ModelConfig, address: str, row: int) -> str:
    """Where a row of the table of shifts is added."""
    is_both = looks_both_ways(config, address)
    n_rows, farthest = config.relative_buckets, config.relative_distance
    reach = reach_of(row, n_rows, farthest, is_both=is_both)
    if reach is None:
        return "nowhere: no distance has this row"
    return f"where the key is {reach_words(reach)}"


def _names(
    trace: Trace,
    address: str,
    index: tuple[int, ...],
    label_of: LabelOf | None = None,
) -> dict[str, object]:
    """What may stand in a meaning."""
    name = address.rpartition(".")[2]
    names: dict[str, object] = {
        letter: place + 1 for letter, place in zip("abc", index, strict=False)
    }
    if name in ID_AXES:
        token_id = index[ID_AXES[name]]
        names |= {"id": token_id, "token": _token(trace, token_id, label_of)}
    if name == "W_B":
        names["where"] = _where(trace.config, address, index[0])
    head, part = divmod(index[0], trace.config.d_head)
    return names | {"head": head + 1, "part": part + 1}


def _token(trace: Trace, token_id: int, label_of: LabelOf | None) -> str:
    """The token's label in quotes, as far as it is known."""
    if label_of is not None:
        return f"“{label_of(token_id)}”"
    sides = (trace.tokens(side) for side in sides_of(trace.config))
    pieces = (piece for side in sides for piece in side.encoding.pieces)
    labels = (piece.label for piece in pieces if piece.id == token_id)
    return next((f"“{label}”" for label in labels), "the token")


def _id_note(trace: Trace, address: str, place: int) -> str:
    """The id's token, its bytes, and where it stands in the text."""
    piece = trace.tokens(side_of(address)).encoding.pieces[place]
    if piece.is_added and side_of(address) == DECODER:
        return START.format(label=piece.label)
    if piece.is_added:
        return (
            f"The id of the token “{piece.label}” in the vocabulary. The tokenizer "
            "puts it around every text; nobody typed it."
        )
    first, last = piece.char_span[0] + 1, piece.char_span[1]
    data = piece.data.hex(" ").upper()
    is_one_byte, is_one = len(piece.data) == 1, first == last
    where = f"character {first}" if is_one else f"characters {first} to {last}"
    return (
        f"The id of the token “{piece.label}” in the vocabulary. It is "
        f"{'the byte' if is_one_byte else 'the bytes'} {data}: {where} of the "
        f"{TEXTS[side_of(address)]}."
    )


def _mask_note(
    trace: Trace, address: str, query: int, key: int, *, may_look: bool
) -> str:
    if looks_both_ways(trace.config, address):
        return EVERY_TOKEN if may_look else NO_PADDING
    if may_look:
        return "1: the key does not come after the query, so it may be looked at."
    why = unseen(trace.config, address, query, key)
    return f"0: {why}, so it may not be looked at."


def unseen(config: ModelConfig, address: str, query: int, key: int) -> str:
    """Why a key is hidden from a query, in the attention of a step or by a mask."""
    window = config.window
    if looks_both_ways(config, address):
        return "the key is padding"
    if key > query:
        return "the key comes after the query"
    if window and query - key >= window:
        return f"the key is not among the last {window} of the query"
    return "the key is padding"
