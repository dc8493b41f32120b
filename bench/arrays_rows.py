"""The rows of arrays.py, in each library: what a worker process runs. Every row is eager code as one writes it without
jit; where a library has a function for it (softmax, layer_norm, conv2d, gradients), the row calls that."""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

# What a row makes for a library: the call that is timed, and what of its result is compared.
Made = tuple[Callable[[], Any], Callable[[Any], np.ndarray]]

BATCH, WIDTHS, RATE = 128, (784, 256, 256, 10), 0.05
IMAGES, CHANNELS = (8, 16, 32, 32), 32


def data(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


class Library:
    """NumPy, and what the others do as it does. `numpy` of a result is what is compared."""

    name = "numpy"

    def __init__(self) -> None:
        self.xp = np

    def make(self, x: np.ndarray) -> Any:
        return x

    def done(self, x: Any) -> None:
        """Waits until the values are there."""

    def softmax(self, x: Any) -> Any:
        y = self.xp.exp(x - self.xp.max(x, axis=-1, keepdims=True))
        return y / self.xp.sum(y, axis=-1, keepdims=True)

    def layer_norm(self, x: Any) -> Any:
        apart = x - self.xp.mean(x, axis=-1, keepdims=True)
        return apart / self.xp.sqrt(self.xp.mean(apart * apart, axis=-1, keepdims=True) + 1e-5)

    def relu(self, x: Any) -> Any:
        return self.xp.maximum(x, 0.0)

    def step(self, loss: Callable[..., Any], parameters: list[Any], *rest: Any) -> list[Any]:
        """One step of gradient descent: the parameters after it."""
        raise NotImplementedError

    def mlp_step(self, parameters: list[np.ndarray], x: np.ndarray, target: np.ndarray) -> list[np.ndarray]:
        """By hand: NumPy has no gradients."""
        w1, b1, w2, b2, w3, b3 = parameters
        h1 = np.maximum(x @ w1 + b1, 0)
        h2 = np.maximum(h1 @ w2 + b2, 0)
        d3 = (h2 @ w3 + b3 - target) * np.float32(2 / target.size)
        d2 = (d3 @ w3.T) * (h2 > 0)
        d1 = (d2 @ w2.T) * (h1 > 0)
        gradients = [x.T @ d1, d1.sum(0), h1.T @ d2, d2.sum(0), h2.T @ d3, d3.sum(0)]
        return [p - np.float32(RATE) * g for p, g in zip(parameters, gradients, strict=True)]

    def convolve(self, x: Any, weight: Any) -> Any:
        """3 x 3, padded; images and weights as `image` and `kernel` made them."""
        raise NotImplementedError

    def image(self, x: np.ndarray) -> Any:
        return self.make(x)

    kernel = image

    def kernel_values(self, weight: Any) -> np.ndarray:
        return np.asarray(weight)


class Torch(Library):
    name = "torch"

    def __init__(self) -> None:
        self.xp = importlib.import_module("torch")
        self.functional = self.xp.nn.functional

    def make(self, x: np.ndarray) -> Any:
        return self.xp.from_numpy(x.copy())

    def softmax(self, x: Any) -> Any:
        return self.xp.softmax(x, dim=-1)

    def layer_norm(self, x: Any) -> Any:
        return self.functional.layer_norm(x, x.shape[-1:])

    def relu(self, x: Any) -> Any:
        return self.xp.relu(x)

    def step(self, loss: Callable[..., Any], parameters: list[Any], *rest: Any) -> list[Any]:
        leaves = [p.detach().requires_grad_() for p in parameters]
        gradients = self.xp.autograd.grad(loss(leaves, *rest), leaves)
        with self.xp.no_grad():
            return [p - RATE * g for p, g in zip(leaves, gradients, strict=True)]

    def convolve(self, x: Any, weight: Any) -> Any:
        return self.functional.conv2d(x, weight, padding=1)


class Jax(Library):
    name = "jax"

    def __init__(self) -> None:
        self.jax = importlib.import_module("jax")
        self.jax.config.update("jax_platforms", "cpu")
        self.xp = self.jax.numpy

    def make(self, x: np.ndarray) -> Any:
        return self.xp.asarray(x)

    def done(self, x: Any) -> None:
        self.jax.block_until_ready(x)

    def softmax(self, x: Any) -> Any:
        return self.jax.nn.softmax(x, axis=-1)

    def layer_norm(self, x: Any) -> Any:
        return self.jax.nn.standardize(x, axis=-1)

    def step(self, loss: Callable[..., Any], parameters: list[Any], *rest: Any) -> list[Any]:
        gradients = self.jax.grad(loss)(parameters, *rest)
        return [p - RATE * g for p, g in zip(parameters, gradients, strict=True)]

    def convolve(self, x: Any, weight: Any) -> Any:
        return self.jax.lax.conv_general_dilated(x, weight, (1, 1), "SAME")


class Mlx(Library):
    name = "mlx"

    def __init__(self) -> None:
        self.xp = importlib.import_module("mlx.core")
        self.xp.set_default_device(self.xp.cpu)

    def make(self, x: np.ndarray) -> Any:
        return self.xp.array(x)

    def done(self, x: Any) -> None:
        self.xp.eval(x)

    def softmax(self, x: Any) -> Any:
        return self.xp.softmax(x, axis=-1)

    def layer_norm(self, x: Any) -> Any:
        return self.xp.fast.layer_norm(x, None, None, 1e-5)

    def step(self, loss: Callable[..., Any], parameters: list[Any], *rest: Any) -> list[Any]:
        gradients = self.xp.grad(loss)(parameters, *rest)
        return [p - RATE * g for p, g in zip(parameters, gradients, strict=True)]

    def image(self, x: np.ndarray) -> Any:
        return self.make(np.ascontiguousarray(np.moveaxis(x, 1, -1)))

    kernel = image

    def kernel_values(self, weight: Any) -> np.ndarray:
        return np.moveaxis(np.asarray(weight), -1, 1)

    def convolve(self, x: Any, weight: Any) -> Any:
        return self.xp.conv2d(x, weight, padding=1)


class Tenfold(Library):
    name = "tenfold"

    def __init__(self) -> None:
        self.xp = importlib.import_module("tenfold")
        self.functional = importlib.import_module("tenfold.nn.functional")

    def make(self, x: np.ndarray) -> Any:
        return self.xp.asarray(x)

    def done(self, x: Any) -> None:
        if isinstance(x, list):
            x[0].device.synchronize()
        else:
            x._tensor()

    def softmax(self, x: Any) -> Any:
        return self.functional.softmax(x)

    def layer_norm(self, x: Any) -> Any:
        return self.functional.layer_norm(x, x.shape[-1:])

    def relu(self, x: Any) -> Any:
        return self.functional.relu(x)

    def step(self, loss: Callable[..., Any], parameters: list[Any], *rest: Any) -> list[Any]:
        gradients = self.xp.grad(loss)(parameters, *rest)
        return [p - RATE * g for p, g in zip(parameters, gradients, strict=True)]

    def convolve(self, x: Any, weight: Any) -> Any:
        return self.functional.conv(x, weight, None, (1, 1), (1, 1), (1, 1), 1)


LIBRARIES = {cls.name: cls for cls in (Tenfold, Library, Torch, Jax, Mlx)}


# ---- rows ----
def chain(lib: Library, count: int) -> Made:
    x, xp = lib.make(data(count)), lib.xp

    def call() -> Any:
        y = x
        for _ in range(4):
            y = xp.tanh(y * 1.5 + 0.25) * x - 0.125
        return y

    return call, np.asarray


def arithmetic(lib: Library, count: int) -> Made:
    x = lib.make(data(count))

    def call() -> Any:
        y = x
        for _ in range(4):
            y = (y * 0.5 + x) * x - y * 0.25
        return y

    return call, np.asarray


def softmax(lib: Library, *shape: int) -> Made:
    x = lib.make(data(*shape))
    return lambda: lib.softmax(x), np.asarray


def spelled_softmax(lib: Library, count: int) -> Made:
    x, xp = lib.make(data(count)), lib.xp

    def call() -> Any:
        y = xp.exp(x - xp.mean(x))
        return y / xp.sum(y)

    return call, np.asarray


def layer_norm(lib: Library, *shape: int) -> Made:
    x = lib.make(data(*shape))
    return lambda: lib.layer_norm(x), np.asarray


def spelled_norm(lib: Library, count: int) -> Made:
    x, xp = lib.make(data(count)), lib.xp

    def call() -> Any:
        apart = x - xp.mean(x)
        return apart / xp.sqrt(xp.mean(apart * apart) + 1e-5)

    return call, np.asarray


def matmul(lib: Library, n: int) -> Made:
    x, y = lib.make(data(n, n)), lib.make(data(n, n))
    return lambda: x @ y, np.asarray


def mlp(lib: Library) -> Made:
    parameters = []
    for a, b in itertools.pairwise(WIDTHS):
        parameters += [lib.make(data(a, b) * np.float32(a**-0.5)), lib.make(data(b) * np.float32(0.1))]
    x, target = lib.make(data(BATCH, WIDTHS[0])), lib.make(data(BATCH, WIDTHS[-1]))

    def loss(parameters: list[Any], x: Any, target: Any) -> Any:
        w1, b1, w2, b2, w3, b3 = parameters
        apart = lib.relu(lib.relu(x @ w1 + b1) @ w2 + b2) @ w3 + b3 - target
        return lib.xp.mean(apart * apart)

    def values(made: Any) -> np.ndarray:
        return np.concatenate([np.asarray(p).reshape(-1) for p in made])

    if lib.name == "numpy":
        return lambda: lib.mlp_step(parameters, x, target), values
    return lambda: lib.step(loss, parameters, x, target), values


def conv(lib: Library) -> Made:
    if lib.name == "numpy":
        raise NotImplementedError("NumPy has no convolution")
    first = data(CHANNELS, IMAGES[1], 3, 3) * np.float32((9 * IMAGES[1]) ** -0.5)
    second = data(CHANNELS, CHANNELS, 3, 3) * np.float32((9 * CHANNELS) ** -0.5)
    x, parameters = lib.image(data(*IMAGES)), [lib.kernel(first), lib.kernel(second)]

    def loss(parameters: list[Any], x: Any) -> Any:
        y = lib.convolve(lib.relu(lib.convolve(x, parameters[0])), parameters[1])
        return lib.xp.mean(y * y)

    def values(made: Any) -> np.ndarray:
        return np.concatenate([lib.kernel_values(p).reshape(-1) for p in made])

    return lambda: lib.step(loss, parameters, x), values


def rows() -> dict[str, Callable[[Library], Made]]:
    found: dict[str, Any] = {}
    for n in (1000, 100_000, 4_000_000):
        found[f"chain of 20 operations with tanh, {n}"] = lambda lib, n=n: chain(lib, n)
    for n in (1000, 100_000, 4_000_000):
        found[f"chain of 20 of arithmetic, {n}"] = lambda lib, n=n: arithmetic(lib, n)
    found["softmax spelled out, 1000000"] = lambda lib: spelled_softmax(lib, 1_000_000)
    found["normalization spelled out, 1000000"] = lambda lib: spelled_norm(lib, 1_000_000)
    for shape in ((64, 128), (1024, 1024)):
        found[f"softmax of rows, {shape[0]} x {shape[1]}"] = lambda lib, s=shape: softmax(lib, *s)
    for shape in ((64, 128), (1024, 1024)):
        found[f"layer norm of rows, {shape[0]} x {shape[1]}"] = lambda lib, s=shape: layer_norm(lib, *s)
    for n in (64, 128, 256, 512, 1024, 2048):
        found[f"matmul {n}"] = lambda lib, n=n: matmul(lib, n)
    found["3-layer MLP, training step"] = mlp
    found["2 convolutions, training step"] = conv
    return found
