"""Calls from a compiled program into Python: jax.debug.print, jax.debug.callback, pure_callback, io_callback, checkify.

JAX emits such calls for its own platforms only. Here each becomes `custom_call @tenfold.callback(number, operands…)`;
the plugin calls `_call` with that number, and tells `_hold` when a program that has the number comes and goes.
"""

from __future__ import annotations

import atexit
import ctypes
import itertools
import secrets
import threading
import traceback
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["register"]

TARGET = "tenfold.callback"


class _Buffer(ctypes.Structure):
    """ten_buffer of tenfold/buffer.h."""

    _fields_ = (
        ("dtype", ctypes.c_int),
        ("rank", ctypes.c_uint32),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
        ("data", ctypes.c_void_p),
        ("bytes", ctypes.c_size_t),
    )


_CALL = ctypes.CFUNCTYPE(
    ctypes.c_int,
    ctypes.c_int64,
    ctypes.POINTER(_Buffer),
    ctypes.c_size_t,
    ctypes.POINTER(_Buffer),
    ctypes.c_size_t,
    ctypes.c_void_p,
    ctypes.c_size_t,
)
_HOLD = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int)


@dataclass
class _Entry:
    function: Any
    operands: list  # the dtype of each
    results: list
    holders: int = 1  # the lowered module, and every compiled program that has the number


class _Keeper:
    """Lives as long as the lowered module; JAX keeps it with what it compiles."""


_entries: dict[int, _Entry] = {}
_lock = threading.RLock()  # a finalizer may run while it is held
# Numbers start anywhere: a stored program that another process loads must not find a callback that is not its own.
_numbers = itertools.count(secrets.randbits(48))


def _hold(number: int, change: int) -> None:
    with _lock:
        entry = _entries.get(number)
        if entry is None:
            return
        entry.holders += change
        if entry.holders <= 0:
            del _entries[number]


def _array(buffer: _Buffer, dtype: np.dtype) -> np.ndarray:
    shape = tuple(buffer.dims[: buffer.rank]) if buffer.rank else ()
    if not buffer.bytes:
        return np.empty(shape, dtype)
    memory = (ctypes.c_char * buffer.bytes).from_address(buffer.data)
    return np.frombuffer(memory, dtype=dtype).reshape(shape)


def _call(number: int, inputs: Any, input_count: int, outputs: Any, output_count: int, message: int, size: int) -> int:
    try:
        with _lock:
            entry = _entries.get(number)
        if entry is None:
            raise RuntimeError(
                "the program calls back into Python, and this process has no such callback: "
                "programs with callbacks cannot be stored and loaded elsewhere"
            )
        if (input_count, output_count) != (len(entry.operands), len(entry.results)):
            raise RuntimeError(
                f"callback with {input_count} operands and {output_count} results where others were lowered"
            )
        # The memory is the program's and is used again when the call is over, so operands are copied.
        operands = [_array(inputs[i], entry.operands[i]).copy() for i in range(input_count)]
        values = entry.function(*operands)
        for i, value in enumerate(values):
            np.copyto(_array(outputs[i], entry.results[i]), value)
    except BaseException:
        text = f"error calling a Python callback: {traceback.format_exc()}".encode()[-(size - 1) :]
        ctypes.memmove(message, text + b"\0", len(text) + 1)
        return 1
    return 0


def _checked(callback: Any, result_avals: list) -> Any:
    """The callback with its results checked against what was declared, as JAX does on its own platforms."""
    from jax._src import dtypes

    def call(*args: Any) -> list:
        values = callback(*args)
        if len(values) != len(result_avals):
            raise RuntimeError(
                f"Mismatched number of outputs from callback. Expected: {len(result_avals)}, Actual: {len(values)}"
            )
        values = [dtypes.canonicalize_value(np.asarray(value)) for value in values]
        for i, (value, aval) in enumerate(zip(values, result_avals, strict=True)):
            for what in ("shape", "dtype"):
                if getattr(value, what) != getattr(aval, what):
                    raise RuntimeError(
                        f"Incorrect output {what} for return value #{i}: "
                        f"Expected: {getattr(aval, what)}, Actual: {getattr(value, what)}"
                    )
        return values

    return call


def _emit(
    ctx: Any, callback: Any, token: Any, operands: Any, operand_avals: Any, result_avals: Any, where: str
) -> tuple:
    from jax._src.interpreters import mlir
    from jax._src.lib.mlir import ir
    from jax._src.lib.mlir.dialects import hlo

    def of(avals: Any) -> list:
        return [np.dtype(aval.dtype) for aval in avals]

    number = next(_numbers)
    keeper = _Keeper()
    with _lock:
        _entries[number] = _Entry(_checked(callback, list(result_avals)), of(operand_avals), of(result_avals))
    weakref.finalize(keeper, _hold, number, -1).atexit = False
    ctx.module_context.add_keepalive(keeper)

    scalar = ir.RankedTensorType.get([], ir.IntegerType.get_signless(64))
    mark = hlo.constant(ir.DenseElementsAttr.get(np.array(number, np.int64), type=scalar))
    types = [mlir.aval_to_ir_type(ctx.module_context, aval) for aval in result_avals]
    called = mlir.custom_call(
        TARGET,
        result_types=[hlo.TokenType.get(), *types] if token else types,
        operands=[mark, *([token] if token else []), *operands],
        backend_config=where,
        has_side_effect=True,
        api_version=2,
    )
    results = list(called.results)
    return (results[1:], results[0]) if token else (results, None)


def register(platform: str, library: Path) -> None:
    """Registers the plugin's way into Python, and makes JAX's callbacks use it on `platform`."""
    from jax._src import callback as jax_callback
    from jax._src import checkify, debugging, sharding_impls
    from jax._src.interpreters import mlir

    theirs = jax_callback.emit_python_callback

    def emit_python_callback(
        ctx: Any,
        callback: Any,
        token: Any,
        operands: Any,
        operand_avals: Any,
        result_avals: Any,
        *,
        partitioned: bool = False,
        **options: Any,
    ) -> tuple:
        if tuple(ctx.module_context.platforms) != (platform,):
            return theirs(
                ctx, callback, token, operands, operand_avals, result_avals, partitioned=partitioned, **options
            )
        if partitioned and result_avals:
            raise ValueError("Partitioned callback not supported with return values.")
        # A program over whole arrays calls once, on the first device; one written for each device calls on each.
        whole = isinstance(ctx.module_context.axis_context, sharding_impls.ShardingContext)
        where = "tiles" if partitioned else "first" if whole else "each"
        results, token = _emit(ctx, callback, token, operands, operand_avals, result_avals, where)
        return results, token, None

    jax_callback.emit_python_callback = emit_python_callback
    for primitive, rule in (
        (debugging.debug_callback_p, debugging.debug_callback_lowering),
        (debugging.debug_print_p, debugging.debug_print_lowering_rule),
        (checkify.check_p, checkify.check_lowering_rule),
    ):
        mlir.register_lowering(primitive, rule, platform=platform, cacheable=False)

    plugin = ctypes.CDLL(str(library))
    call, hold = _CALL(_call), _HOLD(_hold)
    plugin.TenfoldSetCallbacks.argtypes = (_CALL, _HOLD)
    if plugin.TenfoldSetCallbacks(call, hold):
        raise RuntimeError(f"{library} does not take callbacks")

    def end() -> None:  # nothing may call into Python once it has ended; the functions live until here
        plugin.TenfoldSetCallbacks(_CALL(), _HOLD())
        del call_and_hold[:]

    call_and_hold = [call, hold]
    atexit.register(end)
