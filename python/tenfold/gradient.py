"""Gradients of Python functions: traced by PyTorch or JAX, differentiated by the library."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from tenfold import _core


def _trace_torch(
    function: Callable[..., Any], arrays: Sequence[Any], mode: str = "fake"
) -> tuple[_core.Program, list[Any]]:
    """The program, and the tensors it closes over: further inputs, which are not differentiated by.

    `mode` is make_fx's: with "real", what the function reads of its arguments' values is part of the program.
    """
    import torch
    from torch.fx.experimental.proxy_tensor import make_fx

    from tenfold.torch.fx import knows, op_name, serialize

    rules = torch._decomp.decomposition_table  # only for what has no lowering here
    rules = {op: rule for op, rule in rules.items() if isinstance(op, torch._ops.OpOverload) and not knows(op_name(op))}
    with torch.no_grad():
        trace = make_fx(
            lambda *xs: function(*xs), decomposition_table=rules, tracing_mode=mode, _allow_non_fake_inputs=True
        )
        module = trace(*arrays)
    text, made = serialize(module)
    return _core.graph(text), [c.detach() for c in made.constants]


def _is_jax(function: Any) -> bool:
    return hasattr(function, "lower") and hasattr(function, "trace")


class Gradient:
    """What tenfold.grad gives for a function: call it with the function's own arguments."""

    def __init__(
        self, function: Callable[..., Any], by: Sequence[int] | None, value: bool, cotangents: bool, device: str = "cpu"
    ) -> None:
        if not callable(function):
            raise TypeError(f"expected a program or a function, not {function!r}")
        self.function, self.by, self.value, self.cotangents, self.device = function, by, value, cotangents, device
        self._made: dict[Any, tuple[Any, list[Any]]] = {}

    def __repr__(self) -> str:
        by = "its float arguments" if self.by is None else f"arguments {list(self.by)}"
        return (
            f"<tenfold.Gradient of {getattr(self.function, '__qualname__', self.function)!s} by {by} on {self.device}>"
        )

    def _make(self, arrays: Sequence[Any]) -> tuple[Any, list[Any]]:
        if _is_jax(self.function):
            program, held = _core.parse(self.function.lower(*arrays).as_text()), []
        else:
            program, held = _trace_torch(self.function, arrays)
        by = self.by
        if by is None:
            by = [i for i, (dtype, _) in enumerate(program.inputs[: len(arrays)]) if dtype[0] in "fbc"]
        shapes = [list(a.shape) for a in arrays] + [list(c.shape) for c in held]
        made = program.grad(by=by, inputs=shapes, value=self.value, cotangents=self.cotangents)
        return made.compile(device=self.device), held

    def _of_arrays(self, args: Sequence[Any]) -> Any:
        """The function is of tenfold's arrays: recorded, not traced."""
        from tenfold.array import functions

        if self.cotangents:
            raise TypeError("a function of arrays gives one float number: there are no cotangents")
        by = 0 if self.by is None else self.by[0] if len(self.by) == 1 else self.by
        value, gradients = functions.value_and_grad(self.function, by)(*args)
        return (value, gradients) if self.value else gradients

    def __call__(self, *arrays: Any) -> Any:
        if _has_arrays(arrays):
            return self._of_arrays(arrays)
        count = len(arrays)
        if self.cotangents:  # those of the results come last, one for each
            count = len(inspect.signature(self.function).parameters)
        own, rest = arrays[:count], arrays[count:]
        key = tuple((tuple(a.shape), str(a.dtype)) for a in own)
        if key not in self._made:
            self._made[key] = self._make(own)
        made, held = self._made[key]
        results = made(*[_plain(a) for a in own], *[_plain(h) for h in held], *[_plain(a) for a in rest])
        if hasattr(arrays[0], "__torch_function__"):
            import torch

            return [torch.from_dlpack(r) for r in results]
        return results


def _has_arrays(args: Any) -> bool:
    if isinstance(args, list | tuple | dict):
        return any(map(_has_arrays, args.values() if isinstance(args, dict) else args))
    return isinstance(args, _core.Array) or (hasattr(args, "named_parameters") and not hasattr(args, "register_buffer"))


def _plain(array: Any) -> Any:
    return array.detach() if hasattr(array, "detach") else array
