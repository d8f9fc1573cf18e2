"""A folder of `transformers`: `config.json`, weights, tokenizer; no code of it is run.

In: a folder. Out: the same as of a folder of ours: a configuration, float32 weights by
our addresses, the tokenizer, and what a reader should know of the files. Every tensor
of the files is used or named; none is ever made up.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import torch
from torch import Tensor

from core.checkpoints.entries import Entry, Shape, stored_shape, unpacked
from core.checkpoints.families import family_of
from core.checkpoints.family import EMBEDDING, Family
from core.checkpoints.fields import CONFIG_FILE, Fields, read_fields
from core.checkpoints.generation import end_ids
from core.checkpoints.native import (
    NativeModel,
    count_nan,
    shared_wrapper,
    some,
    weight_shapes,
)
from core.checkpoints.places import name_of
from core.checkpoints.progress import Tell, tell_nobody, told
from core.checkpoints.sides import START, alone
from core.checkpoints.weight_files import KINDS, Stored, WeightFiles, find_weights
from core.config import ModelConfig
from core.errors import CheckpointError
from core.model.functions import is_finite
from core.tokenizers.base import Tokenizer
from core.tokenizers.folder import open_tokenizers
from core.training.memory import GIGABYTE, available_memory

N_BYTES = 4
"""Of a number in float32, in which is computed."""
FLOAT32 = "float32"
CODE = "auto_map"
WRITES_NOT = (
    "It looks to both sides and does not write on: Append and Generate are off."
)


def read_huggingface(folder: Path, tell: Tell = tell_nobody) -> NativeModel:
    """Open a folder of `transformers`.

    Raises:
        CheckpointError: A file is missing, damaged, of another kind or too large.
        TokenizerError: Its tokenizer cannot be used.
    """
    fields = read_fields(folder)
    family, inferred = family_of(fields)
    fields.must_be("quantization_config", None)
    told_by_file, files = family.config_of(fields), find_weights(folder)
    notes: list[str] = []
    warnings: list[str] = []
    config, stored = _held(folder, files, family, told_by_file, notes, warnings)
    entries, shapes = family.entries_of(config, fields), weight_shapes(config)
    _check(folder, entries, stored, shapes)
    check_memory(folder, shapes)
    tokenizers = open_tokenizers(folder)
    _check_start(folder, config, tokenizers.target)
    weights = _read(files, entries, stored, config, warnings, tell)
    notes = [
        f"A folder of transformers: {family.title}.",
        inferred,
        *files.notes,
        *family.notes,
        *notes,
        *_notes(fields, entries, stored, family),
        *fields.said,
        "" if config.writes else WRITES_NOT,
    ]
    warnings += fields.odd
    written_with = None if tokenizers.is_one else tokenizers.target
    for tokenizer in filter(None, (tokenizers.source, written_with)):
        sizes = _vocabulary_note(tokenizer, config)
        told_in = notes if tokenizer.n_vocab <= config.n_vocab else warnings
        if sizes not in told_in:
            told_in.append(sizes)
    warnings += _surplus(entries, stored, family)
    return NativeModel(
        config,
        weights,
        tokenizers.source,
        name_of(folder),
        tuple(filter(None, notes)),
        tuple(warnings),
        written_with,
        end_ids(fields),
    )


def check_memory(
    folder: Path, shapes: Mapping[str, Shape], available: float | None = None
) -> None:
    """Refuse weights that do not fit into `available` bytes, before one is read.

    Raises:
        CheckpointError: They do not; says the sum.
    """
    numbers = sum(torch.Size(shape).numel() for shape in shapes.values())
    needed = N_BYTES * numbers
    room = available_memory() if available is None else available
    if room is not None and needed > room:
        raise CheckpointError(
            f"{folder} holds {numbers:,} numbers; at {N_BYTES} bytes each (float32) "
            f"they need {needed / GIGABYTE:,.1f} GB, and {room / GIGABYTE:,.1f} GB are "
            "free; choose a smaller model or close other programs."
        )


def _held(
    folder: Path,
    files: WeightFiles,
    family: Family,
    config: ModelConfig,
    notes: list[str],
    warnings: list[str],
) -> tuple[ModelConfig, dict[str, Stored]]:
    """The configuration as the weights bear it out, and the tensors by known names."""
    stored = _by_known_names(files, family, warnings)
    _check_layers(folder, family, config, stored)
    config = family.headed(config, stored)
    stored = _with_one_table(folder, files, stored, family, config, notes)
    config = family.held_to(config, partial(_looked_up, files, stored), warnings)
    return _tied_as_stored(config, files, stored, family, warnings), stored


def _by_known_names(
    files: WeightFiles, family: Family, warnings: list[str]
) -> dict[str, Stored]:
    """The tensors by the family's names: without wrappers, with its prefix."""
    stored, wrappers = dict(files.stored), ""
    while stored and (wrapper := shared_wrapper(stored)):
        wrappers += wrapper
        stored = {name.removeprefix(wrapper): stored[name] for name in stored}
    if wrappers:
        warnings.append(f'"{wrappers}" was taken off the name of every weight.')
    if not any(name.startswith(family.prefix) for name in stored):
        stored = {
            name if name.startswith(family.outside) else family.prefix + name: each
            for name, each in stored.items()
        }
    return {_present_name(name, family): each for name, each in stored.items()}


def _present_name(name: str, family: Family) -> str:
    """What newer files call a tensor."""
    for old, new in family.renamed:
        if name.endswith(old):
            return name.removesuffix(old) + new
    return name


def _table_of(family: Family, config: ModelConfig) -> str:
    """What the family calls the table of embeddings."""
    return next(e.theirs for e in family.entries(config) if e.ours == (EMBEDDING,))


def _with_one_table(
    folder: Path,
    files: WeightFiles,
    stored: dict[str, Stored],
    family: Family,
    config: ModelConfig,
    notes: list[str],
) -> dict[str, Stored]:
    """The tensors without the copies of the table that each side may have.

    Raises:
        CheckpointError: Two of them differ: a side has a table of its own.
    """
    doubles = [name for name in family.doubles if name in stored]
    name, head = _table_of(family, config), family.head.theirs
    if (
        family.doubles
        and config.tie_embeddings
        and {name, head} & stored.keys() == {head}
    ):
        doubles.append(head)
    if not doubles:
        return stored
    table = stored.get(name) or stored[doubles[0]]
    for double in doubles:
        if not _same(files, table, stored[double]):
            raise CheckpointError(
                f"{folder}: {double} differs from {table.name}; a model whose sides "
                "have tables of their own is not computed here, choose another one."
            )
    notes.append(
        f"The table of embeddings is stored as {some(doubles, 'tensors')}, too."
    )
    rest = {each: stored[each] for each in stored if each not in doubles}
    return {**rest, name: table}


def _same(files: WeightFiles, one: Stored, other: Stored) -> bool:
    """Whether two tensors hold the same numbers."""
    if one == other:
        return True
    return one.shape == other.shape and torch.equal(files.read(one), files.read(other))


def _looked_up(
    files: WeightFiles, stored: Mapping[str, Stored], name: str
) -> Tensor | None:
    return files.read(stored[name]) if name in stored else None


def _tied_as_stored(
    config: ModelConfig,
    files: WeightFiles,
    stored: Mapping[str, Stored],
    family: Family,
    warnings: list[str],
) -> ModelConfig:
    """Tied as `config.json` says, unless the files hold two tables that differ."""
    name = _table_of(family, config)
    head, table = stored.get(family.head.theirs), stored.get(name)
    if not config.tie_embeddings or head is None or table is None:
        return config
    if _same(files, head, table):
        return config
    warnings.append(
        f"config.json ties the output to the embedding, but {family.head.theirs} "
        f"differs from {name}; it is used, as transformers does."
    )
    return replace(config, tie_embeddings=False)


def _check_layers(
    folder: Path, family: Family, config: ModelConfig, stored: Iterable[str]
) -> None:
    """Refuse more layers than there are, before any is made."""
    asked = {family.layers: config.n_layers}
    if config.has_encoder:
        asked[family.encoder_layers] = config.n_encoder_layers
    found = {start: _n_layers(start, stored) for start in asked}
    if config.has_encoder and sorted(map(bool, found.values())) == [False, True]:
        side = "encoder" if found[family.encoder_layers] else "decoder"
        raise CheckpointError(
            f"{folder} {alone(side)}; choose the folder of the whole model."
        )
    for start, n_layers in found.items():
        if n_layers < asked[start]:
            of_side = f" of the {start.split('.')[-3]}" if config.has_encoder else ""
            raise CheckpointError(
                f"{folder} lacks layers{of_side}: its weights have {n_layers}, "
                f"{CONFIG_FILE} asks for {asked[start]}; use the files of one model."
            )


def _n_layers(start: str, stored: Iterable[str]) -> int:
    """Layers whose names begin so."""
    inside = (n.removeprefix(start) for n in stored if n.startswith(start))
    return len({name.partition(".")[0] for name in inside})


def _check(
    folder: Path,
    entries: Sequence[Entry],
    stored: Mapping[str, Stored],
    shapes: Mapping[str, Shape],
) -> None:
    """Refuse tensors that are missing, of another shape, or no plain numbers."""
    missing = [each.theirs for each in entries if each.theirs not in stored]
    if missing:
        raise CheckpointError(
            f"{folder} lacks {some(missing)}; its weights belong to another "
            f"{CONFIG_FILE} or are not complete."
        )
    for entry in entries:
        found, expected = stored[entry.theirs], stored_shape(entry, shapes)
        if found.shape != expected:
            raise CheckpointError(
                f"{found.path}: {found.name} has the shape {found.shape}, "
                f"{CONFIG_FILE} asks for {expected}; use the files of one model."
            )
        if found.kind not in KINDS.values():
            raise CheckpointError(
                f"{found.path}: {found.name} holds {found.kind}, which is not read "
                f"here; choose a model of {', '.join(KINDS.values())}."
            )


def _read(
    files: WeightFiles,
    entries: Sequence[Entry],
    stored: Mapping[str, Stored],
    config: ModelConfig,
    warnings: list[str],
    tell: Tell,
) -> dict[str, Tensor]:
    """Every weight in float32, converted once; biases that the family lacks are 0.

    Each is looked through for what is no number while it is at hand: a second round
    through memory would take as long as the first. What the files hold in float32 is
    used where it lies, from a mapping that nobody has looked through.
    """
    shapes, weights = weight_shapes(config), {}
    for entry in told(entries, tell):
        found = stored[entry.theirs]
        tensor = files.read(found)
        are_numbers = is_finite(tensor)
        if found.kind == FLOAT32:
            tensor = files.mapped(found)
        for address, weight in unpacked(entry, tensor, shapes).items():
            name, own = address, weight.float()
            if entry.expert is None:
                weights[address] = own
            else:
                name = f"{address}[{entry.expert}]"
                if address not in weights:
                    weights[address] = torch.empty(shapes[address])
                weights[address][entry.expert] = own
            if not are_numbers:
                count_nan({name: own}, warnings)
    return {
        address: weights[address] if address in weights else torch.zeros(shape)
        for address, shape in shapes.items()
    }


def _notes(
    fields: Fields,
    entries: Iterable[Entry],
    stored: Mapping[str, Stored],
    family: Family,
) -> Iterator[str]:
    """Quiet facts: what was widened, assumed, not read, and not run."""
    kinds = {stored[entry.theirs].kind for entry in entries} - {FLOAT32}
    if kinds:
        listed = ", ".join(sorted(kinds))
        yield f"The file holds {listed}; computing in {FLOAT32}."
    if fields.assumed:
        listed = ", ".join(
            f"{name} = {value}" for name, value in fields.assumed.items()
        )
        yield f"Not in {CONFIG_FILE}, so as transformers assumes it: {listed}."
    if lacked := family.lacks(fields):
        yield f"Biases of {lacked.strip('.')} are not in this family; they are 0."
    unused = stored.keys() - {entry.theirs for entry in entries}
    if computed := [
        n for n in stored if n in unused and re.fullmatch(family.computed, n)
    ]:
        yield f"Computed anew instead of read: {some(computed, 'tensors')}."
    if ignored := [n for n in stored if n in unused and re.fullmatch(family.unused, n)]:
        yield f"Not used, nor by transformers: {some(ignored, 'tensors')}."
    if fields.has(CODE):
        yield f"{CONFIG_FILE} names code ({CODE}); no code of a folder is ever run."


def _surplus(
    entries: Iterable[Entry], stored: Mapping[str, Stored], family: Family
) -> list[str]:
    """Name the tensors that nothing uses."""
    used = {entry.theirs for entry in entries} | {family.head.theirs}
    known = f"{family.computed}|{family.unused}"
    surplus = [n for n in stored if n not in used and not re.fullmatch(known, n)]
    if not surplus:
        return []
    return [
        f"The files hold {some(surplus, 'tensors')}, which {family.title} has no place "
        "for; not used."
    ]


def _check_start(folder: Path, config: ModelConfig, tokenizer: Tokenizer) -> None:
    """Refuse a decoder that begins with what is no token."""
    if config.has_encoder and config.start_id >= tokenizer.n_vocab:
        raise CheckpointError(
            f"{folder}: {START} = {config.start_id} is none of the tokenizer's "
            f"{tokenizer.n_vocab:,} tokens; put the model's own tokenizer there."
        )


def _vocabulary_note(tokenizer: Tokenizer, config: ModelConfig) -> str:
    """Say that the tokenizer and the table are of different sizes."""
    n_ids, n_rows = tokenizer.n_vocab, config.n_vocab
    if n_ids == n_rows:
        return ""
    said = f"The tokenizer has {n_ids:,} ids, the model has {n_rows:,} rows"
    if n_ids < n_rows:
        return f"{said}: the last {n_rows - n_ids:,} are no token's."
    return f"{said}: a text with one of the last {n_ids - n_rows:,} cannot be read."
