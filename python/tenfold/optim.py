"""Optimizers: `step` takes gradients as tenfold.value_and_grad gives them, and changes the parameters."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from tenfold.array import creation, trees
from tenfold.array.object import Array


class Optimizer:
    """Changes parameters by their gradients. Numbers have the names that PyTorch gives them."""

    def __init__(self, parameters: Iterable[Array], lr: float) -> None:
        self.parameters, self.lr, self.steps = list(parameters), lr, 0
        if not self.parameters:
            raise ValueError("an optimizer of no parameters")

    def step(self, gradients: Any) -> None:
        """One step: gradients are a list, or a dict as of a module, in the order of the parameters."""
        given = list(gradients.values()) if isinstance(gradients, dict) else trees.leaves(gradients)
        if len(given) != len(self.parameters):
            raise ValueError(f"{len(given)} gradients for {len(self.parameters)} parameters")
        self.steps += 1
        for number, (parameter, gradient) in enumerate(zip(self.parameters, given, strict=True)):
            parameter._become(self._updated(number, parameter, gradient))

    def _updated(self, number: int, parameter: Array, gradient: Array) -> Array:
        raise NotImplementedError


class SGD(Optimizer):
    """Gradient descent, with momentum where it is given."""

    def __init__(
        self,
        parameters: Iterable[Array],
        lr: float = 1e-3,
        momentum: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
    ) -> None:
        super().__init__(parameters, lr)
        self.momentum, self.weight_decay, self.nesterov = momentum, weight_decay, nesterov
        self.velocity: list[Array | None] = [None] * len(self.parameters)

    def _updated(self, number: int, parameter: Array, gradient: Array) -> Array:
        if self.weight_decay:
            gradient = gradient + parameter * self.weight_decay
        if self.momentum:
            before = self.velocity[number]
            velocity = gradient if before is None else before * self.momentum + gradient
            self.velocity[number] = velocity
            gradient = gradient + velocity * self.momentum if self.nesterov else velocity
        return parameter - gradient * self.lr


class Adam(Optimizer):
    """Adam; weights decay as a part of the gradient."""

    _decoupled = False
    _weight_decay = 0.0

    def __init__(
        self,
        parameters: Iterable[Array],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float | None = None,
    ) -> None:
        super().__init__(parameters, lr)
        self.betas, self.eps = betas, eps
        self.weight_decay = self._weight_decay if weight_decay is None else weight_decay
        self.first = [creation.zeros_like(p) for p in self.parameters]
        self.second = [creation.zeros_like(p) for p in self.parameters]

    def _updated(self, number: int, parameter: Array, gradient: Array) -> Array:
        one, two = self.betas
        if self.weight_decay and self._decoupled:
            parameter = parameter * (1 - self.lr * self.weight_decay)
        elif self.weight_decay:
            gradient = gradient + parameter * self.weight_decay
        first = self.first[number] = self.first[number] * one + gradient * (1 - one)
        second = self.second[number] = self.second[number] * two + gradient * gradient * (1 - two)
        root = second**0.5 / math.sqrt(1 - two**self.steps) + self.eps
        return parameter - first / root * (self.lr / (1 - one**self.steps))


class AdamW(Adam):
    """Adam; weights decay by themselves."""

    _decoupled = True
    _weight_decay = 1e-2


class Scheduler:
    """Changes an optimizer's learning rate; call `step` after each epoch."""

    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer, self.first, self.epoch = optimizer, optimizer.lr, 0
        optimizer.lr = self.first * self._factor()

    def step(self) -> None:
        """The rate of the next epoch."""
        self.epoch += 1
        self.optimizer.lr = self.first * self._factor()

    def _factor(self) -> float:
        raise NotImplementedError


class LambdaLR(Scheduler):
    """The first rate times a function of the epoch."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Callable[[int], float]) -> None:
        self.function = lr_lambda
        super().__init__(optimizer)

    def _factor(self) -> float:
        return self.function(self.epoch)


class StepLR(Scheduler):
    """Times gamma after each step_size epochs."""

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1) -> None:
        self.size, self.gamma = step_size, gamma
        super().__init__(optimizer)

    def _factor(self) -> float:
        return self.gamma ** (self.epoch // self.size)


class LinearLR(Scheduler):
    """From one factor to another in total_iters epochs."""

    def __init__(
        self, optimizer: Optimizer, start_factor: float = 1 / 3, end_factor: float = 1.0, total_iters: int = 5
    ) -> None:
        self.start, self.end, self.total = start_factor, end_factor, total_iters
        super().__init__(optimizer)

    def _factor(self) -> float:
        return self.start + (self.end - self.start) * min(self.epoch, self.total) / self.total


class CosineAnnealingLR(Scheduler):
    """Down to eta_min along a cosine of T_max epochs, and up again."""

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0) -> None:
        self.length, self.least = T_max, eta_min / optimizer.lr
        super().__init__(optimizer)

    def _factor(self) -> float:
        return self.least + (1 - self.least) * (1 + math.cos(math.pi * self.epoch / self.length)) / 2
