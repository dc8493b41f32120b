"""Look-alikes of well-known image networks, in their own words: residual, dense, inception, fire, attention and MLP
kinds. They have the layers, widths and depths that decide speed; names of parameters and heads are not theirs."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

CLASSES = 100


def conv(i: int, o: int, k: int = 1, stride: int = 1, relu: bool = True) -> nn.Sequential:
    layers = [nn.Conv2d(i, o, k, stride, k // 2, bias=False), nn.BatchNorm2d(o)]
    return nn.Sequential(*layers, *([nn.ReLU(inplace=True)] if relu else []))


class Residual(nn.Module):
    def __init__(self, i: int, layers: nn.Module, o: int, stride: int) -> None:
        super().__init__()
        self.layers = layers
        self.short = conv(i, o, 1, stride, False) if i != o or stride > 1 else nn.Identity()

    def forward(self, x):
        return F.relu(self.layers(x) + self.short(x), inplace=True)


def resnet(counts: tuple[int, ...], bottleneck: bool) -> nn.Module:
    layers, i = [conv(3, 64, 7, 2), nn.MaxPool2d(3, 2, 1)], 64
    for stage, count in enumerate(counts):
        wide = 64 << stage
        o = wide * 4 if bottleneck else wide
        for n in range(count):
            stride = 2 if n == 0 and stage else 1
            if bottleneck:
                inner = nn.Sequential(conv(i, wide), conv(wide, wide, 3, stride), conv(wide, o, relu=False))
            else:
                inner = nn.Sequential(conv(i, o, 3, stride), conv(o, o, 3, relu=False))
            layers.append(Residual(i, inner, o, stride))
            i = o
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(i, CLASSES))


def resnet18() -> nn.Module:
    return resnet((2, 2, 2, 2), False)


def resnet50() -> nn.Module:
    return resnet((3, 4, 6, 3), True)


class Dense(nn.Module):
    """A layer of DenseNet: everything before it goes through norm, ReLU, 1x1, norm, ReLU, 3x3."""

    def __init__(self, i: int, growth: int) -> None:
        super().__init__()
        self.norm1, self.conv1 = nn.BatchNorm2d(i), nn.Conv2d(i, 4 * growth, 1, bias=False)
        self.norm2, self.conv2 = nn.BatchNorm2d(4 * growth), nn.Conv2d(4 * growth, growth, 3, padding=1, bias=False)

    def forward(self, parts):
        y = self.conv1(F.relu(self.norm1(torch.cat(parts, 1)), inplace=True))
        return self.conv2(F.relu(self.norm2(y), inplace=True))


class DenseBlock(nn.Module):
    def __init__(self, i: int, count: int, growth: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Dense(i + n * growth, growth) for n in range(count))

    def forward(self, x):
        parts = [x]
        for layer in self.layers:
            parts.append(layer(parts))
        return torch.cat(parts, 1)


def densenet() -> nn.Module:
    """Half of DenseNet-121's layers in each block."""
    layers, i = [conv(3, 64, 7, 2), nn.MaxPool2d(3, 2, 1)], 64
    for stage, count in enumerate((3, 6, 12, 8)):
        if stage:
            layers += [nn.BatchNorm2d(i), nn.ReLU(inplace=True), nn.Conv2d(i, i // 2, 1, bias=False), nn.AvgPool2d(2)]
            i //= 2
        layers.append(DenseBlock(i, count, 32))
        i += count * 32
    head = [nn.BatchNorm2d(i), nn.ReLU(inplace=True), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(i, CLASSES)]
    return nn.Sequential(*layers, *head)


class Inception(nn.Module):
    def __init__(self, i: int, a: int, b: tuple[int, int], c: tuple[int, int], d: int) -> None:
        super().__init__()
        self.branches = nn.ModuleList([
            conv(i, a), nn.Sequential(conv(i, b[0]), conv(b[0], b[1], 3)),
            nn.Sequential(conv(i, c[0]), conv(c[0], c[1], 3)),
            nn.Sequential(nn.MaxPool2d(3, 1, 1, ceil_mode=True), conv(i, d)),
        ])  # fmt: skip

    def forward(self, x):
        return torch.cat([branch(x) for branch in self.branches], 1)


def googlenet() -> nn.Module:
    rows = [
        (192, 64, (96, 128), (16, 32), 32),
        (256, 128, (128, 192), (32, 96), 64),
        None,
        (480, 192, (96, 208), (16, 48), 64),
        (512, 160, (112, 224), (24, 64), 64),
        (512, 128, (128, 256), (24, 64), 64),
        (512, 112, (144, 288), (32, 64), 64),
        (528, 256, (160, 320), (32, 128), 128),
        None,
        (832, 256, (160, 320), (32, 128), 128),
        (832, 384, (192, 384), (48, 128), 128),
    ]
    pool = nn.MaxPool2d(3, 2, ceil_mode=True)
    layers = [conv(3, 64, 7, 2), pool, conv(64, 64), conv(64, 192, 3), pool]
    layers += [Inception(*row) if row else pool for row in rows]
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.0), nn.Linear(1024, CLASSES))


class Fire(nn.Module):
    def __init__(self, i: int, narrow: int, wide: int) -> None:
        super().__init__()
        self.squeeze, self.one = nn.Conv2d(i, narrow, 1), nn.Conv2d(narrow, wide, 1)
        self.three = nn.Conv2d(narrow, wide, 3, padding=1)

    def forward(self, x):
        x = F.relu(self.squeeze(x), inplace=True)
        return torch.cat([F.relu(self.one(x), inplace=True), F.relu(self.three(x), inplace=True)], 1)


def squeezenet() -> nn.Module:
    def pool():
        return nn.MaxPool2d(3, 2, ceil_mode=True)

    layers = [nn.Conv2d(3, 64, 3, 2), nn.ReLU(inplace=True), pool(), Fire(64, 16, 64), Fire(128, 16, 64), pool()]
    layers += [Fire(128, 32, 128), Fire(256, 32, 128), pool(), Fire(256, 48, 192), Fire(384, 48, 192)]
    layers += [Fire(384, 64, 256), Fire(512, 64, 256), nn.Conv2d(512, CLASSES, 1), nn.ReLU(inplace=True)]
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten())


class Attention(nn.Module):
    def __init__(self, c: int, heads: int, bias: int = 0) -> None:
        super().__init__()
        self.heads, self.qkv, self.out = heads, nn.Linear(c, 3 * c), nn.Linear(c, c)
        self.bias = nn.Parameter(torch.zeros(heads, bias, bias)) if bias else None

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, self.bias)
        return self.out(y.transpose(1, 2).reshape(b, n, c))


class Encoder(nn.Module):
    def __init__(self, c: int, heads: int) -> None:
        super().__init__()
        self.norm1, self.attention, self.norm2 = nn.LayerNorm(c), Attention(c, heads), nn.LayerNorm(c)
        self.mlp = nn.Sequential(nn.Linear(c, 4 * c), nn.GELU(), nn.Linear(4 * c, c))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class ViT(nn.Module):
    """DeiT-Small's width, half of its depth."""

    def __init__(self, c: int = 384, depth: int = 6, heads: int = 6) -> None:
        super().__init__()
        self.patch, self.token = nn.Conv2d(3, c, 16, 16), nn.Parameter(torch.zeros(1, 1, c))
        self.blocks = nn.Sequential(*(Encoder(c, heads) for _ in range(depth)))
        self.norm, self.head = nn.LayerNorm(c), nn.Linear(c, CLASSES)

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1)
        return self.head(self.norm(self.blocks(x))[:, 0])


def vit() -> nn.Module:
    return ViT()


class Windowed(nn.Module):
    """A block of Swin: attention in windows of 7 x 7, every other time shifted by 3."""

    def __init__(self, c: int, heads: int, shift: int) -> None:
        super().__init__()
        self.norm1, self.attention, self.norm2 = nn.LayerNorm(c), Attention(c, heads, 49), nn.LayerNorm(c)
        self.mlp, self.shift = nn.Sequential(nn.Linear(c, 4 * c), nn.GELU(), nn.Linear(4 * c, c)), shift

    def forward(self, x):
        b, h, w, c = x.shape
        y = F.pad(self.norm1(x), (0, 0, 0, -w % 7, 0, -h % 7))
        y = torch.roll(y, (-self.shift, -self.shift), (1, 2)) if self.shift else y
        rows, columns = y.shape[1] // 7, y.shape[2] // 7
        y = y.view(b, rows, 7, columns, 7, c).transpose(2, 3).reshape(-1, 49, c)
        y = self.attention(y).view(b, rows, columns, 7, 7, c).transpose(2, 3).reshape(b, rows * 7, columns * 7, c)
        y = torch.roll(y, (self.shift, self.shift), (1, 2)) if self.shift else y
        x = x + y[:, :h, :w]
        return x + self.mlp(self.norm2(x))


class Merge(nn.Module):
    def __init__(self, c: int) -> None:
        super().__init__()
        self.norm, self.down = nn.LayerNorm(4 * c), nn.Linear(4 * c, 2 * c, bias=False)

    def forward(self, x):
        x = F.pad(x, (0, 0, 0, x.shape[2] % 2, 0, x.shape[1] % 2))
        quarters = [x[:, i::2, j::2] for j in (0, 1) for i in (0, 1)]
        return self.down(self.norm(torch.cat(quarters, -1)))


class Last(nn.Module):
    def forward(self, x):
        return x.permute(0, 2, 3, 1)


class Mean(nn.Module):
    def forward(self, x):
        return x.flatten(1, -2).mean(1)


def swin() -> nn.Module:
    """Swin-T with two blocks in its third stage, not six."""
    layers, c = [nn.Conv2d(3, 96, 4, 4), Last(), nn.LayerNorm(96)], 96
    for stage in range(4):
        layers += [Merge(c // 2)] if stage else []
        layers += [Windowed(c, c // 32, shift) for shift in (0, 3)]
        c *= 2
    return nn.Sequential(*layers, nn.LayerNorm(c // 2), Mean(), nn.Linear(c // 2, CLASSES))


class Mixed(nn.Module):
    """A block of MLP-Mixer, or of ResMLP where `plain`: its patches are mixed by one layer."""

    def __init__(self, n: int, c: int, plain: bool) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(c), nn.LayerNorm(c)
        self.tokens = nn.Linear(n, n) if plain else nn.Sequential(nn.Linear(n, 192), nn.GELU(), nn.Linear(192, n))
        self.channels = nn.Sequential(nn.Linear(c, 4 * c), nn.GELU(), nn.Linear(4 * c, c))

    def forward(self, x):
        x = x + self.tokens(self.norm1(x).transpose(1, 2)).transpose(1, 2)
        return x + self.channels(self.norm2(x))


def mixed(plain: bool) -> nn.Module:
    """For images of 112 x 112."""
    patch = nn.Sequential(nn.Conv2d(3, 384, 16, 16), nn.Flatten(2))
    blocks = [Mixed(49, 384, plain) for _ in range(6)]
    return nn.Sequential(patch, Swap(), *blocks, nn.LayerNorm(384), Mean(), nn.Linear(384, CLASSES))


class Swap(nn.Module):
    def forward(self, x):
        return x.transpose(1, 2)


def mixer() -> nn.Module:
    return mixed(False)


def resmlp() -> nn.Module:
    return mixed(True)


ZOO = {m.__name__: m for m in (resnet18, resnet50, densenet, googlenet, squeezenet, vit, swin, mixer, resmlp)}
