import pytest
import torch

from core.errors import DeviceError
from core.model.device import available_devices, choose_device, training_type


def pretend(monkeypatch: pytest.MonkeyPatch, *, cuda: bool, mps: bool) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: cuda)
    monkeypatch.setattr("torch.backends.mps.is_available", lambda: mps)


@pytest.mark.parametrize(
    ("cuda", "mps", "best"),
    [(True, True, "cuda"), (False, True, "mps"), (False, False, "cpu")],
)
def test_auto_takes_the_fastest_that_is_there(
    monkeypatch: pytest.MonkeyPatch, cuda: bool, mps: bool, best: str
) -> None:
    pretend(monkeypatch, cuda=cuda, mps=mps)
    assert choose_device().type == best
    assert available_devices()[0] == best


@pytest.mark.parametrize("name", ["cuda", "mps"])
def test_a_device_that_is_not_there_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    pretend(monkeypatch, cuda=False, mps=False)
    with pytest.raises(DeviceError, match=f"'{name}' is not on this machine.*cpu"):
        choose_device(name)


def test_an_unknown_device_is_refused_with_the_known_ones() -> None:
    with pytest.raises(DeviceError, match="'tpu' is not known; choose one of auto"):
        choose_device("tpu")


def test_the_cpu_trains_in_float32() -> None:
    assert training_type(torch.device("cpu")) == torch.float32
