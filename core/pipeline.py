"""The road from a sentence to a trace: encode, one forward pass, keep what matters."""

from collections.abc import Sequence
from itertools import accumulate

import torch
from torch import Tensor

from core.bundle import Bundle
from core.config import ModelConfig
from core.errors import TraceError
from core.model import functions
from core.tokenizers.base import Encoding, unknown_note
from core.trace.edits import Edit, check_edits
from core.trace.recorder import Recorder
from core.trace.steps import axis_sizes, kept_keys, steps_for
from core.trace.trace import Trace

SEPARATOR = "[SEP]"
"""The special token that ends a part of a text."""


def run_trace(
    bundle: Bundle,
    text: str | None = None,
    *,
    ids: Sequence[int] | None = None,
    edits: Sequence[Edit] = (),
    attention_mask: Sequence[int] | None = None,
    segments: Sequence[int] | None = None,
) -> Trace:
    """Walk a sentence through a model.

    Args:
        bundle: Model and tokenizer.
        text: The sentence; or else
        ids: its token ids.
        edits: Numbers to change on the way.
        attention_mask: 1 for a token and 0 for padding, one of each id. Padding is
            looked at by no token and has no position; it changes nothing behind it.
        segments: Which part of the text each token is of, from 0, for a model that
            tells parts apart; or else [SEP] ends them.

    Raises:
        TraceError: Nothing to read, something that is no token, more than n_ctx tokens,
            an id the model has no row for, an edit that points nowhere, a mask of
            another length, with other numbers, or without a 1, or segments that the
            model has not.
    """
    if (text is None) == (ids is None):
        raise TraceError("run_trace takes either a text or ids.")
    if text is not None:
        encoding = bundle.tokenizer.encode(text)
    else:
        encoding = bundle.tokenizer.encoding_of(ids or ())
    return trace_encoding(bundle, encoding, edits, attention_mask, segments)


@torch.inference_mode()
def trace_encoding(
    bundle: Bundle,
    encoding: Encoding,
    edits: Sequence[Edit] = (),
    attention_mask: Sequence[int] | None = None,
    segments: Sequence[int] | None = None,
) -> Trace:
    """Walk tokens through a model; raises as `run_trace` does."""
    config = bundle.config
    if note := unknown_note(encoding, bundle.tokenizer):
        raise TraceError(f"The sentence has what is {note}; leave that out.")
    check_ids(encoding.ids, config.n_vocab, config.n_ctx)
    steps, sizes = steps_for(config), axis_sizes(config, len(encoding.ids))
    check_edits(edits, steps, sizes)
    recorder = Recorder(steps, sizes, kept_keys(config), edits)
    ids = torch.tensor([encoding.ids], device=bundle.device)
    edits_output = any(edit.key.startswith("output.") for edit in edits)
    is_token = None
    if attention_mask is not None:
        check_attention_mask(attention_mask, len(encoding.ids))
        is_token = torch.tensor(attention_mask, device=bundle.device).bool()
    if segments is None:
        segments = segments_of(encoding, bundle)
    check_segments(segments, len(encoding.ids), config.n_segments)
    parts = torch.tensor(segments, device=bundle.device) if segments else None
    bundle.model(
        ids,
        recorder,
        last_only=not edits_output,
        is_token=is_token,
        segments=parts,
    )
    kept = {"tokens.ids": ids[0], **recorder.kept}
    return Trace(
        config=config,
        weights=bundle.weights,
        encoding=encoding,
        kept={key: value.cpu() for key, value in kept.items()},
        given=given_of(config, len(encoding.ids), is_token, parts),
        edits=edits,
    )


def given_of(
    config: ModelConfig,
    n: int,
    is_token: Tensor | None = None,
    segments: Tensor | None = None,
) -> dict[str, Tensor]:
    """What the steps take that nothing computes.

    "positions" [n], "mask" [n, n], and "segments" [n] where parts are told apart.
    """
    if is_token is None:
        is_token = torch.ones(n, dtype=torch.bool)
    is_token = is_token.cpu()
    positions = functions.padded_positions(is_token, config.position_offset)
    mask = functions.MASKS[config.attention](is_token)
    given = {
        "positions": positions,
        "mask": functions.windowed(mask, positions, config.window),
    }
    return given if segments is None else {**given, "segments": segments.cpu()}


def segments_of(encoding: Encoding, bundle: Bundle) -> tuple[int, ...]:
    """Which part of the text each token is of: `SEPARATOR` is the last of a part.

    Parts beyond the model's last count as its last; () where it tells none apart.
    """
    n_segments = bundle.config.n_segments
    if not n_segments:
        return ()
    separator = bundle.tokenizer.specials.get(SEPARATOR)
    ended = accumulate(token_id == separator for token_id in encoding.ids[:-1])
    return tuple(min(int(n), n_segments - 1) for n in (0, *ended))


def check_segments(segments: Sequence[int], n: int, n_segments: int) -> None:
    """Refuse segments that the model does not tell apart.

    Raises:
        TraceError: It tells none apart, there is not one for each token, or no row.
    """
    if not segments and not n_segments:
        return
    if not n_segments:
        raise TraceError("This model tells no segments apart; leave them out.")
    if len(segments) != n:
        raise TraceError(
            f"segments has {len(segments)} numbers for {n} tokens; give one for each."
        )
    strangers = [number for number in segments if not 0 <= number < n_segments]
    if strangers:
        raise TraceError(
            f"segments holds {strangers[0]}; this model tells {n_segments} apart, "
            "from 0."
        )


def check_attention_mask(attention_mask: Sequence[int], n: int) -> None:
    """Refuse a mask that does not say of each token whether it is one.

    Raises:
        TraceError: Its length is another, it holds other numbers, or no 1.
    """
    if len(attention_mask) != n:
        raise TraceError(
            f"attention_mask has {len(attention_mask)} numbers for {n} tokens; "
            "give one for each."
        )
    strangers = [number for number in attention_mask if number not in (0, 1)]
    if strangers:
        raise TraceError(
            f"attention_mask holds {strangers[0]}; give 1 for a token, 0 for padding."
        )
    if not any(attention_mask):
        raise TraceError(
            "attention_mask calls every token padding; give 1 for at least one."
        )


def check_ids(ids: Sequence[int], n_vocab: int, n_ctx: int) -> None:
    """Refuse a sentence that the model cannot read.

    Raises:
        TraceError: It is empty, too long, or has an id without a row.
    """
    if not ids:
        raise TraceError("There is nothing to trace: type something.")
    if len(ids) > n_ctx:
        raise TraceError(
            f"The sentence has {len(ids)} tokens, {len(ids) - n_ctx} more than "
            f"the {n_ctx} this model can read; shorten it."
        )
    strangers = [token_id for token_id in ids if not 0 <= token_id < n_vocab]
    if strangers:
        raise TraceError(
            f"Token id {strangers[0]} has no row in the model's table of {n_vocab}; "
            "the tokenizer and the model do not belong together."
        )
