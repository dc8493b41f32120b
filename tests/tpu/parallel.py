"""Training steps of one network, spread over the chips of a mesh in five ways, equal those of one chip.

    tenfold tpu-sim --topology v5e:2x4 -- python tests/tpu/parallel.py

Written as for a TPU: jax.sharding meshes, jit with shardings, shard_map with collectives. Prints a line for each way;
the status is 1 when parameters or losses after three steps of SGD with momentum differ from one chip's.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

CHIPS = len(jax.devices())
LAYERS, WIDTH, HIDDEN, BATCH, STEPS, RATE, MOMENTUM = CHIPS, 16, 32, 32, 3, 0.05, 0.9
Tree = Any


def parameters() -> Tree:
    """The layers' weights, stacked: one slice of each is a layer."""
    draw = np.random.RandomState(0)
    shapes = {"up": (WIDTH, HIDDEN), "bias": (HIDDEN,), "down": (HIDDEN, WIDTH)}
    return {name: draw.randn(LAYERS, *shape).astype(np.float32) * 0.2 for name, shape in shapes.items()}


def data() -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.RandomState(1)
    x, y = (draw.randn(BATCH, WIDTH).astype(np.float32) for _ in range(2))
    return x, y


def layer(weights: Tree, x: jax.Array) -> jax.Array:
    return x + jnp.tanh(x @ weights["up"] + weights["bias"]) @ weights["down"]


def loss_of(weights: Tree, x: jax.Array, y: jax.Array) -> jax.Array:
    out, _ = lax.scan(lambda h, w: (layer(w, h), None), x, weights)
    return jnp.mean((out - y) ** 2)


def step_with(gradients: Callable[..., tuple[jax.Array, Tree]]) -> Callable[..., tuple[Tree, Tree, jax.Array]]:
    def step(weights: Tree, speeds: Tree, x: jax.Array, y: jax.Array) -> tuple[Tree, Tree, jax.Array]:
        loss, grads = gradients(weights, x, y)
        speeds = jax.tree.map(lambda v, g: MOMENTUM * v + g, speeds, grads)
        return jax.tree.map(lambda w, v: w - RATE * v, weights, speeds), speeds, loss

    return step


def train(gradients: Callable[..., Any], place: Callable[[Tree], Tree], place_data: Callable[[Any], Any]) -> Tree:
    step = jax.jit(step_with(gradients), donate_argnums=(0, 1))
    weights = place(parameters())
    speeds = jax.tree.map(jnp.zeros_like, weights)
    x, y = map(place_data, data())
    losses = []
    for _ in range(STEPS):
        weights, speeds, loss = step(weights, speeds, x, y)
        losses.append(float(loss))
    return {"losses": np.array(losses), **jax.tree.map(np.asarray, weights)}


def on(mesh: Mesh, *axes: Any) -> Callable[[Tree], Tree]:
    return lambda tree: jax.tree.map(lambda v: jax.device_put(v, NamedSharding(mesh, P(*axes))), tree)


def one_chip() -> Tree:
    put = partial(jax.device_put, device=jax.devices()[0])
    return train(jax.value_and_grad(loss_of), put, put)


def data_parallel() -> Tree:
    """Every chip has all weights and its part of the batch; the gradients' sum is psum's."""
    mesh = Mesh(np.array(jax.devices()), ("data",))

    @partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data"), P("data")), out_specs=P(), check_vma=False)
    def gradients(weights: Tree, x: jax.Array, y: jax.Array) -> tuple[jax.Array, Tree]:
        return lax.pmean(jax.value_and_grad(loss_of)(weights, x, y), "data")

    return train(gradients, on(mesh), on(mesh, "data"))


def sharded_weights() -> Tree:
    """Weights, momentum and batch are in parts (as in ZeRO); the partitioner gathers what a layer needs."""
    mesh = Mesh(np.array(jax.devices()), ("data",))
    return train(jax.value_and_grad(loss_of), on(mesh, "data"), on(mesh, "data"))


def tensor_parallel() -> Tree:
    """Columns of the first matrix and rows of the second on every chip of "model", the batch over "data"."""
    mesh = Mesh(np.array(jax.devices()).reshape(2, -1), ("data", "model"))
    places = {"up": P(None, None, "model"), "bias": P(None, "model"), "down": P(None, "model", None)}

    def place(tree: Tree) -> Tree:
        return {name: jax.device_put(v, NamedSharding(mesh, places[name])) for name, v in tree.items()}

    return train(jax.value_and_grad(loss_of), place, on(mesh, "data"))


def pipelined(mesh: Mesh, parts: int) -> Callable[..., jax.Array]:
    """The loss, with every layer on a chip of "stage": activations of one of `parts` small batches go on to the next
    chip by ppermute at every tick, so that all chips work at once when the pipeline is full."""
    stages = mesh.shape["stage"]
    other = tuple(name for name in mesh.axis_names if name != "stage")

    @partial(
        jax.shard_map,
        mesh=mesh,
        in_specs=(P("stage"), P(None, *other), P(None, *other)),
        out_specs=P(),
        check_vma=False,
    )
    def run(weights: Tree, x: jax.Array, y: jax.Array) -> jax.Array:
        stage, own = lax.axis_index("stage"), jax.tree.map(lambda w: w, weights)

        def tick(carry: tuple[jax.Array, jax.Array], t: jax.Array) -> tuple[tuple[jax.Array, jax.Array], None]:
            arrived, done = carry
            h = jnp.where(stage == 0, x[jnp.clip(t, 0, parts - 1)], arrived)
            h, _ = lax.scan(lambda h, w: (layer(w, h), None), h, own)
            at = t - (stages - 1)
            ready = (stage == stages - 1) & (at >= 0)
            done = done.at[jnp.clip(at, 0, parts - 1)].add(jnp.where(ready, h, 0))
            return (lax.ppermute(h, "stage", [(i, i + 1) for i in range(stages - 1)]), done), None

        start = (jnp.zeros_like(x[0]), jnp.zeros_like(x))
        (_, done), _ = lax.scan(tick, start, jnp.arange(parts + stages - 1))
        here = jnp.where(stage == stages - 1, jnp.mean((done - y) ** 2), 0.0)
        return lax.pmean(lax.psum(here, "stage"), other) if other else lax.psum(here, "stage")

    def loss(weights: Tree, x: jax.Array, y: jax.Array) -> jax.Array:
        return run(weights, *(v.reshape(parts, BATCH // parts, WIDTH) for v in (x, y)))

    return loss


def pipeline_parallel() -> Tree:
    mesh = Mesh(np.array(jax.devices()), ("stage",))
    return train(jax.value_and_grad(pipelined(mesh, 8)), on(mesh, "stage"), on(mesh))


def pipeline_and_data() -> Tree:
    """Half as many stages, of several layers each, twice."""
    mesh = Mesh(np.array(jax.devices()).reshape(-1, 2), ("stage", "data"))
    return train(jax.value_and_grad(pipelined(mesh, 4)), on(mesh, "stage"), on(mesh))


WAYS = (data_parallel, sharded_weights, tensor_parallel, pipeline_parallel, pipeline_and_data)


def main() -> int:
    want, failed = one_chip(), 0
    for way in WAYS:
        have = way()
        off = max(float(np.abs(have[name] - value).max()) for name, value in want.items())
        failed += not off < 1e-5
        print(f"{'same' if off < 1e-5 else 'DIFFERS'} {way.__name__} on {CHIPS} chips: {off:.1e}", flush=True)
    start = {name: float(np.abs(want[name] - value).max()) for name, value in parameters().items()}
    assert min(start.values()) > 1e-3, "the steps changed nothing"
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
