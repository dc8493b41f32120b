"""Training under autocast by torch.compile: gradients as eager's, and nothing left to eager mode."""

import copy

import pytest
import tenfold.torch.backend
import torch
from torch import nn


def _step(model, run, x):
    with torch.autocast("cpu", torch.bfloat16):
        y = run(x)
    y.float().square().mean().backward()
    return [y.detach(), *(p.grad for p in model.parameters())]


@pytest.mark.parametrize(
    "norm",
    [nn.GroupNorm(2, 8), nn.GroupNorm(1, 8, affine=False), nn.BatchNorm1d(8), nn.LayerNorm(30)],
    ids=["groups", "groups without weights", "batch", "layer"],
)
def test_norms_between_convolutions(norm):
    torch.manual_seed(0)
    torch._dynamo.reset()
    model = nn.Sequential(nn.Conv1d(3, 8, 1), nn.PReLU(), norm, nn.Conv1d(8, 8, 3, padding=1, groups=8), nn.PReLU())
    x, own = torch.randn(2, 3, 30), copy.deepcopy(model)
    want = _step(model, model, x)
    tenfold.reset_stats()
    have = _step(own, torch.compile(own, backend="tenfold"), x)
    assert not tenfold.stats()["fallbacks"]
    for a, b in zip(have, want, strict=True):
        assert a.dtype == b.dtype
        torch.testing.assert_close(a.float(), b.float(), rtol=0.05, atol=0.02)


def _recurrent_step(layer, x):
    """Eager mode has no LSTM of bf16 on CPUs without AVX-512: there what f32 gives."""
    try:
        return _step(layer, lambda x: layer(x)[0], x)
    except RuntimeError as error:
        if "primitive descriptor" not in str(error):
            raise
    y = layer(x)[0]
    y.square().mean().backward()
    return [y.detach().bfloat16(), *(p.grad for p in layer.parameters())]


def test_recurrent_layer():
    torch.manual_seed(0)
    torch._dynamo.reset()
    layer, x = nn.LSTM(16, 32, batch_first=True), torch.randn(3, 6, 16)
    own = copy.deepcopy(layer)
    compiled = torch.compile(own, backend="tenfold")
    want, have = _recurrent_step(layer, x), _step(own, lambda x: compiled(x)[0], x)
    for a, b in zip(have, want, strict=True):
        assert a.dtype == b.dtype
        torch.testing.assert_close(a.float(), b.float(), rtol=0.05, atol=0.02)
