"""What one sentence did inside one model: a few kept steps, and every other on demand.

A `Trace` is immutable: its arrays are read-only, so it may cross threads. What was not
kept is derived from its inputs when somebody looks, by the function the forward pass
uses, for the heads and rows looked at, and stays in a bounded cache.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from core.config import ModelConfig
from core.errors import TraceError
from core.tokenizers.base import Encoding
from core.trace.cache import PartCache, read_only
from core.trace.edits import Edit
from core.trace.needs import Index, needs
from core.trace.statistics import is_statistic, parts_of
from core.trace.steps import Step, axis_sizes, layers_of, step_shape, steps_for
from core.trace.token_side import TokenSide, token_sides
from core.trace.work import multiplications

if TYPE_CHECKING:
    from torch import Tensor

    from core.trace.explain import Explanation

    Reader = Callable[[str, Index], Tensor]
    """Gets a part of a step, a weight or a given."""

CACHE_BYTES = 96 * 2**20
"""Derived parts are kept up to this size; the oldest leave first."""
EASY_MULTIPLICATIONS = 20_000_000
"""What the window's thread may derive by itself: 2 to 5 ms on one core."""


class Trace:
    """The steps of one sentence. Arrays are read-only and have no batch axis."""

    def __init__(
        self,
        *,
        config: ModelConfig,
        weights: "Mapping[str, Tensor]",
        encoding: Encoding,
        source: Encoding | None = None,
        kept: "Mapping[str, Tensor]",
        given: "Mapping[str, Tensor]",
        edits: Sequence[Edit] = (),
    ) -> None:
        """Join what a forward pass kept with the weights that derive the rest.

        Args:
            config: Of the model.
            weights: Every weight by its address, on the CPU, float32.
            encoding: The sentence and its tokens; behind an encoder, the text so far.
            source: The text that the encoder read, and its tokens.
            kept: Step values of the pass by key, on the CPU.
            given: "positions" [n] and "mask" [n_query, n_key], of each side.
            edits: The changes the pass was made with.
        """
        self.config = config
        self.encoding = encoding
        self.source = source
        self.edits = tuple(edits)
        self.steps = steps_for(config)
        self.sizes = axis_sizes(config, len(encoding.pieces))
        """Of every axis; token axes as on the side that is written."""
        self._by_key = {step.key: step for step in self.steps}
        self.keys = tuple(self._by_key)
        """Every step key, in order of computation."""
        n_source = len(source.pieces) if source else 0
        self._shapes = {
            step.key: step_shape(step, config, self.n, n_source) for step in self.steps
        }
        self._weights = weights
        self._given = given
        self._kept = self._with_shared_names(kept)
        self._arrays = {key: read_only(value) for key, value in self._kept.items()}
        self._cache = PartCache(CACHE_BYTES)

    @property
    def text(self) -> str:
        """The sentence."""
        return self.encoding.text

    @property
    def ids(self) -> tuple[int, ...]:
        """The token ids of the sentence."""
        return self.encoding.ids

    @property
    def n(self) -> int:
        """Tokens in the sentence."""
        return len(self.encoding.pieces)

    @cached_property
    def _sides(self) -> "Mapping[str, TokenSide]":
        return token_sides(self)

    def tokens(self, side: str = "") -> TokenSide:
        """The tokens of a side: "encoder", "decoder"; "" is the side that is written.

        Raises:
            TraceError: This model has no such side.
        """
        if side not in self._sides:
            raise TraceError(f"This model has no {side}.")
        return self._sides[side]

    def rows_of(self, key: str) -> TokenSide:
        """The tokens that the rows of a step are of, or those of its axis n."""
        step = self.step(key)
        return self.tokens(step.side_of("n" if "n" in step.axes else "n_query"))

    def keys_of(self, key: str) -> TokenSide:
        """The tokens that are looked at in the attention a step belongs to."""
        return self.tokens(self.step(key).side_of("n_key"))

    def mask_of(self, key: str) -> NDArray[np.bool_]:
        """[n_query, n_key]: who may look at whom in the attention of a step."""
        masked = self.step(f"{self.step(key).attention}.masked")
        return self.part(masked.inputs[1])

    @property
    def padding(self) -> NDArray[np.bool_]:
        """[n]: which tokens are padding, that no token looks at, not even itself."""
        return self.tokens().padding

    def label(self, place: int) -> str:
        """What a view calls a token: what its chip says, or that it is padding."""
        return self.tokens().label(place)

    def step(self, key: str) -> Step:
        """The row of the table.

        Raises:
            TraceError: This model has no such step.
        """
        if key not in self._by_key:
            raise TraceError(f"This model has no step {key}.")
        return self._by_key[key]

    def shape(self, address: str) -> tuple[int, ...]:
        """The shape of a step, a weight or a given; of a statistic, a side a row."""
        if is_statistic(address):
            return tuple(self.shape(source)[0] for source in parts_of(address)[1])
        if address in self._by_key:
            return self._shapes[address]
        return tuple(self._stored(address).shape)

    def __getitem__(self, key: str) -> Any:
        """The whole value of a step: an array, or texts for tokens.pieces and .merges.

        Raises:
            TraceError: This model has no such step.
        """
        step = self.step(key)
        words = self.tokens(step.side).encoding.words
        if step.name == "tokens.pieces":
            return tuple(word.data for word in words)
        if step.name == "tokens.merges":
            return tuple(word.merges for word in words)
        return self.part(key, (None,) * len(step.axes))

    def part(self, address: str, index: Index = ()) -> NDArray[Any]:
        """Part of a step or a weight: a number in `index` picks a place, None all.

        `trace.part("layers.0.attn.pattern", (2,))` is head 2, [n_query, n_key]; places
        left out at the end mean all. Costs what the part costs, not the whole step.

        Raises:
            TraceError: There is no such step or weight, or the index lies outside it.
        """
        index = self.checked(address, index)
        stored = self._arrays.get(address)
        if stored is not None and all(place is None for place in index):
            return stored
        return self._cached(address, index)[1]

    def value(self, address: str, index: tuple[int, ...]) -> float:
        """One number of a step or a weight."""
        return float(self.part(address, index))

    def is_kept(self, key: str) -> bool:
        """Whether the forward pass kept this step; otherwise it is derived."""
        return key in self._kept

    def is_stored(self, address: str, index: Index) -> bool:
        """Whether a part can be read without computing anything."""
        if address not in self._by_key or address in self._kept:
            return True
        whole = (None,) * len(index)
        return any(self._cache.get((address, i)) for i in (index, whole))

    def is_at_hand(self, address: str, index: Index = ()) -> bool:
        """Whether a part is stored or derived in a moment (a few milliseconds)."""
        work = multiplications(self, address, self.checked(address, index))
        return work <= EASY_MULTIPLICATIONS

    def recomputed(self, key: str, index: Index = ()) -> NDArray[Any]:
        """Part of a step computed from its inputs, even where the pass kept it."""
        return read_only(self._derive(self.step(key), self.checked(key, index)))

    def fresh(self, key: str, index: Index = ()) -> NDArray[Any]:
        """Part of a step as `part` gives it, without a place in the cache.

        For who looks at every head once: neither the part nor what it is derived from
        pushes out of the cache what is on the screen.
        """
        return read_only(self._fresh(key, self.checked(key, index)))

    def explain(self, address: str, index: tuple[int, ...]) -> "Explanation":
        """The arithmetic that made one number: operands, equation, text.

        Also of a statistic, such as "length:layers.0.resid_mid" at (token,).

        Raises:
            TraceError: There is no such step or weight, or the index lies outside it.
        """
        from core.trace.explain import explain

        return explain(self, address, self.checked(address, index))

    @property
    def layers(self) -> "tuple[Branch, ...]":
        """The steps of each layer as attributes: `trace.layers[2].attn.q`."""
        return self._layers("")

    def _layers(self, of_side: str) -> "tuple[Branch, ...]":
        paths = (p for p in layers_of(self.config) if p.startswith(f"{of_side}layers."))
        return tuple(Branch(self, path) for path in paths)

    def __getattr__(self, name: str) -> Any:
        """The groups outside the layers, and the sides: `trace.embed.sum`."""
        if name in ("tokens", "embed", "output", "encoder", "decoder"):
            return Branch(self, name)
        raise AttributeError(f"a trace has no {name}")

    def checked(self, address: str, index: Index) -> Index:
        """The index with a place for every axis.

        Raises:
            TraceError: The address is unknown or the index lies outside it.
        """
        shape = self.shape(address)
        full = (*index, *[None] * (len(shape) - len(index)))
        inside = len(full) == len(shape) and all(
            place is None or 0 <= place < size
            for place, size in zip(full, shape, strict=True)
        )
        if not inside:
            raise TraceError(f"{address}: index {index} lies outside {shape}.")
        return full

    def has(self, address: str, index: Index) -> bool:
        """Whether there is such a part."""
        try:
            self.checked(address, index)
        except TraceError:
            return False
        return True

    def has_number(self, address: str, index: Index) -> bool:
        """Whether there is such a part, and it is a single number."""
        return self.has(address, index) and None not in self.checked(address, index)

    def _with_shared_names(self, kept: "Mapping[str, Tensor]") -> "dict[str, Tensor]":
        """A kept step that only hands a value on keeps the step before it, too."""
        values = dict(kept)
        edited = {edit.key for edit in self.edits}
        for step in self.steps:
            if step.op == "same" and step.key in kept and step.key not in edited:
                values.setdefault(step.inputs[0], kept[step.key])
        return values

    def _stored(self, address: str) -> "Tensor":
        for store in (self._kept, self._given, self._weights):
            if address in store:
                return store[address]
        raise TraceError(f"This model has no step or weight {address}.")

    def _cached(self, address: str, index: Index) -> "tuple[Tensor, NDArray[Any]]":
        found = self._cache.get((address, index))
        if found is not None:
            return found
        if address in self._by_key and address not in self._kept:
            whole = self._cache.get((address, (None,) * len(index)))
            if whole is None:
                value = self._derive(self._by_key[address], index)
                return self._cache.put((address, index), value)
            source = whole[0]
        else:
            source = self._stored(address)
        value = source[tuple(slice(None) if i is None else i for i in index)]
        return value, read_only(value)

    def _remembered(self, address: str, index: Index) -> "Tensor":
        return self._cached(address, index)[0]

    def _fresh(self, address: str, index: Index) -> "Tensor":
        if self.is_stored(address, index):
            return self._remembered(address, index)
        return self._derive(self._by_key[address], index, self._fresh)

    def _derive(
        self, step: Step, index: Index, read: "Reader | None" = None
    ) -> "Tensor":
        """A part of a step from its inputs, which come from `read`, or the cache."""
        from core.trace.derive import derive

        parts = needs(step, index, self.config)
        pairs = zip(step.inputs, parts, strict=True)
        read = read or self._remembered
        return derive(step, index, [self._argument(*pair, read) for pair in pairs])

    def _argument(self, address: str, index: Index, read: "Reader") -> Any:
        """An input as its op takes it: picked places stay as axes of length one."""
        if address.startswith("config."):
            return getattr(self.config, address.removeprefix("config."))
        value = read(address, self.checked(address, index))
        for axis, place in enumerate(index):
            if place is not None:
                value = value.unsqueeze(axis)
        return value


class Branch:
    """A point in the tree of step keys; its attributes are branches or values."""

    def __init__(self, trace: Trace, path: str) -> None:
        """The part of the tree below `path`."""
        self._trace = trace
        self._path = path

    def __getattr__(self, name: str) -> Any:
        path = f"{self._path}.{name}"
        if name == "layers":
            return self._trace._layers(f"{self._path}.")
        if path in self._trace.keys:
            return self._trace[path]
        if any(key.startswith(f"{path}.") for key in self._trace.keys):
            return Branch(self._trace, path)
        raise AttributeError(f"this model has no step {path}")

    def __dir__(self) -> list[str]:
        start = f"{self._path}."
        below = [k[len(start) :] for k in self._trace.keys if k.startswith(start)]
        return sorted({name.split(".")[0] for name in below})
