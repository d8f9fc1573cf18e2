"""The road from a sentence to a trace: encode, one forward pass, keep what matters."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate

import torch
from torch import Tensor

from core.bundle import Bundle
from core.config import ModelConfig
from core.errors import TraceError
from core.model import masks
from core.tokenizers.base import Encoding, unknown_note
from core.tokenizers.target import target_encoding, target_encoding_of
from core.trace.edits import Edit, check_edits
from core.trace.recorder import Recorder
from core.trace.steps import kept_keys, step_shape, steps_for
from core.trace.trace import Trace

SEPARATOR = "[SEP]"
"""The special token that ends a part of a text."""


def run_trace(  # noqa: PLR0913 (all but two by name, each with a default)
    bundle: Bundle,
    text: str | None = None,
    *,
    ids: Sequence[int] | None = None,
    target: str | Sequence[int] | None = None,
    specials: bool = False,
    edits: Sequence[Edit] = (),
    attention_mask: Sequence[int] | None = None,
    segments: Sequence[int] | None = None,
) -> Trace:
    """Walk a sentence through a model.

    Args:
        bundle: Model and tokenizer.
        text: The sentence; or else
        ids: its token ids. Behind an encoder, this is the source.
        target: Behind an encoder: the text that is written so far, or its token ids.
            The model's start token comes in front; without a target it stands alone.
        specials: Whether "[MASK]", or what else is the text of a special token, is
            read as that token in text and target, and not as its characters.
        edits: Numbers to change on the way.
        attention_mask: 1 for a token and 0 for padding, one of each id. Padding is
            looked at by no token and has no position; it changes nothing behind it.
        segments: Which part of the text each token is of, from 0, for a model that
            tells parts apart; or else [SEP] ends them.

    Raises:
        TraceError: Nothing to read, something that is no token, more than n_ctx tokens,
            an id the model has no row for, an edit that points nowhere, a mask of
            another length, with other numbers, or without a 1, segments that the model
            has not, or a target where there is no encoder.
    """
    if (text is None) == (ids is None):
        raise TraceError("run_trace takes either a text or ids.")
    if text is not None:
        encoding = bundle.tokenizer.encode(text, specials=specials)
    else:
        encoding = bundle.tokenizer.encoding_of(ids or ())
    written = None
    if bundle.config.has_encoder:
        written = written_so_far(bundle, target or (), specials=specials)
    elif target is not None:
        raise TraceError("This model has no encoder, so it takes no target.")
    return trace_encoding(bundle, encoding, edits, attention_mask, segments, written)


def written_so_far(
    bundle: Bundle, target: str | Sequence[int] = (), *, specials: bool = False
) -> Encoding:
    """The start token and the text so far, as the decoder reads them."""
    tokenizer, start_id = bundle.target_tokenizer, bundle.config.start_id
    if isinstance(target, str):
        return target_encoding(tokenizer, target, start_id, specials=specials)
    return target_encoding_of(tokenizer, (start_id, *target))


@torch.inference_mode()
def trace_encoding(
    bundle: Bundle,
    encoding: Encoding,
    edits: Sequence[Edit] = (),
    attention_mask: Sequence[int] | None = None,
    segments: Sequence[int] | None = None,
    target: Encoding | None = None,
) -> Trace:
    """Walk tokens through a model; raises as `run_trace` does.

    Behind an encoder `encoding` is the source and `target` the text so far; without it
    the start token alone.
    """
    config = bundle.config
    if note := unknown_note(encoding, bundle.tokenizer):
        raise TraceError(f"The sentence has what is {note}; leave that out.")
    check_ids(encoding.ids, config.n_vocab, config.n_ctx)
    written, source = encoding, None
    if config.has_encoder:
        written, source = target or written_so_far(bundle), encoding
        check_ids(written.ids, config.n_vocab, config.n_ctx)
    n_source = len(source.ids) if source else 0
    shape_of = partial(step_shape, config=config, n=len(written.ids), n_source=n_source)
    steps = steps_for(config)
    check_edits(edits, steps, shape_of)
    recorder = Recorder(steps, shape_of, kept_keys(config), edits)
    is_token = _told_apart(bundle, encoding, attention_mask)
    parts = _parts_of(bundle, encoding, segments)
    read = {"is_token": is_token, "segments": parts}
    if source is not None:
        ids = torch.tensor([source.ids], device=bundle.device)
        read = {"source": ids, "source_is_token": is_token}
    ids = torch.tensor([written.ids], device=bundle.device)
    edits_output = any(edit.key.startswith("output.") for edit in edits)
    bundle.model(ids, recorder, last_only=not edits_output, **read)
    return Trace(
        config=config,
        weights=bundle.weights,
        encoding=written,
        source=source,
        kept={**ids_of(written, source), **_on_cpu(recorder.kept)},
        given=given_of(config, len(written.ids), is_token, parts, n_source),
        edits=edits,
    )


def ids_of(encoding: Encoding, source: Encoding | None = None) -> dict[str, Tensor]:
    """The steps tokens.ids, [n] each."""
    ids = torch.tensor(encoding.ids)
    if source is None:
        return {"tokens.ids": ids}
    return {"encoder.tokens.ids": torch.tensor(source.ids), "decoder.tokens.ids": ids}


def _on_cpu(values: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {key: value.cpu() for key, value in values.items()}


def given_of(
    config: ModelConfig,
    n: int,
    is_token: Tensor | None = None,
    segments: Tensor | None = None,
    n_source: int = 0,
) -> dict[str, Tensor]:
    """What the steps take that nothing computes.

    "positions" [n], "mask" [n, n], and "segments" [n] where parts are told apart. Of
    two sides, both of each, with the side in front, and "decoder.cross_mask".
    """
    if config.has_encoder:
        if is_token is None:
            is_token = torch.ones(n_source, dtype=torch.bool)
        every = torch.ones(n, dtype=torch.bool)
        decoder = replace(config, count_padding=True)
        return {
            "encoder.positions": masks.positions_of(is_token.cpu(), config),
            "encoder.mask": masks.unpadded_mask(is_token.cpu()),
            "decoder.positions": masks.positions_of(every, decoder),
            "decoder.mask": masks.padded_mask(every),
            "decoder.cross_mask": masks.crossed_mask(n, is_token.cpu()),
        }
    if is_token is None:
        is_token = torch.ones(n, dtype=torch.bool)
    is_token = is_token.cpu()
    positions = masks.positions_of(is_token, config)
    mask = masks.MASKS[config.attention](is_token)
    given = {
        "positions": positions,
        "mask": masks.windowed(mask, positions, config.window),
    }
    return given if segments is None else {**given, "segments": segments.cpu()}


def _told_apart(
    bundle: Bundle, encoding: Encoding, attention_mask: Sequence[int] | None
) -> torch.Tensor | None:
    """Which tokens are none of padding, [n] of bool; None where nothing is said."""
    if attention_mask is None:
        return None
    check_attention_mask(attention_mask, len(encoding.ids))
    return torch.tensor(attention_mask, device=bundle.device).bool()


def _parts_of(
    bundle: Bundle, encoding: Encoding, segments: Sequence[int] | None
) -> torch.Tensor | None:
    """Which part of the text each token is of, [n]; None where none are told apart."""
    if segments is None:
        segments = segments_of(encoding, bundle)
    check_segments(segments, len(encoding.ids), bundle.config.n_segments)
    return torch.tensor(segments, device=bundle.device) if segments else None


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
