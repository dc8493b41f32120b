"""Gradients of functions of arrays, and functions that are recorded once."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from tenfold import _core
from tenfold.array import devices, dtypes, manipulation, trees
from tenfold.array.object import Array
from tenfold.array.recording import recording, state


def value_and_grad(function: Callable[..., Any], by: int | Sequence[int] = 0) -> Callable[..., tuple[Any, Any]]:
    """A function that gives the value of `function`, one float number, and its gradients by the arguments `by`: an
    array, a list or a dict of arrays, or a module, whose gradients are a dict by the names of its parameters.

    Where the function gives a tuple, its first item is differentiated."""

    @functools.wraps(function)
    def wrapped(*args: Any, **named: Any) -> tuple[Any, Any]:
        chosen = [by] if isinstance(by, int) else list(by)
        trees_of = [args[i] for i in chosen]
        arrays = [a for tree in trees_of for a in trees.leaves(tree)]
        for array in arrays:
            if not dtypes.is_float(array.dtype):
                raise TypeError(f"gradients are by float arrays, not by {array.dtype!r}")
        if not arrays:
            raise TypeError("there is no array to differentiate by")
        place = arrays[0].device
        place._tape(True)
        try:
            value = function(*args, **named)
            loss = value[0] if isinstance(value, tuple) else value
            if not isinstance(loss, Array) or loss.ndim:
                shape = loss.shape if isinstance(loss, Array) else type(loss).__name__
                raise TypeError(f"gradients are of one float number; the function gave {shape}")
            made = iter(_core.gradients(loss, arrays))
        finally:
            place._tape(False)
        gradients = [trees.rebuild(tree, lambda _: next(made)) for tree in trees_of]
        return value, gradients[0] if isinstance(by, int) else tuple(gradients)

    return wrapped


def grad(function: Callable[..., Any], by: int | Sequence[int] = 0) -> Callable[..., Any]:
    """The gradients alone."""
    both = value_and_grad(function, by)

    @functools.wraps(function)
    def wrapped(*args: Any, **named: Any) -> Any:
        return both(*args, **named)[1]

    return wrapped


class Jitted:
    """A function that is recorded once for each set of types and called as one program from then on. A function that
    reads a value while it is recorded depends on more than shapes: it is called as it is."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._made: dict[Any, Any] = {}
        functools.update_wrapper(self, function)

    def __call__(self, *args: Any) -> Any:
        if state.depth:
            return self._function(*args)
        try:
            given = trees.Arguments(args)
            key = (tuple((a.shape, a.dtype, a._device) for a in given.arrays), given.key)
            found = self._made.get(key)
        except (trees.Unkeyed, TypeError):  # what is no key of a dict
            return self._function(*args)
        if found is None:
            found = self._made[key] = self._record(given)
        if found is False:
            return self._function(*args)
        call, count, shape = found
        made = _core.call(call, given.arrays, count)
        results = iter((made,) if count == 1 else made)
        return trees.rebuild(shape, lambda _: next(results))

    def _record(self, given: trees.Arguments) -> Any:
        """The function is called with placeholders, in copies of its arguments: other threads go on with those."""
        arrays = given.arrays
        if not arrays or len({id(a) for a in arrays}) != len(arrays):
            return False  # one array in two places
        place = devices.of(*arrays)
        inputs, shown = ([_core.placeholder(place, a.shape, a.dtype) for a in arrays] for _ in range(2))
        for stand_in, name in zip(inputs, shown, strict=True):
            name._become(stand_in)
        each = iter(shown)
        args, unchanged = given.substitute(lambda _: next(each))
        try:
            with recording(inputs, strict=True):
                result = self._function(*args)
            outputs = trees.leaves(result)
            changed = not all(_core.same(a, i) for a, i in zip(shown, inputs, strict=True))
            if changed or not unchanged() or not outputs:
                return False  # it writes to its arguments, or gives nothing
            return _core.function(inputs, outputs), len(outputs), result
        except TypeError:
            return False  # it reads a value, or fails, as it then does when it is called


def jit(function: Callable[..., Any]) -> Jitted:
    """The function, recorded once for each set of types that it is called with."""
    return Jitted(function)


def _axis_of(axes: int | Sequence[int | None] | None, i: int, count: int, name: str) -> int | None:
    """The axis of argument or result `i` of `count`: `axes` is one for all, or one for each."""
    if axes is None or isinstance(axes, int):
        return axes
    if len(axes) != count:
        raise ValueError(f"vmap: {name} has {len(axes)} items, one for each of {count} is needed")
    return axes[i]


def _with_batch_first(array: Array, axis: int) -> Array:
    if not -array.ndim <= axis < array.ndim:
        raise ValueError(f"vmap: axis {axis} of an array with {array.ndim} dimensions, shape {array.shape}")
    return manipulation.moveaxis(array, axis, 0)


def _with_batch_at(array: Array, axis: int | None) -> Array:
    if axis is None:
        raise ValueError("vmap: out_axes has None; every result has a batch dimension, an int says where")
    return manipulation.moveaxis(array, 0, axis)


def vmap(
    function: Callable[..., Any],
    in_axes: int | Sequence[int | None] | None = 0,
    out_axes: int | Sequence[int] = 0,
) -> Callable[..., Any]:
    """The function of one example, applied to every example of a batch at once. `in_axes` is the batch dimension of
    the arguments, one for all or one for each (None: the same for every example); `out_axes` that of the results.

    The function is recorded once: it must not read a value that depends on an example (`if x > 0`, `float(x)`).
    Random numbers are the same for every example."""

    @functools.wraps(function)
    def wrapped(*args: Any, **named: Any) -> Any:
        axes = [_axis_of(in_axes, i, len(args), "in_axes") for i in range(len(args))]
        batches = [
            _with_batch_first(array, axis)
            for arg, axis in zip(args, axes, strict=True)
            if axis is not None
            for array in trees.leaves(arg)
        ]
        if not batches:
            raise ValueError("vmap: no argument has a batch dimension; in_axes must name one")
        sizes = sorted({batch.shape[0] for batch in batches})
        if len(sizes) > 1:
            raise ValueError(f"vmap: batches of different sizes: {', '.join(map(str, sizes))}")
        place = devices.of(*batches)
        inputs = [_core.placeholder(place, b.shape[1:], b.dtype) for b in batches]
        examples = iter(inputs)
        single = [
            arg if axis is None else trees.rebuild(arg, lambda _: next(examples))
            for arg, axis in zip(args, axes, strict=True)
        ]
        with recording(inputs, strict=False):
            result = function(*single, **named)
        outputs = trees.leaves(result)
        if not outputs:
            raise TypeError(f"vmap: the function gives no array but {type(result).__name__}")
        made = _core.vmap(inputs, batches, outputs)
        items = result if isinstance(result, list | tuple) else [result]
        places = [
            _axis_of(out_axes, i, len(items), "out_axes") for i, item in enumerate(items) for _ in trees.leaves(item)
        ]
        arrays = iter([_with_batch_at(array, axis) for array, axis in zip(made, places, strict=True)])
        return trees.rebuild(result, lambda _: next(arrays))

    return wrapped
