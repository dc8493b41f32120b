"""Fourier transforms: the extension `fft` of the standard."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tenfold import _core
from tenfold.array import creation, dtypes
from tenfold.array.arguments import check_names
from tenfold.array.manipulation import axes_of, axis_of
from tenfold.array.object import Array


def _one(name: str, x: Array, n: int | None, axis: int, norm: str) -> Array:
    _norm(norm)
    axis_of(axis, x.ndim)
    if n is not None and n < 1:
        raise ValueError(f"{name}: {n} points")
    return _core.op(f"fft_{name}", None, 1, self=x, n=n, dim=axis, norm=norm)


def _many(name: str, x: Array, s: Sequence[int] | None, axes: Sequence[int] | None, norm: str) -> Array:
    _norm(norm)
    if axes is None:
        dims = None if s is None else list(range(x.ndim - len(s), x.ndim))
    else:
        dims = axes_of(tuple(axes), x.ndim)
    if s is not None and len(s) != len(dims):
        raise ValueError(f"{name}: {len(s)} sizes for {len(dims)} axes")
    if dims is None:
        dims = list(range(x.ndim))
    return _core.op(f"fft_{name}", None, 1, self=x, s=None if s is None else list(s), dim=dims, norm=norm)


def _norm(norm: str) -> None:
    if norm not in ("backward", "ortho", "forward"):
        raise ValueError(f"norm is 'backward', 'ortho' or 'forward', not {norm!r}")


def fft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """The transform along an axis."""
    return _one("fft", x, n, axis, norm)


def ifft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """The inverse transform along an axis."""
    return _one("ifft", x, n, axis, norm)


def fftn(
    x: Array, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: str = "backward"
) -> Array:
    """The transform along several axes."""
    return _many("fftn", x, s, axes, norm)


def ifftn(
    x: Array, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: str = "backward"
) -> Array:
    """The inverse transform along several axes."""
    return _many("ifftn", x, s, axes, norm)


def rfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """The transform of real numbers: the half that says all."""
    return _one("rfft", x, n, axis, norm)


def irfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """The inverse of rfft."""
    return _one("irfft", x, n, axis, norm)


def rfftn(
    x: Array, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: str = "backward"
) -> Array:
    """The transform of real numbers along several axes."""
    return _many("rfftn", x, s, axes, norm)


def irfftn(
    x: Array, /, *, s: Sequence[int] | None = None, axes: Sequence[int] | None = None, norm: str = "backward"
) -> Array:
    """The inverse of rfftn."""
    return _many("irfftn", x, s, axes, norm)


def hfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """The transform of what is Hermitian: real numbers."""
    return _one("hfft", x, n, axis, norm)


def ihfft(x: Array, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """The inverse of hfft."""
    return _one("ihfft", x, n, axis, norm)


def _frequencies(name: str, n: int, d: float, dtype: Any, device: Any) -> Array:
    if n < 1:
        raise ValueError(f"{name}: {n} points")
    dtype = dtype or dtypes.DEFAULT_FLOAT
    count = n // 2 + 1 if name == "rfftfreq" else n
    index = creation.arange(count, dtype=dtypes.float64, device=device)
    if name == "fftfreq":
        late = index >= float((n + 1) // 2)
        index = _core.op("where.self", None, 1, condition=late, self=index - float(n), other=index)
    return _core.cast(index / (n * float(d)), dtype)


def fftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Array:
    """The frequencies of fft's results."""
    return _frequencies("fftfreq", n, d, dtype, device)


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Array:
    """The frequencies of rfft's results."""
    return _frequencies("rfftfreq", n, d, dtype, device)


def fftshift(x: Array, /, *, axes: int | Sequence[int] | None = None) -> Array:
    """Frequency 0 in the middle."""
    dims = axes_of(axes if axes is None or isinstance(axes, int) else tuple(axes), x.ndim)
    return _core.op("fft_fftshift", None, 1, self=x, dim=dims) if dims else +x


def ifftshift(x: Array, /, *, axes: int | Sequence[int] | None = None) -> Array:
    """The inverse of fftshift."""
    dims = axes_of(axes if axes is None or isinstance(axes, int) else tuple(axes), x.ndim)
    return _core.op("fft_ifftshift", None, 1, self=x, dim=dims) if dims else +x


check_names(globals(), __name__)
