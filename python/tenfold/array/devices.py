"""Devices of arrays: each is opened once."""

from __future__ import annotations

import contextlib
import copyreg
import functools
import itertools
from typing import Any

from tenfold import _core, names
from tenfold._core import Array, Device


@functools.cache
def _open(name: str) -> Device:
    kind, _, index = name.rpartition(":")
    if index == "0" and kind in _core.devices():
        return _open(kind)
    try:
        return _core.open_device(name)
    except _core.Error as why:
        if not str(why).startswith("no device "):
            raise
        known = ":" in name
        raise ValueError(str(why) if known else names.unknown("device", name, _core.devices())) from None


_default = ["cpu"]


def set_default_device(which: Any) -> None:
    """The device of arrays that are made without one from now on; the CPU at first."""
    _default[0] = device(which).name


def device(which: Any = None) -> Device:
    """The device of that name, or the one given; None: the default."""
    if isinstance(which, Device):
        return which
    if which is None:
        return _open(_default[0])
    if isinstance(which, str):
        return _open(which)
    raise TypeError(f"a device is a name or a tenfold.Device, not {type(which).__name__}")


@functools.cache
def available() -> tuple[Device, ...]:
    """The devices that can be opened here."""
    found = []
    for name in _core.devices():
        with contextlib.suppress(_core.Error, ValueError):  # the first number that is not there ends it
            found.extend(_open(f"{name}:{i}") for i in itertools.count())
    return tuple(found)


def _reduce(which: Device) -> Any:
    return device, (which.name,)


copyreg.pickle(Device, _reduce)


def of(*arrays: Any) -> Device:
    """The device of the first array among these."""
    for array in arrays:
        if isinstance(array, Array):
            return array._device
    return device()
