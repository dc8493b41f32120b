"""Devices by type and number."""

from __future__ import annotations

import enum
import os
from typing import Any

from tenfold import _core
from tenfold.array import devices


class DeviceType(enum.Enum):
    """Kinds of devices."""

    CPU = "cpu"
    CUDA = "cuda"
    ROCM = "rocm"
    OPENCL = "opencl"
    WEBGPU = "webgpu"
    TPU = "tpu"
    EDGE_TPU = "edge_tpu"
    REMOTE = "remote"


_NAMES = {DeviceType.ROCM: "hip"}
_MISSING = {
    DeviceType.EDGE_TPU: "arrays cannot be on it; it runs int8 programs compiled to a TFLite file: "
    "tenfold compile --target edgetpu",
    DeviceType.REMOTE: 'it has an address, not a number: tenfold.device("grpc://HOST:PORT")',
}


def is_emulated() -> bool:
    """Whether the CPU stands for the TPU (TENFOLD_TPU=emulated)."""
    return os.environ.get("TENFOLD_TPU") == "emulated"


class Device:
    """A device by its type and number."""

    def __init__(self, type: DeviceType, index: int = 0) -> None:
        self.type, self.index = type, index

    def place(self) -> Any:
        """The device of arrays; raises RuntimeError with what is missing."""
        if self.type in _MISSING:
            raise RuntimeError(f"{self} is not available: {_MISSING[self.type]}")
        if self.type is DeviceType.TPU and is_emulated() and not self.index:
            return devices.device("cpu")
        try:
            return devices.device(f"{_NAMES.get(self.type, self.type.value)}:{self.index}")
        except (_core.Error, ValueError) as why:
            raise RuntimeError(f"{self} is not available: {why}") from why

    def is_available(self) -> bool:
        """Whether it can be used here."""
        try:
            self.place()
        except RuntimeError:
            return False
        return True

    def __repr__(self) -> str:
        emulated = " (emulated on the CPU)" if self.type is DeviceType.TPU and is_emulated() else ""
        return f"{self.type.value}:{self.index}{emulated}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))
