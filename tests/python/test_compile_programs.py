"""Programs of kinds people bring through torch.compile(backend="tenfold"), with gradients, against eager PyTorch."""

from __future__ import annotations

import copy

import pytest

torch = pytest.importorskip("torch")
tenfold = pytest.importorskip("tenfold")
nn, F = torch.nn, torch.nn.functional


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()
    tenfold.reset_stats()
    yield


def step(model, inputs, backend=None):
    """Outputs, gradients of parameters and inputs, and buffers after a training step."""
    model = copy.deepcopy(model)
    inputs = [x.clone().requires_grad_() if x.is_floating_point() else x for x in inputs]
    run = torch.compile(model, backend=backend) if backend else model
    out = run(*inputs)
    out.float().pow(2).mean().backward()
    grads = {name: p.grad for name, p in model.named_parameters()}
    return {"out": out, "in": [x.grad for x in inputs], **grads, **dict(model.named_buffers())}


@pytest.mark.parametrize("inputs", ["same", "float"])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_batch_norm_trains_in_half_types(dtype, inputs):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU()).to(dtype)
    if inputs == "float":  # statistics and weights stay in f32
        model[1].float()
    x = torch.randn(4, 3, 8, 8, dtype=dtype)
    want, have = step(model, [x]), step(model, [x], "tenfold")
    assert tenfold.stats()["fallbacks"] == {}
    for name, value in want.items():
        torch.testing.assert_close(have[name], value, atol=2e-2, rtol=2e-2, msg=lambda m, name=name: f"{name}: {m}")


def test_an_eager_op_of_another_type_than_it_was_traced_with(monkeypatch):
    """PyTorch's rule for batch norm says that running statistics of half are f32; its kernel makes f16."""
    from tenfold import torch_backend

    plain = torch_backend.knows
    monkeypatch.setattr(torch_backend, "knows", lambda n: "native_batch_norm_legit" not in n and plain(n))
    torch.manual_seed(0)
    model, x = nn.BatchNorm1d(4).half(), torch.randn(8, 4).half()
    with pytest.warns(UserWarning, match="native_batch_norm_legit.* runs in eager mode"):
        have = step(model, [x], "tenfold")
    for name, value in step(model, [x]).items():
        torch.testing.assert_close(have[name], value, atol=2e-2, rtol=2e-2)
