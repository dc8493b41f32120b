"""The interface of neurenix over arrays: tensors, devices, networks."""

from __future__ import annotations

from typing import Any

from tenfold.array import creation, linalg
from tenfold.array.object import Array
from tenfold.compat.neurenix import device, hardware, nn
from tenfold.compat.neurenix.device import Device, DeviceType

__all__ = ["Device", "DeviceType", "Tensor", "device", "hardware", "matmul", "nn"]


def Tensor(data: Any, device: Device | str | None = None, dtype: Any = None) -> Array:
    """An array of lists of numbers, or of anything with __dlpack__, on a device."""
    place = device.place() if isinstance(device, Device) else device
    return creation.asarray(data, dtype=dtype, device=place)


def matmul(a: Array, b: Array) -> Array:
    """The matrix product."""
    return linalg.matmul(a, b)
