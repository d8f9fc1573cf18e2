"""A bounded store of derived parts: the least recently asked leaves first."""

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from core.trace.needs import Index

if TYPE_CHECKING:
    from torch import Tensor

Part = tuple[str, Index]


class PartCache:
    """Tensors by (address, index), up to a number of bytes; threads may share it."""

    def __init__(self, n_bytes: int) -> None:
        """Hold at most `n_bytes`."""
        self._n_bytes = n_bytes
        self._used = 0
        self._parts: OrderedDict[Part, tuple[Tensor, NDArray[Any]]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, part: Part) -> "tuple[Tensor, NDArray[Any]] | None":
        """The tensor and its read-only array, if they are still here."""
        with self._lock:
            found = self._parts.get(part)
            if found is not None:
                self._parts.move_to_end(part)
            return found

    def put(self, part: Part, value: "Tensor") -> "tuple[Tensor, NDArray[Any]]":
        """Keep a tensor, and give back what `get` will; one in time wins a race."""
        entry = (value, read_only(value))
        with self._lock:
            if part in self._parts:
                return self._parts[part]
            self._parts[part] = entry
            self._used += value.nbytes
            while self._used > self._n_bytes and len(self._parts) > 1:
                _, (oldest, _) = self._parts.popitem(last=False)
                self._used -= oldest.nbytes
        return entry


def read_only(value: "Tensor") -> NDArray[Any]:
    """The tensor's memory as a numpy array that cannot be written to."""
    array: NDArray[Any] = value.numpy()
    array.flags.writeable = False
    return array
