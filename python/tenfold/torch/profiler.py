"""torch.profiler sees what compiled programs do: a slice for each of their steps, inside the slice of the program."""

from __future__ import annotations

import threading

import torch
from torch.autograd import profiler

from tenfold import _core

_open = threading.local()


class Watch:
    """Whether programs are watched; who runs one compares that with profiler._is_profiler_enabled."""

    on = False


def _begin(name: str) -> None:
    record = torch._C._profiler._RecordFunctionFast(name)
    record.__enter__()
    if not hasattr(_open, "records"):
        _open.records = []
    _open.records.append(record)


def _end() -> None:
    _open.records.pop().__exit__(None, None, None)


def follow() -> None:
    """Programs are watched from now on while a profiler of PyTorch is on, and not otherwise."""
    Watch.on = profiler._is_profiler_enabled
    _core.watch(*((_begin, _end) if Watch.on else (None, None)))
