"""Where the numbers live: a CUDA card, an Apple GPU or the CPU.

In: a name from a person. Out: a device that is there, and the type to train in. torch
is loaded when it is first asked: the names alone, which a configuration is checked by,
come without it.
"""

from typing import TYPE_CHECKING

from core.errors import DeviceError

if TYPE_CHECKING:
    import torch

BEST_FIRST = ("cuda", "mps", "cpu")
DEVICE_NAMES = ("auto", *BEST_FIRST)


def choose_device(name: str = "auto") -> "torch.device":
    """Give the named device, or the best that is there for "auto".

    Raises:
        DeviceError: The name is not known or the device is not there.
    """
    import torch

    there = available_devices()
    if name == "auto":
        return torch.device(there[0])
    if name not in DEVICE_NAMES:
        listed = ", ".join(DEVICE_NAMES)
        raise DeviceError(f"device = {name!r} is not known; choose one of {listed}.")
    if name not in there:
        raise DeviceError(
            f"The device {name!r} is not on this machine; "
            f"choose auto or one of {', '.join(there)}."
        )
    return torch.device(name)


def available_devices() -> tuple[str, ...]:
    """Name the devices of this machine, the fastest first."""
    import torch

    there = {
        "cuda": torch.cuda.is_available(),
        "mps": torch.backends.mps.is_available(),
        "cpu": True,
    }
    return tuple(name for name in BEST_FIRST if there[name])


def training_type(device: "torch.device") -> "torch.dtype":
    """The type for matrix products in training: half as wide where that is safe."""
    import torch

    if device.type == "cuda" and torch.cuda.is_bf16_supported():
        return torch.bfloat16
    return torch.float32
