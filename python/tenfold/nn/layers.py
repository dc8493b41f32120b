"""Layers without state: linear, convolutions, pooling, embedding, activations."""

from __future__ import annotations

import math
from typing import Any

from tenfold import _core
from tenfold.array import random
from tenfold.array.object import Array
from tenfold.nn import functional
from tenfold.nn.module import Module


def several(value: int | tuple[int, ...], count: int) -> tuple[int, ...]:
    return (value,) * count if isinstance(value, int) else tuple(value)


def bounded(shape: tuple[int, ...], inputs: int, device: Any) -> Array:
    bound = 1 / math.sqrt(inputs) if inputs else 0.0
    return random.uniform(shape, -bound, bound, device=device)


class Linear(Module):
    """x times the weight transposed, and a bias."""

    def __init__(self, in_features: int, out_features: int, bias: bool = True, device: Any = None) -> None:
        self.weight = bounded((out_features, in_features), in_features, device)
        self.bias = bounded((out_features,), in_features, device) if bias else None

    def forward(self, x: Array) -> Array:
        """The product."""
        return functional.linear(x, self.weight, self.bias)


class _Conv(Module):
    _rank = 0

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int | tuple[int, ...],
        stride: int | tuple[int, ...] = 1,
        padding: int | tuple[int, ...] = 0,
        dilation: int | tuple[int, ...] = 1,
        groups: int = 1,
        bias: bool = True,
        device: Any = None,
    ) -> None:
        sizes = several(kernel_size, self._rank)
        inputs = in_channels // groups * math.prod(sizes)
        self.weight = bounded((out_channels, in_channels // groups, *sizes), inputs, device)
        self.bias = bounded((out_channels,), inputs, device) if bias else None
        self.options = [several(v, self._rank) for v in (stride, padding, dilation)]
        self.groups = groups

    def forward(self, x: Array) -> Array:
        """The convolution."""
        return functional.conv(x, self.weight, self.bias, *self.options, self.groups)


class Conv1d(_Conv):
    """A convolution over sequences."""

    _rank = 1


class Conv2d(_Conv):
    """A convolution over images."""

    _rank = 2


class Conv3d(_Conv):
    """A convolution over volumes."""

    _rank = 3


class _Pool2d(Module):
    def __init__(
        self, kernel_size: int | tuple[int, int], stride: Any = None, padding: int | tuple[int, int] = 0
    ) -> None:
        self.size = several(kernel_size, 2)
        self.stride = self.size if stride is None else several(stride, 2)
        self.padding = several(padding, 2)


class MaxPool2d(_Pool2d):
    """The largest element of each window."""

    def forward(self, x: Array) -> Array:
        """The pooled image."""
        return functional.max_pool2d(x, self.size, self.stride, self.padding)


class AvgPool2d(_Pool2d):
    """The mean of each window."""

    def forward(self, x: Array) -> Array:
        """The pooled image."""
        return functional.avg_pool2d(x, self.size, self.stride, self.padding)


class AdaptiveAvgPool2d(Module):
    """Means over so many windows."""

    def __init__(self, output_size: int | tuple[int, int]) -> None:
        self.size = several(output_size, 2)

    def forward(self, x: Array) -> Array:
        """The pooled image."""
        return functional.adaptive_avg_pool2d(x, self.size)


class Identity(Module):
    """Nothing."""

    def forward(self, x: Any) -> Any:
        """The same."""
        return x


class Embedding(Module):
    """Rows of a table."""

    def __init__(self, num_embeddings: int, embedding_dim: int, device: Any = None) -> None:
        self.weight = random.normal((num_embeddings, embedding_dim), device=device)

    def forward(self, index: Array) -> Array:
        """The rows."""
        return functional.embedding(index, self.weight)


class Dropout(Module):
    """Some elements zero while it is trained."""

    def __init__(self, p: float = 0.5) -> None:
        self.p = p

    def forward(self, x: Array) -> Array:
        """What is left."""
        return functional.dropout(x, self.p, self.training, random.default())


class Flatten(Module):
    """All axes but the first as one."""

    def forward(self, x: Array) -> Array:
        """The same elements."""
        return _core.reshape(x, (x.shape[0], math.prod(x.shape[1:])))


class ReLU(Module):
    """The positive part."""

    def forward(self, x: Array) -> Array:
        """Of each element."""
        return functional.relu(x)


class GELU(Module):
    """x times the normal distribution function of x."""

    def forward(self, x: Array) -> Array:
        """Of each element."""
        return functional.gelu(x)


class SiLU(Module):
    """x times its sigmoid."""

    def forward(self, x: Array) -> Array:
        """Of each element."""
        return functional.silu(x)


class Tanh(Module):
    """The hyperbolic tangent."""

    def forward(self, x: Array) -> Array:
        """Of each element."""
        return _core.op("tanh", None, 1, self=x)


class Sigmoid(Module):
    """1 / (1 + exp(-x))."""

    def forward(self, x: Array) -> Array:
        """Of each element."""
        return functional.sigmoid(x)


class Softmax(Module):
    """Positive numbers that add up to 1."""

    def __init__(self, dim: int = -1) -> None:
        self.dim = dim

    def forward(self, x: Array) -> Array:
        """Along the axis."""
        return functional.softmax(x, self.dim)
