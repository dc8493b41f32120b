"""Functions of each element."""

from __future__ import annotations

import builtins
import math
from typing import Any

from tenfold import _core
from tenfold.array import dtypes
from tenfold.array.object import Array

Number = builtins.bool | int | float | complex


def _floats(name: str, x: Array) -> Array:
    """Integers become floats, as NumPy has it."""
    if not isinstance(x, Array):
        raise TypeError(f"{name} takes an array, not {type(x).__name__}")
    return _core.cast(x, dtypes.DEFAULT_FLOAT) if dtypes.is_integer(x.dtype) or x.dtype is dtypes.bool else x


def _pair(name: str, x1: Any, x2: Any) -> tuple[Array, Array]:
    """Two operands as arrays of one type."""
    if not isinstance(x1, Array) and not isinstance(x2, Array):
        raise TypeError(f"{name} takes one array at least")
    dtype = dtypes.result_type(x1, x2)
    place = (x1 if isinstance(x1, Array) else x2).device
    return tuple(_core.cast(x, dtype) if isinstance(x, Array) else _core.from_list(place, x, dtype) for x in (x1, x2))


def _unary(name: str, op: str, what: str, floats: builtins.bool) -> Any:
    def function(x: Array, /) -> Array:
        return _core.unary(op, x, floats)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = what
    return function


def _binary(name: str, op: str, what: str) -> Any:
    def function(x1: Array | Number, x2: Array | Number, /) -> Array:
        return _core.binary(op, x1, x2)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = what
    return function


acos = _unary("acos", "acos", "The arc cosine.", True)
acosh = _unary("acosh", "acosh", "The area hyperbolic cosine.", True)
asin = _unary("asin", "asin", "The arc sine.", True)
asinh = _unary("asinh", "asinh", "The area hyperbolic sine.", True)
atan = _unary("atan", "atan", "The arc tangent.", True)
atanh = _unary("atanh", "atanh", "The area hyperbolic tangent.", True)
cos = _unary("cos", "cos", "The cosine.", True)
cosh = _unary("cosh", "cosh", "The hyperbolic cosine.", True)
log = _unary("log", "log", "The natural logarithm.", True)
log1p = _unary("log1p", "log1p", "log(1 + x), exact near 0.", True)
log2 = _unary("log2", "log2", "The logarithm to base 2.", True)
log10 = _unary("log10", "log10", "The logarithm to base 10.", True)
sin = _unary("sin", "sin", "The sine.", True)
sinh = _unary("sinh", "sinh", "The hyperbolic sine.", True)
sqrt = _unary("sqrt", "sqrt", "The square root.", True)
tan = _unary("tan", "tan", "The tangent.", True)
reciprocal = _unary("reciprocal", "reciprocal", "1 / x.", True)
abs = _unary("abs", "abs", "The absolute value.", False)
bitwise_invert = _unary("bitwise_invert", "bitwise_not", "Every bit inverted.", False)
logical_not = _unary("logical_not", "logical_not", "Whether an element is false.", False)
negative = _unary("negative", "neg", "-x.", False)
isnan = _unary("isnan", "isnan", "Whether an element is no number.", False)
isinf = _unary("isinf", "isinf", "Whether an element is infinite.", False)
isfinite = _unary("isfinite", "isfinite", "Whether an element is finite.", False)

add = _binary("add", "add", "x1 + x2.")
subtract = _binary("subtract", "sub", "x1 - x2.")
multiply = _binary("multiply", "mul", "x1 * x2.")
divide = _binary("divide", "div", "x1 / x2.")
floor_divide = _binary("floor_divide", "floor_divide", "x1 // x2.")
remainder = _binary("remainder", "remainder", "x1 % x2, with the sign of x2.")
pow = _binary("pow", "pow", "x1 ** x2.")
bitwise_and = _binary("bitwise_and", "bitwise_and", "x1 & x2.")
bitwise_or = _binary("bitwise_or", "bitwise_or", "x1 | x2.")
bitwise_xor = _binary("bitwise_xor", "bitwise_xor", "x1 ^ x2.")
bitwise_left_shift = _binary("bitwise_left_shift", "bitwise_left_shift", "x1 << x2.")
bitwise_right_shift = _binary("bitwise_right_shift", "bitwise_right_shift", "x1 >> x2.")
equal = _binary("equal", "eq", "x1 == x2.")
not_equal = _binary("not_equal", "ne", "x1 != x2.")
less = _binary("less", "lt", "x1 < x2.")
less_equal = _binary("less_equal", "le", "x1 <= x2.")
greater = _binary("greater", "gt", "x1 > x2.")
greater_equal = _binary("greater_equal", "ge", "x1 >= x2.")
maximum = _binary("maximum", "maximum", "The larger of two; NaN where one is.")
minimum = _binary("minimum", "minimum", "The smaller of two; NaN where one is.")
logical_and = _binary("logical_and", "logical_and", "Whether both are true.")
logical_or = _binary("logical_or", "logical_or", "Whether one is true.")
logical_xor = _binary("logical_xor", "logical_xor", "Whether exactly one is true.")
atan2 = _binary("atan2", "atan2", "The angle of the point (x2, x1).")
copysign = _binary("copysign", "copysign", "x1 with the sign of x2.")
hypot = _binary("hypot", "hypot", "The length of (x1, x2).")
logaddexp = _binary("logaddexp", "logaddexp", "log(exp(x1) + exp(x2)).")
nextafter = _binary("nextafter", "nextafter", "The number after x1 towards x2.")


def _select(condition: Array, x: Array, value: complex) -> Array:
    number = _core.from_list(x.device, value, x.dtype)
    return _core.op("where.self", None, 1, condition=condition, self=number, other=x)


def _exponential(name: str, x: Array, at_minus: complex) -> Array:
    """Of complex numbers: what the standard has where the real part is infinite and the other one has no sine."""
    result = _core.unary(name, x, True)
    if not _core.is_complex(x):
        return result
    wild = _core.op("logical_not", None, 1, self=isfinite(imag(x)))
    result = _select(wild & (real(x) == -math.inf), result, at_minus)
    return _select(wild & (real(x) == math.inf), result, complex(math.inf, math.nan))


def exp(x: Array, /) -> Array:
    """The exponential."""
    return _exponential("exp", x, 0j)


def expm1(x: Array, /) -> Array:
    """exp(x) - 1, exact near 0."""
    result = _exponential("expm1", x, -1 + 0j)
    if not _core.is_complex(x):
        return result
    return _select((x == 0) & logical_not(signbit(imag(x))), result, 0j)


def tanh(x: Array, /) -> Array:
    """The hyperbolic tangent."""
    result = _core.unary("tanh", x, True)
    if not _core.is_complex(x):
        return result
    return _select((real(x) == math.inf) & isfinite(imag(x)) & (imag(x) > 0), result, 1 + 0j)


def positive(x: Array, /) -> Array:
    """x itself."""
    return +x


def _rounded(name: str, x: Array) -> Array:
    if dtypes.is_integer(x.dtype) or x.dtype is dtypes.bool:
        return +x
    return _core.op(name, None, 1, self=x)


def ceil(x: Array, /) -> Array:
    """The least integer that is not less."""
    return _rounded("ceil", x)


def floor(x: Array, /) -> Array:
    """The largest integer that is not larger."""
    return _rounded("floor", x)


def trunc(x: Array, /) -> Array:
    """The integer part."""
    return _rounded("trunc", x)


def round(x: Array, /) -> Array:
    """The nearest integer; the even one of two."""
    if dtypes.is_complex(x.dtype):
        return _core.op("complex", None, 1, real=round(real(x)), imag=round(imag(x)))
    return _rounded("round", x)


def sign(x: Array, /) -> Array:
    """-1, 0 or 1; of complex numbers x / |x|."""
    if dtypes.is_complex(x.dtype):
        return _core.op("sgn", None, 1, self=x)
    result = _core.op("sign", None, 1, self=x)
    if not dtypes.is_float(x.dtype):
        return result
    return _core.op("where.self", None, 1, condition=(x == 0) | isnan(x), self=x + 0.0, other=result)


def signbit(x: Array, /) -> Array:
    """Whether the sign bit is set, of -0.0 too."""
    return _core.op("signbit", None, 1, self=x)


def square(x: Array, /) -> Array:
    """x * x."""
    return x * x


def real(x: Array, /) -> Array:
    """The real part."""
    return _core.op("real", None, 1, self=x) if dtypes.is_complex(x.dtype) else +x


def imag(x: Array, /) -> Array:
    """The imaginary part."""
    if not dtypes.is_complex(x.dtype):
        return _core.op("zeros_like", None, 1, self=x, dtype=x.dtype)
    return _core.op("imag", None, 1, self=x)


def conj(x: Array, /) -> Array:
    """The complex conjugate."""
    return _core.op("conj_physical", None, 1, self=x) if dtypes.is_complex(x.dtype) else +x


def clip(
    x: Array,
    /,
    min: Array | int | float | None = None,
    max: Array | int | float | None = None,
) -> Array:
    """Each element moved into a range. The result has the type of x."""
    result = x
    for bound, op in ((min, "maximum"), (max, "minimum")):
        if bound is None:
            continue
        if not isinstance(bound, Array):
            bound = _bound(x, bound)
            if bound is None:
                continue
        result = _core.binary(op, result, bound)
    result = +result if result is x else result
    return _core.cast(result, x.dtype)


def _bound(x: Array, bound: float) -> Array | None:
    """A number as a bound in the type of x; None: no element is beyond it."""
    if not dtypes.is_integer(x.dtype):
        return _core.from_list(x.device, bound, x.dtype)
    limits = dtypes.iinfo(x.dtype)
    if isinstance(bound, int):
        bound = builtins.min(builtins.max(bound, limits.min), limits.max)
        return _core.from_list(x.device, bound, x.dtype)
    return _core.from_list(x.device, bound, dtypes.DEFAULT_FLOAT)
