"""Tenfold: PyTorch and StableHLO programs, compiled and run whole."""

from tenfold._core import Error, UnsupportedError, devices, load, version as __version__

__all__ = ["Error", "UnsupportedError", "devices", "load", "__version__"]
