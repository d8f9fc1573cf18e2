"""A whole trace as one file: every step's numbers, without the model.

`save_trace` writes an NPZ that `numpy.load` opens: an array for every step, under its
key, and a text "trace" with the configuration, the tokens and the step names.
`read_trace` makes a `Trace` of it again. Steps are read from the file, and what the
file leaves out is computed from them; a number that takes a weight says so.
"""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from core.config import ModelConfig
from core.errors import CheckpointError, CoreError, MissingWeightError
from core.files import file_made_whole
from core.npz import Array, NpzWriter, damaged, read_arrays, read_table
from core.tokenizers.base import Encoding, Tokenizer
from core.tokenizers.recorded import (
    RecordedTokenizer,
    encoding_of_table,
    table_of,
    vocabulary_arrays,
    vocabulary_of_arrays,
)
from core.trace.edits import Edit
from core.trace.layer_steps import CROSS_MASK
from core.trace.step import ENCODER
from core.trace.steps import Step, sides_of, step_shape, steps_for
from core.trace.trace import Trace

if TYPE_CHECKING:
    from torch import Tensor

FORMAT, VERSION = "glassformer trace", 1
TABLE = "trace"
"""Name of the text that says what the arrays are."""
VOCABULARY = ("vocabulary.bytes", "vocabulary.lengths")
WRITTEN_WITH = "written_with"
"""Of the table: what the other tokenizer says of itself, where a target has one."""
KINDS = {"tokens.ids": np.int64, "output.pick": np.int64}
"""Steps whose numbers are ids; all others are 32-bit floats."""
NO_TRACE = (
    LookupError,
    TypeError,
    ValueError,
    OverflowError,
    AttributeError,
    CoreError,
)
"""What comes of a table whose fields are missing or of another kind."""
WHOLE_BYTES = 32 * 2**20
"""A larger step is derived and written head by head, or row by row."""
NUMBER_BYTES = 4

Watch = Callable[[int, int], None]
"""Told how many bytes are written, and of how many; may raise to stop."""


@dataclass(frozen=True, slots=True, eq=False)
class Archive:
    """A trace out of a file, and what the file says of the model that made it."""

    file: Path
    name: str
    """Of the model."""
    trace: Trace
    """Read-only and without weights."""
    tokenizer: RecordedTokenizer
    """Knows what every id means, and no text but this one; of two, the source."""
    written_with: RecordedTokenizer | None = None
    """The same of the text that is written, behind an encoder."""

    @property
    def target_tokenizer(self) -> RecordedTokenizer:
        """Of the text that is written."""
        return self.written_with or self.tokenizer

    @property
    def config(self) -> ModelConfig:
        """Of the model."""
        return self.trace.config


SOURCE = "source"
"""Of the table: the tokens that an encoder read."""
TEXTS = ("text", "encoder.text", "decoder.text")
GIVENS = ("positions", "mask")
"""Of each side."""


def givens(config: ModelConfig) -> tuple[str, ...]:
    """What the steps take that nothing computes."""
    if config.has_encoder:
        sides = tuple(f"{s}.{g}" for s in sides_of(config) for g in GIVENS)
        return (*sides, CROSS_MASK)
    return (*GIVENS, "segments") if config.n_segments else GIVENS


class AbsentWeights(Mapping[str, "Tensor"]):
    """The names of a model's weights, and none of their numbers."""

    def __init__(self, names: frozenset[str]) -> None:
        """Know of these weights."""
        self._names = names

    def __getitem__(self, address: str) -> "Tensor":
        """Refuse.

        Raises:
            MissingWeightError: It is the name of a weight.
            KeyError: It is not.
        """
        if address not in self._names:
            raise KeyError(address)
        raise MissingWeightError(
            f"{address} is not in the trace file, which holds no weights; "
            "open the model to see it."
        )

    def __contains__(self, address: object) -> bool:
        return address in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._names))

    def __len__(self) -> int:
        return len(self._names)


def in_silence(n_done: int, n_bytes: int) -> None:
    """Watch nothing."""


def save_trace(
    trace: Trace,
    file: str | Path,
    tokenizer: Tokenizer,
    *,
    written_with: Tokenizer | None = None,
    name: str = "",
    is_compact: bool = False,
    watch: Watch = in_silence,
) -> None:
    """Write a trace into one NPZ file, step by step.

    No more than one step, or one head of a large one, is in memory at a time.

    Args:
        trace: What to write.
        file: Where to.
        tokenizer: What cut its text; the file keeps what every id means.
        written_with: What cut the target of an encoder's source, if it is another.
        name: Of the model.
        is_compact: Leave out what `read_trace` computes again without a weight: scores,
            patterns, sums. A fifth of the size for a long sentence.
        watch: Told of the progress.

    Raises:
        CheckpointError: The place is full, read-only or missing.
    """
    steps = stored_steps(trace, is_compact=is_compact)
    total, done = archive_bytes(trace, is_compact=is_compact), 0
    with file_made_whole(Path(file)) as target, NpzWriter(target) as writer:
        about = _about(trace, tokenizer, name, steps)
        vocabularies = {"": vocabulary_arrays(tokenizer)}
        if written_with is not None and written_with is not tokenizer:
            about[WRITTEN_WITH] = _said_by(written_with)
            vocabularies[f"{WRITTEN_WITH}."] = vocabulary_arrays(written_with)
        writer.write_text(TABLE, json.dumps(about))
        for of_which, arrays in vocabularies.items():
            for key, array in zip(VOCABULARY, arrays, strict=True):
                writer.write(f"{of_which}{key}", array)
        for given in givens(trace.config):
            writer.write(given, trace.part(given))
        for step in steps:
            shape = trace.shape(step.key)
            kind = trace.part(step.key, (0,) * len(shape)).dtype
            writer.write_parts(step.key, kind, shape, _parts(trace, step.key))
            done += math.prod(shape) * NUMBER_BYTES
            watch(done, total)


def archive_bytes(trace: Trace, *, is_compact: bool = False) -> int:
    """The size of the file, without its table and vocabulary."""
    shapes = (trace.shape(s.key) for s in stored_steps(trace, is_compact=is_compact))
    return sum(NUMBER_BYTES * math.prod(shape) for shape in shapes)


def stored_steps(trace: Trace, *, is_compact: bool = False) -> tuple[Step, ...]:
    """The steps that a file holds, in order."""
    weights = weights_of(trace.config)

    def follows_from_others(step: Step) -> bool:
        takes_weights = not weights.isdisjoint(step.inputs)
        return not (takes_weights or trace.is_kept(step.key))

    with_numbers = (step for step in trace.steps if step.axes)
    return tuple(s for s in with_numbers if not (is_compact and follows_from_others(s)))


def weights_of(config: ModelConfig) -> frozenset[str]:
    """The addresses of all weights that the steps of a model take."""
    steps = steps_for(config)
    inputs = {address for step in steps for address in step.inputs}
    others = {*TEXTS, *givens(config), *(step.key for step in steps)}
    return frozenset(a for a in inputs - others if not a.startswith("config."))


def read_trace(file: str | Path) -> Trace:
    """The trace that a file holds, read-only and without weights.

    Raises:
        CheckpointError: The file is missing, damaged, newer, or no trace of ours.
    """
    return open_archive(file).trace


def open_archive(file: str | Path) -> Archive:
    """A trace file with its tokens; a large one stays on the disk until looked at.

    Raises:
        CheckpointError: The file is missing, damaged, newer, or no trace of ours.
    """
    file = Path(file)
    arrays = read_arrays(file)
    about = _checked_table(arrays, file)
    try:
        encoding = encoding_of_table(about["tokens"])
        config = ModelConfig.from_dict(about["config"])
        source = encoding_of_table(about[SOURCE]) if config.has_encoder else None
        tokenizer = _recorded(arrays, about, source or encoding)
        written_with = None
        if source is not None:
            written_with = _recorded(arrays, about, encoding, WRITTEN_WITH)
        _check_arrays(config, arrays, encoding, source)
        trace = Trace(
            config=config,
            weights=AbsentWeights(weights_of(config)),
            encoding=encoding,
            source=source,
            kept=_tensors(arrays, (step.key for step in steps_for(config))),
            given=_tensors(arrays, iter(givens(config))),
            edits=[_edit(row) for row in about["edits"]],
        )
        name = str(about["model"])
    except NO_TRACE as error:
        raise damaged(file) from error
    return Archive(file, name, trace, tokenizer, written_with)


def _about(
    trace: Trace, tokenizer: Tokenizer, name: str, steps: tuple[Step, ...]
) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "model": name,
        "config": trace.config.to_dict(),
        "tokens": table_of(trace.encoding),
        **({SOURCE: table_of(trace.source)} if trace.source else {}),
        **_said_by(tokenizer),
        "steps": [{"key": step.key, "axes": step.axes} for step in steps],
        "edits": [asdict(edit) for edit in trace.edits],
    }


def _said_by(tokenizer: Tokenizer) -> dict[str, Any]:
    """What a tokenizer says of itself."""
    return {
        "unit": tokenizer.unit,
        "method": tokenizer.method,
        "notes": tokenizer.notes,
        "specials": dict(tokenizer.specials),
    }


def _recorded(
    arrays: Mapping[str, Array],
    about: Mapping[str, Any],
    encoding: Encoding,
    whose: str = "",
) -> RecordedTokenizer:
    """What the file has in the place of a tokenizer; of two, mostly the same."""
    is_another = whose in about
    told = about[whose] if is_another else about
    keys = (f"{whose}.{key}" if is_another else key for key in VOCABULARY)
    vocabulary = vocabulary_of_arrays(*(arrays[key] for key in keys))
    return RecordedTokenizer(vocabulary, told["specials"], encoding, told)


def _checked_table(arrays: Mapping[str, Array], file: Path) -> dict[str, Any]:
    about = read_table(arrays, TABLE, file)
    if about.get("format") != FORMAT:
        raise CheckpointError(
            f"{file} holds arrays, but no trace that this program saved; "
            "choose another file."
        )
    version = about.get("version")
    if not isinstance(version, int):
        raise damaged(file)
    if version > VERSION:
        raise CheckpointError(
            f"{file} was saved by a newer version of this program (format {version}); "
            "open it there, or bring this one up to date."
        )
    return about


def _check_arrays(
    config: ModelConfig,
    arrays: Mapping[str, Array],
    encoding: Encoding,
    source: Encoding | None,
) -> None:
    """Refuse arrays of another size or kind, and a file that lacks what takes a weight.

    Raises:
        ValueError: One does not fit.
    """
    n, n_source = len(encoding.ids), len(source.ids) if source else 0
    is_empty = not n or (config.has_encoder and not n_source)
    if max(config.n_layers, config.n_encoder_layers) > len(arrays) or is_empty:
        raise ValueError("the layers or the tokens are not there")
    weights = weights_of(config)
    for step in steps_for(config):
        shape = step_shape(step, config, n, n_source)
        is_needed = not weights.isdisjoint(step.inputs)
        if step.key in arrays or is_needed:
            _check_array(arrays, step.key, shape, KINDS.get(step.name, np.float32))
    for given in givens(config):
        _check_given(arrays, given, n, n_source)
    sides = (source, encoding) if source else (encoding,)
    for side, each in zip(sides_of(config), sides, strict=True):
        key = f"{side}.tokens.ids" if side else "tokens.ids"
        if tuple(arrays[key].tolist()) != each.ids:
            raise ValueError("the ids are not those of the tokens")
    whole = (s.key for s in steps_for(config) if s.name in KINDS and s.key in arrays)
    for key in whole:
        if not ((arrays[key] >= 0) & (arrays[key] < config.n_vocab)).all():
            raise ValueError(f"{key} has an id of no token")


def _check_given(
    arrays: Mapping[str, Array], given: str, n: int, n_source: int
) -> None:
    n_query, n_key = (n_source, n_source) if given.startswith(ENCODER) else (n, n)
    if given == CROSS_MASK:
        n_key = n_source
    is_mask = given.endswith("mask")
    shape = (n_query, n_key) if is_mask else (n_query,)
    _check_array(arrays, given, shape, np.bool_ if is_mask else np.int64)


def _check_array(
    arrays: Mapping[str, Array], key: str, shape: tuple[int, ...], kind: type
) -> None:
    if arrays[key].shape != shape or arrays[key].dtype != kind:
        raise ValueError(f"{key} does not fit")


def _edit(row: Mapping[str, Any]) -> Edit:
    return Edit(row["key"], tuple(row["index"]), row["value"], row["mode"])


def _parts(trace: Trace, key: str) -> Iterator[Array]:
    """A step whole, or place by place along its first axis where it is large."""
    shape = trace.shape(key)
    if math.prod(shape) * NUMBER_BYTES <= WHOLE_BYTES:
        yield trace.part(key)
        return
    for place in range(shape[0]):
        yield trace.part(key, (place,))[None]


def _tensors(arrays: Mapping[str, Array], keys: Iterator[str]) -> "dict[str, Tensor]":
    import torch

    there = (key for key in keys if key in arrays)
    return {key: torch.from_numpy(np.asarray(arrays[key])) for key in there}
