"""TPUs."""

from __future__ import annotations

from tenfold.compat.neurenix.device import Device, DeviceType


def is_tpu_available() -> bool:
    """Whether a TPU can be used here."""
    return Device(DeviceType.TPU).is_available()


class TPUBackend:
    """The TPU of this machine; RuntimeError with the reason where there is none."""

    def __init__(self) -> None:
        self.device = Device(DeviceType.TPU)
        self.place = self.device.place()

    def initialize(self) -> bool:
        """True: it is ready."""
        self.place.synchronize()
        return True
