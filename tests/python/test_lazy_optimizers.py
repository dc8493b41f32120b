"""Optimizers on device="tenfold": steps, parameters and state as on the CPU; Adam's update as one recorded op."""

from __future__ import annotations

import copy

import pytest

torch = pytest.importorskip("torch")
tenfold = pytest.importorskip("tenfold")


@pytest.fixture(autouse=True)
def fresh():
    torch.tenfold.synchronize()
    tenfold.reset_stats()
    yield


OPTIMIZERS = {
    "sgd": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01),
    "adam": lambda p: torch.optim.Adam(p, lr=0.01, amsgrad=True),
    "adam l2": lambda p: torch.optim.Adam(p, lr=0.01, betas=(0.4, 0.9), weight_decay=0.1, maximize=True),
    "adamw maximize": lambda p: torch.optim.AdamW(p, lr=0.01, amsgrad=True, maximize=True),
    "adamw plain": lambda p: torch.optim.AdamW(p, lr=0.01, foreach=False),
    "adamw fused": lambda p: torch.optim.AdamW(p, lr=0.01, fused=True),
    "sgd fused": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, fused=True),
    "rmsprop": lambda p: torch.optim.RMSprop(p, lr=0.01),
    "adagrad": lambda p: torch.optim.Adagrad(p, lr=0.01),
    "nadam": lambda p: torch.optim.NAdam(p, lr=0.01),
    "radam": lambda p: torch.optim.RAdam(p, lr=0.01),
    "adamax": lambda p: torch.optim.Adamax(p, lr=0.01),
    "adadelta": lambda p: torch.optim.Adadelta(p),
    "lion-like schedule": lambda p: torch.optim.AdamW(p, lr=0.02),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers(name):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.Tanh(), torch.nn.Linear(8, 3))
    x, y = torch.randn(10, 6), torch.randn(10, 3)
    losses = {}
    for device in ("cpu", "tenfold"):
        m = copy.deepcopy(model).to(device)
        step = OPTIMIZERS[name](m.parameters())
        scheduler = torch.optim.lr_scheduler.ExponentialLR(step, 0.9)
        tenfold.reset_stats()
        losses[device] = []
        for _ in range(8):
            step.zero_grad()
            loss = torch.nn.functional.mse_loss(m(x.to(device)), y.to(device))
            loss.backward()
            torch.nn.utils.clip_grad_norm_(m.parameters(), 1.0)
            step.step()
            scheduler.step()
            losses[device].append(loss.item())
    assert losses["tenfold"] == pytest.approx(losses["cpu"], rel=1e-4)
    assert tenfold.stats()["fallbacks"] == {}
    assert tenfold.stats()["compilations"] <= 2, tenfold.explain()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
def test_adam_updates_as_the_cpu(dtype):
    """Parameters and state, also of what is not in row-major order and of a parameter that joins later."""
    torch.manual_seed(0)
    shapes = [(5, 3), (7,), (), (4, 3, 2, 2)]
    starts = [torch.randn(s).to(dtype) for s in shapes]
    grads = [[torch.randn(s).to(dtype) for s in shapes] for _ in range(4)]
    made = {}
    for device in ("cpu", "tenfold"):
        params = [torch.nn.Parameter(s.clone().to(device)) for s in starts]
        params[3] = torch.nn.Parameter(starts[3].to(device).contiguous(memory_format=torch.channels_last))
        optimizer = torch.optim.AdamW(params, lr=0.1, amsgrad=True, foreach=True)
        for step, all_grads in enumerate(grads):
            for i, (p, g) in enumerate(zip(params, all_grads, strict=True)):
                p.grad = g.to(device) if step or i != 1 else None
            optimizer.step()
        state = [optimizer.state[p] for p in params]
        names = ("exp_avg", "exp_avg_sq", "max_exp_avg_sq")
        made[device] = [p.detach().cpu() for p in params] + [s[n].cpu() for s in state for n in names]
        assert [s["step"].item() for s in state] == [4, 3, 4, 4]
    close = {torch.float32: 1e-6, torch.bfloat16: 2e-2, torch.float64: 1e-14}[dtype]
    for have, wanted in zip(made["tenfold"], made["cpu"], strict=True):
        torch.testing.assert_close(have, wanted, rtol=close, atol=close)


def test_adam_is_one_op_for_each_parameter():
    from tenfold.torch.lazy import pending

    model = torch.nn.Linear(4, 2).to("tenfold")
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
    for p in model.parameters():
        p.grad = torch.ones_like(p)
    before = len(pending.stats.records)
    optimizer.step()
    assert [r.ops for r in pending.stats.records[before:]] == [2]


def test_adam_in_a_program_that_cannot_be_compiled(monkeypatch):
    from tenfold.torch.lazy import pending

    def refuse(wanted, program, why):
        program.refused, program.why = True, "it is a test"
        return True

    monkeypatch.setattr(pending, "_compile", refuse)
    torch.manual_seed(0)
    model = torch.nn.Linear(5, 3)  # no other test has its program
    other = copy.deepcopy(model).to("tenfold")
    for m in (model, other):
        optimizer = torch.optim.AdamW(m.parameters(), lr=0.1)
        for p in m.parameters():
            p.grad = torch.ones_like(p)
        optimizer.step()
    torch.testing.assert_close(other.weight.detach().cpu(), model.weight.detach())
