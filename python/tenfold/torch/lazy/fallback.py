"""Ops that are not recorded: taken apart, done without out=, or run on the CPU and counted."""

from __future__ import annotations

from typing import Any

import torch

from tenfold.torch.lazy import pending
from tenfold.torch.lazy.lines import find_line, line_text
from tenfold.torch.lazy.recording import recorder
from tenfold.torch.lazy.schema import MISSING, Handler, NeedsHost
from tenfold.torch.lazy.tensor import LazyTensor, aten, reshape_in_place, resize_within, wrap
from tenfold.torch.lazy.values import Value, spec_of_memory


def call_unknown(handler: Handler, args: tuple, kwargs: dict) -> Any:
    if handler.in_place and handler.decomposition is None:
        if handler.functional is MISSING:
            handler.functional = _functional(handler.op)
        if handler.functional is not None:
            result = handler.functional(*args, **kwargs)
            if result.shape == args[0].shape:
                return aten.copy_.default(args[0], result)
    if handler.decomposition is not None:
        try:
            return handler.decomposition(*args, **kwargs)
        except (NotImplementedError, NeedsHost):
            return call_host(handler, args, kwargs, "no lowering")
    return call_host(handler, args, kwargs, "no lowering")


def call_out(handler: Handler, args: tuple, kwargs: dict) -> Any:
    """The op without out=, then a copy."""
    if handler.functional is MISSING:
        handler.functional = _functional(handler.op)
    if handler.functional is None:
        return call_host(handler, args, kwargs, "no form without out=")
    names = [handler.signature[i][0] for i in handler.outs]
    outs = [kwargs[n] if n in kwargs else args[handler.index[n]] for n in names]
    rest = {k: v for k, v in kwargs.items() if k not in names}
    made = handler.functional(*args[: handler.positional], **rest)
    results = made if isinstance(made, list | tuple) else (made,)
    if any(out.dtype != result.dtype for out, result in zip(outs, results, strict=True)):
        return call_host(handler, args, kwargs, "out= of another type")  # some take that, some refuse it
    for out, result in zip(outs, results, strict=True):
        give(out, result)
    return outs[0] if len(outs) == 1 else tuple(outs)


def call_host(handler: Handler, args: tuple, kwargs: dict, why: str) -> Any:
    """Runs on the CPU, and is counted."""
    if torch._C._current_graph_task_id() >= 0:
        pending.fell_back_in_backward = recorder.careful = True
    line = find_line()
    copied: dict[int, tuple[LazyTensor, torch.Tensor]] = {}
    names = [n for n, _ in handler.signature]
    on_host = [_bring(handler, a, copied if i in handler.written else None) for i, a in enumerate(args)]
    named = {k: _bring(handler, v, copied if names.index(k) in handler.written else None) for k, v in kwargs.items()}
    to_host = any(isinstance(v, torch.device) and v.type == "cpu" for v in (*args, *kwargs.values()))
    made = handler.op(*on_host, **named)
    pending.stats.fallbacks[handler.name] += 1
    pending.stats.fallback_lines[line_text(line)] += 1
    originals = {id(h): a for h, a in zip(on_host, args, strict=True) if isinstance(a, LazyTensor)}
    originals |= {id(h): kwargs[k] for k, h in named.items() if isinstance(kwargs[k], LazyTensor)}
    for i in handler.written:
        pairs = [(args[i], on_host[i])] if i < len(args) else []
        if not pairs and names[i] in kwargs:
            pairs = [(kwargs[names[i]], named[names[i]])]
        for tensor, memory in pairs:
            if isinstance(tensor, LazyTensor) and tensor._lazy.spec.shape != tuple(memory.shape):
                reshape_in_place(tensor, Value.concrete(memory.clone()))
    return made if to_host else _back(made, originals)


def _bring(handler: Handler, item: Any, written: dict[int, tuple[LazyTensor, torch.Tensor]] | None) -> Any:
    """An argument on the CPU; `written`: copies of those that the op writes to. No closure, here and below: one that
    calls itself stays, with the tensors it knows, until garbage is collected, and these count as still in use."""
    if isinstance(item, LazyTensor):
        if written is not None:
            root = item._lazy.root
            pending.materialize(root)
            if id(root) not in written:
                root.data = root.data.clone()  # programs and other values may look into it
                written[id(root)] = (item, root.data)
        known = pending.peek(item._lazy) if handler.sized_by_data else None
        return pending.materialize(item._lazy) if known is None else known
    if isinstance(item, torch.device):
        return torch.device("cpu") if item.type == "tenfold" else item
    if isinstance(item, list | tuple) and not isinstance(item, torch.Size):
        return type(item)(_bring(handler, i, written) for i in item)
    return item


def _back(item: Any, originals: dict[int, LazyTensor]) -> Any:
    """What an op made on the CPU, on the device."""
    if isinstance(item, torch.Tensor):
        if id(item) in originals:
            return originals[id(item)]
        if item.layout != torch.strided or item.is_quantized:
            return item
        item = item.resolve_conj().resolve_neg()
        return wrap(Value.concrete(item.clone()))
    if isinstance(item, list | tuple):
        return type(item)(_back(i, originals) for i in item)
    return item


def give(out: Any, result: torch.Tensor) -> None:
    """Writes a result to where out= says."""
    if not isinstance(out, LazyTensor):
        if out.shape != result.shape:
            out.resize_(result.shape)
        out.copy_(result)
        return
    if out.shape != result.shape and not resize_within(out, tuple(result.shape)):
        reshape_in_place(out, Value.filled(spec_of_memory(tuple(result.shape), out.dtype, result.stride()), 0))
    aten.copy_.default(out, result)


def _functional(op: Any) -> Any:
    """The overload that returns what this one writes to out=."""
    short = op._schema.name.split("::")[1]
    if not any(a.is_out for a in op._schema.arguments):  # add_ → add
        short = short[:-1]
    packet = getattr(getattr(torch.ops, op.namespace), short, None)
    if packet is None:
        return None
    wanted = [(a.name, str(a.type)) for a in op._schema.arguments if not a.is_out]
    for name in packet.overloads():
        other = getattr(packet, name)
        arguments = other._schema.arguments
        if any(a.alias_info is not None for a in arguments):
            continue
        have = [(a.name, str(a.type)) for a in arguments]
        if [h for h in have if h in wanted] == wanted and len(have) <= len(wanted) + 4:
            return other
    return None
