"""Calls from compiled programs into Python, on one device and on several."""

from __future__ import annotations

import contextlib
import gc
import io
from typing import Any

import both
import jax
import jax.numpy as jnp
import numpy as np
from jax import shard_map
from jax.experimental import checkify, io_callback
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

F32 = jax.ShapeDtypeStruct((), jnp.float32)


def like(x: Any) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(x.shape, x.dtype)


def finish(x: Any) -> Any:
    jax.block_until_ready(x)
    jax.effects_barrier()
    return x


def case_pure(_: str) -> Any:
    calls = jax.jit(lambda x: jax.pure_callback(np.sin, like(x), x) * 2)
    return [calls(jnp.arange(3, dtype=jnp.float32)) for _ in range(3)]


def case_pure_not_jitted(_: str) -> Any:
    x = jnp.array([1, 2], jnp.int32)
    return jax.pure_callback(lambda v: np.asarray(v) + 1, like(x), x)


def case_pure_vmap(_: str) -> Any:
    def one(x):
        return jax.pure_callback(lambda v: np.asarray(v) * 2, like(x), x, vmap_method="sequential")

    return jax.vmap(one)(jnp.arange(3, dtype=jnp.float32))


def case_pure_grad(_: str) -> Any:
    @jax.custom_vjp
    def sine(x: Any) -> Any:
        return jax.pure_callback(np.sin, F32, x)

    sine.defvjp(lambda x: (sine(x), x), lambda x, g: (g * jax.pure_callback(np.cos, F32, x),))
    return jax.jit(jax.grad(sine))(jnp.float32(0.3))


def case_pure_in_scan(_: str) -> Any:
    def step(c, x):
        return (c + jax.pure_callback(lambda v: np.float32(v * v), F32, x), c)

    return jax.lax.scan(step, jnp.float32(0), jnp.arange(4, dtype=jnp.float32))


def case_dtypes(_: str) -> Any:
    out = []
    for dtype in (jnp.bfloat16, jnp.int8, jnp.uint16, jnp.complex64, bool, jnp.float8_e4m3fn):
        x = jnp.arange(4).reshape(2, 2).astype(dtype)
        out.append(np.asarray(jax.jit(lambda x: jax.pure_callback(np.asarray, like(x), x))(x)).astype(np.complex64))
    return [*out, jax.jit(lambda x: jax.pure_callback(np.asarray, like(x), x))(jnp.zeros((0, 2))).shape]


def case_ordered_in_loop(_: str) -> Any:
    seen = []

    def body(i: Any, c: Any) -> Any:
        io_callback(lambda a: seen.append(int(a)), None, i, ordered=True)
        return c + 1

    return finish(jax.jit(lambda: jax.lax.fori_loop(0, 5, body, 0))()), seen


def case_unordered(_: str) -> Any:
    seen = []

    @jax.jit
    def program(x: Any) -> Any:
        y = io_callback(lambda a: (seen.append(str(a)), np.float32(a * 2))[1], F32, x)
        io_callback(lambda: seen.append("end"), None)
        return y + 1

    return finish(program(jnp.float32(3))), sorted(seen)


def case_in_branches(_: str) -> Any:
    seen = []

    def branch(name):
        return lambda x: io_callback(lambda a: (seen.append(name), np.asarray(a))[1], F32, x, ordered=True)

    program = jax.jit(lambda x: jax.lax.cond(x > 0, branch("positive"), branch("negative"), x))
    return [finish(program(jnp.float32(x))) for x in (3, -3)], seen


def case_debug_print(_: str) -> Any:
    text = io.StringIO()
    with contextlib.redirect_stdout(text):

        @jax.jit
        def program(x: Any) -> Any:
            jax.debug.print("x={x} {}", x.sum(), x=x, ordered=True)
            jax.debug.print("bye", ordered=True)
            return x + 1

        finish(program(jnp.arange(3.0)))
        finish(jax.jit(jax.vmap(lambda v: (jax.debug.print("v {}", v), v)[1]))(jnp.arange(2)))
        finish(jax.grad(lambda v: (jax.debug.print("g {}", v), v * v)[1])(2.0))
    return text.getvalue()


def case_checkify(_: str) -> Any:
    def logarithm(x: Any) -> Any:
        checkify.check(x > 0, "must be positive: {x}", x=x)
        return jnp.log(x)

    return str(jax.jit(checkify.checkify(logarithm))(-1.0)[0].get())


def case_errors(_: str) -> Any:
    def fails(v: Any) -> Any:
        raise ValueError("the callback's own words")

    out = []
    for callback in (fails, lambda v: np.zeros(3, np.float32), lambda v: np.float64(v), lambda v: (v, v)):
        try:
            finish(jax.jit(lambda x, callback=callback: jax.pure_callback(callback, F32, x))(jnp.float32(1)))
        except Exception as problem:
            words = (
                "the callback's own words",
                "Incorrect output shape",
                "Incorrect output dtype",
                "Mismatched number",
            )
            out.append([type(problem).__name__, *(word in str(problem) for word in words)])
    return out


def case_own_runs_programs_inside(platform: str) -> bool:
    def inner(v: Any) -> Any:
        with jax.default_device(jax.devices(platform)[0]):
            return np.asarray(jax.jit(lambda a: jnp.sin(a) @ a)(jnp.asarray(v)))

    x = jnp.arange(3, dtype=jnp.float32)
    got = jax.jit(lambda x: jax.pure_callback(inner, F32, x))(x)
    return abs(float(got) - float(np.sin(np.arange(3.0)) @ np.arange(3.0))) < 1e-5


def case_own_let_go(_: str) -> bool:
    from jax_plugins.tenfold import callbacks

    for i in range(3):
        finish(jax.jit(lambda x, i=i: jax.pure_callback(lambda v: np.asarray(v) + i, F32, x))(jnp.float32(1)))
    held = len(callbacks._entries)
    jax.clear_caches()
    gc.collect()
    return held >= 3 and not callbacks._entries


def mesh(platform: str) -> Mesh:
    return Mesh(np.array(jax.devices(platform)[:4]).reshape(2, 2), ("a", "b"))


def tiles(platform: str) -> jax.Array:
    return jax.device_put(np.arange(16, dtype=np.float32).reshape(4, 4), NamedSharding(mesh(platform), P("a", "b")))


def case_devices_pure(platform: str) -> Any:
    shapes = []

    def summed(v):
        return (shapes.append(v.shape), np.cumsum(v))[1]

    result = jax.ShapeDtypeStruct((16,), jnp.float32)
    cut = NamedSharding(mesh(platform), P(("a", "b")))
    out = jax.jit(lambda x: jax.pure_callback(summed, result, x * 2) + 1, out_shardings=cut)(tiles(platform))
    return finish(out), shapes, [shard.data.shape for shard in out.addressable_shards]


def case_devices_io(platform: str) -> Any:
    seen = []

    def program(x: Any) -> Any:
        y = io_callback(lambda v: (seen.append(float(v.sum())), np.float32(v.sum()))[1], F32, x)
        io_callback(lambda v: seen.append(float(v)), None, y + 1)
        return x + y

    return finish(jax.jit(program)(tiles(platform))), sorted(seen)


def case_devices_ordered(platform: str) -> Any:
    seen = []

    def program(x: Any) -> Any:
        for i in range(3):
            io_callback(lambda v, i=i: seen.append((i, float(v.sum()))), None, x + i, ordered=True)
        return x

    return finish(jax.jit(program)(tiles(platform))), seen


def case_devices_loop(platform: str) -> Any:
    seen = []

    def body(i: Any, c: Any) -> Any:
        jax.debug.callback(lambda i, v: seen.append((int(i), float(v))), i, c.sum())
        return c + 1

    return finish(jax.jit(lambda x: jax.lax.fori_loop(0, 3, body, x))(tiles(platform))), sorted(seen)


def case_devices_shard_map(platform: str) -> Any:
    seen, outside = [], []

    def manual(x: Any) -> Any:
        jax.debug.callback(lambda v: seen.append(float(v.sum())), x)
        return jax.pure_callback(np.cos, like(x), x)

    def program(x: Any) -> Any:
        cut = P("a", "b")
        y = shard_map(manual, mesh=mesh(platform), in_specs=cut, out_specs=cut, check_vma=False)(x)
        io_callback(lambda v: outside.append(v.shape), None, y)
        return y

    return finish(jax.jit(program)(tiles(platform))), sorted(seen), outside


def case_devices_partitioned(platform: str) -> Any:
    seen = []

    def program(x: Any) -> Any:
        jax.debug.callback(lambda v: seen.append((v.shape, float(v.sum()))), x, partitioned=True)
        return x + 1

    return finish(jax.jit(program)(tiles(platform))), sorted(seen)


def case_devices_pmap(platform: str) -> Any:
    seen = []

    def one(x):
        return (jax.debug.callback(lambda v: seen.append(float(v)), x), x + 1)[1]

    return finish(jax.pmap(one, devices=jax.devices(platform)[:4])(np.arange(4, dtype=np.float32))), sorted(seen)


def case_own_devices_error(platform: str) -> bool:  # JAX's CPU waits for ever, and then aborts
    def fails(v: Any) -> Any:
        raise ValueError("the callback's own words")

    try:
        finish(jax.jit(lambda x: jax.pure_callback(fails, like(x), x * 2) + 1)(tiles(platform)))
    except jax.errors.JaxRuntimeError as problem:
        return "the callback's own words" in str(problem)
    return False


if __name__ == "__main__":
    both.main(globals())
