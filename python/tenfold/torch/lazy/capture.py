"""The MLIR of what is pending for a tensor, and of what a function would do; TorchScript programs, run whole."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.utils._pytree import tree_flatten, tree_map

from tenfold import _core
from tenfold.torch.lazy import pending
from tenfold.torch.lazy.serialize import to_json
from tenfold.torch.lazy.tensor import LazyTensor


def get_mlir(tensor: torch.Tensor, stage: str = "stablehlo") -> str:
    """The MLIR of what is pending for a tensor on device "tenfold"; nothing is compiled or run.

    stage: "aten", the ops as they were recorded; "stablehlo"; or what the CPU compiler makes of that: "passes", "fused"
    (or "plan"), "llvm", "asm".
    """
    if not isinstance(tensor, LazyTensor):
        raise TypeError('get_mlir takes a tensor on device "tenfold"')
    with pending.lock:
        return _text((pending.ref_of(tensor._lazy),), stage)


def _text(wanted: tuple[int, ...], stage: str) -> str:
    return _core.graph(to_json(wanted)).text(stage=stage, locations=False)


@contextlib.contextmanager
def _mixed() -> Iterator[None]:
    """Tensors on the CPU may stand among those of the device: a module's weights, which nobody moved."""
    was, pending.mixed = pending.mixed, True
    try:
        yield
    finally:
        pending.mixed = was


def _move(value: Any) -> Any:
    return value.to("tenfold") if isinstance(value, torch.Tensor) and value.device.type == "cpu" else value


def graph_for(function: Callable[..., Any], *args: Any, stage: str = "stablehlo", **kwargs: Any) -> str:
    """The MLIR of what a function, module, or TorchScript program does with these arguments; nothing is run."""
    with pending.lock, torch.no_grad(), _mixed():
        pending.flush()
        runs = pending.stats.runs
        moved, named = tree_map(_move, (args, kwargs))
        made = function(*moved, **named)
        refs = [t._lazy for t in tree_flatten(made)[0] if isinstance(t, LazyTensor)]
        text = _text(tuple([pending.ref_of(value) for value in refs]), stage)
        if pending.stats.runs != runs:
            text = f"// values were read on the way: this is what is left after the last of them\n{text}"
        pending.drop()
        return text


def run_whole(function: Callable[..., Any], args: tuple, kwargs: dict) -> Any:
    """Calls a TorchScript program so that its ops are recorded and run as one program; results are on the CPU."""
    with _mixed():
        moved, named = tree_map(_move, (args, kwargs))
        made = function(*moved, **named)
    return tree_map(lambda v: v.cpu() if isinstance(v, LazyTensor) else v, made)
