"""Whether XLA computes what the simulated TPU did, from the same programs and operands.

    xla.py FOLDER      what `tenfold tpu-sim --dump FOLDER` wrote

Runs every program again, with the operands of every run, by JAX on the CPU, and compares the results. Prints a line for
each run that differs or that XLA refuses; the status is 0 when every run is the same.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import jax
import ml_dtypes
import numpy as np
from jax._src.interpreters import mlir
from jax._src.lib import xla_client
from jax._src.lib.mlir import ir

jax.config.update("jax_enable_x64", True)
# Every op as the program says it: bfloat16 stays bfloat16, inf * 0 is NaN.
PLAIN = {"xla_allow_excess_precision": "False", "xla_disable_hlo_passes": "algsimp"}
SINGLE = float(np.finfo(np.float32).eps)
DIGITS = 4  # units in the last place of the largest element


def types_of(module: ir.Module) -> tuple[list[np.dtype], list[np.dtype]]:
    """Of the operands and the results of @main."""
    main = next(op for op in module.body.operations if op.attributes["sym_name"].value == "main")
    kind = ir.FunctionType(ir.TypeAttr(main.attributes["function_type"]).value)

    def numpy_type(value: ir.Type) -> np.dtype:
        name = str(ir.RankedTensorType(value).element_type)
        known = {
            "bf16": ml_dtypes.bfloat16,
            "i1": np.bool_,
            "complex<f32>": np.complex64,
            "complex<f64>": np.complex128,
        }
        if name in known:
            return np.dtype(known[name])
        if found := re.fullmatch(r"(ui|si|i|f)(8|16|32|64)", name):
            letter = {"ui": "u", "f": "f"}.get(found[1], "i")
            return np.dtype(f"{letter}{int(found[2]) // 8}")
        return np.dtype(getattr(ml_dtypes, name.replace("f8", "float8_").lower()))

    return [numpy_type(t) for t in kind.inputs], [numpy_type(t) for t in kind.results]


class Programs:
    """Compiled once each; XLA keeps to the types of a program, as the simulated TPU does."""

    def __init__(self, folder: Path):
        self.folder, self.device, self.known = folder, jax.devices("cpu")[0], {}

    def of(self, name: str, cut: bool = True) -> tuple[Any, list[np.dtype], list[np.dtype]]:
        if (name, cut) not in self.known:
            with mlir.make_ir_context():
                module = ir.Module.parse((self.folder / f"{name}.mlir").read_text())
                if not cut:
                    without_cuts(module)
                options = xla_client.CompileOptions()
                options.env_option_overrides = list(PLAIN.items())
                text = mlir.module_to_bytecode(module)
                devices = xla_client.DeviceList((self.device,))
                made = self.device.client.compile_and_load(text, devices, options)
                self.known[name, cut] = (made, *types_of(module))
        return self.known[name, cut]

    def run(self, name: str, operands: list[np.ndarray], cut: bool = True) -> tuple[list[np.ndarray], list[np.dtype]]:
        program, takes, gives = self.of(name, cut)
        typed = [x if x.dtype == t else x.view(t) for x, t in zip(operands, takes, strict=True)]
        given = [jax.device_put(x, self.device) for x in typed]
        results = program.execute_sharded(given).disassemble_into_single_device_arrays()
        return [np.asarray(x[0]) for x in results], gives


def without_cuts(module: ir.Module) -> None:
    """Results that are floats cut to integers become these floats."""
    main = next(op for op in module.body.operations if op.attributes["sym_name"].value == "main")
    gives = main.regions[0].blocks[0].operations
    last = gives[len(gives) - 1]
    kind = ir.FunctionType(ir.TypeAttr(main.attributes["function_type"]).value)
    types = list(kind.results)
    for i, value in enumerate(last.operands):
        maker = value.owner if isinstance(value, ir.OpResult) else None
        if maker is None or maker.name != "stablehlo.convert":
            continue
        source = maker.operands[0]
        if isinstance(types[i].element_type, ir.IntegerType) and isinstance(source.type.element_type, ir.FloatType):
            last.operands[i], types[i] = source, source.type
    main.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(kind.inputs, types))


def is_cut(ours: np.ndarray, floats: np.ndarray) -> bool:
    """Whether our integers are these floats, cut, when floats are as far off as they may be."""
    if floats.dtype.kind in "iubc" or ours.shape != floats.shape or not np.isfinite(floats).all():
        return False
    bounds, whole = np.iinfo(ours.dtype), floats.astype(np.float64)
    room = DIGITS * float(ml_dtypes.finfo(floats.dtype).eps) * np.abs(whole).max()
    low, high = (np.clip(np.trunc(whole + off), bounds.min, bounds.max) for off in (-room, room))
    return bool(((ours >= low) & (ours <= high)).all())


def difference(ours: np.ndarray, xla: np.ndarray) -> str:
    """Empty when equal, but for the rounding of floating-point numbers."""
    if ours.shape != xla.shape:
        return f"{list(ours.shape)} for {list(xla.shape)}"
    whole = xla.dtype.kind in "iub"
    if whole or not ours.size:
        return "" if np.array_equal(ours, xla) else f"{int((ours != xla).sum())} of {ours.size} elements differ"
    narrow = np.float32 if xla.dtype == np.complex64 else np.float64 if xla.dtype == np.complex128 else xla.dtype
    digit = float(ml_dtypes.finfo(narrow).eps)
    wide = np.complex128 if xla.dtype.kind == "c" else np.float64
    have, want = ours.astype(wide), xla.astype(wide)
    if not np.array_equal(np.isnan(have), np.isnan(want)):
        return "NaN in other places"
    sure = np.isfinite(have) & np.isfinite(want)
    if not np.array_equal(have[~sure & ~np.isnan(have)], want[~sure & ~np.isnan(have)]):
        return "infinities in other places"
    off, size = np.abs(have - want)[sure], np.abs(want)[sure]
    if not off.size:
        return ""
    # A short type's last digit, of each element by itself; what float32 leaves is a matter of the order of sums.
    room = digit * size if digit > SINGLE else DIGITS * digit * size.max()
    worst = int(np.argmax(off - room))
    return f"off by {off[worst]:.3g} at {size[worst]:.3g}" if (off > room).any() else ""


def judge(folder: Path) -> list[str]:
    """What differs, a line each."""
    runs: dict[str, dict[str, dict[int, Path]]] = defaultdict(lambda: {"in": {}, "out": {}})
    for path in sorted(folder.glob("run*.npy")):
        run, program, what, number = re.fullmatch(r"(run\d+)\.(\w+)\.(in|out)(\d+)\.npy", path.name).groups()
        runs[f"{run}.{program}"][what][int(number)] = path
    programs, found = Programs(folder), []
    for run, values in runs.items():
        operands = [np.load(values["in"][i]) for i in range(len(values["in"]))]
        try:
            results, types = programs.run(run.partition(".")[2], operands)
        except Exception as error:
            found.append(f"{run}: XLA: {' '.join(str(error).split())[:200]}")
            continue
        for i, (xla, dtype) in enumerate(zip(results, types, strict=True)):
            ours = np.load(values["out"][i])
            why = difference(ours if ours.dtype == dtype else ours.view(dtype), xla)
            if why and dtype.kind in "iu":
                floats = programs.run(run.partition(".")[2], operands, cut=False)[0][i]
                why = "" if is_cut(ours, floats) else why
            if why:
                found.append(f"{run}: result {i}: {why}")
    return found


if __name__ == "__main__":
    lines = judge(Path(sys.argv[1]))
    print("\n".join(lines))
    sys.exit(bool(lines))
