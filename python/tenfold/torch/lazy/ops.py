"""ATen ops on the lazy device: each is recorded, taken apart into ops that can be, or run on the CPU and counted."""

from __future__ import annotations

import threading
from threading import get_ident
from typing import Any

import torch

from tenfold.torch.lazy import pending
from tenfold.torch.lazy.fallback import call_host, call_out, call_unknown
from tenfold.torch.lazy.infer import extent, flat, infer
from tenfold.torch.lazy.lines import find_line, remember_line
from tenfold.torch.lazy.recording import bind, recorder
from tenfold.torch.lazy.schema import Handler, NeedsHost, handler_of
from tenfold.torch.lazy.tensor import LazyTensor, aten, check_index, how_made, make, wrap
from tenfold.torch.lazy.values import Step, Value, spec_of

_MAIN = threading.main_thread().ident
_TAKES_HOST = {"copy_", "copy", "index", "index_put", "index_put_", "_index_put_impl_", "_unsafe_index", "_copy_from"}
_TAKES_HOST |= {"_ctc_loss", "_ctc_loss_backward"}  # lengths
_WRITES_KNOWN = {"native_batch_norm", "_native_batch_norm_legit", "_batch_norm_with_update", "batch_norm_with_update"}
_WRITES_KNOWN |= {"adam_"}


def dispatch(op: Any, args: tuple, kwargs: dict) -> Any:
    if kwargs:
        device = kwargs.get("device")
        if device is not None:
            check_index(device)
    with pending.lock:
        try:
            handler = op._tenfold
        except AttributeError:
            handler = handler_of(op)
        if handler.special is not None:
            return handler.special(op, *args, **kwargs)
        return call(handler, args, kwargs)


LazyTensor.__torch_dispatch__ = recorder.dispatch  # what C does not handle comes to dispatch()


def take_host(handler: Handler, tensor: Any) -> int:
    """A CPU tensor among the arguments: its value now is an input."""
    if isinstance(tensor, LazyTensor):
        return pending.ref_of(tensor._lazy)
    if not isinstance(tensor, torch.Tensor) or tensor.device.type != "cpu" or tensor.layout != torch.strided:
        raise NeedsHost
    if tensor.dim() and not pending.mixed and handler.short not in _TAKES_HOST:
        raise RuntimeError(
            f"Expected all tensors to be on the same device, but found at least two devices, tenfold:0 and cpu! "
            f"(in {handler.name})"
        )
    data = tensor.detach().resolve_conj().resolve_neg().clone(memory_format=torch.contiguous_format)
    return pending.add_input(data, spec_of(tuple(data.shape), data.dtype), None)


def call(handler: Handler, args: tuple, kwargs: dict) -> Any:
    if handler.outs:
        return call_out(handler, args, kwargs)
    if handler.apart:
        return handler.op.decompose(*args, **kwargs)
    if not handler.known and not handler.is_view:
        return call_unknown(handler, args, kwargs)
    if handler.written and not handler.in_place and handler.short not in _WRITES_KNOWN:
        return call_host(handler, args, kwargs, "writes to its arguments")
    try:
        if handler.is_view:
            return call_view(handler, args, kwargs)
        if handler.in_place:
            return call_in_place(handler, args, kwargs)
        return call_plain(handler, args, kwargs)
    except NeedsHost as reason:
        return _on_host(handler, args, kwargs, reason)


def _on_host(handler: Handler, args: tuple, kwargs: dict, reason: NeedsHost) -> Any:
    return call_host(handler, args, kwargs, str(reason.__cause__ or reason) or "no lowering")


def record(handler: Handler, args: tuple, kwargs: dict, target: Value | None = None) -> tuple[int, tuple]:
    """Puts the op into the graph: the number of its first result, and the results' types."""
    made = recorder.record(handler.number, flat(handler, args, kwargs) if kwargs else args)
    if type(made) is tuple:  # as the program that the graph follows
        ref, specs, line = made
        if line >= 0 and pending.fell_back_in_backward and torch.is_grad_enabled():
            remember_line(line)
    else:
        ref, specs = _add(handler, args, kwargs, made, target)
    if not pending.graph.backward and get_ident() != _MAIN:
        pending.graph.backward = torch._C._current_graph_task_id() >= 0
    return ref, specs


def _add(handler: Handler, args: tuple, kwargs: dict, row: bytes, target: Value | None) -> tuple[int, tuple]:
    """Puts a row into a graph that follows no program, or not any more."""
    key, specs = recorder.key(row)
    if specs is None:
        specs = infer(handler, args, kwargs)
        recorder.infer(key, specs)
    if target is not None:
        if specs[0] is None or specs[0].shape != target.spec.shape:
            raise NeedsHost("changes the tensor's shape")
        specs = (target.spec,)
    if key in pending.refused:
        raise NeedsHost(pending.refused[key])
    return recorder.add(row, specs, key, find_line()), specs


def call_plain(handler: Handler, args: tuple, kwargs: dict) -> Any:
    ref, specs = record(handler, args, kwargs)
    for i in handler.written:  # running statistics, state of an optimizer
        tensor = args[i] if i < len(args) else kwargs.get(handler.signature[i][0])
        if isinstance(tensor, LazyTensor):
            recorder.write(tensor._lazy.root.ref)
    made = results(handler, ref, specs)
    limit()
    return made


def results(handler: Handler, ref: int, specs: tuple) -> Any:
    """The tensors that a recorded op makes; `ref` is the first of them."""
    made: list = []
    for spec in specs:
        if spec is None:
            made.append(None)
            continue
        if spec.order is None:
            value = Value(spec)
            pending.adopt(value, ref)
        else:
            value = pending.adopt_permuted(spec, ref)
        ref += 1
        made.append(wrap(value))
    if not handler.several:
        return made[0] if made else None
    return made if handler.as_list else tuple(made)


def call_in_place(handler: Handler, args: tuple, kwargs: dict) -> Any:
    target = args[0] if args else kwargs[handler.signature[0][0]]
    if not isinstance(target, LazyTensor):
        raise NeedsHost("writes to a tensor on the CPU")
    value = step = target._lazy
    while step.parent is not None:
        if step.step[0].handler.loose:
            raise NeedsHost("writes through a view complex elements are not supported are not supported")
        step = step.parent
    root = value.root
    if root.data is None and root.graph != recorder.graph and recorder.promoting:
        pending.host(root)  # the state of an optimizer: a program of the first step is that of every step
    record(handler, args, kwargs, value)
    recorder.write(root.ref)
    limit()
    return target


def call_view(handler: Handler, args: tuple, kwargs: dict) -> Any:
    target = args[0]
    if not isinstance(target, LazyTensor):
        raise NeedsHost
    value = target._lazy
    if handler.op is aten.as_strided.default and value.parent is not None:
        # Strides are those of the memory, so the view is one of the root.
        if value.root.spec.dtype != value.spec.dtype:
            raise NeedsHost
        offset = args[3] if len(args) > 3 else kwargs.get("storage_offset")
        args, kwargs = (wrap(value.root), args[1], args[2], value.spec.offset if offset is None else offset), {}
        value = value.root
    key = (value.spec, _frozen(args[1:]), _frozen(tuple(kwargs.items())) if kwargs else None)
    step = handler.steps.get(key)
    if step is None:
        step = make_step(handler, args, kwargs)
        if handler.op is aten.as_strided.default and step.specs[0].numel and extent(step.specs[0]) > value.spec.numel:
            raise RuntimeError(
                f"setStorage: sizes {list(args[1])}, strides {list(args[2])}, storage offset "
                f"{step.specs[0].offset} are out of bounds for storage of {value.spec.numel} elements"
            )
        handler.steps[key] = step
    if not handler.known:  # by sizes and strides alone
        if any(spec.dtype != value.root.spec.dtype for spec in step.specs):
            raise NeedsHost
        made = [aten.as_strided.default(wrap(value.root), s.shape, s.strides, s.offset) for s in step.specs]
    else:
        made = [wrap(Value.view(value, step, i)) for i in range(len(step.specs))]
    if not handler.several:
        return made[0]
    return made if handler.as_list else tuple(made)


def make_step(handler: Handler, args: tuple, kwargs: dict) -> Step:
    encoded = recorder.encode(handler.number, flat(handler, args, kwargs), 1)
    return Step(handler, args[1:], kwargs, encoded, infer(handler, args, kwargs))


def limit() -> None:
    if recorder.is_full:
        pending.flush()


def _frozen(item: Any) -> Any:
    return tuple([_frozen(i) if isinstance(i, list | tuple) else i for i in item])


def _added(handler: Handler, args: tuple, kwargs: dict, row: bytes) -> Any:
    """An op that C began to record, where the graph follows no program."""
    return results(handler, *_add(handler, args, kwargs, row, None))


recorder.dispatching(
    Value,
    make,
    how_made,
    pending.lock.acquire,
    pending.lock.release,
    dispatch,
    _added,
    results,
    _on_host,
    pending.flush,
    _MAIN,
    pending.roots,
)
bind(tensor=LazyTensor, resolve=pending.ref_of, take_host=take_host, line=find_line, needs_host=NeedsHost)
