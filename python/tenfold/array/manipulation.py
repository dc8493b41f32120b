"""Arrays in other shapes and orders."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

from tenfold import _core
from tenfold.array import dtypes
from tenfold.array.object import Array

Axes = int | tuple[int, ...] | None


class AxisError(ValueError, IndexError):
    """An array has no such axis: both exceptions, as NumPy's."""


def axis_of(axis: int, ndim: int) -> int:
    """An axis counted from the front."""
    axis = operator.index(axis)
    if not -ndim <= axis < ndim:
        raise AxisError(f"axis {axis} is out of bounds for an array with {ndim} dimensions")
    return axis % ndim


def axes_of(axis: Axes, ndim: int) -> list[int]:
    """Axes counted from the front; None: all."""
    if axis is None:
        return list(range(ndim))
    given = tuple(axis) if isinstance(axis, tuple | list) else (axis,)
    axes = [axis_of(a, ndim) for a in given]
    if len(set(axes)) != len(axes):
        raise ValueError(f"an axis is named twice: {given}")
    return axes


def sizes_of(shape: Any) -> list[int]:
    """A shape as a list; a number is a shape of one size."""
    return [operator.index(s) for s in (shape if isinstance(shape, tuple | list) else (shape,))]


def checked_sizes(shape: Any) -> list[int]:
    """The same for the shape of an array to make."""
    sizes = sizes_of(shape)
    for size in sizes:
        if size < 0:
            raise ValueError(f"sizes are 0 or more, not {size}")
    return sizes


def _common(name: str, arrays: Sequence[Array]) -> list[Array]:
    if not len(arrays):
        raise ValueError(f"{name} takes one array at least")
    dtype = dtypes.result_type(*arrays)
    return [_core.cast(a, dtype) for a in arrays]


def astype(x: Array, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Array:
    """The array in another type."""
    if not isinstance(x, Array):
        raise TypeError(f"astype takes an array, not {type(x).__name__}")
    dtype, x = dtypes.checked(dtype), x if device is None else x.to_device(device)
    if x.dtype is dtype:
        return _core.op("clone", None, 1, self=x) if copy else x
    if dtypes.is_complex(x.dtype) and not dtypes.is_complex(dtype):
        if dtype is not dtypes.bool:
            raise TypeError(f"{x.dtype!r} cannot become {dtype!r}: take real(x) or abs(x)")
        return x != 0
    return _core.cast(x, dtype)


def reshape(x: Array, /, shape: tuple[int, ...], *, copy: bool | None = None) -> Array:
    """The elements in another shape; one size may be -1: what is left."""
    sizes = sizes_of(shape)
    known = math.prod(s for s in sizes if s != -1)
    if sizes.count(-1) > 1 or any(s < -1 for s in sizes):
        raise ValueError(f"cannot reshape an array of shape {x.shape} to {tuple(sizes)}")
    if -1 in sizes:
        if not known or x.size % known:
            raise ValueError(f"cannot reshape an array of shape {x.shape} to {tuple(sizes)}")
        sizes[sizes.index(-1)] = x.size // known
    elif known != x.size:
        raise ValueError(f"cannot reshape an array of shape {x.shape} to {tuple(sizes)}")
    return _core.reshape(x, tuple(sizes))


def broadcast_shapes(*shapes: tuple[int | None, ...]) -> tuple[int | None, ...]:
    """The shape that arrays of these shapes have together."""
    result: list[int | None] = [1] * max((len(s) for s in shapes), default=0)
    for shape in shapes:
        for i in range(1, len(shape) + 1):
            size, have = shape[-i], result[-i]
            if size == 1 or size == have:
                continue
            if have == 1 or have is None:
                result[-i] = size if size is not None or have == 1 else have
            elif size is not None:
                texts = " ".join(str(s) for s in shapes)
                raise ValueError(f"operands could not be broadcast together with shapes {texts}")
    return tuple(result)


def broadcast_to(x: Array, /, shape: tuple[int, ...]) -> Array:
    """The array repeated to a shape."""
    shape = tuple(sizes_of(shape))
    if len(shape) < x.ndim or broadcast_shapes(x.shape, shape) != shape:
        raise ValueError(f"an array of shape {x.shape} could not be broadcast to {shape}")
    return _core.op("expand", None, 1, self=x, size=list(shape))


def broadcast_arrays(*arrays: Array) -> tuple[Array, ...]:
    """Arrays repeated to their common shape."""
    shape = broadcast_shapes(*(a.shape for a in arrays))
    return tuple(broadcast_to(a, shape) for a in arrays)


def concat(arrays: Sequence[Array], /, *, axis: int | None = 0) -> Array:
    """Arrays one after the other along an axis; None: all their elements."""
    items = _common("concat", arrays)
    if axis is None:
        items, axis = [reshape(a, (-1,)) if a.size else reshape(a, (0,)) for a in items], 0
    for item in items:
        if item.ndim != items[0].ndim:
            raise ValueError(f"concat: arrays of shapes {items[0].shape} and {item.shape}")
    return _core.op("cat", None, 1, tensors=items, dim=axis_of(axis, items[0].ndim))


def stack(arrays: Sequence[Array], /, *, axis: int = 0) -> Array:
    """Arrays of one shape along a new axis."""
    items = _common("stack", arrays)
    for item in items:
        if item.shape != items[0].shape:
            raise ValueError(f"stack: arrays of shapes {items[0].shape} and {item.shape}")
    return _core.op("stack", None, 1, tensors=items, dim=axis_of(axis, items[0].ndim + 1))


def unstack(x: Array, /, *, axis: int = 0) -> tuple[Array, ...]:
    """The arrays along an axis."""
    axis = axis_of(axis, x.ndim)
    return tuple(_core.op("select.int", None, 1, self=x, dim=axis, index=i) for i in range(x.shape[axis]))


def expand_dims(x: Array, /, axis: int | tuple[int, ...] = 0) -> Array:
    """New axes of size 1."""
    given = (axis,) if isinstance(axis, int) else tuple(axis)
    axes = axes_of(given, x.ndim + len(given))
    sizes, rest = [], iter(x.shape)
    for i in range(x.ndim + len(given)):
        sizes.append(1 if i in axes else next(rest))
    return _core.op("reshape", None, 1, self=x, shape=sizes)


def squeeze(x: Array, /, axis: int | tuple[int, ...]) -> Array:
    """Without axes of size 1."""
    axes = axes_of(axis, x.ndim)
    for a in axes:
        if x.shape[a] != 1:
            raise ValueError(f"squeeze: axis {a} of shape {x.shape} is not of size 1")
    return _core.op("reshape", None, 1, self=x, shape=[s for i, s in enumerate(x.shape) if i not in axes])


def flip(x: Array, /, *, axis: Axes = None) -> Array:
    """Axes in reverse."""
    return _core.op("flip", None, 1, self=x, dims=axes_of(axis, x.ndim))


def permute_dims(x: Array, /, axes: tuple[int, ...]) -> Array:
    """Axes in another order."""
    order = axes_of(tuple(axes), x.ndim)
    if len(order) != x.ndim:
        raise ValueError(f"permute_dims: {len(order)} axes for an array with {x.ndim} dimensions")
    return _core.op("permute", None, 1, self=x, dims=order)


def moveaxis(x: Array, source: int | tuple[int, ...], destination: int | tuple[int, ...], /) -> Array:
    """Axes moved to other places; the others keep their order."""
    sources, places = axes_of(source, x.ndim), axes_of(destination, x.ndim)
    if len(sources) != len(places):
        raise ValueError(f"moveaxis: {len(sources)} axes to {len(places)} places")
    order = [i for i in range(x.ndim) if i not in sources]
    for place, axis in sorted(zip(places, sources, strict=True)):
        order.insert(place, axis)
    return _core.op("permute", None, 1, self=x, dims=order)


def matrix_transpose(x: Array, /) -> Array:
    """The last two axes exchanged."""
    return x.mT


def roll(x: Array, /, shift: int | tuple[int, ...], *, axis: Axes = None) -> Array:
    """Elements moved along axes; what leaves at one end comes in at the other."""
    if axis is None:
        return reshape(roll(reshape(x, (x.size,)), shift, axis=0), x.shape)
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    shifts = (shift,) * len(axes) if isinstance(shift, int) else tuple(shift)
    if len(axes) != len(shifts):
        raise ValueError(f"roll: {len(shifts)} shifts for {len(axes)} axes")
    for by, a in zip(shifts, axes, strict=True):
        a = axis_of(a, x.ndim)
        if x.shape[a]:
            x = _core.op("roll", None, 1, self=x, shifts=[int(by) % x.shape[a]], dims=[a])
    return +x


def tile(x: Array, repetitions: tuple[int, ...], /) -> Array:
    """The array repeated along each axis."""
    repeats = sizes_of(repetitions)
    shape = [1] * (len(repeats) - x.ndim) + list(x.shape)
    repeats = [1] * (x.ndim - len(repeats)) + repeats
    return _core.op("repeat", None, 1, self=reshape(x, tuple(shape)), repeats=repeats)


def repeat(x: Array, repeats: int | Array, /, *, axis: int | None = None) -> Array:
    """Each element several times."""
    if axis is None:
        x, axis = reshape(x, (x.size,)), 0
    axis = axis_of(axis, x.ndim)
    if isinstance(repeats, Array) and repeats.size == 1:
        repeats = int(repeats.item())
    if isinstance(repeats, int):
        counts, total = [repeats], repeats * x.shape[axis]
    elif not isinstance(repeats, Array):
        raise TypeError(f"repeat takes a count or an array of them, not {type(repeats).__name__}")
    else:
        counts = repeats.tolist()
        total = sum(counts)
        if len(counts) != x.shape[axis]:
            raise ValueError(f"repeat: {len(counts)} counts for {x.shape[axis]} elements")
    if any(count < 0 for count in counts):
        raise ValueError("repeat: counts are 0 or more")
    if not total:
        shape = [0 if i == axis else s for i, s in enumerate(x.shape)]
        return _core.op("zeros", x.device, 1, size=shape, dtype=x.dtype)
    if isinstance(repeats, int):
        index = _core.op("arange.start_step", x.device, 1, start=0, end=total, step=1, dtype=dtypes.int64) // repeats
    else:  # how many elements end at a place or before it
        each = _core.from_list(x.device, counts, dtypes.int64)
        ends = _core.op("cumsum", None, 1, self=each, dim=0, dtype=dtypes.int64)
        marks = _core.op("zeros", x.device, 1, size=[total + 1], dtype=dtypes.int64)
        ones = _core.op("ones_like", None, 1, self=each)
        marks = _core.op("index_add", None, 1, self=marks, dim=0, index=ends, source=ones)
        index = _core.op("slice.Tensor", None, 1, self=marks, dim=0, start=0, end=total, step=1)
        index = _core.op("cumsum", None, 1, self=index, dim=0, dtype=dtypes.int64)
    return _core.op("index_select", None, 1, self=x, dim=axis, index=index)


def diff(
    x: Array, /, *, axis: int = -1, n: int = 1, prepend: Array | None = None, append: Array | None = None
) -> Array:
    """Differences of neighbours, n times."""
    axis = axis_of(axis, x.ndim)
    if n < 0:
        raise ValueError(f"diff: n is 0 or more, not {n}")
    parts = [p for p in (prepend, x, append) if p is not None]
    if len(parts) > 1:
        x = concat(parts, axis=axis)
    for _ in range(n):
        size = x.shape[axis]
        if not size:
            break
        upper = _core.op("slice.Tensor", None, 1, self=x, dim=axis, start=1, end=size, step=1)
        lower = _core.op("slice.Tensor", None, 1, self=x, dim=axis, start=0, end=size - 1, step=1)
        x = upper != lower if x.dtype is dtypes.bool else upper - lower
    return +x
