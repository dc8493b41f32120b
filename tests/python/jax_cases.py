"""Cases that run on JAX's CPU and on Tenfold in one process: tests/jax/NAME.py has them, both.py there runs them."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "tests" / "jax"


def names_of(script: str) -> list[str]:
    return re.findall(r"^def (case_\w+)", (SCRIPTS / f"{script}.py").read_text(), re.MULTILINE)


def environment(devices: int = 1) -> dict[str, str]:
    library = Path(os.environ.get("TENFOLD_PJRT_LIBRARY", ROOT / "lib" / "libtenfold_pjrt.so"))
    assert library.exists(), f"{library} is not built"
    paths = [str(ROOT / "python" / "jax"), str(SCRIPTS), os.environ.get("PYTHONPATH", "")]
    return {
        **os.environ,
        "JAX_PLATFORMS": "tenfold,cpu",
        "TENFOLD_PJRT_LIBRARY": str(library),
        "TENFOLD_CPU_DEVICES": str(devices),
        "XLA_FLAGS": f"--xla_force_host_platform_device_count={devices}",
        "PYTHONPATH": os.pathsep.join(paths),
    }


def outcomes(script: str, devices: int = 1) -> dict[str, list]:
    done = subprocess.run(
        [sys.executable, SCRIPTS / f"{script}.py"],
        capture_output=True,
        text=True,
        env=environment(devices),
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def close(want: Any, got: Any, tolerance: float = 2e-5) -> bool:
    """The same structure, the same integers and words, numbers within `tolerance`."""
    if isinstance(want, list) and isinstance(got, list):
        return len(want) == len(got) and all(close(w, g, tolerance) for w, g in zip(want, got, strict=True))
    if isinstance(want, dict) and isinstance(got, dict):
        return want.keys() == got.keys() and all(close(want[key], got[key], tolerance) for key in want)
    if isinstance(want, float) and isinstance(got, float) and math.isfinite(want) and math.isfinite(got):
        return abs(want - got) <= tolerance * (1 + abs(want))
    return want == got or (want != want and got != got)
