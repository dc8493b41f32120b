"""The C API through ctypes: what the benchmarks share."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


class Buffer(ctypes.Structure):
    """ten_buffer of tenfold/buffer.h."""

    _fields_ = [
        ("dtype", ctypes.c_int),
        ("rank", ctypes.c_uint32),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
        ("data", ctypes.c_void_p),
        ("bytes", ctypes.c_size_t),
    ]


class Options(ctypes.Structure):
    """ten_training_options of tenfold/train.h."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("loss", ctypes.c_char_p),
        ("optimizer", ctypes.c_char_p),
        ("schedule", ctypes.c_char_p),
        ("clip", ctypes.c_double),
        ("accumulate", ctypes.c_int64),
        ("batch", ctypes.c_int64),
        ("device", ctypes.c_char_p),
        ("precision", ctypes.c_char_p),
        ("memory", ctypes.c_char_p),
    ]


def library() -> ctypes.CDLL:
    """libtenfold of the build, or of TENFOLD_LIBRARY, with the types of what its functions return."""
    loaded = ctypes.CDLL(os.environ.get("TENFOLD_LIBRARY", str(ROOT / "build" / "libtenfold.so")))
    for name in (
        "ten_program_load",
        "ten_program_compile",
        "ten_executable_execute",
        "ten_training_create",
        "ten_training_step",
    ):
        getattr(loaded, name).restype = ctypes.c_void_p
    for name in ("ten_executable_input", "ten_executable_output", "ten_training_input"):
        getattr(loaded, name).restype = Buffer
    loaded.ten_status_message.restype = ctypes.c_char_p
    return loaded


def check(loaded: ctypes.CDLL, status: int | None) -> None:
    if status:
        raise RuntimeError(loaded.ten_status_message(ctypes.c_void_p(status)).decode())


def bind(describe: Callable[[int], Buffer], memory: Sequence[tuple[int, int]]) -> ctypes.Array:
    """Descriptions with addresses and bytes in them; whoever calls keeps the memory alive."""
    array = (Buffer * len(memory))()
    for i, (address, size) in enumerate(memory):
        array[i] = describe(i)
        array[i].data, array[i].bytes = address, size
    return array
