"""Runs at the start of a Python that `tenfold tpu-sim` starts, and of those that it starts in turn: torch_tpu and JAX
find a TPU there. Nothing outside this process changes; the environment says which TPU (TENFOLD_TPU_SIM)."""

import importlib.machinery
import importlib.util
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def _install():
    sys.path.insert(0, HERE)
    try:
        import tenfold_tpu_child
    finally:
        sys.path.remove(HERE)
    tenfold_tpu_child.install()


def _run_the_next_one():
    """A sitecustomize that this one hides runs, too."""
    places = [place for place in sys.path if os.path.abspath(place or ".") != HERE]
    found = importlib.machinery.PathFinder.find_spec("sitecustomize", places)
    if found is not None and found.origin and found.loader is not None:
        found.loader.exec_module(importlib.util.module_from_spec(found))


if os.environ.get("TENFOLD_TPU_SIM"):
    _install()
_run_the_next_one()
