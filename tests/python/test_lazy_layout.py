"""Strides of the lazy device: those PyTorch's CPU kernels choose, and what can be seen of them."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
tenfold = pytest.importorskip("tenfold")
from tenfold.torch import backend as torch_backend  # noqa: E402

nn = torch.nn
LAST = torch.channels_last


def image(device):
    return torch.arange(48.0).reshape(2, 3, 4, 2).to(device)


def shown(tensor):
    """Values, strides and the memory itself."""
    memory = tensor.as_strided((tensor.numel(),), (1,)) if tensor.is_contiguous(memory_format=LAST) else None
    return tensor.tolist(), tensor.stride(), tensor.is_contiguous(), None if memory is None else memory.tolist()


def as_strided(device):
    x = image(device).to(memory_format=LAST)
    turned = image(device)[0, :, 0].t() * 3
    for made in (x, x + 1, (x * 2)[1:] + 1, x.relu().float()):
        yield shown(made)
        yield made.as_strided((6,), (2,), 1).tolist()
    yield turned.stride(), turned.as_strided((3,), (2,)).tolist(), (turned + 1)[1:].as_strided((2,), (1,)).tolist()


def reshape_copies_and_view_refuses(device):
    x = image(device).to(memory_format=LAST) + 1
    flat = x.reshape(-1)
    flat[0] = 100.0
    yield x[0, 0, 0, 0].item(), flat[0].item()
    near = x.contiguous()
    near.zero_()
    yield x.sum().item()
    x.permute(0, 2, 3, 1).view(-1)[5] = -7.0
    yield shown(x)
    x.flatten(2)[0, 1] = 3.0
    yield shown(x)
    with pytest.raises(RuntimeError, match="view size is not compatible"):
        x.view(-1)


def writes(device):
    x = image(device).to(memory_format=LAST) * 1
    x[0, 1] = 5.0
    x.mul_(2)
    memory = x.as_strided((48,), (1,))
    memory[7] = 1000.0
    yield shown(x)
    x.copy_(image(device))
    yield memory.tolist()
    tenfold_or_host = x.cpu()
    yield shown(tenfold_or_host)
    memory.zero_()
    yield shown(x)


def likes(device):
    x = image(device).to(memory_format=LAST)
    for made in (
        torch.zeros_like(x),
        torch.ones_like(x.transpose(1, 2)),
        torch.full_like(x, 3, memory_format=torch.contiguous_format),
        torch.zeros_like(image(device), memory_format=LAST, dtype=torch.int64),
        torch.zeros_like(x[:, :, ::2]),
        x.double(),
        x.clone(),
        x.new_zeros(2, 3, 4, 5),
        torch.empty(2, 3, 4, 5, device=device, memory_format=LAST).fill_(2),
        torch.empty_strided((2, 3), (1, 4), device=device).fill_(1),
    ):
        yield shown(made)


def models(device):
    torch.manual_seed(0)
    net = nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2, 1), nn.Upsample(scale_factor=2)
    )
    for last in (net.to(device), net.to(device, memory_format=LAST)):
        x = image(device).requires_grad_()
        for given in (x, x.to(memory_format=LAST)):
            out = last(given)
            out.square().mean().backward()
            yield out.stride(), x.grad.stride(), [p.stride() for p in last.parameters()]
            yield [p.grad.stride() for p in last.parameters()]
            last.zero_grad(), setattr(x, "grad", None)


def matrices(device):
    a = torch.arange(12.0).reshape(3, 4).to(device)
    for made in (
        a.t() @ a,
        a.t() + a.t().contiguous(),
        torch.linalg.qr(a)[0],
        torch.fft.fft(a, dim=0),
        a.t().softmax(0),
        a.t().cumsum(0),
        torch.stack([a.t(), a.t()]),
        torch.where(a.t() > 1, a.t(), 0.0),
        a.t()[torch.tensor([0, 2], device=device)],
        a.t().sort(0)[0],
        torch.nn.functional.pad(a.t(), (1, 1)),
        a.t().unsafe_chunk(2)[1],
    ):
        yield made.stride(), made.is_contiguous()


@pytest.mark.parametrize(
    "program", [as_strided, reshape_copies_and_view_refuses, writes, likes, models, matrices], ids=lambda p: p.__name__
)
def test_layout_is_the_cpus(program):
    want = list(program("cpu"))
    for _ in range(2):  # the second time the program is followed, not traced
        for have, should in zip(program("tenfold"), want, strict=True):
            assert have == should


def test_memory_ends():
    with pytest.raises(RuntimeError, match="out of bounds for storage of 4 elements"):
        torch.zeros(4, device="tenfold").as_strided((2, 2), (2, 2))


def test_gradients_through_memory():
    """as_strided of a result that is channels last: its gradient goes back to where memory says."""
    grads = []
    for device in ("cpu", "tenfold"):
        x = image(device).to(memory_format=LAST).requires_grad_()
        (x * 2).as_strided((12,), (4,), 1).square().sum().backward()
        grads.append(x.grad.cpu())
    torch.testing.assert_close(grads[1], grads[0])
    assert grads[1].stride() == grads[0].stride()


@pytest.mark.parametrize("turn", [lambda w: w, lambda w: w.mT, lambda w: w.transpose(0, 1)])
def test_determinants_know_the_layout(turn):
    """What autograd keeps for their gradients depends on whether the matrix is row-major."""
    given = turn(torch.randn(3, 3, 3, generator=torch.Generator().manual_seed(0)) + 3 * torch.eye(3))
    for function in (torch.linalg.det, lambda w: torch.linalg.slogdet(w)[1]):
        grads = []
        for device in ("cpu", "tenfold", "compiled"):
            w = given.clone().to("cpu" if device == "compiled" else device).requires_grad_()
            call = torch.compile(function, backend=torch_backend.backend) if device == "compiled" else function
            call(w).sum().backward()
            grads.append(w.grad.cpu())
        torch.testing.assert_close(grads[1], grads[0], rtol=1e-4, atol=1e-4)
        torch.testing.assert_close(grads[2], grads[0], rtol=1e-4, atol=1e-4)


def test_loops_of_pytorch():
    """Recorded step by step, with their gradients; nobody asks dynamo."""
    from torch._higher_order_ops import map as map_of
    from torch._higher_order_ops import scan, while_loop

    made = []
    for device in ("cpu", "tenfold"):
        x = torch.linspace(-1, 1, 12).reshape(3, 4).to(device).requires_grad_()
        carry, rows = scan(
            lambda c, r: (c * 0.5 + r, (c * r).sum()), torch.ones(3, device=device), x, dim=1, reverse=True
        )
        each = map_of(lambda row, s: row.sin() * s, x, torch.tensor(2.0, device=device))
        (carry.sum() + (rows * each.sum(0)).sum()).backward()
        turns = while_loop(
            lambda i, y: y.abs().sum() > 1, lambda i, y: (i + 1, y * 0.5), (torch.tensor(0, device=device), x.detach())
        )
        made.append([t.detach().cpu() for t in (carry, rows, each, x.grad, *turns)])
    for have, want in zip(made[1], made[0], strict=True):
        torch.testing.assert_close(have, want)


def pooled(device, indices):
    """A maximum that is also elsewhere in its window, and one that is not a number."""
    x = torch.arange(2 * 3 * 7 * 7.0).reshape(2, 3, 7, 7).remainder(11)
    x[0, 0, 3, 3] = float("nan")
    x = x.to(device).requires_grad_()
    y, where = torch.nn.functional.max_pool2d(x, 3, 2, 1, return_indices=True)
    (grad,) = torch.autograd.grad((y * torch.arange(1.0, 17.0, device=device).reshape(4, 4)).sum(), x)
    return [y, grad, where] if indices else [y, grad]


@pytest.mark.parametrize("indices", [False, True])
def test_gradients_of_max_pooling_need_no_indices(indices):
    for mine, theirs in zip(pooled("tenfold", indices), pooled("cpu", indices), strict=True):
        assert torch.equal(mine.cpu().nan_to_num(-1), theirs.nan_to_num(-1))
    _, grad = pooled("tenfold", False)
    text = tenfold.get_mlir(grad, "passes")
    assert "select_and_scatter" in text and "reduce_window" not in text
