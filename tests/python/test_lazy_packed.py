"""Programs of the lazy device that only evaluate have their weights compiled in once those hold still."""

import copy

import tenfold  # noqa: F401
import torch
from tenfold.torch.lazy import pending
from tenfold.torch.lazy.recording import recorder
from torch import nn


def _is_packed():
    return any(e.packed is not None and e.packed.made is not None for p in pending.programs.values() for e in p.made)


def _evaluate(model, x):
    with torch.no_grad():
        return model(x.to("tenfold")).cpu()


def test_weights_are_compiled_in_and_followed_when_they_change():
    torch.manual_seed(0)
    pending.configure("cpu", 3, "exact")  # programs of other tests are dropped
    plain = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 36, 5)).eval()
    model, x = copy.deepcopy(plain).to("tenfold"), torch.randn(40, 3, 8, 8)

    def check():
        with torch.no_grad():
            torch.testing.assert_close(_evaluate(model, x), plain(x), rtol=1e-4, atol=1e-5)

    for _ in range(5):
        check()
    assert _is_packed()
    with torch.no_grad():
        for module in (plain, model):
            module[0].weight.mul_(2)
            module[4].weight[3, 7] += 1.0
    check()  # in one program with the writes
    check()
    assert not _is_packed()
    for _ in range(6):  # calls that wait, then compiled in again
        check()
    assert _is_packed()
    state = {name: value + 0.25 for name, value in plain.state_dict().items() if value.is_floating_point()}
    for module in (plain, model):
        module.load_state_dict(state, strict=False)
    check()
    for module, device in ((plain, "cpu"), (model, "tenfold")):  # a step of training writes where the weights are
        optimizer = torch.optim.SGD(module.parameters(), lr=0.1)
        module(x.to(device)).square().mean().backward()
        optimizer.step()
    check()
    pending.configure("cpu", 3, "f32")


def test_what_is_written_or_read_by_index_stays_an_argument():
    pending.configure("cpu", 3, "exact")
    table, cache = nn.Embedding(64, 32).to("tenfold"), torch.zeros(64, 32, device="tenfold")
    for i in range(5):
        with torch.no_grad():
            rows = table(torch.arange(48, device="tenfold"))
            cache[:48] += rows
            made = (cache @ cache.t()).cpu()
        want = table.weight.detach().cpu()[:48] * (i + 1)
        torch.testing.assert_close(made[:48, :48], want @ want.t(), rtol=1e-4, atol=1e-4)
    assert not _is_packed()
    pending.configure("cpu", 3, "f32")


class _Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.into, self.out = nn.LayerNorm(16), nn.Linear(16, 48), nn.Linear(16, 16, bias=False)

    def forward(self, x):
        q, k, v = (t.view(2, 5, 2, 8).transpose(1, 2) for t in self.into(self.norm(x)).chunk(3, 2))
        y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(2, 5, 16)
        return x + self.out(y) @ torch.ones(16, 16, device=x.device)


def test_composite_ops_are_recorded_whole_where_nothing_is_differentiated():
    torch.manual_seed(0)
    block, x = _Block(), torch.randn(2, 5, 16)
    want = block(x).detach()
    block = block.to("tenfold")
    for gradients in (False, True):
        with torch.set_grad_enabled(gradients):
            made = block(x.to("tenfold"))
            names = {h.short for h in (recorder.node(i, None)[0] for i in range(recorder.count)) if h is not None}
            whole = {"linear", "layer_norm", "matmul", "scaled_dot_product_attention"}
            assert names & whole == (set() if gradients else whole)
            torch.testing.assert_close(made.detach().cpu(), want, rtol=1e-4, atol=1e-5)
