"""Programs made at random, for holding every fast way of running them to the interpreter.

    random_programs.py [--seeds 0:1000] [--device cpu] [--level 3] [--show]

What decides something (a comparison, a conversion to whole numbers, an index) reads exact values alone: whole numbers,
small enough for their type. Everything else may come out of a rounding or two, and is compared as such.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

import numpy as np
import torch
from random_values import FLOATS, MOST, TOLERANCE, TYPES, WHOLES, Nothing, Value, Writer, array, listed, type_of
from tenfold import _core


class Maker(Writer):
    # --- ops ---

    def unary(self) -> None:
        v = self.pick(lambda v: v.dtype in FLOATS)
        safe = ["negate", "abs", "sign", "floor", "ceil"] if v.exact else ["negate", "abs"]
        smooth = ["tanh", "logistic", "sine", "cosine", "exponential", "sqrt", "rsqrt", "log_plus_one", "cbrt", "erf"]
        op = self.random.choice(safe + smooth)
        if v.bound > {"exponential": 8, "sine": 50, "cosine": 50}.get(op, v.bound):
            op = "tanh"
        if op in ("sqrt", "rsqrt", "log_plus_one"):
            v = self.put(f"stablehlo.abs {v.name} : {v.type}", v.dtype, v.shape, v.bound, v.exact)
            one = self.constant(v.dtype, v.shape, 1)
            v = self.put(f"stablehlo.add {v.name}, {one.name} : {v.type}", v.dtype, v.shape, v.bound + 1, v.exact)
        bound = {"tanh": 1, "logistic": 1, "sine": 1, "cosine": 1, "rsqrt": 1, "sign": 1, "erf": 1}.get(op, v.bound)
        bound = 3000 if op == "exponential" else bound
        if op == "erf":
            self.put(f"chlo.erf {v.name} : {v.type} -> {v.type}", v.dtype, v.shape, bound, False)
        else:
            self.put(f"stablehlo.{op} {v.name} : {v.type}", v.dtype, v.shape, bound, v.exact and op in safe)

    def binary(self) -> None:
        v = self.pick(lambda v: v.dtype != "i1")
        w = self.like(v)
        exact = v.exact and w.exact
        op = self.random.choice(["add", "subtract", "multiply", "maximum", "minimum", "divide"])
        if v.dtype in WHOLES and self.random.random() < 0.3:
            op = self.random.choice(["and", "or", "xor"])
        if op == "divide" and v.dtype in WHOLES:
            op = "add"
        if op == "subtract" and v.dtype.startswith("ui"):
            op = "xor"
        if op == "divide":
            w = self.put(f"stablehlo.multiply {w.name}, {w.name} : {w.type}", w.dtype, w.shape, w.bound**2, w.exact)
            one = self.constant(w.dtype, w.shape, 1)
            w = self.put(f"stablehlo.add {w.name}, {one.name} : {w.type}", w.dtype, w.shape, w.bound + 1, w.exact)
        bound = v.bound * w.bound if op == "multiply" else v.bound + w.bound
        bound = 2 * max(v.bound, w.bound) + 1 if op in ("and", "or", "xor") else bound
        self.put(f"stablehlo.{op} {v.name}, {w.name} : {v.type}", v.dtype, v.shape, bound, exact and op != "divide")

    def choose(self) -> None:
        v = self.pick(lambda v: v.exact and v.dtype != "i1")
        w = self.like(v, exact=True)
        way = self.random.choice(["LT", "LE", "GT", "GE", "EQ", "NE"])
        c = self.put(
            f"stablehlo.compare {way}, {v.name}, {w.name} : ({v.type}, {v.type}) -> {type_of('i1', v.shape)}",
            "i1", v.shape, 1, True,
        )  # fmt: skip
        a = self.pick(lambda u: u.shape == v.shape)
        b = self.like(a)
        self.put(
            f"stablehlo.select {c.name}, {a.name}, {b.name} : {c.type}, {a.type}", a.dtype, a.shape,
            max(a.bound, b.bound), a.exact and b.exact,
        )  # fmt: skip

    def convert(self) -> None:
        v = self.pick()
        kinds = [*FLOATS, *WHOLES] if v.exact else [k for k in FLOATS if TOLERANCE[k] > TOLERANCE[v.dtype]]
        kinds = [k for k in kinds if k != v.dtype]
        if not kinds:
            return
        to = self.random.choice(kinds)
        if v.bound > (FLOATS | WHOLES)[to] or (
            to.startswith("ui") and not v.dtype.startswith("ui") and v.dtype != "i1"
        ):
            return
        self.put(f"stablehlo.convert {v.name} : ({v.type}) -> {type_of(to, v.shape)}", to, v.shape, v.bound, v.exact)

    def broadcast(self) -> None:
        v = self.pick(lambda v: len(v.shape) < 4)
        shape = list(self.shape(self.random.randint(len(v.shape), 4)))
        dims = sorted(self.random.sample(range(len(shape)), len(v.shape)))
        for n, d in zip(v.shape, dims, strict=True):
            shape[d] = n if n != 1 or self.random.random() < 0.5 else shape[d]
        if np.prod(shape, dtype=np.int64) > MOST:
            return
        to = type_of(v.dtype, tuple(shape))
        self.put(
            f"stablehlo.broadcast_in_dim {v.name}, dims = {listed(dims)} : ({v.type}) -> {to}", v.dtype, shape, v.bound,
            v.exact,
        )  # fmt: skip

    def reshape(self) -> None:
        v = self.pick(lambda v: v.count > 0)
        left, shape = v.count, []
        while left > 1 and len(shape) < 4:
            factors = [f for f in range(1, left + 1) if left % f == 0]
            shape.append(self.random.choice(factors))
            left //= shape[-1]
        shape.append(left)
        to = type_of(v.dtype, tuple(shape))
        self.put(f"stablehlo.reshape {v.name} : ({v.type}) -> {to}", v.dtype, shape, v.bound, v.exact)

    def transpose(self) -> None:
        v = self.pick(lambda v: len(v.shape) > 1)
        order = self.random.sample(range(len(v.shape)), len(v.shape))
        shape = [v.shape[d] for d in order]
        to = type_of(v.dtype, tuple(shape))
        self.put(
            f"stablehlo.transpose {v.name}, dims = {listed(order)} : ({v.type}) -> {to}",
            v.dtype,
            shape,
            v.bound,
            v.exact,
        )

    def slice(self) -> None:
        v = self.pick(lambda v: v.shape and v.count)
        parts, shape = [], []
        for n in v.shape:
            start = self.random.randint(0, n - 1) if self.random.random() < 0.5 else 0
            end = self.random.randint(start + 1, n) if self.random.random() < 0.6 else n
            step = self.random.choice([1, 1, 1, 2, 3])
            parts.append(f"{start}:{end}:{step}")
            shape.append((end - start + step - 1) // step)
        to = type_of(v.dtype, tuple(shape))
        self.put(
            f"stablehlo.slice {v.name} [{', '.join(parts)}] : ({v.type}) -> {to}", v.dtype, shape, v.bound, v.exact
        )

    def pad(self) -> None:
        v = self.pick(lambda v: v.shape and v.dtype != "i1")
        low = [self.random.choice([0, 0, 1, 2, -1]) for _ in v.shape]
        high = [self.random.choice([0, 0, 1, 3, -1]) for _ in v.shape]
        inside = [self.random.choice([0, 0, 0, 1, 2]) for _ in v.shape]
        shape = [n + max(n - 1, 0) * i + lo + hi for n, lo, hi, i in zip(v.shape, low, high, inside, strict=True)]
        if min(shape) < 0 or np.prod(shape, dtype=np.int64) > MOST:
            return
        fill = self.constant(v.dtype, (), self.random.randint(0, 2))
        to = type_of(v.dtype, tuple(shape))
        self.put(
            f"stablehlo.pad {v.name}, {fill.name}, low = {listed(low)}, high = {listed(high)}, interior = "
            f"{listed(inside)} : ({v.type}, {fill.type}) -> {to}", v.dtype, shape, max(v.bound, 2), v.exact,
        )  # fmt: skip

    def concatenate(self) -> None:
        v = self.pick(lambda v: v.shape)
        dim = self.random.randrange(len(v.shape))
        fits = [
            w for w in self.values
            if w.dtype == v.dtype and len(w.shape) == len(v.shape)
            and all(a == b for i, (a, b) in enumerate(zip(v.shape, w.shape, strict=True)) if i != dim)
        ]  # fmt: skip
        parts = [v] + [self.random.choice(fits) for _ in range(self.random.randint(0, 3))]
        shape = list(v.shape)
        shape[dim] = sum(w.shape[dim] for w in parts)
        if np.prod(shape, dtype=np.int64) > MOST:
            return
        to = type_of(v.dtype, tuple(shape))
        self.put(
            f"stablehlo.concatenate {', '.join(w.name for w in parts)}, dim = {dim} : "
            f"({', '.join(w.type for w in parts)}) -> {to}", v.dtype, shape, max(w.bound for w in parts),
            all(w.exact for w in parts),
        )  # fmt: skip

    def reverse(self) -> None:
        v = self.pick(lambda v: v.shape)
        dims = sorted(self.random.sample(range(len(v.shape)), self.random.randint(1, len(v.shape))))
        self.put(f"stablehlo.reverse {v.name}, dims = {listed(dims)} : {v.type}", v.dtype, v.shape, v.bound, v.exact)

    def iota(self) -> None:
        dtype, shape = self.random.choice(["f32", "i32", "i64"]), self.shape(self.random.randint(1, 3))
        dim = self.random.randrange(len(shape))
        self.put(f"stablehlo.iota dim = {dim} : {type_of(dtype, shape)}", dtype, shape, max(shape[dim], 1), True)

    def index(self, most: int) -> Value:
        """A scalar that is computed, now and then out of bounds."""
        fits = [v for v in self.values if v.dtype in ("i32", "i64") and v.exact and not v.shape]
        if fits and self.random.random() < 0.5:
            return self.random.choice(fits)
        return self.constant("i32", (), self.random.randint(-1, max(most, 0) + 2))

    def indices(self, count: int, most: int) -> list[Value]:
        found = [self.index(most) for _ in range(count)]
        return [v if v.dtype == found[0].dtype else self.constant(found[0].dtype, (), 1) for v in found]

    def dynamic_slice(self) -> None:
        v = self.pick(lambda v: v.shape and v.count)
        sizes = [self.random.randint(1, n) for n in v.shape]
        starts = self.indices(len(v.shape), max(v.shape))
        to = type_of(v.dtype, tuple(sizes))
        self.put(
            f"stablehlo.dynamic_slice {v.name}, {', '.join(s.name for s in starts)}, sizes = {listed(sizes)} : "
            f"({v.type}, {', '.join(s.type for s in starts)}) -> {to}", v.dtype, sizes, v.bound, v.exact,
        )  # fmt: skip

    def dynamic_update_slice(self) -> None:
        v = self.pick(lambda v: v.shape and v.count)
        fits = [
            w for w in self.values
            if w.dtype == v.dtype and len(w.shape) == len(v.shape)
            and all(a <= b for a, b in zip(w.shape, v.shape, strict=True))
        ]  # fmt: skip
        w = self.random.choice(fits)
        starts = self.indices(len(v.shape), max(v.shape))
        self.put(
            f"stablehlo.dynamic_update_slice {v.name}, {w.name}, {', '.join(s.name for s in starts)} : "
            f"({v.type}, {w.type}, {', '.join(s.type for s in starts)}) -> {v.type}", v.dtype, v.shape,
            max(v.bound, w.bound), v.exact and w.exact,
        )  # fmt: skip

    def combining(self, op: str, dtype: str) -> str:
        t = type_of(dtype, ())
        a, b, c = self.name(), self.name(), self.name()
        return f"({{\n^bb0({a}: {t}, {b}: {t}):\n{c} = stablehlo.{op} {a}, {b} : {t}\nstablehlo.return {c} : {t}\n}})"

    def reduce(self) -> None:
        v = self.pick(lambda v: v.shape and v.dtype not in ("i1",))
        dims = sorted(self.random.sample(range(len(v.shape)), self.random.randint(1, len(v.shape))))
        shape = [n for i, n in enumerate(v.shape) if i not in dims]
        op = self.random.choice(["add", "add", "maximum", "minimum"])
        start = self.constant(
            v.dtype, (), 0 if op == "add" and self.random.random() < 0.8 else self.random.randint(0, 2)
        )
        many = int(np.prod([v.shape[d] for d in dims], dtype=np.int64))
        bound = v.bound * max(many, 1) + 2 if op == "add" else max(v.bound, 2)
        if v.dtype in FLOATS and bound > FLOATS[v.dtype]:
            return
        to = type_of(v.dtype, tuple(shape))
        self.put(
            f"stablehlo.reduce({v.name} init: {start.name}) applies stablehlo.{op} across dimensions = {listed(dims)} "
            f": ({v.type}, {start.type}) -> {to}", v.dtype, shape, bound, v.exact,
        )  # fmt: skip

    def reduce_window(self) -> None:
        v = self.pick(lambda v: v.shape and v.count and v.dtype in ("f32", "i32", "f64", "bf16"))
        size = [self.random.randint(1, min(n, 4)) if self.random.random() < 0.7 else 1 for n in v.shape]
        stride = [self.random.choice([1, 1, 2, 3]) for _ in v.shape]
        dilation = [self.random.choice([1, 1, 1, 2]) for _ in v.shape]
        low = [self.random.randint(0, s - 1) for s in size]
        high = [self.random.randint(0, s - 1) for s in size]
        if self.random.random() < 0.25:  # everything up to here
            d = self.random.randrange(len(v.shape))
            size, stride = [1] * len(v.shape), [1] * len(v.shape)
            dilation, low, high = list(stride), [0] * len(v.shape), [0] * len(v.shape)
            size[d] = v.shape[d]
            self.random.choice([low, high])[d] = v.shape[d] - 1
        shape = []
        for n, s, t, d, lo, hi in zip(v.shape, size, stride, dilation, low, high, strict=True):
            free = n + lo + hi - ((s - 1) * d + 1)
            shape.append(free // t + 1 if free >= 0 else 0)
        op = self.random.choice(["add", "maximum", "minimum"])
        start = self.constant(v.dtype, (), 0 if op == "add" else self.random.randint(0, 2))
        bound = v.bound * float(np.prod(size)) + 2
        if v.dtype in FLOATS and bound > FLOATS[v.dtype]:
            return
        padding = "dense<[" + ", ".join(f"[{lo}, {hi}]" for lo, hi in zip(low, high, strict=True)) + "]>"
        to = type_of(v.dtype, tuple(shape))
        self.put(
            f'"stablehlo.reduce_window"({v.name}, {start.name}) <{{window_dimensions = {array(size)}, window_strides = '
            f"{array(stride)}, window_dilations = {array(dilation)}, padding = {padding} : tensor<{len(size)}x2xi64>}}>"
            f" {self.combining(op, v.dtype)} : ({v.type}, {start.type}) -> {to}", v.dtype, shape, bound, v.exact,
        )  # fmt: skip

    def dot(self) -> None:
        v = self.pick(lambda v: v.shape and v.dtype in ("f32", "f32", "f64", "bf16", "i32", "i8"))
        dims = self.random.sample(range(len(v.shape)), len(v.shape))
        batch = dims[: self.random.choice([0, 0, 1])]
        summed = dims[len(batch) : len(batch) + self.random.choice([0, 1, 1, 1, 2])]
        rest = self.shape(self.random.choice([0, 1, 1, 2]))
        tags = [("b", d) for d in batch] + [("s", d) for d in summed] + [("f", n) for n in rest]
        self.random.shuffle(tags)
        other = tuple(x if kind == "f" else v.shape[x] for kind, x in tags)
        if np.prod(other, dtype=np.int64) > MOST:
            return
        w = self.like(Value("", v.dtype, other, 3, True))
        shape = [v.shape[d] for d in batch] + [n for i, n in enumerate(v.shape) if i not in batch and i not in summed]
        shape += [x for kind, x in tags if kind == "f"]
        bound = v.bound * w.bound * max(1, float(np.prod([v.shape[d] for d in summed])))
        if np.prod(shape, dtype=np.int64) > MOST or (v.dtype in FLOATS and bound > FLOATS[v.dtype]):
            return
        if v.dtype == "i8" and bound > 127:
            return
        place = {(kind, x): i for i, (kind, x) in enumerate(tags) if kind != "f"}
        text = f"stablehlo.dot_general {v.name}, {w.name}"
        if batch:
            text += f", batching_dims = {listed(batch)} x {listed(place['b', d] for d in batch)}"
        text += f", contracting_dims = {listed(summed)} x {listed(place['s', d] for d in summed)}"
        to = type_of(v.dtype, tuple(shape))
        self.put(f"{text} : ({v.type}, {w.type}) -> {to}", v.dtype, shape, bound, v.exact and w.exact)

    def convolution(self) -> None:
        r = self.random
        dtype, rank = r.choice(["f32", "f32", "f32", "bf16", "f64"]), r.choice([1, 2, 2])
        groups = r.choice([1, 1, 1, 2, 4])
        n, c, o = r.choice([1, 2, 3]), groups * r.choice([1, 2, 3, 8]), groups * r.choice([1, 2, 4, 5, 16])
        space = [r.choice([3, 5, 8, 9, 12]) for _ in range(rank)]
        kernel = [r.randint(1, 3) for _ in range(rank)]
        stride, dilation = [r.choice([1, 1, 2]) for _ in range(rank)], [r.choice([1, 1, 2]) for _ in range(rank)]
        spread = [r.choice([1, 1, 1, 1, 2]) for _ in range(rank)]
        padding = [(r.randint(0, 2), r.randint(0, 2)) for _ in range(rank)]
        out = [
            ((s - 1) * b + 1 + lo + hi - ((k - 1) * d + 1)) // t + 1
            for s, b, (lo, hi), k, d, t in zip(space, spread, padding, kernel, dilation, stride, strict=True)
        ]
        last = r.random() < 0.5
        digits = [str(i) for i in range(rank)]
        inner = ["b", *digits, "f"] if last else ["b", "f", *digits]
        weights = [*digits, "i", "o"] if last else ["o", "i", *digits]
        sizes = {"b": n, "f": c, **dict(zip(digits, space, strict=True))}
        of = {"i": c // groups, "o": o, **dict(zip(digits, kernel, strict=True))}
        to = {"b": n, "f": o, **dict(zip(digits, out, strict=True))}
        if min(out) < 1 or any(np.prod(list(t.values())) > MOST for t in (sizes, of, to)):
            return
        x = self.like(Value("", dtype, tuple(sizes[k] for k in inner), 3, True))
        w = self.like(Value("", dtype, tuple(of[k] for k in weights), 3, True))
        bound = x.bound * w.bound * float(np.prod(kernel)) * of["i"]
        if bound > FLOATS[dtype]:
            return
        shape = tuple(to[k] for k in inner)
        pads = ", ".join(f"[{lo}, {hi}]" for lo, hi in padding)
        self.put(
            f"stablehlo.convolution({x.name}, {w.name}) dim_numbers = [{', '.join(inner)}]x[{', '.join(weights)}]->"
            f"[{', '.join(inner)}], window = {{stride = {listed(stride)}, pad = [{pads}], lhs_dilate = {listed(spread)}"
            f", rhs_dilate = {listed(dilation)}}} {{batch_group_count = 1 : i64, feature_group_count = {groups} : i64}}"
            f" : ({x.type}, {w.type}) -> {type_of(dtype, shape)}", dtype, shape, bound, x.exact and w.exact,
        )  # fmt: skip

    def take(self) -> None:
        v = self.pick(lambda v: v.shape and v.shape[0] > 0)
        i = self.pick(lambda u: u.dtype in ("i32", "i64") and u.exact and len(u.shape) < 3)
        shape = i.shape + v.shape[1:]
        if np.prod(shape, dtype=np.int64) > MOST:
            return
        offsets = range(len(i.shape), len(shape))
        self.put(
            f'"stablehlo.gather"({v.name}, {i.name}) <{{dimension_numbers = #stablehlo.gather<offset_dims = '
            f"{listed(offsets)}, collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = {len(i.shape)}>,"
            f" slice_sizes = {array([1, *v.shape[1:]])}}}> : ({v.type}, {i.type}) -> {type_of(v.dtype, shape)}",
            v.dtype, shape, v.bound, v.exact,
        )  # fmt: skip

    def scatter(self) -> None:
        v = self.pick(lambda v: v.shape and v.shape[0] > 0 and v.dtype in ("f32", "i32", "f64"))
        i = self.pick(lambda u: u.dtype in ("i32", "i64") and u.exact and len(u.shape) == 1)
        if np.prod(i.shape + v.shape[1:], dtype=np.int64) > MOST:
            return
        u = self.like(Value("", v.dtype, i.shape + v.shape[1:], 3, True))
        op = self.random.choice(["add", "add", "maximum"])
        bound = v.bound + u.bound * max(1, i.count)
        if v.dtype in FLOATS and bound > FLOATS[v.dtype]:
            return
        windows = range(1, len(u.shape))
        self.put(
            f'"stablehlo.scatter"({v.name}, {i.name}, {u.name}) <{{scatter_dimension_numbers = #stablehlo.scatter<'
            f"update_window_dims = {listed(windows)}, inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
            f"index_vector_dim = 1>}}> {self.combining(op, v.dtype)} : ({v.type}, {i.type}, {u.type}) -> {v.type}",
            v.dtype, v.shape, bound, v.exact and u.exact,
        )  # fmt: skip

    def sort(self) -> None:
        v = self.pick(lambda v: v.shape and v.exact and v.dtype in ("f32", "i32", "i64", "f64"))
        dim, way = self.random.randrange(len(v.shape)), self.random.choice(["LT", "GT"])
        t, a, b, c = type_of(v.dtype, ()), self.name(), self.name(), self.name()
        kind = "FLOAT" if v.dtype in FLOATS else "SIGNED"
        self.put(
            f'"stablehlo.sort"({v.name}) <{{dimension = {dim} : i64, is_stable = true}}> ({{\n^bb0({a}: {t}, {b}: {t}):'
            f"\n{c} = stablehlo.compare {way}, {a}, {b}, {kind} : ({t}, {t}) -> tensor<i1>\n"
            f"stablehlo.return {c} : tensor<i1>\n}}) : ({v.type}) -> {v.type}", v.dtype, v.shape, v.bound, True,
        )  # fmt: skip

    def softmax(self) -> None:
        v = self.pick(lambda v: v.shape and v.dtype == "f32" and v.bound <= 30 and v.shape[-1])
        last, t, low = len(v.shape) - 1, type_of("f32", v.shape[:-1]), self.constant("f32", (), 0)
        lowest = self.name()
        self.lines.append(f"{lowest} = stablehlo.constant dense<0xFF800000> : tensor<f32>")
        names = [self.name() for _ in range(6)]
        dims = listed(range(last))
        across = f"across dimensions = [{last}] : ({v.type}, tensor<f32>) -> {t}"
        self.lines += [
            f"{names[0]} = stablehlo.reduce({v.name} init: {lowest}) applies stablehlo.maximum {across}",
            f"{names[1]} = stablehlo.broadcast_in_dim {names[0]}, dims = {dims} : ({t}) -> {v.type}",
            f"{names[2]} = stablehlo.subtract {v.name}, {names[1]} : {v.type}",
            f"{names[3]} = stablehlo.exponential {names[2]} : {v.type}",
            f"{names[4]} = stablehlo.reduce({names[3]} init: {low.name}) applies stablehlo.add {across}",
            f"{names[5]} = stablehlo.broadcast_in_dim {names[4]}, dims = {dims} : ({t}) -> {v.type}",
        ]
        self.put(f"stablehlo.divide {names[3]}, {names[5]} : {v.type}", "f32", v.shape, 1, False)

    def inner(self, count: int) -> list[str]:
        """Lines of a region; what it makes is seen in it alone."""
        lines, self.lines, self.depth = self.lines, [], self.depth + 1
        for _ in range(count):
            self.step()
        made, self.lines, self.depth = self.lines, lines, self.depth - 1
        return made

    def ending(self, v: Value, seen: int) -> Value:
        """A value of the region of v's type, brought into its bounds."""
        fits = [u for u in self.values[seen:] if u.dtype == v.dtype and u.shape == v.shape and (u.exact or not v.exact)]
        return self.random.choice(fits) if fits else v

    def loop(self) -> None:
        if self.depth > 1:
            return
        carried = [self.pick(lambda v: v.dtype != "i1") for _ in range(self.random.randint(1, 3))]
        turns, kept = self.random.choice([0, 1, 3, 5]), len(self.values)
        counter = Value(self.name(), "i32", (), 8, True)
        inside = [Value(self.name(), v.dtype, v.shape, max(v.bound, 8), v.exact) for v in carried]
        self.values += [counter, *inside]
        lines = self.inner(self.random.randint(1, 5))
        outer, self.lines, self.depth = self.lines, lines, self.depth + 1
        ends = []
        for v in inside:
            end = self.ending(v, kept)
            if v.dtype in FLOATS:
                low, high = self.constant(v.dtype, (), -8), self.constant(v.dtype, (), 8)
                end = self.put(
                    f"stablehlo.clamp {low.name}, {end.name}, {high.name} : "
                    f"({low.type}, {v.type}, {high.type}) -> {v.type}",
                    v.dtype, v.shape, 8, v.exact,
                )  # fmt: skip
            else:
                seven = self.constant(v.dtype, v.shape, 7)
                end = self.put(f"stablehlo.and {end.name}, {seven.name} : {v.type}", v.dtype, v.shape, 7, True)
            ends.append(end)
        one, next_one = self.constant("i32", (), 1), self.name()
        lines.append(f"{next_one} = stablehlo.add {counter.name}, {one.name} : tensor<i32>")
        self.lines, self.depth = outer, self.depth - 1
        del self.values[kept:]
        zero, most, test, result = (
            self.constant("i32", (), 0),
            self.constant("i32", (), turns),
            self.name(),
            self.name(),
        )
        types = ", ".join(["tensor<i32>", *[v.type for v in carried]])
        starts = ", ".join(f"{i.name} = {v.name}" for i, v in zip([counter, *inside], [zero, *carried], strict=True))
        self.lines += [
            f"{result}:{1 + len(carried)} = stablehlo.while({starts}) : {types}",
            "cond {",
            f"{test} = stablehlo.compare LT, {counter.name}, {most.name} : (tensor<i32>, tensor<i32>) -> tensor<i1>",
            f"stablehlo.return {test} : tensor<i1>",
            "} do {",
            *lines,
            f"stablehlo.return {', '.join([next_one, *[e.name for e in ends]])} : {types}",
            "}",
        ]
        for i, v in enumerate(carried):
            made = Value(f"{result}#{i + 1}", v.dtype, v.shape, max(v.bound, 8), v.exact)
            self.values.append(made)

    def branch(self) -> None:
        if self.depth > 1:
            return
        test = self.pick(lambda v: v.dtype == "i1" and not v.shape)
        v, kept = self.pick(lambda v: v.dtype != "i1"), len(self.values)
        sides, ends = [], []
        for _ in range(2):
            lines = self.inner(self.random.randint(1, 4))
            ends.append(self.ending(v, kept))
            sides.append([*lines, f"stablehlo.return {ends[-1].name} : {v.type}"])
            del self.values[kept:]
        made = Value(self.name(), v.dtype, v.shape, max(e.bound for e in ends), all(e.exact for e in ends))
        self.lines += [
            f'{made.name} = "stablehlo.if"({test.name}) ({{', *sides[0], "}, {", *sides[1],
            f"}}) : (tensor<i1>) -> {v.type}",
        ]  # fmt: skip
        self.values.append(made)

    def step(self) -> None:
        often = [self.unary, self.binary, self.binary, self.broadcast, self.transpose, self.reshape, self.slice]
        some = [self.choose, self.convert, self.pad, self.concatenate, self.reduce, self.reduce, self.dot, self.dot]
        few = [self.reverse, self.iota, self.dynamic_slice, self.dynamic_update_slice, self.reduce_window, self.take]
        rare = [self.convolution, self.scatter, self.sort, self.softmax, self.loop, self.branch]
        depth, lines = self.depth, len(self.lines)
        try:
            self.random.choice(self.random.choices([often, some, few, rare], [6, 5, 3, 2])[0])()
        except Nothing:
            assert depth == self.depth and lines <= len(self.lines)

    def program(self) -> tuple[str, list[Value]]:
        for _ in range(self.random.randint(4, 40)):
            self.step()
        results = self.random.sample(self.values, min(len(self.values), self.random.randint(1, 5)))
        if self.values[-1] not in results:
            results.append(self.values[-1])
        text = f"func.func @main({', '.join(f'{a.name}: {a.type}' for a in self.args)}) -> "
        text += f"({', '.join(v.type for v in results)}) {{\n" + "\n".join(self.lines)
        names, types = ", ".join(v.name for v in results), ", ".join(v.type for v in results)
        return f"{text}\nreturn {names} : {types}\n}}\n", results


def make(seed: int, kind: type[Maker] = Maker) -> tuple[str, list[torch.Tensor], list[Value]]:
    maker = kind(seed)
    text, results = maker.program()
    numbers = np.random.default_rng(seed)
    inputs = []
    for v in maker.args:
        least = 0 if v.dtype in ("i1", "ui8", "ui32") else -3
        whole = numbers.integers(least, 2 if v.dtype == "i1" else 4, v.shape, dtype=np.int64)
        inputs.append(torch.from_numpy(np.asarray(whole)).to(TYPES[v.dtype]))
    return text, inputs, results


def compare(v: Value, want: torch.Tensor, have: torch.Tensor) -> str:
    if want.shape != have.shape or want.dtype != have.dtype:
        return f"{v.name}: {have.dtype}{have.shape} for {want.dtype}{want.shape}"
    if v.exact or v.dtype not in FLOATS:
        return "" if torch.equal(want, have) else f"{v.name}: {int((want != have).sum())} of {want.numel()} differ"
    a, b = want.double(), have.double()
    if not torch.equal(a.isnan(), b.isnan()):
        return f"{v.name}: NaN in other places"
    if not a.numel():
        return ""
    off = float((a - b).abs().nan_to_num(0).max() / (1 + a.abs().nan_to_num(0).max()))
    return f"{v.name}: {off:.3g} apart" if off > TOLERANCE[v.dtype] else ""


def run(text: str, inputs: list[torch.Tensor], device: str, level: int) -> list[torch.Tensor]:
    return [torch.from_dlpack(r) for r in _core.parse(text).compile(device=device, level=level)(*inputs)]


def differences(seed: int, device: str = "cpu", level: int = 3, kind: type[Maker] = Maker) -> list[str]:
    text, inputs, results = make(seed, kind)
    want = run(text, inputs, "interp", level)
    have = run(text, inputs, device, level)
    return [d for v, a, b in zip(results, want, have, strict=True) if (d := compare(v, a, b))]


def try_seeds(seeds: str, differences: Callable[[int], list[str]]) -> int:
    """Runs from:to, and says which differ: what the command of such a file ends with."""
    first, end = (int(n) for n in seeds.split(":"))
    bad = 0
    for seed in range(first, end):
        try:
            found = differences(seed)
        except Exception as error:
            found = [f"{type(error).__name__}: {error}"]
        bad += bool(found)
        for line in found:
            print(f"seed {seed}: {line}", flush=True)
    print(f"{end - first - bad} programs alike, {bad} not")
    return 1 if bad else 0


def command(text: str, kind: type[Maker]) -> int:
    parser = argparse.ArgumentParser(description=text.splitlines()[0])
    parser.add_argument("--seeds", default="0:200", help="from:to")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--level", type=int, default=3)
    parser.add_argument("--show", action="store_true", help="print the programs")
    options = parser.parse_args()

    def one(seed: int) -> list[str]:
        if options.show:
            print(make(seed, kind)[0])
        return differences(seed, options.device, options.level, kind)

    return try_seeds(options.seeds, one)


if __name__ == "__main__":
    sys.exit(command(__doc__, Maker))
