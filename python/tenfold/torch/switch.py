"""tenfold.enable(): every outermost nn.Module call is compiled, in programs that never mention Tenfold."""

from __future__ import annotations

import threading
import weakref
from typing import Any

import torch

from tenfold import _core
from tenfold.torch import backend, report
from tenfold.torch.lazy import device, pending

_state = threading.local()
_compiled: weakref.WeakKeyDictionary[torch.nn.Module, Any] = weakref.WeakKeyDictionary()
_original = None


def _call(module: torch.nn.Module, *args: Any, **kwargs: Any) -> Any:
    assert _original is not None
    inside = getattr(_state, "inside", False)
    if inside or torch.compiler.is_compiling() or torch.jit.is_tracing():
        return _original(module, *args, **kwargs)
    if isinstance(module, torch.jit.ScriptModule):
        return _call_script(lambda *a, **k: _original(module, *a, **k), args, kwargs, list(module.parameters()))
    found = _compiled.get(module)
    if found is None:
        found = _compiled[module] = torch.compile(module.forward, backend=backend.backend_now())
    _state.inside = True
    try:
        return found(*args, **kwargs)
    finally:
        _state.inside = False


def _call_script(function: Any, args: tuple, kwargs: dict, weights: list[Any]) -> Any:
    """TorchScript: recorded on the lazy device and run whole. Where gradients are wanted of its weights, as it is."""
    if device.registered and not (torch.is_grad_enabled() and any(w.requires_grad for w in weights)):
        from tenfold.torch.lazy import capture  # it needs the device

        _state.inside = True
        try:
            return capture.run_whole(function, args, kwargs)
        except RuntimeError as why:  # TorchScript checks devices by itself in places: stft and its window
            if report.options.strict:
                raise
            report.warn(report.options, "a TorchScript program", "", str(why).strip().splitlines()[-1])
        finally:
            _state.inside = False
    pending.stats.fallbacks["torch.jit"] += 1
    return function(*args, **kwargs)


_original_script: Any = None


def _call_script_function(function: Any, *args: Any, **kwargs: Any) -> Any:
    if getattr(_state, "inside", False) or torch.compiler.is_compiling():
        return _original_script(function, *args, **kwargs)
    return _call_script(lambda *a, **k: _original_script(function, *a, **k), args, kwargs, [])


class Enabled:
    """What enable() returns: leaving it as a context manager disables again."""

    def __repr__(self) -> str:
        return f"<tenfold.enable: modules are {'compiled' if _original is not None else 'eager'}, {report.options}>"

    def __enter__(self) -> Enabled:
        return self

    def __exit__(self, *exception: object) -> None:
        disable()


def enable(
    *, device: str = "cpu", strict: bool = False, opt_level: int = 3, precision: str = "f32", checks: bool = True
) -> Enabled:
    """From now on nn.Module calls are compiled.

    strict: a part that cannot be is an error, not eager. opt_level: 0 runs programs by the reference interpreter, 1
    compiles them without anything that changes the order of sums, 2 does everything but Winograd convolutions, 3
    everything. precision: "f32"; "exact", no Winograd; "bf16", inputs of matmuls and convolutions are rounded.
    checks: what eager mode raises while it runs (an index out of range, say) is raised.
    """
    global _original, _original_script
    wanted = report.Options(device, strict, opt_level, precision, report.options.freeze, checks).check()
    if wanted != report.options:
        _compiled.clear()
    for name in report.Options.__dataclass_fields__:
        setattr(report.options, name, getattr(wanted, name))
    pending.configure(wanted.backend(), opt_level, precision, checks)
    if _original is None:
        _original = torch.nn.Module.__call__
        torch.nn.Module.__call__ = _call  # type: ignore[method-assign]
    if _original_script is None:
        _original_script = torch.jit.ScriptFunction.__call__
        torch.jit.ScriptFunction.__call__ = _call_script_function
    return Enabled()


def disable() -> None:
    """nn.Module calls are eager again; what was compiled is released."""
    global _original, _original_script
    if _original is not None:
        torch.nn.Module.__call__ = _original  # type: ignore[method-assign]
        _original = None
    if _original_script is not None:
        torch.jit.ScriptFunction.__call__ = _original_script
        _original_script = None
    _compiled.clear()
    for name, field in report.Options.__dataclass_fields__.items():
        setattr(report.options, name, field.default)
    pending.configure(report.options.backend(), report.options.opt_level, report.options.precision)


def stats() -> dict[str, Any]:
    lazy = pending.stats
    return {
        "graphs": len(report.records),
        "compilations": sum(len(r.shapes) for r in report.records) + sum(r.compiled for r in lazy.records),
        "sizes": sum(r.sizes for r in report.records) + len(lazy.records),
        "compile_seconds": sum(r.seconds for r in report.records) + sum(r.seconds for r in lazy.records),
        "runs": report.Totals.runs + lazy.runs,
        "fallbacks": dict(report.fallbacks + lazy.fallbacks),
        "cuda": {**_core.enqueue_counts(False), "copied_inputs": report.Totals.copied_inputs},
    }


def reset_stats() -> None:
    report.fallbacks.clear()
    report.fallback_lines.clear()
    report.records.clear()
    report.Totals.runs = report.Totals.copied_inputs = 0
    _core.enqueue_counts(True)
    pending.stats.reset()


def explain() -> str:
    lines = []
    for i, record in enumerate(report.records):
        lines.append(
            f"graph {i}: {record.ops} ops, from {record.line or 'an unknown line'}, compiled in {record.seconds:.3f} s"
        )
        for k, shapes in enumerate(record.shapes):
            lines.append(f"  {'compiled' if k == 0 else 'compiled again'} for ({shapes})")
        if record.sizes > len(record.shapes):
            more = record.sizes - len(record.shapes)
            lines.append(f"  the same code for {more} other set{'' if more == 1 else 's'} of sizes")
        lines.append(f"  run {record.runs} time{'' if record.runs == 1 else 's'}")
    for i, made in enumerate(pending.stats.records):
        lines.append(
            f"program {i}: {made.ops} ops, from {made.line or 'an unknown line'}, "
            f"{'compiled' if made.compiled else 'made of the code of other sizes'} in {made.seconds:.3f} s: {made.why}"
        )
        each = made.run_seconds / made.runs if made.runs else 0.0
        lines.append(
            f"  run {made.runs} time{'' if made.runs == 1 else 's'}, {each * 1e3:.3f} ms each, "
            f"at most {made.peak_bytes / 2**20:.1f} MiB at its peak"
        )
    for op, count in (report.fallbacks + pending.stats.fallbacks).most_common():
        lines.append(f"eager: {op}, {count} time{'s' if count > 1 else ''}")
    for line, count in (report.fallback_lines + pending.stats.fallback_lines).most_common():
        lines.append(f"eager at {line or 'an unknown line'}: {count}")
    return "\n".join(lines) or "nothing was compiled"
