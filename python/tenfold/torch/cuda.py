"""Graphs on CUDA tensors: kernels read and write PyTorch's own memory, on PyTorch's current stream, without waiting."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import fx
from torch.nn.attention import SDPBackend, sdpa_kernel

from tenfold import _core

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
    if not any(t.device.type == "cuda" for node in graph.nodes for t in _tensors(node)):
        return contextlib.nullcontext()
    return sdpa_kernel(SDPBackend.MATH)


def _tensors(node: fx.Node) -> list[torch.Tensor]:
    value = node.meta.get("val", node.meta.get("example_value"))
    return [v for v in (value if isinstance(value, list | tuple) else [value]) if isinstance(v, torch.Tensor)]


def _allocator() -> Callable[[Any, Any, torch.dtype], torch.Tensor]:
    """empty_strided on cuda:0; without PyTorch's dispatcher where only one GPU can be meant."""
    quick = getattr(torch._C._dynamo.guards, "_empty_strided_cuda", None)
    if quick is not None and torch.cuda.device_count() == 1:
        return quick
    return lambda sizes, strides, dtype: torch.empty_strided(sizes, strides, dtype=dtype, device="cuda:0")


class OnCuda:
    """How the executables of one graph are called."""

    def __init__(self, device: torch.device, template: Sequence[Any], exchanges: bool, backward: bool) -> None:
        """exchanges: the library can look at tensors in C. backward: inputs come from autograd, and dynamo guards none
        of them."""
        self.device, self.exchanges, self.backward = device, exchanges, backward
        self.empty = _allocator()
        # The executable called last, types of its inputs, sizes, strides and types of its results.
        self.last: tuple[Any, list, list] = (None, [], [])
        # Places of inputs that had to be copied so that kernels can read them, the last time.
        self.copied: set[int] = set()
        # A graph may also give tensors of the host.
        self.to_host = [
            i
            for i, n in enumerate(template)
            if isinstance(n, fx.Node) and any(t.device.type == "cpu" for t in _tensors(n))
        ]

    def dense(self, value: Any, dtype: torch.dtype) -> torch.Tensor:
        """The value where kernels can read it: dense, of this type, on the device, at a multiple of 16 bytes."""
        value = value.detach() if isinstance(value, torch.Tensor) else torch.tensor(value)
        value = value.to(device=self.device, dtype=dtype).resolve_conj().resolve_neg().contiguous()
        return value.clone() if value.data_ptr() % _ALIGNMENT else value

    def begin(self, made: Any, values: Sequence[Any]) -> tuple[Any, list, list]:
        results = [(sizes, _DTYPES[name]) for name, sizes in made.results]
        strides = [torch.empty(sizes, device="meta").stride() for sizes, _ in results]
        inputs = [_DTYPES[name] for name, _ in made.inputs]
        last = made, inputs, [(tuple(s), t, d) for (s, d), t in zip(results, strides, strict=True)]
        self.last = last
        self.copied = {i for i, value in enumerate(values) if _is_lazy(value)}  # which dynamo guards
        return last  # another thread may begin with another executable meanwhile

    def run(self, made: Any, values: list[Any]) -> list[torch.Tensor] | None:
        """The results; None where an input has another shape than the executable is for."""
        last = self.last
        if last[0] is not made:
            last = self.begin(made, values)
        elif self.backward and any(map(_is_lazy, values)):
            self.copied |= {i for i, value in enumerate(values) if _is_lazy(value)}
        if not self.exchanges:
            self.copied = set(range(len(values)))
        _, types, kinds = last
        held, given = [], values
        if self.copied:
            held = given = list(values)
            for i in self.copied:
                held[i] = self.dense(values[i], types[i])
        empty = self.empty
        results = [empty(sizes, strides, dtype) for sizes, strides, dtype in kinds]
        stream = torch._C._cuda_getCurrentRawStream(0)
        outputs: list[Any] = results
        if not self.exchanges:
            given, outputs = [t.data_ptr() for t in held], [r.data_ptr() for r in results]
        while (place := made.enqueue(given, outputs, stream)) is not None:
            if place < 0:
                return None
            if given is values:
                given = list(values)
            given[place] = self.dense(values[place], types[place])
            self.copied.add(place)
        for i in self.to_host:
            results[i] = results[i].cpu()
        return results


def _is_lazy(value: Any) -> bool:
    """Whether memory does not show that it is negated or conjugated."""
    return isinstance(value, torch.Tensor) and (value.is_neg() or value.is_conj())
