"""How a lack of memory is told from other faults."""

import pytest
import torch

from core.errors import is_lack_of_memory

MORE_THAN_ANY_MACHINE_HAS = 10**15


def test_what_torch_raises_on_this_machine_is_a_lack_of_memory():
    with pytest.raises(RuntimeError) as raised:
        torch.empty(MORE_THAN_ANY_MACHINE_HAS)
    assert is_lack_of_memory(raised.value)


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB."),
        RuntimeError("[enforce fail] DefaultCPUAllocator: not enough memory: you"),
    ],
)
def test_each_way_of_saying_it_is_known(error):
    assert is_lack_of_memory(error)


@pytest.mark.parametrize(
    "error", [RuntimeError("shapes differ"), ValueError("memory"), KeyError("x")]
)
def test_another_fault_is_not_a_lack_of_memory(error):
    assert not is_lack_of_memory(error)
