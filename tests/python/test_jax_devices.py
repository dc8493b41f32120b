"""JAX on several devices of Tenfold: shardings, shard_map, pmap, collectives; the numbers of JAX's own CPU devices."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytest.importorskip("jax", reason="jax is not installed (scripts/setup test gets it)")

PROGRAM = """
import json
import numpy as np
import jax, jax.numpy as jnp
from jax import lax, shard_map
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

A = np.sin(np.arange(128, dtype=np.float32) ** 2).reshape(8, 16)
B = np.cos(np.arange(128, dtype=np.float32) ** 2).reshape(16, 8)

def mesh_of(platform, shape, names):
    return Mesh(np.array(jax.devices(platform)[: int(np.prod(shape))]).reshape(shape), names)

def auto(platform):
    mesh = mesh_of(platform, (2, 4), ("x", "y"))
    cut = lambda *axes: NamedSharding(mesh, P(*axes))
    f = jax.jit(lambda a, b: jnp.sin(a) @ b, in_shardings=(cut("x", "y"), cut("y", None)), out_shardings=cut("x", None))
    return f(A, B)

def propagated(platform):
    a = jax.device_put(A, NamedSharding(mesh_of(platform, (2, 4), ("x", "y")), P("y", "x")))
    return jax.jit(lambda a: (a * 2 + 1).T)(a)

def manual(platform):
    mesh = mesh_of(platform, (2, 4), ("x", "y"))
    f = lambda a: lax.psum(a, "x") + lax.axis_index("y")
    return jax.jit(shard_map(f, mesh=mesh, in_specs=P("x", "y"), out_specs=P(None, "y")))(A)

def collectives(platform):
    def f(a):
        g = lax.all_gather(a, "i")
        p = lax.ppermute(a, "i", [(j, (j + 3) % 8) for j in range(8)])
        t = lax.all_to_all(g, "i", 0, 0)
        s = lax.psum_scatter(g.reshape(8, -1), "i")
        return g.sum(0), p, t.sum(0), s[None], lax.pmax(a, "i") + lax.pmean(a, "i")
    mesh = mesh_of(platform, (8,), ("i",))
    return jax.jit(shard_map(f, mesh=mesh, in_specs=P("i"), out_specs=P("i"), check_vma=False))(A)

def pmap(platform):
    return jax.pmap(lambda a: lax.psum(a, "i") * a, axis_name="i", devices=jax.devices(platform)[:8])(A)

def training(platform):
    def loss(w, x):
        return jnp.mean(jnp.tanh(x @ w) ** 2)
    def step(w, x):
        value, grad = jax.value_and_grad(loss)(w, x)
        return w - 0.1 * lax.pmean(grad, "d"), lax.pmean(value, "d")
    mesh = mesh_of(platform, (4,), ("d",))
    f = jax.jit(shard_map(step, mesh=mesh, in_specs=(P(), P("d")), out_specs=(P(), P()), check_vma=False))
    w = jnp.ones((16, 8), jnp.float32)
    for _ in range(3):
        w, value = f(w, A)
    return w, value

def partly_manual(platform):
    mesh = mesh_of(platform, (2, 4), ("x", "y"))
    f = lambda a: lax.psum(a, "x") * 2
    g = jax.jit(shard_map(f, mesh=mesh, in_specs=P("x", None), out_specs=P(None, None), axis_names={"x"}))
    return g(jax.device_put(A, NamedSharding(mesh, P("x", "y"))))

def mixed(platform):
    mesh = mesh_of(platform, (2, 4), ("x", "y"))
    tile = lambda a: a * (1 + lax.axis_index("x"))
    scale = shard_map(tile, mesh=mesh, in_specs=P("x", "y"), out_specs=P("x", "y"))
    def f(a, b):
        c = lax.with_sharding_constraint(jnp.cos(a), NamedSharding(mesh, P(None, "y")))
        return jnp.mean(scale(c) + scale(a)), scale(a @ b)
    return jax.jit(f)(A, B)

def loop(platform):
    def f(a):
        return lax.scan(lambda c, _: (lax.psum(c, "d") * 0.1, None), a, None, length=3)[0]
    mesh = mesh_of(platform, (4,), ("d",))
    return jax.jit(shard_map(f, mesh=mesh, in_specs=P("d"), out_specs=P("d"), check_vma=False))(A)

def donated(platform):
    a = jax.device_put(A, NamedSharding(mesh_of(platform, (8,), ("d",)), P("d")))
    out = jax.jit(lambda x: x + 1, donate_argnums=0)(a)
    assert a.is_deleted()
    return out

def put(mesh, values, specs):
    return jax.tree.map(lambda v, s: jax.device_put(v, NamedSharding(mesh, s)), values, specs)

def layers(platform):
    def loss(p, x):
        return jnp.mean(jax.nn.log_softmax(jnp.tanh(x @ p[0] + p[1]) @ p[2]) * jnp.arange(8.0))
    def step(p, x):
        value, grad = jax.value_and_grad(loss)(p, x)
        return jax.tree.map(lambda a, g: a - 0.1 * g, p, grad), value
    mesh = mesh_of(platform, (2, 4), ("x", "y"))
    p = put(mesh, (A.T @ A / 8, A[0], B), (P(None, "y"), P("y"), P("y", None)))
    x = put(mesh, A, P("x"))
    for _ in range(3):
        p, value = jax.jit(step, donate_argnums=0)(p, x)
    return p, value

def images(platform):
    def f(k, x):
        numbers = ("NHWC", "HWIO", "NHWC")
        y = jax.nn.relu(lax.conv_general_dilated(x, k, (1, 1), "SAME", dimension_numbers=numbers))
        return jnp.mean(lax.reduce_window(y, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") ** 2)
    mesh = mesh_of(platform, (2, 4), ("x", "y"))
    k, x = np.resize(A, (3, 3, 2, 8)), np.resize(B, (4, 4, 4, 2))
    return jax.jit(jax.value_and_grad(f))(*put(mesh, (k, x), (P(None, None, None, "y"), P("x"))))

def heads(platform):
    def f(x, w):
        q, k, v = jnp.einsum("bld,dnhe->nblhe", x, w)
        s = jax.nn.softmax(jnp.einsum("blhe,bmhe->bhlm", q, k), -1)
        y = jnp.einsum("bhlm,bmhe->blhe", s, v)
        return y - y.mean(-1, keepdims=True), y.max((1, 3)), y.sum()
    mesh = mesh_of(platform, (2, 4), ("x", "y"))
    return jax.jit(f)(*put(mesh, (A.reshape(2, 8, 8), np.resize(B, (8, 3, 4, 2))), (P("x"), P(None, None, "y"))))

def awkward(platform):
    def f(a, b):
        rows = lax.fori_loop(0, 3, lambda i, c: c * 0.5 + a, a)
        return a @ b, a.T @ a, jnp.sort(a, 0), a[::-1], jnp.concatenate([a, rows], 0), a.cumsum(0), a[:, 1:9]
    mesh = mesh_of(platform, (2, 4), ("x", "y"))
    return jax.jit(f)(*put(mesh, (A, B), (P("y", "x"), P("x", "y"))))

def words(platform):
    def f(table, tokens):
        return jnp.mean(jnp.tanh(table[tokens]) ** 3)
    mesh = mesh_of(platform, (2, 4), ("x", "y"))
    tokens = np.arange(32).reshape(8, 4) * 7 % 16
    return jax.jit(jax.value_and_grad(f))(*put(mesh, (B, tokens), (P(), P("x", "y"))))

def error(case):
    try:
        worst = 0.0
        for want, got in zip(jax.tree.leaves(case("cpu")), jax.tree.leaves(case("tenfold")), strict=True):
            assert len(got.sharding.device_set) == len(want.sharding.device_set)
            worst = max(worst, float(np.max(np.abs(np.asarray(want) - np.asarray(got)))))
        return worst
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}"[:600]

CASES = [auto, propagated, manual, collectives, pmap, training, partly_manual, mixed, loop, donated]
CASES += [layers, images, heads, words, awkward]
print(json.dumps({case.__name__: error(case) for case in CASES}))
"""

NAMES = ["auto", "propagated", "manual", "collectives", "pmap", "training", "partly_manual", "mixed", "loop", "donated"]
NAMES += ["layers", "images", "heads", "words", "awkward"]


@pytest.fixture(scope="session", params=["sdy", "gspmd"])
def outcome(request: pytest.FixtureRequest) -> dict:
    library = Path(os.environ.get("TENFOLD_PJRT_LIBRARY", ROOT / "lib" / "libtenfold_pjrt.so"))
    assert library.exists(), f"{library} is not built"
    environment = {
        **os.environ,
        "JAX_PLATFORMS": "tenfold,cpu",
        "TENFOLD_PJRT_LIBRARY": str(library),
        "TENFOLD_CPU_DEVICES": "8",
        "XLA_FLAGS": "--xla_force_host_platform_device_count=8",
        "JAX_USE_SHARDY_PARTITIONER": "true" if request.param == "sdy" else "false",
    }
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT / "python" / "jax"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, env=environment, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", NAMES)
def test_same_as_cpu(outcome: dict, name: str) -> None:
    assert not isinstance(outcome[name], str), outcome[name]
    assert outcome[name] <= 2e-5
