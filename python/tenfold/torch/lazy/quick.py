"""Types of the results of common ops, without PyTorch's kernels that only tell shapes: those are Python, take up to
milliseconds each, and run for every new size. Here is what holds whatever the sizes are; what is not certain is left to
infer.py (tests/python/test_lazy_infer.py compares the two)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from tenfold.torch.lazy.tensor import LazyTensor, aten
from tenfold.torch.lazy.values import Spec, row_major, spec_of

_FLOATS = (torch.float32, torch.bfloat16, torch.float16, torch.float64)
_rules: dict[Any, Callable[..., Spec | None]] = {}
_orders: dict[Any, tuple[int, ...] | None] = {}  # of attention: how the result's dimensions lie in memory


def quick(op: Any, args: tuple, kwargs: dict) -> tuple[Spec] | None:
    """The type of the op's only result; None: it is not certain."""
    rule = _rules.get(op)
    found = rule(*args) if rule is not None and not kwargs else None
    return None if found is None else (found,)


def _plain(tensor: Any) -> Spec | None:
    """The type of a tensor of fractions that lies in the order of its dimensions and is not empty."""
    if type(tensor) is not LazyTensor:
        return None
    spec = tensor._lazy.spec
    if spec.dtype not in _FLOATS or not spec.numel or spec.strides != row_major(spec.shape):
        return None
    return spec


def _same(x: Any, *rest: Any) -> Spec | None:
    spec = _plain(x)
    return None if spec is None or len(rest) > 1 else spec_of(spec.shape, spec.dtype)


for _op in (aten.gelu, aten.relu, aten.silu, aten.tanh, aten.sigmoid, aten.exp, aten.sqrt, aten.rsqrt, aten.neg):
    _rules[_op.default] = _same
for _op in (aten.cos, aten.sin, aten.erf, aten.abs, aten.log):
    _rules[_op.default] = _same


def _with_number(x: Any, number: Any, *rest: Any) -> Spec | None:
    return _same(x) if not rest and type(number) in (int, float) else None


_rules[aten.pow.Tensor_Scalar] = _rules[aten.mul.Scalar] = _rules[aten.add.Scalar] = _with_number


def _pair(a: Any, b: Any, *rest: Any) -> Spec | None:
    """Element by element: of one shape, or the second one of its last dimensions."""
    if rest:
        return None
    if type(b) in (int, float):
        return _same(a)
    first, second = _plain(a), _plain(b)
    if first is None or second is None or first.dtype != second.dtype:
        return None
    many, few = first.shape, second.shape
    if not few or len(few) > len(many) or many[len(many) - len(few) :] != few:
        return None
    return spec_of(many, first.dtype)


_rules[aten.add.Tensor] = _rules[aten.sub.Tensor] = _rules[aten.mul.Tensor] = _rules[aten.div.Tensor] = _pair


def _linear(x: Any, weight: Any, bias: Any = None) -> Spec | None:
    given, matrix = _plain(x), _plain(weight)
    if given is None or matrix is None or len(given.shape) < 2 or len(matrix.shape) != 2:
        return None
    if given.shape[-1] != matrix.shape[1] or given.dtype != matrix.dtype:
        return None
    if bias is not None:
        added = _plain(bias)
        if added is None or added.shape != matrix.shape[:1] or added.dtype != given.dtype:
            return None
    return spec_of((*given.shape[:-1], matrix.shape[0]), given.dtype)


_rules[aten.linear.default] = _linear


def _layer_norm(x: Any, shape: Any, weight: Any = None, bias: Any = None, *rest: Any) -> Spec | None:
    given, inner = _plain(x), tuple(shape)
    if given is None or not inner or given.shape[-len(inner) :] != inner:
        return None
    for scale in (weight, bias):
        known = None if scale is None else _plain(scale)
        if scale is not None and (known is None or known.shape != inner or known.dtype != given.dtype):
            return None
    return spec_of(given.shape, given.dtype)


_rules[aten.layer_norm.default] = _layer_norm


# ---- attention: whether PyTorch would take its fused kernel decides how the result lies ------------------------------


def attention_key(args: tuple, kwargs: dict) -> tuple | None:
    """What the layout of attention's result depends on: not on batches and lengths themselves, but on whether they are
    0, 1 or equal, and on the order in which dimensions lie in memory."""
    seen: list[int] = []
    key: list[Any] = []
    for item in args[:4]:
        if item is None:
            key.append(None)
            continue
        if type(item) is not LazyTensor or len(item._lazy.spec.shape) != 4:
            return None
        spec = item._lazy.spec
        sizes: list[Any] = list(spec.shape)
        for d in (0, 2, *((3,) if len(key) == 3 else ())):
            if sizes[d] > 1:
                if sizes[d] not in seen:
                    seen.append(sizes[d])
                sizes[d] = ("size", seen.index(sizes[d]))
        zero = tuple([s == 0 for s in spec.strides])
        order = tuple(sorted(range(4), key=lambda d, s=spec.strides: (-s[d], d)))
        key.append((spec.dtype, tuple(sizes), zero, order, spec.strides[3]))
    return (*key, *args[4:], *sorted(kwargs.items()), torch.backends.cuda.flash_sdp_enabled())


def attention_spec(key: tuple | None, args: tuple) -> Spec | None:
    """As at other sizes."""
    order = _orders.get(key, 0) if key is not None else 0
    if order == 0:
        return None
    query, value = args[0]._lazy.spec, args[2]._lazy.spec
    shape = (*query.shape[:-1], value.shape[-1])
    if order is None:
        return spec_of(shape, query.dtype)
    strides, step = [0] * 4, 1
    for d in reversed(order):
        strides[d] = step
        step *= max(shape[d], 1)
    return spec_of(shape, query.dtype, tuple(strides))


def learn_attention(key: tuple | None, args: tuple, spec: Spec) -> None:
    """Remembers how a result lies, where that says how others do: no dimension is 1 or empty."""
    if key is None or min(spec.shape) < 2:
        return
    order = tuple(sorted(range(4), key=lambda d: -spec.strides[d]))
    _orders[key] = None if spec.order is None else order
    if attention_spec(key, args) is not spec:
        del _orders[key]
