"""Networks: those of tenfold.nn, on devices of this interface."""

from __future__ import annotations

from typing import Any

from tenfold import nn
from tenfold.compat.neurenix.device import Device
from tenfold.nn import GELU, Conv2d, Embedding, LayerNorm, Linear, MSELoss, ReLU, Sigmoid, Softmax, Tanh

__all__ = [
    "GELU",
    "Conv2d",
    "Embedding",
    "LayerNorm",
    "Linear",
    "MSELoss",
    "Module",
    "ReLU",
    "Sequential",
    "Sigmoid",
    "Softmax",
    "Tanh",
]


class _OnDevice:
    def to(self, device: Any) -> Any:
        """Moves the parameters to a device."""
        return super().to(device.place() if isinstance(device, Device) else device)


class Module(_OnDevice, nn.Module):
    """A part of a network."""


class Sequential(_OnDevice, nn.Sequential):
    """Parts one after the other; a list of them, too."""

    def __init__(self, *parts: Any) -> None:
        super().__init__(*(parts[0] if len(parts) == 1 and isinstance(parts[0], list | tuple) else parts))
