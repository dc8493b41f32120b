"""Normalisation layers."""

from __future__ import annotations

from typing import Any

from tenfold.array import creation, dtypes
from tenfold.array.object import Array
from tenfold.nn import functional
from tenfold.nn.layers import several
from tenfold.nn.module import Module


class LayerNorm(Module):
    """The last axes with mean 0 and variance 1, then scaled and moved."""

    def __init__(self, normalized_shape: int | tuple[int, ...], eps: float = 1e-5, device: Any = None) -> None:
        self.shape, self.eps = several(normalized_shape, 1), eps
        self.weight, self.bias = creation.ones(self.shape, device=device), creation.zeros(self.shape, device=device)

    def forward(self, x: Array) -> Array:
        """The normalised array."""
        return functional.layer_norm(x, self.shape, self.weight, self.bias, self.eps)


class _BatchNorm(Module):
    buffers = ("running_mean", "running_var", "num_batches_tracked")
    _ranks: tuple[int, ...] = ()

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
    ) -> None:
        self.eps, self.momentum, shape = eps, momentum, (num_features,)
        self.weight = creation.ones(shape, device=device) if affine else None
        self.bias = creation.zeros(shape, device=device) if affine else None
        self.running_mean = creation.zeros(shape, device=device) if track_running_stats else None
        self.running_var = creation.ones(shape, device=device) if track_running_stats else None
        tracked = creation.zeros((), dtype=dtypes.int64, device=device) if track_running_stats else None
        self.num_batches_tracked = tracked

    def forward(self, x: Array) -> Array:
        """Normalised by the batch while it is trained, by the running statistics otherwise."""
        if x.ndim not in self._ranks:
            wanted = " or ".join(map(str, self._ranks))
            raise ValueError(f"{type(self).__name__} takes {wanted} dimensions; the array has {x.ndim}: {x.shape}")
        if not self.training and self.running_mean is not None:
            return functional.scaled(x, self.running_mean, self.running_var, self.weight, self.bias, self.eps)
        mean, variance = functional.statistics(x)
        if self.running_mean is not None:
            self._track(mean, variance, x.size // x.shape[1])
        return functional.scaled(x, mean, variance, self.weight, self.bias, self.eps)

    def _track(self, mean: Array, variance: Array, count: int) -> None:
        self.num_batches_tracked._become(self.num_batches_tracked + 1)
        share = 1.0 / int(self.num_batches_tracked) if self.momentum is None else self.momentum
        unbiased = variance * (count / max(count - 1, 1))
        self.running_mean._become(self.running_mean * (1 - share) + mean * share)
        self.running_var._become(self.running_var * (1 - share) + unbiased * share)


class BatchNorm1d(_BatchNorm):
    """Each channel of (N, C) or (N, C, L) with mean 0 and variance 1."""

    _ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Each channel of (N, C, H, W) with mean 0 and variance 1."""

    _ranks = (4,)


class BatchNorm3d(_BatchNorm):
    """Each channel of (N, C, D, H, W) with mean 0 and variance 1."""

    _ranks = (5,)


class GroupNorm(Module):
    """Each group of channels with mean 0 and variance 1."""

    def __init__(
        self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True, device: Any = None
    ) -> None:
        if num_groups < 1 or num_channels % num_groups:
            raise ValueError(f"{num_channels} channels cannot be divided into {num_groups} groups")
        self.groups, self.eps = num_groups, eps
        self.weight = creation.ones((num_channels,), device=device) if affine else None
        self.bias = creation.zeros((num_channels,), device=device) if affine else None

    def forward(self, x: Array) -> Array:
        """The normalised array."""
        return functional.group_norm(x, self.groups, self.weight, self.bias, self.eps)


class RMSNorm(Module):
    """The last axes divided by the root of the mean of their squares."""

    def __init__(self, normalized_shape: int | tuple[int, ...], eps: float | None = None, device: Any = None) -> None:
        self.shape, self.eps = several(normalized_shape, 1), eps
        self.weight = creation.ones(self.shape, device=device)

    def forward(self, x: Array) -> Array:
        """The normalised array."""
        return functional.rms_norm(x, self.shape, self.weight, self.eps)
