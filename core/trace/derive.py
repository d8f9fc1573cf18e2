"""Compute a part of a step from its inputs, with the function the forward pass used."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from core.model import functions
from core.trace.needs import Index
from core.trace.steps import Step


@torch.inference_mode()
def derive(step: Step, index: Index, arguments: Sequence[Any]) -> Tensor:
    """The step's op on the given parts of its inputs, cut down to `index`.

    The arguments keep an axis of length one where their part is a single place; axes
    that `index` picks a place of are dropped from the answer.
    """
    op: Callable[..., Tensor] = getattr(functions, step.op)
    whole = op(*arguments)
    picks = tuple(
        slice(None) if place is None else (0 if size == 1 else place)
        for place, size in zip(index, whole.shape, strict=True)
    )
    return whole[picks].contiguous()
