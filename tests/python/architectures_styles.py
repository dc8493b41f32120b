"""More styles of models, for gradients too: compiled and recorded."""

from __future__ import annotations

import torch
from architectures import MODELS, model, tensors
from torch import nn
from torch._higher_order_ops import scan, while_loop
from torch._higher_order_ops.associative_scan import associative_scan
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

_before = set(MODELS)


class Clip(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, low):
        ctx.save_for_backward(x)
        ctx.low = low
        return x.clamp(min=low)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * (x > ctx.low) + 0.1 * g, None


@model(tensors(2, 7, 6))
class SelectiveScan(nn.Module):
    """A selective scan by associative_scan."""

    def __init__(self):
        super().__init__()
        self.dt, self.b, self.c = nn.Linear(6, 6), nn.Linear(6, 4), nn.Linear(6, 4)
        self.a = nn.Parameter(-torch.rand(6, 4))

    def forward(self, x):
        dt = F.softplus(self.dt(x))
        decay = torch.exp(dt[..., None] * self.a)
        add = dt[..., None] * self.b(x)[:, :, None] * x[..., None]
        _, h = associative_scan(
            lambda a, b: (a[0] * b[0], a[1] * b[0] + b[1]), (decay, add), dim=1, combine_mode="generic"
        )
        return (h * self.c(x)[:, :, None]).sum(-1)


@model(lambda: (torch.randn(2, 5, 4), torch.randn(2, 5, 4), torch.randn(2, 5, 4), torch.rand(2, 5)))
class DeltaRule(nn.Module):
    """Fast weights that forget what they overwrite, by scan."""

    def forward(self, q, k, v, beta):
        k = F.normalize(k, dim=-1)

        def step(s, xs):
            q, k, v, b = xs
            old = torch.einsum("bij,bj->bi", s, k)
            s = s + b[:, None, None] * torch.einsum("bi,bj->bij", v - old, k)
            return s, torch.einsum("bij,bj->bi", s, q)

        s, y = scan(step, torch.zeros(q.shape[0], 4, 4, device=q.device), (q, k, v, beta), dim=1)
        return s, y


@model(lambda: (torch.randn(2, 1, 16), torch.tensor([3])))
class CachedGQA(nn.Module):
    """One step with a cache of keys that four heads share."""

    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(16, 16 + 16)
        self.register_buffer("k", torch.randn(2, 2, 8, 4))
        self.register_buffer("v", torch.randn(2, 2, 8, 4))

    def forward(self, x, at):
        q, k, v = self.qkv(x).split([16, 8, 8], -1)
        q, k, v = (t.view(2, 1, -1, 4).transpose(1, 2) for t in (q, k, v))
        keys = self.k.index_copy(2, at, k)
        values = self.v.index_copy(2, at, v)
        mask = torch.arange(8, device=x.device) <= at
        o = F.scaled_dot_product_attention(q, keys, values, attn_mask=mask[None, None, None], enable_gqa=True)
        return o.transpose(1, 2).reshape(2, 1, 16)


@model(lambda: (torch.randn(9, 3), torch.tensor([0, 0, 1, 1, 1, 3, 3, 3, 3])))
class Segments(nn.Module):
    """Runs of rows, reduced in every way."""

    def forward(self, x, s):
        lengths = torch.bincount(s, minlength=5)
        outs = [
            torch.segment_reduce(x, r, lengths=lengths, initial=0.0 if r != "max" else -9.0)
            for r in ("sum", "mean", "max")
        ]
        i = s[:, None].expand_as(x)
        z = torch.zeros(5, 3, device=x.device)
        outs += [z.scatter_reduce(0, i, x, r, include_self=False) for r in ("sum", "mean", "amax", "amin", "prod")]
        outs += [z.index_reduce(0, s, x, "mean", include_self=False)]
        return tuple(outs)


@model(lambda: (torch.tensor([1, 2, 4, 5, 4, 3, 2, 9]), torch.tensor([0, 3, 3, 5]), torch.rand(8)))
class BagModes(nn.Module):
    """Bags of embeddings: weights, empty bags, padding, a last offset."""

    def __init__(self):
        super().__init__()
        self.s = nn.EmbeddingBag(10, 3, mode="sum")
        self.m = nn.EmbeddingBag(10, 3, mode="mean", padding_idx=4)
        self.x = nn.EmbeddingBag(10, 3, mode="max")
        self.l = nn.EmbeddingBag(10, 3, mode="sum", include_last_offset=True)

    def forward(self, i, o, w):
        return (
            self.s(i, o, per_sample_weights=w),
            self.m(i, o),
            self.x(i, o),
            self.l(i, torch.cat([o, o.new_full((1,), 8)])),
            self.s(i.view(2, 4), per_sample_weights=w.view(2, 4)),
        )


@model(tensors(3, 4))
class FakeQuant(nn.Module):
    """Rounded as quantization will, with scales that are tensors."""

    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 5)
        self.register_buffer("s", torch.rand(5) * 0.1 + 0.01)
        self.register_buffer("z", torch.zeros(5, dtype=torch.int32))

    def forward(self, x):
        w = torch.fake_quantize_per_channel_affine(self.l.weight, self.s, self.z, 0, -128, 127)
        x = torch.fake_quantize_per_tensor_affine(x, 0.05, 3, 0, 255)
        return F.linear(x, w, self.l.bias), torch.fake_quantize_per_tensor_affine(
            x, torch.tensor(0.1), torch.tensor(0, dtype=torch.int32), -8, 7
        )


@model(lambda: (torch.randn(2, 3, 16), torch.randn(3, 5)))
class FFTConv(nn.Module):
    """Convolutions as products of spectra."""

    def forward(self, x, k):
        n = 16 + 5 - 1
        y = torch.fft.irfft(torch.fft.rfft(x, n) * torch.fft.rfft(k, n), n)[..., :16]
        im = torch.fft.ifft2(torch.fft.fftshift(torch.fft.fft2(x.view(2, 3, 4, 4), norm="ortho"), (-2, -1)))
        return y, im.abs(), torch.fft.fftfreq(8), torch.fft.hfft(torch.fft.ihfft(x))


@model(lambda: (torch.randn(3, 4, dtype=torch.complex64),))
class ComplexLinear(nn.Module):
    """Complex weights; moduli and angles."""

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(5, 4, dtype=torch.complex64))
        self.b = nn.Parameter(torch.randn(5, dtype=torch.complex64))

    def forward(self, x):
        y = F.linear(x, self.w, self.b)
        m = y.abs()
        return (
            F.relu(m - 0.3) * torch.exp(1j * y.angle()),
            torch.complex(torch.relu(y.real), torch.relu(y.imag)),
            y.real.sum(),
            (y @ y.mH).diagonal().real,
            torch.view_as_real(y).sum(-1),
        )


@model(tensors(1, 8))
class BeamWhile(nn.Module):
    """A beam search in a while_loop."""

    def __init__(self):
        super().__init__()
        self.e = nn.Embedding(7, 8)
        self.o = nn.Linear(8, 7)

    def forward(self, h):
        K, L = 3, 5

        def body(t, tok, score):
            last = tok.gather(1, t.expand(K)[:, None])[:, 0]
            lp = self.o(torch.tanh(self.e(last) + h)).log_softmax(-1) + score[:, None]
            s, i = lp.view(-1).topk(K)
            tok = tok[i // 7].scatter(1, (t + 1).expand(K)[:, None], (i % 7)[:, None])
            return t + 1, tok, s

        with torch.no_grad():
            return while_loop(
                lambda t, tok, s: t < L - 1,
                body,
                (
                    torch.tensor(0, device=h.device),
                    torch.zeros(K, L, dtype=torch.int64, device=h.device),
                    torch.tensor([0.0, -9.0, -9.0], device=h.device),
                ),
            )


@model(lambda: (torch.rand(10, 4), torch.rand(10)))
class NMSWhile(nn.Module):
    """Non-maximum suppression in a while_loop."""

    def forward(self, boxes, scores):
        xy, wh = boxes[:, :2], boxes[:, 2:]
        b = torch.cat([xy, xy + wh], 1)
        order = scores.argsort(descending=True, stable=True)
        b = b[order]
        area = (b[:, 2:] - b[:, :2]).prod(-1)
        inter = (
            (torch.minimum(b[:, None, 2:], b[None, :, 2:]) - torch.maximum(b[:, None, :2], b[None, :, :2]))
            .clamp(min=0)
            .prod(-1)
        )
        iou = (inter / (area[:, None] + area - inter)).detach()

        def body(i, keep):
            row = torch.where(
                keep.gather(0, i[None])[0],
                (iou.index_select(0, i[None])[0] > 0.2) & (torch.arange(10, device=iou.device) > i),
                torch.zeros_like(keep),
            )
            return i + 1, keep & ~row

        _, keep = while_loop(
            lambda i, keep: i < 10,
            body,
            (torch.tensor(0, device=b.device), torch.ones(10, dtype=torch.bool, device=b.device)),
        )
        return order, keep, scores[order] * keep


@model(tensors(3, 4))
class OwnGradient(nn.Module):
    """A gradient of its own."""

    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)

    def forward(self, x):
        return Clip.apply(self.l(x), 0.1) + x.detach()


@model(tensors(3, 8))
class Checkpoints(nn.Module):
    """Activations that are computed again."""

    def __init__(self):
        super().__init__()
        self.l = nn.ModuleList(nn.Sequential(nn.Linear(8, 8), nn.GELU()) for _ in range(3))

    def forward(self, x):
        for layer in self.l:
            x = checkpoint(layer, x, use_reentrant=False)
        return x


@model(lambda: (torch.randn(3, 6), torch.randn(4, 8), torch.softmax(torch.randn(4), 0)))
class TuringHead(nn.Module):
    """Addressing by content and by shift."""

    def __init__(self):
        super().__init__()
        self.l = nn.Linear(6, 8 + 1 + 1 + 3 + 1 + 8 + 8)

    def forward(self, x, mem, w0):
        k, b, g, s, y, e, a = self.l(x).split([8, 1, 1, 3, 1, 8, 8], -1)
        w = (F.softplus(b) * F.cosine_similarity(k[:, None], mem[None], dim=-1)).softmax(-1)
        w = torch.sigmoid(g) * w + (1 - torch.sigmoid(g)) * w0
        sh = s.softmax(-1)
        w = sum(sh[:, i : i + 1] * torch.roll(w, i - 1, -1) for i in range(3))
        w = w ** (1 + F.softplus(y))
        w = w / w.sum(-1, keepdim=True)
        new = mem * (1 - w[0][:, None] * torch.sigmoid(e[0])) + w[0][:, None] * a[0]
        return w @ mem, new


@model(lambda: (torch.rand(2, 12, 3), torch.randn(2, 12, 6)))
class PointTransformer(nn.Module):
    """Attention among nearest neighbours."""

    def __init__(self):
        super().__init__()
        self.q, self.kv, self.p = nn.Linear(6, 6), nn.Linear(6, 12), nn.Linear(3, 6)

    def forward(self, pos, x):
        i = torch.cdist(pos, pos).topk(4, largest=False)[1]

        def take(t):
            return torch.take_along_dim(t[:, None].expand(-1, 12, -1, -1), i[..., None], 2)

        k, v = self.kv(x).chunk(2, -1)
        r = self.p(pos[:, :, None] - take(pos))
        w = (self.q(x)[:, :, None] - take(k) + r).softmax(2)
        return (w * (take(v) + r)).sum(2)


@model(tensors(5, 2, 4))
class LSTMForms(nn.Module):
    """Recurrent layers with projections, without biases, cells."""

    def __init__(self):
        super().__init__()
        self.a = nn.LSTM(4, 6, 2, proj_size=3, bidirectional=True)
        self.b = nn.GRU(6, 4, bias=False)
        self.c = nn.RNN(4, 3, 2, nonlinearity="relu")
        self.d = nn.LSTMCell(3, 3)

    def forward(self, x):
        y, (h, c) = self.a(x)
        z, g = self.b(y)
        w, r = self.c(z)
        hx, cx = self.d(w[-1])
        return w, h, c, g, r, hx, cx


@model(lambda: (torch.randn(2, 3, 4, 8), torch.tensor([[True, True, False, False], [False] * 4])))
class MaskedRows(nn.Module):
    """Attention where some rows have nothing to look at."""

    def forward(self, x, keep):
        return F.scaled_dot_product_attention(x, x, x, attn_mask=keep[:, None, None, :])


@model(tensors(3, 5))
class Distributions(nn.Module):
    """Densities, entropies and divergences."""

    def forward(self, x):
        n = torch.distributions.Normal(x, x.exp(), validate_args=False)
        c = torch.distributions.Categorical(logits=x, validate_args=False)
        m = torch.distributions.MultivariateNormal(x, torch.eye(5, device=x.device) * 2, validate_args=False)
        d = torch.distributions.Dirichlet(x.exp(), validate_args=False)
        return (
            n.log_prob(x * 0.5),
            c.entropy(),
            m.log_prob(x * 0.3),
            torch.distributions.kl_divergence(
                n, torch.distributions.Normal(torch.zeros_like(x), 1.0, validate_args=False)
            ),
            d.entropy(),
            torch.distributions.Beta(x.exp(), x.exp() + 1, validate_args=False).log_prob(torch.sigmoid(x)),
        )


@model(lambda: (torch.randn(2, 3, 4), torch.randn(2, 3, 3)))
class Geometry(nn.Module):
    """Rotations, projections and factors of small matrices."""

    def forward(self, x, a):
        skew = a - a.mT
        r = torch.matrix_exp(skew)
        t = torch.linalg.qr(a)[1]
        cay = torch.linalg.solve(torch.eye(3, device=x.device) + skew, torch.eye(3, device=x.device) - skew)
        return (
            r @ x,
            cay @ x,
            torch.linalg.cross(a, a.roll(1, -1)),
            torch.linalg.norm(x, dim=(1, 2)),
            torch.linalg.vector_norm(x, 3, -1),
            torch.trace(a[0]),
            torch.linalg.svdvals(a),
            torch.linalg.eigvalsh(a + a.mT),
            torch.linalg.pinv(a),
            torch.kron(a[0], a[1]),
            t.abs(),
        )


STYLES = [name for name in MODELS if name not in _before]
