"""Gradients of JAX programs: StableHLO from jax.jit(f).lower, differentiated here, against jax.grad."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="jax is not installed")
import jax.numpy as jnp  # noqa: E402
import tenfold  # noqa: E402
from jax import lax  # noqa: E402
from tenfold import _core  # noqa: E402

random = np.random.default_rng(0)


def f32(*shape: int, low: float = -2.0, high: float = 2.0) -> np.ndarray:
    return random.uniform(low, high, shape).astype(np.float32)


def positive(*shape: int) -> np.ndarray:
    return f32(*shape, low=0.2, high=3.0)


def inside(*shape: int) -> np.ndarray:
    return f32(*shape, low=-0.9, high=0.9)


def weighted(y: Any) -> Any:
    """A scalar of all results, real or complex, each element with a weight of its own."""
    total = 0.0
    for leaf in jax.tree_util.tree_leaves(y):
        if jnp.issubdtype(leaf.dtype, jnp.complexfloating):
            total = total + weighted(jnp.real(leaf)) + 2.0 * weighted(jnp.imag(leaf))
        elif jnp.issubdtype(leaf.dtype, jnp.floating):
            weights = jnp.cos(jnp.arange(leaf.size, dtype=jnp.float32)).reshape(leaf.shape)
            total = total + jnp.sum(leaf.astype(jnp.float32) * weights)
    return total


def spd(x: Any) -> Any:
    return x @ x.T + 4 * jnp.eye(x.shape[0])


def conv(x: Any, w: Any, **options: Any) -> Any:
    return lax.conv_general_dilated(x, w, **({"window_strides": (1, 1), "padding": "SAME"} | options))


UNARY: dict[str, tuple[Callable[..., Any], Callable[..., np.ndarray]]] = {
    "abs": (jnp.abs, f32),
    "neg": (jnp.negative, f32),
    "exp": (jnp.exp, f32),
    "expm1": (jnp.expm1, f32),
    "exp2": (jnp.exp2, f32),
    "log": (jnp.log, positive),
    "log1p": (jnp.log1p, positive),
    "log2": (jnp.log2, positive),
    "sqrt": (jnp.sqrt, positive),
    "rsqrt": (lax.rsqrt, positive),
    "cbrt": (jnp.cbrt, positive),
    "square": (jnp.square, f32),
    "reciprocal": (jnp.reciprocal, positive),
    "sin": (jnp.sin, f32),
    "cos": (jnp.cos, f32),
    "tan": (jnp.tan, inside),
    "asin": (jnp.arcsin, inside),
    "acos": (jnp.arccos, inside),
    "atan": (jnp.arctan, f32),
    "sinh": (jnp.sinh, f32),
    "cosh": (jnp.cosh, f32),
    "tanh": (jnp.tanh, f32),
    "asinh": (jnp.arcsinh, f32),
    "acosh": (lambda x: jnp.arccosh(x + 1.5), positive),
    "atanh": (jnp.arctanh, inside),
    "erf": (lax.erf, f32),
    "erfc": (lax.erfc, f32),
    "erf_inv": (lax.erf_inv, inside),
    "lgamma": (lax.lgamma, positive),
    "digamma": (lax.digamma, positive),
    "sigmoid": (jax.nn.sigmoid, f32),
    "relu": (jax.nn.relu, f32),
    "gelu": (jax.nn.gelu, f32),
    "gelu_exact": (lambda x: jax.nn.gelu(x, approximate=False), f32),
    "silu": (jax.nn.silu, f32),
    "elu": (jax.nn.elu, f32),
    "selu": (jax.nn.selu, f32),
    "softplus": (jax.nn.softplus, f32),
    "softsign": (jax.nn.soft_sign, f32),
    "celu": (jax.nn.celu, f32),
    "leaky_relu": (jax.nn.leaky_relu, f32),
    "hard_tanh": (jax.nn.hard_tanh, f32),
    "hard_swish": (jax.nn.hard_swish, f32),
    "mish": (jax.nn.mish, f32),
    "log_sigmoid": (jax.nn.log_sigmoid, f32),
    "sinc": (jnp.sinc, positive),
    "floor": (lambda x: jnp.floor(x) * x, f32),
    "round": (lambda x: jnp.round(x) * x, f32),
    "sign": (lambda x: jnp.sign(x) * x, f32),
    "polygamma": (lambda x: jax.scipy.special.polygamma(1, x), positive),
    "zeta": (lambda x: jax.scipy.special.zeta(3.0, x), positive),
    "bf16": (lambda x: (x.astype(jnp.bfloat16) * 3).astype(jnp.float32), f32),
}

CASES: dict[str, tuple[Callable[..., Any], tuple[np.ndarray, ...]]] = {
    # pairs
    "add": (jnp.add, (f32(3, 4), f32(4))),
    "sub": (jnp.subtract, (f32(3, 1), f32(4))),
    "mul": (jnp.multiply, (f32(3, 4), f32(3, 4))),
    "div": (jnp.divide, (f32(3, 4), positive(3, 4))),
    "pow": (jnp.power, (positive(3, 4), f32(3, 4))),
    "integer_pow": (lambda x: x**3, (f32(5),)),
    "max": (jnp.maximum, (f32(3, 4), f32(3, 4))),
    "min": (jnp.minimum, (f32(3, 4), f32(3, 4))),
    "atan2": (jnp.arctan2, (f32(3, 4), positive(3, 4))),
    "rem": (jnp.remainder, (f32(5), positive(5))),
    "hypot": (jnp.hypot, (f32(5), positive(5))),
    "logaddexp": (jnp.logaddexp, (f32(5), f32(5))),
    "nextafter": (lambda x: x * 2, (f32(5),)),
    "clip": (lambda x: jnp.clip(x, -0.5, 0.7), (f32(9),)),
    "where": (lambda x, y: jnp.where(x > 0, x * y, y), (f32(9), f32(9))),
    "copysign": (lambda x, y: jnp.copysign(x, y), (positive(5), f32(5))),
    # shapes
    "reshape": (lambda x: x.reshape(2, 6), (f32(3, 4),)),
    "transpose": (lambda x: x.transpose(2, 0, 1), (f32(2, 3, 4),)),
    "broadcast": (lambda x: jnp.broadcast_to(x, (3, 4)), (f32(4),)),
    "squeeze": (jnp.squeeze, (f32(3, 1, 2),)),
    "concatenate": (lambda x, y: jnp.concatenate([x, y, x], 1), (f32(2, 3), f32(2, 1))),
    "slice": (lambda x: x[1:, ::2], (f32(3, 5),)),
    "flip": (lambda x: jnp.flip(x, 1), (f32(3, 4),)),
    "pad": (lambda x, v: lax.pad(x, v, ((1, 2, 1), (-1, 0, 0))), (f32(3, 4), np.array(0.5, np.float32))),
    "dynamic_slice": (lambda x: lax.dynamic_slice(x, (1, 0), (2, 3)), (f32(4, 4),)),
    "dynamic_update": (lambda x, u: lax.dynamic_update_slice(x, u, (1, 2)), (f32(4, 4), f32(2, 2))),
    "roll": (lambda x: jnp.roll(x, 2, 0), (f32(5, 2),)),
    "tile": (lambda x: jnp.tile(x, (2, 3)), (f32(2, 2),)),
    "stack": (lambda x, y: jnp.stack([x, y], 1), (f32(3), f32(3))),
    "split": (lambda x: jnp.split(x, 3), (f32(6, 2),)),
    "diag": (jnp.diag, (f32(4, 4),)),
    "tril": (jnp.tril, (f32(4, 4),)),
    "repeat": (lambda x: jnp.repeat(x, 2), (f32(4),)),
    "triu": (lambda x: jnp.triu(x, 1), (f32(4, 4),)),
    "rot90": (jnp.rot90, (f32(3, 2),)),
    # reductions
    "sum": (lambda x: jnp.sum(x, (0, 2)), (f32(2, 3, 4),)),
    "mean": (lambda x: jnp.mean(x, 1), (f32(3, 4),)),
    "reduce_max": (lambda x: jnp.max(x, 1), (f32(3, 7),)),
    "reduce_min": (lambda x: jnp.min(x), (f32(3, 7),)),
    "prod": (lambda x: jnp.prod(x, 1), (positive(3, 4),)),
    "var": (lambda x: jnp.var(x, 0), (f32(6, 3),)),
    "std": (lambda x: jnp.std(x, 1), (f32(3, 6),)),
    "logsumexp": (lambda x: jax.nn.logsumexp(x, 1), (f32(3, 5),)),
    "softmax": (jax.nn.softmax, (f32(3, 5),)),
    "log_softmax": (jax.nn.log_softmax, (f32(3, 5),)),
    "norm": (jnp.linalg.norm, (f32(3, 5),)),
    "cumsum": (lambda x: jnp.cumsum(x, 1), (f32(3, 5),)),
    "cumprod": (lambda x: jnp.cumprod(x, 0), (positive(4, 3),)),
    "cummax": (lambda x: lax.cummax(x, 1), (f32(3, 5),)),
    "cumlogsumexp": (lambda x: lax.cumlogsumexp(x, 1), (f32(3, 5),)),
    "trace": (jnp.trace, (f32(4, 4),)),
    "median": (lambda x: jnp.median(x, 1), (f32(3, 5),)),
    "layer_norm": (
        lambda x, g: (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * g,
        (f32(3, 8), f32(8)),
    ),
    # contractions
    "matmul": (jnp.matmul, (f32(3, 4), f32(4, 5))),
    "batched": (jnp.matmul, (f32(2, 3, 4), f32(2, 4, 5))),
    "einsum": (lambda x, y: jnp.einsum("bij,bkj->bik", x, y), (f32(2, 3, 4), f32(2, 5, 4))),
    "tensordot": (lambda x, y: jnp.tensordot(x, y, ((0, 2), (1, 0))), (f32(2, 3, 4), f32(4, 2, 5))),
    "outer": (jnp.outer, (f32(3), f32(4))),
    "vdot": (jnp.vdot, (f32(5), f32(5))),
    "kron": (jnp.kron, (f32(2, 2), f32(2, 3))),
    "conv": (conv, (f32(2, 3, 6, 6), f32(4, 3, 3, 3))),
    "conv_stride": (
        lambda x, w: conv(x, w, window_strides=(2, 2), padding=((1, 1), (0, 2))),
        (f32(1, 2, 7, 7), f32(3, 2, 3, 3)),
    ),
    "conv_dilated": (lambda x, w: conv(x, w, rhs_dilation=(2, 2)), (f32(1, 2, 8, 8), f32(3, 2, 3, 3))),
    "conv_transpose": (
        lambda x, w: conv(x, w, lhs_dilation=(2, 2), padding=((1, 2), (1, 2))),
        (f32(1, 2, 4, 4), f32(3, 2, 3, 3)),
    ),
    "conv_groups": (lambda x, w: conv(x, w, feature_group_count=2), (f32(1, 4, 5, 5), f32(6, 2, 3, 3))),
    "conv_depthwise": (lambda x, w: conv(x, w, feature_group_count=4), (f32(1, 4, 5, 5), f32(4, 1, 3, 3))),
    "conv_batch_groups": (lambda x, w: conv(x, w, batch_group_count=2), (f32(4, 3, 5, 5), f32(4, 3, 3, 3))),
    "conv_1d": (lambda x, w: conv(x, w, window_strides=(2,), padding="VALID"), (f32(2, 3, 9), f32(4, 3, 3))),
    "conv_3d": (lambda x, w: conv(x, w, window_strides=(1, 1, 1)), (f32(1, 2, 4, 4, 4), f32(2, 2, 3, 3, 3))),
    # windows
    "max_pool": (lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2), (1, 2, 2), "VALID"), (f32(2, 6, 6),)),
    "max_pool_overlap": (
        lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3), (1, 2, 2), "SAME"),
        (f32(2, 7, 7),),
    ),
    "avg_pool": (lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 3, 3), (1, 2, 2), "SAME"), (f32(2, 7, 7),)),
    # indexing
    "take": (lambda x: jnp.take(x, jnp.array([2, 0, 2]), 0), (f32(4, 3),)),
    "gather": (lambda x: x[jnp.array([0, 2, 1]), jnp.array([1, 1, 3])], (f32(3, 4),)),
    "take_along": (lambda x: jnp.take_along_axis(x, jnp.array([[1, 0], [2, 2]]), 1), (f32(2, 3),)),
    "scatter_add": (lambda x, u: x.at[jnp.array([1, 1, 0])].add(u), (f32(3, 2), f32(3, 2))),
    "scatter_set": (lambda x, u: x.at[jnp.array([2, 0])].set(u), (f32(3, 2), f32(2, 2))),
    "scatter_mul": (lambda x, u: x.at[jnp.array([2, 0])].multiply(u, unique_indices=True), (f32(3, 2), f32(2, 2))),
    "embedding": (lambda w: w[jnp.array([[1, 3], [3, 0]])], (f32(5, 4),)),
    "one_hot": (lambda x: jax.nn.one_hot(jnp.array([1, 0]), 3) * x, (f32(2, 3),)),
    "sort": (lambda x: jnp.sort(x, 1), (f32(3, 6),)),
    "top_k": (lambda x: lax.top_k(x, 2)[0], (f32(3, 6),)),
    "sort_by": (lambda x, y: lax.sort((x, y), num_keys=1)[1], (f32(6), f32(6))),
    # control
    "scan": (lambda x, w: lax.scan(lambda c, a: (jnp.tanh(c @ w + a),) * 2, jnp.zeros(3), x), (f32(4, 3), f32(3, 3))),
    "fori": (lambda x: lax.fori_loop(0, 4, lambda i, v: jnp.sin(v) * 1.1 + i, x), (f32(4),)),
    "cond": (lambda x: lax.cond(jnp.sum(x) > 0, lambda v: jnp.sin(v), lambda v: v * v, x), (f32(4),)),
    "switch": (lambda x: lax.switch(2, [jnp.sin, jnp.cos, jnp.tanh], x), (f32(4),)),
    "map": (lambda x: lax.map(lambda r: jnp.exp(r).sum(), x), (f32(3, 4),)),
    "vmap": (jax.vmap(lambda a, b: jnp.dot(a, b) * a), (f32(3, 4), f32(3, 4))),
    "checkpoint": (jax.checkpoint(lambda x: jnp.sin(jnp.sin(x))), (f32(4),)),
    "associative_scan": (lambda x: lax.associative_scan(jnp.multiply, x), (positive(8),)),
    # linear algebra, Fourier, complex
    "cholesky": (lambda x: jnp.linalg.cholesky(spd(x)), (f32(4, 4),)),
    "triangular": (
        lambda a, b: lax.linalg.triangular_solve(jnp.tril(a) + 3 * jnp.eye(3), b, left_side=True, lower=True),
        (f32(3, 3), f32(3, 2)),
    ),
    "triangular_t": (
        lambda a, b: lax.linalg.triangular_solve(jnp.triu(a) + 3 * jnp.eye(3), b, transpose_a=True),
        (f32(3, 3), f32(2, 3)),
    ),
    "fft": (jnp.fft.fft, (f32(8),)),
    "ifft": (jnp.fft.ifft, (f32(8),)),
    "rfft": (jnp.fft.rfft, (f32(3, 8),)),
    "irfft": (lambda x: jnp.fft.irfft(x + 1j * x**2), (f32(5),)),
    "fft2": (jnp.fft.fft2, (f32(4, 4),)),
    "complex": (lambda x, y: lax.complex(x, y) ** 2, (f32(4), f32(4))),
    "complex_exp": (lambda x, y: jnp.exp(lax.complex(x, y)), (f32(4), f32(4))),
    "complex_div": (lambda x, y: 1.0 / lax.complex(x, y + 3), (f32(4), f32(4))),
    "complex_abs": (lambda x, y: jnp.abs(lax.complex(x, y + 3)), (f32(4), f32(4))),
    "complex_dot": (lambda x, y: lax.complex(x, y) @ lax.complex(y, x), (f32(3, 3), f32(3, 3))),
    "attention": (lambda q, k, v: jax.nn.softmax(q @ k.T / 2.0) @ v, (f32(5, 4), f32(6, 4), f32(6, 3))),
    "cross_entropy": (lambda x: -jnp.mean(jax.nn.log_softmax(x)[jnp.arange(4), jnp.array([1, 0, 2, 2])]), (f32(4, 3),)),
}
CASES |= {name: (function, (make(3, 5),)) for name, (function, make) in UNARY.items()}

# Smooth ones, twice.
SECOND = [
    "exp",
    "log",
    "sqrt",
    "rsqrt",
    "sin",
    "cos",
    "tan",
    "asin",
    "atan",
    "tanh",
    "erf",
    "lgamma",
    "sigmoid",
    "gelu",
    "silu",
    "softplus",
    "log1p",
    "expm1",
    "mul",
    "div",
    "pow",
    "integer_pow",
    "atan2",
    "logaddexp",
    "softmax",
    "log_softmax",
    "logsumexp",
    "layer_norm",
    "matmul",
    "einsum",
    "conv",
    "conv_stride",
    "prod",
    "var",
    "cumsum",
    "reshape",
    "concatenate",
    "pad",
    "gather",
    "scatter_add",
    "embedding",
    "attention",
    "cross_entropy",
    "cholesky",
    "triangular",
    "rfft",
    "complex_exp",
    "scan",
    "fori",
    "digamma",
    "avg_pool",
    "cumprod",
]


def program(function: Callable[..., Any], inputs: tuple[np.ndarray, ...]) -> tenfold.Program:
    """As JAX gives it to a TPU: on a CPU it would call LAPACK instead of the ops of StableHLO."""
    lowered = jax.jit(function, keep_unused=True).trace(*inputs).lower(lowering_platforms=("tpu",))
    return tenfold.Program(_core.parse(lowered.as_text()))


def gradients(
    function: Callable[..., Any], inputs: tuple[np.ndarray, ...]
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Ours, and those of JAX."""
    by = tuple(range(len(inputs)))
    want = jax.jit(jax.grad(function, by))(*inputs)
    got = program(function, inputs).grad()(*inputs)
    return [np.from_dlpack(g) for g in got], [np.asarray(w) for w in want]


def close(got: list[np.ndarray], want: list[np.ndarray], rtol: float = 2e-4) -> None:
    assert len(got) == len(want)
    for ours, theirs in zip(got, want, strict=True):
        size = float(np.abs(theirs).max(initial=0.0))
        np.testing.assert_allclose(ours, theirs, rtol=rtol, atol=2e-5 * max(size, 1.0))


@pytest.mark.parametrize("name", CASES)
def test_gradient(name: str) -> None:
    function, inputs = CASES[name]
    rtol = 5e-3 if name == "bf16" else 2e-4  # XLA leaves out roundings that the program asks for
    close(*gradients(lambda *xs: weighted(function(*xs)), inputs), rtol=rtol)


@pytest.mark.skipif(not os.environ.get("TENFOLD_TEST_ALL"), reason="make test-all")
@pytest.mark.parametrize("name", SECOND)
def test_second_gradient(name: str) -> None:
    """Our gradient of JAX's gradient, and our gradient of ours."""
    function, inputs = CASES[name]
    by = tuple(range(len(inputs)))

    def loss(*xs: Any) -> Any:
        return weighted(function(*xs))

    close(*gradients(lambda *xs: weighted(jax.grad(loss, by)(*xs)), inputs))
    want = jax.jit(jax.grad(lambda *xs: weighted(jax.grad(loss, by)(*xs)), by))(*inputs)
    once = program(loss, inputs).grad()
    weights = [np.cos(np.arange(x.size, dtype=np.float32)).reshape(x.shape) for x in inputs]
    twice = once.grad(by=list(by), cotangents=True)
    close([np.from_dlpack(g) for g in twice(*inputs, *weights)], [np.asarray(w) for w in want])
