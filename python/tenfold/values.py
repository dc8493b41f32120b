"""Values of the lazy device: what a tensor on device "tenfold" stands for.

A root is memory of its own; a view is a step (an ATen view op) from its parent. Roots are row-major: whatever strides
a kernel of PyTorch would have chosen, only views are strided here. Memory is the host's, as a plain CPU tensor.
"""

from __future__ import annotations

import weakref
from typing import Any

import torch

_specs: dict[tuple, Spec] = {}
roots: weakref.WeakSet[Value] = weakref.WeakSet()  # those that hold memory


class Spec:
    """Shape, strides, offset and type of a value; equal ones are one object."""

    __slots__ = ("dtype", "numel", "offset", "shape", "strides")

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    dtype: torch.dtype
    numel: int

    def __repr__(self) -> str:
        return f"{str(self.dtype).removeprefix('torch.')}[{', '.join(map(str, self.shape))}]"


def row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size if size > 1 else 1
    return tuple(reversed(strides))


def spec_of(
    shape: tuple[int, ...], dtype: torch.dtype, strides: tuple[int, ...] | None = None, offset: int = 0
) -> Spec:
    """The spec with these properties; row-major without strides."""
    key = (shape, strides, offset, dtype)
    found = _specs.get(key)
    if found is None:
        if strides is None:
            found = spec_of(shape, dtype, row_major(shape), 0)
        else:
            found = Spec()
            found.shape, found.strides, found.offset, found.dtype = shape, strides, offset, dtype
            found.numel = 1
            for size in shape:
                found.numel *= size
        _specs[key] = found
    return found


def spec_of_tensor(tensor: torch.Tensor) -> Spec:
    """The spec of a root that holds what this tensor holds."""
    return spec_of(tuple(tensor.shape), tensor.dtype)


class Step:
    """A view op with its arguments; shared by all views that it makes of values of one type."""

    __slots__ = ("args", "encoded", "handler", "kwargs", "specs")

    def __init__(self, handler: Any, args: tuple, kwargs: dict, encoded: tuple, specs: tuple[Spec, ...]) -> None:
        self.handler = handler
        self.args, self.kwargs = args, kwargs  # after the tensor itself
        self.encoded = encoded  # as they stand in a node
        self.specs = specs


class Value:
    """A root or a view. `ref` names it in the pending graph whose number is `graph`."""

    __slots__ = ("__weakref__", "_root", "data", "fill", "graph", "layout", "parent", "ref", "spec", "step")

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self._root: Value | None = None  # None: itself; a reference to itself would keep it alive
        self.parent: Value | None = None
        self.step: tuple[Step, int] | None = None  # how it is made of its parent, and which result it is
        self.graph = 0
        self.ref = -1
        self.data: torch.Tensor | None = None  # of a root that has been computed
        self.fill: Any = None  # of a root that is one number all over; nothing was recorded for it yet
        self.layout: tuple[int, ...] | None = None  # strides of the root in PyTorch's own kernels, if not row-major

    @property
    def root(self) -> Value:
        return self._root or self

    @classmethod
    def view(cls, parent: Value, step: Step, index: int) -> Value:
        value = cls(step.specs[index])
        value._root, value.parent, value.step = parent.root, parent, (step, index)
        return value

    @classmethod
    def concrete(cls, data: torch.Tensor) -> Value:
        """A root that holds this CPU tensor; the tensor is the value's own from now on."""
        value = cls(spec_of_tensor(data))
        value.hold(data)
        return value

    def hold(self, data: torch.Tensor) -> None:
        """The root's memory from now on."""
        self.data, self.graph = data, 0
        roots.add(self)

    @classmethod
    def filled(cls, spec: Spec, number: Any) -> Value:
        value = cls(spec)
        value.fill = number
        return value


def elsewhere(value: Value, device: str) -> torch.Tensor:
    """A tensor without values that has the strides which PyTorch's own kernels would have given it."""
    if value.parent is None or value.step is None:
        return torch.empty_strided(
            value.spec.shape, value.layout or value.spec.strides, dtype=value.spec.dtype, device=device
        )
    step, index = value.step
    made = step.handler.op(elsewhere(value.parent, device), *step.args, **step.kwargs)
    return made[index] if isinstance(made, list | tuple) else made


def host(value: Value) -> torch.Tensor:
    """The memory of a value that is not pending, as a CPU tensor that looks into it."""
    root = value.root
    if value is root:
        if root.data is None:
            root.hold(torch.full(root.spec.shape, root.fill, dtype=root.spec.dtype))
            root.fill = None
        return root.data
    assert value.parent is not None and value.step is not None
    step, index = value.step
    parent = host(value.parent)
    if parent.is_conj() or parent.is_neg():  # such views are not written through: a copy will do
        parent = parent.resolve_conj().resolve_neg()
    made = step.handler.op(parent, *step.args, **step.kwargs)
    return made[index] if isinstance(made, list | tuple) else made
