"""Arrays that live on a remote device (docs/serving.md): `tenfold.connect("grpc://HOST:PORT")`.

A RemoteArray knows its shape and type; its value is fetched when NumPy asks for it, and its memory over there is given
back when nothing refers to it. Arithmetic on it runs there, as small StableHLO programs that are compiled once for each
shape.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tenfold import _core

Progress = Callable[[int, int], object]

# Fields of tools/serve/proto/device.proto: numbers, and bytes with a length before them.


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _fields(message: memoryview) -> Iterator[tuple[int, Any]]:
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(message):
        tag = varint()
        if tag & 7 == 0:
            yield tag >> 3, varint()
        elif tag & 7 == 2:
            size = varint()
            yield tag >> 3, message[at : at + size]
            at += size
        else:
            raise _core.Error("the server's answer cannot be read")


def _packed(value: Any) -> list[int]:
    """A list of numbers, packed or a single one."""
    return [value] if isinstance(value, int) else [number for _, number in _fields_packed(value)]


def _fields_packed(message: memoryview) -> Iterator[tuple[int, int]]:
    value = shift = 0
    for byte in message:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield 0, value
            value = shift = 0


_NUMPY = {"i1": "bool", "f16": "float16", "f32": "float32", "f64": "float64", "complex<f32>": "complex64"}
_NUMPY |= {"complex<f64>": "complex128", "bf16": "bfloat16"}
_NUMPY |= {f"{sign}i{bits}": f"{'u' * bool(sign)}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}
_MLIR = {name: dtype for dtype, name in _NUMPY.items()}
_BYTES = {"i1": 1, "f16": 2, "bf16": 2, "f32": 4, "f64": 8, "complex<f32>": 8, "complex<f64>": 16}
_BYTES |= {f"{sign}i{bits}": bits // 8 for sign in ("", "u") for bits in (8, 16, 32, 64)}


def _dtype(name: str) -> Any:
    import numpy

    if name == "bf16":
        import ml_dtypes

        return numpy.dtype(ml_dtypes.bfloat16)
    return numpy.dtype(_NUMPY[name])


class Device:
    """A device behind `tenfold serve --allow-programs`."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.reconnect()

    def reconnect(self) -> None:
        """Connects again after the connection was lost. Arrays of before stay lost, and say so when they are used."""
        self._connection = 0
        self._programs: dict[str | bytes, int] = {}
        self._dropped: list[int] = []
        self._dropped_bytes = 0
        self._call("Hello", _number(1, 1) + _number(2, 1))

    def __repr__(self) -> str:
        return f"tenfold.connect({self.address!r})"

    def _call(self, method: str, request: bytes) -> memoryview:
        answer, self._connection = _core.remote_call(self.address, method, request, self._connection)
        return memoryview(answer)

    def array(self, values: Any, progress: Progress | None = None) -> RemoteArray:
        """The values, sent there. `progress(done, all)` is told how many bytes are on their way, now and then."""
        import numpy

        values = numpy.ascontiguousarray(values).reshape(numpy.shape(values))
        if str(values.dtype) not in _MLIR:
            raise TypeError(f"an array of {values.dtype} cannot be sent; use one of {', '.join(_MLIR)}")
        self._release()
        dtype = _MLIR[str(values.dtype)]
        data = values.reshape(-1).view("u1")
        number, self._connection = _core.remote_upload(
            self.address, dtype, values.shape, data, self._connection, progress
        )
        return RemoteArray._at(self, number, dtype, values.shape)

    def run(self, program: str | bytes, *inputs: RemoteArray, donate: Sequence[int] = ()) -> list[RemoteArray]:
        """Runs a program, StableHLO as text or bytecode, on arrays that are there; its results stay there.

        Inputs whose positions are in `donate` are given up: their memory may become that of a result.
        """
        self._release()
        if program not in self._programs:
            code = program.encode() if isinstance(program, str) else program
            answer = dict(_fields(self._call("Compile", _bytes(1, code))))
            self._programs[program] = answer[1]
        for value in inputs:
            if not isinstance(value, RemoteArray) or value.device is not self:
                raise ValueError(f"{value!r} is not an array of {self!r}")
            value._check()
        request = _number(1, self._programs[program]) + _number(3, 1)
        for i, value in enumerate(inputs):
            request += _bytes(2, _number(1, value._number) + (_number(3, 1) if i in donate else b""))
        results = []
        for field, result in _fields(self._call("Execute", request)):
            if field != 1:
                continue
            parts = dict(_fields(result))
            dims: list[int] = []
            name = ""
            for key, value in _fields(parts[2]):
                if key == 1:
                    name = bytes(value).decode()
                elif key == 2:
                    dims += _packed(value)
            results.append(RemoteArray._at(self, parts[1], name, tuple(dims)))
        for i in donate:
            inputs[i]._number = 0
        return results

    def left(self) -> tuple[int, int]:
        """How many arrays and bytes this connection has there."""
        self._release(always=True)
        answer = dict(_fields(self._call("Free", b"")))
        return answer.get(1, 0), answer.get(2, 0)

    def _release(self, always: bool = False) -> None:
        """Frees what was dropped, many at a time: dropping a small array is no call of its own."""
        if self._dropped and (always or len(self._dropped) >= 64 or self._dropped_bytes >= 1 << 20):
            dropped, self._dropped, self._dropped_bytes = self._dropped, [], 0
            self._call("Free", b"".join(_number(1, number) for number in dropped))


class RemoteArray:
    """An array over there: `RemoteArray(values, device)`, or a result."""

    device: Device
    shape: tuple[int, ...]
    _number: int  # 0: it was donated
    _type: str
    _connection: int

    def __init__(self, values: Any, device: Device) -> None:
        made = device.array(values)
        self.device, self.shape, self._number, self._type = device, made.shape, made._number, made._type
        self._connection = made._connection
        made._number = 0

    @classmethod
    def _at(cls, device: Device, number: int, dtype: str, shape: Sequence[int]) -> RemoteArray:
        array = cls.__new__(cls)
        array.device, array.shape, array._number, array._type = device, tuple(shape), number, dtype
        array._connection = device._connection
        return array

    def __del__(self) -> None:
        if getattr(self, "_number", 0) and self._connection == self.device._connection:
            self.device._dropped.append(self._number)
            self.device._dropped_bytes += math.prod(self.shape) * _BYTES[self._type]

    def _check(self) -> None:
        if not self._number:
            raise ValueError(f"{self!r} was donated to a program")
        if self._connection != self.device._connection:
            raise _core.Error(f"{self!r} was lost with its connection")

    @property
    def dtype(self) -> Any:
        """NumPy's type of the elements."""
        return _dtype(self._type)

    def __repr__(self) -> str:
        return f"RemoteArray(shape={self.shape}, dtype={self.dtype}, on {self.device.address})"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:

        if copy is False:
            raise ValueError("the value of a remote array is always a copy")
        values = self.numpy()
        return values if dtype is None else values.astype(dtype)

    def numpy(self, progress: Progress | None = None, out: Any = None) -> Any:
        """The value, fetched: into `out` if it is given, a contiguous array of this shape and type.

        `progress(done, all)` is told how many bytes have come, now and then.
        """
        import numpy

        self._check()
        values = numpy.empty(self.shape, self.dtype) if out is None else out
        if values.shape != self.shape or values.dtype != self.dtype or not values.flags.c_contiguous:
            raise ValueError(f"`out` is {values.shape} of {values.dtype}; a contiguous array like {self!r} is needed")
        data = values.reshape(-1).view("u1")
        _core.remote_download(self.device.address, self._number, data, self._connection, progress)
        return values

    def _text(self, shape: Sequence[int] | None = None) -> str:
        return "tensor<" + "".join(f"{size}x" for size in (self.shape if shape is None else shape)) + self._type + ">"

    def _binary(self, op: str, other: Any, swapped: bool = False) -> RemoteArray:
        import numpy

        if not isinstance(other, RemoteArray):
            other = self.device.array(numpy.asarray(other, self.dtype))
        left, right = (other, self) if swapped else (self, other)
        if left._type != right._type:
            raise TypeError(f"{left!r} and {right!r} are of different types")
        shape = numpy.broadcast_shapes(left.shape, right.shape)
        lines = [f"func.func @main(%a: {left._text()}, %b: {right._text()}) -> {self._text(shape)} {{"]
        for name, value in ("a", left), ("b", right):
            dims = ", ".join(str(i + len(shape) - len(value.shape)) for i in range(len(value.shape)))
            lines.append(
                f"  %{name}1 = stablehlo.broadcast_in_dim %{name}, dims = [{dims}] : "
                f"({value._text()}) -> {self._text(shape)}"
            )
        lines += [f"  %r = stablehlo.{op} %a1, %b1 : {self._text(shape)}", f"  return %r : {self._text(shape)}", "}"]
        return self.device.run("\n".join(lines), left, right)[0]

    def __add__(self, other: Any) -> RemoteArray:
        return self._binary("add", other)

    def __sub__(self, other: Any) -> RemoteArray:
        return self._binary("subtract", other)

    def __mul__(self, other: Any) -> RemoteArray:
        return self._binary("multiply", other)

    def __truediv__(self, other: Any) -> RemoteArray:
        return self._binary("divide", other)

    def __radd__(self, other: Any) -> RemoteArray:
        return self._binary("add", other, swapped=True)

    def __rsub__(self, other: Any) -> RemoteArray:
        return self._binary("subtract", other, swapped=True)

    def __rmul__(self, other: Any) -> RemoteArray:
        return self._binary("multiply", other, swapped=True)

    def __rtruediv__(self, other: Any) -> RemoteArray:
        return self._binary("divide", other, swapped=True)

    def __neg__(self) -> RemoteArray:
        text = (
            f"func.func @main(%a: {self._text()}) -> {self._text()} {{\n  %r = stablehlo.negate %a : {self._text()}\n"
        )
        return self.device.run(f"{text}  return %r : {self._text()}\n}}", self)[0]

    def __matmul__(self, other: RemoteArray) -> RemoteArray:
        if len(self.shape) != 2 or len(other.shape) != 2 or self.shape[1] != other.shape[0]:
            raise ValueError(f"shapes {self.shape} and {other.shape} cannot be multiplied; two matrices can")
        out = self._text((self.shape[0], other.shape[1]))
        text = f"func.func @main(%a: {self._text()}, %b: {other._text()}) -> {out} {{\n"
        text += "  %r = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
        text += f"({self._text()}, {other._text()}) -> {out}\n  return %r : {out}\n}}"
        return self.device.run(text, self, other)[0]
