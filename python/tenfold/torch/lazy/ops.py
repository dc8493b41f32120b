"""ATen ops on the lazy device: each is recorded, taken apart into ops that can be, or run on the CPU and counted."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import torch

from tenfold import _core
from tenfold.torch import custom
from tenfold.torch.fx import op_name
from tenfold.torch.lazy import layouts, pending
from tenfold.torch.lazy.pending import MISSING, constant, find_line
from tenfold.torch.lazy.values import Spec, Step, Value, check_memory, row_major, spec_of, spec_of_memory

aten = torch.ops.aten
_MAIN = threading.main_thread()
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


def check_index(device: Any) -> None:
    """There is one device of this kind."""
    if device is not None and device.type == "tenfold" and device.index:
        raise RuntimeError(f"unknown device '{device}'; use 'tenfold' or 'tenfold:0', there is one")


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
        return handler(args, kwargs)


def handler_of(op: Any) -> Handler:
    """What to do with an op; kept on it, as hashing one costs more than the rest of a lookup."""
    found = getattr(op, "_tenfold", None)
    if found is None:
        found = op._tenfold = Handler(op)
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
        self.special = specials.get(op)
        self.steps: dict[Any, Step] = {}
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
        # reshape, contiguous and the like: a view or a copy, as its parts say. They come whole in inference mode.
        self.apart = bool(viewing) and torch._C._dispatch_has_kernel_for_dispatch_key(
            op.name(), "CompositeImplicitAutograd"
        )
        self.in_place = bool(written) and written == [0] and not self.outs
        self.loose = self.short in _LOOSE
        self.random = any(w in self.short for w in _RANDOM) and not any(w in self.short for w in _NOT_RANDOM)
        self.custom = custom.find(self.name)
        self.known = self.custom is not None or _core.knows(self.name)
        self.asks = layouts.way(self.short, self.name)
        self.sized_by_data = torch.Tag.dynamic_output_shape in op.tags or self.short in _SHAPE_OF_DATA
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

    def flat(self, args: tuple, kwargs: dict) -> tuple:
        """Arguments in the schema's order."""
        if not kwargs:
            return args
        flat = list(args)
        for name, value in kwargs.items():
            i = self.index[name]
            while len(flat) <= i:
                flat.append(MISSING)
            flat[i] = value
        return tuple(flat)

    def encode(self, args: tuple) -> tuple:
        """Arguments as they stand in a node."""
        graph = pending.graph
        number = graph.number
        refs: list = []
        for i, (kind, arg) in enumerate(zip(self.kinds, args, strict=False)):
            if kind == "T":
                if type(arg) is LazyTensor:
                    value = arg._lazy
                    refs.append(value.ref if value.graph == number else graph.ref(value))
                    continue
                if isinstance(arg, torch.Tensor):
                    refs.append(self.take_host(arg))
                    continue
                kind = "S"
            if arg is None or arg is MISSING:
                refs.append(arg)
            elif kind == "S":
                if isinstance(arg, torch.SymInt | torch.SymFloat | torch.SymBool):
                    raise NeedsHost
                refs.append(graph.add_scalar(arg) if type(arg) is float and self.promoted(i, arg) else constant(arg))
            elif kind == "L":
                refs.append(
                    tuple(
                        [
                            None
                            if item is None
                            else graph.ref(item._lazy)
                            if type(item) is LazyTensor
                            else self.take_host(item)
                            for item in arg
                        ]
                    )
                )
            elif i in self.ignored:
                if self.signature[i][0] == "generator":
                    raise NeedsHost
                refs.append(MISSING)
            else:
                refs.append(tuple(arg) if isinstance(arg, list | tuple) else arg)
        while refs and refs[-1] is MISSING:
            refs.pop()
        return tuple(refs)

    def key(self, args: tuple, refs: tuple) -> tuple:
        """What decides about the results' types: the arguments, with a type for each tensor."""
        specs = pending.graph.specs
        key: list = [self]
        for kind, ref in zip(self.kinds, refs, strict=False):
            if kind == "T" and type(ref) is int:
                key.append(specs[ref])
            elif kind == "L" and ref is not None and ref is not MISSING:
                key.append(tuple([specs[r] if type(r) is int else r for r in ref]))
            elif kind in "TS" and type(ref) is tuple and ref[0] == "s":
                key.append(float)
            else:
                key.append(ref)
        return tuple(key)

    def promoted(self, argument: int, number: float) -> bool:
        """Whether a number is an input of the program."""
        if not self.may_promote or number != number:
            return False
        return self.promotes or pending.in_optimizer or (bool(pending.changing) and self.changes(argument))

    def changes(self, argument: int) -> bool:
        """Whether this number was seen to change at the user's line at hand."""
        return (self, argument, find_line()) in pending.changing

    def take_host(self, tensor: Any) -> int:
        """A CPU tensor among the arguments: its value now is an input."""
        if isinstance(tensor, LazyTensor):
            return pending.graph.ref(tensor._lazy)
        if not isinstance(tensor, torch.Tensor) or tensor.device.type != "cpu" or tensor.layout != torch.strided:
            raise NeedsHost
        if tensor.dim() and not pending.mixed and self.short not in _TAKES_HOST:
            raise RuntimeError(
                f"Expected all tensors to be on the same device, but found at least two devices, tenfold:0 and cpu! "
                f"(in {self.name})"
            )
        data = tensor.detach().resolve_conj().resolve_neg().clone(memory_format=torch.contiguous_format)
        return pending.graph.add_input(data, spec_of(tuple(data.shape), data.dtype), None)

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
        moved = False  # numbers that are tensors on the CPU are on the device, too

        def stand_in(item: Any, device: str) -> Any:
            if isinstance(item, LazyTensor):
                spec = item._lazy.spec
                base = torch.zeros(_extent(spec), dtype=spec.dtype, device=device)
                return base.as_strided(spec.shape, spec.strides, spec.offset)
            if isinstance(item, torch.Tensor):
                return item.to(device) if item.dim() or moved else item.detach()
            if isinstance(item, torch.device):
                return torch.device(device)
            if isinstance(item, list | tuple):
                return type(item)(stand_in(i, device) for i in item) if not isinstance(item, torch.Size) else item
            return item

        def run(device: str) -> Any:
            named = {k: stand_in(v, device) for k, v in kwargs.items() if k != "generator"}
            return self.op(*[stand_in(a, device) for a in args], **named)

        try:
            try:
                made = run("meta")
            except NotImplementedError:
                # No kernel that only tells shapes: the real one tells them, of zeros.
                if not self.known or self.sized_by_data:
                    raise
                made = run("cpu")
            except RuntimeError:  # some kernels that only tell shapes want all of them in one place
                moved = True
                made = run("meta")
            if self.asks is not None and (self.asks[1] or _is_strided(args)):
                made = layouts.ask(self.asks[0], run)
        except Exception as error:  # the CPU's kernel says what is wrong, or does it
            if self.op is aten.histc.default and not args[0].is_floating_point():  # other devices count integers, too
                return (
                    spec_of((self.flat(args, kwargs)[1] if len(args) > 1 or "bins" in kwargs else 100,), args[0].dtype),
                )
            if self.custom is not None:
                return self.infer_custom(args, kwargs)
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
                specs.append(check_memory(spec_of_memory(tuple(r.shape), r.dtype, tuple(r.stride()))))
        if self.short in ("native_batch_norm", "_native_batch_norm_legit") and len(args) > 5 and args[5] is False:
            specs[1:] = [spec_of((0,), s.dtype) for s in specs[1:]]  # running statistics were used: none of the batch
        return tuple(specs)

    def infer_custom(self, args: tuple, kwargs: dict) -> tuple:
        """Of an op without a fake kernel: what its lowering makes."""

        def give(item: Any) -> Any:
            if isinstance(item, torch.Tensor):
                return custom.Operand(item.shape, item.dtype)
            return [give(i) for i in item] if isinstance(item, list | tuple) else item

        _, made = custom.build(self.custom, [give(a) for a in args], {k: give(v) for k, v in kwargs.items()})
        names = {text: name for name, text in custom._TYPES.items()}
        return tuple([spec_of(value.shape, getattr(torch, names[value.dtype])) for value in made])

    def __call__(self, args: tuple, kwargs: dict) -> Any:
        if self.outs:
            return self.call_out(args, kwargs)
        if self.apart:
            return self.op.decompose(*args, **kwargs)
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

    def record(self, args: tuple, kwargs: dict, target: Value | None = None) -> tuple[int, tuple]:
        """Puts the op into the graph: the number of its first result, and the results' types."""
        graph = pending.graph
        refs = self.encode(self.flat(args, kwargs) if kwargs else args)
        node = (self, refs)
        specs = graph.follow(node)
        if specs is not None:
            if pending.fell_back_in_backward and torch.is_grad_enabled():
                line = graph.guide.lines[len(graph.nodes)]
                if line is not None:
                    pending.remember_line(line)
            ref = graph.add(node, specs, None, None)
        else:
            key = self.key(args, refs)
            if target is None:
                specs = self.infer(key, args, kwargs)
            else:
                made = self.infer(key, args, kwargs)
                if made[0] is None or made[0].shape != target.spec.shape:
                    raise NeedsHost("changes the tensor's shape")
                specs = (target.spec,)
            if key in pending.refused:
                raise NeedsHost(pending.refused[key])
            ref = graph.add(node, specs, key, find_line())
        if self.random:
            graph.random = True
        if not graph.backward and threading.current_thread() is not _MAIN:
            graph.backward = torch._C._current_graph_task_id() >= 0
        return ref, specs

    def call_plain(self, args: tuple, kwargs: dict) -> Any:
        ref, specs = self.record(args, kwargs)
        graph = pending.graph
        for i in self.written:  # running statistics
            tensor = args[i] if i < len(args) else kwargs.get(self.signature[i][0])
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
        if not self.several:
            return made[0] if made else None
        return made if self.as_list else tuple(made)

    def call_in_place(self, args: tuple, kwargs: dict) -> Any:
        target = args[0] if args else kwargs[self.signature[0][0]]
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
        self.record(args, kwargs, value)
        pending.graph.written.add(root.ref)
        limit()
        return target

    def call_view(self, args: tuple, kwargs: dict) -> Any:
        target = args[0]
        if not isinstance(target, LazyTensor):
            raise NeedsHost
        value = target._lazy
        if self.op is aten.as_strided.default and value.parent is not None:
            # Strides are those of the memory, so the view is one of the root.
            if value.root.spec.dtype != value.spec.dtype:
                raise NeedsHost
            offset = args[3] if len(args) > 3 else kwargs.get("storage_offset")
            args, kwargs = (wrap(value.root), args[1], args[2], value.spec.offset if offset is None else offset), {}
            value = value.root
        key = (value.spec, _frozen(args[1:]), _frozen(tuple(kwargs.items())) if kwargs else None)
        step = self.steps.get(key)
        if step is None:
            step = self.make_step(args, kwargs)
            if self.op is aten.as_strided.default and step.specs[0].numel and _extent(step.specs[0]) > value.spec.numel:
                raise RuntimeError(
                    f"setStorage: sizes {list(args[1])}, strides {list(args[2])}, storage offset "
                    f"{step.specs[0].offset} are out of bounds for storage of {value.spec.numel} elements"
                )
            self.steps[key] = step
        if not self.known:  # by sizes and strides alone
            if any(spec.dtype != value.root.spec.dtype for spec in step.specs):
                raise NeedsHost
            made = [aten.as_strided.default(wrap(value.root), s.shape, s.strides, s.offset) for s in step.specs]
        else:
            made = [wrap(Value.view(value, step, i)) for i in range(len(step.specs))]
        if not self.several:
            return made[0]
        return made if self.as_list else tuple(made)

    def make_step(self, args: tuple, kwargs: dict) -> Step:
        encoded = []
        for i, item in enumerate(self.flat(args, kwargs)):
            if i in self.ignored:
                item = MISSING
            elif isinstance(item, list | tuple):
                item = tuple(item)
            elif i and self.kinds[i] in "ST" and item is not None and item is not MISSING:
                item = constant(item)
            encoded.append(item)
        return Step(self, args[1:], kwargs, tuple(encoded[1:]), self._infer(args, kwargs))

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
        if any(out.dtype != result.dtype for out, result in zip(outs, results, strict=True)):
            return self.call_host(args, kwargs, "out= of another type")  # some take that, some refuse it
        for out, result in zip(outs, results, strict=True):
            give(out, result)
        return outs[0] if len(outs) == 1 else tuple(outs)

    def call_host(self, args: tuple, kwargs: dict, why: str) -> Any:
        """Runs on the CPU, and is counted."""
        if torch._C._current_graph_task_id() >= 0:
            pending.fell_back_in_backward = True
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
                    reshape_in_place(tensor, Value.concrete(memory.clone()))
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
                return wrap(Value.concrete(item.clone()))
            if isinstance(item, list | tuple):
                return type(item)(back(i) for i in item)
            return item

        return back(made)


_PROMOTABLE = {"add", "sub", "rsub", "mul", "div", "addcmul", "addcdiv", "lerp"}
_TAKES_HOST = {"copy_", "copy", "index", "index_put", "index_put_", "_index_put_impl_", "_unsafe_index", "_copy_from"}
_TAKES_HOST |= {"_ctc_loss", "_ctc_loss_backward"}  # lengths
_SHAPE_OF_DATA = {"index", "_unsafe_index", "repeat_interleave", "one_hot", "nonzero_static", "masked_select"}
_SHAPE_OF_DATA |= {"nonzero", "nonzero_numpy", "_ctc_loss", "linalg_lstsq"}  # (its residuals: where the rank is full)
_WRITES_KNOWN = {"native_batch_norm", "_native_batch_norm_legit", "_batch_norm_with_update", "batch_norm_with_update"}


def limit() -> None:
    if len(pending.graph.nodes) > pending.NODES_MAX:
        pending.flush()


def _is_strided(args: tuple) -> bool:
    """Whether a tensor among the arguments has other strides than row-major ones."""
    return any(isinstance(a, LazyTensor) and a._lazy.spec.strides != row_major(a._lazy.spec.shape) for a in args)


def _frozen(item: Any) -> Any:
    return tuple([_frozen(i) if isinstance(i, list | tuple) else i for i in item])


def _extent(spec: Spec) -> int:
    if spec.numel == 0:
        return spec.offset
    return spec.offset + 1 + sum((n - 1) * s for n, s in zip(spec.shape, spec.strides, strict=True))


def reshape_in_place(tensor: LazyTensor, value: Value) -> None:
    """The tensor stands for another value, of another shape, from now on."""
    with torch._C._DisableTorchDispatch():
        torch.Tensor.data.__set__(tensor, wrap(value))
    tensor._lazy = value


def resize_within(tensor: LazyTensor, size: tuple[int, ...]) -> bool:
    """The tensor takes other elements of its memory from where it begins, as resize_ does; False: it ends before."""
    value, wanted = tensor._lazy, spec_of(size, tensor._lazy.spec.dtype)
    root = value.root
    if root.spec.dtype != wanted.dtype or value.spec.offset + wanted.numel > root.spec.numel:
        return False
    made = aten.as_strided.default(wrap(root), size, wanted.strides, value.spec.offset)
    reshape_in_place(tensor, made._lazy)
    return True


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
