"""Linear algebra: the extension `linalg` of the standard."""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from tenfold import _core
from tenfold.array import creation, dtypes
from tenfold.array import elementwise as el
from tenfold.array import statistical as st
from tenfold.array.arguments import check_names
from tenfold.array.manipulation import (
    Axes,
    axes_of,
    axis_of,
    broadcast_shapes,
    broadcast_to,
    expand_dims,
    matrix_transpose,
    moveaxis,
    permute_dims,
    reshape,
)
from tenfold.array.object import Array


def _matrices(name: str, x: Array, square: builtins.bool = False) -> Array:
    if not isinstance(x, Array) or x.ndim < 2:
        raise ValueError(f"{name} takes matrices: arrays with 2 dimensions at least, not {getattr(x, 'ndim', 0)}")
    if square and x.shape[-1] != x.shape[-2]:
        raise ValueError(f"{name} takes square matrices, not {x.shape[-2]} by {x.shape[-1]}")
    return x


_MLIR = {
    dtypes.float32: "f32",
    dtypes.float64: "f64",
    dtypes.complex64: "complex<f32>",
    dtypes.complex128: "complex<f64>",
}


def _mlir(shape: Sequence[int], element: str) -> str:
    return f"tensor<{''.join(f'{s}x' for s in shape)}{element}>"


def matmul(x1: Array, x2: Array, /) -> Array:
    """The matrix product; vectors are rows on the left and columns on the right."""
    result = x1 @ x2
    if result is NotImplemented:
        raise TypeError("matmul takes two arrays")
    return result


def tensordot(x1: Array, x2: Array, /, *, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Array:
    """Sums of products over pairs of axes."""
    dtype = dtypes.result_type(x1, x2)
    x1, x2 = _core.cast(x1, dtype), _core.cast(x2, dtype)
    if isinstance(axes, int):
        left, right = list(range(x1.ndim - axes, x1.ndim)), list(range(axes))
    else:
        left, right = ([axis_of(a, x.ndim) for a in part] for x, part in zip((x1, x2), axes, strict=True))
    for a, b in zip(left, right, strict=True):
        if x1.shape[a] != x2.shape[b]:
            raise ValueError(f"tensordot: axis {a} of shape {x1.shape} and axis {b} of shape {x2.shape} differ")
    rows = [i for i in range(x1.ndim) if i not in left]
    columns = [i for i in range(x2.ndim) if i not in right]
    inner = math.prod(x1.shape[i] for i in left)
    shape = [x1.shape[i] for i in rows] + [x2.shape[i] for i in columns]
    count = math.prod(x1.shape[i] for i in rows)
    a = reshape(permute_dims(x1, (*rows, *left)), (count, inner))
    b = reshape(permute_dims(x2, (*right, *columns)), (inner, math.prod(x2.shape[i] for i in columns)))
    return reshape(a @ b, tuple(shape))


def vecdot(x1: Array, x2: Array, /, *, axis: int = -1) -> Array:
    """Sums of products along an axis; the first is conjugated."""
    axis_of(axis, min(x1.ndim, x2.ndim))
    dtype = dtypes.result_type(x1, x2)
    x1, x2 = (moveaxis(_core.cast(x, dtype), axis, -1) for x in (x1, x2))
    if x1.shape[-1] != x2.shape[-1]:
        raise ValueError(f"vecdot: sizes {x1.shape[-1]} and {x2.shape[-1]} along the axis")
    return st.sum(el.conj(x1) * x2, axis=-1, dtype=dtype)


def outer(x1: Array, x2: Array, /) -> Array:
    """All products of two vectors."""
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(f"outer takes two vectors, not arrays of shapes {x1.shape} and {x2.shape}")
    return expand_dims(x1, 1) * expand_dims(x2, 0)


def cross(x1: Array, x2: Array, /, *, axis: int = -1) -> Array:
    """The cross product of vectors of 3 elements."""
    if not -min(x1.ndim, x2.ndim) <= axis < min(x1.ndim, x2.ndim) or x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError(f"cross: axis {axis} of shapes {x1.shape} and {x2.shape} is not of size 3")
    shape = broadcast_shapes(x1.shape, x2.shape)
    if axis >= 0 and x1.ndim != x2.ndim:
        raise ValueError(f"cross: a positive axis of arrays with {x1.ndim} and {x2.ndim} dimensions")
    dtype = dtypes.result_type(x1, x2)
    x1, x2 = (moveaxis(broadcast_to(_core.cast(x, dtype), shape), axis, 0) for x in (x1, x2))
    parts = [x1[(i + 1) % 3] * x2[(i + 2) % 3] - x1[(i + 2) % 3] * x2[(i + 1) % 3] for i in range(3)]
    return moveaxis(_core.op("stack", None, 1, tensors=parts, dim=0), 0, axis)


def diagonal(x: Array, /, *, offset: int = 0) -> Array:
    """The elements of a diagonal."""
    _matrices("diagonal", x)
    offset = min(max(int(offset), -x.shape[-2]), x.shape[-1])
    return _core.op("diagonal", None, 1, self=x, offset=offset, dim1=-2, dim2=-1)


def trace(x: Array, /, *, offset: int = 0, dtype: Any = None) -> Array:
    """The sum of a diagonal."""
    return st.sum(diagonal(x, offset=offset), axis=-1, dtype=dtype)


def cholesky(x: Array, /, *, upper: builtins.bool = False) -> Array:
    """The triangular factor of a positive definite matrix."""
    _matrices("cholesky", x, True)
    if not x.size:
        return +x
    factor = _core.op("linalg_cholesky", None, 1, self=x, upper=False)
    return el.conj(matrix_transpose(factor)) if upper else factor


def det(x: Array, /) -> Array:
    """The determinant."""
    _matrices("det", x, True)
    if not x.shape[-1]:
        return creation.ones(x.shape[:-2], dtype=x.dtype, device=x.device)
    return _core.op("linalg_det", None, 1, A=x)


class Slogdet(NamedTuple):
    """What slogdet gives."""

    sign: Array
    logabsdet: Array


def slogdet(x: Array, /) -> Slogdet:
    """The sign of the determinant, and the logarithm of its absolute value."""
    _matrices("slogdet", x, True)
    if not x.shape[-1]:
        real = dtypes.real_of(x.dtype)
        return Slogdet(
            creation.ones(x.shape[:-2], dtype=x.dtype, device=x.device),
            creation.zeros(x.shape[:-2], dtype=real, device=x.device),
        )
    if dtypes.is_complex(x.dtype):
        return _complex_slogdet(x)
    return Slogdet(*_core.op("linalg_slogdet", None, 2, A=x))


def _call(target: str, inputs: Sequence[Array], results: Sequence[tuple[Sequence[int], str]], config: str = "") -> Any:
    """A custom call of the library; results are shapes and MLIR's names of types."""
    given = [_mlir(x.shape, _MLIR[x.dtype]) for x in inputs]
    made = ", ".join(_mlir(*result) for result in results)
    names = ", ".join(f"%x{i}" for i in range(len(inputs)))
    takes = ", ".join(f"%x{i}: {t}" for i, t in enumerate(given))
    many = len(results) > 1
    gives = ", ".join(f"%r#{i}" for i in range(len(results))) if many else "%r"
    body = (
        f"func.func @main({takes}) -> ({made}) {{\n"
        f"  %r{f':{len(results)}' if many else ''} = stablehlo.custom_call @{target}({names}) {config}: "
        f"({', '.join(given)}) -> {f'({made})' if many else made}\n"
        f"  return {gives} : {made}\n}}\n"
    )
    return _core.op("tenfold.inline", None, len(results), inputs=list(inputs), body=body)


def _complex_slogdet(x: Array) -> Slogdet:
    *batch, n, _ = x.shape
    lu, pivots, _order = _call(
        "LuDecomposition", [x], [(x.shape, _MLIR[x.dtype]), ((*batch, n), "i32"), ((*batch, n), "i32")]
    )
    values = diagonal(lu)
    size = el.abs(values)
    odd = st.sum(pivots != creation.arange(n, dtype=dtypes.int32, device=x.device), axis=-1) % 2
    turned = _core.cast(1 - 2 * odd, x.dtype)
    return Slogdet(turned * st.prod(el.sign(values), axis=-1), st.sum(el.log(size), axis=-1))


def inv(x: Array, /) -> Array:
    """The inverse of a square matrix."""
    _matrices("inv", x, True)
    return _core.op("linalg_inv", None, 1, A=x) if x.size else +x


def solve(x1: Array, x2: Array, /) -> Array:
    """What x1 must be multiplied by to give x2, a matrix or a vector."""
    _matrices("solve", x1, True)
    dtype = dtypes.result_type(x1, x2)
    x1, x2 = _core.cast(x1, dtype), _core.cast(x2, dtype)
    size = x1.shape[-1]
    vector = x2.ndim == 1
    if x2.shape[0 if vector else -2] != size:
        raise ValueError(f"solve: shapes {x1.shape} and {x2.shape} do not fit each other")
    b = expand_dims(x2, 1) if vector else x2
    batch = broadcast_shapes(x1.shape[:-2], b.shape[:-2])
    b = broadcast_to(b, (*batch, size, b.shape[-1]))
    a = broadcast_to(x1, (*batch, size, size))
    result = _core.op("linalg_solve", None, 1, A=a, B=b, left=True) if b.size else b
    return reshape(result, result.shape[:-1]) if vector else result


def matrix_power(x: Array, n: int, /) -> Array:
    """A square matrix multiplied by itself."""
    _matrices("matrix_power", x, True)
    if not x.size:
        return +x
    if n == 0:
        return broadcast_to(creation.eye(x.shape[-1], dtype=x.dtype, device=x.device), x.shape)
    base, result = (inv(x) if n < 0 else x), None
    n = abs(n)
    while n:
        if n & 1:
            result = base if result is None else result @ base
        n >>= 1
        if n:
            base = base @ base
    return +result


class Eigh(NamedTuple):
    """What eigh gives."""

    eigenvalues: Array
    eigenvectors: Array


class Eig(NamedTuple):
    """What eig gives."""

    eigenvalues: Array
    eigenvectors: Array


def eigh(x: Array, /) -> Eigh:
    """Eigenvalues, in order, and eigenvectors of a symmetric or Hermitian matrix."""
    _matrices("eigh", x, True)
    if not x.size:
        real = dtypes.real_of(x.dtype)
        return Eigh(creation.zeros(x.shape[:-1], dtype=real, device=x.device), +x)
    return Eigh(*_core.op("_linalg_eigh", None, 2, A=x, UPLO="L", compute_v=True))


def eigvalsh(x: Array, /) -> Array:
    """Eigenvalues, in order, of a symmetric or Hermitian matrix."""
    return eigh(x).eigenvalues


def eig(x: Array, /) -> Eig:
    """Eigenvalues and eigenvectors of a square matrix, complex numbers."""
    _matrices("eig", x, True)
    dtype = dtypes.complex_of(x.dtype)
    if not x.size:
        return Eig(creation.zeros(x.shape[:-1], dtype=dtype, device=x.device), _core.cast(x, dtype))
    x = _core.cast(x, dtypes.DEFAULT_FLOAT) if dtypes.is_integer(x.dtype) else x
    name = _MLIR[dtype]
    return Eig(*_call("tenfold.eig", [x], [(x.shape[:-1], name), (x.shape, name)], '{backend_config = "r"} '))


def eigvals(x: Array, /) -> Array:
    """Eigenvalues of a square matrix, complex numbers."""
    return eig(x).eigenvalues


class QR(NamedTuple):
    """What qr gives."""

    Q: Array
    R: Array


def qr(x: Array, /, *, mode: str = "reduced") -> QR:
    """An orthonormal and an upper triangular factor."""
    _matrices("qr", x)
    if mode not in ("reduced", "complete"):
        raise ValueError(f"qr: mode is 'reduced' or 'complete', not {mode!r}")
    if dtypes.is_complex(x.dtype):
        return _complex_qr(x, mode)
    return QR(*_core.op("linalg_qr", None, 2, A=x, mode=mode))


def _complex_qr(x: Array, mode: str) -> QR:
    *batch, m, n = x.shape
    k, name = min(m, n), _MLIR[x.dtype]
    packed, taus = _call("Qr", [x], [(x.shape, name), ((*batch, k), name)])
    size = m if mode == "complete" else k
    upper = creation.triu(packed)[..., :size, :]
    reflectors = packed[..., :, : min(n, size)]
    if reflectors.shape[-1] < size:
        zeros = creation.zeros((*batch, m, size - reflectors.shape[-1]), dtype=x.dtype, device=x.device)
        reflectors = _core.op("cat", None, 1, tensors=[reflectors, zeros], dim=x.ndim - 1)
    q = _call("ProductOfElementaryHouseholderReflectors", [reflectors, taus], [((*batch, m, size), name)])
    return QR(q, upper)


class SVD(NamedTuple):
    """What svd gives."""

    U: Array
    S: Array
    Vh: Array


def svd(x: Array, /, *, full_matrices: builtins.bool = True) -> SVD:
    """Singular values in descending order, and vectors from the left and the right."""
    _matrices("svd", x)
    if dtypes.is_complex(x.dtype):
        return _complex_svd(x, full_matrices)
    return SVD(*_core.op("_linalg_svd", None, 3, A=x, full_matrices=full_matrices, compute_uv=True))


def _complex_svd(x: Array, full: builtins.bool) -> SVD:
    *batch, m, n = x.shape
    k, name = min(m, n), _MLIR[x.dtype]
    s, u, vh = _call(
        "tenfold.svd",
        [x],
        [
            ((*batch, k), _MLIR[dtypes.real_of(x.dtype)]),
            ((*batch, m, m if full else k), name),
            ((*batch, n if full else k, n), name),
        ],
    )
    return SVD(u, s, vh)


def svdvals(x: Array, /) -> Array:
    """Singular values in descending order."""
    return svd(x, full_matrices=False).S


def _tolerance(x: Array, values: Array, rtol: Any) -> Array:
    if rtol is None:
        rtol = max(x.shape[-2:]) * dtypes.finfo(x.dtype).eps
    largest = st.max(values, axis=-1, keepdims=True)
    if isinstance(rtol, Array):
        rtol = expand_dims(rtol, -1) if rtol.ndim else rtol
    return largest * rtol


def matrix_rank(x: Array, /, *, rtol: Any = None) -> Array:
    """How many singular values are larger than rtol times the largest."""
    _matrices("matrix_rank", x)
    if not min(x.shape[-2:]):
        return creation.zeros(x.shape[:-2], dtype=dtypes.DEFAULT_INT, device=x.device)
    values = svdvals(x)
    return st.sum(values > _tolerance(x, values, rtol), axis=-1, dtype=dtypes.DEFAULT_INT)


def pinv(x: Array, /, *, rtol: Any = None) -> Array:
    """The pseudo-inverse."""
    _matrices("pinv", x)
    if not x.size:
        return reshape(x, (*x.shape[:-2], x.shape[-1], x.shape[-2]))
    u, s, vh = svd(x, full_matrices=False)
    keep = s > _tolerance(x, s, rtol)
    one = creation.ones((), dtype=s.dtype, device=x.device)
    inverse = _core.op("where.self", None, 1, condition=keep, self=one / s, other=one * 0.0)
    right = el.conj(matrix_transpose(vh)) * _core.cast(expand_dims(inverse, -2), x.dtype)
    return right @ el.conj(matrix_transpose(u))


def vector_norm(x: Array, /, *, axis: Axes = None, keepdims: builtins.bool = False, ord: float = 2) -> Array:
    """The length of vectors, by any power."""
    axes = tuple(axes_of(axis, x.ndim))
    size = el.abs(x) if dtypes.is_float(x.dtype) or dtypes.is_complex(x.dtype) else el.abs(el._floats("vector_norm", x))
    if not axes:
        return el.abs(el._floats("vector_norm", x)) if ord else _core.cast(x != 0, size.dtype)
    if ord == math.inf:
        return st.max(size, axis=axes, keepdims=keepdims)
    if ord == -math.inf:
        return st.min(size, axis=axes, keepdims=keepdims)
    if ord == 0:
        return st.sum(_core.cast(x != 0, size.dtype), axis=axes, keepdims=keepdims)
    if ord == 1:
        return st.sum(size, axis=axes, keepdims=keepdims)
    if ord == 2:
        return el.sqrt(st.sum(size * size, axis=axes, keepdims=keepdims))
    return st.sum(size ** float(ord), axis=axes, keepdims=keepdims) ** (1.0 / ord)


def matrix_norm(x: Array, /, *, keepdims: builtins.bool = False, ord: Any = "fro") -> Array:
    """The norm of matrices."""
    _matrices("matrix_norm", x)
    size = el.abs(x)
    if ord == "fro":
        return el.sqrt(st.sum(size * size, axis=(-2, -1), keepdims=keepdims))
    if ord in (1, -1, math.inf, -math.inf):
        axis = -2 if abs(ord) == 1 else -1
        pick = st.max if ord > 0 else st.min
        sums = st.sum(size, axis=axis, keepdims=True)
        return pick(sums, axis=(-2, -1), keepdims=keepdims)
    if ord not in (2, -2, "nuc"):
        raise ValueError(f"matrix_norm: no norm {ord!r}; there are 'fro', 'nuc', 1, -1, 2, -2, inf, -inf")
    values = svdvals(x)
    result = st.sum(values, axis=-1) if ord == "nuc" else (st.max if ord > 0 else st.min)(values, axis=-1)
    return reshape(result, (*x.shape[:-2], 1, 1)) if keepdims else result


check_names(globals(), __name__)
