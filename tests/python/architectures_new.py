"""More of architectures.py: capsules, relative positions, caches, frequency space, flows, decoders, heads."""

from __future__ import annotations

import math

import torch
from architectures import MODELS, model, tensors
from torch import nn
from torch.nn import functional as F

BEFORE = set(MODELS)


@model(tensors(2, 1, 20, 20))
class CapsNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv2d(1, 16, 9), nn.Conv2d(16, 16, 5, 2)
        self.route = nn.Parameter(torch.randn(32, 5, 6, 8) * 0.1)

    @staticmethod
    def squash(x):
        size = (x**2).sum(-1, keepdim=True)
        return size / (1 + size) * x / (size + 1e-8).sqrt()

    def forward(self, x):
        u = self.squash(self.second(self.first(x).relu()).view(x.shape[0], -1, 8))
        hat = torch.einsum("iodc,bic->biod", self.route, u)
        b = torch.zeros_like(hat[..., 0])
        for _ in range(3):
            v = self.squash((b.softmax(2).unsqueeze(-1) * hat).sum(1))
            b = b + (hat * v.unsqueeze(1)).sum(-1)
        return v.norm(dim=-1)


@model(tensors(2, 10, 16))
class T5Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(16, 16, bias=False) for _ in range(4))
        self.bias = nn.Embedding(8, 2)
        self.wi0, self.wi1, self.wo = (
            nn.Linear(16, 32, bias=False),
            nn.Linear(16, 32, bias=False),
            nn.Linear(32, 16, bias=False),
        )
        self.scale = nn.Parameter(torch.ones(16))

    def rms(self, x):
        return self.scale * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))

    def buckets(self, n):
        place = torch.arange(n)[None, :] - torch.arange(n)[:, None]
        out = (place > 0).to(torch.long) * 4
        place = place.abs()
        far = 2 + (torch.log(place.float() / 2) / math.log(8 / 2) * 2).to(torch.long)
        return out + torch.where(place < 2, place, torch.min(far, torch.full_like(far, 3)))

    def forward(self, x):
        b, n, _ = x.shape
        h = self.rms(x)
        q, k, v = (f(h).view(b, n, 2, 8).transpose(1, 2) for f in (self.q, self.k, self.v))
        scores = q @ k.transpose(3, 2) + self.bias(self.buckets(n)).permute(2, 0, 1).unsqueeze(0)
        y = (F.softmax(scores.float(), dim=-1).type_as(scores) @ v).transpose(1, 2).contiguous().view(b, n, 16)
        x = x + self.o(y)
        h = self.rms(x)
        return x + self.wo(F.gelu(self.wi0(h), approximate="tanh") * self.wi1(h))


@model(tensors(2, 400))
class Wav2Vec(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Conv1d(1, 16, 10, 5, bias=False), nn.Conv1d(16, 16, 3, 2, bias=False)])
        self.norm = nn.GroupNorm(16, 16)
        self.place = nn.utils.parametrizations.weight_norm(nn.Conv1d(16, 16, 8, padding=4, groups=4), dim=2)
        self.encoder = nn.TransformerEncoderLayer(16, 2, 32, 0.0, "gelu", batch_first=True, norm_first=True)

    def forward(self, x):
        h = F.gelu(self.norm(self.layers[0](x[:, None])))
        h = F.gelu(self.layers[1](h)).transpose(1, 2)
        h = h + F.gelu(self.place(h.transpose(1, 2))[..., :-1]).transpose(1, 2)
        return self.encoder(F.layer_norm(h, (16,)))


@model(lambda: (torch.randn(2, 1, 16), torch.randn(2, 2, 12, 8), torch.randn(2, 2, 12, 8), torch.tensor([5])))
class KVDecode(nn.Module):
    """One token into a cache of fixed length."""

    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(16, 48), nn.Linear(16, 16)

    def forward(self, x, keys, values, place):
        b = x.shape[0]
        q, k, v = self.qkv(x).view(b, 1, 3, 2, 8).permute(2, 0, 3, 1, 4)
        keys, values = keys.index_copy(2, place, k), values.index_copy(2, place, v)
        mask = torch.arange(12) <= place
        y = F.scaled_dot_product_attention(q, keys, values, attn_mask=mask[None, None, None, :])
        return self.out(y.transpose(1, 2).reshape(b, 1, 16)), keys, values


@model(tensors(2, 3, 16, 16))
class FNO(nn.Module):
    def __init__(self):
        super().__init__()
        self.lift, self.skip, self.drop = nn.Conv2d(3, 8, 1), nn.Conv2d(8, 8, 1), nn.Conv2d(8, 1, 1)
        self.low = nn.Parameter(torch.randn(8, 8, 4, 4, 2) * 0.1)
        self.high = nn.Parameter(torch.randn(8, 8, 4, 4, 2) * 0.1)

    def forward(self, x):
        x = self.lift(x)
        f = torch.fft.rfft2(x)
        out = torch.zeros_like(f)
        out[:, :, :4, :4] = torch.einsum("bixy,ioxy->boxy", f[:, :, :4, :4], torch.view_as_complex(self.low))
        out[:, :, -4:, :4] = torch.einsum("bixy,ioxy->boxy", f[:, :, -4:, :4], torch.view_as_complex(self.high))
        return self.drop(F.gelu(torch.fft.irfft2(out, s=x.shape[-2:]) + self.skip(x)))


@model(tensors(4, 6))
class RealNVP(nn.Module):
    def __init__(self):
        super().__init__()
        self.nets = nn.ModuleList(nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 6)) for _ in range(4))
        self.register_buffer("order", torch.tensor([3, 4, 5, 0, 1, 2]))

    def forward(self, x):
        total = x.new_zeros(x.shape[0])
        for net in self.nets:
            a, b = x.chunk(2, dim=1)
            s, t = net(a).chunk(2, dim=1)
            s = torch.tanh(s)
            x = torch.cat([a, b * s.exp() + t], 1)[:, self.order]
            total = total + s.sum(1)
        prior = torch.distributions.Normal(torch.zeros(6), torch.ones(6), validate_args=False)
        return prior.log_prob(x).sum(1) + total


@model(lambda: (torch.randn(2, 4, 16, 16), torch.tensor([3, 700])))
class DiffusionUNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.time = nn.Sequential(nn.Linear(16, 32), nn.SiLU(), nn.Linear(32, 8))
        self.inside, self.down = nn.Conv2d(4, 8, 3, 1, 1), nn.Conv2d(8, 8, 3, 2, 1)
        self.norm, self.qkv, self.proj = nn.GroupNorm(2, 8), nn.Conv1d(8, 24, 1), nn.Conv1d(8, 8, 1)
        self.up, self.out = nn.ConvTranspose2d(8, 8, 4, 2, 1), nn.Conv2d(16, 4, 3, 1, 1)

    def forward(self, x, t):
        half = torch.exp(-math.log(10000) * torch.arange(8, dtype=torch.float32) / 8)
        angle = t[:, None].float() * half[None]
        e = self.time(torch.cat([angle.cos(), angle.sin()], -1))
        first = self.inside(x) + e[:, :, None, None]
        h = self.down(F.silu(first))
        b, c, y, z = h.shape
        q, k, v = self.qkv(self.norm(h).view(b, c, y * z)).chunk(3, 1)
        w = torch.softmax(torch.bmm(q.permute(0, 2, 1), k) * c**-0.5, -1)
        h = h + self.proj(torch.bmm(v, w.permute(0, 2, 1))).view(b, c, y, z)
        return self.out(torch.cat([self.up(h), first], 1))


@model(tensors(2, 21, 4, 4))
class YoloHead(nn.Module):
    """Boxes of a grid, and three rounds of suppression by overlap."""

    def __init__(self):
        super().__init__()
        self.register_buffer("anchors", torch.tensor([[1.0, 2.0], [2.0, 1.0], [1.5, 1.5]]))

    def forward(self, x):
        b, _, h, w = x.shape
        x = x.view(b, 3, 7, h, w).permute(0, 1, 3, 4, 2)
        ys, xs = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
        xy = x[..., :2].sigmoid() * 2 - 0.5 + torch.stack([xs, ys], -1)
        wh = (x[..., 2:4].sigmoid() * 2) ** 2 * self.anchors[:, None, None]
        score = (x[..., 4:5].sigmoid() * x[..., 5:].sigmoid()).amax(-1).reshape(b, -1)
        boxes = torch.cat([xy - wh / 2, xy + wh / 2], -1).reshape(b, -1, 4)
        picked = []
        for _ in range(3):
            best, at = score.max(1)
            box = boxes.gather(1, at[:, None, None].expand(-1, 1, 4))
            low, high = torch.maximum(box[..., :2], boxes[..., :2]), torch.minimum(box[..., 2:], boxes[..., 2:])
            common = (high - low).clamp(min=0).prod(-1)
            area = (boxes[..., 2:] - boxes[..., :2]).prod(-1)
            own = (box[..., 2:] - box[..., :2]).prod(-1)
            score = score.masked_fill(common / (area + own - common) > 0.5, 0.0)
            picked.append(torch.cat([box[:, 0], best[:, None]], 1))
        return torch.stack(picked, 1)


@model(tensors(3, 7, 6))
class BiLSTMAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(6, 8, 2, batch_first=True, bidirectional=True, proj_size=4)
        self.look, self.head = nn.Linear(8, 1), nn.Linear(8, 3)

    def forward(self, x):
        h, (last, cell) = self.rnn(x)
        w = F.softmax(self.look(torch.tanh(h)).squeeze(-1), 1)
        return self.head(torch.einsum("bt,btd->bd", w, h)), last, cell


@model(tensors(3, 8))
class GreedyDecoder(nn.Module):
    """Five steps of a cell that reads what it said before."""

    def __init__(self):
        super().__init__()
        self.words, self.cell, self.head = nn.Embedding(11, 8), nn.GRUCell(8, 8), nn.Linear(8, 11)
        self.peep = nn.LSTMCell(8, 8)

    def forward(self, h):
        token = torch.zeros(h.shape[0], dtype=torch.long)
        c, said, scores = torch.zeros_like(h), [], []
        for _ in range(5):
            h = self.cell(self.words(token), h)
            p, c = self.peep(h, (h, c))
            logits = self.head(p)
            token = logits.argmax(-1)
            said.append(token)
            scores.append(F.log_softmax(logits, -1).gather(1, token[:, None]))
        return torch.stack(said, 1), torch.cat(scores, 1)


@model(lambda: (torch.randn(2, 4, 9), torch.randn(2, 2, 3, 4, 5)))
class Transposed(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = nn.ConvTranspose1d(4, 6, 5, stride=3, padding=1, output_padding=2, dilation=2, groups=2)
        self.three = nn.ConvTranspose3d(2, 3, (2, 3, 3), stride=(1, 2, 2), padding=(0, 1, 1), output_padding=(0, 1, 0))

    def forward(self, a, b):
        return self.one(a), F.elu(self.three(b))


@model(tensors(5, 8))
class RoutedExperts(nn.Module):
    """Top-2 of four experts; every expert gets the rows that chose it, and index_add puts them back."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(8, 4)
        self.up, self.down = nn.Parameter(torch.randn(4, 8, 16) * 0.3), nn.Parameter(torch.randn(4, 16, 8) * 0.3)

    def forward(self, x):
        weight, expert = self.gate(x).softmax(-1).topk(2, -1)
        weight = weight / weight.sum(-1, keepdim=True)
        rows = torch.arange(x.shape[0])[:, None].expand(-1, 2).reshape(-1)
        chosen = expert.reshape(-1)
        h = F.silu(torch.bmm(x[rows][:, None], self.up[chosen]))
        y = torch.bmm(h, self.down[chosen]).squeeze(1) * weight.reshape(-1, 1)
        load = F.one_hot(chosen, 4).float().mean(0)
        return torch.zeros_like(x).index_add(0, rows, y), load


@model(tensors(2, 12, 16))
class Retention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.gate, self.out = nn.Linear(16, 48, False), nn.Linear(16, 16, False), nn.Linear(16, 16, False)
        self.norm = nn.GroupNorm(2, 16, affine=False)

    def forward(self, x):
        b, n, _ = x.shape
        q, k, v = (t.view(b, n, 2, 8).transpose(1, 2) for t in self.qkv(x).split(16, -1))
        decay = (1 - torch.exp2(-5 - torch.arange(2, dtype=torch.float32))).log()
        gap = torch.arange(n)[:, None] - torch.arange(n)[None]
        mask = torch.where(gap >= 0, (gap * decay[:, None, None]).exp(), 0.0)
        y = (q @ k.transpose(-1, -2) * mask) @ v
        y = self.norm(y.transpose(1, 2).reshape(b * n, 16)).view(b, n, 16)
        return self.out(F.silu(self.gate(x)) * y)


@model(tensors(2, 20, 6))
class Perceiver(nn.Module):
    def __init__(self):
        super().__init__()
        self.latents = nn.Parameter(torch.randn(4, 8))
        self.cross = nn.MultiheadAttention(8, 2, kdim=6, vdim=6, batch_first=True)
        self.own = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x):
        z = self.latents.expand(x.shape[0], -1, -1)
        z = z + self.cross(z, x, x)[0]
        y, w = self.own(z, z, z, average_attn_weights=False)
        return (z + y).mean(1), w


@model(tensors(2, 3, 16, 16))
class ConvNeXt(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem, self.deep = nn.Conv2d(3, 12, 4, 4), nn.Conv2d(12, 12, 7, padding=3, groups=12)
        self.norm, self.a, self.b = nn.LayerNorm(12, eps=1e-6), nn.Linear(12, 48), nn.Linear(48, 12)
        self.gamma = nn.Parameter(torch.full((12,), 0.1))
        self.squeeze = nn.Sequential(
            nn.AdaptiveAvgPool2d(1), nn.Conv2d(12, 4, 1), nn.ReLU(inplace=True), nn.Conv2d(4, 12, 1), nn.Hardsigmoid()
        )

    def forward(self, x):
        x = self.stem(x).contiguous(memory_format=torch.channels_last)
        y = self.norm(self.deep(x).permute(0, 2, 3, 1))
        x = x + (self.gamma * self.b(F.gelu(self.a(y)))).permute(0, 3, 1, 2)
        return (x * self.squeeze(x)).mean((-2, -1))


@model(lambda: (torch.randn(7, 5), torch.tensor([[0, 1, 2, 3, 4, 5, 6, 0], [1, 2, 3, 4, 5, 6, 0, 3]])))
class EdgeConv(nn.Module):
    def __init__(self):
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(10, 8), nn.LeakyReLU(0.2), nn.Linear(8, 8))
        self.root = nn.Linear(5, 8)

    def forward(self, x, e):
        source, target = e
        m = self.mlp(torch.cat([x[target], x[source] - x[target]], -1))
        at = target[:, None].expand_as(m)
        top = torch.full((x.shape[0], 8), float("-inf")).scatter_reduce(0, at, m, "amax")
        mean = torch.zeros(x.shape[0], 8).scatter_reduce(0, at, m, "mean", include_self=False)
        return F.normalize(self.root(x) + torch.where(top.isinf(), 0.0, top) + mean)


@model(tensors(2, 3, 24))
class TCN(nn.Module):
    def __init__(self):
        super().__init__()
        norm = nn.utils.parametrizations.weight_norm
        self.layers = nn.ModuleList(
            norm(nn.Conv1d(3 if i == 0 else 8, 8, 3, padding=2 << i, dilation=1 << i)) for i in range(3)
        )

    def forward(self, x):
        for i, layer in enumerate(self.layers):
            y = layer(x)[:, :, : -(2 << i)].relu()
            x = y + x if y.shape == x.shape else y
        return x[:, :, -1]


@model(tensors(4, 6))
class NeuralODE(nn.Module):
    """Runge-Kutta around a network whose weights another network makes."""

    def __init__(self):
        super().__init__()
        self.hyper = nn.Linear(1, 6 * 6 + 6)

    def slope(self, t, x):
        made = self.hyper(torch.full((1,), t))
        return torch.tanh(F.linear(x, made[:36].view(6, 6), made[36:]))

    def forward(self, x):
        step = 0.25
        for i in range(4):
            t = i * step
            a = self.slope(t, x)
            b = self.slope(t + step / 2, x + step / 2 * a)
            c = self.slope(t + step / 2, x + step / 2 * b)
            d = self.slope(t + step, x + step * c)
            x = x + step / 6 * (a + 2 * b + 2 * c + d)
        return x


@model(tensors(2, 3, 8, 8))
class VQVAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode, self.decode = nn.Conv2d(3, 4, 4, 2, 1), nn.ConvTranspose2d(4, 3, 4, 2, 1)
        self.codes = nn.Embedding(10, 4)

    def forward(self, x):
        z = self.encode(x).permute(0, 2, 3, 1)
        index = torch.cdist(z.reshape(-1, 4), self.codes.weight).argmin(1)
        q = self.codes(index).view_as(z)
        loss = F.mse_loss(q, z.detach()) + 0.25 * F.mse_loss(q.detach(), z)
        q = z + (q - z).detach()
        used = F.one_hot(index, 10).float().mean(0)
        return self.decode(q.permute(0, 3, 1, 2)), loss, torch.exp(-(used * (used + 1e-10).log()).sum())


@model(lambda: (torch.randn(2, 9, 8), torch.rand(2, 9)))
class MaskedPatches(nn.Module):
    """Keeps the three patches with the least noise, and puts the rest back as one learnt token."""

    def __init__(self):
        super().__init__()
        self.token, self.block = nn.Parameter(torch.randn(1, 1, 8)), nn.Linear(8, 8)

    def forward(self, x, noise):
        order = noise.argsort(1)
        back = order.argsort(1)
        kept = x.gather(1, order[:, :3, None].expand(-1, -1, 8))
        y = torch.cat([self.block(kept), self.token.expand(x.shape[0], 6, -1)], 1)
        mask = torch.ones(x.shape[:2]).scatter(1, order[:, :3], 0.0)
        return y.gather(1, back[..., None].expand(-1, -1, 8)), mask


@model(tensors(2, 6, 4, 8))
class Rotary(nn.Module):
    """By complex numbers, in halves, and interleaved; keys shared by two heads."""

    def forward(self, x):
        n, d = x.shape[1], x.shape[3]
        angle = torch.outer(torch.arange(n).float(), 1.0 / 100 ** (torch.arange(0, d, 2).float() / d))
        turn = torch.polar(torch.ones_like(angle), angle)
        a = torch.view_as_real(torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2)) * turn[:, None]).flatten(3)
        cos, sin = torch.cat([angle, angle], -1).cos()[:, None], torch.cat([angle, angle], -1).sin()[:, None]
        b = x * cos + torch.cat([-x[..., d // 2 :], x[..., : d // 2]], -1) * sin
        c = torch.stack([-x[..., 1::2], x[..., ::2]], -1).reshape(x.shape)
        c = x * angle.repeat_interleave(2, -1).cos()[:, None] + c * angle.repeat_interleave(2, -1).sin()[:, None]
        q, k = b.transpose(1, 2), a[:, :, :2].transpose(1, 2)
        return a - c, F.scaled_dot_product_attention(q, k, k, is_causal=True, enable_gqa=True)


@model(lambda: (torch.randn(2, 3, 11), torch.randn(2, 3), torch.randint(11, (2, 3, 4))))
class BeamStep(nn.Module):
    def forward(self, logits, scores, tokens):
        b, k, v = logits.shape
        total = (F.log_softmax(logits, -1) + scores[..., None]).view(b, k * v)
        best, at = total.topk(k)
        beam = torch.div(at, v, rounding_mode="floor")
        kept = tokens.gather(1, beam[..., None].expand(-1, -1, tokens.shape[2]))
        return best, torch.cat([kept, (at % v)[..., None]], -1)


@model(tensors(2, 6, 5))
class CRF(nn.Module):
    """The sum over all paths, and the best of them."""

    def __init__(self):
        super().__init__()
        self.move = nn.Parameter(torch.randn(5, 5))

    def forward(self, x):
        alpha = best = x[:, 0]
        back = []
        for t in range(1, x.shape[1]):
            alpha = torch.logsumexp(alpha[:, :, None] + self.move + x[:, t, None], 1)
            best, at = (best[:, :, None] + self.move + x[:, t, None]).max(1)
            back.append(at)
        score, last = best.max(1)
        path = [last]
        for at in reversed(back):
            last = at.gather(1, last[:, None]).squeeze(1)
            path.append(last)
        return alpha.logsumexp(1), score, torch.stack(path[::-1], 1)


@model(tensors(4, 3))
class KAN(nn.Module):
    """B-splines of degree 2, by their recursion."""

    def __init__(self):
        super().__init__()
        self.register_buffer("knots", torch.linspace(-3, 3, 9))
        self.weight, self.base = nn.Parameter(torch.randn(5, 3, 6) * 0.3), nn.Linear(3, 5)

    def forward(self, x):
        g, u = self.knots, x.clamp(-2.5, 2.5)[..., None]
        b = ((u >= g[:-1]) & (u < g[1:])).to(x.dtype)
        for k in (1, 2):
            left = (u - g[: -(k + 1)]) / (g[k:-1] - g[: -(k + 1)]) * b[..., :-1]
            b = left + (g[k + 1 :] - u) / (g[k + 1 :] - g[1:-k]) * b[..., 1:]
        return self.base(F.silu(x)) + torch.einsum("nik,oik->no", b, self.weight)


@model(tensors(2, 4, 8, 8))
class Involution(nn.Module):
    def __init__(self):
        super().__init__()
        self.kernel = nn.Conv2d(4, 9 * 2, 1)

    def forward(self, x):
        b, c, h, w = x.shape
        weight = self.kernel(x).view(b, 2, 1, 9, h, w).softmax(3)
        y = (F.unfold(x, 3, padding=1).view(b, 2, c // 2, 9, h, w) * weight).sum(3).view(b, c, h, w)
        z = F.fold(F.unfold(y, 2, stride=2), (h, w), 2, stride=2)
        return F.pixel_unshuffle(F.channel_shuffle(z, 2), 2), F.local_response_norm(y, 3)


@model(tensors(4, 5))
class MixtureDensity(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(4, 9)

    def forward(self, x):
        logits, mean, width = self.net(x[:, :4]).chunk(3, -1)
        d = torch.distributions
        mix = d.MixtureSameFamily(
            d.Categorical(logits=logits, validate_args=False),
            d.Normal(mean, F.softplus(width) + 1e-3, validate_args=False),
            validate_args=False,
        )
        return mix.log_prob(x[:, 4]), mix.mean, mix.variance


NEW = [name for name in MODELS if name not in BEFORE]
