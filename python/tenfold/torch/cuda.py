"""Graphs on CUDA tensors: kernels read and write PyTorch's own memory, on PyTorch's current stream, without waiting."""

from __future__ import annotations

import contextlib
import math
import struct
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import fx
from torch.nn.attention import SDPBackend, sdpa_kernel

from tenfold import _core
from tenfold.torch.report import Totals

_DTYPES = {
    "f32": torch.float32,
    "f64": torch.float64,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "i1": torch.bool,
    "i8": torch.int8,
    "i16": torch.int16,
    "i32": torch.int32,
    "i64": torch.int64,
    "ui8": torch.uint8,
    "ui16": torch.uint16,
    "ui32": torch.uint32,
    "ui64": torch.uint64,
    "f8E4M3FN": torch.float8_e4m3fn,
    "f8E5M2": torch.float8_e5m2,
    "complex<f32>": torch.complex64,
    "complex<f64>": torch.complex128,
}
_ALIGNMENT = 16


def device_of(graph: fx.Graph) -> torch.device | None:
    """The GPU that the graph's tensors are on; None where none of them is on one."""
    found = {t.device for node in graph.nodes for t in _tensors(node) if t.device.type == "cuda"}
    if not found:
        return None
    if found != {torch.device("cuda", 0)}:
        names = ", ".join(sorted(map(str, found)))
        raise _core.UnsupportedError(f"tensors on {names}: programs run on cuda:0, the first visible GPU, only")
    return found.pop()


def is_used(graph: fx.Graph) -> bool:
    """Whether some tensor is on a GPU."""
    return any(t.device.type == "cuda" for node in graph.nodes for t in _tensors(node))


def backend(device: str) -> str:
    """The library's device for a graph on CUDA tensors, where the options name `device`."""
    if device not in ("cpu", "cuda"):  # the first is the default
        raise _core.UnsupportedError(f"a graph on CUDA tensors runs on device 'cuda'; the options name {device!r}")
    return "cuda"


def precision(chosen: str) -> str:
    """ "tf32" where PyTorch's switches allow it for matmuls and convolutions alike; else what was chosen."""
    if chosen != "f32" or not torch.backends.cudnn.allow_tf32:
        return chosen
    return "f32" if torch.get_float32_matmul_precision() == "highest" else "tf32"


def traceable_attention(graph: fx.Graph) -> contextlib.AbstractContextManager:
    """Attention on CUDA tensors is traced as matmuls and a softmax: PyTorch's fused kernels, and what they save for the
    gradient, are their own."""
    return sdpa_kernel(SDPBackend.MATH) if is_used(graph) else contextlib.nullcontext()


def _tensors(node: fx.Node) -> list[torch.Tensor]:
    value = node.meta.get("val", node.meta.get("example_value"))
    return [v for v in (value if isinstance(value, list | tuple) else [value]) if isinstance(v, torch.Tensor)]


def _allocator() -> Callable[[Any, Any, torch.dtype], torch.Tensor]:
    """empty_strided on cuda:0; without PyTorch's dispatcher where only one GPU can be meant."""
    quick = getattr(torch._C._dynamo.guards, "_empty_strided_cuda", None)
    if quick is not None and torch.cuda.device_count() == 1:
        return quick
    return lambda sizes, strides, dtype: torch.empty_strided(sizes, strides, dtype=dtype, device="cuda:0")


# As DLPack has them: code * 256 + bits.
_WORDS = {
    torch.float32: 0x220,
    torch.float64: 0x240,
    torch.float16: 0x210,
    torch.bfloat16: 0x410,
    torch.int8: 0x008,
    torch.int16: 0x010,
    torch.int32: 0x020,
    torch.int64: 0x040,
    torch.uint8: 0x108,
    torch.bool: 0x608,
}
_BLOCK = 256  # alignment of views in one allocation
_SMALL = 1 << 20  # bytes of a gradient that may lie in memory with others


class Call:
    """How one executable is called: what is the same each time."""

    def __init__(self, made: Any, owner: OnCuda) -> None:
        """What results are given in: an input that they update, a view of one allocation, or a tensor of their own."""
        self.made = made
        self.types = [_DTYPES[name] for name, _ in made.inputs]
        self.in_place: dict[int, int] = {}
        if owner.apart and owner.exchanges:
            self.in_place = {i: k for i, k in enumerate(made.in_place) if k is not None}
        self.kinds: list[tuple[tuple[int, ...], tuple[int, ...], torch.dtype]] = []
        self.views: set[int] = set()
        words: list[int] = []
        self.bytes = 0
        for i, (name, sizes) in enumerate(made.results):
            strides = torch.empty(sizes, device="meta").stride()
            order = owner.permuted.get(i)
            if order is not None:
                sizes, strides = [sizes[d] for d in order], [strides[d] for d in order]
            dtype = _DTYPES[name]
            self.kinds.append((tuple(sizes), tuple(strides), dtype))
            size = math.prod(sizes) * dtype.itemsize
            if i not in self.in_place and owner.may_share(i, size) and dtype in _WORDS:
                self.views.add(i)
                words += [self.bytes, _WORDS[dtype], len(sizes), *sizes, *strides]
                self.bytes += -(-size // _BLOCK) * _BLOCK
        self.words = struct.pack(f"{len(words)}q", *words)
        self.orders = b""
        if owner.given:
            orders = [bytes(owner.given[i]) if i in owner.given else b"\xff" for i in range(len(made.inputs))]
            self.orders = b"".join(order.ljust(8, b"\xff") for order in orders)

    def make_results(self, owner: OnCuda, values: list[Any]) -> tuple[list[torch.Tensor], list[Any]]:
        """Memory for the results, and the same as the library takes it. An input that had to be copied is updated from
        a result of its own."""
        empty, in_place, views, kinds = owner.empty, self.in_place, self.views, self.kinds
        if owner.copied:
            in_place = {i: k for i, k in in_place.items() if k not in owner.copied}
        made: Iterator[torch.Tensor] = iter(())
        places: Iterator[int] = iter(())
        if views:
            tensors, addresses = _core.views(empty((self.bytes,), (1,), torch.uint8), self.words)
            made, places = iter(tensors), iter(addresses)
        results = [
            next(made) if i in views else values[in_place[i]] if i in in_place else empty(*kind)
            for i, kind in enumerate(kinds)
        ]
        if not owner.exchanges:
            return results, [r.data_ptr() for r in results]
        own = owner.permuted
        return results, [
            next(places) if i in views else result.data_ptr() if i in own else result
            for i, result in enumerate(results)
        ]


class OnCuda:
    """How the executables of one graph are called."""

    def __init__(
        self,
        device: torch.device,
        template: Sequence[Any],
        exchanges: bool,
        laid: int,
        apart: bool,
        permuted: Sequence[tuple[int, list[int]]],
        given: dict[int, list[int]],
    ) -> None:
        """exchanges: the library can look at tensors in C. laid: so many results are the caller's; the others are saved
        for a gradient; 0: this is the gradient, whose inputs come from autograd, and dynamo guards none of them.
        apart: no two inputs share memory where one is updated, as AOTAutograd has it. permuted: results, and how their
        dimensions are put back; given: inputs, and how the program has their dimensions."""
        self.device, self.exchanges, self.laid, self.apart = device, exchanges, laid, apart
        self.backward = laid == 0
        self.permuted, self.given = dict(permuted), given
        self.empty = _allocator()
        self.last: Call | None = None
        # Places of inputs that had to be copied so that kernels can read them, the last time.
        self.copied: set[int] = set()
        # A graph may also give tensors of the host.
        self.to_host = [
            i
            for i, n in enumerate(template)
            if isinstance(n, fx.Node) and any(t.device.type == "cpu" for t in _tensors(n))
        ]

    def may_share(self, index: int, size: int) -> bool:
        """Whether a result may lie in one allocation with others: it is freed at the same time."""
        if not self.exchanges or not size or index in self.to_host:
            return False
        return size <= _SMALL if self.backward else index >= self.laid

    def dense(self, value: Any, dtype: torch.dtype, order: Sequence[int] | None = None) -> torch.Tensor:
        """The value where kernels can read it: dense (with its dimensions in this order), of this type, on the device,
        at a multiple of 16 bytes."""
        value = value.detach() if isinstance(value, torch.Tensor) else torch.tensor(value)
        value = value.to(device=self.device, dtype=dtype).resolve_conj().resolve_neg()
        if order is not None:
            value = value.permute(*order)
        value = value.contiguous()
        value = value.clone() if value.data_ptr() % _ALIGNMENT else value
        return value if order is None else value.permute([list(order).index(d) for d in range(len(order))])

    def begin(self, made: Any, values: Sequence[Any]) -> Call:
        call = self.last = Call(made, self)
        self.copied = {i for i, value in enumerate(values) if _is_lazy(value)}  # which dynamo guards
        return call  # another thread may begin with another executable meanwhile

    def run(self, made: Any, values: list[Any]) -> list[torch.Tensor] | None:
        """The results; None where an input has another shape than the executable is for."""
        call = self.last
        if call is None or call.made is not made:
            call = self.begin(made, values)
        elif self.backward and any(map(_is_lazy, values)):
            self.copied |= {i for i, value in enumerate(values) if _is_lazy(value)}
        if not self.exchanges:
            self.copied = set(range(len(values)))
        held, given = [], values
        if self.copied:
            Totals.copied_inputs += len(self.copied)
            held = given = list(values)
            for i in self.copied:
                held[i] = self.dense(values[i], call.types[i], self.given.get(i))
        results, outputs = call.make_results(self, values)
        stream = torch._C._cuda_getCurrentRawStream(0)
        if not self.exchanges:
            given = [t.data_ptr() for t in held]
        orders = (call.orders,) if call.orders else ()
        while (place := made.enqueue(given, outputs, stream, *orders)) is not None:
            if place < 0:
                return None
            if given is values:
                given = list(values)
            given[place] = self.dense(values[place], call.types[place], self.given.get(place))
            self.copied.add(place)
            results, outputs = call.make_results(self, values)
        for i in self.to_host:
            results[i] = results[i].cpu()
        return results


def _is_lazy(value: Any) -> bool:
    """Whether memory does not show that it is negated or conjugated."""
    return isinstance(value, torch.Tensor) and (value.is_neg() or value.is_conj())
