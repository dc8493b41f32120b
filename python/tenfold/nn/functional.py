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


def statistics(x: Array) -> tuple[Array, Array]:
    """Mean and variance of each channel, the second axis."""
    axes = [i for i in range(x.ndim) if i != 1]
    variance = _core.op("var.correction", None, 1, self=x, dim=axes, correction=0, keepdim=False)
    return _core.op("mean.dim", None, 1, self=x, dim=axes, keepdim=False), variance


def scaled(
    x: Array, mean: Array, variance: Array, weight: Array | None, bias: Array | None, eps: float = 1e-5
) -> Array:
    """Each channel with that mean and variance taken out, then the weight and bias of it."""
    shape = (1, -1, *[1] * (x.ndim - 2))

    def wide(a: Array) -> Array:
        return _core.op("view", None, 1, self=a, size=list(shape))

    x = (x - wide(mean)) * wide(_core.op("rsqrt", None, 1, self=variance + float(eps)))
    x = x if weight is None else x * wide(weight)
    return x if bias is None else x + wide(bias)


def group_norm(
    x: Array, groups: int, weight: Array | None = None, bias: Array | None = None, eps: float = 1e-5
) -> Array:
    """Each group of channels with mean 0 and variance 1."""
    return _core.op(
        "group_norm", None, 1, input=x, num_groups=groups, weight=weight, bias=bias, eps=float(eps), cudnn_enabled=False
    )


def rms_norm(x: Array, shape: tuple[int, ...], weight: Array | None = None, eps: float | None = None) -> Array:
    """The last axes divided by the root of the mean of their squares."""
    axes = list(range(-len(shape), 0))
    small = {"float64": 2.0**-52, "float16": 2.0**-10, "bfloat16": 2.0**-7}.get(x.dtype.name, 2.0**-23)
    mean = _core.op("mean.dim", None, 1, self=x * x, dim=axes, keepdim=True)
    x = x * _core.op("rsqrt", None, 1, self=mean + (small if eps is None else float(eps)))
    return x if weight is None else x * weight


def scaled_dot_product_attention(
    query: Array, key: Array, value: Array, attn_mask: Array | None = None, is_causal: bool = False
) -> Array:
    """softmax(query keyᵀ / √size) value; a mask of bools says which keys count, one of floats is added."""
    return _core.op(
        "scaled_dot_product_attention",
        None,
        1,
        query=query,
        key=key,
        value=value,
        attn_mask=attn_mask,
        dropout_p=0.0,
        is_causal=is_causal,
    )


def masked(scores: Array, mask: Array | None, shape: tuple[int, ...] | None, heads: int) -> Array:
    """Attention scores (batch, heads, queries, keys) with a mask: of bools, True is left out; floats are added. A mask
    of three dimensions has one matrix for each head of each item of the batch."""
    if mask is None:
        return scores
    if shape is None and mask.ndim == 3:
        shape = (mask.shape[0] // heads, heads, *mask.shape[1:])
    mask = mask if shape is None else _core.reshape(mask, shape)
    if mask.dtype is not _core.dtype_bool:
        return scores + mask
    return _core.op("masked_fill.Scalar", None, 1, self=scores, mask=mask, value=float("-inf"))


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


def avg_pool2d(x: Array, size: tuple[int, int], stride: tuple[int, int], padding: tuple[int, int] = (0, 0)) -> Array:
    """The mean of each window; what is padded counts as zero."""
    return _core.op("avg_pool2d", None, 1, self=x, kernel_size=list(size), stride=list(stride), padding=list(padding))


def adaptive_avg_pool2d(x: Array, size: tuple[int, int]) -> Array:
    """Means over so many windows."""
    return _core.op("adaptive_avg_pool2d", None, 1, self=x, output_size=list(size))


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
    return nll_loss(log_softmax(x, dim=1), target)


def nll_loss(logs: Array, target: Array) -> Array:
    """The mean of minus the logarithms of the right classes; targets are their numbers."""
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
