"""The device's recorder: one for the process. What it does is in the library (src/front/record)."""

from __future__ import annotations

from typing import Any

import torch

from tenfold import _core
from tenfold.torch.fx import _MEMORY_FORMATS, _SCALAR_TYPES

MISSING = object()  # an argument that was left out
RANDOM, MAY_PROMOTE, PROMOTES, CUSTOM = 1, 2, 4, 8  # what the recorder knows of an op
recorder = _core.Recorder()
FORMATS = {f: _MEMORY_FORMATS.get(f, 0) for f in vars(torch).values() if isinstance(f, torch.memory_format)}
LAYOUTS = {f: 7 if f == torch.strided else 1 for f in vars(torch).values() if isinstance(f, torch.layout)}
_dtypes: dict[Any, int] = {}
_OTHERS = 1000  # element types that torch.export's schema has no number for count from here


def dtype_number(dtype: torch.dtype) -> int:
    found = _dtypes.get(dtype)
    if found is None:
        found = _dtypes[dtype] = _SCALAR_TYPES.get(dtype, _OTHERS + len(_dtypes))
        recorder.dtype(found, str(dtype).removeprefix("torch."))
    return found


for _dtype in _SCALAR_TYPES:
    dtype_number(_dtype)


def bind(**functions: Any) -> None:
    """What the recorder calls: resolve(value), take_host(handler, tensor), line()."""
    recorder.bind(base=torch.Tensor, missing=MISSING, dtypes=_dtypes, formats=FORMATS, layouts=LAYOUTS, **functions)
