"""First values of parameters. Each function changes its array and gives it back."""

from __future__ import annotations

import math

from tenfold.array import creation, random
from tenfold.array.object import Array


def _fans(array: Array) -> tuple[int, int]:
    if array.ndim < 2:
        raise ValueError(f"an array of at least two dimensions has inputs and outputs; this one is {array.shape}")
    window = math.prod(array.shape[2:])
    return array.shape[1] * window, array.shape[0] * window


def _fill(array: Array, value: Array) -> Array:
    array._become(value)
    return array


def uniform_(array: Array, a: float = 0.0, b: float = 1.0) -> Array:
    """Numbers from a up to b."""
    return _fill(array, random.uniform(array.shape, a, b, dtype=array.dtype, device=array.device))


def normal_(array: Array, mean: float = 0.0, std: float = 1.0) -> Array:
    """Numbers that are normally distributed."""
    return _fill(array, random.normal(array.shape, mean, std, dtype=array.dtype, device=array.device))


def constant_(array: Array, value: float) -> Array:
    """One value everywhere."""
    return _fill(array, creation.full(array.shape, value, dtype=array.dtype, device=array.device))


def zeros_(array: Array) -> Array:
    """Zeros."""
    return constant_(array, 0.0)


def ones_(array: Array) -> Array:
    """Ones."""
    return constant_(array, 1.0)


def xavier_uniform_(array: Array, gain: float = 1.0) -> Array:
    """Uniform, by the number of inputs and outputs."""
    bound = gain * math.sqrt(6 / sum(_fans(array)))
    return uniform_(array, -bound, bound)


def xavier_normal_(array: Array, gain: float = 1.0) -> Array:
    """Normal, by the number of inputs and outputs."""
    return normal_(array, 0.0, gain * math.sqrt(2 / sum(_fans(array))))


def _kaiming(array: Array, a: float, mode: str, nonlinearity: str) -> float:
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"mode is 'fan_in' or 'fan_out', not {mode!r}")
    gains = {"relu": math.sqrt(2), "leaky_relu": math.sqrt(2 / (1 + a * a)), "linear": 1.0, "tanh": 5 / 3}
    if nonlinearity not in gains:
        raise ValueError(f"nonlinearity is one of {', '.join(gains)}, not {nonlinearity!r}")
    return gains[nonlinearity] / math.sqrt(_fans(array)[mode == "fan_out"])


def kaiming_uniform_(array: Array, a: float = 0.0, mode: str = "fan_in", nonlinearity: str = "leaky_relu") -> Array:
    """Uniform, by the number of inputs or outputs."""
    bound = math.sqrt(3) * _kaiming(array, a, mode, nonlinearity)
    return uniform_(array, -bound, bound)


def kaiming_normal_(array: Array, a: float = 0.0, mode: str = "fan_in", nonlinearity: str = "leaky_relu") -> Array:
    """Normal, by the number of inputs or outputs."""
    return normal_(array, 0.0, _kaiming(array, a, mode, nonlinearity))
