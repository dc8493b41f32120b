"""More kinds of ops for random_programs.py, in programs of their own: sorts by several keys, reductions of several
results, batched gathers and scatters, choices of one of several branches, complex numbers, transforms, random words,
narrow and quantized types, dynamic forms, systems of equations, running sums of exponentials.

    random_programs_more.py [--seeds 0:1000] [--device cpu] [--level 3] [--show]
"""

from __future__ import annotations

import contextlib
import sys

import numpy as np
from random_programs import Maker, command
from random_values import FLOATS, MOST, Nothing, Value, array, listed, type_of


class MoreMaker(Maker):
    # --- small parts ---

    def emit(self, text: str) -> str:
        name = self.name()
        self.lines.append(f"{name} = {text}")
        return name

    def small(self, v: Value, dtype: str, most: int = 7) -> Value:
        """v's whole numbers as ones of another type, from 0 to `most`."""
        if not v.exact or v.dtype == "i1":
            raise Nothing
        wide = self.emit(f"stablehlo.convert {v.name} : ({v.type}) -> {type_of('i32', v.shape)}")
        mask = self.constant("i32", v.shape, most)
        t = type_of("i32", v.shape)
        kept = self.emit(f"stablehlo.and {wide}, {mask.name} : {t}")
        return self.put(f"stablehlo.convert {kept} : ({t}) -> {type_of(dtype, v.shape)}", dtype, v.shape, most, True)

    def exact(self, rank: int | None = None, count: int = 1) -> Value:
        """Whole numbers, of a rank, with something in them."""
        return self.pick(
            lambda v: v.exact and v.dtype not in ("i1", "bf16", "f16") and v.count >= count
            and (len(v.shape) == rank if rank is not None else bool(v.shape))
        )  # fmt: skip

    # --- ops ---

    def sort_keys(self) -> None:
        v = self.exact()
        first, second = self.small(v, self.random.choice(["i32", "f32", "ui8"]), 3), self.small(v, "i64", 7)
        load = self.like(Value("", self.random.choice(["f32", "f64", "i8"]), v.shape, 3, True))
        dim, ways = self.random.randrange(len(v.shape)), [self.random.choice(["LT", "GT"]) for _ in range(2)]
        names = [self.name() for _ in range(6)]
        t = [type_of(x.dtype, ()) for x in (first, second, load)]
        args = ", ".join(f"{name}: {t[i // 2]}" for i, name in enumerate(names))
        less, same, then, both, all_ = (self.name() for _ in range(5))
        result = self.name()
        types = ", ".join(x.type for x in (first, second, load))
        self.lines.append(
            f'{result}:3 = "stablehlo.sort"({first.name}, {second.name}, {load.name}) <{{dimension = {dim} : i64, '
            f"is_stable = true}}> ({{\n^bb0({args}):\n"
            f"{less} = stablehlo.compare {ways[0]}, {names[0]}, {names[1]} : ({t[0]}, {t[0]}) -> tensor<i1>\n"
            f"{same} = stablehlo.compare EQ, {names[0]}, {names[1]} : ({t[0]}, {t[0]}) -> tensor<i1>\n"
            f"{then} = stablehlo.compare {ways[1]}, {names[2]}, {names[3]} : ({t[1]}, {t[1]}) -> tensor<i1>\n"
            f"{both} = stablehlo.and {same}, {then} : tensor<i1>\n{all_} = stablehlo.or {less}, {both} : tensor<i1>\n"
            f"stablehlo.return {all_} : tensor<i1>\n}}) : ({types}) -> ({types})"
        )
        for i, x in enumerate((first, second, load)):
            self.values.append(Value(f"{result}#{i}", x.dtype, x.shape, x.bound, x.exact))

    def winner(self, dtype: str) -> str:
        """A body: the larger, and of equal ones that with the smaller place."""
        a, i, b, j = (self.name() for _ in range(4))
        more, same, before, both, wins, x, y = (self.name() for _ in range(7))
        t, p = type_of(dtype, ()), "tensor<i32>"
        return (
            f"({{\n^bb0({a}: {t}, {i}: {p}, {b}: {t}, {j}: {p}):\n"
            f"{more} = stablehlo.compare GT, {a}, {b} : ({t}, {t}) -> tensor<i1>\n"
            f"{same} = stablehlo.compare EQ, {a}, {b} : ({t}, {t}) -> tensor<i1>\n"
            f"{before} = stablehlo.compare LT, {i}, {j} : ({p}, {p}) -> tensor<i1>\n"
            f"{both} = stablehlo.and {same}, {before} : tensor<i1>\n{wins} = stablehlo.or {more}, {both} : tensor<i1>\n"
            f"{x} = stablehlo.select {wins}, {a}, {b} : tensor<i1>, {t}\n"
            f"{y} = stablehlo.select {wins}, {i}, {j} : tensor<i1>, {p}\nstablehlo.return {x}, {y} : {t}, {p}\n}})"
        )

    def both(self, op: str, attrs: str, v: Value, shape) -> None:
        places = self.emit(f"stablehlo.iota dim = {self.random.randrange(len(v.shape))} : {type_of('i32', v.shape)}")
        start = self.constant(v.dtype, (), 0)
        last, result = self.constant("i32", (), 9999), self.name()
        self.lines.append(
            f'{result}:2 = "stablehlo.{op}"({v.name}, {places}, {start.name}, {last.name}) <{{{attrs}}}> '
            f"{self.winner(v.dtype)} : ({v.type}, {type_of('i32', v.shape)}, {start.type}, tensor<i32>) -> "
            f"({type_of(v.dtype, tuple(shape))}, {type_of('i32', tuple(shape))})"
        )
        self.values.append(Value(f"{result}#0", v.dtype, tuple(shape), max(v.bound, 1), True))
        self.values.append(Value(f"{result}#1", "i32", tuple(shape), 9999, True))

    def reduce_several(self) -> None:
        v = self.exact()
        dims = sorted(self.random.sample(range(len(v.shape)), self.random.randint(1, len(v.shape))))
        self.both("reduce", f"dimensions = {array(dims)}", v, [n for i, n in enumerate(v.shape) if i not in dims])

    def window_several(self) -> None:
        v = self.exact()
        size = [self.random.randint(1, min(n, 3)) for n in v.shape]
        attrs = f"window_dimensions = {array(size)}, window_strides = {array([1] * len(size))}"
        self.both("reduce_window", attrs, v, [n - s + 1 for n, s in zip(v.shape, size, strict=True)])

    def along(self) -> None:
        """One element of each row, which row by row is another."""
        v = self.pick(lambda v: len(v.shape) == 2 and v.count)
        rows = v.shape[0]
        i = self.small(self.like(Value("", "i32", (rows, self.random.choice([1, 3, 8])), 3, True), True), "i64", 15)
        t = type_of(v.dtype, i.shape)
        self.put(
            f'"stablehlo.gather"({v.name}, {i.name}) <{{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = '
            f"[1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], "
            f"index_vector_dim = 2>, slice_sizes = array<i64: 1, 1>}}> : ({v.type}, {i.type}) -> {t}",
            v.dtype, i.shape, v.bound, v.exact,
        )  # fmt: skip

    def scatter_batch(self) -> None:
        v = self.pick(lambda v: len(v.shape) == 2 and v.count and v.dtype in ("f32", "i32", "f64", "i8"))
        i = self.small(self.like(Value("", "i32", (v.shape[0], self.random.choice([1, 2, 9])), 3, True), True), "i32")
        u = self.like(Value("", v.dtype, i.shape, 3, True))
        op = self.random.choice(["add", "minimum", "second"])
        if v.dtype in FLOATS and v.bound + u.bound * i.shape[1] > FLOATS[v.dtype]:
            return
        body = self.combining(op, v.dtype) if op != "second" else self.second(v.dtype)
        self.put(
            f'"stablehlo.scatter"({v.name}, {i.name}, {u.name}) <{{scatter_dimension_numbers = #stablehlo.scatter<'
            f"inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], "
            f"scatter_dims_to_operand_dims = [1], index_vector_dim = 2>}}> {body} : ({v.type}, {i.type}, {u.type}) -> "
            f"{v.type}",
            v.dtype, v.shape, v.bound + u.bound * i.shape[1], v.exact and u.exact,
        )  # fmt: skip

    def second(self, dtype: str) -> str:
        a, b, t = self.name(), self.name(), type_of(dtype, ())
        return f"({{\n^bb0({a}: {t}, {b}: {t}):\nstablehlo.return {b} : {t}\n}})"

    def scatter_windows(self) -> None:
        """Windows that stand before what chooses them, some of them outside."""
        v = self.pick(lambda v: len(v.shape) == 2 and v.count and v.dtype in ("f32", "i32", "f64", "bf16"))
        count, wide = self.random.choice([1, 2, 7]), self.random.randint(1, v.shape[1])
        i = self.small(self.like(Value("", "i32", (count, 2), 3, True), True), "i32", 15)
        u = self.like(Value("", v.dtype, (wide, count), 3, True))
        if v.dtype in FLOATS and v.bound + u.bound * count > FLOATS[v.dtype]:
            return
        op = self.random.choice(["add", "maximum", "second"])
        body = self.combining(op, v.dtype) if op != "second" else self.second(v.dtype)
        self.put(
            f'"stablehlo.scatter"({v.name}, {i.name}, {u.name}) <{{scatter_dimension_numbers = #stablehlo.scatter<'
            f"update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0, 1], "
            f"index_vector_dim = 1>}}> {body} : ({v.type}, {i.type}, {u.type}) -> {v.type}",
            v.dtype, v.shape, v.bound + u.bound * count, v.exact and u.exact,
        )  # fmt: skip

    def case(self) -> None:
        if self.depth > 1:
            return
        which = self.small(self.like(Value("", "i32", (), 3, True), True), "i32", 3)
        v, kept = self.pick(lambda v: v.dtype != "i1"), len(self.values)
        sides, ends = [], []
        for _ in range(self.random.randint(1, 3)):
            lines = self.inner(self.random.randint(1, 3))
            ends.append(self.ending(v, kept))
            sides.append("\n".join([*lines, f"stablehlo.return {ends[-1].name} : {v.type}"]))
            del self.values[kept:]
        made = Value(self.name(), v.dtype, v.shape, max(e.bound for e in ends), all(e.exact for e in ends))
        body = "\n}, {\n".join(sides)
        self.lines.append(f'{made.name} = "stablehlo.case"({which.name}) ({{\n{body}\n}}) : ({which.type}) -> {v.type}')
        self.values.append(made)

    def complex(self) -> None:
        v = self.pick(lambda v: v.dtype in ("f32", "f64") and v.bound <= 8)
        w = self.like(v)
        if w.bound > 8:
            return
        t = type_of(f"complex<{v.dtype}>", v.shape)
        z = self.emit(f"stablehlo.complex {v.name}, {w.name} : {t}")
        for _ in range(self.random.randint(0, 2)):
            op = self.random.choice(["add", "multiply", "subtract"])
            z = self.emit(f"stablehlo.{op} {z}, {z} : {t}")
        if self.random.random() < 0.3:
            z = self.emit(f"stablehlo.exponential {self.emit(f'stablehlo.tanh {z} : {t}')} : {t}")
            exact = False
        else:
            exact = v.exact and w.exact
        op = self.random.choice(["real", "imag", "abs"])
        exact = exact and op != "abs"
        self.put(f"stablehlo.{op} {z} : ({t}) -> {v.type}", v.dtype, v.shape, 5e7 if v.dtype == "f64" else 2e8, exact)

    def transform(self) -> None:
        v = self.pick(lambda v: v.dtype in ("f32", "f64") and v.shape and v.bound <= 100 and v.shape[-1] > 0)
        n, half = v.shape[-1], v.shape[-1] // 2 + 1
        kind = f"complex<{v.dtype}>"
        shape = (*v.shape[:-1], half)
        if self.random.random() < 0.5:
            z = self.emit(f"stablehlo.fft {v.name}, type = RFFT, length = [{n}] : ({v.type}) -> {type_of(kind, shape)}")
        else:
            shape = v.shape
            t = type_of(kind, shape)
            z = self.emit(f"stablehlo.complex {v.name}, {v.name} : {t}")
            way = self.random.choice(["FFT", "IFFT"])
            z = self.emit(f"stablehlo.fft {z}, type = {way}, length = [{n}] : ({t}) -> {t}")
        part = self.random.choice(["real", "imag"])
        self.put(
            f"stablehlo.{part} {z} : ({type_of(kind, shape)}) -> {type_of(v.dtype, shape)}",
            v.dtype, shape, v.bound * n * 2, False,
        )  # fmt: skip

    def words(self) -> None:
        shape, dtype = self.shape(self.random.choice([1, 2, 3])), self.random.choice(["ui32", "i32", "ui8", "i64"])
        state, made = self.name(), self.name()
        numbers = [self.random.getrandbits(64), self.random.getrandbits(64)]
        way = self.random.choice(["THREE_FRY", "PHILOX", "DEFAULT"])
        self.lines.append(f"{state} = stablehlo.constant dense<{numbers}> : tensor<2xui64>")
        t = type_of(dtype, shape)
        self.lines.append(
            f"{made}_0, {made} = stablehlo.rng_bit_generator {state}, algorithm = {way} : (tensor<2xui64>) -> "
            f"(tensor<2xui64>, {t})"
        )
        seven = self.constant(dtype, shape, 7)
        self.put(f"stablehlo.and {made}, {seven.name} : {t}", dtype, shape, 7, True)

    def narrow(self) -> None:
        """Through a narrow type, with an op in it."""
        kind = self.random.choice(["f8E4M3FN", "f8E5M2", "f8E4M3B11FNUZ", "i4", "ui4", "bf16", "f16"])
        v = self.small(self.exact(), "f32", 3)
        t = type_of(kind, v.shape)
        x = self.emit(f"stablehlo.convert {v.name} : ({v.type}) -> {t}")
        for op in ["multiply", "add", "subtract"][: self.random.randint(0, 3)]:  # 18 at most, which all of them have
            x = self.emit(f"stablehlo.{op} {x}, {x} : {t}")
        if "i4" in kind:
            self.put(f"stablehlo.convert {x} : ({t}) -> {type_of('i32', v.shape)}", "i32", v.shape, 16, True)
        else:
            self.put(f"stablehlo.convert {x} : ({t}) -> {v.type}", "f32", v.shape, 18, True)

    def quantized(self) -> None:
        v = self.pick(lambda v: v.dtype == "f32" and v.exact and v.bound <= 100)
        kind = f"!quant.uniform<i8:f32, {self.random.choice(['5.0e-01:3', '1.0:-7', '2.5e-01:0'])}>"
        t = type_of(kind, v.shape)
        x = self.emit(f"stablehlo.uniform_quantize {v.name} : ({v.type}) -> {t}")
        if self.random.random() < 0.5:
            x = self.emit(f"stablehlo.add {x}, {x} : {t}")
        self.put(f"stablehlo.uniform_dequantize {x} : ({t}) -> {v.type}", "f32", v.shape, 150, False)

    def dynamic(self) -> None:
        v = self.pick(lambda v: len(v.shape) in (1, 2))
        numbers = lambda values: self.emit(  # noqa: E731
            f"stablehlo.constant dense<{listed(values)}> : tensor<{len(list(values))}xi64>"
        )
        rank = len(v.shape)
        which = self.random.randrange(4)
        if which == 0:
            shape = (self.random.choice([1, 2, 5]), *v.shape)
            if np.prod(shape, dtype=np.int64) > MOST:
                return
            text = f"stablehlo.dynamic_broadcast_in_dim {v.name}, {numbers(shape)}, dims = {listed(range(1, rank + 1))}"
        elif which == 1:
            shape = (v.count,)
            text = f"stablehlo.dynamic_reshape {v.name}, {numbers(shape)}"
        elif which == 2:
            low, high = [self.random.randint(0, 2) for _ in v.shape], [self.random.randint(0, 2) for _ in v.shape]
            shape = tuple(n + a + b for n, a, b in zip(v.shape, low, high, strict=True))
            fill = self.constant(v.dtype, (), 1)
            text = (
                f"stablehlo.dynamic_pad {v.name}, {fill.name}, {numbers(low)}, {numbers(high)}, {numbers([0] * rank)}"
            )
            s = f"tensor<{rank}xi64>"
            types = f"({v.type}, {fill.type}, {s}, {s}, {s})"
            self.put(f"{text} : {types} -> {type_of(v.dtype, shape)}", v.dtype, shape, max(v.bound, 1), v.exact)
            return
        else:
            shape, text = v.shape, f"stablehlo.dynamic_iota {numbers(v.shape)}, dim = 0"
            self.put(f"{text} : (tensor<{rank}xi64>) -> {type_of('i32', shape)}", "i32", shape, max(*shape, 1), True)
            return
        self.put(
            f"{text} : ({v.type}, tensor<{len(shape)}xi64>) -> {type_of(v.dtype, shape)}",
            v.dtype, shape, v.bound, v.exact,
        )  # fmt: skip

    def system(self) -> None:
        """A matrix that is mostly its diagonal."""
        n, dtype = self.random.choice([1, 3, 4, 9, 17]), self.random.choice(["f32", "f64"])
        a = self.small(self.like(Value("", "i32", (n, n), 3, True), True), dtype, 3)
        i, j = (self.emit(f"stablehlo.iota dim = {d} : {type_of('i32', (n, n))}") for d in range(2))
        t = type_of("i32", (n, n))
        diagonal = self.emit(f"stablehlo.compare EQ, {i}, {j} : ({t}, {t}) -> {type_of('i1', (n, n))}")
        large = self.constant(dtype, (n, n), 4 * n)
        m = self.emit(f"stablehlo.select {diagonal}, {large.name}, {a.name} : {type_of('i1', (n, n))}, {a.type}")
        lower = self.random.choice(["true", "false"])
        if self.random.random() < 0.4:
            self.put(f"stablehlo.cholesky {m}, lower = {lower} : {a.type}", dtype, (n, n), 50, False)
            return
        sides, left = self.random.choice([1, 2, 13]), self.random.random() < 0.7
        b = self.like(Value("", dtype, (n, sides) if left else (sides, n), 3, True))
        way = self.random.choice(["NO_TRANSPOSE", "TRANSPOSE"])
        self.put(
            f'"stablehlo.triangular_solve"({m}, {b.name}) <{{left_side = {str(left).lower()}, lower = {lower}, '
            f"unit_diagonal = false, transpose_a = #stablehlo<transpose {way}>}}> : ({a.type}, {b.type}) -> {b.type}",
            dtype, b.shape, max(b.bound, 1) * 4, False,
        )  # fmt: skip

    def running(self) -> None:
        """log(Σ exp) of everything up to an element, or from it on."""
        v = self.pick(lambda v: v.dtype in ("f32", "f64") and v.shape and v.count and v.bound <= 100)
        d, rank = self.random.randrange(len(v.shape)), len(v.shape)
        size, padding = [1] * rank, [[0, 0] for _ in range(rank)]
        size[d] = v.shape[d]
        padding[d][self.random.randrange(2)] = v.shape[d] - 1
        bits = "0x7F800000" if v.dtype == "f32" else "0x7FF0000000000000"
        t = type_of(v.dtype, ())
        infinity = self.emit(f"stablehlo.constant dense<{bits}> : {t}")
        none = self.emit(f"stablehlo.constant dense<{bits.replace('7F', 'FF', 1)}> : {t}")
        a, b, top, gap, p, q, e, f, s, h, c, r = (self.name() for _ in range(12))
        body = (
            f"({{\n^bb0({a}: {t}, {b}: {t}):\n{top} = stablehlo.maximum {a}, {b} : {t}\n"
            f"{gap} = stablehlo.subtract {a}, {b} : {t}\n{p} = stablehlo.abs {gap} : {t}\n"
            f"{q} = stablehlo.negate {p} : {t}\n{e} = stablehlo.exponential {q} : {t}\n"
            f"{f} = stablehlo.log_plus_one {e} : {t}\n{s} = stablehlo.add {top}, {f} : {t}\n"
            f"{h} = stablehlo.abs {top} : {t}\n{c} = stablehlo.compare EQ, {h}, {infinity} : ({t}, {t}) -> tensor<i1>\n"
            f"{r} = stablehlo.select {c}, {top}, {s} : tensor<i1>, {t}\nstablehlo.return {r} : {t}\n}})"
        )
        self.put(
            f'"stablehlo.reduce_window"({v.name}, {none}) <{{window_dimensions = {array(size)}, padding = dense<'
            f"{padding}> : tensor<{rank}x2xi64>}}> {body} : ({v.type}, {t}) -> {v.type}",
            v.dtype, v.shape, v.bound + 10, False,
        )  # fmt: skip

    def bits(self) -> None:
        v = self.exact()
        if v.dtype in FLOATS:
            whole = {"f32": "i32", "f64": "i64"}[v.dtype]
            t = type_of(whole, v.shape)
            x = self.emit(f"stablehlo.bitcast_convert {v.name} : ({v.type}) -> {t}")
            count = self.constant(whole, v.shape, 23 if whole == "i32" else 52)
            x = self.emit(f"stablehlo.shift_right_logical {x}, {count.name} : {t}")
            self.put(f"stablehlo.popcnt {x} : {t}", whole, v.shape, 64, True)
        else:
            op = self.random.choice(["popcnt", "count_leading_zeros", "not"])
            x = self.emit(f"stablehlo.{op} {v.name} : {v.type}")
            seven = self.constant(v.dtype, v.shape, 7)
            self.put(f"stablehlo.and {x}, {seven.name} : {v.type}", v.dtype, v.shape, 7, True)

    def wider(self) -> None:
        """A product of bytes whose sums are wider."""
        m, k, n = (self.random.choice([1, 3, 8, 17, 33]) for _ in range(3))
        kind = self.random.choice(["i8", "ui8"])
        x, w = self.like(Value("", kind, (m, k), 3, True)), self.like(Value("", kind, (k, n), 3, True))
        self.put(
            f"stablehlo.dot_general {x.name}, {w.name}, contracting_dims = [1] x [0] : ({x.type}, {w.type}) -> "
            f"{type_of('i32', (m, n))}",
            "i32", (m, n), x.bound * w.bound * k, True,
        )  # fmt: skip

    def pool_back(self) -> None:
        v = self.pick(lambda v: len(v.shape) == 2 and min(v.shape) > 2 and v.exact and v.dtype in ("f32", "i32"))
        shape = tuple((n - 2) // 2 + 1 for n in v.shape)
        g = self.like(Value("", v.dtype, shape, 3, True))
        if g.bound > 1000:
            return
        zero, t = self.constant(v.dtype, (), 0), type_of(v.dtype, ())
        a, b, c = (self.name() for _ in range(3))
        self.put(
            f'"stablehlo.select_and_scatter"({v.name}, {g.name}, {zero.name}) <{{window_dimensions = array<i64: 2, 2>, '
            f"window_strides = array<i64: 2, 2>}}> ({{\n^bb0({a}: {t}, {b}: {t}):\n"
            f"{c} = stablehlo.compare GE, {a}, {b} : ({t}, {t}) -> tensor<i1>\nstablehlo.return {c} : tensor<i1>\n}}, "
            f"{self.combining('add', v.dtype)[1:]} : ({v.type}, {g.type}, {t}) -> {v.type}",
            v.dtype, v.shape, g.bound, g.exact,
        )  # fmt: skip

    def step(self) -> None:
        if self.random.random() < 0.6:
            super().step()
            return
        kinds = [
            self.sort_keys, self.reduce_several, self.window_several, self.along, self.scatter_batch, self.words,
            self.scatter_windows, self.case, self.complex, self.transform, self.narrow, self.quantized, self.dynamic,
            self.system, self.running, self.bits, self.wider, self.pool_back,
        ]  # fmt: skip
        with contextlib.suppress(Nothing):
            self.random.choice(kinds)()


if __name__ == "__main__":
    sys.exit(command(__doc__, MoreMaker))
