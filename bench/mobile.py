"""Small networks, by default of depthwise and grouped convolutions: forward and training steps through torch.compile,
and in eager mode.

    bench/mobile.py [--model mobilenet resnet18 …] [--batch 4] [--size 112] [--rounds 9] [--forward] [--cpu-time]

Calls take turns in one process, so that a busy moment of the machine meets both; a figure is the median, in brackets
the least. A ratio is eager's time divided by Tenfold's. On a machine with other work to do: `taskset -c 0` and
--cpu-time, which counts the time of the CPU alone.
"""

from __future__ import annotations

import argparse
import copy
import statistics
import time

import torch
from torch import nn
from torch.nn import functional as F
from zoo_models import ZOO


def conv_norm(
    i: int, o: int, k: int = 1, stride: int = 1, groups: int = 1, act: type | None = nn.ReLU6
) -> nn.Sequential:
    layers = [nn.Conv2d(i, o, k, stride, k // 2, groups=groups, bias=False), nn.BatchNorm2d(o)]
    return nn.Sequential(*layers, *([act()] if act else []))


class SqueezeExcite(nn.Module):
    def __init__(self, wide: int, narrow: int) -> None:
        super().__init__()
        self.down, self.up = nn.Conv2d(wide, narrow, 1), nn.Conv2d(narrow, wide, 1)

    def forward(self, x):
        return x * torch.sigmoid(self.up(F.silu(self.down(x.mean((2, 3), keepdim=True)))))


class Inverted(nn.Module):
    """The block of MobileNetV2 and V3 and of EfficientNet: expand, depthwise, (squeeze and excite,) project."""

    def __init__(self, i: int, o: int, k: int, stride: int, expand: int, act: type, excite: bool) -> None:
        super().__init__()
        wide = i * expand
        layers = [conv_norm(i, wide, act=act)] if expand > 1 else []
        layers += [conv_norm(wide, wide, k, stride, wide, act)]
        layers += [SqueezeExcite(wide, max(i // 4, 4))] if excite else []
        self.layers = nn.Sequential(*layers, conv_norm(wide, o, act=None))
        self.adds = stride == 1 and i == o

    def forward(self, x):
        return x + self.layers(x) if self.adds else self.layers(x)


def inverted(rows, act: type, excite: bool, first: int, last: int) -> nn.Module:
    layers, i = [conv_norm(3, first, 3, 2, act=act)], first
    for expand, o, count, stride, k in rows:
        for n in range(count):
            layers.append(Inverted(i, o, k, stride if n == 0 else 1, expand, act, excite))
            i = o
    layers += [conv_norm(i, last, act=act), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(last, 100)]
    return nn.Sequential(*layers)


def mobilenet() -> nn.Module:
    rows = [(1, 16, 1, 1, 3), (6, 24, 2, 2, 3), (6, 32, 3, 2, 3), (6, 64, 4, 2, 3), (6, 96, 3, 1, 3), (6, 160, 3, 2, 3)]
    return inverted([*rows, (6, 320, 1, 1, 3)], nn.ReLU6, False, 32, 1280)


def mobilenet_v3() -> nn.Module:
    rows = [
        (1, 16, 1, 1, 3),
        (4, 24, 2, 2, 3),
        (3, 40, 3, 2, 5),
        (6, 80, 4, 2, 3),
        (6, 112, 2, 1, 3),
        (6, 160, 3, 2, 5),
    ]
    return inverted(rows, nn.Hardswish, True, 16, 960)


def efficientnet() -> nn.Module:
    rows = [
        (1, 16, 1, 1, 3),
        (6, 24, 2, 2, 3),
        (6, 40, 2, 2, 5),
        (6, 80, 3, 2, 3),
        (6, 112, 3, 1, 5),
        (6, 192, 4, 2, 5),
    ]
    return inverted([*rows, (6, 320, 1, 1, 3)], nn.SiLU, True, 32, 1280)


class Shuffled(nn.Module):
    def __init__(self, i: int, o: int, stride: int) -> None:
        super().__init__()
        half, inner = o // 2, i if stride > 1 else o // 2
        self.split = stride == 1
        self.left = None if self.split else nn.Sequential(
            conv_norm(i, i, 3, stride, i, None), conv_norm(i, half, act=nn.ReLU)
        )  # fmt: skip
        self.right = nn.Sequential(
            conv_norm(inner, half, act=nn.ReLU), conv_norm(half, half, 3, stride, half, None),
            conv_norm(half, half, act=nn.ReLU),
        )  # fmt: skip

    def forward(self, x):
        if self.split:
            a, b = x.chunk(2, 1)
            y = torch.cat([a, self.right(b)], 1)
        else:
            y = torch.cat([self.left(x), self.right(x)], 1)
        n, c, h, w = y.shape
        return y.view(n, 2, c // 2, h, w).transpose(1, 2).reshape(n, c, h, w)


def shufflenet() -> nn.Module:
    layers, i = [conv_norm(3, 24, 3, 2, act=nn.ReLU), nn.MaxPool2d(3, 2, 1)], 24
    for o, count in ((116, 4), (232, 8), (464, 4)):
        layers += [Shuffled(i if n == 0 else o, o, 2 if n == 0 else 1) for n in range(count)]
        i = o
    return nn.Sequential(
        *layers, conv_norm(i, 1024, act=nn.ReLU), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(1024, 100)
    )


class Grouped(nn.Module):
    """The block of RegNetY: 1x1, grouped 3x3, squeeze and excite, 1x1."""

    def __init__(self, i: int, o: int, stride: int, each: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            conv_norm(i, o, act=nn.ReLU), conv_norm(o, o, 3, stride, o // each, nn.ReLU), SqueezeExcite(o, i // 4),
            conv_norm(o, o, act=None),
        )  # fmt: skip
        self.short = conv_norm(i, o, 1, stride, act=None) if i != o or stride > 1 else nn.Identity()

    def forward(self, x):
        return F.relu(self.short(x) + self.layers(x))


def regnet() -> nn.Module:
    layers, i = [conv_norm(3, 32, 3, 2, act=nn.ReLU)], 32
    for o, count in ((48, 2), (120, 4), (336, 6), (888, 2)):
        layers += [Grouped(i if n == 0 else o, o, 2 if n == 0 else 1, 24) for n in range(count)]
        i = o
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(i, 100))


class Wide(nn.Module):
    """The block of ConvNeXt: depthwise 7x7, layer norm, two linear layers with GELU, a scale."""

    def __init__(self, c: int) -> None:
        super().__init__()
        self.depth = nn.Conv2d(c, c, 7, padding=3, groups=c)
        self.norm, self.up, self.down = nn.LayerNorm(c), nn.Linear(c, 4 * c), nn.Linear(4 * c, c)
        self.scale = nn.Parameter(torch.full((c,), 0.1))

    def forward(self, x):
        y = self.down(F.gelu(self.up(self.norm(self.depth(x).permute(0, 2, 3, 1)))))
        return x + (self.scale * y).permute(0, 3, 1, 2)


class LastNorm(nn.LayerNorm):
    def forward(self, x):
        return super().forward(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


def convnext() -> nn.Module:
    layers, i = [nn.Conv2d(3, 96, 4, 4), LastNorm(96)], 96
    for o, count in ((96, 2), (192, 2), (384, 4), (768, 2)):
        layers += [LastNorm(i), nn.Conv2d(i, o, 2, 2)] if o != i else []
        layers += [Wide(o) for _ in range(count)]
        i = o
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.LayerNorm(i), nn.Linear(i, 100))


MOBILE = {m.__name__: m for m in (mobilenet, mobilenet_v3, efficientnet, shufflenet, regnet, convnext)}
MODELS = {**MOBILE, **ZOO}


def step_of(model: nn.Module, x: torch.Tensor, target: torch.Tensor, backend: str | None):
    run = torch.compile(model, backend=backend) if backend else model
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)

    def step():
        optimizer.zero_grad()
        loss = F.cross_entropy(run(x), target)
        loss.backward()
        optimizer.step()
        return loss

    return step


def forward_of(model: nn.Module, x: torch.Tensor, backend: str | None):
    run = torch.compile(model.eval(), backend=backend) if backend else model.eval()

    def forward():
        with torch.no_grad():
            return run(x)

    return forward


def measure(name: str, options: argparse.Namespace) -> None:
    torch.manual_seed(0)
    torch._dynamo.reset()
    model, x = MODELS[name](), torch.randn(options.batch, 3, options.size, options.size)
    target = torch.randint(0, 100, (options.batch,))
    calls, times, first = {}, {}, {}
    clock = time.process_time if options.cpu_time else time.perf_counter
    for who, backend in (("eager", None), *((b, b) for b in options.backend)):
        own = copy.deepcopy(model)
        calls[who] = forward_of(own, x, backend) if options.forward else step_of(own, x, target, backend)
        start = time.perf_counter()
        calls[who](), calls[who]()
        first[who], times[who] = time.perf_counter() - start, []
    for _ in range(options.rounds):
        for who, call in calls.items():
            start = clock()
            call()
            times[who].append(clock() - start)
    base = times["eager"]
    line = f"{name:13s} eager {statistics.median(base) * 1e3:7.1f} ({min(base) * 1e3:7.1f})"
    for who in options.backend:
        t = times[who]
        line += f"  {who} {statistics.median(t) * 1e3:7.1f} ({min(t) * 1e3:7.1f})  ratio "
        line += (
            f"{statistics.median(base) / statistics.median(t):.2f} ({min(base) / min(t):.2f}), first {first[who]:.1f} s"
        )
    print(line, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", nargs="*", default=list(MOBILE), choices=list(MODELS))
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--size", type=int, default=112)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--forward", action="store_true")
    parser.add_argument("--cpu-time", action="store_true")
    parser.add_argument("--backend", nargs="*", default=["tenfold"])
    options = parser.parse_args()
    for name in options.model:
        measure(name, options)


if __name__ == "__main__":
    main()
