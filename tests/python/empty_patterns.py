"""Programs for empty_programs.py: products, patterns that become one kernel, linear algebra, control flow."""

# ruff: noqa: E501 (lines of programs are as long as they are)
from __future__ import annotations

from empty_base import PROGRAMS, body, f, i32, program, sweep, zero
from empty_moves import window
from random_values import listed, type_of

# --- matmuls and convolutions ---


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
