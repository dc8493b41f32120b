"""JAX on Tenfold: debug.print, pure_callback and io_callback do what they do on JAX's own CPU."""

from __future__ import annotations

import jax_cases
import pytest

pytest.importorskip("jax", reason="jax is not installed (scripts/setup test gets it)")


@pytest.fixture(scope="module")
def outcomes() -> dict:
    return jax_cases.outcomes("callbacks", devices=4)


@pytest.mark.parametrize("name", jax_cases.names_of("callbacks"))
def test_callbacks(outcomes: dict, name: str) -> None:
    want, got = outcomes[name]
    assert jax_cases.close(want, got), f"{want}\n{got}"
