"""ATen ops on the lazy device: each is recorded, taken apart into ops that can be, or run on the CPU and counted."""

from __future__ import annotations

import threading
from typing import Any

import torch

from tenfold.torch.lazy import pending
from tenfold.torch.lazy.fallback import call_host, call_out, call_unknown
from tenfold.torch.lazy.infer import extent, flat, infer, infer_anew
from tenfold.torch.lazy.lines import find_line, remember_line
from tenfold.torch.lazy.schema import MISSING, Handler, NeedsHost, constant, handler_of
from tenfold.torch.lazy.tensor import LazyTensor, aten, check_index, wrap
from tenfold.torch.lazy.values import Step, Value, spec_of

_MAIN = threading.main_thread()
_TAKES_HOST = {"copy_", "copy", "index", "index_put", "index_put_", "_index_put_impl_", "_unsafe_index", "_copy_from"}
_TAKES_HOST |= {"_ctc_loss", "_ctc_loss_backward"}  # lengths
_WRITES_KNOWN = {"native_batch_norm", "_native_batch_norm_legit", "_batch_norm_with_update", "batch_norm_with_update"}


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


def _dispatch(cls: Any, op: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
    return dispatch(op, args, kwargs or {})


LazyTensor.__torch_dispatch__ = classmethod(_dispatch)


def encode(handler: Handler, args: tuple) -> tuple:
    """Arguments as they stand in a node."""
    graph = pending.graph
    number = graph.number
    refs: list = []
    for i, (kind, arg) in enumerate(zip(handler.kinds, args, strict=False)):
        if kind == "T":
            if type(arg) is LazyTensor:
                value = arg._lazy
                refs.append(value.ref if value.graph == number else graph.ref(value))
                continue
            if isinstance(arg, torch.Tensor):
                refs.append(take_host(handler, arg))
                continue
            kind = "S"
        if arg is None or arg is MISSING:
            refs.append(arg)
        elif kind == "S":
            if isinstance(arg, torch.SymInt | torch.SymFloat | torch.SymBool):
                raise NeedsHost
            refs.append(graph.add_scalar(arg) if type(arg) is float and promoted(handler, i, arg) else constant(arg))
        elif kind == "L":
            refs.append(
                tuple(
                    [
                        None
                        if item is None
                        else graph.ref(item._lazy)
                        if type(item) is LazyTensor
                        else take_host(handler, item)
                        for item in arg
                    ]
                )
            )
        elif i in handler.ignored:
            if handler.signature[i][0] == "generator":
                raise NeedsHost
            refs.append(MISSING)
        else:
            refs.append(tuple(arg) if isinstance(arg, list | tuple) else arg)
    while refs and refs[-1] is MISSING:
        refs.pop()
    return tuple(refs)


def key_of(handler: Handler, args: tuple, refs: tuple) -> tuple:
    """What decides about the results' types: the arguments, with a type for each tensor."""
    specs = pending.graph.specs
    key: list = [handler]
    for kind, ref in zip(handler.kinds, refs, strict=False):
        if kind == "T" and type(ref) is int:
            key.append(specs[ref])
        elif kind == "L" and ref is not None and ref is not MISSING:
            key.append(tuple([specs[r] if type(r) is int else r for r in ref]))
        elif kind in "TS" and type(ref) is tuple and ref[0] == "s":
            key.append(float)
        else:
            key.append(ref)
    return tuple(key)


def promoted(handler: Handler, argument: int, number: float) -> bool:
    """Whether a number is an input of the program."""
    if not handler.may_promote or number != number:
        return False
    return handler.promotes or pending.in_optimizer or (bool(pending.changing) and changes(handler, argument))


def changes(handler: Handler, argument: int) -> bool:
    """Whether this number was seen to change at the user's line at hand."""
    return (handler, argument, find_line()) in pending.changing


def take_host(handler: Handler, tensor: Any) -> int:
    """A CPU tensor among the arguments: its value now is an input."""
    if isinstance(tensor, LazyTensor):
        return pending.graph.ref(tensor._lazy)
    if not isinstance(tensor, torch.Tensor) or tensor.device.type != "cpu" or tensor.layout != torch.strided:
        raise NeedsHost
    if tensor.dim() and not pending.mixed and handler.short not in _TAKES_HOST:
        raise RuntimeError(
            f"Expected all tensors to be on the same device, but found at least two devices, tenfold:0 and cpu! "
            f"(in {handler.name})"
        )
    data = tensor.detach().resolve_conj().resolve_neg().clone(memory_format=torch.contiguous_format)
    return pending.graph.add_input(data, spec_of(tuple(data.shape), data.dtype), None)


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
        return call_host(handler, args, kwargs, str(reason.__cause__ or reason) or "no lowering")


def record(handler: Handler, args: tuple, kwargs: dict, target: Value | None = None) -> tuple[int, tuple]:
    """Puts the op into the graph: the number of its first result, and the results' types."""
    graph = pending.graph
    refs = encode(handler, flat(handler, args, kwargs) if kwargs else args)
    node = (handler, refs)
    specs = graph.follow(node)
    if specs is not None:
        if pending.fell_back_in_backward and torch.is_grad_enabled():
            line = graph.guide.lines[len(graph.nodes)]
            if line is not None:
                remember_line(line)
        ref = graph.add(node, specs, None, None)
    else:
        key = key_of(handler, args, refs)
        if target is None:
            specs = infer(handler, key, args, kwargs)
        else:
            made = infer(handler, key, args, kwargs)
            if made[0] is None or made[0].shape != target.spec.shape:
                raise NeedsHost("changes the tensor's shape")
            specs = (target.spec,)
        if key in pending.refused:
            raise NeedsHost(pending.refused[key])
        ref = graph.add(node, specs, key, find_line())
    if handler.random:
        graph.random = True
    if not graph.backward and threading.current_thread() is not _MAIN:
        graph.backward = torch._C._current_graph_task_id() >= 0
    return ref, specs


def call_plain(handler: Handler, args: tuple, kwargs: dict) -> Any:
    ref, specs = record(handler, args, kwargs)
    graph = pending.graph
    for i in handler.written:  # running statistics
        tensor = args[i] if i < len(args) else kwargs.get(handler.signature[i][0])
        if isinstance(tensor, LazyTensor):
            graph.written.add(tensor._lazy.root.ref)
    made: list = []
    for spec in specs:
        if spec is None:
            made.append(None)
            continue
        if spec.order is None:
            value = Value(spec)
            graph.adopt(value, ref)
        else:
            value = graph.adopt_turned(spec, ref)
        ref += 1
        made.append(wrap(value))
    limit()
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
            raise NeedsHost("writes through a view of complex numbers")
        step = step.parent
    root = value.root
    if root.data is None and root.graph != pending.graph.number and pending.in_optimizer:
        pending.host(root)  # the state of an optimizer: a program of the first step is that of every step
    record(handler, args, kwargs, value)
    pending.graph.written.add(root.ref)
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
    encoded = []
    for i, item in enumerate(flat(handler, args, kwargs)):
        if i in handler.ignored:
            item = MISSING
        elif isinstance(item, list | tuple):
            item = tuple(item)
        elif i and handler.kinds[i] in "ST" and item is not None and item is not MISSING:
            item = constant(item)
        encoded.append(item)
    return Step(handler, args[1:], kwargs, tuple(encoded[1:]), infer_anew(handler, args, kwargs))


def limit() -> None:
    if len(pending.graph.nodes) > pending.NODES_MAX:
        pending.flush()


def _frozen(item: Any) -> Any:
    return tuple([_frozen(i) if isinstance(i, list | tuple) else i for i in item])
