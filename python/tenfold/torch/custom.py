"""Lowerings of operators that other libraries define: a function that makes StableHLO of its arguments.

    @tenfold.lowering("mylib::scaled_tanh")
    def scaled_tanh(b, x, scale=1.0):
        return b.multiply(b.tanh(x), scale)

The function gets a builder, then the operator's arguments: tensors as Value, everything else as it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from tenfold import _core

_TYPES = {
    "float32": "f32",
    "float64": "f64",
    "float16": "f16",
    "bfloat16": "bf16",
    "int64": "i64",
    "int32": "i32",
    "int16": "i16",
    "int8": "i8",
    "uint8": "ui8",
    "bool": "i1",
    "complex64": "complex<f32>",
    "complex128": "complex<f64>",
}
registered: dict[str, Callable[..., Any]] = {}


def lowering(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers the function under it as the lowering of an operator, "mylib::op"."""

    def mark(function: Callable[..., Any]) -> Callable[..., Any]:
        registered[name.replace("::", ".")] = function
        return function

    return mark


def find(name: str) -> Callable[..., Any] | None:
    """The lowering of "mylib.op.default", or None."""
    return registered.get(name) or registered.get(name.rpartition(".")[0])


def register_kernel(name: str, address: int) -> None:
    """Makes a C function (tenfold/custom.h: ten_kernel), given by its address, what custom_call @name runs."""
    _core.register_kernel(name, address)


def type_text(shape: Sequence[int], dtype: str) -> str:
    return f"tensor<{''.join(f'{s}x' for s in shape)}{dtype}>"


class Value:
    """A tensor inside a lowering. Arithmetic operators mean StableHLO ops."""

    def __init__(self, builder: Builder, name: str, shape: Sequence[int], dtype: str) -> None:
        self.builder, self.name, self.shape, self.dtype = builder, name, tuple(shape), dtype

    @property
    def type(self) -> str:
        return type_text(self.shape, self.dtype)

    def __add__(self, other: Any) -> Value:
        return self.builder.add(self, other)

    def __sub__(self, other: Any) -> Value:
        return self.builder.subtract(self, other)

    def __mul__(self, other: Any) -> Value:
        return self.builder.multiply(self, other)

    def __truediv__(self, other: Any) -> Value:
        return self.builder.divide(self, other)

    def __radd__(self, other: Any) -> Value:
        return self.builder.add(other, self)

    def __rsub__(self, other: Any) -> Value:
        return self.builder.subtract(other, self)

    def __rmul__(self, other: Any) -> Value:
        return self.builder.multiply(other, self)

    def __rtruediv__(self, other: Any) -> Value:
        return self.builder.divide(other, self)

    def __neg__(self) -> Value:
        return self.builder.negate(self)

    def __matmul__(self, other: Value) -> Value:
        return self.builder.matmul(self, other)


_UNARY = (
    "abs ceil cosine exponential exponential_minus_one floor log log_plus_one logistic negate not round_nearest_even "
    "rsqrt sign sine sqrt cbrt tan tanh"
)
_BINARY = "add and atan2 divide maximum minimum multiply or power remainder subtract xor"


class Builder:
    """Writes one function. Ops that have no method here are made by `op`."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.count = 0

    def op(self, name: str, operands: Sequence[Value], shape: Sequence[int], dtype: str, attributes: str = "") -> Value:
        """Any op with one result, in MLIR's generic form: op("stablehlo.sine", [x], x.shape, x.dtype)."""
        result = Value(self, f"%{self.count}", shape, dtype)
        self.count += 1
        names, types = ", ".join(v.name for v in operands), ", ".join(v.type for v in operands)
        extra = f" <{{{attributes}}}>" if attributes else ""
        self.lines.append(f'{result.name} = "{name}"({names}){extra} : ({types}) -> {result.type}')
        return result

    def constant(self, number: complex, dtype: str = "f32", shape: Sequence[int] = ()) -> Value:
        """The same number all over."""
        if dtype == "i1":
            text = "true" if number else "false"
        elif dtype.startswith(("i", "ui")):
            text = str(int(number.real))
        elif dtype.startswith("complex"):
            whole = complex(number)
            text = f"({whole.real:e}, {whole.imag:e})"
        elif not math.isfinite(number.real):
            wide = {"f64": (11, 52), "f32": (8, 23), "f16": (5, 10), "bf16": (8, 7)}[dtype]
            bits = ((1 << wide[0]) - 1) << wide[1]
            bits |= (1 << (wide[1] - 1)) if math.isnan(number.real) else 0
            bits |= 1 << sum(wide) if number.real < 0 else 0
            text = f"0x{bits:0{(sum(wide) + 1) // 4}X}"
        else:
            text = f"{float(number.real):.17e}"
        kind = type_text(shape, dtype)
        return self.op("stablehlo.constant", [], shape, dtype, f"value = dense<{text}> : {kind}")

    def broadcast(self, x: Value, shape: Sequence[int], dims: Sequence[int] | None = None) -> Value:
        """To a larger shape; trailing dimensions line up unless `dims` says where each goes."""
        shape = tuple(shape)
        if x.shape == shape:
            return x
        dims = range(len(shape) - len(x.shape), len(shape)) if dims is None else dims
        listed = ", ".join(map(str, dims))
        return self.op(
            "stablehlo.broadcast_in_dim",
            [x],
            shape,
            x.dtype,
            f"broadcast_dimensions = array<i64{': ' * bool(listed)}{listed}>",
        )

    def _pair(self, a: Any, b: Any) -> tuple[Value, Value]:
        like = a if isinstance(a, Value) else b
        a = a if isinstance(a, Value) else self.constant(a, like.dtype)
        b = b if isinstance(b, Value) else self.constant(b, like.dtype)
        rank = max(len(a.shape), len(b.shape))
        padded = [(1,) * (rank - len(v.shape)) + v.shape for v in (a, b)]
        shape = tuple(n if m == 1 else m for m, n in zip(*padded, strict=True))
        return self.broadcast(a, shape), self.broadcast(b, shape)

    def compare(self, direction: str, a: Any, b: Any) -> Value:
        """direction: EQ, NE, LT, LE, GT or GE."""
        a, b = self._pair(a, b)
        text = f"comparison_direction = #stablehlo<comparison_direction {direction}>"
        return self.op("stablehlo.compare", [a, b], a.shape, "i1", text)

    def select(self, condition: Value, a: Any, b: Any) -> Value:
        a, b = self._pair(a, b)
        return self.op("stablehlo.select", [self.broadcast(condition, a.shape), a, b], a.shape, a.dtype)

    def convert(self, x: Value, dtype: str) -> Value:
        return x if x.dtype == dtype else self.op("stablehlo.convert", [x], x.shape, dtype)

    def reshape(self, x: Value, shape: Sequence[int]) -> Value:
        return x if x.shape == tuple(shape) else self.op("stablehlo.reshape", [x], shape, x.dtype)

    def transpose(self, x: Value, permutation: Sequence[int]) -> Value:
        shape = [x.shape[i] for i in permutation]
        listed = ", ".join(map(str, permutation))
        return self.op("stablehlo.transpose", [x], shape, x.dtype, f"permutation = array<i64: {listed}>")

    def slice(
        self, x: Value, start: Sequence[int], limit: Sequence[int], strides: Sequence[int] | None = None
    ) -> Value:
        strides = strides or [1] * len(x.shape)
        shape = [max(0, -(-(e - s) // t)) for s, e, t in zip(start, limit, strides, strict=True)]
        parts = (("start_indices", start), ("limit_indices", limit), ("strides", strides))
        text = ", ".join(f"{k} = array<i64: {', '.join(map(str, v))}>" for k, v in parts)
        return self.op("stablehlo.slice", [x], shape, x.dtype, text)

    def concatenate(self, values: Sequence[Value], dimension: int) -> Value:
        shape = list(values[0].shape)
        shape[dimension] = sum(v.shape[dimension] for v in values)
        return self.op("stablehlo.concatenate", values, shape, values[0].dtype, f"dimension = {dimension} : i64")

    def iota(self, shape: Sequence[int], dimension: int, dtype: str = "i64") -> Value:
        return self.op("stablehlo.iota", [], shape, dtype, f"iota_dimension = {dimension} : i64")

    def reduce(self, kind: str, x: Value, dims: Sequence[int]) -> Value:
        """kind: add, multiply, maximum or minimum."""
        floating = x.dtype in ("f16", "bf16", "f32", "f64")
        starts: dict[str, Any] = {"add": 0, "multiply": 1}
        if floating:
            starts |= {"maximum": -math.inf, "minimum": math.inf}
        else:
            bits = int(x.dtype.lstrip("ui"))
            signed = not x.dtype.startswith("u")
            starts |= {"maximum": -(1 << (bits - 1)) if signed else 0, "minimum": (1 << (bits - signed)) - 1}
        start = self.constant(starts[kind], x.dtype)
        dims = [d % len(x.shape) for d in dims]
        result = Value(self, f"%{self.count}", [s for i, s in enumerate(x.shape) if i not in dims], x.dtype)
        self.count += 1
        one = type_text((), x.dtype)
        listed = ", ".join(map(str, dims))
        self.lines.append(
            f"{result.name} = stablehlo.reduce({x.name} init: {start.name}) applies stablehlo.{kind} "
            f"across dimensions = [{listed}] : ({x.type}, {one}) -> {result.type}"
        )
        return result

    def matmul(self, a: Value, b: Value) -> Value:
        """[…, m, k] by […, k, n], equal dimensions in front."""
        batch = ", ".join(map(str, range(len(a.shape) - 2)))
        last = len(a.shape) - 1
        text = (
            f"dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [{batch}], rhs_batching_dimensions = "
            f"[{batch}], lhs_contracting_dimensions = [{last}], rhs_contracting_dimensions = [{last - 1}]>"
        )
        return self.op("stablehlo.dot_general", [a, b], (*a.shape[:-1], b.shape[-1]), a.dtype, text)

    def custom_call(self, name: str, operands: Sequence[Value], shape: Sequence[int], dtype: str) -> Value:
        """A kernel in C, registered under this name."""
        return self.op("stablehlo.custom_call", operands, shape, dtype, f'call_target_name = "{name}"')


def _unary(name: str) -> Callable[[Builder, Value], Value]:
    return lambda self, x: self.op(f"stablehlo.{name}", [x], x.shape, x.dtype)


def _binary(name: str) -> Callable[[Builder, Any, Any], Value]:
    def make(self: Builder, a: Any, b: Any) -> Value:
        a, b = self._pair(a, b)
        return self.op(f"stablehlo.{name}", [a, b], a.shape, a.dtype)

    return make


for _name in _UNARY.split():
    setattr(Builder, _name, _unary(_name))
for _name in _BINARY.split():
    setattr(Builder, _name, _binary(_name))


def build(function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[str, list[Value]]:
    """The lowering's StableHLO, and its results. Tensors among the arguments are (shape, dtype of torch) pairs."""
    builder = Builder()
    inputs: list[Value] = []

    def give(item: Any) -> Any:
        if isinstance(item, Operand):
            value = Value(builder, f"%arg{len(inputs)}", item.shape, _TYPES[str(item.dtype).removeprefix("torch.")])
            inputs.append(value)
            return value
        return [give(i) for i in item] if isinstance(item, list | tuple) else item

    made = function(builder, *[give(a) for a in args], **{k: give(v) for k, v in kwargs.items()})
    results = list(made) if isinstance(made, list | tuple) else [made]
    taken = ", ".join(f"{v.name}: {v.type}" for v in inputs)
    types = ", ".join(v.type for v in results)
    body = "\n  ".join([*builder.lines, f"func.return {', '.join(v.name for v in results)} : {types}"])
    return f"func.func @main({taken}) -> ({types}) {{\n  {body}\n}}", results


class Operand:
    """A tensor argument, as build() is told of it."""

    def __init__(self, shape: Sequence[int], dtype: Any) -> None:
        self.shape, self.dtype = tuple(shape), dtype
