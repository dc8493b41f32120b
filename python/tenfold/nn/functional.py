"""Functions of networks: ATen's operations on arrays."""

from __future__ import annotations

from typing import Any

from tenfold import _core
from tenfold.array.object import Array


def linear(x: Array, weight: Array, bias: Array | None = None) -> Array:
    """x times the weight transposed, and a bias."""
    return _core.op("linear", None, 1, input=x, weight=weight, bias=bias)


def relu(x: Array) -> Array:
    """The positive part."""
    return _core.op("relu", None, 1, self=x)


def gelu(x: Array, approximate: str = "none") -> Array:
    """x times the normal distribution function of x."""
    return _core.op("gelu", None, 1, self=x, approximate=approximate)


def silu(x: Array) -> Array:
    """x times its sigmoid."""
    return _core.op("silu", None, 1, self=x)


def sigmoid(x: Array) -> Array:
    """1 / (1 + exp(-x))."""
    return _core.op("sigmoid", None, 1, self=x)


def softmax(x: Array, dim: int = -1) -> Array:
    """Positive numbers along an axis that add up to 1."""
    return _core.op("_softmax", None, 1, self=x, dim=dim, half_to_float=False)


def log_softmax(x: Array, dim: int = -1) -> Array:
    """The logarithm of softmax."""
    return _core.op("_log_softmax", None, 1, self=x, dim=dim, half_to_float=False)


def layer_norm(
    x: Array, shape: tuple[int, ...], weight: Array | None = None, bias: Array | None = None, eps: float = 1e-5
) -> Array:
    """The last axes with mean 0 and variance 1."""
    return _core.op(
        "layer_norm", None, 1, input=x, normalized_shape=list(shape), weight=weight, bias=bias, eps=float(eps)
    )


def embedding(index: Array, weight: Array) -> Array:
    """Rows of a table."""
    return _core.op("embedding", None, 1, weight=weight, indices=index)


def conv(
    x: Array,
    weight: Array,
    bias: Array | None,
    stride: tuple[int, ...],
    padding: tuple[int, ...],
    dilation: tuple[int, ...],
    groups: int,
) -> Array:
    """A convolution of as many dimensions as the weight has after its first two."""
    return _core.op(
        "convolution",
        None,
        1,
        input=x,
        weight=weight,
        bias=bias,
        stride=list(stride),
        padding=list(padding),
        dilation=list(dilation),
        transposed=False,
        output_padding=[0] * len(stride),
        groups=groups,
    )


def max_pool2d(x: Array, size: tuple[int, int], stride: tuple[int, int], padding: tuple[int, int] = (0, 0)) -> Array:
    """The largest element of each window."""
    return _core.op("max_pool2d", None, 1, self=x, kernel_size=list(size), stride=list(stride), padding=list(padding))


def _mean(x: Array) -> Array:
    return _core.op("mean.dim", None, 1, self=x, dim=list(range(x.ndim)), keepdim=False)


def mse_loss(x: Array, target: Array) -> Array:
    """The mean of the squares of differences."""
    apart = x - target
    return _mean(apart * apart)


def l1_loss(x: Array, target: Array) -> Array:
    """The mean of absolute differences."""
    return _mean(abs(x - target))


def cross_entropy(x: Array, target: Array) -> Array:
    """The mean of minus the logarithm of the softmax of the right classes; targets are their numbers."""
    logs = log_softmax(x, dim=1)
    index = _core.op("unsqueeze", None, 1, self=_core.cast(target, _core.dtype_int64), dim=1)
    return -_mean(_core.op("gather", None, 1, self=logs, dim=1, index=index))


def binary_cross_entropy_with_logits(x: Array, target: Array) -> Array:
    """The mean of minus the logarithm of the sigmoid of the right answers."""
    return _core.op("binary_cross_entropy_with_logits", None, 1, self=x, target=target)


def dropout(x: Array, p: float, training: bool, generator: Any) -> Array:
    """Some elements zero, the others larger."""
    if not training or not p:
        return x
    kept = generator.uniform(x.shape, device=x.device) >= p
    return _core.cast(kept, x.dtype) * x / (1.0 - p)
