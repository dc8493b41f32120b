"""Recorded graphs run op by op with PyTorch's own CPU kernels."""

from __future__ import annotations

from typing import Any

import torch

from tenfold.torch.lazy.schema import MISSING, number_of


def interpret(graph: Any, only: set[int] | None = None) -> dict[int, torch.Tensor]:
    """Runs the graph op by op with PyTorch's own CPU kernels; `only` these nodes."""
    values: dict[int, torch.Tensor] = {}
    for ref, data, owner in zip(graph.input_refs, graph.data, graph.owners, strict=True):
        if only is None:
            values[ref] = data.clone() if owner is not None else data

    def take(item: Any) -> Any:
        if isinstance(item, int):
            return values[item]
        return item if item is None else graph.scalars[item[1]] if item[0] == "s" else number_of(item)

    for i, (node, made) in enumerate(zip(graph.nodes, graph.outputs, strict=True)):
        if node[0] == "input" or (only is not None and i not in only):
            continue
        handler, encoded = node
        args, kwargs = [], {}
        for k, ((name, kind), value) in enumerate(zip(handler.signature, encoded, strict=False)):
            if value is MISSING:
                continue
            if kind in "TS":
                value = take(value)
            elif kind == "L" and value is not None:
                value = [take(v) for v in value]
            if k < handler.positional and len(args) == k:
                args.append(value)
            else:
                kwargs[name] = value
        if handler.op is torch.ops.aten.view.default:  # of what lies in order on the device, and here maybe does not
            result = args[0].reshape(*args[1:], **kwargs)
        else:
            result = handler.op(*args, **kwargs)
        results = result if isinstance(result, list | tuple) else [result]
        for ref, tensor in zip(made, results, strict=False):
            if ref >= 0:
                values[ref] = tensor
    return values
