"""Programs with open dimensions made at random: every input is tensor<?x?xf32>, of one pair of sizes.

    make(random) -> text

A shape is a tuple of "a", "b" (the sizes of the inputs) and numbers; sums stay small whole numbers where they decide
anything.
"""

from __future__ import annotations

from random import Random

Shape = tuple[object, ...]


class Maker:
    def __init__(self, random: Random) -> None:
        self.random, self.lines, self.values = random, [], []
        self.count = 0

    def type(self, shape: Shape) -> str:
        return "tensor<" + "".join(f"{s if isinstance(s, int) else '?'}x" for s in shape) + "f32>"

    def put(self, text: str, shape: Shape) -> str:
        name = f"%v{self.count}"
        self.count += 1
        self.lines.append(f"  {name} = {text}")
        self.values.append((name, shape))
        return name

    def pick(self, fits=lambda shape: True) -> tuple[str, Shape]:
        found = [v for v in self.values if fits(v[1])]
        return self.random.choice(found)

    def number(self, value: object) -> str:
        """A size as tensor<1xi32>."""
        name = f"%v{self.count}"
        self.count += 1
        if isinstance(value, int):
            self.lines.append(f"  {name} = stablehlo.constant dense<{value}> : tensor<1xi32>")
        else:
            self.lines.append(
                f"  {name}s = stablehlo.get_dimension_size %0, dim = {'ab'.index(str(value))} : "
                "(tensor<?x?xf32>) -> tensor<i32>"
            )
            self.lines.append(f"  {name} = stablehlo.reshape {name}s : (tensor<i32>) -> tensor<1xi32>")
        return name

    def sizes(self, shape: Shape) -> str:
        parts = [self.number(s) for s in shape]
        name = f"%v{self.count}"
        self.count += 1
        types = ", ".join(["tensor<1xi32>"] * len(parts))
        self.lines.append(
            f"  {name} = stablehlo.concatenate {', '.join(parts)}, dim = 0 : ({types}) -> tensor<{len(parts)}xi32>"
        )
        return name

    def unary(self) -> None:
        name, shape = self.pick()
        op = self.random.choice(["tanh", "negate", "abs", "logistic", "sine"])
        self.put(f"stablehlo.{op} {name} : {self.type(shape)}", shape)

    def binary(self) -> None:
        name, shape = self.pick()
        other, _ = self.pick(lambda s: s == shape)
        op = self.random.choice(["add", "subtract", "multiply", "maximum", "minimum"])
        self.put(f"stablehlo.{op} {name}, {other} : {self.type(shape)}", shape)

    def transpose(self) -> None:
        name, shape = self.pick(lambda s: len(s) >= 2)
        order = list(range(len(shape)))
        self.random.shuffle(order)
        made = tuple(shape[i] for i in order)
        self.put(f"stablehlo.transpose {name}, dims = {order} : ({self.type(shape)}) -> {self.type(made)}", made)

    def reduce(self) -> None:
        name, shape = self.pick(lambda s: len(s) >= 1)
        dim = self.random.randrange(len(shape))
        made = shape[:dim] + shape[dim + 1 :]
        op, init = self.random.choice([("add", "0.0"), ("maximum", "-9.0")])
        zero = f"%v{self.count}z"
        self.lines.append(f"  {zero} = stablehlo.constant dense<{init}> : tensor<f32>")
        text = f"stablehlo.reduce({name} init: {zero}) applies stablehlo.{op} across dimensions = [{dim}] : "
        self.put(f"{text}({self.type(shape)}, tensor<f32>) -> {self.type(made)}", made)
        squashed, made_shape = self.values[-1]
        self.put(f"stablehlo.tanh {squashed} : {self.type(made_shape)}", made_shape)

    def broadcast(self) -> None:
        name, shape = self.pick(lambda s: len(s) <= 2)
        made = list(shape)
        made.insert(self.random.randint(0, len(made)), self.random.choice(["a", "b", 3]))
        places, at = [], 0
        for size in shape:
            while made[at] != size:
                at += 1
            places.append(at)
            at += 1
        wanted = self.sizes(tuple(made))
        text = f"stablehlo.dynamic_broadcast_in_dim {name}, {wanted}, dims = {places} : "
        self.put(
            f"{text}({self.type(shape)}, tensor<{len(made)}xi32>) -> {self.type(tuple(made))}",
            tuple(made),
        )

    def dot(self) -> None:
        name, shape = self.pick(lambda s: len(s) == 2)
        other, with_shape = self.pick(lambda s: len(s) == 2 and shape[1] in s)
        along = with_shape.index(shape[1])
        made = (shape[0], with_shape[1 - along])
        text = f"stablehlo.dot_general {name}, {other}, contracting_dims = [1] x [{along}] : "
        self.put(f"{text}({self.type(shape)}, {self.type(with_shape)}) -> {self.type(made)}", made)
        product, _ = self.values[-1]
        self.put(f"stablehlo.tanh {product} : {self.type(made)}", made)

    def softmax(self) -> None:
        name, shape = self.pick(lambda s: len(s) >= 2)
        kept = shape[:-1]
        zero = f"%v{self.count}z"
        self.lines.append(f"  {zero} = stablehlo.constant dense<0.0> : tensor<f32>")
        exp = self.put(f"stablehlo.exponential {name} : {self.type(shape)}", shape)
        self.values.pop()
        text = f"stablehlo.reduce({exp} init: {zero}) applies stablehlo.add across dimensions = [{len(shape) - 1}] : "
        total = self.put(f"{text}({self.type(shape)}, tensor<f32>) -> {self.type(kept)}", kept)
        self.values.pop()
        wide = self.put(
            f"stablehlo.dynamic_broadcast_in_dim {total}, {self.sizes(shape)}, dims = {list(range(len(kept)))} : "
            f"({self.type(kept)}, tensor<{len(shape)}xi32>) -> {self.type(shape)}",
            shape,
        )
        self.values.pop()
        self.put(f"stablehlo.divide {exp}, {wide} : {self.type(shape)}", shape)

    def iota(self) -> None:
        shape = self.random.choice([("a",), ("b", "a"), ("a", "b")])
        made = self.put(
            f"stablehlo.dynamic_iota {self.sizes(shape)}, dim = {self.random.randrange(len(shape))} : "
            f"(tensor<{len(shape)}xi32>) -> {self.type(shape)}",
            shape,
        )
        self.put(f"stablehlo.sine {made} : {self.type(shape)}", shape)


def make(random: Random) -> str:
    maker = Maker(random)
    inputs = random.randint(1, 3)
    maker.values = [(f"%{i}", ("a", "b")) for i in range(inputs)]
    ops = [maker.unary, maker.binary, maker.binary, maker.transpose, maker.reduce, maker.broadcast, maker.dot]
    ops += [maker.softmax, maker.iota]
    for i in range(inputs):  # so that nothing grows
        maker.put(f"stablehlo.tanh %{i} : tensor<?x?xf32>", ("a", "b"))
    made = 0
    while made < 9:
        try:
            random.choice(ops)()
            made += 1
        except IndexError:  # nothing fits
            continue
    results = maker.values[-2:]
    arguments = ", ".join(f"%{i}: tensor<?x?xf32>" for i in range(inputs))
    types = ", ".join(maker.type(shape) for _, shape in results)
    lines = "\n".join(maker.lines)
    names = ", ".join(name for name, _ in results)
    return f"func.func @main({arguments}) -> ({types}) {{\n{lines}\n  return {names} : {types}\n}}\n"
