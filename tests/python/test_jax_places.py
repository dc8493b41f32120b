"""JAX on Tenfold: memory kinds, layouts and DLPack as on JAX's own CPU; a missing plugin is an error."""

from __future__ import annotations

import subprocess
import sys

import jax_cases
import pytest

pytest.importorskip("jax", reason="jax is not installed (scripts/setup test gets it)")


@pytest.fixture(scope="module")
def outcomes() -> dict:
    return jax_cases.outcomes("places", devices=2)


@pytest.mark.parametrize("name", jax_cases.names_of("places"))
def test_places(outcomes: dict, name: str) -> None:
    want, got = outcomes[name]
    assert jax_cases.close(want, got), f"{want}\n{got}"


def run(code: str, **changes: str) -> subprocess.CompletedProcess:
    environment = {**jax_cases.environment(), **changes}
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, timeout=300, check=False
    )


@pytest.mark.parametrize("platforms", ["tenfold,cpu", ""])
def test_a_missing_plugin_is_an_error(platforms: str) -> None:
    done = run("import jax; jax.devices()", TENFOLD_PJRT_LIBRARY="/nowhere/lib.so", JAX_PLATFORMS=platforms)
    assert done.returncode != 0
    assert "TENFOLD_PJRT_LIBRARY is '/nowhere/lib.so'" in done.stderr.splitlines()[-1]


def test_dlpack_without_cpu() -> None:
    code = """
import jax, numpy as np
x = jax.numpy.arange(4.0)
view = np.from_dlpack(x)
assert view.ctypes.data == x.unsafe_buffer_pointer() and view.tolist() == [0, 1, 2, 3]
back = jax.dlpack.from_dlpack(np.arange(5.0, dtype=np.float32))
assert back.devices() == set(jax.devices()) and (back + 1).tolist() == [1, 2, 3, 4, 5]
"""
    done = run(code, JAX_PLATFORMS="tenfold")
    assert done.returncode == 0, done.stderr[-2000:]


def test_one_thread_gets_a_donated_array() -> None:
    """The others are told that it is gone, and none sees memory that another call overwrites."""
    code = """
import threading
import jax, jax.numpy as jnp, numpy as np
double = jax.jit(lambda x: x * 2 + 1, donate_argnums=0)
for _ in range(150):
    x = double(jnp.ones(1 << 14, "float32")).block_until_ready()
    start, results, errors = threading.Barrier(4), [], []
    def call():
        start.wait()
        try:
            results.append(np.asarray(double(x)))
        except Exception as error:
            errors.append(str(error))
    threads = [threading.Thread(target=call) for _ in range(4)]
    [t.start() for t in threads], [t.join() for t in threads]
    assert len(results) == 1 and (results[0] == 7).all(), (len(results), errors)
    assert all("deleted" in e for e in errors) and x.is_deleted(), errors
"""
    done = run(code)
    assert done.returncode == 0, done.stderr[-2000:]
