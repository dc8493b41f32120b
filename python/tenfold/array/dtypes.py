"""Element types, and what can be asked about them."""

from __future__ import annotations

import builtins
from typing import Any

from tenfold import _core
from tenfold._core import Array, DType

int8, int16, int32, int64 = _core.dtype_int8, _core.dtype_int16, _core.dtype_int32, _core.dtype_int64
uint8, uint16, uint32, uint64 = _core.dtype_uint8, _core.dtype_uint16, _core.dtype_uint32, _core.dtype_uint64
float16, bfloat16, float32, float64 = (
    _core.dtype_float16,
    _core.dtype_bfloat16,
    _core.dtype_float32,
    _core.dtype_float64,
)
complex64, complex128 = _core.dtype_complex64, _core.dtype_complex128
bool = _core.dtype_bool

STANDARD = (
    bool,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
    float32,
    float64,
    complex64,
    complex128,
)
ALL = (*STANDARD, float16, bfloat16)
_NAMED = {dtype.name: dtype for dtype in ALL}
_KINDS = {
    "integral": ("signed integer", "unsigned integer"),
    "numeric": ("signed integer", "unsigned integer", "real floating", "complex floating"),
}
# Types are compared by identity, which is several times faster than by the name of their kind.
_PYTHON = {builtins.bool: bool, int: int64, float: float64, complex: complex128}  # as NumPy has them
_FLOATS, _COMPLEX, _INTEGERS = (
    frozenset(dtype for dtype in ALL if dtype.kind in kinds)
    for kinds in (("real floating",), ("complex floating",), _KINDS["integral"])
)
DEFAULT_INT, DEFAULT_FLOAT, DEFAULT_COMPLEX = int64, float32, complex64


def named(name: str) -> DType:
    """The element type of that name."""
    return _NAMED[name]


def checked(dtype: Any) -> DType:
    """What was given as an element type."""
    if isinstance(dtype, type) and dtype in _PYTHON:
        return _PYTHON[dtype]
    if not isinstance(dtype, DType):
        raise TypeError(f"an element type is one of tenfold's, such as tenfold.float32, not {dtype!r}")
    return dtype


def is_float(dtype: DType) -> builtins.bool:
    return dtype in _FLOATS


def is_complex(dtype: DType) -> builtins.bool:
    return dtype in _COMPLEX


def is_integer(dtype: DType) -> builtins.bool:
    return dtype in _INTEGERS


def real_of(dtype: DType) -> DType:
    """The type of the parts of a complex type; any other is its own."""
    return {complex64: float32, complex128: float64}.get(dtype, dtype)


def complex_of(dtype: DType) -> DType:
    return {float64: complex128, complex128: complex128}.get(dtype, complex64)


def isdtype(dtype: DType, kind: DType | str | tuple[DType | str, ...]) -> builtins.bool:
    """Whether a type is of a kind: "bool", "signed integer", "unsigned integer", "integral", "real floating",
    "complex floating", "numeric", a type itself, or one of several."""
    if isinstance(kind, tuple):
        return any(isdtype(dtype, k) for k in kind)
    if isinstance(kind, DType):
        return dtype is kind
    checked(dtype)
    known = ("bool", "signed integer", "unsigned integer", "real floating", "complex floating", *_KINDS)
    if kind not in known:
        raise ValueError(f"no kind {kind!r} of types; there are {', '.join(known)}")
    return dtype.kind == kind or dtype.kind in _KINDS.get(kind, ())


class _Info:
    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.__dict__.items())})"


class finfo_object(_Info):
    """The limits of a float type."""


class iinfo_object(_Info):
    """The limits of an integer type."""


_FLOATS = {  # bits, epsilon, largest, smallest normal
    float16: (16, 2.0**-10, 65504.0, 2.0**-14),
    bfloat16: (16, 2.0**-7, (2 - 2.0**-7) * 2.0**127, 2.0**-126),
    float32: (32, 2.0**-23, (2 - 2.0**-23) * 2.0**127, 2.0**-126),
    float64: (64, 2.0**-52, (2 - 2.0**-52) * 2.0**1023, 2.0**-1022),
}


def finfo(type: DType | Array, /) -> finfo_object:
    """The limits of a float type, or of the parts of a complex one."""
    dtype = real_of(type.dtype if isinstance(type, Array) else type)
    if dtype not in _FLOATS:
        raise TypeError(f"finfo is of float types, not of {dtype!r}")
    bits, eps, largest, smallest = _FLOATS[dtype]
    return finfo_object(bits=bits, eps=eps, max=largest, min=-largest, smallest_normal=smallest, dtype=dtype)


def iinfo(type: DType | Array, /) -> iinfo_object:
    """The limits of an integer type."""
    dtype = type.dtype if isinstance(type, Array) else type
    if not is_integer(dtype):
        raise TypeError(f"iinfo is of integer types, not of {dtype!r}")
    bits, signed = dtype.itemsize * 8, dtype.kind == "signed integer"
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    return iinfo_object(bits=bits, max=high, min=low, dtype=dtype)


def can_cast(from_: DType | Array, to: DType, /) -> builtins.bool:
    """Whether type promotion leads from one type to the other."""
    dtype = from_.dtype if isinstance(from_, Array) else checked(from_)
    checked(to)
    ranks = ("bool", "signed integer", "unsigned integer", "real floating", "complex floating")
    mixed = dtype.kind != to.kind and "bool" in (dtype.kind, to.kind)
    if mixed or (is_integer(dtype) and not is_integer(to)):
        return False
    if ranks.index(dtype.kind) > 2 and ranks.index(to.kind) <= 2:
        return False
    return _core.promote(dtype, to) is to


def result_type(*arrays_and_dtypes: Array | DType | complex) -> DType:
    """The type that all of these become where they meet; Python numbers take the type of the others."""
    types = [a.dtype if isinstance(a, Array) else a for a in arrays_and_dtypes if isinstance(a, Array | DType)]
    numbers = [a for a in arrays_and_dtypes if not isinstance(a, Array | DType)]
    if not types:
        raise ValueError("result_type takes one array or type at least")
    result = types[0]
    for dtype in types[1:]:
        result = _core.promote(result, dtype)
    for number in numbers:
        result = with_number(result, number)
    return result


def with_number(dtype: DType, number: complex) -> DType:
    """What a type becomes where it meets a Python number."""
    if isinstance(number, builtins.bool):
        return dtype
    if isinstance(number, int):
        return DEFAULT_INT if dtype is bool else dtype
    if isinstance(number, float):
        return dtype if is_float(dtype) or is_complex(dtype) else DEFAULT_FLOAT
    if isinstance(number, complex):
        return complex_of(dtype)
    raise TypeError(f"{number!r} is no number")
