"""JAX finds this package by its name and calls initialize(): JAX_PLATFORMS=tenfold then runs on Tenfold."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

__all__ = ["initialize", "library_path"]


def library_path() -> Path:
    """The plugin: what TENFOLD_PJRT_LIBRARY names, what the tenfold package brought, or what a source tree built."""
    named = os.environ.get("TENFOLD_PJRT_LIBRARY")
    if named:
        if not Path(named).is_file():
            raise FileNotFoundError(
                f"TENFOLD_PJRT_LIBRARY is '{named}', which is not a file; it names libtenfold_pjrt.so"
            )
        return Path(named)
    candidates = []
    try:
        import tenfold

        candidates.append(Path(tenfold.__file__).parent / "lib" / "libtenfold_pjrt.so")
    except ImportError:
        pass
    candidates.append(Path(__file__).resolve().parents[4] / "lib" / "libtenfold_pjrt.so")
    for candidate in candidates:
        if candidate.exists():
            return candidate
    looked = ", ".join(map(str, candidates))
    raise FileNotFoundError(f"libtenfold_pjrt.so is not there (looked at {looked}); set TENFOLD_PJRT_LIBRARY")


def initialize() -> None:
    """Registers the plugin. JAX's own CPU stays the default: Tenfold is taken when JAX_PLATFORMS asks for it."""
    from jax._src import xla_bridge
    from jax._src.interpreters import mlir

    try:
        path = library_path()
    except FileNotFoundError as problem:
        if "tenfold" in os.environ.get("JAX_PLATFORMS", "") or os.environ.get("TENFOLD_PJRT_LIBRARY"):
            _register_failure(problem)
        return
    xla_bridge.register_plugin("tenfold", priority=-100, library_path=str(path), options=None)
    donating = getattr(mlir, "_platforms_with_donation", None)  # JAX asks this list before it marks an argument
    if donating is not None and "tenfold" not in donating:
        donating.append("tenfold")
    from . import callbacks, exchange, linalg, lowering

    callbacks.register("tenfold", path)
    exchange.register("tenfold")
    linalg.register("tenfold")
    lowering.register("tenfold")
    _use_persistent_cache()


def _register_failure(problem: Exception) -> None:
    """JAX only logs what this package raises while it is loaded; what a backend raises is the user's error."""
    from jax._src import xla_bridge

    def fail() -> Any:
        raise problem

    xla_bridge.register_backend_factory("tenfold", fail, priority=-100, fail_quietly=False)


def _use_persistent_cache() -> None:
    """JAX keeps compiled programs on disk for the platforms it lists; ours can be stored as well."""
    from jax._src import compilation_cache

    theirs = getattr(compilation_cache, "is_cache_used", None)
    enabled = getattr(compilation_cache, "_is_cache_enabled", None)
    if theirs is None or enabled is None:
        return

    def is_cache_used(backend: Any) -> bool:
        return bool(enabled()) if backend.platform == "tenfold" else theirs(backend)

    compilation_cache.is_cache_used = is_cache_used
