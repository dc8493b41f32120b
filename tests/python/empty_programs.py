"""Programs of one op, or of one pattern that the compiler fuses, each dimension of which is 0 in turn.

    empty_programs.py [--only NAME]

Compiled results are compared with the interpreter's. The command prints the name of a program before it runs it, so
that of a crash one knows the program; memory is filled with a pattern (MALLOC_PERTURB_) to show what is not written.
"""

# ruff: noqa: E501 (lines of programs are as long as they are)
from __future__ import annotations

import argparse
import itertools
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import empty_moves  # noqa: F401 (it registers programs)
import empty_patterns  # noqa: F401 (likewise)
import torch
from empty_base import KINDS, PROGRAMS, f, program
from random_values import type_of
from tenfold import _core

OPS = Path(__file__).resolve().parents[2] / "docs/ops.md"  # what `tenfold help --ops` prints


# --- ops of one element, from the table of ops ---

WHOLE = ("not", "popcnt", "count_leading_zeros", "shift_", "and", "or", "xor", "mulhi")
ROW = re.compile(r"^\| `(\w+\.[^`]+)` \| (\d*).* \| ([^|]*) \|$", re.MULTILINE)
# types of their own, in quantizes()
LEFT_OUT = ("stablehlo.uniform_quantize", "stablehlo.uniform_dequantize")
TOGETHER = 16  # ops in a program: most of the time is that of compiling


def table() -> Iterator[tuple[str, int, bool]]:
    """(name, operands, whether it is element by element) of every op of StableHLO and CHLO."""
    for name, operands, traits in ROW.findall(OPS.read_text()):
        if name.startswith(("stablehlo.", "chlo.")):
            yield name, int(operands or 0), "elementwise" in traits or name.startswith("chlo.broadcast_")


def pointwise_types(name: str, operands: int, shape: tuple[int, int]) -> tuple[list[str], str, str]:
    """Types of operands and result, and attributes."""
    dialect, short = name.split(".")
    whole = short.removeprefix("broadcast_").startswith(WHOLE)
    t, c, b = type_of("i32" if whole else "f32", shape), type_of("complex<f32>", shape), type_of("i1", shape)
    if short in ("real", "imag"):
        return [c], t, ""
    if short in ("conj", "_asin_acos_kernel"):
        return [c], c, ""
    if short.endswith("complex"):
        return [t, t], c, ""
    if short.endswith("compare"):
        return [t, t], b, f" {{comparison_direction = #{dialect}<comparison_direction LT>}}"
    if short.startswith("is_"):
        return [t], b, ""
    if short.endswith("select"):
        return [b, t, t], t, ""
    if short == "convert":
        return [t], type_of("i32", shape), ""
    attrs = " {exponent_bits = 5 : i32, mantissa_bits = 10 : i32}" if short == "reduce_precision" else ""
    return [t] * operands, t, attrs


def pointwise(ops: list[tuple[str, int]], a: int, b: int) -> str:
    kinds = [type_of(kind, (a, b)) for kind in ("f32", "i32", "complex<f32>", "i1")]
    lines, results = [], []
    for i, (name, operands) in enumerate(ops):
        args, to, attrs = pointwise_types(name, operands, (a, b))
        names = ", ".join(f"%{kinds.index(t)}" for t in args)
        lines.append(f'%p{i} = "{name}"({names}){attrs} : ({", ".join(args)}) -> {to}')
        results.append(to)
    types, names = ", ".join(results), ", ".join(f"%p{i}" for i in range(len(ops)))
    end = f"%r:{len(ops)} = stablehlo.optimization_barrier {names} : {types}"
    return program(kinds, results, *lines, end)


SINGLE = [(n, o) for n, o, single in table() if single and n not in LEFT_OUT] + [("stablehlo.select", 3)]
for first in range(0, len(SINGLE), TOGETHER):
    PROGRAMS[f"pointwise_{first}"] = (
        {"a": 3, "b": 5},
        lambda a, b, first=first: pointwise(SINGLE[first : first + TOGETHER], a, b),
    )


PROGRAMS["stablehlo.clamp"] = (
    {"a": 3, "b": 5},
    lambda a, b: program(
        [f(), f(a, b), f()], [f(a, b)], f"%r = stablehlo.clamp %0, %1, %2 : ({f()}, {f(a, b)}, {f()}) -> {f(a, b)}"
    ),
)  # fmt: skip
PROGRAMS["stablehlo.bitcast_convert"] = (
    {"a": 3, "b": 5},
    lambda a, b: program(
        [f(a, b)], [type_of("ui8", (a, b, 4))],
        f"%r = stablehlo.bitcast_convert %0 : ({f(a, b)}) -> {type_of('ui8', (a, b, 4))}",
    ),
)  # fmt: skip
PROGRAMS["chlo.constant_like"] = (
    {"a": 3, "b": 5},
    lambda a, b: program([f(a, b)], [f(a, b)], f'%r = "chlo.constant_like"(%0) <{{value = 2.0 : f32}}> : ({f(a, b)}) -> {f(a, b)}'),
)  # fmt: skip


# --- running them ---


HUGE = 1 << 36


def all_empty(text: str) -> bool:
    """Is every tensor that is huge in one dimension empty in another?"""
    shapes = [[int(n) for n in dims.split("x")[:-1]] for dims in re.findall(r"tensor<((?:\d+x)+)", text)]
    return any(n >= HUGE for dims in shapes for n in dims) and all(0 in dims or max(dims) < HUGE for dims in shapes)


def variants(name: str) -> Iterator[tuple[str, str]]:
    """The program as it is, with one dimension 0, with several, and with one huge beside one of 0."""
    dims, make = PROGRAMS[name]
    chosen = [(), *itertools.combinations(dims, 1), *itertools.combinations(dims, 2 if len(dims) == 3 else len(dims))]
    for empty in dict.fromkeys(chosen):
        text = make(**{d: 0 if d in empty else n for d, n in dims.items()})
        yield f"{name}({', '.join(f'{d}=0' for d in empty)})", text
    for empty, huge in itertools.permutations(dims, 2):
        text = make(**{**dims, empty: 0, huge: HUGE})
        steps = f"tensor<{HUGE}x" if "chlo.scan" in text else "nothing"  # a loop of so many steps takes its time
        if all_empty(text) and steps not in text:
            yield f"{name}({empty}=0, {huge}=2^36)", text


def inputs_of(text: str) -> list[torch.Tensor]:
    head = text[text.index("@main(") :]
    generator, inputs = torch.Generator().manual_seed(1), []
    for dims, kind in re.findall(r"%\d+: tensor<((?:\d+x)*)([^<>]+(?:<\w+>)?)>", head[: head.index(") ->")]):
        shape = [int(n) for n in dims.split("x")[:-1]]
        inputs.append(torch.randint(0, 3, shape, generator=generator).to(KINDS[kind]))
    return inputs


def run(text: str, inputs: list[torch.Tensor], device: str) -> list[torch.Tensor] | str:
    try:
        results = _core.parse(text).compile(device=device)(*inputs)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return [torch.from_dlpack(r) for r in results]


def difference(text: str, valid: bool) -> str:
    """What is wrong with a program, compiled; "refused" where both refuse it."""
    try:
        inputs = inputs_of(text)
    except RuntimeError:  # huge beside empty: PyTorch's strides overflow
        return "refused"
    want, have = run(text, inputs, "interp"), run(text, inputs, "cpu")
    if any(isinstance(r, str) and "out of memory" in r for r in (want, have)):
        return "refused"  # huge beside empty
    if isinstance(want, str) or isinstance(have, str):
        same = isinstance(want, str) and isinstance(have, str)
        return "refused" if same and not valid else f"interpreted: {str(want)[:300]}; compiled: {str(have)[:300]}"
    for i, (a, b) in enumerate(zip(want, have, strict=True)):
        if a.shape != b.shape or a.dtype != b.dtype:
            return f"result {i}: {b.dtype}{list(b.shape)} for {a.dtype}{list(a.shape)}"
        wide = [t.to(torch.complex128 if t.is_complex() else torch.float64) for t in (a, b)]
        if not torch.allclose(*wide, 1e-2 if a.dtype == torch.bfloat16 else 1e-4, 1e-4, equal_nan=True):
            return f"result {i}: {b.flatten()[:4].tolist()} for {a.flatten()[:4].tolist()}"
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="programs whose names contain this")
    parser.add_argument("--after", default="", help="go on after this one")
    parser.add_argument("--show", action="store_true", help="print the programs")
    options = parser.parse_args()
    cases = [pair for name in PROGRAMS if options.only in name for pair in variants(name)]
    names = [case for case, _ in cases]
    for case, text in cases[names.index(options.after) + 1 if options.after else 0 :]:
        print(f"running {case}", flush=True)
        if options.show:
            print(text)
        if found := difference(text, case.endswith("()")):
            print(f"refused {case}" if found == "refused" else f"wrong {case}: {found}", flush=True)
    return 0


def try_all() -> tuple[list[str], list[str], list[str]]:
    """Names of all programs, of those refused, and what is wrong. Runs in other processes, for some may crash."""
    names, refused, wrong, after = [], [], [], ""
    environment = os.environ | {"MALLOC_PERTURB_": "165"}
    while True:
        done = subprocess.run(
            [sys.executable, __file__, "--after", after], stdout=subprocess.PIPE, text=True, env=environment
        )
        for line in done.stdout.splitlines():
            kind, _, rest = line.partition(" ")
            {"running": names, "refused": refused}.get(kind, wrong).append(rest)
        if done.returncode >= 0:
            done.check_returncode()
            return names, refused, wrong
        after = names[-1]
        wrong.append(f"{after}: ended by signal {-done.returncode}")


if __name__ == "__main__":
    sys.exit(main())
