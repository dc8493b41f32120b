"""The array object: what is not an operator of the extension. Indexing is added by tenfold.array.indexing."""

from __future__ import annotations

import re
import sys
from types import ModuleType
from typing import Any

from tenfold import _core
from tenfold._core import Device
from tenfold.array import devices, recording


class Array(_core.Array):
    """An array on a device. Operations are recorded, and run when a value is needed."""

    __slots__ = ()
    __hash__ = None
    __array_priority__ = 1000

    def __init__(self) -> None:
        raise TypeError("arrays are made by asarray, zeros, arange and their like")

    def _become(self, other: _core.Array) -> None:
        """Takes the place of another array."""
        if recording.state.depth:
            recording.check_write(self, other)
        super()._become(other)

    @property
    def device(self) -> Device:
        """The device that it is on."""
        return self._device

    @property
    def T(self) -> Array:
        """A matrix with rows and columns exchanged."""
        if self.ndim != 2:
            raise ValueError(f"T is of arrays with 2 dimensions, not {self.ndim}; mT exchanges the last two")
        return _core.op("transpose", None, 1, self=self, dim0=0, dim1=1)

    @property
    def mT(self) -> Array:
        """The last two dimensions exchanged."""
        if self.ndim < 2:
            raise ValueError(f"mT is of arrays with 2 dimensions at least, not {self.ndim}")
        return _core.op("transpose", None, 1, self=self, dim0=-2, dim1=-1)

    def __complex__(self) -> complex:
        return complex(self.item())

    def __array_namespace__(self, /, *, api_version: str | None = None) -> ModuleType:
        if api_version not in (None, "2021.12", "2022.12", "2023.12", "2024.12", "2025.12"):
            raise ValueError(f"no version {api_version!r} of the array API; the newest here is 2025.12")
        return sys.modules["tenfold"]

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        if stream is not None:
            raise ValueError("values are in host memory: there is no stream")
        if dl_device is not None and tuple(map(int, dl_device)) != (1, 0):
            raise BufferError(f"values are in host memory, DLPack's device (1, 0), not {dl_device}")
        source = _core.op("clone", None, 1, self=self) if copy else self
        return source._tensor().__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self._tensor().__array__(dtype=dtype, copy=copy)

    def to_device(self, device: Any, /, *, stream: Any = None) -> Array:
        """The same array on another device."""
        if stream is not None:
            raise ValueError(f"stream is {stream!r}; CPU arrays have no streams: pass None")
        return _core.to_device(self, devices.device(device))

    def __iter__(self) -> Any:
        if not self.ndim:
            raise TypeError("an array without dimensions cannot be iterated over")
        return (self[i] for i in range(self.shape[0]))

    def __contains__(self, value: Any) -> bool:
        same = _core.op("any", None, 1, self=self == value)
        return bool(same)

    def __repr__(self) -> str:
        text = self._text().replace("\n", "\n" + " " * 6)
        shape = "" if self.size or self.shape == (0,) else f"shape={self.shape}, "
        return f"Array({_commas(text)}, {shape}dtype={self.dtype.name})"

    def __str__(self) -> str:
        return self._text()

    def __format__(self, spec: str) -> str:
        if spec and self.ndim:
            raise TypeError(f"format {spec!r} is for numbers: the array has {self.ndim} dimensions")
        return format(self.item(), spec) if spec else str(self)

    def __reduce__(self) -> Any:
        return _restore, (self.tobytes(), self.shape, self.dtype)

    def __copy__(self) -> Array:
        return _core.op("clone", None, 1, self=self)

    def __deepcopy__(self, memo: Any) -> Array:
        return self.__copy__()


def _commas(text: str) -> str:
    """The text of an array with commas between elements, as repr has it."""
    return re.sub(r"(?<=[^\s\[,])(\s+)(?=[^\s\]])", r",\1", text)


def _restore(data: bytes, shape: tuple[int, ...], dtype: Any) -> Array:
    return _core.from_bytes(devices.device(), data, shape, dtype)


_core.set_array_class(Array)
