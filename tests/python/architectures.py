"""Small models of many kinds, beyond those of zoo.py: what people export and we had not seen."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch._higher_order_ops.map import map as map_rows
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop
from torch.nn import functional as F

MODELS: dict[str, tuple[Callable[[], nn.Module], Callable[[], tuple[Any, ...]]]] = {}


def model(make: Callable[[], tuple[Any, ...]]) -> Callable[[type], type]:
    """Lists a class under its name, with what makes its inputs."""

    def mark(kind: type) -> type:
        MODELS[kind.__name__] = (kind, make)
        return kind

    return mark


def tensors(*shape: int) -> Callable[[], tuple[torch.Tensor]]:
    return lambda: (torch.randn(*shape),)


def edges() -> torch.Tensor:
    return torch.tensor([[0, 1, 2, 3, 4, 5, 0, 2, 4], [1, 2, 3, 4, 5, 0, 3, 5, 1]])


@model(tensors(2, 6, 16))
class MoETopK(nn.Module):
    def __init__(self, n=4, k=2, d=16):
        super().__init__()
        self.k = k
        self.n = n
        self.gate = nn.Linear(d, n)
        self.ex = nn.ModuleList(nn.Sequential(nn.Linear(d, 32), nn.SiLU(), nn.Linear(32, d)) for _ in range(n))

    def forward(self, x):
        b, t, d = x.shape
        x = x.reshape(-1, d)
        w, i = torch.topk(F.softmax(self.gate(x), -1), self.k)
        w = w / w.sum(-1, keepdim=True)
        out = torch.zeros_like(x)
        for e in range(self.n):
            m = i == e
            out = out + self.ex[e](x) * (w * m).sum(-1, keepdim=True)
        return out.reshape(b, t, d)


@model(tensors(2, 6, 16))
class MoEBatched(nn.Module):
    def __init__(self):
        super().__init__()
        self.w1 = nn.Parameter(torch.randn(4, 16, 32) * 0.1)
        self.w2 = nn.Parameter(torch.randn(4, 32, 16) * 0.1)
        self.g = nn.Linear(16, 4)

    def forward(self, x):
        x = x.flatten(0, 1)
        g = self.g(x)
        idx = g.argmax(-1)
        h = torch.einsum("td,tdh->th", x, self.w1[idx])
        h = F.gelu(h)
        return torch.einsum("th,thd->td", h, self.w2[idx]) * g.softmax(-1).gather(1, idx[:, None])


@model(tensors(8, 16))
class MoECapacity(nn.Module):
    def __init__(self):
        super().__init__()
        self.g = nn.Linear(16, 4)
        self.w = nn.Parameter(torch.randn(4, 16, 16) * 0.1)

    def forward(self, x):
        p = self.g(x).softmax(-1)
        oh = F.one_hot(p.argmax(-1), 4)
        pos = torch.cumsum(oh, 0) * oh - 1
        cap = 3
        keep = (pos < cap) & (pos >= 0)
        disp = F.one_hot(pos.clamp(0, cap - 1), cap) * keep[..., None]
        d = torch.einsum("tec,td->ecd", disp.float(), x)
        y = torch.bmm(d, self.w)
        return torch.einsum("tec,ecd->td", disp * p[..., None], y)


@model(tensors(2, 7, 8))
class Mamba(nn.Module):
    def __init__(self, d=8, n=4, e=16):
        super().__init__()
        self.inp = nn.Linear(d, 2 * e)
        self.conv = nn.Conv1d(e, e, 4, padding=3, groups=e)
        self.xp = nn.Linear(e, 2 * n + 1)
        self.dt = nn.Linear(1, e)
        self.A = nn.Parameter(torch.rand(e, n))
        self.D = nn.Parameter(torch.ones(e))
        self.out = nn.Linear(e, d)
        self.n = n

    def forward(self, x):
        b, low, _ = x.shape
        u, z = self.inp(x).chunk(2, -1)
        u = F.silu(self.conv(u.transpose(1, 2))[..., :low].transpose(1, 2))
        dt, B, C = self.xp(u).split([1, self.n, self.n], -1)
        dt = F.softplus(self.dt(dt))
        A = -torch.exp(self.A)
        dA = torch.exp(dt[..., None] * A)
        dBu = dt[..., None] * B[:, :, None] * u[..., None]
        h = torch.zeros(b, u.shape[-1], self.n)
        ys = []
        for t in range(low):
            h = dA[:, t] * h + dBu[:, t]
            ys.append((h * C[:, t, None]).sum(-1))
        return self.out((torch.stack(ys, 1) + u * self.D) * F.silu(z))


@model(tensors(2, 9, 4))
class S4Conv(nn.Module):
    def __init__(self):
        super().__init__()
        self.lam = nn.Parameter(torch.randn(4, 6))
        self.c = nn.Parameter(torch.randn(4, 6))

    def forward(self, x):
        low = x.shape[1]
        t = torch.arange(low)
        k = (self.c[..., None] * torch.exp(-F.softplus(self.lam)[..., None] * t)).sum(1)
        kf = torch.fft.rfft(k, n=2 * low)
        xf = torch.fft.rfft(x.transpose(1, 2), n=2 * low)
        return torch.fft.irfft(xf * kf, n=2 * low)[..., :low].transpose(1, 2)


@model(tensors(2, 7, 8))
class RWKVLike(nn.Module):
    def __init__(self):
        super().__init__()
        self.k = nn.Linear(8, 8)
        self.v = nn.Linear(8, 8)
        self.r = nn.Linear(8, 8)
        self.w = nn.Parameter(torch.rand(8))
        self.mix = nn.Parameter(torch.rand(8))

    def forward(self, x):
        prev = F.pad(x, (0, 0, 1, -1))
        x = x * self.mix + prev * (1 - self.mix)
        k, v, r = (self.k(x), self.v(x), torch.sigmoid(self.r(x)))
        num = torch.zeros_like(x[:, 0])
        den = num
        out = []
        for t in range(x.shape[1]):
            e = torch.exp(k[:, t])
            num = num * torch.exp(-self.w) + e * v[:, t]
            den = den * torch.exp(-self.w) + e
            out.append(r[:, t] * num / den)
        return torch.stack(out, 1)


@model(tensors(2, 6, 8))
class LinearAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q = nn.Linear(8, 8)
        self.kv = nn.Linear(8, 16)

    def forward(self, x):
        q = F.elu(self.q(x)) + 1
        k, v = self.kv(x).chunk(2, -1)
        k = F.elu(k) + 1
        kv = torch.einsum("btd,bte->btde", k, v).cumsum(1)
        z = k.cumsum(1)
        return torch.einsum("btd,btde->bte", q, kv) / (q * z).sum(-1, keepdim=True)


@model(tensors(2, 6, 8))
class DecayScan(nn.Module):
    def forward(self, x):
        a = torch.sigmoid(x)
        la = torch.cumsum(torch.log(a), 1)
        return torch.exp(la) * torch.cumsum(x * torch.exp(-la), 1) + torch.logcumsumexp(x, 1)


@model(tensors(2, 400))
class Spectrogram(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("w", torch.hann_window(64))
        self.mel = nn.Linear(33, 10, bias=False)

    def forward(self, x):
        z = torch.stft(x, 64, 16, window=self.w, return_complex=True, center=True)
        p = z.abs().pow(2)
        return torch.log1p(self.mel(p.transpose(1, 2)).abs())


@model(tensors(2, 400))
class StftIstft(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("w", torch.hann_window(64))

    def forward(self, x):
        z = torch.stft(x, 64, 16, window=self.w, return_complex=True)
        return torch.istft(z, 64, 16, window=self.w, length=400)


@model(tensors(2, 1, 200))
class WaveNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.i = nn.Conv1d(1, 8, 1)
        self.f = nn.ModuleList(nn.Conv1d(8, 16, 2, dilation=2**i) for i in range(4))
        self.o = nn.ModuleList(nn.Conv1d(8, 8, 1) for i in range(4))

    def forward(self, x):
        x = self.i(x)
        skip = 0
        for i, (f, o) in enumerate(zip(self.f, self.o, strict=True)):
            h = f(F.pad(x, (2**i, 0)))
            a, b = h.chunk(2, 1)
            h = o(torch.tanh(a) * torch.sigmoid(b))
            skip = skip + h
            x = x + h
        return F.relu(skip)


@model(tensors(2, 8, 30))
class Vocoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.u = nn.ConvTranspose1d(8, 4, 8, 4, 2)
        self.u2 = nn.ConvTranspose1d(4, 4, 4, 2, 1, output_padding=1, groups=2)
        self.c = nn.utils.parametrizations.weight_norm(nn.Conv1d(4, 1, 7, padding=3, padding_mode="reflect"))

    def forward(self, x):
        return torch.tanh(self.c(F.leaky_relu(self.u2(F.leaky_relu(self.u(x), 0.1)), 0.1)))


@model(tensors(2, 1, 160))
class Conformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.c = nn.Conv1d(1, 16, 10, 5)
        self.gn = nn.GroupNorm(16, 16)
        self.pw = nn.Conv1d(16, 32, 1)
        self.dw = nn.Conv1d(16, 16, 7, padding=3, groups=16)
        self.bn = nn.BatchNorm1d(16)
        self.at = nn.MultiheadAttention(16, 4, batch_first=True)

    def forward(self, x):
        x = self.gn(self.c(x))
        h = F.glu(self.pw(x), 1)
        h = F.silu(self.bn(self.dw(h)))
        y = (x + h).transpose(1, 2)
        return self.at(y, y, y, need_weights=False)[0]


@model(lambda: (torch.randn(2, 20, 8), torch.tensor([20, 13])))
class CTCHead(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.LSTM(8, 6, 2, batch_first=True, bidirectional=True)
        self.o = nn.Linear(12, 5)

    def forward(self, x, n):
        y = self.o(self.l(x)[0]).log_softmax(-1)
        m = torch.arange(20)[None] < n[:, None]
        return (y.masked_fill(~m[..., None], 0.0), y.argmax(-1))


@model(lambda: (torch.randn(2, 8, 12, 12), torch.rand(2, 5, 4)))
class RoiGrid(nn.Module):
    def forward(self, f, b):
        n, k = b.shape[:2]
        y, x = torch.meshgrid(torch.linspace(-1, 1, 4), torch.linspace(-1, 1, 4), indexing="ij")
        g = torch.stack([x, y], -1)[None, None]
        c = b[..., :2] * 2 - 1
        sz = b[..., 2:]
        g = (g * sz[:, :, None, None] + c[:, :, None, None]).reshape(n * k, 4, 4, 2)
        ff = f.repeat_interleave(k, 0)
        return F.grid_sample(ff, g, align_corners=False).reshape(n, k, 8, 4, 4)


@model(tensors(1, 3, 32, 32))
class AnchorHead(nn.Module):
    def __init__(self):
        super().__init__()
        self.c = nn.Conv2d(3, 8, 3, 4, 1)
        self.cls = nn.Conv2d(8, 6, 1)
        self.box = nn.Conv2d(8, 12, 1)

    def forward(self, x):
        f = F.relu(self.c(x))
        n, _, h, w = f.shape
        c = self.cls(f).view(n, 3, 2, h, w).permute(0, 3, 4, 1, 2).reshape(n, -1, 2)
        b = self.box(f).view(n, 3, 4, h, w).permute(0, 3, 4, 1, 2).reshape(n, -1, 4)
        ys, xs = torch.meshgrid(torch.arange(h) * 4.0, torch.arange(w) * 4.0, indexing="ij")
        a = torch.stack([xs, ys], -1).reshape(-1, 1, 2).expand(-1, 3, 2).reshape(-1, 2)
        xy = b[..., :2] * 8 + a
        wh = torch.exp(b[..., 2:].clamp(max=4)) * 8
        box = torch.cat([xy - wh / 2, xy + wh / 2], -1)
        s_, i = c.softmax(-1)[..., 1].topk(10)
        return (s_, box.gather(1, i[..., None].expand(-1, -1, 4)))


@model(lambda: (torch.rand(20, 4) * 10, torch.rand(20)))
class SoftNMS(nn.Module):
    def forward(self, b, sc):
        b = torch.cat([b[:, :2], b[:, :2] + b[:, 2:]], 1)
        o = sc.argsort(descending=True)
        b = b[o]
        sc = sc[o]
        lt = torch.maximum(b[:, None, :2], b[None, :, :2])
        rb = torch.minimum(b[:, None, 2:], b[None, :, 2:])
        wh = (rb - lt).clamp(min=0)
        inter = wh.prod(-1)
        ar = (b[:, 2:] - b[:, :2]).prod(-1)
        iou = inter / (ar[:, None] + ar - inter)
        iou = torch.triu(iou, 1)
        mx = iou.max(0).values
        return (sc * torch.exp(-(iou**2).max(0).values / 0.5), mx < 0.5)


@model(tensors(2, 3, 32, 32))
class FPN(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(3, 8, 3, 2, 1)
        self.b = nn.Conv2d(8, 8, 3, 2, 1)
        self.c = nn.Conv2d(8, 8, 3, 2, 1)
        self.l = nn.Conv2d(8, 8, 1)

    def forward(self, x):
        a = F.relu(self.a(x))
        b = F.relu(self.b(a))
        c = F.relu(self.c(b))
        p3 = self.l(c)
        p2 = self.l(b) + F.interpolate(p3, size=b.shape[-2:], mode="nearest")
        p1 = self.l(a) + F.interpolate(p2, scale_factor=2.0, mode="bilinear", align_corners=False)
        return (p1, p2, p3, F.max_pool2d(p3, 1, 2))


@model(tensors(2, 16, 8, 8))
class Deformable(nn.Module):
    def __init__(self):
        super().__init__()
        self.off = nn.Conv2d(16, 18, 3, padding=1)
        self.w = nn.Parameter(torch.randn(4, 16, 9) * 0.1)

    def forward(self, x):
        n, _c, h, w = x.shape
        o = self.off(x).view(n, 9, 2, h, w) * 0.1
        ky, kx = torch.meshgrid(torch.arange(-1, 2), torch.arange(-1, 2), indexing="ij")
        ys, xs = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
        out = []
        for k in range(9):
            gy = (ys + ky.flatten()[k] + o[:, k, 0]) / (h - 1) * 2 - 1
            gx = (xs + kx.flatten()[k] + o[:, k, 1]) / (w - 1) * 2 - 1
            out.append(F.grid_sample(x, torch.stack([gx, gy], -1), align_corners=True, padding_mode="border"))
        return torch.einsum("nckhw,ock->nohw", torch.stack(out, 2), self.w)


@model(tensors(2, 3, 16, 16))
class MobileV3(nn.Module):
    def __init__(self):
        super().__init__()
        self.e = nn.Conv2d(3, 16, 1)
        self.d = nn.Conv2d(16, 16, 5, 2, 2, groups=16)
        self.bn = nn.BatchNorm2d(16)
        self.se1 = nn.Conv2d(16, 4, 1)
        self.se2 = nn.Conv2d(4, 16, 1)
        self.p = nn.Conv2d(16, 8, 1)

    def forward(self, x):
        x = F.hardswish(self.bn(self.d(F.hardswish(self.e(x)))))
        w = F.adaptive_avg_pool2d(x, 1)
        w = F.hardsigmoid(self.se2(F.relu6(self.se1(w))))
        return self.p(x * w)


@model(tensors(2, 8, 16, 16))
class SwinBlock(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(8, 24)
        self.rel = nn.Parameter(torch.randn(49, 2))
        i = torch.stack(torch.meshgrid(torch.arange(4), torch.arange(4), indexing="ij")).flatten(1)
        d = i[:, :, None] - i[:, None]
        d = d + 3
        self.register_buffer("idx", d[0] * 7 + d[1])
        self.n = nn.LayerNorm(8)

    def forward(self, x):
        x = self.n(x.permute(0, 2, 3, 1))
        x = torch.roll(x, (-2, -2), (1, 2))
        b, h, w, c = x.shape
        x = x.view(b, 4, 4, 4, 4, c).permute(0, 1, 3, 2, 4, 5).reshape(-1, 16, c)
        q, k, v = self.qkv(x).view(-1, 16, 3, 2, 4).permute(2, 0, 3, 1, 4).unbind(0)
        a = q @ k.transpose(-1, -2) * 0.5 + self.rel[self.idx.view(-1)].view(16, 16, 2).permute(2, 0, 1)
        y = (a.softmax(-1) @ v).transpose(1, 2).reshape(b, 4, 4, 4, 4, c).permute(0, 1, 3, 2, 4, 5).reshape(b, h, w, c)
        return torch.roll(y, (2, 2), (1, 2))


@model(tensors(2, 4, 9, 9))
class PixelShuffleSR(nn.Module):
    def __init__(self):
        super().__init__()
        self.c = nn.Conv2d(4, 36, 3, padding=1)
        self.p = nn.PReLU(36)

    def forward(self, x):
        return (
            F.pixel_unshuffle(F.pixel_shuffle(self.p(self.c(x)), 3), 3),
            F.interpolate(x, scale_factor=1.5, mode="bicubic"),
            F.interpolate(x, size=5, mode="area"),
            F.interpolate(x, size=(13, 5), mode="nearest-exact"),
        )


@model(tensors(1, 2, 6, 8, 8))
class Video3D(nn.Module):
    def __init__(self):
        super().__init__()
        self.c = nn.Conv3d(2, 4, 3, padding=1)
        self.b = nn.BatchNorm3d(4)
        self.t = nn.ConvTranspose3d(4, 2, 2, 2)

    def forward(self, x):
        y = F.relu(self.b(self.c(x)))
        return (
            self.t(F.max_pool3d(y, 2)),
            F.avg_pool3d(y, (1, 2, 2)),
            F.adaptive_avg_pool3d(y, (2, 3, 3)),
            F.interpolate(y, scale_factor=2, mode="trilinear"),
        )


@model(tensors(2, 3, 16, 16))
class Pools(nn.Module):
    def forward(self, x):
        return (
            F.max_pool2d(x, 3, 2, 1, ceil_mode=True),
            F.avg_pool2d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False),
            F.lp_pool2d(x.abs(), 2, 2),
            F.adaptive_max_pool2d(x, (5, 7)),
            F.max_pool2d(x, 2, return_indices=True)[1],
            F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2),
            F.fold(F.unfold(x, 3, padding=1), (16, 16), 3, padding=1),
        )


@model(tensors(2, 3, 16, 16))
class Norms(nn.Module):
    def __init__(self):
        super().__init__()
        self.i = nn.InstanceNorm2d(3, affine=True)
        self.g = nn.GroupNorm(3, 3)
        self.l = nn.LocalResponseNorm(2)
        self.rms = nn.RMSNorm(16)
        self.sp = nn.utils.parametrizations.spectral_norm(nn.Linear(16, 4))

    def forward(self, x):
        return (self.i(x), self.g(x), self.l(x), self.rms(x), self.sp(x), F.normalize(x, dim=1))


@model(tensors(2, 3, 16, 16))
class Pads(nn.Module):
    def forward(self, x):
        return (
            F.pad(x, (1, 2, 3, 4), "reflect"),
            F.pad(x, (1, 2, 3, 4), "replicate"),
            F.pad(x, (1, 2, 3, 4), "circular"),
            F.pad(x, (1, -2), value=3.0),
        )


@model(tensors(2, 3, 8, 8))
class STN(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(3, 6)

    def forward(self, x):
        t = self.l(x.mean((2, 3))).view(-1, 2, 3)
        g = F.affine_grid(t, x.shape, align_corners=False)
        return (
            F.grid_sample(x, g, mode="bilinear", padding_mode="reflection", align_corners=False),
            F.grid_sample(x, g, mode="nearest", align_corners=False),
        )


@model(lambda: (torch.randn(6, 8), edges()))
class GCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(8, 8)
        self.b = nn.Linear(8, 4)

    def forward(self, x, e):
        deg = torch.zeros(6).scatter_add(0, e[1], torch.ones(9)) + 1
        n = deg.rsqrt()
        for low in (self.a, self.b):
            h = low(x)
            m = h[e[0]] * (n[e[0]] * n[e[1]])[:, None]
            x = F.relu(torch.zeros_like(h).index_add(0, e[1], m) + h / deg[:, None])
        return x


@model(lambda: (torch.randn(6, 8), edges()))
class GAT(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Linear(8, 8)
        self.a = nn.Linear(16, 1)

    def forward(self, x, e):
        h = self.w(x)
        z = F.leaky_relu(self.a(torch.cat([h[e[0]], h[e[1]]], 1)).squeeze(1), 0.2)
        mx = torch.full((6,), -1000000000.0).scatter_reduce(0, e[1], z, "amax")
        z = torch.exp(z - mx[e[1]])
        d = torch.zeros(6).index_add(0, e[1], z)
        return torch.zeros(6, 8).index_add(0, e[1], h[e[0]] * (z / d[e[1]])[:, None])


@model(lambda: (torch.randn(6, 8), edges()))
class ScatterReduces(nn.Module):
    def forward(self, x, e):
        i = e[1][:, None].expand(-1, 8)
        src = x[e[0]]
        return tuple(
            torch.zeros(6, 8).scatter_reduce(0, i, src, m, include_self=inc)
            for m in ("sum", "mean", "amax", "amin", "prod")
            for inc in (True, False)
        )


@model(lambda: (torch.randn(6, 8), edges()))
class GraphPool(nn.Module):
    def forward(self, x, e):
        b = torch.tensor([0, 0, 0, 1, 1, 1])
        return (
            torch.zeros(2, 8).index_reduce(0, b, x, "mean", include_self=False),
            torch.zeros(6, 6).index_put((e[0], e[1]), torch.ones(9), accumulate=True) @ x,
        )


@model(lambda: (torch.randn(6, 3), torch.randn(6, 8)))
class PointNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.m = nn.Linear(11, 16)

    def forward(self, p, f):
        d = torch.cdist(p, p)
        i = d.topk(3, largest=False).indices
        g = torch.cat([p[i] - p[:, None], f[i]], -1)
        return (self.m(g).max(1).values, d)


@model(lambda: (torch.randint(0, 30, (12,)), torch.tensor([0, 3, 3, 7]), torch.rand(12)))
class Bags(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.EmbeddingBag(30, 4, mode="sum")
        self.b = nn.EmbeddingBag(30, 4, mode="mean")
        self.c = nn.EmbeddingBag(30, 4, mode="max")
        self.d = nn.EmbeddingBag(30, 4, mode="sum", include_last_offset=True)

    def forward(self, x, o, w):
        return (self.a(x, o, w), self.b(x, o), self.c(x, o))


@model(lambda: (torch.randint(0, 20, (5, 6)), torch.randn(5, 4)))
class DLRM(nn.Module):
    def __init__(self):
        super().__init__()
        self.e = nn.ModuleList(nn.Embedding(20, 8, padding_idx=0, max_norm=None) for _ in range(6))
        self.d = nn.Linear(4, 8)
        self.o = nn.Linear(21 + 8, 1)

    def forward(self, c, x):
        d = F.relu(self.d(x))
        v = torch.stack([d] + [e(c[:, i]) for i, e in enumerate(self.e)], 1)
        z = torch.bmm(v, v.transpose(1, 2))
        i, j = torch.tril_indices(7, 7, -1)
        return torch.sigmoid(self.o(torch.cat([d, z[:, i, j]], 1)))


@model(lambda: (torch.randint(0, 20, (5, 6)),))
class FM(nn.Module):
    def __init__(self):
        super().__init__()
        self.e = nn.Embedding(20, 8)
        self.w = nn.Embedding(20, 1)

    def forward(self, c):
        v = self.e(c)
        return self.w(c).sum((1, 2)) + 0.5 * (v.sum(1).pow(2) - v.pow(2).sum(1)).sum(1)


@model(lambda: (torch.tensor([[1, 2, 3, 0, 0], [4, 5, 0, 0, 0]]),))
class TransformerMasked(nn.Module):
    def __init__(self):
        super().__init__()
        self.e = nn.Embedding(9, 16, padding_idx=0)
        self.t = nn.TransformerEncoder(
            nn.TransformerEncoderLayer(16, 4, 32, batch_first=True, norm_first=True), 2, enable_nested_tensor=False
        )

    def forward(self, x):
        return self.t(self.e(x), src_key_padding_mask=x == 0)


@model(lambda: (torch.randn(2, 4, 6, 8), torch.randn(2, 2, 9, 8), torch.randn(2, 2, 9, 8)))
class Attentions(nn.Module):
    def forward(self, q, k, v):
        m = torch.ones(6, 9, dtype=torch.bool).tril(3)
        return (
            F.scaled_dot_product_attention(q, k, v, enable_gqa=True),
            F.scaled_dot_product_attention(q, k.repeat(1, 2, 1, 1), v.repeat(1, 2, 1, 1), attn_mask=m),
            F.scaled_dot_product_attention(q, k.repeat(1, 2, 1, 1), v.repeat(1, 2, 1, 1), is_causal=True, scale=0.3),
        )


@model(lambda: (torch.randint(0, 50, (2, 8)),))
class LlamaLike(nn.Module):
    def __init__(self):
        super().__init__()
        self.e = nn.Embedding(50, 16)
        self.q = nn.Linear(16, 16, bias=False)
        self.kv = nn.Linear(16, 16, bias=False)
        self.o = nn.Linear(16, 16, bias=False)
        self.n = nn.RMSNorm(16)
        self.g = nn.Linear(16, 64, bias=False)
        self.d = nn.Linear(32, 16, bias=False)

    def rope(self, x):
        t = torch.arange(x.shape[2])
        f = 1 / 10000 ** (torch.arange(0, 4, 2) / 4)
        a = torch.outer(t, f)
        c = torch.polar(torch.ones_like(a), a)
        z = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
        return torch.view_as_real(z * c).flatten(3)

    def forward(self, i):
        x = self.e(i)
        b, t, _ = x.shape
        h = self.n(x)
        q = self.q(h).view(b, t, 4, 4).transpose(1, 2)
        k, v = self.kv(h).view(b, t, 2, 2, 4).unbind(2)
        q = self.rope(q)
        k = self.rope(k.transpose(1, 2)).repeat_interleave(2, 1)
        v = v.transpose(1, 2)[:, :, None].expand(-1, -1, 2, -1, -1).reshape(b, 4, t, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.o(y.transpose(1, 2).reshape(b, t, -1))
        a, g = self.g(self.n(x)).chunk(2, -1)
        return (x + self.d(F.silu(a) * g)) @ self.e.weight.T


@model(lambda: (torch.randint(0, 50, (2, 8)),))
class Alibi(nn.Module):
    def __init__(self):
        super().__init__()
        self.e = nn.Embedding(50, 16)

    def forward(self, i):
        x = self.e(i)
        t = x.shape[1]
        sl = torch.tensor([2.0 ** (-(k + 1)) for k in range(4)])
        p = torch.arange(t)
        bias = -(p[:, None] - p[None]).abs() * sl[:, None, None]
        q = x.view(2, t, 4, 4).transpose(1, 2)
        a = q @ q.mT / 2 + bias
        a = a.masked_fill(torch.triu(torch.ones(t, t, dtype=torch.bool), 1), float("-inf"))
        return (a.softmax(-1) @ q).transpose(1, 2).flatten(2)


@model(lambda: (torch.randn(3, 10, 4),))
class RNNs(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.RNN(4, 5, 2, nonlinearity="relu", batch_first=True)
        self.b = nn.GRU(5, 6, bidirectional=True, batch_first=True)
        self.c = nn.LSTM(12, 7, proj_size=3, batch_first=True)
        self.d = nn.LSTMCell(3, 4)
        self.e = nn.GRUCell(4, 4)

    def forward(self, x):
        x, h = self.a(x)
        x, g = self.b(x)
        x, (u, v) = self.c(x)
        h2, c2 = self.d(x[:, -1])
        return (x, h, g, u, v, self.e(h2, c2))


@model(lambda: (torch.randn(2, 8),))
class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.e = nn.Linear(8, 6)
        self.d = nn.Linear(3, 8)

    def forward(self, x):
        m, low = self.e(x).chunk(2, 1)
        z = m + torch.exp(0.5 * low) * 0.3
        return (
            self.d(z),
            -0.5 * torch.mean(1 + low - m**2 - low.exp()),
            F.binary_cross_entropy_with_logits(self.d(z), torch.sigmoid(x)),
            F.kl_div(z.log_softmax(1), m.softmax(1), reduction="batchmean"),
        )


@model(lambda: (torch.randn(2, 6),))
class Flow(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.linalg.qr(torch.randn(6, 6))[0])
        self.n = nn.Linear(3, 6)

    def forward(self, x):
        x = x @ self.w
        a, b = x.chunk(2, 1)
        t, low = self.n(a).chunk(2, 1)
        y = b * torch.exp(torch.tanh(low)) + t
        return (
            torch.cat([a, y], 1),
            torch.slogdet(self.w)[1] + torch.tanh(low).sum(1),
            torch.linalg.solve(self.w, x.T),
            torch.inverse(self.w),
            torch.linalg.det(self.w),
        )


@model(lambda: (torch.randn(4, 5),))
class LinAlg(nn.Module):
    def forward(self, x):
        a = x @ x.T + 5 * torch.eye(4)
        return (
            torch.linalg.cholesky(a),
            torch.linalg.eigvalsh(a),
            torch.linalg.svdvals(x),
            torch.linalg.pinv(x),
            torch.linalg.matrix_norm(x),
            torch.trace(a),
            torch.diag(a),
            torch.kron(x, x[:2]),
            torch.cholesky_solve(x, torch.linalg.cholesky(a)),
            torch.matrix_exp(a * 0.01),
        )


@model(lambda: (torch.randn(2, 3, 4),))
class Diffusion(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = nn.Conv1d(3, 3, 3, padding=1)
        self.register_buffer("beta", torch.linspace(0.0001, 0.02, 10))
        self.m = nn.Linear(8, 3)

    def forward(self, x):
        a = torch.cumprod(1 - self.beta, 0)
        for t in range(9, -1, -3):
            f = torch.exp(-math.log(10000.0) * torch.arange(4) / 4) * t
            e = torch.cat([f.sin(), f.cos()])
            eps = self.n(x) + self.m(e)[:, None]
            x = (x - (1 - a[t]).sqrt() * eps) / a[t].sqrt()
        return x


@model(lambda: (torch.randn(5, 3),))
class NeRF(nn.Module):
    def __init__(self):
        super().__init__()
        self.m = nn.Sequential(nn.Linear(21, 16), nn.Softplus(), nn.Linear(16, 4))

    def forward(self, x):
        enc = torch.cat([x] + [f(x * 2.0**i) for i in range(3) for f in (torch.sin, torch.cos)], -1)
        o = self.m(enc)
        al = 1 - torch.exp(-F.relu(o[:, 3]))
        T = torch.cumprod(torch.cat([torch.ones(1), 1 - al + 1e-10]), 0)[:-1]
        return ((al * T)[:, None] * torch.sigmoid(o[:, :3])).sum(0)


@model(lambda: (torch.randn(8, 4), torch.randn(8, 4)))
class Losses(nn.Module):
    def forward(self, a, b):
        t = a.argmax(1)
        return (
            F.cross_entropy(a, t, label_smoothing=0.1),
            F.nll_loss(a.log_softmax(1), t),
            F.smooth_l1_loss(a, b),
            F.huber_loss(a, b),
            F.cosine_similarity(a, b),
            F.triplet_margin_loss(a, b, a.flip(0)),
            F.margin_ranking_loss(a[:, 0], b[:, 0], torch.sign(a[:, 1])),
            F.poisson_nll_loss(a, b.exp()),
            F.multilabel_soft_margin_loss(a, (b > 0).float()),
            F.hinge_embedding_loss(a, torch.sign(b)),
            F.soft_margin_loss(a, torch.sign(b)),
            F.multi_margin_loss(a, t),
            F.mse_loss(a, b, reduction="sum"),
        )


@model(tensors(3, 4))
class Cond(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 4)

    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: self.a(x).relu(), lambda x: x.sin() * 2, (x,))


@model(tensors(3, 4))
class While(nn.Module):
    def forward(self, x):
        return while_loop(lambda i, x: i < 5, lambda i, x: (i + 1, x * 0.9 + 1), (torch.tensor(0), x))


@model(tensors(6, 4))
class Scan(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Linear(4, 4)

    def forward(self, x):
        return scan(lambda c, x: (torch.tanh(self.w(c) + x), c * 2), torch.zeros(4), x)


@model(tensors(6, 4))
class Map(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Linear(4, 3)

    def forward(self, x):
        return map_rows(lambda x: self.w(x).softmax(-1), x)


@model(tensors(6, 4))
class Checkpointed(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Linear(4, 4)

    def forward(self, x):
        return torch.utils.checkpoint.checkpoint(lambda x: torch.relu(self.w(x)), x, use_reentrant=False)


@model(lambda: ({"a": torch.randn(2, 3), "b": [torch.randn(2, 3), torch.randn(3)]},))
class Trees(nn.Module):
    def forward(self, d):
        return {"x": d["a"] + d["b"][1], "y": (d["b"][0], d["a"].sum())}


@model(lambda: (torch.randn(4, 6), torch.randint(0, 6, (4, 3))))
class Indexing(nn.Module):
    def forward(self, x, i):
        return (
            x[torch.arange(4)[:, None], i],
            x[:, [0, 2, 5]],
            x[..., None, 1::2],
            x[-1],
            x.gather(1, i),
            torch.take_along_dim(x, i, 1),
            x.scatter(1, i, 0.0),
            torch.where(x > 0, x, -x),
            x.index_select(1, i[0]),
            torch.searchsorted(x.sort(1).values, x),
            torch.bucketize(x, torch.tensor([-1.0, 0, 1])),
            x.unfold(1, 3, 2),
            torch.tril(x),
            x.roll(2, 1),
            x.flip(1),
            torch.rot90(x),
            x.masked_fill(x < 0, 9),
            x.expand(2, 4, 6).contiguous(),
            torch.select_scatter(x, x[0], 0, 1),
            x.diagonal(),
            torch.diag_embed(x),
            x.cummax(1).values,
            x.median(1).values,
            x.kthvalue(2, 1).values,
            x.mode(1).values,
            torch.topk(x, 2)[1],
            x.sort(1, descending=True)[0],
            x.argsort(1),
        )


@model(lambda: (torch.randn(4, 6), torch.randint(1, 9, (4, 6))))
class Maths(nn.Module):
    def forward(self, x, i):
        return (
            torch.special.erfinv(x.tanh()),
            torch.lgamma(x.abs() + 1),
            torch.digamma(x.abs() + 1),
            x.erf(),
            torch.special.i0(x),
            x.frac(),
            x.fmod(0.7),
            torch.remainder(x, 0.7),
            torch.atan2(x, x + 1),
            torch.hypot(x, x),
            x.logit(0.001),
            torch.expm1(x),
            x.sinc(),
            torch.heaviside(x, x),
            i // 2,
            i % 3,
            i << 1,
            i & 3,
            i ^ 5,
            torch.gcd(i, i + 2),
            torch.div(i, 2, rounding_mode="floor"),
            torch.float_power(x.abs(), 1.5),
            torch.addcmul(x, x, x, value=0.3),
            torch.lerp(x, -x, 0.2),
            x.clamp(-0.5, 0.5),
            torch.nan_to_num(x / 0),
            x.std(1),
            x.var(0, correction=0),
            x.logsumexp(1),
            x.norm(3, 1),
            x.prod(1),
            *x.aminmax(dim=1),
            torch.count_nonzero(i > 3, 1),
            torch.histc(x, 5, -2, 2),
            torch.trapezoid(x),
            x.diff(dim=1),
            torch.cross(x[:, :3], x[:, 3:], 1),
            torch.cartesian_prod(x[0], x[1]),
            torch.block_diag(x, x),
            torch.vander(x[0]),
            torch.tensordot(x, x, ([0], [0])),
            torch.einsum("ij,kj->ik", x, x),
            x.to(torch.float64).sum(),
            x.bfloat16() * 2,
            x.half() + 1,
            i.to(torch.int32) * 3,
            torch.polygamma(1, x.abs() + 1),
        )


@model(lambda: (torch.randn(4, 8),))
class Complex(nn.Module):
    def forward(self, x):
        z = torch.complex(x, x.flip(1))
        return (
            torch.view_as_real(torch.fft.fft(z)),
            torch.fft.ifft2(torch.fft.fft2(z)).real,
            z.abs(),
            z.angle(),
            (z * z.conj()).real,
            torch.fft.fftshift(x),
            torch.view_as_real(z @ z.mT),
            torch.exp(z).imag,
        )


@model(lambda: (torch.randn(4, 8),))
class Quantish(nn.Module):
    def forward(self, x):
        sc = x.abs().amax(1, keepdim=True) / 127
        q = (x / sc).round().clamp(-128, 127).to(torch.int8)
        w = torch.arange(-8, 8, dtype=torch.int8).view(8, 2)
        y = q.to(torch.int32) @ w.to(torch.int32)
        return (y.float() * sc, torch.fake_quantize_per_tensor_affine(x, 0.1, 3, -128, 127))


@model(lambda: (torch.randn(4, 5), torch.randn(3, 2)))
class Composites(nn.Module):
    """Ops that PyTorch writes with others and that an export leaves whole."""

    def forward(self, x, y):
        square = x @ x.T + 3 * torch.eye(4)
        return (
            *(torch.kron(x, y), torch.kron(x[0], y)),
            *(torch.trapezoid(x), torch.trapezoid(x, dx=0.5, dim=0), torch.cumulative_trapezoid(x, torch.arange(5.0))),
            *(torch.linalg.vecdot(x, x), torch.chain_matmul(x, x.T, x), torch.slogdet(square)[1], torch.logdet(square)),
            *(torch.linalg.svdvals(x), torch.linalg.pinv(x), torch.linalg.pinv(x, rtol=0.1), torch.pinverse(y)),
            *(torch.linalg.matrix_norm(x), torch.linalg.matrix_norm(x, 1), torch.linalg.matrix_norm(x, 2)),
            *(torch.linalg.matrix_norm(x, "nuc", keepdim=True), torch.linalg.norm(x), torch.linalg.norm(x, 3, 1)),
            *(torch.linalg.norm(x, -float("inf")), torch.nuclear_norm(x), torch.linalg.cond(square)),
            *(torch.linalg.matrix_rank(x[:, :1] @ x[:1]), torch.matrix_exp(square * 0.1)),
            *(torch.fft.hfft2(torch.complex(x, x)), torch.view_as_real(torch.fft.ihfft2(x))),
            *(F.conv2d(x[None, None], y[None, None], padding="same"), torch.fft.hfft(torch.complex(y, y))),
            torch.fake_quantize_per_tensor_affine(x, 0.1, 3, -128, 127),
            torch.fake_quantize_per_channel_affine(x, torch.rand(4).abs() * 0 + 0.2, torch.zeros(4), 0, -8, 7),
        )


@model(tensors(2, 300))
class ShortTime(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(48))

    def forward(self, x):
        settings = {"win_length": 48, "window": self.window}
        wave = torch.stft(x, 64, 16, return_complex=True, **settings)
        whole = torch.stft(x[0], 64, return_complex=True, center=False, normalized=True, onesided=False, **settings)
        back = torch.istft(wave, 64, 16, length=290, **settings)
        return wave.abs(), torch.view_as_real(whole), back, torch.view_as_real(torch.stft(x, 32, return_complex=True))
