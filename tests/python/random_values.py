"""What programs made at random are written with: values that know their bounds, and the text so far."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import numpy as np
import torch

FLOATS = {"f32": 1 << 20, "f64": 1 << 40, "bf16": 1 << 7, "f16": 1 << 10}
WHOLES = {"i32": 1 << 24, "i64": 1 << 40, "i8": 1 << 6, "ui8": 1 << 7, "i16": 1 << 13, "ui32": 1 << 24}
TOLERANCE = {"f32": 2e-4, "f64": 1e-9, "bf16": 0.1, "f16": 1e-2}
TYPES = {
    "f32": torch.float32, "f64": torch.float64, "f16": torch.float16, "bf16": torch.bfloat16, "i1": torch.bool,
    "i8": torch.int8, "ui8": torch.uint8, "i16": torch.int16, "i32": torch.int32, "ui32": torch.uint32,
    "i64": torch.int64,
}  # fmt: skip
SIZES = [1, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33, 64]
MOST = 6000  # elements


@dataclass(frozen=True)
class Value:
    name: str
    dtype: str
    shape: tuple[int, ...]
    bound: float  # no element is larger
    exact: bool

    @property
    def type(self) -> str:
        return type_of(self.dtype, self.shape)

    @property
    def count(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64))


def type_of(dtype: str, shape: tuple[int, ...]) -> str:
    return "tensor<" + "".join(f"{n}x" for n in shape) + dtype + ">"


def listed(numbers) -> str:
    return "[" + ", ".join(str(int(n)) for n in numbers) + "]"


def array(numbers) -> str:
    return "array<i64: " + ", ".join(str(int(n)) for n in numbers) + ">" if len(list(numbers)) else "array<i64>"


class Nothing(Exception):
    """Nothing fits; another op may."""


class Writer:
    """A program that is being written."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.lines: list[str] = []
        self.values: list[Value] = []
        self.number = 0
        self.depth = 0
        self.args: list[Value] = []

    # --- small parts ---

    def name(self) -> str:
        self.number += 1
        return f"%v{self.number}"

    def shape(self, rank: int | None = None) -> tuple[int, ...]:
        rank = self.random.choice([0, 1, 1, 2, 2, 2, 3, 3, 4]) if rank is None else rank
        while True:
            made = tuple(0 if self.random.random() < 0.004 else self.random.choice(SIZES) for _ in range(rank))
            if np.prod(made, dtype=np.int64) <= MOST:
                return made

    def put(self, text: str, dtype: str, shape, bound: float, exact: bool) -> Value:
        made = Value(self.name(), dtype, tuple(int(n) for n in shape), bound, exact)
        self.lines.append(f"{made.name} = {text}")
        self.values.append(made)
        return self.tamed(made)

    def tamed(self, v: Value) -> Value:
        """Large numbers are brought back, so that sums of them stay exact and exponentials finite."""
        most = (FLOATS | WHOLES).get(v.dtype)
        if most is None or v.bound <= most:
            return v
        if v.dtype in WHOLES:  # wraps, the same way everywhere: what is kept is small
            return self.put(
                f"stablehlo.and {v.name}, {self.constant(v.dtype, v.shape, 7).name} : {v.type}",
                v.dtype,
                v.shape,
                7,
                True,
            )
        low, high = self.constant(v.dtype, (), -8), self.constant(v.dtype, (), 8)
        return self.put(
            f"stablehlo.clamp {low.name}, {v.name}, {high.name} : ({low.type}, {v.type}, {high.type}) -> {v.type}",
            v.dtype, v.shape, 8, v.exact,
        )  # fmt: skip

    def constant(self, dtype: str, shape, number: float) -> Value:
        text = f"{float(number)}" if dtype in FLOATS else "true" if dtype == "i1" and number else str(int(number))
        text = "false" if dtype == "i1" and not number else text
        made = Value(self.name(), dtype, tuple(shape), abs(number), float(number).is_integer())
        self.lines.append(f"{made.name} = stablehlo.constant dense<{text}> : {made.type}")
        return made

    def pick(self, fits=lambda v: True) -> Value:
        """A value of the scope, of late ones more often; else a new input or constant."""
        near = [v for v in self.values[-12:] if fits(v)] if self.random.random() < 0.6 else []
        found = near or [v for v in self.values if fits(v)]
        if found and self.random.random() < 0.93:
            return self.random.choice(found)
        for _ in range(200):
            dtype = self.random.choice(["f32"] * 6 + [*FLOATS, *WHOLES, "i1"])
            probe = Value("", dtype, self.shape(), 3, True)
            if fits(probe):
                return self.fresh(dtype, probe.shape)
        if not found:
            raise Nothing
        return found[0]

    def fresh(self, dtype: str, shape) -> Value:
        if self.depth or self.random.random() < 0.3:
            made = self.constant(dtype, shape, 0 if dtype == "i1" else self.random.randint(0, 3))
        else:
            made = Value(f"%arg{len(self.args)}", dtype, tuple(shape), 1 if dtype == "i1" else 3, True)
            self.args.append(made)
        self.values.append(made)
        return made

    def like(self, v: Value, exact: bool = False) -> Value:
        """Another value of the same type."""
        fits = [w for w in self.values if w.dtype == v.dtype and w.shape == v.shape and (w.exact or not exact)]
        return self.random.choice(fits) if fits and self.random.random() < 0.7 else self.fresh(v.dtype, v.shape)
