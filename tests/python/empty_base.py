"""What the programs of empty_programs.py are written with."""

from __future__ import annotations

from collections.abc import Callable

import torch
from random_values import TYPES, type_of

KINDS = {**TYPES, "complex<f32>": torch.complex64, "ui64": torch.uint64}
Program = Callable[..., str]
PROGRAMS: dict[str, tuple[dict[str, int], Program]] = {}


def sweep(**dims: int):
    """Registers a program of these dimensions."""

    def register(make: Program) -> Program:
        PROGRAMS[make.__name__] = (dims, make)
        return make

    return register


def f(*shape: int) -> str:
    return type_of("f32", shape)


def i32(*shape: int) -> str:
    return type_of("i32", shape)


def program(args: list[str], results: list[str], *lines: str) -> str:
    """A function of %0, %1 … that returns %r, or %r#0, %r#1 …"""
    taken = ", ".join(f"%{i}: {t}" for i, t in enumerate(args))
    names = ["%r"] if len(results) == 1 else [f"%r#{i}" for i in range(len(results))]
    types = ", ".join(results)
    body = "\n".join(lines)
    return f"func.func @main({taken}) -> ({types}) {{\n{body}\nreturn {', '.join(names)} : {types}\n}}\n"


def zero(dtype: str = "f32", name: str = "%z") -> str:
    return f"{name} = stablehlo.constant dense<{'0.0' if dtype in ('f32', 'bf16', 'f64') else '0'}> : tensor<{dtype}>"


def body(op: str, dtype: str = "f32") -> str:
    t = f"tensor<{dtype}>"
    return f"({{\n^bb0(%a: {t}, %b: {t}):\n%c = stablehlo.{op} %a, %b : {t}\nstablehlo.return %c : {t}\n}})"
