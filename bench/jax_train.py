"""Trains an MLP and a convnet, written the way Flax does (init and apply over a tree of parameters), with JAX on
Tenfold and on JAX's own CPU, step by step, interleaved. Three checks, and the medians of the step times:

- in float64, where training cannot make a rounding large, the losses of all steps are the same to 1e-9;
- in float32, each step of JAX's CPU done again by Tenfold from the same parameters and optimizer state: the loss is the
  same to 1e-6, and the new moments (so the gradients) of the median step are 3e-6 from float64's at most. Not of every
  step: an activation that is nearly zero, or nearly its neighbour, is now and then on the one side or the other, in
  JAX's as well. (Tenfold's convolutions are Winograd's, which round two to three times as much.)
- in float32, each on its own: how far the losses drift apart, next to how far JAX's CPU drifts from itself when its
  first parameters are rounded once more. This is told, not judged: it says how the model grows a rounding.

    JAX_PLATFORMS=tenfold,cpu python bench/jax_train.py [--steps 30] [mlp] [convnet]
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

os.environ.setdefault("JAX_PLATFORMS", "tenfold,cpu")

import jax
import jax.numpy as jnp
import numpy as np


@dataclass
class Dense:
    features: int

    def init(self, key: Any, shape: tuple) -> tuple[dict, tuple]:
        kernel = jax.nn.initializers.lecun_normal()(key, (shape[-1], self.features), jnp.float32)
        return {"kernel": kernel, "bias": jnp.zeros(self.features)}, (*shape[:-1], self.features)

    def apply(self, params: dict, x: Any) -> Any:
        return x @ params["kernel"] + params["bias"]


@dataclass
class Conv:
    features: int

    def init(self, key: Any, shape: tuple) -> tuple[dict, tuple]:
        kernel = jax.nn.initializers.lecun_normal()(key, (3, 3, shape[-1], self.features), jnp.float32)
        return {"kernel": kernel, "bias": jnp.zeros(self.features)}, (*shape[:-1], self.features)

    def apply(self, params: dict, x: Any) -> Any:
        numbers = ("NHWC", "HWIO", "NHWC")
        return (
            jax.lax.conv_general_dilated(x, params["kernel"], (1, 1), "SAME", dimension_numbers=numbers)
            + params["bias"]
        )


@dataclass
class Apply:
    function: Callable
    shape: Callable

    def init(self, key: Any, shape: tuple) -> tuple[dict, tuple]:
        return {}, self.shape(shape)

    def apply(self, params: dict, x: Any) -> Any:
        return self.function(x)


def max_pool(x: Any) -> Any:
    return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


relu = Apply(jax.nn.relu, lambda s: s)
pool = Apply(max_pool, lambda s: (s[0], s[1] // 2, s[2] // 2, s[3]))
flat = Apply(lambda x: x.reshape(x.shape[0], -1), lambda s: (s[0], int(np.prod(s[1:]))))
MODELS: dict[str, tuple[tuple, list]] = {
    "mlp": ((128, 784), [Dense(512), relu, Dense(512), relu, Dense(10)]),
    "convnet": (
        (32, 32, 32, 3),
        [Conv(32), relu, Conv(32), relu, pool, Conv(64), relu, pool, flat, Dense(128), relu, Dense(10)],
    ),
}


def init(layers: list, shape: tuple, seed: int) -> list:
    params = []
    for key, layer in zip(jax.random.split(jax.random.key(seed), len(layers)), layers, strict=True):
        own, shape = layer.init(key, shape)
        params.append(own)
    return params


def make_step(layers: list) -> Callable:
    """Softmax cross-entropy and Adam."""

    def loss(params: list, x: Any, y: Any) -> Any:
        for layer, own in zip(layers, params, strict=True):
            x = layer.apply(own, x)
        return -jnp.mean(jnp.sum(jax.nn.log_softmax(x) * jax.nn.one_hot(y, 10, dtype=x.dtype), axis=-1))

    def step(params: list, state: tuple, x: Any, y: Any) -> tuple:
        value, grads = jax.value_and_grad(loss)(params, x, y)
        count, m, v = state
        count = count + 1
        m = jax.tree.map(lambda a, g: 0.9 * a + 0.1 * g, m, grads)
        v = jax.tree.map(lambda a, g: 0.999 * a + 0.001 * g * g, v, grads)

        def update(p: Any, a: Any, b: Any) -> Any:
            return p - 1e-3 * (a / (1 - 0.9**count)) / (jnp.sqrt(b / (1 - 0.999**count)) + 1e-8)

        return jax.tree.map(update, params, m, v), (count, m, v), value

    return jax.jit(step, donate_argnums=(0, 1))


class Run:
    """One model on one platform; `scale` is of its first parameters."""

    def __init__(self, name: str, platform: str, scale: float = 1.0, dtype: Any = np.float32) -> None:
        shape, layers = MODELS[name]
        self.device = jax.devices(platform)[0]
        with jax.default_device(jax.devices("cpu")[0]):
            params = jax.tree.map(lambda a: np.asarray(a, dtype) * dtype(scale), init(layers, shape, 0))
        self.params = jax.device_put(params, self.device)
        zeros = [jax.tree.map(np.zeros_like, params) for _ in range(2)]
        self.state = jax.device_put((dtype(0), *zeros), self.device)
        rng = np.random.default_rng(1)
        self.batches = [
            jax.device_put((rng.standard_normal(shape).astype(dtype), rng.integers(0, 10, shape[0])), self.device)
            for _ in range(4)
        ]
        self.step = make_step(layers)
        self.losses: list[float] = []
        self.times: list[float] = []

    def advance(self) -> None:
        x, y = self.batches[len(self.losses) % len(self.batches)]
        start = time.perf_counter()
        self.params, self.state, value = self.step(self.params, self.state, x, y)
        self.losses.append(float(value))
        self.times.append(time.perf_counter() - start)

    def follow(self, other: Run) -> None:
        """Goes on from where the other is, in its own precision."""
        there = jax.device_get((other.params, other.state))
        dtype = self.state[0].dtype
        self.params, self.state = jax.device_put(jax.tree.map(lambda a: np.asarray(a, dtype), there), self.device)


def drift(a: Run, b: Run) -> float:
    return max(abs(x - y) / abs(y) for x, y in zip(a.losses, b.losses, strict=True))


def apart(a: Run, b: Run) -> float:
    """Of the optimizer's moments: the norm of the differences over the norm."""
    ours, theirs = (
        np.concatenate([np.asarray(leaf, np.float64).ravel() for leaf in jax.tree.leaves(jax.device_get(run.state[1]))])
        for run in (a, b)
    )
    return float(np.linalg.norm(ours - theirs) / np.linalg.norm(theirs))


def in_double(name: str, steps: int) -> float:
    with jax.enable_x64(True):
        runs = [Run(name, platform, dtype=np.float64) for platform in ("tenfold", "cpu")]
        for _ in range(steps):
            for run in runs:
                run.advance()
        assert all(leaf.dtype == np.float64 for leaf in jax.tree.leaves(runs[0].params))
    return drift(*runs)


def step_by_step(name: str, steps: int) -> tuple[float, float, float]:
    """Losses apart; how far the moments are from float64's, Tenfold's and JAX's, in the median step."""
    ours, theirs = Run(name, "tenfold"), Run(name, "cpu")
    with jax.enable_x64(True):
        exact = Run(name, "cpu", dtype=np.float64)
    from_exact: list[tuple[float, float]] = []
    for _ in range(steps):
        ours.follow(theirs)
        with jax.enable_x64(True):
            exact.follow(theirs)
            exact.advance()
        for run in (ours, theirs):
            run.advance()
        from_exact.append((apart(ours, exact), apart(theirs, exact)))
    return drift(ours, theirs), *np.median(from_exact, axis=0).tolist()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", default=list(MODELS))
    parser.add_argument("--steps", type=int, default=30)
    args = parser.parse_args()
    good = True
    for name in args.models or MODELS:
        double = in_double(name, args.steps)
        loss, far, far_jax = step_by_step(name, args.steps)
        good = good and double < 1e-9 and loss < 1e-6 and far < 3e-6
        ours, theirs = Run(name, "tenfold"), Run(name, "cpu")
        nudged = Run(name, "cpu", 1 + 2**-23)
        for _ in range(args.steps):
            for run in (ours, theirs, nudged):
                run.advance()
        medians = [statistics.median(run.times[2:]) * 1e3 for run in (ours, theirs)]
        print(f"{name}: loss {ours.losses[0]:.4f} to {ours.losses[-1]:.4f}, JAX's CPU {theirs.losses[-1]:.4f}")
        print(f"  float64, {args.steps} steps: losses {double:.1e} apart at most")
        print(f"  float32, each step from the same state: losses {loss:.1e} apart at most; "
              f"moments from float64's {far:.1e}, JAX's {far_jax:.1e}")  # fmt: skip
        print(f"  float32, each on its own: {drift(ours, theirs):.1e}; JAX against itself, one rounding off: "
              f"{drift(nudged, theirs):.1e}")  # fmt: skip
        print(f"  first step {ours.times[0]:.2f} s, JAX's CPU {theirs.times[0]:.2f} s")
        print(f"  step {medians[0]:.2f} ms, JAX's CPU {medians[1]:.2f} ms, ratio {medians[0] / medians[1]:.2f}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
