"""Values in summands (unreduced axes), gradients of shard_map, custom_partitioning: on four devices."""

from __future__ import annotations

from typing import Any

import both
import jax
import jax.numpy as jnp
import numpy as np
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


if __name__ == "__main__":
    both.main(globals())
