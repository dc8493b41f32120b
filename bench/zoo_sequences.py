"""Architectures of `make bench-zoo` of rarer kinds, of functions, sequences, sets and tables: fields, flows, splines,
scans, spectra. Each function makes a model and the inputs of one batch."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F
from zoo_models import Attention, conv
from zoo_others import dense

Made = tuple[nn.Module, tuple[Any, ...]]


# ---- fields, flows, functions --------------------------------------------------------------------------------------


class Field(nn.Module):
    """NeRF: a network of points, and the light along rays of 32 points each."""

    def __init__(self, wide: int = 128) -> None:
        super().__init__()
        self.low, self.high = dense(3 + 60, wide, wide, wide, last=True), dense(wide + 63, wide, wide, last=True)
        self.density, self.color = nn.Linear(wide, 1), dense(wide + 27, wide // 2, 3)

    @staticmethod
    def waves(x, count):
        y = x[..., None, :] * (2.0 ** torch.arange(count, dtype=x.dtype, device=x.device))[:, None]
        return torch.cat([x, y.sin().flatten(-2), y.cos().flatten(-2)], -1)

    def forward(self, points, directions):
        x = self.waves(points, 10)
        y = self.high(torch.cat([self.low(x), x], -1))
        d = self.waves(directions, 4)[:, None].expand(-1, points.shape[1], -1)
        color = self.color(torch.cat([y, d.to(y.dtype)], -1)).sigmoid()
        alpha = 1 - torch.exp(-F.relu(self.density(y)[..., 0]) * 0.1)
        through = torch.cumprod(torch.cat([torch.ones_like(alpha[:, :1]), 1 - alpha + 1e-10], 1), 1)[:, :-1]
        return ((alpha * through)[..., None] * color).sum(1)


def nerf(batch: int) -> Made:
    return Field(), (torch.randn(128 * batch, 32, 3), torch.randn(128 * batch, 3))


class Sine(nn.Module):
    def __init__(self, i: int, o: int) -> None:
        super().__init__()
        self.linear = nn.Linear(i, o)
        nn.init.uniform_(self.linear.weight, -math.sqrt(6 / i) / 30, math.sqrt(6 / i) / 30)

    def forward(self, x):
        return torch.sin(30 * self.linear(x))


def siren(batch: int) -> Made:
    return nn.Sequential(Sine(2, 256), *(Sine(256, 256) for _ in range(3)), nn.Linear(256, 3)), (
        torch.rand(1024 * batch, 2),
    )


class Coupling(nn.Module):
    """A step of RealNVP: half of the values scale and shift the other half."""

    def __init__(self, c: int, flip: bool) -> None:
        super().__init__()
        self.net, self.flip = dense(c // 2, 128, 128, c), flip

    def forward(self, x, total):
        a, b = x.flip(1).chunk(2, 1) if self.flip else x.chunk(2, 1)
        scale, shift = self.net(a).chunk(2, 1)
        scale = torch.tanh(scale)
        return torch.cat([a, b * scale.exp() + shift], 1), total + scale.sum(1)


class Flow(nn.Module):
    def __init__(self, c: int = 32) -> None:
        super().__init__()
        self.steps = nn.ModuleList(Coupling(c, n % 2 == 1) for n in range(8))

    def forward(self, x):
        total = x.new_zeros(x.shape[0])
        for step in self.steps:
            x, total = step(x, total)
        return 0.5 * x.square().sum(1) - total


def normalizing_flow(batch: int) -> Made:
    return Flow(), (torch.randn(128 * batch, 32),)


class Splines(nn.Module):
    """A layer of a Kolmogorov-Arnold network: a cubic B-spline for each edge, by Cox and de Boor."""

    def __init__(self, i: int, o: int, pieces: int = 5, order: int = 3) -> None:
        super().__init__()
        grid = (torch.arange(-order, pieces + order + 1) * (2 / pieces) - 1).expand(i, -1).contiguous()
        self.register_buffer("grid", grid)
        self.order, self.plain = order, nn.Linear(i, o, bias=False)
        self.spline = nn.Parameter(torch.randn(o, i * (pieces + order)) * 0.05)

    def forward(self, x):
        grid, y = self.grid, x[..., None]
        basis = ((y >= grid[:, :-1]) & (y < grid[:, 1:])).to(x.dtype)
        for k in range(1, self.order + 1):
            left = (y - grid[:, : -(k + 1)]) / (grid[:, k:-1] - grid[:, : -(k + 1)]) * basis[..., :-1]
            right = (grid[:, k + 1 :] - y) / (grid[:, k + 1 :] - grid[:, 1:-k]) * basis[..., 1:]
            basis = left + right
        return self.plain(F.silu(x)) + F.linear(basis.flatten(1).to(self.spline.dtype), self.spline)


def kan(batch: int) -> Made:
    return nn.Sequential(Splines(16, 64), Splines(64, 64), Splines(64, 4)), (torch.rand(256 * batch, 16) * 2 - 1,)


class Hyper(nn.Module):
    """Weights of a small network of coordinates are made from a code."""

    def __init__(self, wide: int = 32) -> None:
        super().__init__()
        self.sizes = [(2, wide), (wide, wide), (wide, 3)]
        self.made = dense(64, 128, sum(i * o + o for i, o in self.sizes))

    def forward(self, code, points):
        weights, at = self.made(code) * 0.2, 0
        for n, (i, o) in enumerate(self.sizes):
            w = weights[:, at : at + i * o].view(-1, i, o)
            bias = weights[:, at + i * o : at + i * o + o]
            at += i * o + o
            points = torch.baddbmm(bias[:, None], points, w)
            points = torch.sin(points) if n < 2 else points
        return points


def hyper_network(batch: int) -> Made:
    return Hyper(), (torch.randn(8 * batch, 64), torch.rand(8 * batch, 256, 2))


class Ode(nn.Module):
    """Eight steps of Runge and Kutta."""

    def __init__(self) -> None:
        super().__init__()
        self.f = nn.Sequential(nn.Linear(64, 128), nn.Tanh(), nn.Linear(128, 64))

    def forward(self, x):
        h = 1 / 8
        for _ in range(8):
            a = self.f(x)
            b = self.f(x + h / 2 * a)
            c = self.f(x + h / 2 * b)
            x = x + h / 6 * (a + 2 * b + 2 * c + self.f(x + h * c))
        return x


def neural_ode(batch: int) -> Made:
    return Ode(), (torch.randn(64 * batch, 64),)


class Spectral(nn.Module):
    """A layer of a Fourier neural operator: the lowest 12 frequencies are mixed by complex weights."""

    def __init__(self, c: int = 32, modes: int = 12) -> None:
        super().__init__()
        self.modes, self.plain = modes, nn.Conv2d(c, c, 1)
        self.weight = nn.Parameter(torch.randn(2, c, c, modes, modes, 2) * 0.02)

    def forward(self, x):
        m, w = self.modes, torch.view_as_complex(self.weight.float())
        y = torch.fft.rfft2(x.float())
        low = torch.einsum("bixy,ioxy->boxy", y[:, :, :m, :m], w[0])
        high = torch.einsum("bixy,ioxy->boxy", y[:, :, -m:, :m], w[1])
        middle = y.new_zeros(*low.shape[:2], x.shape[2] - 2 * m, m)
        y = F.pad(torch.cat([low, middle, high], 2), (0, y.shape[3] - m))
        return F.gelu(torch.fft.irfft2(y, s=x.shape[2:]) + self.plain(x))


def fourier_operator(batch: int) -> Made:
    model = nn.Sequential(nn.Conv2d(3, 32, 1), *(Spectral() for _ in range(3)), nn.Conv2d(32, 1, 1))
    return model, (torch.randn(batch, 3, 64, 64),)


# ---- sequences -----------------------------------------------------------------------------------------------------


class Scan(nn.Module):
    """A block of Mamba with its scan in doubling steps: log2(n) passes over the sequence."""

    def __init__(self, c: int, state: int = 8) -> None:
        super().__init__()
        self.norm, self.into, self.out = nn.LayerNorm(c), nn.Linear(c, 4 * c), nn.Linear(2 * c, c)
        self.around = nn.Conv1d(2 * c, 2 * c, 4, padding=3, groups=2 * c)
        self.parts, self.delta = nn.Linear(2 * c, 2 * state + 8), nn.Linear(8, 2 * c)
        self.rate = nn.Parameter(torch.log(torch.arange(1.0, state + 1)).expand(2 * c, -1).clone())
        self.state = state

    def forward(self, x):
        n = x.shape[1]
        y, gate = self.into(self.norm(x)).chunk(2, -1)
        y = F.silu(self.around(y.transpose(1, 2))[..., :n].transpose(1, 2))
        b, c, d = self.parts(y).split([self.state, self.state, 8], -1)
        d = F.softplus(self.delta(d))
        a = torch.exp(-d[..., None] * self.rate.exp())
        h = (d * y)[..., None] * b[:, :, None]
        step = 1
        while step < n:
            h = h + a * F.pad(h, (0, 0, 0, 0, step, 0))[:, :n]
            a = a * F.pad(a, (0, 0, 0, 0, step, 0), value=1.0)[:, :n]
            step *= 2
        y = (h * c[:, :, None]).sum(-1) * F.silu(gate)
        return x + self.out(y)


def selective_scan(batch: int) -> Made:
    model = nn.Sequential(nn.Embedding(2000, 64), Scan(64), Scan(64), nn.LayerNorm(64), nn.Linear(64, 500))
    return model, (torch.randint(0, 2000, (batch, 128)),)


class Retention(nn.Module):
    """A block of RetNet, in its parallel form."""

    def __init__(self, c: int, heads: int) -> None:
        super().__init__()
        self.heads, self.qkv, self.gate, self.out = heads, nn.Linear(c, 3 * c), nn.Linear(c, c), nn.Linear(c, c)
        self.norm, self.group = nn.LayerNorm(c), nn.GroupNorm(heads, c, affine=False)
        self.mlp = nn.Sequential(nn.LayerNorm(c), nn.Linear(c, 2 * c), nn.GELU(), nn.Linear(2 * c, c))
        self.register_buffer("rates", torch.log(1 - 2.0 ** (-5 - torch.arange(heads))))

    def forward(self, x):
        b, n, c = x.shape
        y = self.norm(x)
        q, k, v = self.qkv(y).view(b, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        apart = torch.arange(n, device=x.device)[:, None] - torch.arange(n, device=x.device)
        decay = torch.where(apart >= 0, (self.rates[:, None, None] * apart).exp(), 0.0)
        mixed = (q @ k.transpose(2, 3) * decay.to(q.dtype)) @ v
        mixed = self.group(mixed.transpose(1, 2).reshape(b * n, c)).view(b, n, c)
        x = x + self.out(F.silu(self.gate(y)) * mixed)
        return x + self.mlp(x)


def retention(batch: int) -> Made:
    model = nn.Sequential(nn.Embedding(2000, 256), *(Retention(256, 4) for _ in range(3)), nn.Linear(256, 500))
    return model, (torch.randint(0, 2000, (batch, 128)),)


class TimeMix(nn.Module):
    """RWKV's weighted average over the past, step by step."""

    def __init__(self, c: int) -> None:
        super().__init__()
        self.norm, self.kvr, self.out = nn.LayerNorm(c), nn.Linear(c, 3 * c), nn.Linear(c, c)
        self.decay, self.first = nn.Parameter(torch.rand(c)), nn.Parameter(torch.rand(c))

    def forward(self, x):
        y = self.norm(x)
        y = 0.5 * (y + F.pad(y, (0, 0, 1, -1)))
        k, v, r = self.kvr(y).chunk(3, -1)
        top = bottom = torch.zeros_like(k[:, 0])
        rows, keep = [], torch.exp(-self.decay.exp())
        for t in range(x.shape[1]):
            e = torch.exp(k[:, t])
            now = torch.exp(self.first + k[:, t])
            rows.append((top + now * v[:, t]) / (bottom + now))
            top, bottom = keep * top + e * v[:, t], keep * bottom + e
        return x + self.out(torch.sigmoid(r) * torch.stack(rows, 1))


def rwkv(batch: int) -> Made:
    model = nn.Sequential(nn.Embedding(2000, 128), TimeMix(128), TimeMix(128), nn.Linear(128, 500))
    return model, (torch.randint(0, 2000, (batch, 48)),)


class Conformer(nn.Module):
    def __init__(self, c: int, heads: int, kernel: int = 31) -> None:
        super().__init__()
        self.one, self.two = (
            nn.Sequential(nn.LayerNorm(c), nn.Linear(c, 4 * c), nn.SiLU(), nn.Linear(4 * c, c)) for _ in range(2)
        )
        self.norm, self.attention, self.before = nn.LayerNorm(c), Attention(c, heads), nn.LayerNorm(c)
        self.convolution = nn.Sequential(
            nn.Conv1d(c, 2 * c, 1), nn.GLU(1), nn.Conv1d(c, c, kernel, padding=kernel // 2, groups=c),
            nn.BatchNorm1d(c), nn.SiLU(), nn.Conv1d(c, c, 1),
        )  # fmt: skip
        self.last = nn.LayerNorm(c)

    def forward(self, x):
        x = x + 0.5 * self.one(x)
        x = x + self.attention(self.norm(x))
        x = x + self.convolution(self.before(x).transpose(1, 2)).transpose(1, 2)
        return self.last(x + 0.5 * self.two(x))


def conformer(batch: int) -> Made:
    model = nn.Sequential(nn.Linear(80, 144), *(Conformer(144, 4) for _ in range(3)), nn.Linear(144, 100))
    return model, (torch.randn(batch, 200, 80),)


class Temporal(nn.Module):
    """A block of TCN: two causal, dilated convolutions with normed weights."""

    def __init__(self, i: int, o: int, dilation: int) -> None:
        super().__init__()
        norm = nn.utils.parametrizations.weight_norm
        self.one, self.two = (norm(nn.Conv1d(c, o, 5, padding=4 * dilation, dilation=dilation)) for c in (i, o))
        self.cut, self.short = 4 * dilation, nn.Conv1d(i, o, 1) if i != o else nn.Identity()

    def forward(self, x):
        y = F.relu(self.one(x)[..., : -self.cut])
        y = F.relu(self.two(y)[..., : -self.cut])
        return F.relu(y + self.short(x))


def tcn(batch: int) -> Made:
    blocks = [Temporal(1 if n == 0 else 48, 48, 1 << n) for n in range(5)]
    return nn.Sequential(*blocks, nn.Conv1d(48, 10, 1)), (torch.randn(batch, 1, 784),)


class Crnn(nn.Module):
    """Reads lines of text: convolutions, two recurrent layers, the chances of each sign."""

    def __init__(self) -> None:
        super().__init__()
        self.images = nn.Sequential(
            conv(1, 32, 3), nn.MaxPool2d(2), conv(32, 64, 3), nn.MaxPool2d(2), conv(64, 128, 3), nn.MaxPool2d((2, 1)),
            conv(128, 128, 3), nn.MaxPool2d((4, 1)),
        )  # fmt: skip
        self.layer, self.head = nn.LSTM(128, 128, 2, bidirectional=True), nn.Linear(256, 40)

    def forward(self, x):
        y, _ = self.layer(self.images(x)[:, :, 0].permute(2, 0, 1))
        return self.head(y).log_softmax(-1)


def crnn(batch: int) -> Made:
    return Crnn(), (torch.randn(batch, 1, 32, 128),)


class Crf(nn.Module):
    """The sum over all labellings of a chain, in log space."""

    def __init__(self, labels: int = 20) -> None:
        super().__init__()
        self.words, self.layer = nn.Embedding(2000, 64), nn.GRU(64, 64, batch_first=True, bidirectional=True)
        self.scores, self.next = nn.Linear(128, labels), nn.Parameter(torch.randn(labels, labels) * 0.1)

    def forward(self, tokens):
        scores = self.scores(self.layer(self.words(tokens))[0])
        total = scores[:, 0]
        for t in range(1, scores.shape[1]):
            total = torch.logsumexp(total[:, :, None] + self.next, 1) + scores[:, t]
        return total.logsumexp(1)


def crf(batch: int) -> Made:
    return Crf(), (torch.randint(0, 2000, (8 * batch, 32)),)


# ---- sets, tables, points ------------------------------------------------------------------------------------------


class TabTransformer(nn.Module):
    def __init__(self, columns: int = 12, c: int = 32) -> None:
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(100, c) for _ in range(columns))
        layer = nn.TransformerEncoderLayer(c, 8, 4 * c, 0.0, batch_first=True)
        self.layers, self.norm = nn.TransformerEncoder(layer, 3, enable_nested_tensor=False), nn.LayerNorm(8)
        self.head = dense(columns * c + 8, 256, 64, 2)

    def forward(self, names, numbers):
        x = torch.stack([table(names[:, i]) for i, table in enumerate(self.tables)], 1)
        return self.head(torch.cat([self.layers(x).flatten(1), self.norm(numbers)], 1))


def tab_transformer(batch: int) -> Made:
    return TabTransformer(), (torch.randint(0, 100, (64 * batch, 12)), torch.randn(64 * batch, 8))


class EdgeConvolution(nn.Module):
    """A layer of DGCNN: each point and its 16 nearest, by the features of now."""

    def __init__(self, i: int, o: int, near: int = 16) -> None:
        super().__init__()
        self.near, self.layers = near, nn.Sequential(nn.Conv2d(2 * i, o, 1, bias=False), nn.BatchNorm2d(o))

    def forward(self, x):
        b, c, n = x.shape
        norms = x.square().sum(1)
        apart = norms[:, :, None] - 2 * x.transpose(1, 2) @ x + norms[:, None]
        index = apart.topk(self.near, largest=False).indices
        others = x.transpose(1, 2).gather(1, index.view(b, -1, 1).expand(-1, -1, c)).view(b, n, self.near, c)
        own = x.transpose(1, 2)[:, :, None].expand_as(others)
        y = torch.cat([others - own, own], -1).permute(0, 3, 1, 2)
        return F.leaky_relu(self.layers(y), 0.2).amax(-1)


class PointGraph(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(EdgeConvolution(i, o) for i, o in ((3, 32), (32, 64), (64, 128)))
        self.head = dense(224, 128, 40)

    def forward(self, x):
        parts = []
        for layer in self.layers:
            x = layer(x)
            parts.append(x)
        return self.head(torch.cat(parts, 1).amax(2))


def dgcnn(batch: int) -> Made:
    return PointGraph(), (torch.randn(batch, 3, 256),)


class Latents(nn.Module):
    """Perceiver: 32 latents read a long input, then each other, twice."""

    def __init__(self, c: int = 128, inputs: int = 64) -> None:
        super().__init__()
        self.latents = nn.Parameter(torch.randn(32, c) * 0.1)
        self.read = nn.ModuleList(
            nn.MultiheadAttention(c, 4, kdim=inputs, vdim=inputs, batch_first=True) for _ in range(2)
        )
        self.think = nn.ModuleList(
            nn.TransformerEncoderLayer(c, 4, 2 * c, 0.0, batch_first=True, norm_first=True) for _ in range(2)
        )
        self.norms, self.head = nn.ModuleList(nn.LayerNorm(c) for _ in range(2)), nn.Linear(c, 10)

    def forward(self, x):
        y = self.latents.expand(x.shape[0], -1, -1)
        for read, think, norm in zip(self.read, self.think, self.norms, strict=True):
            y = think(y + read(norm(y), x, x, need_weights=False)[0])
        return self.head(y.mean(1))


def perceiver(batch: int) -> Made:
    return Latents(), (torch.randn(batch, 1024, 64),)


class Experts(nn.Module):
    """Top 2 of 4 by products with one-hot masks, as the first mixtures were written for accelerators."""

    def __init__(self, c: int, count: int = 4) -> None:
        super().__init__()
        self.gate, self.norm = nn.Linear(c, count, bias=False), nn.LayerNorm(c)
        self.one, self.two = (nn.Parameter(torch.randn(count, i, o) * 0.05) for i, o in ((c, 2 * c), (2 * c, c)))

    def forward(self, x):
        y = self.norm(x)
        values, index = self.gate(y).softmax(-1).topk(2, -1)
        share = (F.one_hot(index, 4).to(y.dtype) * (values / values.sum(-1, keepdim=True))[..., None]).sum(-2)
        hidden = F.gelu(torch.einsum("bnc,ecd->bned", y, self.one))
        return x + torch.einsum("bned,edc,bne->bnc", hidden, self.two, share.to(hidden.dtype))


def mixture(batch: int) -> Made:
    return nn.Sequential(nn.Linear(64, 128), *(Experts(128) for _ in range(3)), nn.Linear(128, 10)), (
        torch.randn(batch, 128, 64),
    )
