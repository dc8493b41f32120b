"""Shorter ways through dynamo, taken while it traces for this backend and put back after.

A first call is mostly dynamo's tracing: some two million calls of Python functions for ResNet-50. What is here does the
same with fewer: settings read as attributes, classes not made anew for each value, a batch norm's shape without running
its decomposition. Each piece first looks whether the code it stands in for is what it knows, by the names that it uses
in their order, and is left out where a release of torch has it otherwise. Guards, graphs and errors are the same.
"""

from __future__ import annotations

import ctypes
import functools
import os
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from operator import is_not
from types import CodeType
from typing import Any

import torch
import torch._dynamo

from tenfold.forks import across_forks
from tenfold.torch.dynamo import memos

Swap = tuple[Any, str, Any]  # an object, the name of one of its attributes, what that is meanwhile
_MISSING = object()
_lock = across_forks(threading.Lock())
_tracing: list[int] = []  # threads; one that traces frames inside of each other several times
_keep_alive: list[tuple[Any, str, Any, Any]] = []


def uses(function: Any, *names: str) -> bool:
    """Whether the function's code has these names, in this order of first use."""
    code: CodeType = getattr(function, "__wrapped__", function).__code__
    rest = iter(code.co_names)
    return all(name in rest for name in names)


def _settings() -> Iterator[Swap]:
    """Dynamo reads its settings tens of thousands of times, each through a failing lookup and __getattr__. What has
    neither alias, environment variable nor deprecation is a property of the module's class meanwhile."""
    from torch.utils import _config_module as settings

    unset = settings._UNSET_SENTINEL
    read = settings.ConfigModule.__getattr__
    if not uses(read, "_config", "hide", "_warn_if_deprecated", "_get_alias_val", "env_value_force", "user_override"):
        return
    if not uses(read, "user_override", "get", "env_value_default", "justknob", "default", "deepcopy"):
        return

    def is_simple(entry: Any) -> bool:
        forced = entry.env_value_force is not unset or entry.env_value_default is not unset
        if forced or entry.alias is not None or entry.justknob is not None or entry.deprecated or entry.hide:
            return False
        return isinstance(entry.default, settings._IMMUTABLE_CONFIG_TYPES)

    def reader(get: Callable[[Any], Any], default: Any) -> property:
        return property(lambda _: get(default))

    for name in ("torch._dynamo.config", "torch._functorch.config", "torch.fx.experimental._config"):
        module: Any = sys.modules.get(name)
        if not isinstance(module, settings.ConfigModule):
            continue
        slow = type(module)

        def delete_setting(self: Any, name: str, slow: Any = slow) -> None:  # a setting that is gone reads as missing
            object.__setattr__(self, "__class__", slow)
            delattr(self, name)

        members: dict[str, Any] = {
            key: reader(entry.user_override.get, entry.default)
            for key, entry in module._config.items()
            if "." not in key and is_simple(entry)
        }
        members |= {"__module__": slow.__module__, "__qualname__": slow.__qualname__, "__delattr__": delete_setting}
        yield module, "__class__", type(slow.__name__, (slow,), members)


def _values() -> Iterator[Swap]:
    """Where there is no Triton, three classes are made for each value that is wrapped, to compare it with."""
    from torch._dynamo.variables.builder import VariableBuilder

    wrap = VariableBuilder._wrap
    known = ("has_triton", "_type_dispatch", "get", "_id_dispatch", "wrap_tensor", "record_function", "is_namedtuple")
    if not uses(wrap, *known, "Module", "wrap_module") or wrap.__code__.co_varnames[:2] != ("self", "value"):
        return

    def _wrap(self: Any, value: Any) -> Any:
        handler = self._type_dispatch().get(type(value))
        if handler is not None:
            return handler(self, value)
        if isinstance(value, torch.nn.Module) and id(value) not in self._id_dispatch():
            return self.wrap_module(value)
        return wrap(self, value)

    yield VariableBuilder, "_wrap", _wrap


class _Once:
    """functools.cached_property without its lock, which it lost in Python 3.12; tracing has one of its own."""

    def __init__(self, function: Callable[[Any], Any], name: str) -> None:
        self.function, self.name = function, name

    def __get__(self, owner: Any, kind: Any = None) -> Any:
        if owner is None:
            return self
        made = owner.__dict__[self.name] = self.function(owner)
        return made


def _names_of_sources() -> Iterator[Swap]:
    if sys.version_info >= (3, 12):
        return
    todo, seen = [torch._guards.Source], set()
    while todo:
        kind = todo.pop()
        if kind in seen:
            continue
        seen.add(kind)
        todo += kind.__subclasses__()
        for name, member in vars(kind).items():
            if type(member) is functools.cached_property:
                yield kind, name, _Once(member.func, name)


def _expressions() -> Iterator[Swap]:
    """Guards find their values by evaluating text: "tmp.weight" is compiled once."""
    source = torch._guards.ChainedSource
    if "eval" in vars(torch._guards) or not uses(source.get_value, "base", "get_value", "eval", "_name_template"):
        return
    parse = functools.lru_cache(maxsize=4096)(lambda text: compile(text, "<string>", "eval"))

    def evaluate(text: Any, *scopes: Any) -> Any:
        return eval(parse(text) if type(text) is str else text, *scopes)

    yield torch._guards, "eval", evaluate


def _normalized(mode: Any, x: Any, weight: Any, bias: Any, mean: Any, var: Any, *_: Any) -> Any:
    """What the decomposition of a batch norm with kept statistics gives for a dense tensor on the CPU: its like, and
    two empty tensors."""
    from torch._subclasses.fake_tensor import FakeTensor

    if mode.propagate_real_tensors or type(x) is not FakeTensor or x.dim() < 2 or mean is None or var is None:
        return None
    if any(type(size) is not int or size < 1 for size in x.shape) or x.layout is not torch.strided:
        return None
    if x.stride() != torch.empty(x.shape, device="meta").stride():
        kind = {4: torch.channels_last, 5: torch.channels_last_3d}.get(x.dim())
        if kind is None or 1 in x.shape[1:] or not x.is_contiguous(memory_format=kind):
            return None
    for tensor in (x, weight, bias, mean, var):
        if tensor is None:
            continue
        if not isinstance(tensor, FakeTensor) or tensor.dtype != torch.float32 or tensor.device.type != "cpu":
            return None
        if tensor is not x and tuple(tensor.shape) != (x.shape[1],):
            return None

    def make(shape: Any, stride: Any) -> Any:
        return FakeTensor(mode, torch.empty_strided(shape, stride, dtype=x.dtype, device="meta"), x.device)

    return make(x.shape, x.stride()), make((0,), (1,)), make((0,), (1,))


def _batch_norms() -> Iterator[Swap]:
    """Of each shape that occurs, dynamo runs a batch norm as a dozen ops on fake tensors."""
    from torch._decomp import decompositions
    from torch._subclasses.fake_tensor import FakeTensorMode

    op = torch.ops.aten._native_batch_norm_legit_no_training.default
    dispatch = FakeTensorMode._dispatch_impl
    helper = decompositions.native_batch_norm_helper
    if not uses(helper, "var_mean", "sqrt", "new_zeros", "_unsqueeze_to_dim", "flatten"):
        return
    if dispatch.__code__.co_varnames[:5] != ("self", "func", "types", "args", "kwargs"):
        return

    def _dispatch_impl(self: Any, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        if func is op and not kwargs and len(args) == 7:
            made = _normalized(self, *args)
            if made is not None:
                return made
        return dispatch(self, func, types, args, kwargs)

    yield FakeTensorMode, "_dispatch_impl", _dispatch_impl


def _stacks_of_nodes() -> Iterator[Swap]:
    """Each node of a graph has the lines it comes from as text; most lines are those of the node before."""
    write = traceback.StackSummary.format_frame_summary
    if write.__code__.co_varnames[:2] != ("self", "frame_summary"):
        return
    written: dict[Any, Any] = {}

    def format_frame_summary(self: Any, frame_summary: Any, *rest: Any, **named: Any) -> Any:
        if rest or named or frame_summary.locals or type(self) is not traceback.StackSummary:
            return write(self, frame_summary, *rest, **named)
        key = tuple([getattr(frame_summary, name, None) for name in _PLACE])
        text = written.get(key)
        if text is None:
            text = written[key] = write(self, frame_summary)
        return text

    yield traceback.StackSummary, "format_frame_summary", format_frame_summary


_PLACE = ("filename", "lineno", "name", "end_lineno", "colno", "end_colno", "_line", "_lines")


def _stacks_of_guards() -> Iterator[Swap]:
    """Each guard has the lines it comes from; dozens come from one."""
    context = torch._guards.TracingContext
    extract = context.extract_stack
    if not uses(extract, "try_get", "frame_summary_stack", "loc_in_frame", "_populate_loc_in_frame_summary"):
        return
    last: tuple[Any, ...] = ()

    def extract_stack() -> traceback.StackSummary:
        nonlocal last
        self = context.try_get()
        if self is None:
            return extract()
        frames = self.frame_summary_stack
        positions = getattr(self, "loc_in_frame_positions", None)  # since 2.12
        where = (frames, len(frames), frames[-1] if frames else None, self.loc_in_frame, positions)
        if len(last) != 6 or any(map(is_not, where, last)):
            last = (*where, extract())
        return traceback.StackSummary(last[5])

    yield context, "extract_stack", staticmethod(extract_stack)


# Ops without randomness, or results that depend on anything but types, sizes, strides, and numbers.
_VIEWS = ("view.default", "t.default", "transpose.int", "permute.default", "unsqueeze.default", "select.int")
_PURE = (
    *("convolution.default", "relu.default", "gelu.default", "silu.default", "tanh.default", "sigmoid.default"),
    *("add.Tensor", "sub.Tensor", "mul.Tensor", "div.Tensor", "addmm.default", "mm.default", "bmm.default"),
    *("_native_batch_norm_legit_no_training.default", "native_layer_norm.default", "max_pool2d_with_indices.default"),
    *("mean.dim", "embedding.default", "_softmax.default", "cat.default", "empty.memory_format"),
    *("clone.default", "_scaled_dot_product_flash_attention_for_cpu.default"),
)
_NUMBERS = (int, float, bool, type(None), torch.dtype, torch.device, torch.layout, torch.memory_format)


def _fake_key(args: Any) -> tuple[Any, ...] | None:
    """Arguments as far as results depend on them; None where there may be more to one."""
    from torch._subclasses.fake_tensor import FakeTensor

    parts: list[Any] = []
    for value in args:
        if type(value) is FakeTensor:
            sizes = (*value.shape, *value.stride(), value.storage_offset())
            if value.layout is not torch.strided or value.device.type != "cpu" or value.constant is not None:
                return None
            if value.is_conj() or value.is_neg() or any(type(size) is not int for size in sizes):
                return None
            parts.append((sizes, value.dtype, value.requires_grad))
        elif type(value) is list or type(value) is tuple:
            inner = _fake_key(value)
            if inner is None:
                return None
            parts.append(inner)
        elif isinstance(value, _NUMBERS) and not isinstance(value, torch.SymInt):
            parts.append((type(value), value))
        else:
            return None
    return tuple(parts)


def _fake_results() -> Iterator[Swap]:
    """The same op on tensors of the same sizes gives tensors of the same sizes: dynamo's own cache of that has keys of
    a hundred parts, this one of a dozen, and holds for one compilation."""
    from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode, in_kernel_invocation_manager

    dispatch = FakeTensorMode._cached_dispatch_impl
    if dispatch.__code__.co_varnames[:5] != ("self", "func", "types", "args", "kwargs"):
        return
    if not uses(FakeTensorMode._get_output_tensor_from_cache_entry, "in_kernel_invocation_manager", "set_"):
        return

    def ops(names: Sequence[str]) -> set[Any]:
        return {getattr(getattr(torch.ops.aten, name), kind) for name, kind in (op.split(".") for op in names)}

    views = ops(_VIEWS)
    pure = ops(_PURE) | views
    known: dict[Any, Any] = {}

    def outline(value: Any, args: Any, view: bool) -> Any:
        """Sizes, strides and type of a tensor of its own, or of a view of the first argument; None: it is neither."""
        if type(value) is not FakeTensor or any(value is x for x in args):
            return None
        if not view and (value.storage_offset() != 0 or value._is_view()):
            return None
        key = _fake_key([value])
        return key and key[0]

    def make(self: Any, kind: Any, base: Any) -> Any:
        numbers, dtype, requires_grad = kind
        rank = len(numbers) // 2
        sizes, strides, offset = numbers[:rank], numbers[rank:-1], numbers[-1]
        with in_kernel_invocation_manager(self):
            made = torch.empty_strided(sizes, strides, dtype=dtype, device="meta", requires_grad=requires_grad)
            if base is not None:
                made.set_(base.untyped_storage(), offset, sizes, strides)
        return FakeTensor(self, made, torch.device("cpu"))

    def _cached_dispatch_impl(self: Any, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        key = None
        if func in pure and not self.propagate_real_tensors and not self.cache_crosscheck_enabled:
            key = _fake_key([*args, *kwargs.values()] if kwargs else args)
        if key is None:
            return dispatch(self, func, types, args, kwargs)
        state = (torch.is_inference_mode_enabled(), torch.get_default_dtype(), torch._C._get_default_device())
        key = (self, func, *state, *kwargs, key)
        view = func in views
        found = known.get(key)
        if found is not None:
            several, kinds = found
            made = [make(self, kind, args[0] if view else None) for kind in kinds]
            return tuple(made) if several else made[0]
        result = dispatch(self, func, types, args, kwargs)
        several = type(result) is tuple
        kinds = [outline(value, args, view) for value in (result if several else (result,))]
        if all(kind is not None for kind in kinds) and not (view and several):
            known[key] = several, kinds
        return result

    yield FakeTensorMode, "_cached_dispatch_impl", _cached_dispatch_impl


def _is_plain(t: Any) -> bool:
    """A tensor or parameter with nothing about it but type, sizes, strides, and whether it wants gradients."""
    if (type(t) is not torch.Tensor and type(t) is not torch.nn.Parameter) or t.layout is not torch.strided:
        return False
    if t.device.type != "cpu" or t.is_quantized or t.is_nested or t.is_mkldnn or t._is_view() or not t.is_leaf:
        return False
    if t.is_inference() or t.is_conj() or t.is_neg() or t.grad is not None or torch._is_functional_tensor(t):
        return False
    return t.storage_offset() == 0 and t.dim() > 0 and not torch._C._functorch.is_functorch_wrapped_tensor(t)


# Over 60 lines: two functions over modules of PyTorch that are imported when it is called.
def _fake_weights() -> Iterator[Swap]:
    """Weights become fake tensors by a description of whatever a tensor could be, and a symbol for each size that is
    then found to be a number."""
    from torch._logging import _internal as logs
    from torch._subclasses.meta_utils import MetaConverter
    from torch.fx.experimental.symbolic_shapes import DimDynamic, StatefulSymbolicContext
    from torch.nested._internal.nested_tensor import _tensor_symint_registry as nested

    convert = MetaConverter.__call__
    if not uses(convert, "describer", "describe_tensor", "ExitStack", "suspend_functionalization", "meta_tensor"):
        return
    described = MetaConverter.meta_tensor
    if not uses(described, "arg_cnt", "get_tensor_memo", "safe_is_leaf", "is_view", "set_storage_memo", "_is_param"):
        return
    included, functionalize = torch._C._dispatch_tls_is_dispatch_key_included, torch._C.DispatchKey.Functionalize

    def is_static(context: Any) -> bool:
        if type(context) is not StatefulSymbolicContext or context.view_base_context is not None:
            return False
        if any(d is not DimDynamic.STATIC for d in context.dynamic_sizes) or any(context.constraint_sizes):
            return False
        if any(context.specialize_on or ()) or getattr(context, "excluded_sizes", None):  # since 2.12
            return False
        inferred = all(d is DimDynamic.INFER_STRIDE for d in context.dynamic_strides)
        return inferred and not any(context.constraint_strides)

    def __call__(
        self: Any,
        t: Any,
        shape_env: Any = None,
        *,
        callback: Any = None,
        source: Any = None,
        symbolic_context: Any = None,
        trace: bool = True,
    ) -> Any:
        if (
            callback is not None
            and source is not None
            and _is_plain(t)
            and is_static(symbolic_context)
            and not (self.copy_data or logs.trace_log.handlers or included(functionalize) or t in nested)
            and not (torch.is_inference_mode_enabled() or getattr(t, "_is_buffer", False))
            and torch._C._functorch.peek_interpreter_stack() is None
        ):
            number = self.describer.get_tensor_id(t)
            storage = t.untyped_storage()
            place = self.describer.get_storage_id(storage)
            if self.tensor_memo.get(number) is None and place not in self.storage_memo and storage.size() > 0:
                sizes, strides, kind = t.shape, t.stride(), t.dtype
                made = callback(lambda: torch.empty_strided(sizes, strides, dtype=kind, device="meta"), device=t.device)
                if t.requires_grad:
                    made.requires_grad = True
                self.hit += 1
                self.arg_cnt += 1
                self.storage_memo[place] = made.untyped_storage()
                if type(t) is torch.nn.Parameter:
                    made._is_param = True
                self.tensor_memo[number] = made
                return made
        return convert(
            self,
            t,
            shape_env,
            callback=callback,
            source=source,
            symbolic_context=symbolic_context,
            trace=trace,
        )

    yield MetaConverter, "__call__", __call__


class _Frames:
    """Dynamo's hook into frames is off for its own tracing, yet every call of a function goes through it, and none is
    made inside the interpreter's loop. It is taken out meanwhile, if no other thread could want it."""

    def __init__(self) -> None:
        api = ctypes.pythonapi
        self.get, self.set = api._PyInterpreterState_GetEvalFrameFunc, api._PyInterpreterState_SetEvalFrameFunc
        self.get.restype, self.get.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
        self.set.restype, self.set.argtypes = None, [ctypes.c_void_p, ctypes.c_void_p]
        current = ctypes.PYFUNCTYPE(ctypes.c_void_p)(("PyInterpreterState_Get", api))
        self.interpreter = current()
        self.plain = ctypes.cast(api._PyEval_EvalFrameDefault, ctypes.c_void_p).value
        self.was: int | None = None

    def off(self) -> None:
        was = self.get(self.interpreter)
        if was and was != self.plain and len(sys._current_frames()) == 1:
            self.was = was
            self.set(self.interpreter, self.plain)

    def on(self) -> None:
        if self.was is not None and self.get(self.interpreter) == self.plain:
            self.set(self.interpreter, self.was)
        self.was = None


@functools.cache
def _frames() -> _Frames | None:
    try:
        return _Frames()
    except (AttributeError, ValueError):  # another Python
        return None


PIECES = [
    *(_settings, _values, _names_of_sources, _expressions),
    *(_batch_norms, _fake_weights, _fake_results, _stacks_of_nodes, _stacks_of_guards),
    *memos.PIECES,
]


def _set(holder: Any, name: str, value: Any) -> None:
    (object.__setattr__ if name == "__class__" else setattr)(holder, name, value)


def _swap() -> None:
    for piece in PIECES:
        try:
            for holder, name, new in list(piece()):
                old = holder.__class__ if name == "__class__" else vars(holder).get(name, _MISSING)
                _set(holder, name, new)
                _keep_alive.append((holder, name, old, new))
        except (AttributeError, ImportError, TypeError):  # another release of torch
            continue


def _swap_back() -> None:
    for holder, name, old, new in reversed(_keep_alive):
        now = holder.__class__ if name == "__class__" else vars(holder).get(name, _MISSING)
        if now is not new:  # someone else's meanwhile
            continue
        if old is _MISSING:
            delattr(holder, name)
        else:
            _set(holder, name, old)
    _keep_alive.clear()


@contextmanager
def taken() -> Iterator[None]:
    """While dynamo traces; also for frames inside of each other, and from several threads."""
    frames = _frames()
    with _lock:
        _tracing.append(threading.get_ident())
        if len(_tracing) == 1:
            _swap()
            if frames:
                frames.off()
    try:
        yield
    finally:
        with _lock:
            _tracing.remove(threading.get_ident())
            if not _tracing:
                _give_back()


def _give_back() -> None:
    frames = _frames()
    if frames:
        frames.on()
    _swap_back()


def _leave_in_child() -> None:
    """Threads that traced when this process was forked are not in it: nobody else puts back what they swapped."""
    left = [thread for thread in _tracing if thread == threading.get_ident()]
    if _tracing and not left:
        _give_back()
    _tracing[:] = left


os.register_at_fork(after_in_child=_leave_in_child)
