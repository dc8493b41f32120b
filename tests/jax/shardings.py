"""Values in summands (unreduced axes), gradients of shard_map, custom_partitioning: on four devices."""

from __future__ import annotations

from typing import Any

import both
import jax
import jax.numpy as jnp
import numpy as np
from jax._src.config import use_shardy_partitioner
from jax._src.lib import xla_client as xc
from jax.experimental.custom_partitioning import custom_partitioning
from jax.sharding import AxisType, Mesh
from jax.sharding import PartitionSpec as P

X = np.arange(16, dtype=np.float32).reshape(4, 4) / 10
W = np.cos(X)


def mesh(platform: str, kind: AxisType = AxisType.Explicit) -> Mesh:
    return jax.make_mesh((2, 2), ("a", "b"), axis_types=(kind, kind), devices=jax.devices(platform)[:4])


def told(values: Any) -> list:
    return [[str(v.sharding.spec), jax.reshard(v, P())] for v in values]


def case_gradient_of_reduced(platform: str) -> Any:
    with jax.set_mesh(mesh(platform)):
        x, w = jax.device_put(X, P("a", None)), jax.device_put(W, P(None, None, reduced={"a"}))
        return told([jax.jit(jax.grad(lambda x, w: (jnp.einsum("ij,jk->ik", x, w) ** 2).sum(), argnums=1))(x, w)])


def case_gradient_of_reduced_shard_map(platform: str) -> Any:
    with jax.set_mesh(mesh(platform)):
        x, w = jax.device_put(X, P("a", None)), jax.device_put(W, P(None, None, reduced={"a"}))

        @jax.shard_map(in_specs=(P("a", None), P(None, None, reduced={"a"})), out_specs=P("a", None))
        def layer(x: Any, w: Any) -> Any:
            return jnp.sin(x @ w)

        return told(jax.jit(jax.grad(lambda x, w: (layer(x, w) ** 2).sum(), argnums=(0, 1)))(x, w))


def case_accumulated_gradients(platform: str) -> Any:
    with jax.set_mesh(mesh(platform)):
        x, w = jax.device_put(X, P("a", None)), jax.device_put(W, P(None, None, reduced={"a"}))
        gradient = jax.jit(jax.grad(lambda w, x: jnp.sin(jnp.einsum("ij,jk->ik", x, w)).sum()))
        total = jax.jit(lambda p, q: jax.reshard(p + q, P()))(gradient(w, x), gradient(w, x * 2))
        return total


def case_unreduced_inside(platform: str) -> Any:
    with jax.set_mesh(mesh(platform)):
        x, w = jax.device_put(X, P(None, "a")), jax.device_put(W, P("a", None))

        def product(x, w):
            return jnp.einsum("ij,jk->ik", x, w, out_sharding=P(None, None, unreduced={"a"}))

        both_axes = jax.device_put(X, P(None, ("a", "b")))
        rows = jax.device_put(W, P(("a", "b"), None))

        def all_axes(x, w):
            return jnp.einsum("ij,jk->ik", x, w, out_sharding=P(None, None, unreduced={"a", "b"}))

        return [
            jax.jit(lambda x, w: jax.reshard(product(x, w), P()))(x, w),
            jax.reshard(jax.jit(product)(x, w), P("b", None)),
            jax.reshard(jax.jit(all_axes)(both_axes, rows), P("a", "b")),
        ]


def case_gradients_of_shard_map(platform: str) -> Any:
    grid = mesh(platform, AxisType.Auto)
    x = jax.device_put(X, jax.sharding.NamedSharding(grid, P("a", "b")))
    out = []
    for function, result in (
        (lambda x: jax.lax.psum(jnp.sin(x), "a"), P(None, "b")),
        (lambda x: jax.lax.psum(jnp.sin(x).sum(keepdims=True), ("a", "b")), P(None, None)),
        (lambda x: jax.lax.all_gather(jnp.sin(x), "a", tiled=True).sum(0, keepdims=True), P("a", "b")),
        (lambda x: jax.lax.psum_scatter(jnp.sin(x), "a", tiled=True), P("a", "b")),
        (lambda x: jax.lax.ppermute(jnp.sin(x), "a", [(0, 1), (1, 0)]), P("a", "b")),
    ):
        mapped = jax.shard_map(function, mesh=grid, in_specs=P("a", "b"), out_specs=result)
        out.append(jax.jit(jax.grad(lambda x, f=mapped: (f(x) ** 2).sum()))(x))
    return out


def case_custom_partitioning(platform: str) -> Any:
    @custom_partitioning
    def running_sum(x: Any) -> Any:
        return jnp.cumsum(x, axis=1)

    def cut(mesh: Any, args: Any, result: Any) -> Any:
        return mesh, lambda x: jnp.cumsum(x, axis=1), args[0].sharding, (args[0].sharding,)

    running_sum.def_partition(
        partition=cut,
        infer_sharding_from_operands=lambda mesh, args, result: args[0].sharding,
        sharding_rule="i j -> i j",
        need_replication_factors=("j",),
    )
    x = jax.device_put(X, jax.sharding.NamedSharding(mesh(platform, AxisType.Auto), P("a", None)))
    return jax.jit(lambda x: running_sum(x) * 2)(x), jax.jit(running_sum)(jnp.ones((2, 3)))


def placed(platform: str, value: Any, spec: Any) -> Any:
    return jax.device_put(value, jax.sharding.NamedSharding(mesh(platform, AxisType.Auto), spec))


def spectrum(seen: list, **rule: Any) -> Any:
    """FFT along rows, cut along the rest; every call of a rule is noted in `seen`."""

    def transform(x: Any) -> Any:
        return jnp.fft.fft(x.astype(jnp.complex64))

    function = custom_partitioning(transform)

    def rows(sharding: Any) -> Any:
        return jax.sharding.NamedSharding(sharding.mesh, P(sharding.spec[0], None))

    def partition(mesh: Any, args: Any, result: Any) -> Any:
        def lower(x: Any) -> Any:
            seen.append(("lower", x.shape))
            return transform(x)

        seen.append(("partition", tuple(args[0].sharding.spec), tuple(result.sharding.spec)))
        return mesh, lower, rows(args[0].sharding), (rows(args[0].sharding),)

    def infer(mesh: Any, args: Any, result: Any) -> Any:
        seen.append(("infer", tuple(args[0].sharding.spec)))
        return rows(args[0].sharding)

    def propagate(mesh: Any, user: Any) -> Any:
        seen.append(("propagate", tuple(user.sharding.spec)))
        return rows(user.sharding)

    function.def_partition(
        partition=partition, infer_sharding_from_operands=infer, propagate_user_sharding=propagate, **rule
    )
    return function


ROWS = {"sharding_rule": "i j -> i j", "need_replication_factors": ("j",)}


def case_partition_by_rule(platform: str) -> Any:
    """What the function was told, the shape it worked on, and the sharding of the result, too."""
    seen: list = []
    x = placed(platform, X, P("a", "b"))
    out = jax.jit(spectrum(seen, **ROWS))(x)
    return seen, out, str(out.sharding.spec)


def case_partition_wanted_by_user(platform: str) -> Any:
    seen: list = []
    out_sharding = jax.sharding.NamedSharding(mesh(platform, AxisType.Auto), P(("a", "b"), None))
    out = jax.jit(spectrum(seen, **ROWS), out_shardings=out_sharding)(placed(platform, X, P()))
    return seen[-2:], out, str(out.sharding.spec)


def case_partition_without_shardy(platform: str) -> Any:
    seen: list = []
    with use_shardy_partitioner(False):
        out = jax.jit(lambda x: spectrum(seen)(x) * 2)(placed(platform, X, P("a", "b")))
    return ("infer", ("a", "b")) in seen, seen[-2:], out


def case_partition_without_shardy_wanted(platform: str) -> Any:
    seen: list = []
    out_sharding = jax.sharding.NamedSharding(mesh(platform, AxisType.Auto), P("b", None))
    with use_shardy_partitioner(False):
        out = jax.jit(spectrum(seen), out_shardings=out_sharding)(placed(platform, X, P()))
    return seen[-1], ("propagate", ("b", None)) in seen, out


def summed_product() -> Any:
    """x @ w and the sum of x, where the summed dimension may be cut: the function adds up itself."""

    @custom_partitioning
    def product(x: Any, w: Any) -> Any:
        return x @ w, x.sum()

    def partition(mesh: Any, args: Any, result: Any) -> Any:
        axes = args[0].sharding.spec
        summed = tuple(name for axis in axes if axis for name in (axis if isinstance(axis, tuple) else (axis,)))

        def lower(x: Any, w: Any) -> Any:
            made = x @ w
            if axes[1]:
                made = jax.lax.psum(made, axes[1])
            return made, jax.lax.psum(x.sum(), summed) if summed else x.sum()

        cut = jax.sharding.NamedSharding
        results = cut(mesh, P(axes[0], None)), cut(mesh, P())
        return mesh, lower, results, (args[0].sharding, cut(mesh, P(axes[1], None)))

    product.def_partition(partition=partition, sharding_rule="i j, j k -> i k, ", reduction_factors=("j",))
    return product


def case_partition_with_collectives(platform: str) -> Any:
    product = summed_product()
    out = []
    for spec in (P("a", "b"), P(None, "a"), P(("a", "b"), None), P()):
        out.append(jax.jit(lambda x, w: jax.tree.map(lambda y: y + 1, product(x * 2, w)))(placed(platform, X, spec), W))
    return out


def case_partition_in_loops(platform: str) -> Any:
    product = summed_product()

    def step(carry: Any, w: Any) -> Any:
        made, total = product(carry, w)
        return made / 10, total

    square = jnp.stack([W @ W.T] * 3)
    return jax.jit(lambda x, w: jax.lax.scan(step, x, w))(placed(platform, X, P("a", None)), square)


def case_partition_next_to_shard_map(platform: str) -> Any:
    grid = mesh(platform, AxisType.Auto)
    seen: list = []
    double = jax.shard_map(lambda x: 2 * x, mesh=grid, in_specs=P("a", "b"), out_specs=P("a", "b"))
    return jax.jit(lambda x: spectrum(seen, **ROWS)(double(x)))(placed(platform, X, P("a", "b"))), len(seen) > 0


def case_own_partition_errors(platform: str) -> Any:
    function = custom_partitioning(jnp.sin)

    def partition(mesh: Any, args: Any, result: Any) -> Any:
        raise RuntimeError("no way to cut this")

    function.def_partition(partition=partition, sharding_rule="i j -> i j")
    try:
        jax.jit(function)(placed(platform, X, P("a", "b")))
    except Exception as problem:
        return "no way to cut this" in str(problem)
    return False


def case_own_partition_is_stored(platform: str) -> Any:
    """A stored program does not call the functions again: another process has others, or none."""
    from jax._src import custom_partitioning as internal

    seen: list = []
    x = placed(platform, X, P("a", "b"))
    compiled = jax.jit(spectrum(seen, **ROWS)).lower(x).compile()
    calls = len(seen)
    stored = compiled.runtime_executable().serialize()
    internal._sharding_callbacks.clear()
    devices = xc.DeviceList(tuple(x.sharding.mesh.devices.ravel()))
    loaded = x.sharding.mesh.devices.flat[0].client.deserialize_executable(stored, devices, None)
    pieces = loaded.execute_sharded([x]).disassemble_into_single_device_arrays()[0]
    want = [piece.data for piece in compiled(x).addressable_shards]
    same = all((np.asarray(got) == np.asarray(one)).all() for got, one in zip(pieces, want, strict=True))
    return calls > 0 and len(seen) == calls and same


if __name__ == "__main__":
    both.main(globals())
