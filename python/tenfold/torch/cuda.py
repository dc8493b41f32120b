"""Graphs on CUDA tensors: kernels read and write PyTorch's own memory, on PyTorch's current stream, without waiting."""

from __future__ import annotations

import contextlib
import weakref
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


class OnCuda:
    """How the executables of one graph are called."""

    def __init__(self, device: torch.device, template: Sequence[Any]) -> None:
        self.device = device
        # The executable called last, types of its inputs, sizes and types of its results.
        self.last: tuple[Any, list, list] = (None, [], [])
        # By place among the inputs: the parameter that was there, dense and of the right type.
        self.known: list[Callable[[], Any]] = []
        # A graph may also give tensors of the host.
        self.to_host = [
            i
            for i, n in enumerate(template)
            if isinstance(n, fx.Node) and any(t.device.type == "cpu" for t in _tensors(n))
        ]

    def address(self, value: Any, dtype: torch.dtype, held: list[torch.Tensor]) -> int:
        """Where a dense value of this type lies on the device; what is not so becomes so, and is held for the call."""
        if isinstance(value, torch.Tensor):
            if (
                value.is_cuda
                and value.dtype is dtype
                and value.is_contiguous()
                and not (value.is_neg() or value.is_conj())
            ):
                if value.data_ptr() % _ALIGNMENT == 0:
                    return value.data_ptr()
                value = value.clone()  # kernels read pieces of 16 bytes
            value = value.detach()
        else:
            value = torch.tensor(value)
        value = value.to(device=self.device, dtype=dtype).resolve_conj().resolve_neg().contiguous()
        held.append(value)
        return value.data_ptr()

    def run(self, made: Any, values: Sequence[Any]) -> list[torch.Tensor]:
        if self.last[0] is not made:
            inputs = [_DTYPES[name] for name, _ in made.inputs]
            self.last = made, inputs, [(sizes, _DTYPES[name]) for name, sizes in made.results]
            self.known = [object] * len(inputs)  # which refers to none of them
        held: list[torch.Tensor] = []
        given = []
        for i, value in enumerate(values):
            at = 1
            if self.known[i]() is value and value.is_contiguous():  # its type and device cannot have changed
                at = value.data_ptr()
            if at % _ALIGNMENT:
                before = len(held)
                at = self.address(value, self.last[1][i], held)
                if len(held) == before and isinstance(value, torch.nn.Parameter):
                    self.known[i] = weakref.ref(value)
            given.append(at)
        results = [torch.empty(sizes, dtype=dtype, device=self.device) for sizes, dtype in self.last[2]]
        stream = torch.cuda.current_stream(self.device).cuda_stream
        made.enqueue(given, [r.data_ptr() for r in results], stream)
        for i in self.to_host:
            results[i] = results[i].cpu()
        return results
