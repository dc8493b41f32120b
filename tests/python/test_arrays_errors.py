"""What is wrong with arrays raises what NumPy raises, and says which shapes, types and lines of Python it is about."""

import inspect
import operator
import pathlib
import subprocess
import sys

import numpy
import pytest
import tenfold as tn

NAMED = (ValueError, TypeError, IndexError, OverflowError, AttributeError)


def floats(xp, shape):
    return xp.reshape(xp.arange(1, 1 + int(numpy.prod(shape)), dtype=xp.float32), shape)


def integers(xp, shape):
    return xp.reshape(xp.arange(1, 1 + int(numpy.prod(shape)), dtype=xp.int64), shape)


def mask(xp, shape):
    return floats(xp, shape) > 2


def complexes(xp, shape):
    return xp.astype(floats(xp, shape), xp.complex64)


def put(x, key, value):
    x[key] = value
    return x


WRONG = {
    "add shapes": lambda xp: floats(xp, (2, 3)) + floats(xp, (2,)),
    "mul shapes": lambda xp: xp.multiply(floats(xp, (2, 3)), floats(xp, (4, 3))),
    "compare shapes": lambda xp: floats(xp, (2, 3)) < floats(xp, (4,)),
    "where shapes": lambda xp: xp.where(mask(xp, (2,)), floats(xp, (3,)), floats(xp, (3,))),
    "matmul": lambda xp: floats(xp, (2, 3)) @ floats(xp, (2, 3)),
    "matmul vec": lambda xp: floats(xp, (2, 3)) @ floats(xp, (2,)),
    "matmul 0d": lambda xp: floats(xp, (2, 3)) @ floats(xp, ()),
    "matmul number": lambda xp: floats(xp, (2, 3)) @ 2.0,
    "matmul batch": lambda xp: floats(xp, (2, 2, 3)) @ floats(xp, (3, 3, 2)),
    "xp.matmul": lambda xp: xp.matmul(floats(xp, (2, 3)), floats(xp, (4, 5))),
    "tensordot": lambda xp: xp.tensordot(floats(xp, (2, 3)), floats(xp, (2, 3)), axes=1),
    "tensordot axes": lambda xp: xp.tensordot(floats(xp, (2, 3)), floats(xp, (2, 3)), axes=((5,), (0,))),
    "vecdot": lambda xp: xp.vecdot(floats(xp, (2, 3)), floats(xp, (2, 4))),
    "vecdot axis": lambda xp: xp.vecdot(floats(xp, (2, 3)), floats(xp, (2, 3)), axis=4),
    "outer": lambda xp: xp.linalg.outer(floats(xp, (2, 3)), floats(xp, (2,))),
    "cross": lambda xp: xp.linalg.cross(floats(xp, (2, 4)), floats(xp, (2, 4))),
    "sum axis": lambda xp: xp.sum(floats(xp, (2, 3)), axis=2),
    "sum axis -3": lambda xp: xp.sum(floats(xp, (2, 3)), axis=-3),
    "sum axis twice": lambda xp: xp.sum(floats(xp, (2, 3)), axis=(0, 0)),
    "sum axis float": lambda xp: xp.sum(floats(xp, (2, 3)), axis=1.0),
    "sum axis str": lambda xp: xp.sum(floats(xp, (2, 3)), axis="a"),
    "mean axis": lambda xp: xp.mean(floats(xp, (2, 3)), axis=2),
    "max axis": lambda xp: xp.max(floats(xp, (2, 3)), axis=2),
    "max empty": lambda xp: xp.max(floats(xp, (0,))),
    "argmax empty": lambda xp: xp.argmax(floats(xp, (0,))),
    "argmax axis": lambda xp: xp.argmax(floats(xp, (2, 3)), axis=2),
    "cumsum no axis": lambda xp: xp.cumulative_sum(floats(xp, (2, 3))),
    "sort axis": lambda xp: xp.sort(floats(xp, (2, 3)), axis=2),
    "argsort axis": lambda xp: xp.argsort(floats(xp, (2, 3)), axis=2),
    "reshape": lambda xp: xp.reshape(floats(xp, (2, 3)), (4, 2)),
    "reshape -1": lambda xp: xp.reshape(floats(xp, (2, 3)), (4, -1)),
    "reshape -1 -1": lambda xp: xp.reshape(floats(xp, (2, 3)), (-1, -1)),
    "reshape neg": lambda xp: xp.reshape(floats(xp, (2, 3)), (-2, -3)),
    "reshape float": lambda xp: xp.reshape(floats(xp, (2, 3)), (2.0, 3.0)),
    "reshape str": lambda xp: xp.reshape(floats(xp, (2, 3)), "ab"),
    "broadcast_to": lambda xp: xp.broadcast_to(floats(xp, (2, 3)), (2, 2)),
    "broadcast_to less": lambda xp: xp.broadcast_to(floats(xp, (2, 3)), (3,)),
    "broadcast_arrays": lambda xp: xp.broadcast_arrays(floats(xp, (2, 3)), floats(xp, (2,))),
    "broadcast_shapes": lambda xp: xp.broadcast_shapes((2, 3), (2,)),
    "concat shapes": lambda xp: xp.concat([floats(xp, (2, 3)), floats(xp, (2, 4))]),
    "concat ndim": lambda xp: xp.concat([floats(xp, (2, 3)), floats(xp, (2,))]),
    "concat axis": lambda xp: xp.concat([floats(xp, (2, 3)), floats(xp, (2, 3))], axis=2),
    "concat empty": lambda xp: xp.concat([]),
    "concat 0d": lambda xp: xp.concat([floats(xp, ()), floats(xp, ())]),
    "concat array": lambda xp: xp.concat(floats(xp, ())),
    "stack shapes": lambda xp: xp.stack([floats(xp, (2, 3)), floats(xp, (2, 4))]),
    "stack axis": lambda xp: xp.stack([floats(xp, (2, 3)), floats(xp, (2, 3))], axis=4),
    "stack empty": lambda xp: xp.stack([]),
    "unstack axis": lambda xp: xp.unstack(floats(xp, (2, 3)), axis=2),
    "unstack 0d": lambda xp: xp.unstack(floats(xp, ())),
    "expand_dims": lambda xp: xp.expand_dims(floats(xp, (2, 3)), axis=4),
    "expand_dims twice": lambda xp: xp.expand_dims(floats(xp, (2, 3)), axis=(0, 0)),
    "squeeze": lambda xp: xp.squeeze(floats(xp, (2, 3)), axis=0),
    "squeeze axis": lambda xp: xp.squeeze(floats(xp, (2, 3)), axis=5),
    "flip": lambda xp: xp.flip(floats(xp, (2, 3)), axis=5),
    "permute count": lambda xp: xp.permute_dims(floats(xp, (2, 3)), (0,)),
    "permute twice": lambda xp: xp.permute_dims(floats(xp, (2, 3)), (0, 0)),
    "permute axis": lambda xp: xp.permute_dims(floats(xp, (2, 3)), (0, 2)),
    "moveaxis": lambda xp: xp.moveaxis(floats(xp, (2, 3)), 0, 5),
    "moveaxis src": lambda xp: xp.moveaxis(floats(xp, (2, 3)), 5, 0),
    "moveaxis counts": lambda xp: xp.moveaxis(floats(xp, (2, 3)), (0, 1), 0),
    "matrix_transpose": lambda xp: xp.matrix_transpose(floats(xp, (3,))),
    ".mT": lambda xp: floats(xp, (3,)).mT,
    "roll axis": lambda xp: xp.roll(floats(xp, (2, 3)), 1, axis=5),
    "roll counts": lambda xp: xp.roll(floats(xp, (2, 3)), (1, 2, 3), axis=(0, 1)),
    "tile neg": lambda xp: xp.tile(floats(xp, (2, 3)), (-1,)),
    "repeat neg": lambda xp: xp.repeat(floats(xp, (2, 3)), -1),
    "repeat count": lambda xp: xp.repeat(floats(xp, (2, 3)), integers(xp, (2,)), axis=1),
    "repeat axis": lambda xp: xp.repeat(floats(xp, (2, 3)), 2, axis=5),
    "diff axis": lambda xp: xp.diff(floats(xp, (2, 3)), axis=5),
    "diff 0d": lambda xp: xp.diff(floats(xp, ())),
    "diff n": lambda xp: xp.diff(floats(xp, (3,)), n=-1),
    "diff prepend": lambda xp: xp.diff(floats(xp, (2, 3)), prepend=floats(xp, (3, 3))),
    "index": lambda xp: floats(xp, (2, 3))[2],
    "index neg": lambda xp: floats(xp, (2, 3))[-3],
    "index 2": lambda xp: floats(xp, (2, 3))[0, 3],
    "index many": lambda xp: floats(xp, (2, 3))[0, 0, 0],
    "index 0d": lambda xp: floats(xp, ())[0],
    "index float": lambda xp: floats(xp, (2, 3))[1.0],
    "index str": lambda xp: floats(xp, (2, 3))["a"],
    "index float array": lambda xp: floats(xp, (2, 3))[floats(xp, (2,))],
    "index array out": lambda xp: floats(xp, (2, 3))[integers(xp, (2,))].tolist(),
    "index array neg": lambda xp: floats(xp, (2, 3))[-integers(xp, (3,))].tolist(),
    "index list out": lambda xp: floats(xp, (2, 3))[[0, 5]].tolist(),
    "index arrays shapes": lambda xp: floats(xp, (2, 3))[integers(xp, (2,)) * 0, integers(xp, (3,)) * 0],
    "index mask": lambda xp: floats(xp, (2, 3))[mask(xp, (3,))],
    "index mask 2": lambda xp: floats(xp, (2, 3))[mask(xp, (3, 2))],
    "index dots": lambda xp: floats(xp, (2, 3))[..., ...],
    "slice 0": lambda xp: floats(xp, (2, 3))[::0],
    "slice float": lambda xp: floats(xp, (2, 3))[0.5:],
    "slice str": lambda xp: floats(xp, (2, 3))["a":],
    "set shape": lambda xp: put(floats(xp, (2, 3)), 0, floats(xp, (2,))),
    "set index": lambda xp: put(floats(xp, (2, 3)), 2, 1.0),
    "set mask": lambda xp: put(floats(xp, (2, 3)), mask(xp, (3,)), 1.0),
    "set mask values": lambda xp: put(floats(xp, (2, 3)), mask(xp, (2, 3)), floats(xp, (3,))),
    "set str": lambda xp: put(floats(xp, (2, 3)), 0, "a"),
    "set object": lambda xp: put(floats(xp, (2, 3)), 0, object()),
    "set complex": lambda xp: put(floats(xp, (2, 3)), 0, 1j),
    "set int overflow": lambda xp: put(xp.zeros(3, dtype=xp.int8), 0, 300),
    "set list": lambda xp: put(floats(xp, (2, 3)), 0, [1, 2]),
    "set index array": lambda xp: put(floats(xp, (2, 3)), integers(xp, (2,)), 1.0),
    "take": lambda xp: xp.take(floats(xp, (3,)), integers(xp, (3,))).tolist(),
    "take axis": lambda xp: xp.take(floats(xp, (2, 3)), integers(xp, (1,)), axis=2),
    "take float": lambda xp: xp.take(floats(xp, (3,)), floats(xp, (2,))),
    "take_along ndim": lambda xp: xp.take_along_axis(floats(xp, (2, 3)), integers(xp, (1,)), axis=1),
    "take_along out": lambda xp: xp.take_along_axis(floats(xp, (2, 3)), integers(xp, (2, 3)), axis=1).tolist(),
    "take_along float": lambda xp: xp.take_along_axis(floats(xp, (2, 3)), floats(xp, (2, 3)), axis=1),
    "take_along axis": lambda xp: xp.take_along_axis(floats(xp, (2, 3)), integers(xp, (2, 3)), axis=2),
    "bool": lambda xp: bool(floats(xp, (2, 3))),
    "if": lambda xp: 1 if floats(xp, (2,)) == floats(xp, (2,)) else 0,
    "and": lambda xp: floats(xp, (2,)) and 1,
    "bool empty": lambda xp: bool(floats(xp, (0,))),
    "float": lambda xp: float(floats(xp, (2,))),
    "int": lambda xp: int(floats(xp, (2,))),
    "complex": lambda xp: complex(floats(xp, (2,))),
    "float of complex": lambda xp: float(xp.asarray(1j)),
    "index()": lambda xp: operator.index(floats(xp, ())),
    "index() many": lambda xp: operator.index(integers(xp, (2,))),
    "range": lambda xp: range(floats(xp, ())),
    "len 0d": lambda xp: len(floats(xp, ())),
    "iter 0d": lambda xp: list(floats(xp, ())),
    "hash": lambda xp: hash(floats(xp, (2,))),
    "setattr": lambda xp: setattr(floats(xp, (2,)), "foo", 1),
    "getattr": lambda xp: floats(xp, (2,)).foo,
    "add str": lambda xp: floats(xp, (2,)) + "a",
    "add none": lambda xp: floats(xp, (2,)) + None,
    "radd none": lambda xp: None - floats(xp, (2,)),
    "lt str": lambda xp: floats(xp, (2,)) < "a",
    "xp.add str": lambda xp: xp.add(floats(xp, (2,)), "a"),
    "sin str": lambda xp: xp.sin("a"),
    "float & float": lambda xp: floats(xp, (2,)) & floats(xp, (2,)),
    "float & int": lambda xp: floats(xp, (2,)) & 1,
    "int & float num": lambda xp: integers(xp, (2,)) & 1.0,
    "~float": lambda xp: ~floats(xp, (2,)),
    "float << int": lambda xp: floats(xp, (2,)) << 1,
    "int << float": lambda xp: integers(xp, (2,)) << 1.5,
    "-bool": lambda xp: -mask(xp, (2,)),
    "bool - bool": lambda xp: mask(xp, (2,)) - mask(xp, (2,)),
    "complex //": lambda xp: complexes(xp, (2,)) // complexes(xp, (2,)),
    "complex %": lambda xp: complexes(xp, (2,)) % 2,
    "floor complex": lambda xp: xp.floor(complexes(xp, (2,))),
    "ceil complex": lambda xp: xp.ceil(complexes(xp, (2,))),
    "atan2 complex": lambda xp: xp.atan2(complexes(xp, (2,)), complexes(xp, (2,))),
    "hypot complex": lambda xp: xp.hypot(complexes(xp, (2,)), complexes(xp, (2,))),
    "copysign complex": lambda xp: xp.copysign(complexes(xp, (2,)), 1.0),
    "signbit complex": lambda xp: xp.signbit(complexes(xp, (2,))),
    "logaddexp complex": lambda xp: xp.logaddexp(complexes(xp, (2,)), complexes(xp, (2,))),
    "nextafter complex": lambda xp: xp.nextafter(complexes(xp, (2,)), complexes(xp, (2,))),
    "int8 + 300": lambda xp: xp.zeros(3, dtype=xp.int8) + 300,
    "uint8 - (-1)": lambda xp: xp.zeros(3, dtype=xp.uint8) + (-1),
    "uint8 large": lambda xp: xp.zeros(3, dtype=xp.uint8) * 10**30,
    "pow neg int": lambda xp: integers(xp, (2,)) ** -1,
    "iadd type": lambda xp: operator.iadd(integers(xp, (2,)), floats(xp, (2,))),
    "iadd number": lambda xp: operator.iadd(integers(xp, (2,)), 1.5),
    "itruediv int": lambda xp: operator.itruediv(integers(xp, (2,)), 2),
    "isub unsigned": lambda xp: operator.isub(xp.ones(2, dtype=xp.uint8), xp.ones(2, dtype=xp.int8)),
    "imul complex": lambda xp: operator.imul(floats(xp, (2,)), 1j),
    "imatmul shape": lambda xp: operator.imatmul(floats(xp, (2, 2)), floats(xp, (2, 3))),
    "iadd shape": lambda xp: operator.iadd(floats(xp, (2,)), floats(xp, (2, 3))),
    "ior float": lambda xp: operator.ior(integers(xp, (2,)), 1.5),
    "asarray ragged": lambda xp: xp.asarray([[1, 2], [3]]),
    "asarray str": lambda xp: xp.asarray("abc", dtype=xp.float32),
    "asarray list str": lambda xp: xp.asarray(["a"], dtype=xp.float32),
    "asarray none": lambda xp: xp.asarray([None], dtype=xp.int64),
    "asarray overflow": lambda xp: xp.asarray(300, dtype=xp.int8),
    "asarray neg": lambda xp: xp.asarray(-1, dtype=xp.uint8),
    "asarray nan int": lambda xp: xp.asarray(float("nan"), dtype=xp.int64),
    "asarray inf int": lambda xp: xp.asarray(float("inf"), dtype=xp.int64),
    "asarray complex": lambda xp: xp.asarray(1j, dtype=xp.float32),
    "asarray dtype": lambda xp: xp.asarray([1], dtype="nosuch"),
    "asarray dtype 3": lambda xp: xp.asarray([1], dtype=3),
    "asarray copy": lambda xp: xp.asarray([1.0], copy=False),
    "zeros neg": lambda xp: xp.zeros(-1),
    "zeros float": lambda xp: xp.zeros(2.5),
    "zeros str": lambda xp: xp.zeros("a"),
    "zeros tuple float": lambda xp: xp.zeros((2, 2.5)),
    "zeros None": lambda xp: xp.zeros((2, None)),
    "zeros dtype": lambda xp: xp.zeros(2, dtype="nosuch"),
    "full str": lambda xp: xp.full((2,), "a", dtype=xp.float32),
    "full shape": lambda xp: xp.full((2,), floats(xp, (3,))),
    "full overflow": lambda xp: xp.full((2,), 300, dtype=xp.int8),
    "arange str": lambda xp: xp.arange("a"),
    "arange nan": lambda xp: xp.arange(0.0, float("nan")),
    "arange inf": lambda xp: xp.arange(0.0, float("inf")),
    "linspace neg": lambda xp: xp.linspace(0, 1, -1),
    "linspace float": lambda xp: xp.linspace(0, 1, 2.5),
    "linspace str": lambda xp: xp.linspace("a", 1, 2),
    "eye neg": lambda xp: xp.eye(-1),
    "eye float": lambda xp: xp.eye(2.5),
    "eye str": lambda xp: xp.eye("a"),
    "meshgrid indexing": lambda xp: xp.meshgrid(floats(xp, (2,)), floats(xp, (2,)), indexing="zz"),
    "astype": lambda xp: xp.astype(floats(xp, (2,)), "nosuch"),
    "astype none": lambda xp: xp.astype(floats(xp, (2,)), 3),
    "astype list": lambda xp: xp.astype([1, 2], xp.float32),
    "result_type none": lambda xp: xp.result_type(),
    "isdtype": lambda xp: xp.isdtype(xp.float32, "nosuch"),
    "isdtype 2": lambda xp: xp.isdtype(3, "bool"),
    "can_cast": lambda xp: xp.can_cast(3, xp.float32),
    "searchsorted 2d": lambda xp: xp.searchsorted(floats(xp, (2, 3)), floats(xp, (2,))),
    "searchsorted side": lambda xp: xp.searchsorted(floats(xp, (3,)), floats(xp, (2,)), side="x"),
    "nonzero 0d": lambda xp: xp.nonzero(floats(xp, ())),
    "clip shape": lambda xp: xp.clip(floats(xp, (2, 3)), floats(xp, (2,)), None),
    "clip str": lambda xp: xp.clip(floats(xp, (2, 3)), "a", None),
    "det": lambda xp: xp.linalg.det(floats(xp, (2, 3))),
    "det 1d": lambda xp: xp.linalg.det(floats(xp, (3,))),
    "inv": lambda xp: xp.linalg.inv(floats(xp, (2, 3))),
    "inv singular": lambda xp: xp.linalg.inv(xp.ones((3, 3))).tolist(),
    "solve": lambda xp: xp.linalg.solve(floats(xp, (2, 2)), floats(xp, (3,))),
    "solve square": lambda xp: xp.linalg.solve(floats(xp, (2, 3)), floats(xp, (2,))),
    "solve singular": lambda xp: xp.linalg.solve(xp.ones((3, 3)), xp.ones(3)).tolist(),
    "cholesky": lambda xp: xp.linalg.cholesky(floats(xp, (2, 3))),
    "cholesky not pd": lambda xp: xp.linalg.cholesky(-xp.eye(3)).tolist(),
    "qr mode": lambda xp: xp.linalg.qr(floats(xp, (2, 2)), mode="x"),
    "qr 1d": lambda xp: xp.linalg.qr(floats(xp, (2,))),
    "svd 1d": lambda xp: xp.linalg.svd(floats(xp, (2,))),
    "eigh": lambda xp: xp.linalg.eigh(floats(xp, (2, 3))),
    "eig": lambda xp: xp.linalg.eig(floats(xp, (2, 3))),
    "matrix_power": lambda xp: xp.linalg.matrix_power(floats(xp, (2, 3)), 2),
    "matrix_power float": lambda xp: xp.linalg.matrix_power(floats(xp, (2, 2)), 2.5),
    "matrix_norm ord": lambda xp: xp.linalg.matrix_norm(floats(xp, (2, 2)), ord="x"),
    "vector_norm axis": lambda xp: xp.linalg.vector_norm(floats(xp, (2, 2)), axis=4),
    "diagonal 1d": lambda xp: xp.linalg.diagonal(floats(xp, (2,))),
    "trace 1d": lambda xp: xp.linalg.trace(floats(xp, (2,))),
    "fft axis": lambda xp: xp.fft.fft(floats(xp, (4,)), axis=3),
    "fft n": lambda xp: xp.fft.fft(floats(xp, (4,)), n=0),
    "fft norm": lambda xp: xp.fft.fft(complexes(xp, (4,)), norm="x"),
    "fftn axes": lambda xp: xp.fft.fftn(floats(xp, (4,)), axes=(3,)),
    "fftn s": lambda xp: xp.fft.fftn(floats(xp, (4,)), s=(2, 2), axes=(0,)),
    "from_dlpack": lambda xp: xp.from_dlpack([1]),
    "format": lambda xp: format(floats(xp, (2,)), ".2f"),
}


def raised(call, xp):
    """What a call raises, at once or where its value is read."""
    try:
        repr(call(xp))
    except Exception as error:
        return error
    return None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", WRONG)
def test_wrong_use_raises_what_numpy_raises(name):
    theirs, ours = (raised(WRONG[name], xp) for xp in (numpy, tn))
    wanted = [kind for kind in NAMED if isinstance(theirs, kind)]
    assert wanted, f"NumPy: {theirs!r}"
    assert ours is not None and all(isinstance(ours, kind) for kind in wanted), f"{ours!r}, NumPy: {theirs!r}"
    assert str(ours)


@pytest.mark.parametrize("xp", [numpy, tn])
def test_operators_in_place_keep_the_type(xp):
    x = xp.asarray([1, 2], dtype=xp.int8)
    x += xp.asarray([10, 20], dtype=xp.int64)
    assert x.dtype == xp.int8 and x.tolist() == [11, 22]
    y = xp.asarray([[1.0, 2.0], [3.0, 4.0]], dtype=xp.float32)
    y *= xp.asarray([2.0, 3.0], dtype=xp.float64)
    y **= 2
    y @= xp.asarray([[1.0, 0.0], [0.0, 2.0]], dtype=xp.float32)
    assert y.dtype == xp.float32 and y.tolist() == [[4, 72], [36, 288]]
    z = xp.asarray([True, False])
    z |= True
    assert z.dtype == xp.bool and z.tolist() == [True, True]


MESSAGES = {
    "add": (lambda: tn.ones((2, 3)) + tn.ones(2), r"\(2,3\) \(2,\)"),
    "matmul": (lambda: tn.ones((2, 3)) @ tn.ones((2, 3)), r"matmul: shapes \(2,3\) and \(2,3\)"),
    "where": (
        lambda: tn.where(tn.ones(2) > 0, tn.ones(3), 1.0),
        r"where\S* of bool \(2,\), float32 \(3,\), float32 \(\)",
    ),
    "concat": (lambda: tn.concat([tn.ones((2, 3)), tn.ones((2, 4))]), r"cat of float32 \(2,3\), float32 \(2,4\)"),
    "reshape": (lambda: tn.reshape(tn.ones((2, 3)), (4, -1)), r"shape \(2, 3\) to \(4, -1\)"),
    "assignment": (lambda: put(tn.ones((2, 3)), 0, tn.ones(2)), r"\(2,\) \(3,\)"),
    "index": (lambda: tn.ones((2, 3))[0, 3], r"index 3 is out of bounds for axis 1 with size 3"),
    "axis": (lambda: tn.sum(tn.ones((2, 3)), axis=2), r"axis 2 is out of bounds for an array with 2 dimensions"),
    "linear": (lambda: tn.nn.Linear(3, 4)(tn.ones((2, 5))), r"\(2,5\)"),
    "int8": (lambda: tn.zeros(2, dtype=tn.int8) + 300, r"300 out of bounds for int8"),
    "in place": (
        lambda: operator.iadd(tn.ones(2, dtype=tn.int64), 0.5),
        r"x \+= y would make float32 \(2,\) of int64 \(2,\): write x = x \+ y",
    ),
    "bits": (lambda: tn.ones(2) & tn.ones(2), r"bitwise_and is not defined on arrays of float32"),
    "minus": (lambda: -(tn.ones(2) > 0), r"neg is not defined on arrays of bool"),
    "type": (lambda: tn.zeros(2, dtype="float32"), r"such as tenfold.float32, not 'float32'"),
    "truth": (lambda: bool(tn.ones((0,))), r"without elements is ambiguous"),
    "factor": (lambda: tn.linalg.cholesky(-tn.eye(2)).tolist(), r"leading minor of order 1 is not positive"),
}


@pytest.mark.parametrize("name", MESSAGES)
def test_messages_name_shapes_and_types(name):
    call, pattern = MESSAGES[name]
    with pytest.raises((ValueError, TypeError, IndexError, OverflowError), match=pattern):
        call()


def first(x, index):
    return x[index] * 2  # first


def second(x, index):
    return x[index] * 2  # second


def line_of(mark):
    lines = pathlib.Path(__file__).read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.endswith(f"# {mark}"))


@pytest.mark.parametrize("device", ["cpu", "interp"])
def test_values_that_are_wrong_name_the_line_that_recorded_them(device):
    """The two graphs are equal and share a program; each error names the line of its own, not the one that reads."""
    x, wrong = tn.ones((4,), device=device), tn.asarray([0, 7], device=device)
    for function in (first, second, first):
        made = function(x, wrong) + 1
        with pytest.raises(IndexError, match="index 7 is out of bounds") as caught:
            made.tolist()
        name = function.__name__
        assert f"{pathlib.Path(__file__).name}:{line_of(name)}, in {name}" in str(caught.value)
        assert "node of a graph" not in str(caught.value)
    assert first(x, tn.asarray([0, 3], device=device)).tolist() == [2, 2]


def test_wrong_values_in_functions_that_were_recorded():
    made = tn.jit(lambda x, index: tn.take(x, index))
    assert made(tn.ones(4), tn.asarray([1, 2])).tolist() == [1, 1]
    with pytest.raises(IndexError, match=r"^index 9 is out of bounds"):
        made(tn.ones(4), tn.asarray([1, 9])).tolist()


def test_errors_of_linear_algebra_load_no_framework():
    code = """if True:
        import sys
        import tenfold as tn
        try:
            tn.linalg.inv(tn.ones((3, 3))).tolist()
        except ValueError as error:
            print("singular" in str(error), "torch" in sys.modules)
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.stdout.split() == ["True", "False"], done.stdout + done.stderr


def taking_arrays():
    for space in (tn, tn.linalg, tn.fft):
        for name in sorted(tn.array.NAMES if space is tn else vars(space)):
            function = getattr(space, name)
            if not inspect.isfunction(function) or name.startswith("_"):
                continue
            home = function.__module__ in ("tenfold.array.linalg", "tenfold.array.fft")
            takes = [v for k, v in function.__annotations__.items() if k != "return"]
            if (home or space is tn) and any("Array" in v and "DType" not in v for v in takes):
                yield pytest.param(function, id=f"{space.__name__}.{name}")


@pytest.mark.parametrize("function", taking_arrays())
def test_a_list_is_no_array(function):
    """Nor is what a list of them holds."""
    needed = [p for p in inspect.signature(function).parameters.values() if p.default is p.empty]
    named = {p.name: 0 for p in needed if p.kind is p.KEYWORD_ONLY}
    for wrong, said in (([1.0, 2.0], "list"), (None, "NoneType"), ("abc", "str")):
        given = [wrong if "Array" in p.annotation else (2,) for p in needed if p.name not in named]
        if function.__name__ in ("concat", "stack"):
            given = [[wrong]]
        with pytest.raises(TypeError, match=rf"{function.__name__} takes .*{said}"):
            function(*given, **named)


def test_elements_are_not_deleted():
    x = tn.ones(3)
    with pytest.raises(ValueError, match="cannot delete elements of an array"):
        del x[0]


def test_unknown_devices_and_types():
    for make in (tn.device, tn.set_default_device, lambda d: tn.ones(2, device=d), tn.ones(2).to_device):
        with pytest.raises(ValueError, match="unknown device 'cpuu'; did you mean 'cpu'"):
            make("cpuu")
        with pytest.raises(TypeError, match=r"a device is a name or a tenfold.Device, not int"):
            make(3)
    for make in (lambda t: tn.ones(2, dtype=t), lambda t: tn.astype(tn.ones(2), t), lambda t: tn.asarray([1], dtype=t)):
        with pytest.raises(TypeError, match=r"an element type is one of tenfold's, such as .*, not 'f33'"):
            make("f33")
    assert tn.device() is tn.device("cpu")
