"""torch.compile on CUDA tensors: results, gradients, streams and devices as in eager mode."""

from __future__ import annotations

import copy
import os
import subprocess
import sys

import pytest
import tenfold
import torch
from torch import nn
from torch.nn import functional as F

needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA GPU that this PyTorch can use")


class Convolutions(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            *(nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2)),
            *(nn.Conv2d(16, 32, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(32), nn.SiLU()),
            *(nn.Conv2d(32, 32, 3, padding=1, groups=32), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10)),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layers(x)


class Words(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.table, self.last = nn.Embedding(100, 32), nn.Linear(32, 10)
        self.layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.last(self.layer(self.table(x)).mean(1))


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.cells, self.last = nn.LSTM(16, 32, 2, batch_first=True), nn.Linear(32, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.last(self.cells(x)[0][:, -1])


class Upward(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.down = nn.Conv2d(3, 16, 3, padding=1), nn.Conv2d(16, 32, 3, stride=2, padding=1)
        self.up, self.norm, self.last = nn.ConvTranspose2d(32, 16, 2, 2), nn.GroupNorm(4, 16), nn.Conv2d(32, 4, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.silu(self.norm(self.first(x)))
        return self.last(torch.cat([x, self.up(F.gelu(self.down(x)))], 1))


MODELS = {
    "mlp": (lambda: nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 4)), lambda: torch.randn(8, 16)),
    "convolutions": (Convolutions, lambda: torch.randn(4, 3, 32, 32)),
    "words": (Words, lambda: torch.randint(0, 100, (4, 7))),
    "recurrent": (Recurrent, lambda: torch.randn(3, 9, 16)),
    "upward": (Upward, lambda: torch.randn(2, 3, 32, 32)),
}


@pytest.fixture(autouse=True)
def exact():
    torch.manual_seed(0)
    torch._dynamo.reset()
    tenfold.reset_stats()
    if not torch.cuda.is_available():
        yield
        return
    kept = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = False
    with torch.backends.cudnn.flags(allow_tf32=False):
        yield
    torch.backends.cuda.matmul.allow_tf32 = kept


def compiled(function):
    from tenfold.torch.backend import backend

    return torch.compile(function, backend=backend)


def near(got: torch.Tensor, want: torch.Tensor) -> None:
    assert got.device == want.device
    torch.testing.assert_close(got, want, rtol=1e-3, atol=1e-4 * float(want.abs().max()) + 1e-6)


@needs_gpu
@pytest.mark.parametrize("name", MODELS)
def test_forward(name):
    make, give = MODELS[name]
    model, x = make().cuda().eval(), give().cuda()
    run = compiled(model)
    with torch.no_grad():
        want = model(x)
        for _ in range(4):  # launched, recorded, replayed
            near(run(x), want)
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            other = run(x)
        torch.cuda.current_stream().wait_stream(stream)
        near(other, want)


@needs_gpu
@pytest.mark.parametrize("name", MODELS)
def test_training(name):
    make, give = MODELS[name]
    a = make().cuda().train()
    b, x = copy.deepcopy(a), give().cuda()
    run = compiled(b)
    optimizers = [torch.optim.SGD(m.parameters(), lr=1e-2) for m in (a, b)]
    for _ in range(4):
        for call, optimizer in zip((a, run), optimizers, strict=True):
            optimizer.zero_grad()
            call(x).square().mean().backward()
        for p, q in zip(a.parameters(), b.parameters(), strict=True):
            near(q.grad, p.grad)
        for optimizer in optimizers:
            optimizer.step()
    for p, q in zip(a.buffers(), b.buffers(), strict=True):
        near(q.float(), p.float())
    assert not tenfold.stats()["fallbacks"]


@needs_gpu
def test_addresses_that_are_new_at_each_call():
    """A graph is changed for them; what earlier calls gave stays what it was."""
    model = Convolutions().cuda().eval()
    run, kept = compiled(model), []
    with torch.no_grad():
        for i in range(12):
            x = torch.randn(4, 3, 32, 32, device="cuda")
            kept.append((x, run(x), model(x), torch.empty(1000 * i + 1, device="cuda")))
    for _, got, want, _ in kept:
        near(got, want)
    counts = tenfold.stats()["cuda"]
    assert counts["calls"] == 12 and counts["replays"] == 11 and counts["graphs"] == 4 and counts["changes"] == 7
    assert 7 <= counts["changed_kernels"] <= 7 * 8  # not the ones that see neither the input nor the result


@needs_gpu
def test_training_at_addresses_that_are_new_at_each_step():
    a = Convolutions().cuda().train()
    b = copy.deepcopy(a)
    run, kept = compiled(b), []
    for i in range(12):
        x = torch.randn(4, 3, 32, 32, device="cuda")
        for model, call in ((a, a), (b, run)):
            model.zero_grad()
            call(x).square().mean().backward()
        kept.append([p.grad for p in b.parameters()] + [x, torch.empty(1000 * i + 1, device="cuda")])
        for p, q in zip(a.parameters(), b.parameters(), strict=True):
            near(q.grad, p.grad)
        for p, q in zip(a.buffers(), b.buffers(), strict=True):
            near(q.float(), p.float())
    counts = tenfold.stats()["cuda"]
    assert counts["changes"] >= 7 and counts["graphs"] <= 8


@needs_gpu
def test_running_statistics_are_written_where_they_are(monkeypatch):
    monkeypatch.setattr(torch, "_foreach_copy_", None)  # what copies results that are elsewhere
    model = nn.Sequential(nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16)).cuda().train()
    places = [b.data_ptr() for b in model.buffers()]
    versions = [b._version for b in model.buffers()]
    run = compiled(model)
    run(torch.randn(2, 3, 8, 8, device="cuda"))
    assert [b.data_ptr() for b in model.buffers()] == places
    assert all(b._version > v for b, v in zip(model.buffers(), versions, strict=True))
    assert int(model[1].num_batches_tracked) == 1  # also without a gradient that is asked for
    assert not tenfold.stats()["cuda"]["copies"]


@needs_gpu
def test_views_sizes_and_results_handed_back():
    def f(x, y):
        return x.t() @ y, y, x.sum(), torch.arange(3, device=x.device)

    run = compiled(f)
    for rows in (4, 4, 7):
        x, y = torch.randn(rows, 6, device="cuda")[:, ::2], torch.randn(rows, 5, device="cuda")
        for got, want in zip(run(x, y), f(x, y), strict=True):
            near(got.float(), want.float())


@needs_gpu
def test_tensors_that_begin_at_any_address():
    run = compiled(lambda x, y: x @ y.t() + x.sum())
    for offset in (0, 1, 3):
        x, y = (torch.randn(96 * 128 + offset, device="cuda").bfloat16()[offset:].view(96, 128) for _ in range(2))
        want = x.float() @ y.float().t() + x.float().sum()
        torch.testing.assert_close(run(x, y).float(), want, rtol=2e-2, atol=2e-2 * float(want.abs().max()))


@needs_gpu
def test_parameters_whose_data_is_exchanged():
    layer, x = nn.Linear(64, 64).cuda(), torch.randn(64, 64, device="cuda")
    run = compiled(layer)
    with torch.no_grad():
        for change in (
            lambda w: w,
            lambda w: w + 1,
            lambda w: w.t(),
            lambda w: w.clone().t(),
            lambda w: w.contiguous(),
        ):
            layer.weight.data = change(layer.weight.data)
            for _ in range(3):
                near(run(x), layer(x))


class Narrow(nn.Module):
    """Convolutions of three and of many features, of what is an argument and what is a result."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first, self.second = nn.Conv2d(3, width, 7, 2, 3), nn.Conv2d(width, 2 * width, 3, padding=1)
        self.short, self.last = nn.Conv2d(width, 2 * width, 1, bias=False), nn.Linear(2 * width, 24)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.relu(self.first(x))
        return self.last(F.relu(self.second(x) + self.short(x)).mean((2, 3)))


@needs_gpu
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("width", [64, 20])
def test_narrow_convolutions_and_their_gradients(width, dtype):
    a = Narrow(width).cuda().to(dtype)
    b, wide = copy.deepcopy(a), copy.deepcopy(a).float()
    x = torch.randn(8, 3, 32, 32, device="cuda").to(dtype)
    run = compiled(b)
    run(x).float().square().mean().backward()
    a(x).float().square().mean().backward()
    wide(x.float()).square().mean().backward()
    for got, eager, want in zip(b.parameters(), a.parameters(), wide.parameters(), strict=True):
        far = (got.grad.float() - want.grad).norm() / want.grad.norm()
        assert far <= 2 * (eager.grad.float() - want.grad).norm() / want.grad.norm() + 1e-2


@needs_gpu
@pytest.mark.parametrize("shape", [(256, 384, 512), (130, 72, 200), (8, 1000, 64)])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_narrow_products_of_every_layout(shape, dtype):
    m, n, k = shape
    for left in (False, True):
        for right in (False, True):
            x = torch.randn((k, m) if left else (m, k), device="cuda").to(dtype)
            y = torch.randn((n, k) if right else (k, n), device="cuda").to(dtype)
            b, r = torch.randn(n, device="cuda").to(dtype), torch.randn(m, n, device="cuda").to(dtype)

            def f(x, y, b, r, left=left, right=right):
                return F.relu((x.t() if left else x) @ (y.t() if right else y) + b) + r

            want = f(x.float(), y.float(), b.float(), r.float())
            torch.testing.assert_close(compiled(f)(x, y, b, r).float(), want, rtol=2e-2, atol=1e-2 * k**0.5)


@needs_gpu
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("width", [32, 64, 128])
@pytest.mark.parametrize("rows, keys", [(128, 128), (77, 77), (40, 200), (300, 129)])
def test_attention(rows, keys, width, dtype):
    q = torch.randn(2, 3, rows, width, device="cuda").to(dtype)
    k, v = (torch.randn(2, keys, 3, width, device="cuda").to(dtype).transpose(1, 2) for _ in range(2))
    hidden = torch.rand(2, 1, rows, keys, device="cuda") < 0.3
    hidden[0, 0, 5] = True
    bias = torch.randn(3, rows, keys, device="cuda").to(dtype).masked_fill(hidden[0], -torch.inf)
    for mask, causal in ((None, False), (~hidden, False), (bias, False), (None, rows == keys)):

        def f(q, k, v, mask=mask, causal=causal):
            return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=causal).transpose(1, 2)

        wide = None if mask is None else mask if mask.dtype is torch.bool else mask.float()
        want = F.scaled_dot_product_attention(q.float(), k.float(), v.float(), attn_mask=wide, is_causal=causal)
        torch._dynamo.reset()
        with torch.no_grad():
            got = compiled(f)(q, k, v).transpose(1, 2).float()
        torch.testing.assert_close(got, want, rtol=1e-2, atol=1e-2)


@needs_gpu
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("rows, keys, width", [(128, 128, 64), (77, 77, 32), (40, 200, 64), (300, 129, 128)])
def test_gradient_of_attention(rows, keys, width, dtype):
    q = torch.randn(2, 3, rows, width, device="cuda").to(dtype)
    k, v = (torch.randn(2, keys, 3, width, device="cuda").to(dtype).transpose(1, 2) for _ in range(2))
    hidden = torch.rand(2, 1, rows, keys, device="cuda") < 0.3
    hidden[0, 0, 5] = True
    g = torch.randn(2, rows, 3, width, device="cuda").to(dtype)

    def gradients(run, *given):
        given = [x.detach().requires_grad_() for x in given]
        run(*given).backward(g.to(given[0].dtype))
        return [x.grad for x in given]

    for mask, causal in ((None, False), (~hidden, False), (None, rows == keys)):

        def f(q, k, v, mask=mask, causal=causal):
            return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=causal).transpose(1, 2)

        torch._dynamo.reset()
        run = compiled(f)
        got, again = gradients(run, q, k, v), gradients(run, q, k, v)
        for ours, twice, want in zip(got, again, gradients(f, q.double(), k.double(), v.double()), strict=True):
            assert torch.equal(ours, twice)
            assert (ours - want).norm() < (6e-3 if dtype == torch.bfloat16 else 1e-3) * want.norm()


@needs_gpu
def test_tf32_where_pytorch_allows_it():
    x, y = torch.randn(512, 512, device="cuda"), torch.randn(512, 512, device="cuda")
    want = x.double() @ y.double().t()

    def error() -> float:
        torch._dynamo.reset()
        return float((compiled(lambda x, y: x @ y.t())(x, y) - want).abs().max() / want.abs().max())

    assert error() < 2e-6
    with torch.backends.cudnn.flags(allow_tf32=True):
        assert error() < 2e-6
        torch.set_float32_matmul_precision("high")
        assert 2e-5 < error() < 5e-3
        torch.backends.cudnn.allow_tf32 = False  # one of the two forbids it
        assert error() < 2e-6
    torch.set_float32_matmul_precision("highest")


@needs_gpu
def test_dropout_draws_on_the_gpu():
    run = compiled(lambda x: F.dropout(x, 0.25))
    x = torch.ones(1000, 1000, device="cuda")
    first, second = run(x), run(x)
    assert not torch.equal(first, second)
    assert abs(float((first == 0).float().mean()) - 0.25) < 0.01
    near(first[first != 0].mean(), torch.tensor(4 / 3, device="cuda"))


@needs_gpu
def test_tensors_of_the_host_in_one_graph():
    def f(x, scale):
        return x * scale, (x + 1).cpu()

    x, scale = torch.randn(5, device="cuda"), torch.tensor(3.0)
    for got, want in zip(compiled(f)(x, scale), f(x, scale), strict=True):
        near(got, want)


@needs_gpu
def test_another_device_than_the_tensors_is_refused():
    run = torch.compile(lambda x: x + 1, backend="tenfold", options={"device": "interp", "strict": True})
    with pytest.raises(Exception, match="graph on CUDA tensors runs on device 'cuda'"):
        run(torch.ones(3, device="cuda"))


SEEN = """
import torch
torch.accelerator.is_available = lambda: True
import tenfold
tenfold.stats(), tenfold.explain(), tenfold.reset_stats()
try:
    torch.empty(2, device="tenfold")
    print("registered")
except RuntimeError as error:
    print(error)
"""


@pytest.mark.parametrize(("wanted", "registered"), [(None, False), ("1", True)])
def test_no_device_is_registered_next_to_a_gpu(wanted, registered):
    """torch's backward passes know one accelerator; a second one makes those on the GPU fail."""
    environment = {k: v for k, v in os.environ.items() if k != "TENFOLD_DEVICE"}
    if wanted is not None:
        environment["TENFOLD_DEVICE"] = wanted
    done = subprocess.run([sys.executable, "-c", SEEN], capture_output=True, text=True, env=environment, timeout=120)
    assert done.returncode == 0, done.stderr
    assert ("registered" in done.stdout) == registered, done.stdout


# (rows, columns, depth, transposed left operand, transposed right operand, type): few and many tiles, an even and an
# odd number of them, edges that no tile ends at, depths that are cut to pieces.
PRODUCTS = [
    *((1280, 768, 768, False, True, "bfloat16"), (1280, 3072, 768, False, True, "bfloat16")),
    *((128, 768, 3072, False, True, "bfloat16"), (384, 3072, 768, True, False, "bfloat16")),
    *((1000, 776, 520, True, True, "bfloat16"), (1000, 776, 520, True, False, "float16")),
    *((4096, 4096, 1024, False, False, "bfloat16"), (192, 320, 8192, False, True, "float16")),
    *((1280, 768, 768, False, True, "float32"), (1000, 776, 520, False, True, "float32")),
]


@needs_gpu
@pytest.mark.parametrize("shape", PRODUCTS, ids=str)
def test_products_of_many_sizes(shape):
    rows, columns, depth, left, right, name = shape
    dtype = getattr(torch, name)
    torch.backends.cuda.matmul.allow_tf32 = True
    x, y = torch.randn(rows, depth, device="cuda").to(dtype), torch.randn(depth, columns, device="cuda").to(dtype)
    x = x.t().contiguous().t() if left else x
    y = y.t().contiguous().t() if right else y
    bias = torch.randn(columns, device="cuda").to(dtype)
    run = compiled(lambda x, y, bias: torch.relu(x @ y + bias))
    want = torch.relu(x.double() @ y.double() + bias.double())
    first = run(x, y, bias)
    for _ in range(4):
        assert torch.equal(run(x, y, bias), first)
    error = (first.double() - want).abs().max() / want.abs().max()
    assert error < (2e-3 if name == "float32" else 8e-3), error


@needs_gpu
@pytest.mark.parametrize("batch", [(4, 3), (7,)], ids=str)
def test_products_of_batches(batch):
    x, y = (torch.randn(*batch, 200, 264, device="cuda").bfloat16() for _ in range(2))
    run = compiled(lambda x, y: x @ y.transpose(-1, -2))
    want = x.double() @ y.double().transpose(-1, -2)
    for _ in range(3):
        got = run(x, y)
        assert (got.double() - want).abs().max() / want.abs().max() < 8e-3


# (images, size, inputs, outputs, window, stride, dilation)
WINDOWS = [
    *((8, 28, 64, 128, 3, 1, 1), (8, 28, 64, 128, 3, 2, 1), (8, 29, 128, 64, 3, 2, 1), (8, 28, 64, 256, 1, 2, 1)),
    *((8, 28, 128, 192, 3, 1, 2), (5, 14, 256, 64, 5, 1, 1), (16, 7, 512, 512, 3, 1, 1), (3, 56, 72, 64, 3, 1, 1)),
]


@needs_gpu
@pytest.mark.parametrize("shape", WINDOWS, ids=str)
def test_convolutions_of_many_sizes(shape):
    images, size, inputs, outputs, window, stride, dilation = shape
    pad = dilation * (window // 2)
    net = nn.Sequential(
        nn.Conv2d(inputs, inputs, 1), nn.ReLU(), nn.Conv2d(inputs, outputs, window, stride, pad, dilation), nn.ReLU()
    )
    net = net.cuda().bfloat16()
    exact = copy.deepcopy(net).double()
    x = torch.randn(images, inputs, size, size, device="cuda").bfloat16().requires_grad_()
    z = x.detach().double().requires_grad_()
    run = compiled(net)
    for _ in range(3):
        net.zero_grad()
        x.grad = None
        got = run(x)
        got.float().square().sum().backward()
    want = exact(z)
    want.square().sum().backward()
    # bf16 rounds ReLU's inputs over zero or under it, so single gradients are far off; eager's are, too
    eager, y = copy.deepcopy(net), x.detach().clone().requires_grad_()
    eager.zero_grad()
    other = eager(y)
    other.float().square().sum().backward()
    weights = zip(net.parameters(), eager.parameters(), exact.parameters(), strict=True)
    results = [(got, other, want), (x.grad, y.grad, z.grad), *((p.grad, e.grad, q.grad) for p, e, q in weights)]
    for ours, theirs, right in results:
        errors = [((value.double() - right).norm() / right.norm()).item() for value in (ours, theirs)]
        assert errors[0] < 1.2 * errors[1] + 1e-3, errors
