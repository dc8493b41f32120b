"""Training of recurrent layers by torch.compile on data that needs no gradient, with dropout between the layers."""

import pytest
import tenfold.torch.backend  # noqa: F401
import torch


@pytest.mark.parametrize("kind", [torch.nn.LSTM, torch.nn.GRU])
def test_training_on_data(kind):
    torch.manual_seed(0)
    torch._dynamo.reset()
    layer, x = kind(5, 7, 2, dropout=0.5, batch_first=True), torch.randn(3, 4, 5)
    compiled = torch.compile(layer, backend="tenfold", fullgraph=True)
    results = []
    for function in (layer.eval(), compiled):
        y, _ = function(x)
        results.append([y, *torch.autograd.grad(y.square().sum(), list(layer.parameters()))])
    for want, have in zip(*results, strict=True):
        torch.testing.assert_close(have, want, rtol=1e-4, atol=1e-5)
    layer.train()
    first, second = compiled(x)[0], compiled(x)[0]
    assert not torch.equal(first, second)
    torch.autograd.grad(second.sum(), list(layer.parameters()))
