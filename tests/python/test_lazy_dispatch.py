"""The lazy device's path of ops in C (python/core/dispatch.c) and what is read without running the rest."""

import gc
import threading
import weakref

import pytest

torch = pytest.importorskip("torch")
import tenfold  # noqa: E402
from tenfold.torch.lazy.values import Value  # noqa: E402
from torch import nn  # noqa: E402


def several(x, y):
    """Ops with several results, by name, of other layouts, and views of many kinds."""
    a, b = x.chunk(2, -1)
    parts = y.split([1, 3], 1)
    values, places = torch.topk(x, k=2, dim=-1, largest=False)
    rows = torch.unbind(y, 1)
    mean = torch.mean(x, dim=(-1,), keepdim=True, dtype=torch.float64)
    turned = x.transpose(0, 1) * 2
    return [a * b, *parts, values, places, rows[0] + rows[3], mean, turned, y[..., 1:3], torch.cat([x, y], dim=1)]


def test_results_are_eagers_again_and_again():
    torch.manual_seed(0)
    for _ in range(4):  # as a new program, and following it
        x, y = torch.randn(4, 6), torch.randn(4, 4)
        there = several(x.to("tenfold"), y.to("tenfold"))
        for made, wanted in zip(there, several(x, y), strict=True):
            assert made.stride() == wanted.stride() and made.dtype == wanted.dtype
            torch.testing.assert_close(made.cpu(), wanted)
    assert type(x.to("tenfold").split(2)) is type(x.split(2))
    assert type(torch.unbind(x.to("tenfold"))) is type(torch.unbind(x))


def test_errors_leave_the_device_usable_by_other_threads():
    x = torch.randn(3, 4).to("tenfold")
    for _ in range(3):
        with pytest.raises(RuntimeError):
            x + torch.randn(5).to("tenfold")
        with pytest.raises((RuntimeError, IndexError)):
            x.transpose(0, 7)
    with pytest.raises(RuntimeError, match="unknown device"):
        torch.rand_like(x, device="tenfold:1")
    made = []
    thread = threading.Thread(target=lambda: made.append((x * 2 + 1).cpu()))
    thread.start()
    thread.join(60)
    torch.testing.assert_close(made[0], x.cpu() * 2 + 1)


def test_what_is_gone_is_gone_at_once():
    x = torch.randn(6, 4).to("tenfold")
    gc.collect()
    gc.disable()
    try:
        for kind in (lambda: x.relu() * 2, lambda: (x > 0)[1:], lambda: x[:, 1:].t()):
            made = kind()
            seen = weakref.ref(made._lazy)
            torch.nonzero(made)  # runs on the CPU
            del made
            assert seen() is None
        before = sum(type(o) is Value for o in gc.get_objects())
        for _ in range(50):
            (x.relu() + 1).sum().item()
        assert sum(type(o) is Value for o in gc.get_objects()) <= before + 2
    finally:
        gc.enable()


class Mixture(nn.Module):
    """Experts that run on the tokens they got."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(16, 4, bias=False)
        self.experts = nn.ModuleList([nn.Sequential(nn.Linear(16, 32), nn.SiLU(), nn.Linear(32, 16)) for _ in range(4)])

    def forward(self, x):
        weights, chosen = torch.topk(torch.softmax(self.gate(x), 1), 2, dim=-1)
        mask = nn.functional.one_hot(chosen, num_classes=4).permute(2, 1, 0)
        out = torch.zeros_like(x)
        for expert in torch.greater(mask.sum(dim=(-1, -2)), 0).nonzero():
            rank, token = torch.where(mask[expert].squeeze(0))
            made = self.experts[expert](x[None, token].reshape(-1, 16)) * weights[token, rank, None]
            out.index_add_(0, token, made)
        return out


def test_experts_are_one_program_whatever_they_got():
    torch.manual_seed(0)
    model = Mixture().eval()
    wanted = [(x, model(x)) for x in (torch.randn(n, 16) for n in (40, 37, 43, 61, 53))]
    there = model.to("tenfold")
    with torch.no_grad():
        for x, result in wanted:
            tenfold.reset_stats()
            torch.testing.assert_close(there(x.to("tenfold")).cpu(), result.detach(), rtol=1e-4, atol=1e-5)
            assert tenfold.stats()["runs"] == 2  # who gets what, and the rest
    assert tenfold.stats()["compilations"] == 0


def test_what_fractions_decide_is_read_from_the_program():
    x = torch.randn(20, 5)
    there = x.to("tenfold")
    mask = (there * 3 - 1).exp() > 1
    assert torch.equal(torch.nonzero(mask).cpu(), torch.nonzero(mask.cpu()))
    assert mask[torch.nonzero(mask).unbind(1)].all().item()
