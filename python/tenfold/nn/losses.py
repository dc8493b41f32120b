"""Losses."""

from __future__ import annotations

from tenfold.array.object import Array
from tenfold.nn import functional
from tenfold.nn.module import Module


class MSELoss(Module):
    """The mean of the squares of differences."""

    def forward(self, x: Array, target: Array) -> Array:
        """One number."""
        return functional.mse_loss(x, target)


class CrossEntropyLoss(Module):
    """The mean of minus the logarithm of the softmax of the right classes."""

    def forward(self, x: Array, target: Array) -> Array:
        """One number."""
        return functional.cross_entropy(x, target)


class NLLLoss(Module):
    """The mean of minus the logarithms of the right classes."""

    def forward(self, x: Array, target: Array) -> Array:
        """One number."""
        return functional.nll_loss(x, target)


class L1Loss(Module):
    """The mean of absolute differences."""

    def forward(self, x: Array, target: Array) -> Array:
        """One number."""
        return functional.l1_loss(x, target)


class BCEWithLogitsLoss(Module):
    """The mean of minus the logarithm of the sigmoid of the right answers."""

    def forward(self, x: Array, target: Array) -> Array:
        """One number."""
        return functional.binary_cross_entropy_with_logits(x, target)
