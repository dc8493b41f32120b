"""Runs every case of a script on JAX's CPU and on Tenfold, and prints what each gave as one line of JSON.

A case is a function `case_NAME(platform)`; what it returns is made of numbers, strings, lists, tuples and arrays. One
whose name starts with `case_own_` is run on Tenfold alone, and must return true.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import jax
import numpy as np


def plain(value: Any) -> Any:
    """The value as JSON has it; floats as their repr, so that nan equals nan."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (jax.Array, np.ndarray, np.generic)):
        array = np.asarray(value)
        if array.dtype == bool or np.issubdtype(array.dtype, np.integer):
            return array.tolist()
        if np.issubdtype(array.dtype, np.complexfloating):
            return [plain(array.real), plain(array.imag)]
        return plain(array.astype(np.float64).tolist())
    return value if isinstance(value, (bool, int, float, str)) or value is None else str(value)


def attempt(case: Callable[[str], Any], platform: str) -> Any:
    try:
        with jax.default_device(jax.devices(platform)[0]):
            return plain(case(platform))
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}"[:2000]


def main(module: dict[str, Any]) -> None:
    out = {}
    for name, case in list(module.items()):
        if not name.startswith("case_"):
            continue
        own = name.startswith("case_own_")
        out[name] = [True if own else attempt(case, "cpu"), attempt(case, "tenfold")]
    sys.stdout.write(json.dumps(out) + "\n")
