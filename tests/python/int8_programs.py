"""Matmuls and convolutions of 8-bit integers with 32-bit sums, compiled as interpreted: every kind of shape, zero
points, bytes of either sign, and what comes after them. `python int8_programs.py --seeds 0:40` prints what differs;
TENFOLD_CPU chooses the kernels."""

from __future__ import annotations

import argparse
import random

import torch
from random_programs import run, try_seeds, type_of
from test_group_convolutions import window

SIGNED, UNSIGNED = ("i8", torch.int8, -128, 127), ("ui8", torch.uint8, 0, 255)


def bytes_of(draw: random.Random, kind, shape) -> torch.Tensor:
    """Any bytes, or only the extreme ones, whose sums are the largest."""
    generator = torch.Generator().manual_seed(draw.randrange(1 << 30))
    _, dtype, low, high = kind
    if draw.random() < 0.2:
        return torch.full(shape, draw.choice([low, high]), dtype=dtype)
    return torch.randint(low, high + 1, shape, generator=generator, dtype=torch.int64).to(dtype)


def centered(draw: random.Random, kind, shape) -> tuple[str, str]:
    """Lines that widen %x, and the name of the result: with a zero point or without."""
    wide = type_of("i32", shape)
    lines = f"%x32 = stablehlo.convert %x : ({type_of(kind[0], shape)}) -> {wide}\n"
    zero = draw.choice([0, 0, kind[2], kind[3], draw.randint(kind[2], kind[3])])
    if not zero:
        return lines, "%x32"
    lines += f"%zero = stablehlo.constant dense<{zero}> : {wide}\n"
    return lines + f"%xc = stablehlo.subtract %x32, %zero : {wide}\n", "%xc"


def end(draw: random.Random, shape) -> tuple[str, str]:
    """What is done with the sums %y, and the type returned: nothing, a rescaling to bytes in integers or in f32 (with
    the bytes of another layer added), or f32."""
    wide = type_of("i32", shape)
    kind = draw.choice(["sums", "integer", "real", "bytes", "scaled"])
    if kind == "sums":
        return f"return %y : {wide}\n", wide
    if kind == "scaled":
        real = type_of("f32", shape)
        return (
            f"%f = stablehlo.convert %y : ({wide}) -> {real}\n%s = stablehlo.constant dense<0.0123> : {real}\n"
            f"%r = stablehlo.multiply %f, %s : {real}\nreturn %r : {real}\n"
        ), real
    narrow = type_of(draw.choice(["i8", "ui8"]), shape)
    low, high = (0, 255) if "ui8" in narrow else (-128, 127)
    clamp = (
        f"%low = stablehlo.constant dense<{low}> : {wide}\n%high = stablehlo.constant dense<{high}> : {wide}\n"
        f"%inside = stablehlo.clamp %low, %scaled, %high : {wide}\n"
        f"%r = stablehlo.convert %inside : ({wide}) -> {narrow}\nreturn %r : {narrow}\n"
    )
    if kind == "integer":
        long = type_of("i64", shape)
        return (
            f"%l = stablehlo.convert %y : ({wide}) -> {long}\n%m = stablehlo.constant dense<1518500250> : {long}\n"
            f"%half = stablehlo.constant dense<137438953472> : {long}\n%by = stablehlo.constant dense<38> : {long}\n"
            f"%p = stablehlo.multiply %l, %m : {long}\n%q = stablehlo.add %p, %half : {long}\n"
            f"%s = stablehlo.shift_right_arithmetic %q, %by : {long}\n"
            f"%scaled = stablehlo.convert %s : ({long}) -> {wide}\n{clamp}"
        ), narrow
    real = type_of("f32", shape)
    added = (
        f"%fb = stablehlo.add %f1, %other : {real}\n" if kind == "real" else f"%fb = stablehlo.negate %f1 : {real}\n"
    )
    return (
        f"%f = stablehlo.convert %y : ({wide}) -> {real}\n%c = stablehlo.constant dense<0.003> : {real}\n"
        f"%f1 = stablehlo.multiply %f, %c : {real}\n%other = stablehlo.constant dense<3.5> : {real}\n{added}"
        f"%round = stablehlo.round_nearest_even %fb : {real}\n"
        f"%scaled = stablehlo.convert %round : ({real}) -> {wide}\n{clamp}"
    ), narrow


def weights(draw: random.Random, shape) -> tuple[torch.Tensor, bool]:
    """The weights, and whether they are a constant of the program: as bytes, or as i32."""
    return bytes_of(draw, SIGNED, shape), draw.random() < 0.3


def literal(values: torch.Tensor) -> str:
    return str(values.tolist())


def program(draw: random.Random, x, w: torch.Tensor, fixed: bool, op: str, out) -> tuple[str, list[torch.Tensor]]:
    kind = UNSIGNED if x.dtype == torch.uint8 else SIGNED
    lines, left = centered(draw, kind, tuple(x.shape))
    narrow, wide = type_of("i8", tuple(w.shape)), type_of("i32", tuple(w.shape))
    inputs, parameters = [x], f"%x: {type_of(kind[0], tuple(x.shape))}"
    if fixed and draw.random() < 0.5:
        lines += f"%w32 = stablehlo.constant dense<{literal(w)}> : {wide}\n"
    else:
        if fixed:
            lines += f"%w = stablehlo.constant dense<{literal(w)}> : {narrow}\n"
        else:
            inputs.append(w)
            parameters += f", %w: {narrow}"
        lines += f"%w32 = stablehlo.convert %w : ({narrow}) -> {wide}\n"
    types = f"({type_of('i32', tuple(x.shape))}, {wide}) -> {type_of('i32', out)}"
    lines += f"%y = {op.format(x=left, w='%w32')} : {types}\n"
    tail, result = end(draw, out)
    return f"func.func @main({parameters}) -> {result} {{\n{lines}{tail}}}\n", inputs


def convolution(draw: random.Random) -> tuple[str, list[torch.Tensor]]:
    groups, inputs, outputs = draw.choice(
        [
            (1, 3, 8),
            (1, 4, 32),
            (1, 16, 33),
            (1, 64, 70),
            (1, 1, 1),
            (1, 5, 130),
            (2, 8, 8),
            (3, 5, 24),
            (16, 1, 1),
            (37, 1, 1),
            (6, 1, 2),
        ]
    )
    n, h, w = draw.choice([0, 1, 1, 2, 3]), draw.choice([5, 8, 13]), draw.choice([4, 9, 17, 60])
    (a, kh, oh), (b, kw, ow) = window(draw, h), window(draw, w)
    order, x, k, y = draw.choice(
        [
            ("[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", (n, h, w, groups * inputs), (kh, kw, inputs, groups * outputs),
             (n, oh, ow, groups * outputs)),
            ("[b, 0, 1, f]x[o, 0, 1, i]->[b, 0, 1, f]", (n, h, w, groups * inputs), (groups * outputs, kh, kw, inputs),
             (n, oh, ow, groups * outputs)),
            ("[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]", (n, groups * inputs, h, w), (groups * outputs, inputs, kh, kw),
             (n, groups * outputs, oh, ow)),
        ]
    )  # fmt: skip
    c = list(zip(a, b, strict=True))
    text = (
        f"stride = {list(c[0])}, pad = {[list(p) for p in zip(c[1], c[2], strict=True)]}, lhs_dilate = {list(c[3])}, "
        f"rhs_dilate = {list(c[4])}, reverse = {str([bool(r) for r in c[5]]).lower()}"
    )
    op = (
        f"stablehlo.convolution({{x}}, {{w}}) dim_numbers = {order}, window = {{{{{text}}}}} "
        f"{{{{batch_group_count = 1 : i64, feature_group_count = {groups} : i64}}}}"
    )
    kernel, fixed = weights(draw, k)
    return program(draw, bytes_of(draw, draw.choice([SIGNED, UNSIGNED]), x), kernel, fixed, op, y)


def matmul(draw: random.Random) -> tuple[str, list[torch.Tensor]]:
    m, n, k = (draw.choice([0, 1, 1, 2, 7, 31, 32, 33, 57, 130]) for _ in range(3))
    batch = draw.choice([(), (), (2,), (2, 3)])
    b = len(batch)
    dims = list(range(b))
    turned, right = draw.random() < 0.3, draw.random() < 0.5
    x = (*batch, k, m) if turned else (*batch, m, k)
    w = (*batch, n, k) if right else (*batch, k, n)
    batches = f"batching_dims = {dims} x {dims}, " if batch else ""
    op = f"stablehlo.dot_general {{x}}, {{w}}, {batches}contracting_dims = [{b + (not turned)}] x [{b + right}]"
    values, fixed = weights(draw, w)
    return program(
        draw, bytes_of(draw, draw.choice([SIGNED, UNSIGNED]), x), values, fixed and n > 0 and k > 0, op, (*batch, m, n)
    )


def make(seed: int) -> tuple[str, list[torch.Tensor]]:
    draw = random.Random(seed)
    return draw.choice([convolution, matmul])(draw)


def differences(seed: int) -> list[str]:
    text, inputs = make(seed)
    want, have = run(text, inputs, "interp", 3)[0], run(text, inputs, "cpu", 3)[0]
    return [] if torch.equal(want, have) else [f"{int((want != have).sum())} elements differ:\n{text}"]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", default="0:40", help="from:to")
    parser.add_argument("--show", type=int, help="print the program of this seed")
    options = parser.parse_args()
    if options.show is not None:
        print(make(options.show)[0])
    else:
        raise SystemExit(try_seeds(options.seeds, differences))
