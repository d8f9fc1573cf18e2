"""The figures of a model card: parameters by part, and what its files hold.

In: a configuration; the place of a model. Out: counts, and every tensor that is stored,
from the heads of the files alone. The two are counted apart, so that one checks the
other.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod
from pathlib import Path

from core.checkpoints.families import family_of
from core.checkpoints.family import EMBEDDING
from core.checkpoints.fields import read_fields
from core.checkpoints.gguf_families import gguf_family
from core.checkpoints.gguf_header import is_gguf, read_header
from core.checkpoints.gguf_numbers import Numbers
from core.checkpoints.native import FORMAT, weight_shapes
from core.checkpoints.weight_files import find_weights
from core.config import ModelConfig
from core.trace.step import DECODER, ENCODER, side_of
from core.training.estimate import parameters_by_part

OURS = "Glassformer"
CROSS_PART = "cross attention"
KINDS = {
    "norms": ".norm.",
    "attention": ".attn.",
    CROSS_PART: ".cross.",
    "feed-forward": ".ffn.",
}
"""What the addresses of a part's weights hold; the first that fits decides."""
OF_SIDE = ("position", "attention", "feed-forward", "norms")
PARTS_OF_SIDES = (
    "embedding",
    *(f"{ENCODER} {kind}" for kind in OF_SIDE),
    *(f"{DECODER} {kind}" for kind in OF_SIDE[:2]),
    CROSS_PART,
    *(f"{DECODER} {kind}" for kind in OF_SIDE[2:]),
    "output",
)
"""Of a model of two sides, in the order of the pass."""


@dataclass(frozen=True, slots=True)
class StoredTensor:
    """A tensor as a file has it."""

    name: str
    shape: tuple[int, ...]
    kind: str
    """What its numbers are: "float16", "Q4_1"."""


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What the card says besides the configuration."""

    family: str
    parts: tuple[tuple[str, int], ...]
    """Parts and their parameters; a table that is used twice counts once."""
    files: tuple[tuple[str, int], ...]
    """Files that the weights are read from, and their bytes."""
    tensors: tuple[StoredTensor, ...]

    @property
    def n_parameters(self) -> int:
        """All of them."""
        return sum(n for _, n in self.parts)

    @property
    def n_stored(self) -> int:
        """Numbers in the files."""
        return sum(prod(tensor.shape) for tensor in self.tensors)

    @property
    def kinds(self) -> tuple[tuple[str, int], ...]:
        """Kinds of numbers in the files and how many are of each, most first."""
        counts: dict[str, int] = {}
        for tensor in self.tensors:
            counts[tensor.kind] = counts.get(tensor.kind, 0) + prod(tensor.shape)
        return tuple(sorted(counts.items(), key=lambda each: -each[1]))

    @property
    def check(self) -> str:
        """The two counts beside each other, a sentence."""
        more = self.n_stored - self.n_parameters
        if not more:
            return f"The files hold {self.n_stored:,} numbers: the same count."
        side = f"{more:,} more" if more > 0 else f"{-more:,} fewer"
        return (
            f"The files hold {self.n_stored:,} numbers, {side}: a table stored twice, "
            "something computed anew, or biases that are 0; the notes say which."
        )


def read_facts(place: Path, config: ModelConfig) -> ModelFacts:
    """What there is to say of a model folder or a GGUF file.

    Raises:
        CheckpointError: It is not there any more, or damaged.
    """
    family, paths, tensors = (_of_file if is_gguf(place) else _of_folder)(place)
    files = tuple((path.name, path.stat().st_size) for path in paths)
    return ModelFacts(family, parts_of(config), files, tuple(tensors))


def parts_of(config: ModelConfig) -> tuple[tuple[str, int], ...]:
    """Parts and their parameters in the order of the pass; of two sides, of each."""
    if not config.has_encoder:
        counts = parameters_by_part(config)
    else:
        counts = dict.fromkeys(PARTS_OF_SIDES, 0)
        for address, shape in weight_shapes(config).items():
            counts[_part(address)] += prod(shape)
    return tuple((part, n) for part, n in counts.items() if n)


def _part(address: str) -> str:
    """The part of a model of two sides that a weight belongs to."""
    if address == EMBEDDING:
        return "embedding"
    if address.startswith("output.W_") or address.startswith("output.b_"):
        return "output"
    side = side_of(address) or DECODER  # the last norm follows the decoder
    kind = next((kind for kind, held in KINDS.items() if held in address), "position")
    return kind if kind == CROSS_PART else f"{side} {kind}"


Found = tuple[str, Iterable[Path], Iterable[StoredTensor]]


def _of_file(path: Path) -> Found:
    header = read_header(path)
    numbers = Numbers(header)
    tensors = [
        StoredTensor(name, tensor.shape, numbers.kinds([name]))
        for name, tensor in header.tensors.items()
    ]
    return gguf_family(header).family.title, [path], tensors


def _of_folder(folder: Path) -> Found:
    fields = read_fields(folder)
    is_ours = fields.values.get("format") == FORMAT
    family = OURS if is_ours else family_of(fields)[0].title
    weights = find_weights(folder)
    tensors = [
        StoredTensor(each.name, each.shape, each.kind)
        for each in weights.stored.values()
    ]
    return family, weights.paths, tensors
