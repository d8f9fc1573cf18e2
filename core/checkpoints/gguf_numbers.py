"""The tensors of a GGUF file, unpacked to float32 by the package `gguf`.

In: the head of a file. Out: each tensor when it is asked for; the file is mapped. Block
formats hold 32 or 256 numbers together: a scale, and a few bits for each.
"""

from collections.abc import Iterable
from math import prod
from typing import Any

import numpy as np
import torch
from torch import Tensor

from core.checkpoints.gguf_header import GgufHeader, GgufTensor
from core.errors import CheckpointError


class Numbers:
    """The tensors of a file, unpacked one by one; the file is mapped, not copied."""

    def __init__(self, header: GgufHeader) -> None:
        """Look whether all of it is there and can be unpacked.

        Raises:
            CheckpointError: The package is missing, the file cut off, or a tensor is
                packed in a way that is not known.
        """
        self._package = _package()
        self.header = header
        self._data = np.memmap(header.path, np.uint8, "r")
        for tensor in header.tensors.values():
            self._kind(tensor)
            stop = tensor.start + self._n_bytes(tensor)
            if stop > len(self._data):
                raise CheckpointError(
                    f"{header.path} is cut off: {tensor.name} ends at byte {stop:,} "
                    f"and the file has {len(self._data):,}; fetch it again."
                )

    def read(self, name: str) -> Tensor:
        """A tensor in float32."""
        tensor = self.header.tensors[name]
        kind = self._kind(tensor)
        n_bytes = self._n_bytes(tensor)
        packed = self._data[tensor.start : tensor.start + n_bytes]
        n_rows = prod(tensor.shape[:-1])
        plain = self._package.dequantize(packed.reshape(n_rows, -1), kind)
        whole = np.array(plain, np.float32, copy=plain.base is not None)
        return torch.from_numpy(whole.reshape(tensor.shape))

    def kinds(self, names: Iterable[str]) -> str:
        """How tensors are packed, in words."""
        found = {self._kind(self.header.tensors[name]).name for name in names}
        return ", ".join(sorted(found))

    def _kind(self, tensor: GgufTensor) -> Any:
        """Its kind, as the package has it."""
        kinds, sizes = (
            self._package.GGMLQuantizationType,
            self._package.GGML_QUANT_SIZES,
        )
        try:
            kind = kinds(tensor.kind)
            n_together = sizes[kind][0]
        except (KeyError, ValueError):
            raise self._refused(tensor, f"kind {tensor.kind}") from None
        is_plain = kind in (kinds.F32, kinds.F16)
        if not is_plain and kind not in self._package.quants._type_traits:
            raise self._refused(tensor, kind.name)
        if not tensor.shape or tensor.shape[-1] % n_together:
            raise CheckpointError(
                f"{self.header.path} is damaged: {tensor.name} of shape "
                f"{tensor.shape} cannot be packed as {kind.name}; fetch it again."
            )
        return kind

    def _n_bytes(self, tensor: GgufTensor) -> int:
        n_together, n_bytes = self._package.GGML_QUANT_SIZES[self._kind(tensor)]
        return int(prod(tensor.shape) // n_together * n_bytes)

    def _refused(self, tensor: GgufTensor, kind: str) -> CheckpointError:
        return CheckpointError(
            f"{self.header.path}: {tensor.name} is packed as {kind}, which is not "
            "known here; choose a file in F16, Q8_0 or Q4_K, or a newer package gguf."
        )


def _package() -> Any:
    """The package that knows how weights are packed."""
    try:
        import gguf
    except ImportError as error:
        raise CheckpointError(
            "A .gguf file needs the package gguf, which is not installed; "
            "pip install gguf and open the file again."
        ) from error
    return gguf
