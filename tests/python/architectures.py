"""Small models of many kinds, beyond those of zoo.py: what people export and we had not seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
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
