"""Optimizers of what torch.compile trains: updates are fused for the length of a step, and are those of eager mode."""

from __future__ import annotations

import copy

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tenfold")
from tenfold.torch import backend as _backend  # noqa: E402, F401
from torch import nn  # noqa: E402


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    torch.manual_seed(0)
    yield


@pytest.fixture
def fused(monkeypatch):
    """The fused kernels that were called."""
    called = []
    for name in ("_fused_adam_", "_fused_adamw_", "_fused_sgd_"):
        original = getattr(torch, name)
        monkeypatch.setattr(
            torch, name, lambda *a, original=original, name=name, **k: called.append(name) or original(*a, **k)
        )
    return called


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv, self.norm, self.late = nn.Conv2d(3, 5, 3, bias=False), nn.BatchNorm2d(5), nn.Linear(5, 5)
        self.out = nn.Linear(5, 4)

    def forward(self, x, late=False):
        y = self.norm(self.conv(x)).relu().mean((2, 3))
        return self.out(self.late(y) if late else y)


MADE = {
    "adamw": lambda p: torch.optim.AdamW(p, lr=0.01),
    "adam": lambda p: torch.optim.Adam(p, lr=0.01, weight_decay=0.1, amsgrad=True),
    "sgd": lambda p: torch.optim.SGD(p, lr=0.01),
    "momentum": lambda p: torch.optim.SGD(p, lr=0.01, momentum=0.9, nesterov=True, weight_decay=0.1),
}


def train(model, make, compiled, late_from=100, last=False, steps=5, options=None):
    model = copy.deepcopy(model)
    if last:
        model = model.to(memory_format=torch.channels_last)
    run = torch.compile(model, backend="tenfold", options=options) if compiled else model
    optimizer = make(model.parameters())
    x = torch.linspace(-1, 1, 2 * 3 * 8 * 8).view(2, 3, 8, 8).sin()
    for i in range(steps):
        optimizer.zero_grad()
        run(x, i >= late_from).square().mean().backward()
        optimizer.step()
    return model, optimizer


@pytest.mark.parametrize(
    ("kind", "late_from", "last"),
    [("adamw", 2, True), ("adam", 100, False), ("sgd", 100, False), ("momentum", 100, True), ("momentum", 2, False)],
)
def test_fused_updates_are_those_of_eager(fused, kind, late_from, last):
    model = Net()
    want, other = train(model, MADE[kind], False, late_from, last)
    assert not fused
    got, optimizer = train(model, MADE[kind], True, late_from, last)
    assert fused  # also where a parameter has its first gradient later than others
    for a, b in zip(got.parameters(), want.parameters(), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5)
    assert optimizer.state_dict()["param_groups"] == other.state_dict()["param_groups"]


CHOSEN = {
    "foreach": lambda p: torch.optim.AdamW(p, lr=0.01, foreach=True),
    "one at a time": lambda p: torch.optim.AdamW(p, lr=0.01, fused=False),
    "a rate that is a tensor": lambda p: torch.optim.AdamW(p, lr=torch.tensor(0.01)),
    "a class of the user's": lambda p: type("Mine", (torch.optim.AdamW,), {})(p, lr=0.01),
}


@pytest.mark.parametrize("kind", CHOSEN)
def test_what_the_user_chose_stays(fused, kind):
    train(Net(), CHOSEN[kind], True)
    assert not fused


def test_it_can_be_switched_off(fused):
    train(Net(), MADE["adamw"], True, options={"fused_optimizer": False})
    assert not fused
    with pytest.raises(Exception, match="fused_optimizer must be True or False, not 3"):
        train(Net(), MADE["adamw"], True, options={"fused_optimizer": 3})


def test_others_are_left_alone(fused):
    train(Net(), MADE["adamw"], True)
    fused.clear()
    train(Net(), MADE["adamw"], False)  # eager parameters
    assert not fused


def test_gradients_that_lie_otherwise(fused):
    """The kernels walk over memory; a gradient that the user put there may lie in another order."""
    model = Net()
    got, optimizer = train(model, MADE["adamw"], True, steps=1)
    want, other = train(model, MADE["adamw"], False, steps=1)
    fused.clear()
    for each, step in ((got, optimizer), (want, other)):
        shape = each.out.weight.shape
        each.out.weight.grad = torch.linspace(-1, 1, shape.numel()).view(shape[::-1]).t()
        step.step()
    assert not fused
    torch.testing.assert_close(got.out.weight, want.out.weight, rtol=1e-4, atol=1e-5)


def test_a_step_that_raised(fused):
    _, optimizer = train(Net(), MADE["adamw"], True, steps=2)

    def closure():
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        optimizer.step(closure)
    optimizer.step()
    assert optimizer.param_groups[0]["fused"] is None


def test_a_step_inside_of_a_graph():
    model = nn.Linear(6, 3)
    x = torch.randn(5, 6)
    want = copy.deepcopy(model)
    train(Net(), MADE["adamw"], True, steps=1)  # hooks are there
    made = []
    for each, compiled in ((model, True), (want, False)):
        optimizer = torch.optim.AdamW(each.parameters(), lr=0.01)
        step = torch.compile(optimizer.step, backend="tenfold") if compiled else optimizer.step
        for _ in range(3):
            optimizer.zero_grad()
            each(x).square().mean().backward()
            step()
        made.append(each.weight)
    torch.testing.assert_close(made[0], made[1], rtol=1e-4, atol=1e-5)
