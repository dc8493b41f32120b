"""Random numbers by seed and position: the same on every device and in every language."""

from __future__ import annotations

import math
from typing import Any

from tenfold import _core
from tenfold.array import devices, dtypes
from tenfold.array.manipulation import checked_sizes
from tenfold.array.object import Array


class Generator:
    """Random numbers that follow each other; `seed` and `position` are all of its state."""

    def __init__(self, seed: int = 0, position: int = 0) -> None:
        self.seed, self.position = seed % 2**64, position

    def _draw(self, shape: Any, dtype: Any, device: Any, normal: bool) -> Array:
        sizes = tuple(checked_sizes(shape))
        made = _core.random(
            devices.device(device), sizes, dtype or dtypes.DEFAULT_FLOAT, self.seed, self.position, normal
        )
        self.position += math.prod(sizes) + math.prod(sizes) % 2  # numbers come in pairs
        return made

    def uniform(
        self, shape: Any = (), low: float = 0.0, high: float = 1.0, *, dtype: Any = None, device: Any = None
    ) -> Array:
        """Numbers from low up to high, which is not among them."""
        made = self._draw(shape, dtype, device, False)
        return made if (low, high) == (0.0, 1.0) else made * (high - low) + low

    def normal(
        self, shape: Any = (), mean: float = 0.0, std: float = 1.0, *, dtype: Any = None, device: Any = None
    ) -> Array:
        """Numbers that are normally distributed."""
        made = self._draw(shape, dtype, device, True)
        return made if (mean, std) == (0.0, 1.0) else made * std + mean

    def integers(self, low: int, high: int, shape: Any = (), *, device: Any = None) -> Array:
        """Integers from low up to high, which is not among them."""
        made = self._draw(shape, dtypes.float64, device, False)
        return _core.cast(_core.op("floor", None, 1, self=made * float(high - low)), dtypes.int64) + low

    def permutation(self, count: int, *, device: Any = None) -> Array:
        """The numbers below count in random order."""
        made = self._draw((count,), dtypes.float64, device, False)
        return _core.op("sort.stable", None, 2, self=made, dim=0, descending=False, stable=True)[1]


_default = Generator()


def seed(number: int) -> None:
    """Restarts the random numbers of this module."""
    _default.seed, _default.position = number % 2**64, 0


def default() -> Generator:
    """The generator of this module."""
    return _default


def uniform(shape: Any = (), low: float = 0.0, high: float = 1.0, *, dtype: Any = None, device: Any = None) -> Array:
    """Numbers from low up to high, which is not among them."""
    return _default.uniform(shape, low, high, dtype=dtype, device=device)


def normal(shape: Any = (), mean: float = 0.0, std: float = 1.0, *, dtype: Any = None, device: Any = None) -> Array:
    """Numbers that are normally distributed."""
    return _default.normal(shape, mean, std, dtype=dtype, device=device)
