"""What else JAX lowers only for its own platforms: approximate top-k, which is exact here."""

from __future__ import annotations

from typing import Any

__all__ = ["register"]


def register(platform: str) -> None:
    """Registers these lowerings for `platform`."""
    import jax
    import jax.numpy as jnp
    from jax._src.interpreters import mlir
    from jax._src.lax import ann

    def approx_top_k(ctx: Any, operand: Any, *, reduction_dimension: int, is_max_k: bool, **_: Any) -> Any:
        count = ctx.avals_out[0].shape[reduction_dimension]

        def find(x: Any) -> tuple:
            moved = jnp.moveaxis(x, reduction_dimension, -1)
            if is_max_k:
                values, places = jax.lax.top_k(moved, count)
            else:
                places = jnp.argsort(moved, axis=-1, stable=True)[..., :count].astype(jnp.int32)
                values = jnp.take_along_axis(moved, places, axis=-1)
            return jnp.moveaxis(values, -1, reduction_dimension), jnp.moveaxis(places, -1, reduction_dimension)

        return mlir.lower_fun(find, multiple_results=True)(ctx, operand)

    mlir.register_lowering(ann.approx_top_k_p, approx_top_k, platform=platform)
