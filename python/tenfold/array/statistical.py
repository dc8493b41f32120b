"""Sums, extremes and their like along axes."""

from __future__ import annotations

import builtins
from typing import Any

from tenfold import _core
from tenfold.array import creation, dtypes
from tenfold.array.manipulation import Axes, axes_of, axis_of, concat, reshape
from tenfold.array.object import Array


def _sum_type(x: Array, dtype: Any) -> Any:
    """Small integers add up in the default integer of their sign."""
    if dtype is not None:
        return dtype
    if x.dtype.kind == "unsigned integer":
        return dtypes.uint64
    return dtypes.DEFAULT_INT if x.dtype is dtypes.bool or dtypes.is_integer(x.dtype) else x.dtype


def _shape(x: Array, axes: list[int], keepdims: builtins.bool) -> list[int]:
    return [1 if i in axes else s for i, s in enumerate(x.shape) if keepdims or i not in axes]


def sum(x: Array, /, *, axis: Axes = None, dtype: Any = None, keepdims: builtins.bool = False) -> Array:
    """Sums."""
    dtype, axes = _sum_type(x, dtype), axes_of(axis, x.ndim)
    x = _core.cast(x, dtype)
    if not axes:
        return +x
    return _core.op("sum.dim_IntList", None, 1, self=x, dim=axes, keepdim=keepdims, dtype=dtype)


def prod(x: Array, /, *, axis: Axes = None, dtype: Any = None, keepdims: builtins.bool = False) -> Array:
    """Products."""
    dtype, axes = _sum_type(x, dtype), axes_of(axis, x.ndim)
    x = _core.cast(x, dtype)
    for a in sorted(axes, reverse=True):
        x = _core.op("prod.dim_int", None, 1, self=x, dim=a, keepdim=keepdims, dtype=dtype)
    return +x


def _extreme(name: str, x: Array, axis: Axes, keepdims: builtins.bool) -> Array:
    axes = axes_of(axis, x.ndim)
    for a in axes:
        if not x.shape[a]:
            raise ValueError(f"{name} of no elements: axis {a} of shape {x.shape} has size 0")
    return _core.op(f"a{name}", None, 1, self=x, dim=axes, keepdim=keepdims) if axes else +x


def max(x: Array, /, *, axis: Axes = None, keepdims: builtins.bool = False) -> Array:
    """The largest elements."""
    return _extreme("max", x, axis, keepdims)


def min(x: Array, /, *, axis: Axes = None, keepdims: builtins.bool = False) -> Array:
    """The smallest elements."""
    return _extreme("min", x, axis, keepdims)


def _floats(x: Array) -> Array:
    return _core.cast(x, dtypes.DEFAULT_FLOAT) if dtypes.is_integer(x.dtype) or x.dtype is dtypes.bool else x


def mean(x: Array, /, *, axis: Axes = None, keepdims: builtins.bool = False) -> Array:
    """Averages."""
    axes, x = axes_of(axis, x.ndim), _floats(x)
    return _core.op("mean.dim", None, 1, self=x, dim=axes, keepdim=keepdims) if axes else +x


def var(x: Array, /, *, axis: Axes = None, correction: float = 0.0, keepdims: builtins.bool = False) -> Array:
    """Variances; sums are divided by the count less the correction."""
    axes, x = axes_of(axis, x.ndim), _floats(x)
    count = 1
    for a in axes:
        count *= x.shape[a]
    apart = x - mean(x, axis=tuple(axes), keepdims=True)
    total = sum(apart * apart, axis=tuple(axes), keepdims=keepdims)
    left = float(count - correction)
    return total / (left if left > 0 else 0.0)


def std(x: Array, /, *, axis: Axes = None, correction: float = 0.0, keepdims: builtins.bool = False) -> Array:
    """Standard deviations."""
    return _core.op("sqrt", None, 1, self=var(x, axis=axis, correction=correction, keepdims=keepdims))


def _cumulative(name: str, x: Array, axis: Any, dtype: Any, initial: int, include: builtins.bool) -> Array:
    if axis is None:
        if x.ndim != 1:
            raise ValueError(f"{name}: axis is needed for an array with {x.ndim} dimensions")
        axis = 0
    axis, dtype = axis_of(axis, x.ndim), _sum_type(x, dtype)
    x = _core.cast(x, dtype)
    result = _core.op(name, None, 1, self=x, dim=axis, dtype=dtype) if x.size else +x
    if include:
        shape = tuple(1 if i == axis else s for i, s in enumerate(x.shape))
        result = concat([creation.full(shape, initial, dtype=dtype, device=x.device), result], axis=axis)
    return result


def cumulative_sum(
    x: Array, /, *, axis: int | None = None, dtype: Any = None, include_initial: builtins.bool = False
) -> Array:
    """Sums of all elements up to each one."""
    return _cumulative("cumsum", x, axis, dtype, 0, include_initial)


def cumulative_prod(
    x: Array, /, *, axis: int | None = None, dtype: Any = None, include_initial: builtins.bool = False
) -> Array:
    """Products of all elements up to each one."""
    return _cumulative("cumprod", x, axis, dtype, 1, include_initial)


def _truth(name: str, x: Array, axis: Axes, keepdims: builtins.bool) -> Array:
    axes = axes_of(axis, x.ndim)
    x = x if x.dtype is dtypes.bool else x != 0
    return _core.op(f"{name}.dims", None, 1, self=x, dim=axes, keepdim=keepdims) if axes else +x


def all(x: Array, /, *, axis: Axes = None, keepdims: builtins.bool = False) -> Array:
    """Whether all elements are true."""
    return _truth("all", x, axis, keepdims)


def any(x: Array, /, *, axis: Axes = None, keepdims: builtins.bool = False) -> Array:
    """Whether any element is true."""
    return _truth("any", x, axis, keepdims)


def count_nonzero(x: Array, /, *, axis: Axes = None, keepdims: builtins.bool = False) -> Array:
    """How many elements are not zero."""
    return sum(x != 0, axis=axis, keepdims=keepdims, dtype=dtypes.DEFAULT_INT)


def _place(name: str, x: Array, axis: int | None, keepdims: builtins.bool) -> Array:
    ndim = x.ndim
    if axis is None:
        x, place = reshape(x, (x.size,)), 0
    else:
        place = axis_of(axis, ndim)
    if not x.shape[place]:
        raise ValueError(f"{name} of no elements")
    result = _core.op(name, None, 1, self=x, dim=place, keepdim=keepdims and axis is not None)
    return reshape(result, (1,) * ndim) if keepdims and axis is None else result


def argmax(x: Array, /, *, axis: int | None = None, keepdims: builtins.bool = False) -> Array:
    """Positions of the largest elements; the first of several."""
    return _place("argmax", x, axis, keepdims)


def argmin(x: Array, /, *, axis: int | None = None, keepdims: builtins.bool = False) -> Array:
    """Positions of the smallest elements; the first of several."""
    return _place("argmin", x, axis, keepdims)
