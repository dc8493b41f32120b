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
from collections.abc import Callable, Iterator
from pathlib import Path

import torch
from random_programs import TYPES, array, listed, type_of
from tenfold import _core

OPS = Path(__file__).resolve().parents[2] / "docs/ops.md"  # what `tenfold help --ops` prints
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


# --- what moves elements ---


@sweep(a=3, b=4)
def shapes(a, b):
    return program(
        [f(a, b)], [f(b, a)], f"%t = stablehlo.transpose %0, dims = [1, 0] : ({f(a, b)}) -> {f(b, a)}",
        f"%v = stablehlo.reverse %t, dims = [0, 1] : {f(b, a)}", f"%w = stablehlo.reshape %v : ({f(b, a)}) -> {f(a * b)}",
        f"%r = stablehlo.reshape %w : ({f(a * b)}) -> {f(b, a)}",
    )  # fmt: skip


@sweep(a=3, b=4)
def broadcasts(a, b):
    return program(
        [f(a), f(a, 1)], [f(b, a, b)] * 2, f"%s = stablehlo.broadcast_in_dim %0, dims = [1] : ({f(a)}) -> {f(b, a, b)}",
        f"%w = stablehlo.broadcast_in_dim %1, dims = [1, 2] : ({f(a, 1)}) -> {f(b, a, b)}",
        f'%o = "stablehlo.broadcast"(%0) {{broadcast_sizes = array<i64: {b}>}} : ({f(a)}) -> {f(b, a)}',
        f"%q = stablehlo.broadcast_in_dim %o, dims = [0, 1] : ({f(b, a)}) -> {f(b, a, b)}",
        f"%x = stablehlo.add %s, %q : {f(b, a, b)}",
        f"%r:2 = stablehlo.optimization_barrier %x, %w : {f(b, a, b)}, {f(b, a, b)}",
    )  # fmt: skip


@sweep(a=3, b=4, c=2)
def concatenates(a, b, c):
    return program(
        [f(a, b), f(c, b)], [f(a + c + a, b)],
        f"%r = stablehlo.concatenate %0, %1, %0, dim = 0 : ({f(a, b)}, {f(c, b)}, {f(a, b)}) -> {f(a + c + a, b)}",
    )  # fmt: skip


@sweep(a=3, b=4, c=2)
def concatenates_last(a, b, c):
    return program(
        [f(b, a), f(b, c)], [f(b, a + c)],
        f"%r = stablehlo.concatenate %0, %1, dim = 1 : ({f(b, a)}, {f(b, c)}) -> {f(b, a + c)}",
    )  # fmt: skip


@sweep(a=5, b=4, low=2, high=3, inside=1)
def pads(a, b, low, high, inside):
    wide = [n + max(n - 1, 0) * inside + low + high for n in (a, b)]
    return program(
        [f(a, b), f()], [f(*wide)],
        f"%r = stablehlo.pad %0, %1, low = {[low] * 2}, high = {[high] * 2}, interior = {[inside] * 2} : "
        f"({f(a, b)}, {f()}) -> {f(*wide)}",
    )  # fmt: skip


@sweep(a=5, b=4)
def pads_negatively(a, b):
    left = max(a - 2, 0)
    return program(
        [f(a, b), f()], [f(left, b)],
        f"%r = stablehlo.pad %0, %1, low = [{-min(a, 2)}, 0], high = [0, 0], interior = [0, 0] : "
        f"({f(a, b)}, {f()}) -> {f(left, b)}",
    )  # fmt: skip


@sweep(a=5, b=4, taken=2)
def slices(a, b, taken):
    taken = min(taken, a)
    return program(
        [f(a, b), i32(), i32()], [f(taken, b)], f"%s = stablehlo.slice %0 [0:{taken}, 0:{b}] : ({f(a, b)}) -> {f(taken, b)}",
        f"%d = stablehlo.dynamic_slice %0, %1, %2, sizes = [{taken}, {b}] : ({f(a, b)}, {i32()}, {i32()}) -> {f(taken, b)}",
        f"%u = stablehlo.dynamic_update_slice %0, %d, %1, %2 : ({f(a, b)}, {f(taken, b)}, {i32()}, {i32()}) -> {f(a, b)}",
        f"%v = stablehlo.slice %u [0:{taken}, 0:{b}] : ({f(a, b)}) -> {f(taken, b)}",
        f"%r = stablehlo.add %s, %v : {f(taken, b)}",
    )  # fmt: skip


@sweep(a=3, b=4)
def iotas(a, b):
    return program(
        [], [i32(a, b)], f"%x = stablehlo.iota dim = 0 : {i32(a, b)}", f"%y = stablehlo.iota dim = 1 : {i32(a, b)}",
        f"%r = stablehlo.add %x, %y : {i32(a, b)}",
    )  # fmt: skip


@sweep(a=3, b=4)
def dynamic_forms(a, b):
    t, n = f(a, b), "tensor<2xi64>"
    return program(
        [t], [f(b * a), i32(a, b), t],
        f"%s = stablehlo.constant dense<[{a}, {b}]> : {n}", f"%n = stablehlo.constant dense<[{a * b}]> : tensor<1xi64>",
        f"%o = stablehlo.constant dense<0> : {n}", f"%one = stablehlo.constant dense<1> : {n}", zero(),
        f"%p = stablehlo.dynamic_pad %0, %z, %o, %o, %o : ({t}, {f()}, {n}, {n}, {n}) -> {t}",
        f"%q = stablehlo.dynamic_reshape %p, %n : ({t}, tensor<1xi64>) -> {f(a * b)}",
        f"%i = stablehlo.dynamic_iota %s, dim = 1 : ({n}) -> {i32(a, b)}",
        f"%c = stablehlo.dynamic_broadcast_in_dim %0, %s, dims = [0, 1] : ({t}, {n}) -> {t}",
        f"%d = stablehlo.real_dynamic_slice %c, %o, %s, %one : ({t}, {n}, {n}, {n}) -> {t}",
        f"%r:3 = stablehlo.optimization_barrier %q, %i, %d : {f(b * a)}, {i32(a, b)}, {t}",
    )  # fmt: skip


@sweep(a=3, b=4)
def sizes_of(a, b):
    return program(
        [f(a, b)], [i32()], f"%r = stablehlo.get_dimension_size %0, dim = 1 : ({f(a, b)}) -> {i32()}",
    )  # fmt: skip


@sweep(rows=5, wide=4, taken=3)
def gathers(rows, wide, taken):
    return program(
        [f(rows, wide), i32(taken)], [f(taken, wide)],
        f'%r = "stablehlo.gather"(%0, %1) <{{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims'
        f" = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: {min(rows, 1)}, {wide}>}}> : "
        f"({f(rows, wide)}, {i32(taken)}) -> {f(taken, wide)}",
    )  # fmt: skip


@sweep(rows=5, wide=4, taken=3)
def gathers_along(rows, wide, taken):
    return program(
        [f(rows, wide), i32(rows, taken)], [f(rows, taken)],
        f'%r = "stablehlo.gather"(%0, %1) <{{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], '
        f"operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, "
        f"slice_sizes = array<i64: {min(rows, 1)}, {min(wide, 1)}>}}> : ({f(rows, wide)}, {i32(rows, taken)}) -> "
        f"{f(rows, taken)}",
    )  # fmt: skip


@sweep(rows=5, wide=4, taken=3)
def gathers_dynamically(rows, wide, taken):
    return program(
        [f(rows, wide), i32(taken)], [f(taken, wide)],
        f"%s = stablehlo.constant dense<[{min(rows, 1)}, {wide}]> : tensor<2xi32>",
        f'%r = "stablehlo.dynamic_gather"(%0, %1, %s) <{{dimension_numbers = #stablehlo.gather<offset_dims = [1], '
        f"collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}}> : ({f(rows, wide)}, {i32(taken)}, "
        f"tensor<2xi32>) -> {f(taken, wide)}",
    )  # fmt: skip


@sweep(rows=5, wide=4, taken=3)
def selects_rows(rows, wide, taken):
    return program(
        [f(rows, wide), i32(taken)], [f(taken, wide)],
        f'%r = "stablehlo.torch_index_select"(%0, %1) <{{dim = 0 : i64, batch_dims = 0 : i64}}> : ({f(rows, wide)}, '
        f"{i32(taken)}) -> {f(taken, wide)}",
    )  # fmt: skip


def scatter(op: str, rows: int, wide: int, taken: int) -> str:
    combine = (
        body(op)
        if op != "second"
        else "({\n^bb0(%a: tensor<f32>, %b: tensor<f32>):\nstablehlo.return %b : tensor<f32>\n})"
    )
    return program(
        [f(rows, wide), i32(taken), f(taken, wide)], [f(rows, wide)],
        '%r = "stablehlo.scatter"(%0, %1, %2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], '
        f"inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}> {combine} : "
        f"({f(rows, wide)}, {i32(taken)}, {f(taken, wide)}) -> {f(rows, wide)}",
    )  # fmt: skip


@sweep(rows=5, wide=4, taken=3)
def scatters(rows, wide, taken):
    return scatter("add", rows, wide, taken)


@sweep(rows=5, wide=4, taken=3)
def scatters_over(rows, wide, taken):
    return scatter("second", rows, wide, taken)


# --- what reduces ---


@sweep(a=3, b=4, c=5)
def reduces_last(a, b, c):
    return program(
        [f(a, b, c), f()], [f(a, b)],
        f"%r = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [2] : ({f(a, b, c)}, {f()}) -> {f(a, b)}",
    )  # fmt: skip


@sweep(a=3, b=4, c=5)
def reduces_first(a, b, c):
    return program(
        [f(a, b, c), f()], [f(b, c)],
        f"%r = stablehlo.reduce(%0 init: %1) applies stablehlo.maximum across dimensions = [0] : ({f(a, b, c)}, {f()}) -> {f(b, c)}",
    )  # fmt: skip


@sweep(a=130, b=4, c=16)
def reduces_outer(a, b, c):
    return program(
        [f(a, b, c), f()], [f(c)],
        f"%r = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [0, 1] : ({f(a, b, c)}, {f()}) -> {f(c)}",
    )  # fmt: skip


@sweep(a=3, b=4)
def reduces_all(a, b):
    return program(
        [f(a, b), f()], [f()],
        f"%r = stablehlo.reduce(%0 init: %1) applies stablehlo.multiply across dimensions = [0, 1] : ({f(a, b)}, {f()}) -> {f()}",
    )  # fmt: skip


@sweep(a=3, b=4)
def reduces_two(a, b):
    return program(
        [f(a, b), i32(a, b), f(), i32()], [f(a), i32(a)],
        f'%r:2 = "stablehlo.reduce"(%0, %1, %2, %3) <{{dimensions = array<i64: 1>}}> ({{\n^bb0(%a: {f()}, %i: {i32()}, %b: '
        f"{f()}, %j: {i32()}):\n%c = stablehlo.compare GT, %a, %b : ({f()}, {f()}) -> tensor<i1>\n%v = stablehlo.select %c, "
        f"%a, %b : tensor<i1>, {f()}\n%w = stablehlo.select %c, %i, %j : tensor<i1>, {i32()}\nstablehlo.return %v, %w : "
        f"{f()}, {i32()}\n}}) : ({f(a, b)}, {i32(a, b)}, {f()}, {i32()}) -> ({f(a)}, {i32(a)})",
    )  # fmt: skip


def window(n: int, size: int, stride: int, low: int, high: int) -> int:
    free = n + low + high - size
    return free // stride + 1 if n + low + high > 0 and free >= 0 else 0


def pool(op: str, n, h, w, c, size, stride) -> str:
    out = [n, window(h, size, stride, 1, 1), window(w, size, stride, 1, 1), c]
    return program(
        [f(n, h, w, c), f()], [f(*out)],
        f'%r = "stablehlo.reduce_window"(%0, %1) <{{window_dimensions = {array([1, size, size, 1])}, window_strides = '
        f"{array([1, stride, stride, 1])}, padding = dense<[[0, 0], [1, 1], [1, 1], [0, 0]]> : tensor<4x2xi64>}}> "
        f"{body(op)} : ({f(n, h, w, c)}, {f()}) -> {f(*out)}",
    )  # fmt: skip


@sweep(n=2, h=6, w=5, c=8)
def pools_largest(n, h, w, c):
    return pool("maximum", n, h, w, c, 2, 2)


@sweep(n=2, h=6, w=5, c=8)
def pools_sum(n, h, w, c):
    return pool("add", n, h, w, c, 2, 1)


@sweep(n=2, h=6, w=6, c=3)
def scatters_pools(n, h, w, c):
    out = [n, window(h, 2, 2, 0, 0), window(w, 2, 2, 0, 0), c]
    return program(
        [f(n, h, w, c), f(*out), f()], [f(n, h, w, c)],
        '%r = "stablehlo.select_and_scatter"(%0, %1, %2) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = '
        f"array<i64: 1, 2, 2, 1>}}> ({{\n^bb0(%x: {f()}, %y: {f()}):\n%g = stablehlo.compare GE, %x, %y : ({f()}, {f()}) -> "
        f"tensor<i1>\nstablehlo.return %g : tensor<i1>\n}}, {body('add')[1:]} : ({f(n, h, w, c)}, {f(*out)}, {f()}) -> "
        f"{f(n, h, w, c)}",
    )  # fmt: skip


def running(op: str, dtype: str, start: str, dim: int, dims: list[int], forth: bool) -> str:
    t, size, padding = type_of(dtype, tuple(dims)), [1] * len(dims), [[0, 0] for _ in dims]
    size[dim] = max(dims[dim], 1)
    padding[dim][0 if forth else 1] = size[dim] - 1
    return program(
        [t], [t], f"%z = stablehlo.constant dense<{start}> : tensor<{dtype}>",
        f'%r = "stablehlo.reduce_window"(%0, %z) <{{window_dimensions = {array(size)}, padding = dense<{padding}> : '
        f"tensor<{len(dims)}x2xi64>}}> {body(op, dtype)} : ({t}, tensor<{dtype}>) -> {t}",
    )  # fmt: skip


@sweep(a=3, b=4, c=5)
def scans(a, b, c):
    return running("add", "f32", "0.0", 1, [a, b, c], True)


@sweep(a=3, b=4, c=5)
def scans_last(a, b, c):
    return running("add", "i64", "0", 2, [a, b, c], False)


@sweep(a=4, b=5)
def scans_largest(a, b):
    return running("maximum", "i32", "-2147483648", 0, [a, b], True)


@sweep(a=4, b=5)
def scans_chlo(a, b):
    return program(
        [f(a, b), f(b)], [f(a, b), f(b)],
        f"%r:2 = chlo.scan(%0) inits (%1) dimension=0 {{\n^bb0(%x: {f(b)}, %s: {f(b)}):\n%y = stablehlo.add %x, %s : {f(b)}\n"
        f"stablehlo.return %y, %y : {f(b)}, {f(b)}\n}} : ({f(a, b)}, {f(b)}) -> ({f(a, b)}, {f(b)})",
    )  # fmt: skip


@sweep(a=4, b=5)
def sorts(a, b):
    return sort(a, b, 0)


@sweep(a=4, b=5)
def sorts_last(a, b):
    return sort(a, b, 1)


def sort(a: int, b: int, dim: int) -> str:
    return program(
        [f(a, b), i32(a, b)], [f(a, b), i32(a, b)],
        f'%r:2 = "stablehlo.sort"(%0, %1) <{{dimension = {dim} : i64, is_stable = true}}> ({{\n^bb0(%a: {f()}, %b: {f()}, %i: '
        f"{i32()}, %j: {i32()}):\n%c = stablehlo.compare LT, %a, %b, TOTALORDER : ({f()}, {f()}) -> tensor<i1>\n"
        f"stablehlo.return %c : tensor<i1>\n}}) : ({f(a, b)}, {i32(a, b)}) -> ({f(a, b)}, {i32(a, b)})",
    )  # fmt: skip


@sweep(a=3, b=6, k=2)
def top_k(a, b, k):
    k = min(k, b)
    return program(
        [f(a, b)], [f(a, k), i32(a, k)],
        f"%v, %i = chlo.top_k(%0, k = {k}) : {f(a, b)} -> ({f(a, k)}, {i32(a, k)})",
        f"%r:2 = stablehlo.optimization_barrier %v, %i : {f(a, k)}, {i32(a, k)}",
    )  # fmt: skip


@sweep(a=3, b=4)
def maps(a, b):
    return program(
        [f(a, b), f(a, b)], [f(a, b)],
        f'%r = "stablehlo.map"(%0, %1) <{{dimensions = array<i64: 0, 1>}}> {body("multiply")} : ({f(a, b)}, {f(a, b)}) -> '
        f"{f(a, b)}",
    )  # fmt: skip


# --- products and convolutions ---


def dot(dtype: str, batch: int, m: int, k: int, n: int, after: bool) -> str:
    x, y, z = (type_of(dtype, s) for s in ((batch, m, k), (batch, k, n), (batch, m, n)))
    lines = [
        f"%d = stablehlo.dot_general %0, %1, batching_dims = [0] x [0], contracting_dims = [2] x [1] : ({x}, {y}) -> {z}"
    ]
    lines += [f"%r = stablehlo.maximum %d, %2 : {z}" if after else f"%r = stablehlo.negate %d : {z}"]
    return program([x, y, z] if after else [x, y], [z], *lines)


for dtype in ("f32", "f64", "bf16", "i8", "i32", "complex<f32>"):
    PROGRAMS[f"dots_{dtype}"] = (
        {"batch": 2, "m": 5, "k": 7, "n": 9},
        lambda batch, m, k, n, dtype=dtype: dot(dtype, batch, m, k, n, not dtype.startswith("complex")),
    )
PROGRAMS["dots_large"] = ({"m": 70, "k": 90, "n": 80}, lambda m, k, n: dot("f32", 1, m, k, n, True))
PROGRAMS["dots_row"] = ({"k": 90, "n": 80}, lambda k, n: dot("f32", 1, 1, k, n, True))


@sweep(a=3, k=4, b=5)
def dots_plain(a, k, b):
    return program(
        [f(a, k), f(k, b), f(k)], [f(a, b), f(a), f(a, b)],
        f"%d = stablehlo.dot %0, %1 : ({f(a, k)}, {f(k, b)}) -> {f(a, b)}",
        f"%e = stablehlo.dot %0, %2 : ({f(a, k)}, {f(k)}) -> {f(a)}",
        f'%g = "stablehlo.einsum"(%0, %1) <{{einsum_config = "ak,kb->ab"}}> : ({f(a, k)}, {f(k, b)}) -> {f(a, b)}',
        f"%r:3 = stablehlo.optimization_barrier %d, %e, %g : {f(a, b)}, {f(a)}, {f(a, b)}",
    )  # fmt: skip


@sweep(m=6, k=4, n=5, g=3)
def dots_ragged(m, k, n, g):
    return program(
        [f(m, k), f(g, k, n)], [f(m, n)],
        f"%s = stablehlo.constant dense<{m // 3 if g else 0}> : tensor<{g}xi64>",
        '%r = "chlo.ragged_dot"(%0, %1, %s) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = '
        "[1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>} : "
        f"({f(m, k)}, {f(g, k, n)}, tensor<{g}xi64>) -> {f(m, n)}",
    )  # fmt: skip


def conv(
    shape: list[int], taps: list[int], ci: int, co: int, n: int, *, stride=1, dilation=1, base=1, pad=1, groups=1,
    batch_groups=1, dtype="f32", last=True, after=False,
) -> str:  # fmt: skip
    rank, out = len(shape), []
    for size, k in zip(shape, taps, strict=True):
        wide = (size - 1) * base + 1 if size else 0
        out.append(window(wide, (k - 1) * dilation + 1 if k else 0, stride, pad, pad))
    spatial = ", ".join(str(d) for d in range(rank))
    kernel = ([*taps, ci // groups, co]) if last else ([co, ci // groups, *taps])
    x = [n * batch_groups, *shape, ci] if last else [n * batch_groups, ci, *shape]
    y = [n, *out, co] if last else [n, co, *out]
    numbers = f"[b, {spatial}, f]x[{spatial}, i, o]->[b, {spatial}, f]" if last else (
        f"[b, f, {spatial}]x[o, i, {spatial}]->[b, f, {spatial}]"
    )  # fmt: skip
    window_text = (
        f"stride = {[stride] * rank}, pad = {[[pad, pad]] * rank}, lhs_dilate = {[base] * rank}, "
        f"rhs_dilate = {[dilation] * rank}"
    )
    x, kernel, y = (type_of(dtype, tuple(s)) for s in (x, kernel, y))
    lines = [
        f"%c = stablehlo.convolution(%0, %1) dim_numbers = {numbers}, window = {{{window_text}}} {{batch_group_count = "
        f"{batch_groups} : i64, feature_group_count = {groups} : i64}} : ({x}, {kernel}) -> {y}"
    ]
    lines += [f"%r = stablehlo.maximum %c, %2 : {y}" if after else f"%r = stablehlo.negate %c : {y}"]
    return program([x, kernel, y] if after else [x, kernel], [y], *lines)


CONVS = {
    "plain": {}, "last_f32": {"after": True}, "first": {"last": False, "after": True}, "strided": {"stride": 2},
    "dilated": {"dilation": 2, "pad": 2}, "spread": {"base": 2, "pad": 2}, "bf16": {"dtype": "bf16", "after": True},
    "f64": {"dtype": "f64"}, "i8": {"dtype": "i8"},
}  # fmt: skip
for name, options in CONVS.items():
    PROGRAMS[f"convolves_{name}"] = (
        {"n": 2, "h": 8, "w": 7, "ci": 16, "co": 16},
        lambda n, h, w, ci, co, options=options: conv([h, w], [3, 3], ci, co, n, **options),
    )
PROGRAMS["convolves_1x1"] = (
    {"n": 2, "h": 8, "w": 7, "ci": 16, "co": 16},
    lambda n, h, w, ci, co: conv([h, w], [1, 1], ci, co, n, pad=0, after=True),
)
PROGRAMS["convolves_line"] = (
    {"n": 2, "w": 9, "ci": 6, "co": 4}, lambda n, w, ci, co: conv([w], [3], ci, co, n, last=False)
)  # fmt: skip
PROGRAMS["convolves_space"] = (
    {"n": 2, "d": 4, "w": 5, "ci": 6, "co": 4},
    lambda n, d, w, ci, co: conv([d, w, w], [3, 3, 3], ci, co, n),
)
for groups, each, out in ((4, 4, 4), (8, 1, 1), (8, 1, 2)):
    for last, stride in ((True, 1), (False, 2)):
        PROGRAMS[f"convolves_groups_{groups}x{each}x{out}_{stride}"] = (
            {"n": 2, "h": 8, "w": 7, "ci": each, "co": out},
            lambda n, h, w, ci, co, groups=groups, last=last, stride=stride: conv(
                [h, w], [3, 3], groups * ci, groups * co, n, groups=groups, last=last, stride=stride
            ),
        )
PROGRAMS["convolves_batch_groups"] = (
    {"n": 2, "h": 8, "w": 7, "ci": 3, "co": 2},
    lambda n, h, w, ci, co: conv([h, w], [3, 3], ci, 4 * co, n, batch_groups=4),
)


@sweep(n=2, h=8, w=7, ci=16, co=16)
def convolves_kernel_gradient(n, h, w, ci, co):
    return program(
        [f(n, h, w, ci), f(n, h, w, co)], [f(3, 3, ci, co)],
        "%r = stablehlo.convolution(%0, %1) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {pad = [[1, 1], "
        "[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
        f"({f(n, h, w, ci)}, {f(n, h, w, co)}) -> {f(3, 3, ci, co)}",
    )  # fmt: skip


@sweep(n=2, w=9, ci=6, co=4)
def convolves_dynamically(n, w, ci, co):
    return program(
        [f(n, w, ci), f(3, ci, co)], [f(n, w, co)], "%p = stablehlo.constant dense<1> : tensor<1x2xi64>",
        '%r = "stablehlo.dynamic_conv"(%0, %1, %p) <{dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, '
        "batch_group_count = 1 : i64, feature_group_count = 1 : i64}> : "
        f"({f(n, w, ci)}, {f(3, ci, co)}, tensor<1x2xi64>) -> {f(n, w, co)}",
    )  # fmt: skip


@sweep(n=2, h=6, w=5, c=8)
def convolves_then_normalises(n, h, w, c):
    t, s = f(n, h, w, c), f(c)
    return program(
        [t, f(3, 3, c, c), s, s, s, s], [t],
        "%c = stablehlo.convolution(%0, %1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], "
        f"[1, 1]]}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({t}, {f(3, 3, c, c)}) -> {t}",
        f'%m = "stablehlo.batch_norm_inference"(%c, %2, %3, %4, %5) <{{epsilon = 1.0e-3 : f32, feature_index = 3 : i64}}> : '
        f"({t}, {s}, {s}, {s}, {s}) -> {t}", zero(), f"%b = stablehlo.broadcast_in_dim %z, dims = [] : ({f()}) -> {t}",
        f"%r = stablehlo.maximum %m, %b : {t}",
    )  # fmt: skip


@sweep(n=2, h=6, w=5, c=8)
def normalises_batches(n, h, w, c):
    t, s = f(n, h, w, c), f(c)
    at = "<{epsilon = 1.0e-3 : f32, feature_index = 3 : i64}>"
    return program(
        [t, s, s, t], [t, s, s, t, s, s],
        f'%y, %m, %v = "stablehlo.batch_norm_training"(%0, %1, %2) {at} : ({t}, {s}, {s}) -> ({t}, {s}, {s})',
        f'%g, %h, %k = "stablehlo.batch_norm_grad"(%0, %1, %m, %v, %3) {at} : ({t}, {s}, {s}, {s}, {t}) -> ({t}, {s}, {s})',
        f"%r:6 = stablehlo.optimization_barrier %y, %m, %v, %g, %h, %k : {t}, {s}, {s}, {t}, {s}, {s}",
    )  # fmt: skip


# --- patterns that become one kernel ---


def softmax(x: str, dims: list[int], name: str) -> list[str]:
    t, s, last = f(*dims), f(*dims[:-1]), len(dims) - 1
    kept = listed(range(last))
    return [
        f"%low{name} = stablehlo.constant dense<0xFF800000> : {f()}", zero(name=f"%zero{name}"),
        f"%m{name} = stablehlo.reduce({x} init: %low{name}) applies stablehlo.maximum across dimensions = [{last}] : "
        f"({t}, {f()}) -> {s}",
        f"%n{name} = stablehlo.broadcast_in_dim %m{name}, dims = {kept} : ({s}) -> {t}",
        f"%d{name} = stablehlo.subtract {x}, %n{name} : {t}", f"%e{name} = stablehlo.exponential %d{name} : {t}",
        f"%s{name} = stablehlo.reduce(%e{name} init: %zero{name}) applies stablehlo.add across dimensions = [{last}] : "
        f"({t}, {f()}) -> {s}",
        f"%t{name} = stablehlo.broadcast_in_dim %s{name}, dims = {kept} : ({s}) -> {t}",
        f"%soft{name} = stablehlo.divide %e{name}, %t{name} : {t}",
    ]  # fmt: skip


@sweep(a=3, b=4, c=5)
def softmaxes(a, b, c):
    return program(
        [f(a, b, c)], [f(a, b, c)], *softmax("%0", [a, b, c], ""), f"%r = stablehlo.negate %soft : {f(a, b, c)}"
    )


@sweep(batch=2, heads=3, q=8, k=9, d=16, v=16)
def attends(batch, heads, q, k, d, v):
    x, y, z = f(batch, heads, q, d), f(batch, heads, k, d), f(batch, heads, k, v)
    s, o = f(batch, heads, q, k), f(batch, heads, q, v)
    both = "batching_dims = [0, 1] x [0, 1], contracting_dims"
    return program(
        [x, y, z], [o], f"%q = stablehlo.dot_general %0, %1, {both} = [3] x [3] : ({x}, {y}) -> {s}",
        f"%h = stablehlo.constant dense<0.25> : {s}", f"%w = stablehlo.multiply %q, %h : {s}",
        *softmax("%w", [batch, heads, q, k], ""),
        f"%r = stablehlo.dot_general %soft, %2, {both} = [3] x [2] : ({s}, {z}) -> {o}",
    )  # fmt: skip


@sweep(batch=2, q=8, k=9, d=16)
def attends_backward(batch, q, k, d):
    """The gradients of q, k and v, as they are written from the weights."""
    x, y, s, row = f(batch, q, d), f(batch, k, d), f(batch, q, k), f(batch, q)

    def dot(name, a, b, dims, types, to):
        return f"{name} = stablehlo.dot_general {a}, {b}, batching_dims = [0] x [0], contracting_dims = {dims} : {types} -> {to}"

    return program(
        [x, y, y, x], [x, y, y], dot("%q", "%0", "%1", "[2] x [2]", f"({x}, {y})", s), *softmax("%q", [batch, q, k], ""),
        dot("%dv", "%soft", "%3", "[1] x [1]", f"({s}, {x})", y), dot("%dp", "%3", "%2", "[2] x [2]", f"({x}, {y})", s),
        f"%pp = stablehlo.multiply %dp, %soft : {s}",
        f"%su = stablehlo.reduce(%pp init: %zero) applies stablehlo.add across dimensions = [2] : ({s}, {f()}) -> {row}",
        f"%sb = stablehlo.broadcast_in_dim %su, dims = [0, 1] : ({row}) -> {s}",
        f"%sc = stablehlo.subtract %dp, %sb : {s}", f"%ds = stablehlo.multiply %sc, %soft : {s}",
        dot("%dq", "%ds", "%1", "[2] x [1]", f"({s}, {y})", x), dot("%dk", "%ds", "%0", "[1] x [1]", f"({s}, {x})", y),
        f"%r:3 = stablehlo.optimization_barrier %dq, %dk, %dv : {x}, {y}, {y}",
    )  # fmt: skip


@sweep(a=3, b=4, c=16)
def normalises_layers(a, b, c):
    t, s = f(a, b, c), f(a, b)

    def mean(x, name):
        return [
            f"%s{name} = stablehlo.reduce({x} init: %z) applies stablehlo.add across dimensions = [2] : ({t}, {f()}) -> {s}",
            f"%q{name} = stablehlo.divide %s{name}, %count : {s}",
            f"%b{name} = stablehlo.broadcast_in_dim %q{name}, dims = [0, 1] : ({s}) -> {t}",
        ]  # fmt: skip

    return program(
        [t, f(c), f(c)], [t], zero(), f"%count = stablehlo.constant dense<{float(c)}> : {s}",
        f"%eps = stablehlo.constant dense<1.0e-5> : {t}", *mean("%0", "0"), f"%x = stablehlo.subtract %0, %b0 : {t}",
        f"%xx = stablehlo.multiply %x, %x : {t}", *mean("%xx", "1"), f"%v = stablehlo.add %b1, %eps : {t}",
        f"%i = stablehlo.rsqrt %v : {t}", f"%y = stablehlo.multiply %x, %i : {t}",
        f"%g = stablehlo.broadcast_in_dim %1, dims = [2] : ({f(c)}) -> {t}",
        f"%h = stablehlo.broadcast_in_dim %2, dims = [2] : ({f(c)}) -> {t}", f"%w = stablehlo.multiply %y, %g : {t}",
        f"%r = stablehlo.add %w, %h : {t}",
    )  # fmt: skip


# --- linear algebra, transforms, random words, control flow, quantized types ---


@sweep(batch=2, n=4)
def factors(batch, n):
    t = f(batch, n, n)
    return program([t], [t], f"%r = stablehlo.cholesky %0, lower = true : {t}")


@sweep(batch=2, n=4, m=3)
def solves(batch, n, m):
    t, b = f(batch, n, n), f(batch, n, m)
    return program(
        [t, b], [b],
        '%r = "stablehlo.triangular_solve"(%0, %1) <{left_side = true, lower = true, unit_diagonal = true, transpose_a = '
        f"#stablehlo<transpose NO_TRANSPOSE>}}> : ({t}, {b}) -> {b}",
    )  # fmt: skip


for kind in ("FFT", "IFFT", "RFFT", "IRFFT"):
    for rank in (1, 2):

        def transform(a, b, c, kind=kind, rank=rank):
            length = [b, c][2 - rank :]
            half = c // 2 + 1 if c else 0
            x = type_of("complex<f32>", (a, b, half if kind == "IRFFT" else c)) if kind != "RFFT" else f(a, b, c)
            y = f(a, b, c) if kind == "IRFFT" else type_of("complex<f32>", (a, b, half if kind == "RFFT" else c))
            return program([x], [y], f"%r = stablehlo.fft %0, type = {kind}, length = {length} : ({x}) -> {y}")

        PROGRAMS[f"transforms_{kind}_{rank}"] = ({"a": 3, "b": 4, "c": 6}, transform)


for way in ("THREE_FRY", "PHILOX"):
    PROGRAMS[f"random_words_{way}"] = (
        {"a": 3, "b": 5},
        lambda a, b, way=way: program(
            ["tensor<2xui64>"], ["tensor<2xui64>", type_of("ui32", (a, b))],
            f"%s, %w = stablehlo.rng_bit_generator %0, algorithm = {way} : (tensor<2xui64>) -> (tensor<2xui64>, "
            f"{type_of('ui32', (a, b))})",
            f"%r:2 = stablehlo.optimization_barrier %s, %w : tensor<2xui64>, {type_of('ui32', (a, b))}",
        ),
    )  # fmt: skip


@sweep(a=3, b=4)
def random_numbers(a, b):
    return program(
        [], [i32()], zero(), "%one = stablehlo.constant dense<1.0> : tensor<f32>",
        f"%s = stablehlo.constant dense<[{a}, {b}]> : tensor<2xi64>",
        f"%x = stablehlo.rng %z, %one, %s, distribution = UNIFORM : ({f()}, {f()}, tensor<2xi64>) -> {f(a, b)}",
        f"%y = stablehlo.get_dimension_size %x, dim = 0 : ({f(a, b)}) -> {i32()}", f"%r = stablehlo.negate %y : {i32()}",
    )  # fmt: skip


@sweep(a=3, b=4)
def loops(a, b):
    t = f(a, b)
    return program(
        [t], [t], f"%n = stablehlo.constant dense<3> : {i32()}", f"%o = stablehlo.constant dense<0> : {i32()}",
        f"%one = stablehlo.constant dense<1> : {i32()}", f"%w:2 = stablehlo.while(%i = %o, %x = %0) : {i32()}, {t}", "cond {",
        f"%c = stablehlo.compare LT, %i, %n : ({i32()}, {i32()}) -> tensor<i1>", "stablehlo.return %c : tensor<i1>", "} do {",
        f"%j = stablehlo.add %i, %one : {i32()}", f"%y = stablehlo.add %x, %x : {t}", f"stablehlo.return %j, %y : {i32()}, {t}",
        "}", f"%r = stablehlo.negate %w#1 : {t}",
    )  # fmt: skip


@sweep(a=3, b=4)
def branches(a, b):
    t = f(a, b)
    return program(
        [t, i32()], [t], f"%one = stablehlo.constant dense<1> : {i32()}",
        f"%c = stablehlo.compare LT, %1, %one : ({i32()}, {i32()}) -> tensor<i1>",
        f'%v = "stablehlo.if"(%c) ({{\n%x = stablehlo.negate %0 : {t}\nstablehlo.return %x : {t}\n}}, {{\nstablehlo.return %0 '
        f": {t}\n}}) : (tensor<i1>) -> {t}",
        f'%r = "stablehlo.case"(%1) ({{\nstablehlo.return %v : {t}\n}}, {{\n%x = stablehlo.abs %v : {t}\nstablehlo.return %x : '
        f"{t}\n}}) : ({i32()}) -> {t}",
    )  # fmt: skip


@sweep(a=3, b=4, c=5)
def quantizes(a, b, c):
    x, w, y = (f"!quant.uniform<i8:f32, {q}>" for q in ("5.0e-01:3", "2.5e-01:0", "1.0:-7"))
    qx, qw, qy = type_of(x, (a, b)), type_of(w, (b, c)), type_of(y, (a, c))
    return program(
        [f(a, b), f(b, c)], [f(a, c)], f"%x = stablehlo.uniform_quantize %0 : ({f(a, b)}) -> {qx}",
        f"%w = stablehlo.uniform_quantize %1 : ({f(b, c)}) -> {qw}", f"%v = stablehlo.add %x, %x : {qx}",
        f"%d = stablehlo.dot_general %v, %w, contracting_dims = [1] x [0] : ({qx}, {qw}) -> {qy}",
        f"%r = stablehlo.uniform_dequantize %d : ({qy}) -> {f(a, c)}",
    )  # fmt: skip


@sweep(a=4, b=6)
def collectives(a, b):
    """What two processes exchange."""
    t, half, wide = f(a, b), f(a // 2, b), f(2 * a, b)
    groups = "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>"
    inner = [
        f'%g = "stablehlo.all_gather"(%x) <{{all_gather_dim = 0 : i64, {groups}}}> : ({t}) -> {wide}',
        f'%s = "stablehlo.all_reduce"(%x) <{{{groups}}}> {body("add")} : ({t}) -> {t}',
        f'%h = "stablehlo.reduce_scatter"(%x) <{{scatter_dimension = 0 : i64, {groups}}}> {body("add")} : ({t}) -> {half}',
        f'%o = "stablehlo.all_to_all"(%s) <{{split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, '
        f"{groups}}}> : ({t}) -> {t}",
        f'%p = "stablehlo.collective_permute"(%o) <{{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}}> : '
        f"({t}) -> {t}", f'%q = "stablehlo.collective_broadcast"(%p) <{{{groups}}}> : ({t}) -> {t}',
        f"return %g, %h, %q : {wide}, {half}, {t}",
    ]  # fmt: skip
    six = f"{wide}, {half}, {t}"
    lines = "\n".join(inner)
    return (
        f"module {{\nfunc.func @each(%x: {t}) -> ({six}) {{\n{lines}\n}}\n"
        f"func.func @main(%0: {t}, %1: {t}) -> ({six}, {six}) {{\n"
        f'%r:6 = "interpreter.run_parallel"(%0, %1) {{programs = [[@each], [@each]]}} : ({t}, {t}) -> ({six}, {six})\n'
        f"return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5 : {six}, {six}\n}}\n}}\n"
    )


# --- ops of one element, from the table of ops ---

WHOLE = ("not", "popcnt", "count_leading_zeros", "shift_", "and", "or", "xor", "mulhi")
ROW = re.compile(r"^\| `(\w+\.[^`]+)` \| (\d*).* \| ([^|]*) \|$", re.MULTILINE)
# types of their own, in quantizes(); only complex numbers, which are not compiled
LEFT_OUT = ("stablehlo.uniform_quantize", "stablehlo.uniform_dequantize", "chlo._asin_acos_kernel")
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


def variants(name: str) -> Iterator[tuple[str, str]]:
    """The program as it is, with one dimension 0, and with several."""
    dims, make = PROGRAMS[name]
    chosen = [(), *itertools.combinations(dims, 1), *itertools.combinations(dims, 2 if len(dims) == 3 else len(dims))]
    for empty in dict.fromkeys(chosen):
        text = make(**{d: 0 if d in empty else n for d, n in dims.items()})
        yield f"{name}({', '.join(f'{d}=0' for d in empty)})", text


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
    inputs = inputs_of(text)
    want, have = run(text, inputs, "interp"), run(text, inputs, "cpu")
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
