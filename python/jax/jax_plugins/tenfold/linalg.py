"""Linear algebra that JAX lowers only for its own platforms: here it becomes calls that Tenfold runs itself.

QR, Cholesky, LU, triangular and tridiagonal solves need nothing: JAX has a lowering of those for any platform.
"""

from __future__ import annotations

from typing import Any

__all__ = ["register"]


# Over 60 lines: a rule for each primitive, over modules of JAX that are imported when it is called.
def register(platform: str) -> None:
    """Registers the lowerings of eigh, eig, svd, schur, hessenberg, tridiagonal and pivoted QR for `platform`."""
    from jax._src.core import ShapedArray
    from jax._src.interpreters import mlir
    from jax._src.lax import linalg

    def call(ctx: Any, target: str, operands: list, avals: list, config: str = "") -> list:
        types = [mlir.aval_to_ir_type(ctx.module_context, aval) for aval in avals]
        return list(
            mlir.custom_call(
                target,
                result_types=types,
                operands=operands,
                backend_config=config,
                api_version=2,
                has_side_effect=False,
            ).results
        )

    def eigh(ctx: Any, a: Any, *, lower: bool, sort_eigenvalues: bool, subset_by_index: Any, algorithm: Any) -> list:
        del sort_eigenvalues, algorithm  # they come sorted; there is one way to find them
        (a_aval,) = ctx.avals_in
        n = a_aval.shape[-1]
        first, last = subset_by_index or (0, n)
        w_aval = ShapedArray(a_aval.shape[:-1], ctx.avals_out[1].dtype)
        v, w = call(ctx, "tenfold.eigh", [a], [a_aval, w_aval], "L" if lower else "U")
        if (first, last) == (0, n):
            return [v, w]
        batch = a_aval.shape[:-2]
        starts, limits = [0] * len(batch), list(batch)

        def cut(x: Any, aval: Any, low: list, high: list) -> Any:
            return mlir.slice_op(ctx, x, aval, start_indices=low, limit_indices=high, strides=[1] * len(low))

        return [
            cut(v, ctx.avals_out[0], [*starts, 0, first], [*limits, n, last]),
            cut(w, ctx.avals_out[1], [*starts, first], [*limits, last]),
        ]

    def eig(ctx: Any, a: Any, *, compute_left_eigenvectors: bool, compute_right_eigenvectors: bool, **_: Any) -> list:
        config = ("l" if compute_left_eigenvectors else "") + ("r" if compute_right_eigenvectors else "")
        return call(ctx, "tenfold.eig", [a], ctx.avals_out, config)

    def svd(ctx: Any, a: Any, *, full_matrices: bool, compute_uv: bool, subset_by_index: Any, **_: Any) -> list:
        rank = min(ctx.avals_in[0].shape[-2:])
        if subset_by_index is not None and tuple(subset_by_index) != (0, rank):
            raise NotImplementedError("Tenfold finds all singular values; subset_by_index asks for some")
        return call(ctx, "tenfold.svd", [a], ctx.avals_out)

    def schur(ctx: Any, a: Any, *, compute_schur_vectors: bool, sort_eig_vals: bool, **_: Any) -> list:
        if sort_eig_vals:
            raise NotImplementedError("Tenfold does not sort the eigenvalues of a Schur form")
        return call(ctx, "tenfold.schur", [a], ctx.avals_out)

    def hessenberg(ctx: Any, a: Any) -> list:
        return call(ctx, "tenfold.hessenberg", [a], ctx.avals_out)

    def tridiagonal(ctx: Any, a: Any, *, lower: bool) -> list:
        return call(ctx, "tenfold.tridiagonal", [a], ctx.avals_out, "L" if lower else "U")

    def qr_pivots(ctx: Any, a: Any, pivots: Any, **_: Any) -> list:
        return call(ctx, "tenfold.qr_pivots", [a, pivots], ctx.avals_out)

    rules = {
        linalg.eigh_p: eigh,
        linalg.eig_p: eig,
        linalg.svd_p: svd,
        linalg.schur_p: schur,
        linalg.hessenberg_p: hessenberg,
        linalg.tridiagonal_p: tridiagonal,
        linalg.geqp3_p: qr_pivots,
    }
    for primitive, rule in rules.items():
        mlir.register_lowering(primitive, rule, platform=platform)
