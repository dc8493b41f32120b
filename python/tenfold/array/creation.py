"""Arrays from numbers, from memory and from nothing."""

from __future__ import annotations

import builtins
import math
import operator
from typing import Any

from tenfold import _core
from tenfold._core import DType
from tenfold.array import devices, dtypes
from tenfold.array.manipulation import checked_sizes
from tenfold.array.object import Array

Shape = int | tuple[int, ...]


def _number_type(value: complex) -> DType:
    if isinstance(value, bool):
        return dtypes.bool
    if isinstance(value, int):
        return dtypes.DEFAULT_INT if value < 2**63 else dtypes.uint64
    return dtypes.DEFAULT_FLOAT if isinstance(value, float) else dtypes.DEFAULT_COMPLEX


def asarray(obj: Any, /, *, dtype: DType | None = None, device: Any = None, copy: bool | None = None) -> Array:
    """An array of a number, of nested lists, or of anything with __dlpack__ or the buffer protocol."""
    if isinstance(obj, Array):
        result = obj if device is None else obj.to_device(device)
        if dtype is not None and dtypes.checked(dtype) is not result.dtype:
            if copy is False:
                raise ValueError(f"from {obj.dtype!r} to {dtype!r} takes a copy")
            return _core.cast(result, dtype)
        return _core.op("clone", None, 1, self=result) if copy else result
    place = devices.device(device)
    if isinstance(obj, bool | int | float | complex) and not hasattr(obj, "__array_interface__"):
        if copy is False:
            raise ValueError("a number becomes an array by a copy")
        return _core.from_list(place, obj, dtype)
    if isinstance(obj, list | tuple):
        if copy is False:
            raise ValueError("lists become an array by a copy")
        return _from_list(place, obj, dtype)
    return _from_memory(place, obj, dtype, copy)


def _from_list(place: Any, obj: Any, dtype: DType | None) -> Array:
    try:
        return _core.from_list(place, obj, dtype)
    except TypeError:
        items = [asarray(item, dtype=dtype, device=place) for item in obj]  # arrays among the numbers
        if not items:
            raise
        common = dtypes.result_type(*items)
        return _core.op("stack", None, 1, tensors=[_core.cast(i, common) for i in items], dim=0)


def _from_memory(place: Any, obj: Any, dtype: DType | None, copy: bool | None) -> Array:
    if not hasattr(obj, "__dlpack__"):
        import numpy

        array = numpy.asarray(obj)
        if array.dtype.kind in "USOMm":
            kind = ValueError if array.dtype.kind in "US" else TypeError
            raise kind(f"an array cannot be made of {obj!r:.60}: it holds numbers and truth values")
        obj = array
    if hasattr(obj, "__array_interface__"):
        obj = _native(obj, copy)
    result = _core.from_object(place, obj, copy is not False)
    if dtype is None or dtype is result.dtype:
        return result
    if copy is False:
        raise ValueError(f"from {result.dtype!r} to {dtype!r} takes a copy")
    return _core.cast(result, dtype)


def _native(array: Any, copy: bool | None) -> Any:
    """An array of NumPy whose elements are as this machine has them."""
    if array.dtype.kind not in "biufc" or array.dtype.itemsize > (16 if array.dtype.kind == "c" else 8):
        raise TypeError(f"an array cannot be made of elements of NumPy's type {array.dtype}")
    if array.dtype.isnative:
        return array
    if copy is False:
        raise ValueError(f"elements of NumPy's type {array.dtype} take a copy: their bytes are in another order")
    return array.astype(array.dtype.newbyteorder("="))


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Array:
    """An array of the memory of anything with __dlpack__; shared unless a copy is wanted."""
    if isinstance(x, Array):
        moved = x if device is None else x.to_device(device)
        return _core.op("clone", None, 1, self=moved) if copy else moved
    return _core.from_object(devices.device(device), x, bool(copy))


def full(shape: Shape, fill_value: complex, *, dtype: DType | None = None, device: Any = None) -> Array:
    """An array with one number everywhere."""
    if dtype is None:
        dtype = fill_value.dtype if isinstance(fill_value, Array) else _number_type(fill_value)
    value = asarray(fill_value, dtype=dtype, device=device)
    return _core.op("expand", None, 1, self=value, size=checked_sizes(shape))


def full_like(x: Array, /, fill_value: complex, *, dtype: DType | None = None, device: Any = None) -> Array:
    """An array of the same shape with one number everywhere."""
    return full(x.shape, fill_value, dtype=dtype or x.dtype, device=device or x.device)


def zeros(shape: Shape, *, dtype: DType | None = None, device: Any = None) -> Array:
    """An array of zeros."""
    dtype = dtypes.checked(dtype or dtypes.DEFAULT_FLOAT)
    return _core.op("zeros", devices.device(device), 1, size=checked_sizes(shape), dtype=dtype)


def ones(shape: Shape, *, dtype: DType | None = None, device: Any = None) -> Array:
    """An array of ones."""
    dtype = dtypes.checked(dtype or dtypes.DEFAULT_FLOAT)
    return _core.op("ones", devices.device(device), 1, size=checked_sizes(shape), dtype=dtype)


def empty(shape: Shape, *, dtype: DType | None = None, device: Any = None) -> Array:
    """An array whose elements do not matter: zeros."""
    return zeros(shape, dtype=dtype, device=device)


def zeros_like(x: Array, /, *, dtype: DType | None = None, device: Any = None) -> Array:
    """Zeros in the shape of another array."""
    return zeros(x.shape, dtype=dtype or x.dtype, device=device or x.device)


def ones_like(x: Array, /, *, dtype: DType | None = None, device: Any = None) -> Array:
    """Ones in the shape of another array."""
    return ones(x.shape, dtype=dtype or x.dtype, device=device or x.device)


def empty_like(x: Array, /, *, dtype: DType | None = None, device: Any = None) -> Array:
    """Zeros in the shape of another array."""
    return zeros_like(x, dtype=dtype, device=device)


def arange(
    start: float,
    /,
    stop: float | None = None,
    step: float = 1,
    *,
    dtype: DType | None = None,
    device: Any = None,
) -> Array:
    """Numbers from start up to stop, which is not among them, at equal distances."""
    if stop is None:
        start, stop = 0, start
    if step == 0:
        raise ValueError("arange: the step is 0")
    floats = any(isinstance(v, float) for v in (start, stop, step))
    dtype = dtypes.checked(dtype or (dtypes.DEFAULT_FLOAT if floats else dtypes.DEFAULT_INT))
    if floats and not math.isfinite((stop - start) / step):
        raise ValueError(f"arange: from {start} to {stop} by {step} is no count of elements")
    count = max(math.ceil((stop - start) / step), 0) if floats else len(range(start, stop, step))
    place = devices.device(device)
    if not count:
        return zeros(0, dtype=dtype, device=place)
    wide = dtypes.float64 if floats else dtypes.uint64 if dtype is dtypes.uint64 else dtypes.int64
    if not floats and wide is dtypes.int64 and max(abs(start), abs(stop)) >= 2**63:
        wide = dtypes.uint64
    index = _core.op("arange.start_step", place, 1, start=0, end=count, step=1, dtype=wide)
    first, by = _core.from_list(place, start % 2**64 if wide is dtypes.uint64 else start, wide), step
    if wide is dtypes.uint64:
        by = step % 2**64
    return _core.cast(index * _core.from_list(place, by, wide) + first, dtype)


def linspace(
    start: complex,
    stop: complex,
    /,
    num: int,
    *,
    dtype: DType | None = None,
    device: Any = None,
    endpoint: bool = True,
) -> Array:
    """`num` numbers from start to stop at equal distances."""
    is_complex = isinstance(start, complex) or isinstance(stop, complex)
    dtype = dtype or (dtypes.DEFAULT_COMPLEX if is_complex else dtypes.DEFAULT_FLOAT)
    place, num = devices.device(device), operator.index(num)
    if num < 0:
        raise ValueError(f"linspace: {num} numbers")
    if not num:
        return zeros(0, dtype=dtype, device=place)
    wide = dtypes.complex128 if is_complex else dtypes.float64
    count = num - 1 if endpoint else num
    index = _core.op("arange.start_step", place, 1, start=0, end=num, step=1, dtype=dtypes.float64)
    part = _core.cast(index / float(max(count, 1)), wide)
    first, last = _core.from_list(place, start, wide), _core.from_list(place, stop, wide)
    values = first * (1.0 - part) + last * part
    if is_complex:  # 0 times infinity is no number, in either part
        values = _core.op(
            "complex",
            None,
            1,
            real=_line(start.real, stop.real, part, place),
            imag=_line(complex(start).imag, complex(stop).imag, part, place),
        )
    return _core.cast(values, dtype)


def _line(start: float, stop: float, part: Array, place: Any) -> Array:
    real = _core.op("real", None, 1, self=part)
    first = _core.from_list(place, float(start), dtypes.float64)
    return first * (1.0 - real) + _core.from_list(place, float(stop), dtypes.float64) * real


def eye(
    n_rows: int,
    n_cols: int | None = None,
    /,
    *,
    k: int = 0,
    dtype: DType | None = None,
    device: Any = None,
) -> Array:
    """Ones on a diagonal."""
    n_rows, n_cols = checked_sizes((n_rows, n_rows if n_cols is None else n_cols))
    place = devices.device(device)
    k = builtins.min(builtins.max(k, -n_rows), n_cols)
    rows, columns = arange(n_rows, device=place), arange(n_cols, device=place)
    same = _core.op("unsqueeze", None, 1, self=rows, dim=1) + k == _core.op("unsqueeze", None, 1, self=columns, dim=0)
    return _core.cast(same, dtype or dtypes.DEFAULT_FLOAT)


def tril(x: Array, /, *, k: int = 0) -> Array:
    """What lies on and below a diagonal; zeros elsewhere."""
    return _triangle("tril", x, k)


def triu(x: Array, /, *, k: int = 0) -> Array:
    """What lies on and above a diagonal; zeros elsewhere."""
    return _triangle("triu", x, k)


def _triangle(name: str, x: Array, k: int) -> Array:
    if x.ndim < 2:
        raise ValueError(f"{name} takes arrays with 2 dimensions at least, not {x.ndim}")
    return _core.op(
        name, None, 1, self=x, diagonal=builtins.min(builtins.max(int(k), -x.shape[-2] - 1), x.shape[-1] + 1)
    )


def meshgrid(*arrays: Array, indexing: str = "xy") -> tuple[Array, ...]:
    """Coordinates of a grid from those of its axes."""
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: indexing is 'xy' or 'ij', not {indexing!r}")
    order = list(range(len(arrays)))
    if indexing == "xy" and len(arrays) > 1:
        order[0], order[1] = 1, 0
    shape = [arrays[i].size for i in order]
    result = []
    for i, array in enumerate(arrays):
        sizes = [1] * len(arrays)
        sizes[order.index(i)] = array.size
        flat = _core.op("reshape", None, 1, self=array, shape=sizes)
        result.append(_core.op("expand", None, 1, self=flat, size=shape))
    return tuple(result)
