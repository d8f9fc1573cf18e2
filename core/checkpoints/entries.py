"""Names on both sides: a tensor of `transformers`, and the weights of ours in it.

The table of a family is read in both directions, when a model is opened and when one is
exported. A tensor may hold several of our weights side by side (GPT-2's `c_attn`), may
lie the other way round ([d_out, d_in]), and may be stored less a number (Gemma).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

import torch
from torch import Tensor

Shape = tuple[int, ...]
Weights = Mapping[str, Tensor]
"""Ours, by address."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One tensor."""

    theirs: str
    ours: tuple[str, ...]
    """Addresses of the weights that lie in it, side by side."""
    is_turned: bool = False
    """It is stored as [d_out, d_in]."""
    less: float = 0.0
    """What is added to the stored numbers."""
    expert: int | None = None
    """Whose part of a weight it is, where each expert has a tensor of its own."""
    is_row: bool = False
    """It is stored as a matrix of one row."""


def linear_entries(theirs: str, ours: str, letter: str) -> tuple[Entry, ...]:
    """A linear map as torch stores it: its matrix, turned, and its bias."""
    return (
        Entry(f"{theirs}.weight", (f"{ours}.W_{letter}",), is_turned=True),
        Entry(f"{theirs}.bias", (f"{ours}.b_{letter}",)),
    )


def norm_entries(theirs: str, ours: str) -> tuple[Entry, ...]:
    """A layer norm."""
    return (
        Entry(f"{theirs}.weight", (f"{ours}.gamma",)),
        Entry(f"{theirs}.bias", (f"{ours}.beta",)),
    )


def stored_shape(entry: Entry, shapes: Mapping[str, Shape]) -> Shape:
    """The shape of the tensor, from those of our weights."""
    flat = [_flat(address, _shape(entry, address, shapes)) for address in entry.ours]
    shape = (*flat[0][:-1], sum(each[-1] for each in flat))
    shape = (1, *shape) if entry.is_row else shape
    return shape[::-1] if entry.is_turned else shape


def unpacked(
    entry: Entry, stored: Tensor, shapes: Mapping[str, Shape]
) -> dict[str, Tensor]:
    """Our weights in a tensor, by address: views of it, where nothing is added.

    Of an expert's tensor, the expert's part of the weight.
    """
    laid = stored.T if entry.is_turned else stored
    laid = laid[0] if entry.is_row else laid
    if entry.less:
        laid = laid.float() + entry.less
    ours = {address: _shape(entry, address, shapes) for address in entry.ours}
    flat = [_flat(address, shape) for address, shape in ours.items()]
    parts = torch.split(laid, [each[-1] for each in flat], dim=-1)
    return {
        address: part.view(*part.shape[:-1], *_inner(address, ours[address]))
        for address, part in zip(entry.ours, parts, strict=True)
    }


def packed(entry: Entry, weights: Weights) -> Tensor:
    """The tensor that holds our weights."""
    flat = [
        weight.reshape(_flat(address, tuple(weight.shape)))
        for address, weight in ((a, _part(entry, weights[a])) for a in entry.ours)
    ]
    laid = flat[0] if len(flat) == 1 else torch.cat(flat, dim=-1)
    if entry.less:
        laid = laid - entry.less
    laid = laid[None] if entry.is_row else laid
    return laid.T if entry.is_turned else laid


def _shape(entry: Entry, address: str, shapes: Mapping[str, Shape]) -> Shape:
    """Of a weight, or of an expert's part of it: without the axis of the experts."""
    return shapes[address][0 if entry.expert is None else 1 :]


def _part(entry: Entry, weight: Tensor) -> Tensor:
    return weight if entry.expert is None else weight[entry.expert]


def _flat(address: str, shape: Shape) -> Shape:
    """A matrix has its heads side by side; a bias is one row."""
    first = _n_outer(address)
    return (*shape[:first], prod(shape[first:]))


def _inner(address: str, shape: Shape) -> Shape:
    """The axes that are laid side by side."""
    return shape[_n_outer(address) :]


def _n_outer(address: str) -> int:
    return 1 if address.rpartition(".")[2].startswith("W_") else 0
