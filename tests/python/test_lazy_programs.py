"""device="tenfold": what programs met that the CPU does otherwise, or that other devices do and the CPU does not."""

from __future__ import annotations

import copy
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch")
tenfold = pytest.importorskip("tenfold")


@pytest.fixture(autouse=True)
def fresh():
    torch.tenfold.synchronize()
    tenfold.reset_stats()
    yield


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.uint8])
def test_histc_of_integers(dtype):
    """The CPU has none; accelerators do, and programs for them count tokens of experts with it."""
    x = torch.tensor([0, 3, 3, 7, 2, 3, 1, 7, 9]).to(dtype)
    have = torch.histc(x.to("tenfold"), bins=8, min=0, max=7)
    assert have.dtype == dtype
    assert have.cpu().tolist() == torch.histc(x.double(), bins=8, min=0, max=7).tolist() == [1, 1, 1, 3, 0, 0, 0, 2]
    assert torch.histc(x.to("tenfold"), 5).cpu().tolist() == torch.histc(x.double(), 5).tolist()
    assert tenfold.stats()["fallbacks"] == {}


def test_a_copied_module_has_no_gradients():
    for device in ("cpu", "tenfold"):
        model = torch.nn.Linear(2, 2).to(device)
        model(torch.ones(1, 2, device=device)).sum().backward()
        other = copy.deepcopy(model)
        assert model.weight.grad is not None and other.weight.grad is None, device
        assert isinstance(other.weight, torch.nn.Parameter) and other.weight.requires_grad
        leaf = torch.ones(2, device=device, requires_grad=True)  # a plain tensor keeps its own
        (leaf * 2).sum().backward()
        assert copy.deepcopy(leaf).grad.tolist() == [2, 2], device


def test_memory_that_the_machine_does_not_have_is_refused():
    for make in (
        lambda: torch.empty(1 << 46, device="tenfold").add(1).sum().item(),
        lambda: torch.zeros(1 << 61, device="tenfold"),
        lambda: torch.ones(1, device="tenfold").expand(1 << 46).add(1),
        lambda: torch.ones(1 << 25, 1, device="tenfold") * torch.ones(1, 1 << 25, device="tenfold"),
    ):
        with pytest.raises(RuntimeError, match=r"out of memory: a tensor float32\[.*\] takes \d+ bytes"):
            make()
    assert torch.ones(3, device="tenfold").add(1).sum().item() == 6  # nothing of it is left


def test_fallbacks_of_a_backward_pass_name_the_forward_line(monkeypatch):
    from tenfold.torch.lazy import recording, schema

    handler = schema.handler_of(torch.ops.aten.gelu_backward.default)
    monkeypatch.setattr(recording.recorder, "careful", True)  # C may have been told of the op when it was known
    monkeypatch.setattr(handler, "known", False)
    monkeypatch.setattr(handler, "decomposition", None)

    def loss(x):
        y = torch.nn.functional.gelu(x)
        return (y * 2).sum()

    line = f"{__file__}:{loss.__code__.co_firstlineno + 1}"
    for _ in range(3):  # the second is the first that follows what was recorded
        x = torch.ones(3, device="tenfold", requires_grad=True)
        loss(x).backward()
        x.grad.cpu()
    assert tenfold.stats()["fallbacks"] == {"aten.gelu_backward.default": 3}
    assert f"eager at {line}: 3" in tenfold.explain()
    assert "unknown line" not in tenfold.explain()


def test_a_recurrence_of_many_steps_is_one_program():
    """RWKV's time mixing, step by step, with outputs written to views."""

    def mix(k, v, decay, first):
        out = torch.empty_like(k)
        num = den = torch.zeros_like(k[:, 0])
        top = den - 1e38
        for t in range(k.shape[1]):
            m = torch.maximum(top, k[:, t] + first)
            a, b = torch.exp(top - m), torch.exp(k[:, t] + first - m)
            out[:, t] = (a * num + b * v[:, t]) / (a * den + b)
            m = torch.maximum(top - decay, k[:, t])
            a, b = torch.exp(top - decay - m), torch.exp(k[:, t] - m)
            num, den, top = a * num + b * v[:, t], a * den + b, m
        return out

    torch.manual_seed(0)
    given = [torch.randn(2, 24, 4), torch.randn(2, 24, 4), torch.rand(4), torch.randn(4)]
    plain = [t.clone().requires_grad_() for t in given]
    mix(*plain).pow(2).sum().backward()
    for step in range(2):
        tenfold.reset_stats()
        lazy = [t.to("tenfold").requires_grad_() for t in given]
        mix(*lazy).pow(2).sum().backward()
        grads = [t.grad.cpu() for t in lazy]
        assert tenfold.stats()["fallbacks"] == {}
        assert tenfold.stats()["compilations"] == (1 if step == 0 else 0)
    for have, want in zip(grads, plain, strict=True):
        torch.testing.assert_close(have, want.grad, atol=1e-4, rtol=1e-4)


def test_sizes_that_depend_on_data():
    """They are read, on the CPU, and counted; nothing is guessed of them."""
    x = torch.tensor([[0.0, 2.0, 0.0], [3.0, 0.0, 4.0]])
    y = x.to("tenfold")
    torch.testing.assert_close(y.nonzero().cpu(), x.nonzero())
    for have, want in zip(torch.where(y > 2), torch.where(x > 2), strict=True):
        torch.testing.assert_close(have.cpu(), want)
    torch.testing.assert_close(y[y > 1].cpu(), x[x > 1])
    torch.testing.assert_close((y * 1)[torch.where(y[1] > 1)[0] // 2].cpu(), x[torch.where(x[1] > 1)[0] // 2])
    assert tenfold.stats()["fallbacks"]["aten.nonzero.default"] >= 3


def test_unique_is_of_the_values():
    """Its size is not that of the zeros that stand for values while it is recorded."""
    x = torch.tensor([[3.0, 1.0], [1.0, 2.0]])
    for make in (
        lambda v: torch.unique(v * 2, return_inverse=True, return_counts=True),
        lambda v: torch.unique_consecutive(v.flatten() - 1, return_counts=True),
        lambda v: torch.unique(v + 1, dim=0),
        lambda v: torch.bincount(v.flatten().long() + 1),
    ):
        have, want = make(x.to("tenfold")), make(x)
        for a, b in zip(have, want, strict=True) if isinstance(want, tuple) else [(have, want)]:
            torch.testing.assert_close(a.cpu(), b)


def test_packed_sequences():
    from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

    tenfold.reset_stats()
    for kind, first in ((torch.nn.LSTM, True), (torch.nn.GRU, False)):
        torch.manual_seed(0)
        model, made = kind(4, 5, batch_first=first, bidirectional=True), []
        given = torch.randn(3, 6, 4) if first else torch.randn(6, 3, 4)
        for device in ("cpu", "tenfold"):
            x = given.clone().to(device).requires_grad_()
            copied = copy.deepcopy(model).to(device)
            packed = pack_padded_sequence(x, torch.tensor([2, 6, 3]), batch_first=first, enforce_sorted=False)
            padded, lengths = pad_packed_sequence(copied(packed)[0], batch_first=first)
            padded.square().sum().backward()
            made.append([padded, lengths, x.grad, *[p.grad for p in copied.parameters()]])
        for have, want in zip(made[1], made[0], strict=True):
            torch.testing.assert_close(have.detach().cpu(), want.detach(), rtol=1e-4, atol=1e-5)
    assert not tenfold.stats()["fallbacks"]


def test_resizing_stays_in_memory():
    """fftfreq counts on it, and whoever writes to out= that is a part of something."""
    for device in ("cpu", "tenfold"):
        whole = torch.arange(8.0, device=device)
        part = whole[5:5]
        torch.arange(-3, 0, out=part)
        assert whole.tolist() == [0, 1, 2, 3, 4, -3, -2, -1]
        assert torch.fft.fftfreq(4, device=device).tolist() == [0, 0.25, -0.5, -0.25]


LATE = """
import threading
import torch
torch.ones(2, requires_grad=True).sum().backward()  # torch makes its threads for devices here, once
import tenfold

def check():
    x = torch.ones(2, device="tenfold", requires_grad=True)
    (x * 3).sum().backward()
    assert x.grad.tolist() == [3, 3]
    y = torch.ones(2, device="tenfold", requires_grad=True)
    (y.cpu() * 4).sum().backward()  # from the CPU to the device
    assert y.grad.tolist() == [4, 4]
    (first,) = torch.autograd.grad((y**3).sum(), y, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), y)
    assert second.tolist() == [6, 6]
    done.append(1)

done = []
check()
thread = threading.Thread(target=check)
thread.start()
thread.join()
assert len(done) == 2 and torch._C._is_multithreading_enabled()
"""


def test_backward_where_the_device_came_late():
    """After a first backward pass of torch's; that was an internal assertion."""
    done = subprocess.run([sys.executable, "-c", LATE], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
