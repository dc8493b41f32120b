"""Other libraries' interfaces over arrays. `install()` makes them importable by their own names."""

from __future__ import annotations

import importlib
import sys

PARTS = ("", ".device", ".nn", ".hardware", ".hardware.tpu")


def install() -> None:
    """Makes `import neurenix` work in this process; a package of that name that is there already stays."""
    if "neurenix" in sys.modules:
        return
    for part in PARTS:
        sys.modules[f"neurenix{part}"] = importlib.import_module(f"tenfold.compat.neurenix{part}")
