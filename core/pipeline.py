"""The road from a sentence to a trace: encode, one forward pass, keep what matters."""

from collections.abc import Sequence

import torch

from core.bundle import Bundle
from core.errors import TraceError
from core.model import functions
from core.tokenizers.base import Encoding, unknown_note
from core.trace.edits import Edit, check_edits
from core.trace.recorder import Recorder
from core.trace.steps import axis_sizes, kept_keys, steps_for
from core.trace.trace import Trace


def run_trace(
    bundle: Bundle,
    text: str | None = None,
    *,
    ids: Sequence[int] | None = None,
    edits: Sequence[Edit] = (),
) -> Trace:
    """Walk a sentence through a model.

    Args:
        bundle: Model and tokenizer.
        text: The sentence; or else
        ids: its token ids.
        edits: Numbers to change on the way.

    Raises:
        TraceError: Nothing to read, something that is no token, more than n_ctx tokens,
            an id the model has no row for, or an edit that points nowhere.
    """
    if (text is None) == (ids is None):
        raise TraceError("run_trace takes either a text or ids.")
    if text is not None:
        return trace_encoding(bundle, bundle.tokenizer.encode(text), edits)
    return trace_encoding(bundle, bundle.tokenizer.encoding_of(ids or ()), edits)


@torch.inference_mode()
def trace_encoding(
    bundle: Bundle, encoding: Encoding, edits: Sequence[Edit] = ()
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
    bundle.model(ids, recorder, last_only=not edits_output)
    n = len(encoding.ids)
    kept = {"tokens.ids": ids[0], **recorder.kept}
    return Trace(
        config=config,
        weights=bundle.weights,
        encoding=encoding,
        kept={key: value.cpu() for key, value in kept.items()},
        given={"positions": torch.arange(n), "mask": functions.causal_mask(n, n)},
        edits=edits,
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
