"""JAX on Tenfold: unreduced axes, gradients of shard_map and custom_partitioning as on JAX's own CPU devices."""

from __future__ import annotations

import jax_cases
import pytest

pytest.importorskip("jax", reason="jax is not installed (scripts/setup test gets it)")


@pytest.fixture(scope="module")
def outcomes() -> dict:
    return jax_cases.outcomes("shardings", devices=4)


@pytest.mark.parametrize("name", jax_cases.names_of("shardings"))
def test_shardings(outcomes: dict, name: str) -> None:
    want, got = outcomes[name]
    assert jax_cases.close(want, got), f"{want}\n{got}"
