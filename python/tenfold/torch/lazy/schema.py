"""What the lazy device needs to know of an ATen op, found out once from its schema."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from tenfold import _core
from tenfold.torch import custom
from tenfold.torch.fx import op_name
from tenfold.torch.lazy import layouts, recording
from tenfold.torch.lazy.recording import MISSING, recorder

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
specials: dict[Any, Callable[..., Any]] = {}
# Views that are copies for the library: made again after a write, and not written through.
_LOOSE = {"_conj", "view_as_real", "view_as_complex", "_neg_view", "real", "imag"}
# What writes to arguments that its schema does not mark.
_WRITES = {"native_batch_norm": (3, 4)}
_PROMOTABLE = {"add", "sub", "rsub", "mul", "div", "addcmul", "addcdiv", "lerp", "adam"}
_SHAPE_OF_DATA = {"index", "_unsafe_index", "repeat_interleave", "one_hot", "nonzero_static", "masked_select"}
_SHAPE_OF_DATA |= {"nonzero", "nonzero_numpy", "_ctc_loss", "linalg_lstsq"}  # (its residuals: where the rank is full)


def special(*ops: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Marks a function as what happens for these ops instead of recording."""

    def mark(function: Callable[..., Any]) -> Callable[..., Any]:
        for op in ops:
            specials[op] = function
        return function

    return mark


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
        self.steps: dict[Any, Any] = {}
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
        self.number = self.register()

    def register(self) -> int:
        """The op's number in the recorder."""
        ways = {True: "G", False: "I"}
        kinds = [ways[n == "generator"] if i in self.ignored else k for i, (n, k) in enumerate(self.signature)]
        flags = recording.RANDOM * self.random | recording.MAY_PROMOTE * self.may_promote
        flags |= recording.PROMOTES * self.promotes | recording.CUSTOM * (self.custom is not None)
        return recorder.op(self, self.name, tuple([n for n, _ in self.signature]), "".join(kinds), flags)


def handler_of(op: Any) -> Handler:
    """What to do with an op; kept on it, as hashing one costs more than the rest of a lookup."""
    found = getattr(op, "_tenfold", None)
    if found is None:
        found = op._tenfold = Handler(op)
        _leave_to_c(found)
    return found


def _leave_to_c(handler: Handler) -> None:
    """Ops that C handles (python/core/dispatch.c) as ops.call would: plain ones, and views that were made before."""
    if handler.special is not None or handler.outs or handler.apart or handler.written or not handler.known:
        return
    if handler.op is torch.ops.aten.as_strided.default:
        return
    steps = handler.steps if handler.is_view else None
    recorder.fast(handler.op, handler, handler.number, handler.index, steps, handler.several, handler.as_list)


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
