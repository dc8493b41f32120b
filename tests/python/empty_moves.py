"""Programs for empty_programs.py: ops that move elements, and ops that reduce."""

# ruff: noqa: E501 (lines of programs are as long as they are)
from __future__ import annotations

from empty_base import body, f, i32, program, sweep, zero
from random_values import array, type_of

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
