"""The recorded graph run op by op with PyTorch's own CPU kernels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch

from tenfold.torch.lazy.recording import MISSING, recorder
from tenfold.torch.lazy.schema import Handler


def arguments(handler: Handler, given: list) -> tuple[list, dict]:
    """A node's arguments as the op is called with them."""
    args: list = []
    kwargs = {}
    for k, ((name, _), value) in enumerate(zip(handler.signature, given, strict=False)):
        if value is MISSING:
            continue
        if k < handler.positional and len(args) == k:
            args.append(value)
        else:
            kwargs[name] = value
    return args, kwargs


def interpret(values: dict[int, torch.Tensor], nodes: Iterable[int]) -> dict[int, torch.Tensor]:
    """Adds what these nodes make to the values."""
    for i in nodes:
        handler, given, made, _, _ = recorder.node(i, values)
        if handler is None:  # an input
            continue
        args, kwargs = arguments(handler, given)
        if handler.op is torch.ops.aten.view.default:  # of what lies in order on the device, and here maybe does not
            result: Any = args[0].reshape(*args[1:], **kwargs)
        else:
            result = handler.op(*args, **kwargs)
        results = result if isinstance(result, list | tuple) else [result]
        for ref, tensor in zip(made, results, strict=False):
            if ref >= 0:
                values[ref] = tensor
    return values
