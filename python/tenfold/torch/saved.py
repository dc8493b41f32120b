"""How what a forward graph saves for its gradient lies in memory. The compiler lays images out channels last; where
both graphs know that, neither transposes what is saved to channels first and back."""

from __future__ import annotations

import operator
from collections.abc import Collection
from typing import Any

import torch
from torch import fx

_LAST = {3: [0, 2, 1], 4: [0, 2, 3, 1]}  # batch, height, width, channels; by the number of dimensions
_FIRST = {3: [0, 2, 1], 4: [0, 3, 1, 2]}
_MAKES_IMAGES = ("convolution", "conv2d", "batch_norm", "pool2d", "upsample")
_PASSES_IMAGES = ("aten.cat.", "aten.slice.", "aten.split", "aten.constant_pad_nd.", "aten.native_group_norm",
                  "aten._prelu_kernel.", "aten.native_dropout.")  # fmt: skip


def last(dims: int) -> list[int]:
    """The order of dimensions that lays channels last."""
    return _LAST[dims]


def first(dims: int) -> list[int]:
    """Its inverse."""
    return _FIRST[dims]


def _shape(node: Any) -> tuple[int, ...] | None:
    value = node.meta.get("val") if isinstance(node, fx.Node) else None
    if not isinstance(value, torch.Tensor) or value.layout != torch.strided or value.dim() not in _LAST:
        return None
    return tuple(value.shape) if all(type(s) is int for s in value.shape) else None


def _images(graph: fx.Graph) -> set[fx.Node]:
    """Nodes that convolutions and poolings make, and what is computed from those element by element."""
    found: set[fx.Node] = set()
    for node in graph.nodes:
        if node.op != "call_function":
            continue
        name, sources = str(node.target), [n for n in node.all_input_nodes if n in found]
        if (
            any(word in name for word in _MAKES_IMAGES)
            or (node.target is operator.getitem and sources)
            or (name.startswith(_PASSES_IMAGES) and sources)
            or (
                torch.Tag.pointwise in getattr(node.target, "tags", ())
                and any(_shape(n) is not None and _shape(n) == _shape(node) for n in sources)
            )
        ):
            found.add(node)
    return found


def _metadata() -> Any:
    context = torch._guards.TracingContext.try_get()
    return getattr(context, "fw_metadata", None)


def laid_last(module: fx.GraphModule, stage: str, returned: int) -> Collection[str]:
    """Names of nodes that lie channels last: results of a forward graph after the first `returned`, which are the
    caller's; inputs of the backward graph that belongs to it."""
    metadata = _metadata()
    if metadata is None or stage == "inference":
        return ()
    if stage == "backward":
        return getattr(metadata, "tenfold_laid_last", ())
    output = next(n for n in reversed(module.graph.nodes) if n.op == "output").args[0]
    images = _images(module.graph)
    saved = output[returned:] if isinstance(output, list | tuple) else ()
    caller = set(output[:returned]) if isinstance(output, list | tuple) else set()
    names = frozenset(n.name for n in saved if n in images and n not in caller and _shape(n) and 0 not in _shape(n))
    metadata.tenfold_laid_last = names
    return names
