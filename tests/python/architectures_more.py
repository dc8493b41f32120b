"""More of architectures.py: graphs, embeddings, attention, linear algebra, losses, control flow, and ops one by one."""

from __future__ import annotations

import math

import torch
from architectures import model, tensors
from torch import nn
from torch._higher_order_ops.map import map as map_rows
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop
from torch.nn import functional as F


def edges() -> torch.Tensor:
    return torch.tensor([[0, 1, 2, 3, 4, 5, 0, 2, 4], [1, 2, 3, 4, 5, 0, 3, 5, 1]])


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
