"""A GGUF file: head, tokenizer and packed weights in one; opened by the package `gguf`.

In: a file. Out: the same as of a model folder. Weights are unpacked to float32 once.
The rows of Llama's queries and keys are put back where rotary positions pair feature d
with d + d_head / 2, as everywhere here. Every tensor is used or named; none is made up.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import torch
from torch import Tensor

from core.checkpoints.entries import Entry, Shape, stored_shape, unpacked
from core.checkpoints.gguf_families import (
    FREQUENCIES,
    OUTPUT,
    TABLE,
    GgufFamily,
    gguf_family,
)
from core.checkpoints.gguf_header import GgufHeader, read_header
from core.checkpoints.gguf_numbers import Numbers
from core.checkpoints.gguf_tokens import end_ids, read_tokens
from core.checkpoints.huggingface import check_memory
from core.checkpoints.native import NativeModel, count_nan, some, weight_shapes
from core.checkpoints.progress import Tell, tell_nobody, told
from core.checkpoints.weight_files import refuse_pointer
from core.config import ModelConfig
from core.errors import CheckpointError
from core.model.rotation import speeds, speeds_llama3

NAME = "general.name"
LLAMA3_LOW, LLAMA3_HIGH, LLAMA3_N_CTX = 1.0, 4.0, 8192
"""How Llama 3.1 to 3.3 were stretched; the file keeps the outcome alone."""


def read_gguf(path: Path, tell: Tell = tell_nobody) -> NativeModel:
    """Open a GGUF file.

    Raises:
        CheckpointError: It is missing, damaged, of another kind or too large, or the
            package is not installed.
        TokenizerError: Its tokenizer cannot be used.
    """
    if not path.is_file():
        raise CheckpointError(f"{path} is not there; choose a .gguf file.")
    refuse_pointer(path)
    header = read_header(path)
    row = gguf_family(header)
    fields = row.fields(header)
    config = row.family.config_of(fields)
    numbers = Numbers(header)
    check_memory(path, weight_shapes(config))
    config = _stretched(_tied(config, numbers), numbers)
    entries = [_lying(entry, row) for entry in row.family.entries_of(config, fields)]
    _check(header, entries, config)
    weights = _read(numbers, entries, config, row, tell)
    tokenizer = read_tokens(header)
    if tokenizer.n_vocab > config.n_vocab:
        raise CheckpointError(
            f"{path} has {tokenizer.n_vocab:,} tokens and {config.n_vocab:,} rows for "
            "them; fetch it again."
        )
    warnings = list(_surplus(header, entries, row))
    count_nan(weights, warnings)
    notes = (
        f"A GGUF file: {row.family.title}.",
        f"The file holds {numbers.kinds(each.theirs for each in entries)}; unpacked "
        "to float32, in which is computed.",
        *_said(config, header, row),
    )
    return NativeModel(
        config,
        weights,
        tokenizer,
        path.stem,
        notes,
        tuple(warnings),
        end_ids=end_ids(header),
    )


def _tied(config: ModelConfig, numbers: Numbers) -> ModelConfig:
    """Tied, also where a second table in the file is the first once more."""
    if config.tie_embeddings:
        return config
    output, table = (numbers.header.tensors[n] for n in (OUTPUT, TABLE))
    is_like = (output.shape, output.kind) == (table.shape, table.kind)
    if is_like and torch.equal(numbers.read(OUTPUT), numbers.read(table.name)):
        return replace(config, tie_embeddings=True)
    return config


def _stretched(config: ModelConfig, numbers: Numbers) -> ModelConfig:
    """With the stretching of Llama 3, where the file has its outcome in a tensor.

    Raises:
        CheckpointError: It is that of no model known here.
    """
    if FREQUENCIES not in numbers.header.tensors:
        return config
    slower = numbers.read(FREQUENCIES)
    plain = speeds(config.d_head // 2, config.rotary_base)
    known = (LLAMA3_LOW, LLAMA3_HIGH, LLAMA3_N_CTX)
    factor = round(float(slower.max()), 3)
    expected = plain / speeds_llama3(plain, factor, *known)
    if slower.shape != plain.shape or not torch.allclose(slower, expected, rtol=1e-3):
        raise CheckpointError(
            f"{numbers.header.path}: {FREQUENCIES} stretches positions in a way that "
            "is not known here; choose another model."
        )
    return replace(
        config,
        rotary_scaling="llama3",
        rotary_factor=factor,
        rotary_low=LLAMA3_LOW,
        rotary_high=LLAMA3_HIGH,
        rotary_n_ctx=LLAMA3_N_CTX,
    )


def _lying(entry: Entry, row: GgufFamily) -> Entry:
    """Where a tensor of the family lies; matrices of layers are all [d_out, d_in]."""
    address = entry.ours[0]
    is_matrix = ".W_" in address and (address.startswith("layers.") or entry.is_turned)
    return replace(entry, theirs=row.name_of(entry), is_turned=is_matrix, less=0.0)


def _check(header: GgufHeader, entries: Sequence[Entry], config: ModelConfig) -> None:
    """Refuse tensors that are missing or of another shape."""
    shapes = weight_shapes(config)
    missing = [each.theirs for each in entries if each.theirs not in header.tensors]
    if missing:
        raise CheckpointError(
            f"{header.path} lacks {some(missing)}; it is not complete, fetch it again."
        )
    for entry in entries:
        found = header.tensors[entry.theirs].shape
        expected = stored_shape(entry, shapes)
        if found != expected:
            raise CheckpointError(
                f"{header.path}: {entry.theirs} has the shape {found}, its settings "
                f"ask for {expected}; fetch it again."
            )


def _read(
    numbers: Numbers,
    entries: Sequence[Entry],
    config: ModelConfig,
    row: GgufFamily,
    tell: Tell,
) -> dict[str, Tensor]:
    """Every weight; biases that the family lacks are 0."""
    shapes: Mapping[str, Shape] = weight_shapes(config)
    weights: dict[str, Tensor] = {}
    for entry in told(entries, tell):
        tensor = numbers.read(entry.theirs)
        if row.swaps_pairs and (n_heads := _n_turned(entry, config)):
            tensor = halves_of_pairs(tensor, n_heads)
        for address, weight in unpacked(entry, tensor, shapes).items():
            weights[address] = weight
    return {
        address: weights[address] if address in weights else torch.zeros(shape)
        for address, shape in shapes.items()
    }


def _n_turned(entry: Entry, config: ModelConfig) -> int:
    """Heads of queries or of keys in a tensor; 0 of anything else."""
    letter = entry.ours[0].rpartition("attn.")[2]
    heads = {"Q": config.n_heads, "K": config.n_kv_heads}
    return heads.get(letter[-1], 0) if letter in ("W_Q", "W_K", "b_Q", "b_K") else 0


def halves_of_pairs(rows: Tensor, n_heads: int) -> Tensor:
    """Put the rows of each head from pairs (0, 1), (2, 3) ... into halves.

    [n_heads * d_head, ...] -> the same; feature d and d + d_head / 2 turn together.
    """
    pairs = rows.view(n_heads, -1, 2, *rows.shape[1:])
    return pairs.transpose(1, 2).reshape(rows.shape)


def _surplus(
    header: GgufHeader, entries: Iterable[Entry], row: GgufFamily
) -> Iterator[str]:
    """Name the tensors that nothing uses."""
    used = {entry.theirs for entry in entries} | {FREQUENCIES, OUTPUT}
    surplus = [name for name in header.tensors if name not in used]
    if surplus:
        yield (
            f"The file holds {some(surplus, 'tensors')}, which {row.family.title} has "
            "no place for; not used."
        )


def _said(config: ModelConfig, header: GgufHeader, row: GgufFamily) -> Iterator[str]:
    """Quiet facts on what was changed or inferred."""
    if name := header.values.get(NAME):
        yield f"It calls itself {name}."
    if row.swaps_pairs:
        yield (
            "The file holds rows of queries and keys in pairs; they are shown in "
            "halves, as in the model's own folder."
        )
    if FREQUENCIES in header.tensors:
        yield (
            "Positions are stretched as Llama 3.1's (factor "
            f"{config.rotary_factor:g}), inferred from {FREQUENCIES}."
        )
    if config.tie_embeddings and OUTPUT in header.tensors:
        yield f"{OUTPUT} is the embedding once more; one table is kept."
