"""Gradients of functions of arrays, and functions that are recorded once."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from tenfold import _core
from tenfold.array import devices, dtypes, trees
from tenfold.array.object import Array


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
        arrays = trees.leaves(args)
        if not arrays:
            return self._function(*args)
        key = (
            tuple((a.shape, a.dtype, a._device) for a in arrays),
            repr(trees.rebuild(args, lambda _: "array")),
        )
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = self._record(args, arrays)
        if found is False:
            return self._function(*args)
        call, count, shape = found
        made = _core.call(call, arrays, count)
        results = iter((made,) if count == 1 else made)
        return trees.rebuild(shape, lambda _: next(results))

    def _record(self, args: tuple[Any, ...], arrays: list[Array]) -> Any:
        if len({id(a) for a in arrays}) != len(arrays):
            return False  # one array in two places
        place = devices.of(*arrays)
        before = [+a for a in arrays]
        inputs = [_core.op("zeros", place, 1, size=list(a.shape), dtype=a.dtype) for a in arrays]
        for array, stand_in in zip(arrays, inputs, strict=True):
            array._become(stand_in)
        runs = place.stats()["runs"]
        try:
            result = self._function(*args)
            outputs = trees.leaves(result)
            if place.stats()["runs"] != runs or not outputs:
                return False
            changed = any(_core.same(a, i) is False for a, i in zip(arrays, inputs, strict=True))
            if changed:
                return False  # it writes to its arguments
            return _core.function(inputs, outputs), len(outputs), result
        finally:
            for array, old in zip(arrays, before, strict=True):
                array._become(old)


def jit(function: Callable[..., Any]) -> Jitted:
    """The function, recorded once for each set of types that it is called with."""
    return Jitted(function)
