"""x[…], x[…] = y, take and take_along_axis. Positions are checked here where they are Python numbers."""

from __future__ import annotations

import operator
from typing import Any

from tenfold import _core
from tenfold.array import creation, dtypes, manipulation, searching
from tenfold.array.object import Array


def _is_array(key: Any) -> bool:
    return isinstance(key, _core.Array)


def _expand(x: Any, key: Any) -> list[Any]:
    """The key with one item for each axis, and None for each new one."""
    items = list(key) if isinstance(key, tuple) else [key]
    used = sum(
        k.ndim if _is_array(k) and k.dtype is dtypes.bool else 1 for k in items if k is not None and k is not ...
    )
    dots = [i for i, k in enumerate(items) if k is ...]
    if len(dots) > 1:
        raise IndexError("an index can only have one ellipsis ('...')")
    if used > x.ndim:
        raise IndexError(f"too many indices: the array has {x.ndim} dimensions, {used} were indexed")
    rest = [slice(None)] * (x.ndim - used)
    if dots:
        return items[: dots[0]] + rest + items[dots[0] + 1 :]
    return items + rest


def _position(index: Any, axis: int, size: int) -> int:
    place = operator.index(index)
    if not -size <= place < size:
        raise IndexError(f"index {place} is out of bounds for axis {axis} with size {size}")
    return place % size


def _convert(x: Any, items: list[Any]) -> list[Any]:
    """Lists and arrays of no dimensions that are integers as what they stand for."""
    made = []
    for item in items:
        if isinstance(item, list):
            item = _core.from_list(x.device, item, None if item else dtypes.int64)
        elif item is not None and item is not ... and not isinstance(item, slice | int) and not _is_array(item):
            if hasattr(item, "__index__"):
                item = operator.index(item)
            elif hasattr(item, "__dlpack__"):
                item = _core.from_object(x.device, item, True)
            else:
                raise IndexError(
                    f"arrays are indexed by integers, slices, None, ... and arrays, not {type(item).__name__}"
                )
        if isinstance(item, bool):
            item = _core.from_list(x.device, item, dtypes.bool)
        made.append(item)
    return made


def _slices(x: Any, items: list[Any]) -> tuple[Any, list[Any]]:
    """Applies slices and integers; what is left for each axis of the result: an array, or None."""
    axis, left = 0, []
    for item in items:
        if item is None:
            x = _core.op("unsqueeze", None, 1, self=x, dim=axis)
            left.append(None)
            axis += 1
        elif isinstance(item, slice):
            x = _slice(x, axis, item)
            left.append(None)
            axis += 1
        elif _is_array(item):
            left.append(item)
            axis += item.ndim if item.dtype is dtypes.bool else 1
        else:
            place = _position(item, axis, x.shape[axis])
            x = _core.op("select.int", None, 1, self=x, dim=axis, index=place)
    return x, left


def _slice(x: Any, axis: int, item: slice) -> Any:
    size = x.shape[axis]
    start, stop, step = item.indices(size)
    count = len(range(start, stop, step))
    if (start, step, count) == (0, 1, size):
        return x
    if step > 0:
        stop = start + (count - 1) * step + 1 if count else start
        return _core.op("slice.Tensor", None, 1, self=x, dim=axis, start=start, end=stop, step=step)
    low = start + (count - 1) * step if count else 0
    x = _core.op("slice.Tensor", None, 1, self=x, dim=axis, start=low, end=start + 1 if count else 0, step=-step)
    return _core.op("flip", None, 1, self=x, dims=[axis])


def _masks(left: list[Any]) -> list[Any]:
    """Masks as the positions where they are true."""
    made = []
    for item in left:
        if item is not None and item.dtype is dtypes.bool:
            made.extend(searching.nonzero(item) if item.ndim else [item])
        else:
            made.append(item)
    return made


def _mixed(items: list[Any]) -> list[Any]:
    """Where arrays are among the indices, integers are arrays without dimensions."""
    if not any(_is_array(i) for i in items):
        return items
    array = next(i for i in items if _is_array(i))
    place = array.device
    return [
        _core.from_list(place, i, dtypes.int64) if isinstance(i, int) and not isinstance(i, bool) else i for i in items
    ]


def _scalar_masks(x: Any, items: list[Any]) -> tuple[Any, list[Any]]:
    """A mask without dimensions is a new axis of size 1 with a mask."""
    made, axis = [], 0
    for item in items:
        if _is_array(item) and item.dtype is dtypes.bool and not item.ndim:
            x = _core.op("unsqueeze", None, 1, self=x, dim=axis)
            item = _core.op("reshape", None, 1, self=item, shape=[1])
        made.append(item)
        axis += item.ndim if _is_array(item) and item.dtype is dtypes.bool else item is not None
    return x, made


def _element(x: Any, key: Any) -> Any:
    """x[key] read where an integer is given for each axis and x is computed: nothing is recorded. None otherwise."""
    key = key if type(key) is tuple else (key,)
    if len(key) != x.ndim:
        return None
    place = 0
    for axis, (item, size) in enumerate(zip(key, x.shape, strict=True)):
        if type(item) is not int:
            return None
        place = place * size + _position(item, axis, size)
    return _core.element(x, place)


def get(x: Any, key: Any, /) -> Any:
    """x[key]"""
    made = _element(x, key)
    if made is not None:
        return made
    items = _convert(x, list(key) if isinstance(key, tuple) else [key])
    items = _expand(x, tuple(items))
    if any(_is_array(i) and i.dtype is dtypes.bool and not i.ndim for i in items):
        x, items = _scalar_masks(x, items)
    items = [int(i) if _is_array(i) and not i.ndim and _alone(items) else i for i in _mixed(items)]
    if x.ndim > 16 and all(isinstance(i, int) for i in items):  # beyond what programs take
        place = 0
        for axis, item in enumerate(items):
            place = place * x.shape[axis] + _position(item, axis, x.shape[axis])
        x, items = _core.reshape(x, (x.size,)), [place]
    x, left = _slices(x, items)
    if not any(i is not None for i in left):
        return +x
    _check(x, left)
    indices = _masks(left)
    return _core.op("index.Tensor", None, 1, self=x, indices=[_index_type(i) for i in indices])


def _alone(items: list[Any]) -> bool:
    """No array with dimensions is among the indices."""
    return not any(_is_array(i) and i.ndim for i in items)


def _index_type(index: Any) -> Any:
    return index if index is None else _core.cast(index, dtypes.int64)


def _check(x: Any, left: list[Any]) -> None:
    arrays = [item for item in left if item is not None and item.dtype is not dtypes.bool]
    if len(arrays) > 1:
        try:
            manipulation.broadcast_shapes(*(item.shape for item in arrays))
        except ValueError as why:
            raise IndexError(f"index arrays: {why}") from None
    axis = 0
    for item in left:
        if item is None:
            axis += 1
        elif item.dtype is dtypes.bool:
            for size in item.shape:
                if size not in (x.shape[axis], 0):  # 0: nothing is selected
                    raise IndexError(
                        f"a mask of shape {item.shape} does not fit: axis {axis} has size {x.shape[axis]}, not {size}"
                    )
                axis += 1
        elif not dtypes.is_integer(item.dtype):
            raise IndexError(f"arrays used as indices are integers or bools, not {item.dtype!r}")
        else:
            axis += 1


def _value(x: Any, value: Any) -> Any:
    if not _is_array(value):
        if isinstance(value, bool | int | float | complex):
            if isinstance(value, complex) and not dtypes.is_complex(x.dtype):
                raise TypeError(f"a complex number cannot be an element of {x.dtype!r}")
            value = _core.from_list(x.device, value, dtypes.with_number(x.dtype, value))
        else:
            value = creation.asarray(value, device=x.device)
    return _core.cast(value, x.dtype)


def put(x: Any, key: Any, value: Any) -> Any:
    """x with x[key] replaced by value."""
    value = _value(x, value)
    items = _convert(x, list(key) if isinstance(key, tuple) else [key])
    if len(items) == 1 and _is_array(items[0]) and items[0].dtype is dtypes.bool and value.ndim == 0:
        mask = items[0]
        _check(x, [mask])
        if not mask.size:
            return +x
        mask = _core.op("reshape", None, 1, self=mask, shape=list(mask.shape) + [1] * (x.ndim - mask.ndim))
        return _core.op("where.self", None, 1, condition=mask, self=value, other=x)
    # The places that key selects, by their numbers: what reads them is what writes them.
    numbers = _core.op("arange.start_step", x.device, 1, start=0, end=x.size, step=1, dtype=dtypes.int64)
    places = get(_core.op("reshape", None, 1, self=numbers, shape=list(x.shape)), key)
    shape = places.shape
    while value.ndim > len(shape) and value.shape[0] == 1:
        value = _core.op("reshape", None, 1, self=value, shape=list(value.shape[1:]))
    if value.ndim > len(shape) or manipulation.broadcast_shapes(value.shape, shape) != shape:
        raise ValueError(f"could not broadcast an array of shape {value.shape} into shape {shape}")
    if not places.size:
        return +x
    value = _core.op("expand", None, 1, self=value, size=list(shape))
    flat = _core.op("reshape", None, 1, self=x, shape=[x.size])
    made = _core.op(
        "scatter.src",
        None,
        1,
        self=flat,
        dim=0,
        index=_core.op("reshape", None, 1, self=places, shape=[places.size]),
        src=_core.op("reshape", None, 1, self=value, shape=[places.size]),
    )
    return _core.op("reshape", None, 1, self=made, shape=list(x.shape))


def take(x: Array, indices: Array, /, *, axis: int | None = None) -> Any:
    """Elements along an axis, by their positions."""
    if axis is None:
        if x.ndim != 1:
            raise ValueError(f"take: axis is needed for an array with {x.ndim} dimensions")
        axis = 0
    axis = manipulation.axis_of(axis, x.ndim)
    if not dtypes.is_integer(indices.dtype):
        raise TypeError(f"take: positions are integers, not {indices.dtype!r}")
    index = _core.cast(indices, dtypes.int64)
    return _core.op("index.Tensor", None, 1, self=x, indices=[None] * axis + [index])


def take_along_axis(x: Array, indices: Array, /, *, axis: int = -1) -> Any:
    """Elements along an axis, by positions for each place of the others."""
    axis = manipulation.axis_of(axis, x.ndim)
    if indices.ndim != x.ndim:
        raise ValueError(f"take_along_axis: positions of {indices.ndim} dimensions for an array with {x.ndim}")
    if not dtypes.is_integer(indices.dtype):
        raise IndexError(f"take_along_axis: positions are integers, not {indices.dtype!r}")
    wide = [s if i == axis else None for i, s in enumerate(x.shape)]
    shape = manipulation.broadcast_shapes(
        tuple(1 if i == axis else s for i, s in enumerate(x.shape)),
        tuple(1 if i == axis else s for i, s in enumerate(indices.shape)),
    )
    full = [wide[i] if i == axis else s for i, s in enumerate(shape)]
    index = _core.cast(indices, dtypes.int64)
    index = _core.op(
        "expand", None, 1, self=index, size=[indices.shape[i] if i == axis else s for i, s in enumerate(shape)]
    )
    if x.shape[axis]:
        index = _core.op("where.self", None, 1, condition=index < 0, self=index + x.shape[axis], other=index)
    x = _core.op("expand", None, 1, self=x, size=full)
    return _core.op("gather", None, 1, self=x, dim=axis, index=index)


def _assign(x: Any, key: Any, value: Any, /) -> None:
    """x[key] = value: x becomes another array."""
    x._become(put(x, key, value))


def _delete(x: Array, key: Any) -> None:
    raise ValueError("cannot delete elements of an array: take those that stay, as in x[1:] or x[mask]")


Array.__getitem__ = get
Array.__setitem__ = _assign
Array.__delitem__ = _delete
