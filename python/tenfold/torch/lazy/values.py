"""Values of the lazy device: what a tensor on device "tenfold" stands for.

A root is memory of its own, in row-major order; a view is a step (an ATen view op) from its parent. Where a kernel of
PyTorch would have laid out its result otherwise (channels last, say), the root has its dimensions in the order they
lie in memory, and what the program sees is a permuted view of it. Memory is the host's, as a plain CPU tensor.
"""

from __future__ import annotations

import os
import weakref
from typing import Any

import torch

from tenfold import _core
from tenfold.torch.lazy.recording import dtype_number, recorder
from tenfold.torch.lazy.schema import handler_of

_specs: dict[tuple, Spec] = {}
roots: weakref.WeakSet[Value] = weakref.WeakSet()  # those that hold memory


class Spec:
    """Shape, strides, offset and type of a value; equal ones are one object."""

    __slots__ = ("dtype", "number", "numel", "offset", "order", "shape", "strides", "turn")

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    dtype: torch.dtype
    numel: int
    number: int  # in the recorder
    order: tuple[int, ...] | None  # dimensions as they lie in memory, where that is dense and not their own order
    turn: Step | None  # from memory to a value of this type, once it was needed

    def __repr__(self) -> str:
        return f"{str(self.dtype).removeprefix('torch.')}[{', '.join(map(str, self.shape))}]"


MEMORY = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")  # bytes of the machine


def check_memory(spec: Spec) -> Spec:
    """Refuses memory that the machine does not have. Eager mode would fail to allocate it; here a program that needs it
    nowhere as a whole would run for days."""
    size = spec.numel * spec.dtype.itemsize
    if size > MEMORY:
        raise torch.OutOfMemoryError(
            f"tenfold: out of memory: a tensor {spec} takes {size} bytes, this machine has {MEMORY}"
        )
    return spec


def row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    return spec_of(shape, torch.uint8).strides


def spec_of(
    shape: tuple[int, ...], dtype: torch.dtype, strides: tuple[int, ...] | None = None, offset: int = 0
) -> Spec:
    """The spec with these properties; row-major without strides."""
    key = (shape, strides, offset, dtype)
    found = _specs.get(key)
    if found is None:

        def make(number: int, strides: tuple[int, ...], numel: int, order: tuple[int, ...] | None) -> Spec:
            spec = Spec()
            spec.shape, spec.strides, spec.offset, spec.dtype = shape, strides, offset, dtype
            spec.number, spec.numel, spec.order, spec.turn = number, numel, order, None
            return spec

        offset = offset if strides is not None else 0
        found = _specs[key] = recorder.spec(make, dtype_number(dtype), shape, strides, offset)
    return found


def spec_of_memory(shape: tuple[int, ...], dtype: torch.dtype, strides: tuple[int, ...]) -> Spec:
    """The spec of a value that has memory of its own: with these strides, where that leaves no gaps."""
    spec = spec_of(shape, dtype, strides)
    plain = row_major(shape)
    if spec.order is None and any(s != p for n, s, p in zip(shape, strides, plain, strict=True) if n > 1):
        return spec_of(shape, dtype)
    return spec


class Step:
    """A view op with its arguments; shared by all views that it makes of values of one type."""

    __slots__ = ("args", "encoded", "handler", "kwargs", "specs")

    def __init__(self, handler: Any, args: tuple, kwargs: dict, encoded: bytes, specs: tuple[Spec, ...]) -> None:
        self.handler = handler
        self.args, self.kwargs = args, kwargs  # after the tensor itself
        self.encoded = encoded  # as the recorder writes them
        self.specs = specs


class Value(_core.Value):
    """A root or a view. `ref` names it in the pending graph whose number is `graph`."""

    __slots__ = ()

    spec: Spec
    _root: Value | None  # None: itself; a reference to itself would keep it alive
    parent: Value | None
    step: tuple[Step, int] | None  # how it is made of its parent, and which result it is
    graph: int
    ref: int
    data: torch.Tensor | None  # of a root that has been computed
    failed: Exception | None  # of a root: why the program that was to compute it did not
    fill: Any  # of a root that is one number all over; nothing was recorded for it yet

    @property
    def root(self) -> Value:
        return self._root or self

    @classmethod
    def view(cls, parent: Value, step: Step, index: int) -> Value:
        value = cls(step.specs[index])
        value._root, value.parent, value.step = parent.root, parent, (step, index)
        return value

    @classmethod
    def laid_out(cls, spec: Spec) -> tuple[Value, Value]:
        """A value of this type, and the root whose memory it is: itself, or one it is a permuted view of."""
        if spec.order is None:
            value = cls(spec)
            return value, value
        order = spec.order
        root = cls(spec_of(tuple([spec.shape[d] for d in order]), spec.dtype))
        if spec.turn is None:
            back = tuple([order.index(d) for d in range(len(order))])
            handler = handler_of(torch.ops.aten.permute.default)
            spec.turn = Step(handler, (back,), {}, recorder.encode(handler.number, (None, back), 1), (spec,))
        return cls.view(root, spec.turn, 0), root

    @classmethod
    def concrete(cls, data: torch.Tensor) -> Value:
        """What this CPU tensor holds, with its strides where memory has no gaps; the tensor is the value's own."""
        spec = spec_of_memory(tuple(data.shape), data.dtype, tuple(data.stride()))
        value, root = cls.laid_out(spec)
        root.hold((data if spec.order is None else data.permute(spec.order)).contiguous())
        return value

    def check(self) -> None:
        """Raises what stopped the program that was to compute this root."""
        if self.failed is not None and self.data is None and self.fill is None:
            raise self.failed

    def hold(self, data: torch.Tensor) -> None:
        """The root's memory from now on."""
        self.data, self.graph = data, 0
        roots.add(self)

    @classmethod
    def filled(cls, spec: Spec, number: Any) -> Value:
        value, root = cls.laid_out(check_memory(spec))
        root.fill = number
        return value


def host(value: Value) -> torch.Tensor:
    """The memory of a value that is not pending, as a CPU tensor that looks into it."""
    root = value.root
    if value is root:
        root.check()
        if root.data is None:
            root.hold(torch.full(root.spec.shape, root.fill, dtype=root.spec.dtype))
            root.fill = None
        return root.data
    return look(value, host(root))


def look(value: Value, memory: torch.Tensor) -> torch.Tensor:
    """A value in the memory of its root."""
    if value.parent is None or value.step is None:
        return memory
    step, index = value.step
    parent = look(value.parent, memory)
    if parent.is_conj() or parent.is_neg():  # such views are not written through: a copy will do
        parent = parent.resolve_conj().resolve_neg()
    made = step.handler.op(parent, *step.args, **step.kwargs)
    return made[index] if isinstance(made, list | tuple) else made
