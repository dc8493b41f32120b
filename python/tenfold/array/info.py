"""What the namespace says of itself."""

from __future__ import annotations

from typing import Any

from tenfold._core import Device, DType
from tenfold.array import devices, dtypes


class Info:
    """What __array_namespace_info__ gives."""

    def capabilities(self) -> dict[str, Any]:
        """What is possible."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 16}

    def default_device(self) -> Device:
        """The CPU, or what set_default_device was given."""
        return devices.device()

    def default_dtypes(self, *, device: Any = None) -> dict[str, DType]:
        """The types of numbers whose type is not given."""
        return {
            "real floating": dtypes.DEFAULT_FLOAT,
            "complex floating": dtypes.DEFAULT_COMPLEX,
            "integral": dtypes.DEFAULT_INT,
            "indexing": dtypes.DEFAULT_INT,
        }

    def dtypes(self, *, device: Any = None, kind: str | tuple[str, ...] | None = None) -> dict[str, DType]:
        """The types of the standard, by name."""
        return {d.name: d for d in dtypes.STANDARD if kind is None or dtypes.isdtype(d, kind)}

    def devices(self) -> tuple[Device, ...]:
        """The devices that can be opened here."""
        return devices.available()


def __array_namespace_info__() -> Info:
    return Info()
