"""Where elements are, their order, and which there are. What decides about a shape is read."""

from __future__ import annotations

from typing import Any, NamedTuple

from tenfold import _core
from tenfold.array import dtypes
from tenfold.array.manipulation import axis_of, reshape
from tenfold.array.object import Array


def where(condition: Array, x1: Any, x2: Any, /) -> Array:
    """Elements of x1 where the condition holds, of x2 elsewhere."""
    if not isinstance(condition, Array):
        raise TypeError(f"where takes an array as its condition, not {type(condition).__name__}")
    if isinstance(x1, Array) or isinstance(x2, Array):
        dtype = dtypes.result_type(x1, x2)
    else:
        dtype = dtypes.with_number(dtypes.with_number(dtypes.bool, x1), x2)
    a, b = (
        _core.cast(x, dtype) if isinstance(x, Array) else _core.from_list(condition.device, x, dtype) for x in (x1, x2)
    )
    condition = condition if condition.dtype is dtypes.bool else condition != 0
    return _core.op("where.self", None, 1, condition=condition, self=a, other=b)


def nonzero(x: Array, /) -> tuple[Array, ...]:
    """Positions of what is not zero, one array for each axis."""
    if not x.ndim:
        raise ValueError("nonzero of an array without dimensions")
    flat = reshape(x != 0, (x.size,))
    count = int(_core.op("sum.dim_IntList", None, 1, self=_core.cast(flat, dtypes.int64), dim=[0], keepdim=False))
    if not count:
        return tuple(_core.op("zeros", x.device, 1, size=[0], dtype=dtypes.int64) for _ in x.shape)
    # Stable: false ones after true ones, each in their order.
    order = _core.op("sort.stable", None, 2, self=_core.cast(flat, dtypes.uint8), dim=0, descending=True, stable=True)[
        1
    ]
    places = _core.op("slice.Tensor", None, 1, self=order, dim=0, start=0, end=count, step=1)
    result = []
    for size in reversed(x.shape):
        result.append(places % size)
        places = places // size
    return tuple(reversed(result))


def searchsorted(x1: Array, x2: Array | float, /, *, side: str = "left", sorter: Array | None = None) -> Array:
    """Where elements would be inserted so that a sorted array stays sorted."""
    if side not in ("left", "right"):
        raise ValueError(f"searchsorted: side is 'left' or 'right', not {side!r}")
    if x1.ndim != 1:
        raise ValueError(f"searchsorted takes a vector, not an array of shape {x1.shape}")
    if sorter is not None:
        x1 = _core.op("index_select", None, 1, self=x1, dim=0, index=_core.cast(sorter, dtypes.int64))
    dtype = dtypes.result_type(x1, x2)
    x1 = _core.cast(x1, dtype)
    x2 = _core.cast(x2, dtype) if isinstance(x2, Array) else _core.from_list(x1.device, x2, dtype)
    row = _core.op("reshape", None, 1, self=x1, shape=[1] * x2.ndim + [x1.size])
    column = _core.op("unsqueeze", None, 1, self=x2, dim=x2.ndim)
    before = row < column if side == "left" else row <= column
    if dtypes.is_float(dtype):  # NaN comes last
        nan = _core.op("isnan", None, 1, self=column)
        known = _core.op("logical_not", None, 1, self=_core.op("isnan", None, 1, self=row))
        before = before | (nan & known) if side == "left" else before | nan
    return _core.op("sum.dim_IntList", None, 1, self=_core.cast(before, dtypes.int64), dim=[-1], keepdim=False)


def _sorted(x: Array, axis: int, descending: bool) -> tuple[Array, Array]:
    axis = axis_of(axis, x.ndim)
    return _core.op("sort.stable", None, 2, self=x, dim=axis, descending=descending, stable=True)


def sort(x: Array, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    """Elements in order along an axis."""
    return _sorted(x, axis, descending)[0] if x.size else +x


def argsort(x: Array, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Array:
    """Positions of the elements in order."""
    if not x.size:
        axis_of(axis, x.ndim)
        return _core.op("zeros", x.device, 1, size=list(x.shape), dtype=dtypes.int64)
    return _sorted(x, axis, descending)[1]


def isin(x1: Array | int, x2: Array | int, /, *, invert: bool = False) -> Array:
    """Whether elements of x1 are among those of x2."""
    dtype = dtypes.result_type(x1, x2)
    place = (x1 if isinstance(x1, Array) else x2).device
    x1, x2 = (_core.cast(x, dtype) if isinstance(x, Array) else _core.from_list(place, x, dtype) for x in (x1, x2))
    same = _core.op("unsqueeze", None, 1, self=x1, dim=x1.ndim) == reshape(x2, (x2.size,))
    found = _core.op("any.dims", None, 1, self=same, dim=[same.ndim - 1], keepdim=False)
    return _core.op("logical_not", None, 1, self=found) if invert else found


class UniqueAll(NamedTuple):
    """What unique_all gives."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCounts(NamedTuple):
    """What unique_counts gives."""

    values: Array
    counts: Array


class UniqueInverse(NamedTuple):
    """What unique_inverse gives."""

    values: Array
    inverse_indices: Array


def unique_all(x: Array, /) -> UniqueAll:
    """The different elements in order, where each is first, which each one is, and how many there are of each."""
    int64 = dtypes.int64
    if not x.size:
        none = _core.op("zeros", x.device, 1, size=[0], dtype=int64)
        return UniqueAll(reshape(x, (0,)), none, reshape(none, x.shape), none)
    flat = reshape(x, (x.size,))
    values, order = _sorted_any(flat)
    fresh = _core.cast(values[1:] != values[:-1], int64)
    first = _core.op("constant_pad_nd", None, 1, self=fresh, pad=[1, 0], value=1)
    number = _core.op("cumsum", None, 1, self=first, dim=0, dtype=int64) - 1
    starts = nonzero(first)[0]
    ends = _core.op("cat", None, 1, tensors=[starts[1:], _core.from_list(x.device, [x.size], int64)], dim=0)
    inverse = _core.op("scatter.src", None, 1, self=number, dim=0, index=order, src=number)

    def pick(what: Array, places: Array) -> Array:
        return _core.op("index_select", None, 1, self=what, dim=0, index=places)

    return UniqueAll(pick(values, starts), pick(order, starts), reshape(inverse, x.shape), ends - starts)


def _sorted_any(flat: Array) -> tuple[Array, Array]:
    """A stable order of any type: complex numbers by their real parts, then by the others."""
    if not dtypes.is_complex(flat.dtype):
        return _sorted(flat, 0, False)
    by_imag = _sorted(_core.op("imag", None, 1, self=flat), 0, False)[1]
    real = _core.op("index_select", None, 1, self=_core.op("real", None, 1, self=flat), dim=0, index=by_imag)
    order = _core.op("index_select", None, 1, self=by_imag, dim=0, index=_sorted(real, 0, False)[1])
    return _core.op("index_select", None, 1, self=flat, dim=0, index=order), order


def unique_counts(x: Array, /) -> UniqueCounts:
    """The different elements in order, and how many there are of each."""
    found = unique_all(x)
    return UniqueCounts(found.values, found.counts)


def unique_inverse(x: Array, /) -> UniqueInverse:
    """The different elements in order, and which of them each element is."""
    found = unique_all(x)
    return UniqueInverse(found.values, found.inverse_indices)


def unique_values(x: Array, /) -> Array:
    """The different elements in order."""
    return unique_all(x).values
