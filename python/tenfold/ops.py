"""ATen ops on the lazy device: each is recorded, taken apart into ops that can be, or run on the CPU and counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from tenfold import _core, pending
from tenfold.fx import op_name
from tenfold.pending import MISSING, constant, find_line
from tenfold.values import Spec, Value, spec_of

aten = torch.ops.aten
DEVICE = torch.device("tenfold", 0)  # this module is imported once the device has its name
_RANDOM = (
    "rand",
    "dropout",
    "bernoulli",
    "normal",
    "multinomial",
    "uniform",
    "exponential",
    "cauchy",
    "geometric",
    "rrelu_with_noise",
    "poisson",
    "binomial",
)
_NOT_RANDOM = (
    "batch_norm",
    "layer_norm",
    "group_norm",
    "instance_norm",
    "renorm",
    "normalize",
    "linalg",
    "vector_norm",
)
_IGNORED = ("device", "layout", "pin_memory", "non_blocking", "generator")
_META_MAX = 100_000
_meta: dict[Any, Any] = {}
_handlers: dict[Any, Handler] = {}
specials: dict[Any, Callable[..., Any]] = {}
# Views that are copies for the library: made again after a write, and not written through.
_LOOSE = {"_conj", "view_as_real", "view_as_complex", "_neg_view", "real", "imag"}
# What writes to arguments that its schema does not mark.
_WRITES = {"native_batch_norm": (3, 4)}


def special(*ops: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Marks a function as what happens for these ops instead of recording."""

    def mark(function: Callable[..., Any]) -> Callable[..., Any]:
        for op in ops:
            specials[op] = function
        return function

    return mark


class LazyTensor(torch.Tensor):
    """A tensor on device "tenfold"."""

    _lazy: Value
    __torch_function__ = torch._C._disabled_torch_function_impl

    @classmethod
    def __torch_dispatch__(cls, op: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        return dispatch(op, args, kwargs or {})


_make = torch.Tensor._make_wrapper_subclass


def wrap(value: Value) -> LazyTensor:
    spec = value.spec
    tensor = _make(
        LazyTensor, spec.shape, strides=spec.strides, storage_offset=spec.offset, dtype=spec.dtype, device=DEVICE
    )
    tensor._lazy = value
    return tensor


def dispatch(op: Any, args: tuple, kwargs: dict) -> Any:
    with pending.lock:
        found = specials.get(op)
        if found is not None:
            return found(op, *args, **kwargs)
        handler = _handlers.get(op)
        if handler is None:
            handler = handler_of(op)
        return handler(args, kwargs)


def handler_of(op: Any) -> Handler:
    found = _handlers.get(op)
    if found is None:
        found = _handlers[op] = Handler(op)
    return found


class NeedsHost(Exception):
    """The op has to run on the CPU."""


def _kind(type_: Any) -> str:
    text = str(type_)
    if "List[" in text and "Tensor" in text:
        return "L"
    if "Tensor" in text:
        return "T"
    if text in ("number", "Optional[number]", "float", "Optional[float]"):
        return "S"
    return "X"


class Handler:
    """What to do with one op overload, found out once from its schema."""

    def __init__(self, op: Any) -> None:
        self.op = op
        self.name = op_name(op)
        schema = op._schema
        self.short = schema.name.split("::")[1]
        self.signature = [(a.name, _kind(a.type)) for a in schema.arguments]
        self.kinds = [k for _, k in self.signature]
        self.index = {a.name: i for i, a in enumerate(schema.arguments)}
        self.positional = sum(not a.kwarg_only for a in schema.arguments)
        self.ignored = {i for i, (n, k) in enumerate(self.signature) if n in _IGNORED and k == "X"}
        written = [i for i, a in enumerate(schema.arguments) if a.alias_info is not None and a.alias_info.is_write]
        self.written = tuple(written) + _WRITES.get(self.short, ())
        self.outs = [i for i in written if schema.arguments[i].is_out]
        viewing = [r for r in schema.returns if r.alias_info is not None and not r.alias_info.is_write]
        self.is_view = bool(viewing) and not written
        self.in_place = bool(written) and written == [0] and not self.outs
        self.loose = self.short in _LOOSE
        self.random = any(w in self.short for w in _RANDOM) and not any(w in self.short for w in _NOT_RANDOM)
        self.known = _core.knows(self.name)
        self.several = len(schema.returns) > 1 or (
            len(schema.returns) == 1 and str(schema.returns[0].type).startswith("List")
        )
        self.as_list = len(schema.returns) == 1 and str(schema.returns[0].type).startswith("List")
        self.returns_tensors = all("Tensor" in str(r.type) for r in schema.returns)
        # Numbers of ops that update in place, and of an optimizer's, change from step to step: they are inputs of the
        # program at once. Those of other ops are when they were seen to change.
        self.may_promote = self.short.removesuffix("_") in _PROMOTABLE
        self.promotes = self.may_promote and self.in_place
        self.decomposition = None if self.known else _decomposition(op)
        self.functional: Any = MISSING

    # ---- recording ----

    def encode(self, args: tuple, kwargs: dict) -> tuple[list, list]:
        """Arguments as they stand in a node, and as they decide about the results' types."""
        graph = pending.graph
        number = graph.number
        refs: list = []
        key: list = [self.op]
        if kwargs:
            flat = list(args)
            for name, value in kwargs.items():
                i = self.index[name]
                while len(flat) <= i:
                    flat.append(MISSING)
                flat[i] = value
            args = tuple(flat)
        for i, (kind, arg) in enumerate(zip(self.kinds, args, strict=False)):
            if kind == "T":
                if type(arg) is LazyTensor:
                    value = arg._lazy
                    refs.append(value.ref if value.graph == number else graph.ref(value))
                    key.append(value.spec)
                    continue
                if arg is None or arg is MISSING:
                    refs.append(arg)
                    key.append(arg)
                    continue
                if isinstance(arg, torch.Tensor):
                    ref, spec = self.take_host(arg)
                    refs.append(ref)
                    key.append(spec)
                    continue
                kind = "S"
            if kind == "S":
                if arg is None or arg is MISSING:
                    refs.append(arg)
                    key.append(arg)
                elif isinstance(arg, torch.SymInt | torch.SymFloat | torch.SymBool):
                    raise NeedsHost
                elif (
                    type(arg) is float
                    and self.may_promote
                    and (self.promotes or pending.in_optimizer or (pending.changing and self.changes(i)))
                    and arg == arg
                ):
                    refs.append(pending.graph.add_scalar(arg))
                    key.append(float)
                else:
                    item = constant(arg)
                    refs.append(item)
                    key.append(item)
            elif kind == "L":
                if arg is None or arg is MISSING:
                    refs.append(arg)
                    key.append(arg)
                    continue
                inner, specs = [], []
                for item in arg:
                    if item is None:
                        inner.append(None)
                        specs.append(None)
                    elif type(item) is LazyTensor:
                        inner.append(graph.ref(item._lazy))
                        specs.append(item._lazy.spec)
                    else:
                        ref, spec = self.take_host(item)
                        inner.append(ref)
                        specs.append(spec)
                refs.append(tuple(inner))
                key.append(tuple(specs))
            elif i in self.ignored:
                if arg is not None and arg is not MISSING and self.signature[i][0] == "generator":
                    raise NeedsHost
                refs.append(MISSING)
                key.append(None)
            else:
                item = tuple(arg) if isinstance(arg, list | tuple) else arg
                refs.append(item)
                key.append(item)
        while refs and refs[-1] is MISSING:
            refs.pop()
        return refs, key

    def changes(self, argument: int) -> bool:
        """Whether this number was seen to change at the user's line at hand."""
        return (self.op, argument, find_line()) in pending.changing

    def take_host(self, tensor: Any) -> tuple[int, Spec]:
        """A CPU tensor among the arguments: its value now is an input."""
        if isinstance(tensor, LazyTensor):
            return pending.graph.ref(tensor._lazy), tensor._lazy.spec
        if not isinstance(tensor, torch.Tensor) or tensor.device.type != "cpu" or tensor.layout != torch.strided:
            raise NeedsHost
        if tensor.dim() and self.short not in _TAKES_HOST:
            raise RuntimeError(
                f"Expected all tensors to be on the same device, but found at least two devices, tenfold:0 and cpu! "
                f"(in {self.name})"
            )
        data = tensor.detach().resolve_conj().resolve_neg().clone(memory_format=torch.contiguous_format)
        spec = spec_of(tuple(data.shape), data.dtype)
        return pending.graph.add_input(data, spec, None), spec

    def infer(self, key: tuple, args: tuple, kwargs: dict) -> Any:
        """Specs of the results: of a list of tensors a list, else a tuple; None where there is no tensor."""
        found = _meta.get(key)
        if found is None:
            found = self._infer(args, kwargs)
            if len(_meta) > _META_MAX:
                _meta.clear()
            _meta[key] = found
        return found

    def _infer(self, args: tuple, kwargs: dict) -> Any:
        def meta(item: Any) -> Any:
            if isinstance(item, LazyTensor):
                spec = item._lazy.spec
                base = torch.empty(_extent(spec), dtype=spec.dtype, device="meta")
                return base.as_strided(spec.shape, spec.strides, spec.offset)
            if isinstance(item, torch.Tensor):
                return item.to("meta") if item.dim() else item.detach()
            if isinstance(item, torch.device):
                return torch.device("meta")
            if isinstance(item, list | tuple):
                return type(item)(meta(i) for i in item) if not isinstance(item, torch.Size) else item
            return item

        try:
            made = self.op(*[meta(a) for a in args], **{k: meta(v) for k, v in kwargs.items() if k != "generator"})
        except Exception as error:  # the CPU's kernel says what is wrong, or does it
            raise NeedsHost from error
        results = made if isinstance(made, list | tuple) else (made,)
        specs = []
        for r in results:
            if r is None:
                specs.append(None)
            elif not isinstance(r, torch.Tensor) or r.layout != torch.strided:
                raise NeedsHost
            elif self.is_view:
                specs.append(spec_of(tuple(r.shape), r.dtype, tuple(r.stride()), r.storage_offset()))
            else:
                specs.append(spec_of(tuple(r.shape), r.dtype))
        return tuple(specs)

    def __call__(self, args: tuple, kwargs: dict) -> Any:
        if self.outs:
            return self.call_out(args, kwargs)
        if not self.known and not self.is_view:
            return self.call_unknown(args, kwargs)
        if self.written and not self.in_place and self.short not in _WRITES_KNOWN:
            return self.call_host(args, kwargs, "writes to its arguments")
        try:
            if self.is_view:
                return self.call_view(args, kwargs)
            if self.in_place:
                return self.call_in_place(args, kwargs)
            return self.call_plain(args, kwargs)
        except NeedsHost as reason:
            return self.call_host(args, kwargs, str(reason.__cause__ or reason) or "no lowering")

    def call_plain(self, args: tuple, kwargs: dict) -> Any:
        refs, key = self.encode(args, kwargs)
        key = tuple(key)
        specs = self.infer(key, args, kwargs)
        if key in pending.refused:
            raise NeedsHost(pending.refused[key])
        graph = pending.graph
        if self.random:
            graph.random = True
        ref = graph.add(self.op, tuple(refs), specs, key, find_line())
        for i in self.written:  # running statistics
            if i < len(refs) and isinstance(refs[i], int):
                graph.written.add(args[i]._lazy.root.ref if i < len(args) else refs[i])
        made: list = []
        for spec in specs:
            if spec is None:
                made.append(None)
                continue
            value = Value(spec)
            graph.adopt(value, ref)
            ref += 1
            made.append(wrap(value))
        limit()
        if not self.several:
            return made[0] if made else None
        return made if self.as_list else tuple(made)

    def call_in_place(self, args: tuple, kwargs: dict) -> Any:
        target = args[0] if args else kwargs[self.signature[0][0]]
        if not isinstance(target, LazyTensor):
            raise NeedsHost("writes to a tensor on the CPU")
        value = target._lazy
        step = value
        while step.parent is not None:
            if handler_of(step.step[0]).loose:
                raise NeedsHost("writes through a view of complex numbers")
            step = step.parent
        root = value.root
        if root.data is None and root.graph != pending.graph.number and pending.in_optimizer:
            pending.host(root)  # the state of an optimizer: a program of the first step is that of every step
        refs, key = self.encode(args, kwargs)
        key = tuple(key)
        specs = self.infer(key, args, kwargs)
        if specs[0] is None or specs[0].shape != value.spec.shape:
            raise NeedsHost("changes the tensor's shape")
        if key in pending.refused:
            raise NeedsHost(pending.refused[key])
        graph = pending.graph
        if self.random:
            graph.random = True
        graph.add(self.op, tuple(refs), (value.spec,), key, find_line())
        graph.written.add(root.ref)
        limit()
        return target

    def call_view(self, args: tuple, kwargs: dict) -> Any:
        target = args[0]
        if not isinstance(target, LazyTensor):
            raise NeedsHost
        value = target._lazy
        key = (self.op, value.spec, _frozen(args[1:]), _frozen(tuple(kwargs.items())))
        specs = self.infer(key, args, kwargs)
        op, parent, rest, named = self.op, value, args[1:], kwargs
        if op is aten.as_strided.default and value.parent is not None:
            # Strides are those of the memory, so the view is one of the root.
            if value.root.spec.dtype != value.spec.dtype:
                raise NeedsHost
            parent = value.root
            if (rest[2] if len(rest) > 2 else named.get("storage_offset")) is None:
                rest, named = (rest[0], rest[1], value.spec.offset), {}
        made: list = []
        for i, spec in enumerate(specs):
            if not self.known:
                if spec.dtype != value.root.spec.dtype:
                    raise NeedsHost
                made.append(wrap(_strided(value.root, spec)))
            else:
                made.append(wrap(Value.view(parent, spec, (op, rest, named, i))))
        if not self.several:
            return made[0]
        return made if self.as_list else tuple(made)

    def record_step(self, graph: Any, parent: int, value: Value, args: tuple, kwargs: dict, index: int) -> int:
        """Records the op that makes a view of its parent; all of its results where it has several."""
        flat: list = [parent, *args]
        for name, item in kwargs.items():
            i = self.index[name]
            while len(flat) <= i:
                flat.append(MISSING)
            flat[i] = item
        encoded = []
        for i, item in enumerate(flat):
            if i in self.ignored:
                item = MISSING
            elif isinstance(item, list):
                item = tuple(item)
            elif i and self.kinds[i] in "ST" and item is not None and item is not MISSING:
                item = constant(item)
            encoded.append(item)
        assert value.parent is not None
        key = (self.op, value.parent.spec, _frozen(args), _frozen(tuple(kwargs.items())))
        specs = _meta.get(key) or (value.spec,)
        return graph.add(self.op, tuple(encoded), specs, None, find_line()) + index

    # ---- not recorded ----

    def call_unknown(self, args: tuple, kwargs: dict) -> Any:
        if self.in_place and self.decomposition is None:
            if self.functional is MISSING:
                self.functional = _functional(self.op)
            if self.functional is not None:
                result = self.functional(*args, **kwargs)
                if result.shape == args[0].shape:
                    return aten.copy_.default(args[0], result)
        if self.decomposition is not None:
            try:
                return self.decomposition(*args, **kwargs)
            except (NotImplementedError, NeedsHost):
                return self.call_host(args, kwargs, "no lowering")
        return self.call_host(args, kwargs, "no lowering")

    def call_out(self, args: tuple, kwargs: dict) -> Any:
        """The op without out=, then a copy."""
        if self.functional is MISSING:
            self.functional = _functional(self.op)
        if self.functional is None:
            return self.call_host(args, kwargs, "no form without out=")
        names = [self.signature[i][0] for i in self.outs]
        outs = [kwargs[n] if n in kwargs else args[self.index[n]] for n in names]
        rest = {k: v for k, v in kwargs.items() if k not in names}
        made = self.functional(*args[: self.positional], **rest)
        results = made if isinstance(made, list | tuple) else (made,)
        for out, result in zip(outs, results, strict=True):
            give(out, result)
        return outs[0] if len(outs) == 1 else tuple(outs)

    def call_host(self, args: tuple, kwargs: dict, why: str) -> Any:
        """Runs on the CPU, and is counted."""
        line = find_line()
        copied: dict[int, tuple[LazyTensor, torch.Tensor]] = {}

        def bring(item: Any, written: bool = False) -> Any:
            if isinstance(item, LazyTensor):
                if written:
                    root = item._lazy.root
                    pending.materialize(root)
                    if id(root) not in copied:
                        root.data = root.data.clone()  # programs and other values may look into it
                        copied[id(root)] = (item, root.data)
                return pending.materialize(item._lazy)
            if isinstance(item, torch.device):
                return torch.device("cpu") if item.type == "tenfold" else item
            if isinstance(item, list | tuple) and not isinstance(item, torch.Size):
                return type(item)(bring(i, written) for i in item)
            return item

        names = [n for n, _ in self.signature]
        on_host = [bring(a, i in self.written) for i, a in enumerate(args)]
        named = {k: bring(v, names.index(k) in self.written) for k, v in kwargs.items()}
        to_device = any(isinstance(v, torch.device) and v.type == "tenfold" for v in (*args, *kwargs.values()))
        to_host = any(isinstance(v, torch.device) and v.type == "cpu" for v in (*args, *kwargs.values()))
        made = self.op(*on_host, **named)
        pending.stats.fallbacks[self.name] += 1
        pending.stats.fallback_lines[pending.line_text(line)] += 1
        originals = {id(h): a for h, a in zip(on_host, args, strict=True) if isinstance(a, LazyTensor)}
        originals |= {id(h): kwargs[k] for k, h in named.items() if isinstance(kwargs[k], LazyTensor)}
        for i in self.written:
            pairs = [(args[i], on_host[i])] if i < len(args) else []
            if not pairs and names[i] in kwargs:
                pairs = [(kwargs[names[i]], named[names[i]])]
            for tensor, memory in pairs:
                if isinstance(tensor, LazyTensor) and tensor._lazy.spec.shape != tuple(memory.shape):
                    reshape_in_place(tensor, Value.concrete(memory.clone(memory_format=torch.contiguous_format)))
        del to_device
        if to_host:
            return made

        def back(item: Any) -> Any:
            if isinstance(item, torch.Tensor):
                if id(item) in originals:
                    return originals[id(item)]
                if item.layout != torch.strided or item.is_quantized:
                    return item
                item = item.resolve_conj().resolve_neg()
                return wrap(Value.concrete(item.clone(memory_format=torch.contiguous_format)))
            if isinstance(item, list | tuple):
                return type(item)(back(i) for i in item)
            return item

        return back(made)


_PROMOTABLE = {"add", "sub", "rsub", "mul", "div", "addcmul", "addcdiv", "lerp"}
_TAKES_HOST = {"copy_", "copy", "index", "index_put", "index_put_", "_index_put_impl_", "_unsafe_index", "_copy_from"}
_WRITES_KNOWN = {"native_batch_norm", "_native_batch_norm_legit", "_batch_norm_with_update", "batch_norm_with_update"}


def limit() -> None:
    if len(pending.graph.nodes) > pending.NODES_MAX:
        pending.flush()


def _frozen(item: Any) -> Any:
    if isinstance(item, list | tuple):
        return tuple(_frozen(i) for i in item)
    return constant(item) if isinstance(item, bool | float) else item


def _extent(spec: Spec) -> int:
    if spec.numel == 0:
        return spec.offset
    return spec.offset + 1 + sum((n - 1) * s for n, s in zip(spec.shape, spec.strides, strict=True))


def _strided(root: Value, spec: Spec) -> Value:
    """A view of a root by sizes and strides alone."""
    step = (aten.as_strided.default, (spec.shape, spec.strides, spec.offset), {}, 0)
    _meta.setdefault((step[0], root.spec, _frozen(step[1]), ()), (spec,))
    return Value.view(root, spec, step)


def reshape_in_place(tensor: LazyTensor, value: Value) -> None:
    """The tensor stands for another value, of another shape, from now on."""
    with torch._C._DisableTorchDispatch():
        torch.Tensor.data.__set__(tensor, wrap(value))
    tensor._lazy = value


def give(out: Any, result: torch.Tensor) -> None:
    """Writes a result to where out= says."""
    if not isinstance(out, LazyTensor):
        if out.shape != result.shape:
            out.resize_(result.shape)
        out.copy_(result)
        return
    if out.shape != result.shape:
        reshape_in_place(out, Value.filled(spec_of(tuple(result.shape), out.dtype), 0))
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


def _decomposition(op: Any) -> Any:
    """PyTorch's own way to make an op of others; None where there is none."""
    table = torch._decomp.decomposition_table
    found = table.get(op)
    if found is not None:
        return found
    try:
        if op._can_decompose():
            return op.decompose
    except Exception:  # an op that cannot even be asked
        return None
    return None
