"""Graphs of training are compiled on threads of their own: AOTAutograd goes on meanwhile, and the first call waits."""

import copy
import threading

import pytest
import tenfold
import torch
from tenfold.torch import compiled
from torch import nn


@pytest.fixture
def threads(monkeypatch):
    """Names of the threads that compiled something."""
    names, specialize = [], compiled.Compiled.specialize

    def note(self, *args, **kwargs):
        names.append(threading.current_thread().name)
        return specialize(self, *args, **kwargs)

    monkeypatch.setattr(compiled.Compiled, "specialize", note)
    torch._dynamo.reset()
    return names


def model() -> nn.Module:
    torch.manual_seed(0)
    layers = [nn.Conv2d(3, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 8, 3)]
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(8 * 36, 5))


def gradients_agree(ours: nn.Module, theirs: nn.Module) -> None:
    for a, b in zip(ours.parameters(), theirs.parameters(), strict=True):
        torch.testing.assert_close(a.grad, b.grad, rtol=1e-4, atol=1e-5)


def test_both_graphs_of_a_step(threads):
    ours, x = model(), torch.randn(2, 3, 8, 8)
    theirs, run = copy.deepcopy(ours), torch.compile(ours, backend="tenfold")
    for _ in range(2):
        run(x).square().sum().backward()
        theirs(x).square().sum().backward()
    assert threads == ["tenfold-compile"] * 2
    gradients_agree(ours, theirs)


def test_what_fails_on_its_thread_is_compiled_by_its_first_call(threads, monkeypatch):
    """Once more, then as a graph that may be split: with its inputs as eager mode lays them."""
    specialize = compiled.Compiled.specialize

    def fail(self, *args, **kwargs):
        if self.in_parts:
            raise tenfold.Error("out of luck")
        return specialize(self, *args, **kwargs)

    monkeypatch.setattr(compiled.Compiled, "specialize", fail)
    ours, x = model(), torch.randn(2, 3, 8, 8)
    theirs, run = copy.deepcopy(ours), torch.compile(ours, backend="tenfold")
    for _ in range(2):
        run(x).square().sum().backward()
        theirs(x).square().sum().backward()
    assert threads == ["MainThread"] * 2
    gradients_agree(ours, theirs)
