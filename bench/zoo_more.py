"""Architectures of `make bench-zoo` of rarer kinds, of images and volumes: linear and deformable attention, capsules,
spatial transformers, cost volumes. Each function makes a model and the inputs of one batch."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn import functional as F
from zoo_models import conv
from zoo_others import dense

Made = tuple[nn.Module, tuple[Any, ...]]


# ---- images --------------------------------------------------------------------------------------------------------


class LinearAttention(nn.Module):
    """ReLU attention as EfficientViT has: keys times values first; then an inverted bottleneck."""

    def __init__(self, c: int, heads: int) -> None:
        super().__init__()
        self.heads, self.qkv, self.out = heads, nn.Conv2d(c, 3 * c, 1), conv(c, c, relu=False)
        self.around = nn.Conv2d(3 * c, 3 * c, 5, padding=2, groups=3 * c)
        self.mlp = nn.Sequential(
            nn.Conv2d(c, 4 * c, 1), nn.Hardswish(), nn.Conv2d(4 * c, 4 * c, 3, padding=1, groups=4 * c),
            nn.Hardswish(), conv(4 * c, c, relu=False),
        )  # fmt: skip

    def forward(self, x):
        b, c, h, w = x.shape
        y = self.qkv(x)
        q, k, v = (y + self.around(y)).view(b, self.heads, -1, h * w).transpose(2, 3).chunk(3, -1)
        q, k = F.relu(q), F.relu(k)
        v = F.pad(v, (0, 1), value=1.0)
        y = q @ (k.transpose(2, 3) @ v)
        y = (y[..., :-1] / (y[..., -1:] + 1e-5)).transpose(2, 3).reshape(b, c, h, w)
        x = x + self.out(y)
        return x + self.mlp(x)


def linear_attention(batch: int) -> Made:
    layers = [conv(3, 32, 3, 2), conv(32, 64, 3, 2), conv(64, 128, 3, 2), *(LinearAttention(128, 8) for _ in range(3))]
    model = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(128, 100))
    return model, (torch.randn(batch, 3, 160, 160),)


class Permutator(nn.Module):
    """Mixes along height, width and channels, and weighs the three (ViP)."""

    def __init__(self, c: int, size: int, segments: int) -> None:
        super().__init__()
        wide = size * c // segments
        self.norm, self.segments = nn.LayerNorm(c), segments
        self.rows, self.columns, self.channels = nn.Linear(wide, wide), nn.Linear(wide, wide), nn.Linear(c, c)
        self.share = dense(c, c // 4, 3 * c)
        self.mlp = nn.Sequential(nn.LayerNorm(c), nn.Linear(c, 3 * c), nn.GELU(), nn.Linear(3 * c, c))

    def forward(self, x):
        b, h, w, c = x.shape
        y, s = self.norm(x), self.segments
        rows = y.view(b, h, w, s, c // s).permute(0, 3, 2, 1, 4).reshape(b, s, w, -1)
        rows = self.rows(rows).view(b, s, w, h, c // s).permute(0, 3, 2, 1, 4).reshape(b, h, w, c)
        columns = y.view(b, h, w, s, c // s).permute(0, 1, 3, 2, 4).reshape(b, h, s, -1)
        columns = self.columns(columns).view(b, h, s, w, c // s).permute(0, 1, 3, 2, 4).reshape(b, h, w, c)
        channels = self.channels(y)
        share = self.share((rows + columns + channels).mean((1, 2))).view(b, 3, c).softmax(1)
        mixed = rows * share[:, 0, None, None] + columns * share[:, 1, None, None] + channels * share[:, 2, None, None]
        x = x + mixed
        return x + self.mlp(x)


class ToLast(nn.Module):
    def forward(self, x):
        return x.permute(0, 2, 3, 1)


class Average(nn.Module):
    def forward(self, x):
        return x.mean((1, 2))


def permutator(batch: int) -> Made:
    blocks = [Permutator(192, 14, 12) for _ in range(4)]
    model = nn.Sequential(nn.Conv2d(3, 192, 8, 8), ToLast(), *blocks, nn.LayerNorm(192), Average(), nn.Linear(192, 100))
    return model, (torch.randn(batch, 3, 112, 112),)


class SpatialTransformer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.where = nn.Sequential(conv(3, 16, 5, 2), conv(16, 32, 5, 2), nn.AdaptiveAvgPool2d(4), nn.Flatten())
        self.angles = nn.Linear(512, 6)
        nn.init.normal_(self.angles.weight, std=0.02)
        self.angles.bias.data.copy_(torch.tensor([1.0, 0, 0, 0, 1, 0]))
        self.classes = nn.Sequential(conv(3, 32, 3, 2), conv(32, 64, 3, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.head = nn.Linear(64, 10)

    def forward(self, x):
        grid = F.affine_grid(self.angles(self.where(x)).view(-1, 2, 3), x.shape, align_corners=False)
        return self.head(self.classes(F.grid_sample(x, grid, align_corners=False)))


def spatial_transformer(batch: int) -> Made:
    return SpatialTransformer(), (torch.randn(batch, 3, 96, 96),)


class Deformable(nn.Module):
    """Attention of Deformable DETR: each query reads four places of each of two levels."""

    def __init__(self, c: int = 128, heads: int = 4, points: int = 4) -> None:
        super().__init__()
        self.heads, self.points = heads, points
        self.offsets, self.weights = nn.Linear(c, heads * 2 * points * 2), nn.Linear(c, heads * 2 * points)
        self.value, self.out, self.norm = nn.Linear(c, c), nn.Linear(c, c), nn.LayerNorm(c)

    def forward(self, x, levels):
        b, n, c = x.shape
        offsets = self.offsets(x).view(b, n, self.heads, 2, self.points, 2).tanh()
        weights = self.weights(x).view(b, n, self.heads, 2 * self.points).softmax(-1)
        found = []
        for i, level in enumerate(levels):
            h, w = level.shape[1:3]
            value = (
                self.value(level).view(b, h * w, self.heads, -1).permute(0, 2, 3, 1).reshape(b * self.heads, -1, h, w)
            )
            grid = offsets[:, :, :, i].transpose(1, 2).flatten(0, 1)
            found.append(F.grid_sample(value, grid, align_corners=False))
        found = torch.cat(found, -1)
        share = weights.transpose(1, 2).reshape(b * self.heads, 1, n, -1)
        y = (found * share).sum(-1).view(b, c, n).transpose(1, 2)
        return self.norm(x + self.out(y))


class DeformableEncoder(nn.Module):
    def __init__(self, c: int = 128) -> None:
        super().__init__()
        self.first, self.second = nn.Sequential(conv(3, 32, 3, 4), conv(32, c, 3, 2)), conv(c, c, 3, 2)
        self.layers = nn.ModuleList(Deformable(c) for _ in range(3))
        self.head = nn.Linear(c, 24)

    def forward(self, x):
        one = self.first(x)
        two = self.second(one)
        sizes = [one.shape[2:], two.shape[2:]]
        x = torch.cat([one.flatten(2), two.flatten(2)], 2).transpose(1, 2)
        for layer in self.layers:
            parts = x.split([h * w for h, w in sizes], 1)
            x = layer(x, [p.unflatten(1, size) for p, size in zip(parts, sizes, strict=True)])
        return self.head(x)


def deformable(batch: int) -> Made:
    return DeformableEncoder(), (torch.randn(batch, 3, 128, 128),)


class Modulated(nn.Module):
    """A layer of StyleGAN2: the style scales the weights, which are of norm one for each sample."""

    def __init__(self, i: int, o: int, up: bool) -> None:
        super().__init__()
        self.weight, self.style, self.up = nn.Parameter(torch.randn(o, i, 3, 3) * 0.1), nn.Linear(64, i), up

    def forward(self, x, style):
        b, i, h, w = x.shape
        weight = self.weight * (self.style(style) + 1)[:, None, :, None, None]
        weight = weight * torch.rsqrt(weight.square().sum((2, 3, 4), keepdim=True) + 1e-8)
        y = F.conv2d(x.reshape(1, b * i, h, w), weight.flatten(0, 1), padding=1, groups=b)
        y = y.view(b, -1, h, w)
        y = F.interpolate(y, scale_factor=2, mode="bilinear", align_corners=False) if self.up else y
        return F.leaky_relu(y, 0.2)


class StyleGenerator(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.styles, self.start = dense(64, 64, 64), nn.Parameter(torch.randn(1, 128, 8, 8))
        sizes = [(128, 128, False), (128, 64, True), (64, 64, False), (64, 32, True), (32, 32, False)]
        self.layers, self.color = nn.ModuleList(Modulated(*size) for size in sizes), nn.Conv2d(32, 3, 1)

    def forward(self, z):
        style = self.styles(F.normalize(z))
        x = self.start.expand(z.shape[0], -1, -1, -1)
        for layer in self.layers:
            x = layer(x, style)
        return self.color(x)


def style_generator(batch: int) -> Made:
    return StyleGenerator(), (torch.randn(batch, 64),)


def super_resolution(batch: int) -> Made:
    layers = [nn.Conv2d(3, 56, 5, padding=2), nn.PReLU(56), nn.Conv2d(56, 12, 1), nn.PReLU(12)]
    layers += [m for _ in range(4) for m in (nn.Conv2d(12, 12, 3, padding=1), nn.PReLU(12))]
    layers += [nn.Conv2d(12, 56, 1), nn.PReLU(56), nn.Conv2d(56, 27, 3, padding=1), nn.PixelShuffle(3)]
    return nn.Sequential(*layers), (torch.randn(batch, 3, 96, 96),)


class Capsules(nn.Module):
    """Three rounds of routing by agreement."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Conv2d(1, 64, 9), nn.Conv2d(64, 128, 9, 2)
        self.weight = nn.Parameter(torch.randn(10, 16 * 36, 16, 8) * 0.05)

    @staticmethod
    def squash(x):
        norm = x.square().sum(-1, keepdim=True)
        return x * norm / (1 + norm) / (norm + 1e-8).sqrt()

    def forward(self, x):
        y = self.second(F.relu(self.first(x)))
        u = self.squash(y.view(x.shape[0], 16, 8, 36).transpose(2, 3).reshape(x.shape[0], -1, 8))
        votes = torch.einsum("jnoi,bni->bjno", self.weight, u)
        logits = torch.zeros_like(votes[..., 0])
        for _ in range(3):
            v = self.squash((logits.softmax(1)[..., None] * votes).sum(2))
            logits = logits + (votes * v[:, :, None]).sum(-1)
        return v.square().sum(-1).sqrt()


def capsules(batch: int) -> Made:
    return Capsules(), (torch.randn(batch, 1, 28, 28),)


def unit3(i: int, o: int) -> nn.Sequential:
    one, two = nn.Conv3d(i, o, 3, padding=1, bias=False), nn.Conv3d(o, o, 3, padding=1, bias=False)
    return nn.Sequential(one, nn.InstanceNorm3d(o, affine=True), nn.LeakyReLU(), two, nn.InstanceNorm3d(o, affine=True),
                         nn.LeakyReLU())  # fmt: skip


class VolumeUNet(nn.Module):
    def __init__(self, c: int = 16) -> None:
        super().__init__()
        self.down = nn.ModuleList([unit3(1, c), unit3(c, 2 * c), unit3(2 * c, 4 * c)])
        self.rise = nn.ModuleList([nn.ConvTranspose3d(4 * c, 2 * c, 2, 2), nn.ConvTranspose3d(2 * c, c, 2, 2)])
        self.up, self.head = nn.ModuleList([unit3(4 * c, 2 * c), unit3(2 * c, c)]), nn.Conv3d(c, 3, 1)

    def forward(self, x):
        kept = []
        for layer in self.down:
            x = layer(F.max_pool3d(x, 2) if kept else x)
            kept.append(x)
        for rise, up, other in zip(self.rise, self.up, (kept[1], kept[0]), strict=True):
            x = up(torch.cat([rise(x), other], 1))
        return self.head(x)


def volume_unet(batch: int) -> Made:
    return VolumeUNet(), (torch.randn(batch, 1, 16, 32, 32),)


class Vae(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(conv(3, 32, 4, 2), conv(32, 64, 4, 2), conv(64, 128, 4, 2), nn.Flatten())
        self.mean, self.spread = nn.LazyLinear(64), nn.LazyLinear(64)
        self.wide = nn.Linear(64, 128 * 8 * 8)
        rise = [
            nn.ConvTranspose2d(128, 64, 4, 2, 1),
            nn.BatchNorm2d(64),
            nn.ReLU(),
            nn.ConvTranspose2d(64, 32, 4, 2, 1),
        ]
        self.decoder = nn.Sequential(*rise, nn.BatchNorm2d(32), nn.ReLU(), nn.ConvTranspose2d(32, 3, 4, 2, 1))

    def forward(self, x, noise):
        y = self.encoder(x)
        mean, spread = self.mean(y), self.spread(y)
        made = self.decoder(self.wide(mean + noise * (0.5 * spread).exp()).view(-1, 128, 8, 8)).sigmoid()
        return made, 0.5 * (mean.square() + spread.exp() - 1 - spread).sum(1)


def vae(batch: int) -> Made:
    model, inputs = Vae(), (torch.randn(batch, 3, 64, 64), torch.randn(batch, 64))
    with torch.no_grad():
        model(*inputs)  # the lazy layers learn their sizes
    return model, inputs


class Correlation(nn.Module):
    """The cost volume of optical flow: each pixel against 7 x 7 neighbours, then convolutions."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(conv(3, 32, 3, 2), conv(32, 64, 3, 2))
        self.flow = nn.Sequential(conv(49 + 64, 64, 3), conv(64, 32, 3), nn.Conv2d(32, 2, 3, padding=1))

    def forward(self, first, second):
        a, b = self.features(first), self.features(second)
        n, c, h, w = a.shape
        windows = F.unfold(b, 7, padding=3).view(n, c, 49, h, w)
        return self.flow(torch.cat([(a[:, :, None] * windows).mean(1), a], 1))


def correlation(batch: int) -> Made:
    return Correlation(), (torch.randn(batch, 3, 128, 128), torch.randn(batch, 3, 128, 128))
