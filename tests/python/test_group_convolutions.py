"""Convolutions of groups of channels and their gradients, compiled as interpreted: strides, dilations, holes, paddings,
sizes that leave rests of every block, any order of dimensions."""

from __future__ import annotations

import itertools
import random

import pytest

torch = pytest.importorskip("torch")
from random_programs import run, type_of  # noqa: E402

ORDERS = [
    "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]",
    "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]",
    "[b, f, 0, 1]x[0, 1, i, o]->[b, 0, 1, f]",
]


def shape_of(order: str, sizes: dict[str, int]) -> tuple[int, ...]:
    return tuple(sizes[d] for d in order.strip("[]").split(", "))


def difference(order: str, operands, out, spatial, groups: int, batch_groups: int, after: bool = False) -> str:
    """operands, out: sizes by letter. spatial: (stride, pad low, pad high, hole, dilation, reversed) of each."""
    left, rest = order.split("]x[")
    middle, right = rest.split("]->[")
    x, k = shape_of(left, operands[0]), shape_of(middle, operands[1])
    y = type_of("f32", shape_of(right, out))
    columns = list(zip(*spatial, strict=True))
    window = (
        f"stride = {list(columns[0])}, pad = {[list(p) for p in zip(columns[1], columns[2], strict=True)]}, "
        f"lhs_dilate = {list(columns[3])}, rhs_dilate = {list(columns[4])}, "
        f"reverse = {str([bool(r) for r in columns[5]]).lower()}"
    )
    end = f"%2 = stablehlo.tanh %1 : {y}\nreturn %2 : {y}" if after else f"return %1 : {y}"
    text = (
        f"func.func @main(%x: {type_of('f32', x)}, %k: {type_of('f32', k)}) -> {y} {{\n"
        f"%1 = stablehlo.convolution(%x, %k) dim_numbers = {order}, window = {{{window}}} {{batch_group_count = "
        f"{batch_groups} : i64, feature_group_count = {groups} : i64}} : ({type_of('f32', x)}, {type_of('f32', k)}) -> "
        f"{y}\n{end}\n}}\n"
    )
    generator = torch.Generator().manual_seed(1)
    inputs = [torch.randint(-8, 9, s, generator=generator).float() / 8 for s in (x, k)]
    want, have = run(text, inputs, "interp", 3)[0], run(text, inputs, "cpu", 3)[0]
    return "" if torch.allclose(want, have, 1e-5, 1e-5) else f"{(want - have).abs().max():.3g} apart:\n{text}"


def window(draw: random.Random, size: int) -> tuple[tuple[int, ...], int, int]:
    """One spatial dimension of an input of this size: its window, taps, and outputs."""
    while True:
        taps, stride = draw.choice([1, 2, 3, 3, 5, 7]), draw.choice([1, 1, 2, 3])
        hole, dilation = draw.choice([1, 1, 2, 3]), draw.choice([1, 1, 2])
        low, high = draw.choice([0, 1, 2, 3, -1]), draw.choice([0, 1, 2, 4, -1])
        wide = (size - 1) * hole + 1 + low + high
        if wide >= (taps - 1) * dilation + 1:
            return (
                (stride, low, high, hole, dilation, draw.random() < 0.3),
                taps,
                (wide - (taps - 1) * dilation - 1) // stride + 1,
            )


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_forward_and_by_input(first):
    found = []
    for seed in range(first, first + 20):
        draw = random.Random(seed)
        groups, inputs, outputs = draw.choice(
            [(3, 1, 1), (16, 1, 1), (37, 1, 1), (64, 1, 1), (100, 1, 1), (2, 8, 8), (3, 5, 24), (4, 24, 24), (2, 3, 33)]
        )
        n, h, w = draw.choice([1, 2, 3]), draw.choice([5, 8, 13]), draw.choice([4, 9, 17])
        (a, kh, oh), (b, kw, ow) = window(draw, h), window(draw, w)
        found.append(
            difference(
                draw.choice(ORDERS), ({"b": n, "f": groups * inputs, "0": h, "1": w},
                {"i": inputs, "o": groups * outputs, "0": kh, "1": kw}),
                {"b": n, "f": groups * outputs, "0": oh, "1": ow}, (a, b), groups, 1, draw.random() < 0.5,
            )
        )  # fmt: skip
    assert [f for f in found if f] == []


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_by_kernel(first):
    """What is summed are images; groups are among the channels of both operands."""
    found = []
    for seed in range(first, first + 20):
        draw = random.Random(seed)
        groups, inputs, outputs = draw.choice(
            [(3, 1, 1), (16, 1, 1), (37, 1, 1), (64, 1, 1), (100, 1, 1), (2, 8, 8), (3, 7, 24), (2, 12, 40), (5, 3, 20)]
        )
        n, (h, w) = draw.choice([1, 2, 5]), (draw.choice([6, 9, 14]), draw.choice([5, 8, 15]))
        stride, dilation, pad = draw.choice([1, 1, 2]), draw.choice([1, 1, 2]), draw.choice([0, 1, 2])
        taps = draw.choice([1, 2, 3, 5, 6, 7])
        sizes = [(s + 2 * pad - (taps - 1) * dilation - 1) // stride + 1 for s in (h, w)]
        if min(sizes) < 1:
            continue
        oh, ow = sizes
        # the convolution's stride is the gradient's dilation, and the other way round
        high = [(taps - 1) * dilation + (o - 1) * stride + 1 - s - pad for o, s in ((oh, h), (ow, w))]
        spatial = [(dilation, pad, e, 1, stride, False) for e in high]
        found.append(
            difference(
                "[f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1]",
                ({"f": n, "b": groups * inputs, "0": h, "1": w}, {"i": n, "o": groups * outputs, "0": oh, "1": ow}),
                {"f": groups * outputs, "b": inputs, "0": taps, "1": taps}, spatial, 1, groups,
            )
        )  # fmt: skip
    assert [f for f in found if f] == []


@pytest.mark.parametrize("groups, inputs, outputs", [(32, 1, 1), (3, 8, 24)])
def test_through_torch(groups, inputs, outputs):
    """One, two and three dimensions, with all gradients."""
    for dims, stride in itertools.product((1, 2, 3), (1, 2)):
        torch._dynamo.reset()
        torch.manual_seed(0)
        kind = [torch.nn.Conv1d, torch.nn.Conv2d, torch.nn.Conv3d][dims - 1]
        layer = kind(groups * inputs, groups * outputs, 3, stride, 1, groups=groups)
        x = torch.randn(2, groups * inputs, *([11, 9, 6][dims - 1] + i for i in range(dims)), requires_grad=True)
        results = []
        for function in (layer, torch.compile(layer, backend="tenfold")):
            y = function(x)
            results.append([y, *torch.autograd.grad((y * y).sum(), [x, layer.weight, layer.bias])])
        for want, have in zip(*results, strict=True):
            torch.testing.assert_close(have, want, rtol=1e-4, atol=1e-3)


def test_what_is_saved_lies_channels_last():
    """Between the two graphs of a training step images stay as the compiler lays them out; attention's tensors of four
    dimensions are no images."""
    from tenfold.torch import saved

    seen = []
    original = saved.laid_last

    def watch(module, stage, returned):
        seen.append((stage, original(module, stage, returned)))
        return seen[-1][1]

    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first, self.norm = torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.BatchNorm2d(8)
            self.depth = torch.nn.Conv2d(8, 8, 3, padding=1, groups=8)

        def forward(self, x):
            y = torch.relu(self.depth(torch.relu(self.norm(self.first(x)))))
            heads = y.flatten(2).transpose(1, 2).reshape(len(x), -1, 2, 4).transpose(1, 2)
            return (heads @ heads.transpose(2, 3)).softmax(-1) @ heads

    torch.manual_seed(0)
    torch._dynamo.reset()
    net, x = Net(), torch.randn(2, 3, 6, 5, requires_grad=True)
    results = []
    torch_backend = pytest.importorskip("tenfold.torch.backend")
    torch_backend.laid_last, kept = watch, torch_backend.laid_last
    try:
        for function in (net, torch.compile(net, backend="tenfold")):
            y = function(x)
            results.append([y, *torch.autograd.grad((y * y).sum(), [x, *net.parameters()])])
    finally:
        torch_backend.laid_last = kept
    for want, have in zip(*results, strict=True):
        torch.testing.assert_close(have, want, rtol=1e-4, atol=1e-4)
    stages = dict(seen)
    assert any("convolution" in name for name in stages["forward"])
    assert stages["forward"] == stages["backward"]
    assert not any("bmm" in name or "softmax" in name or "view" in name for name in stages["forward"])
