"""Recurrent layers on the lazy device: one op where nothing is differentiated, as eager has it in any case."""

import pytest
import tenfold  # noqa: F401
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class Count(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.count += 1
        return function(*args, **(kwargs or {}))


WAYS = [{}, {"bidirectional": True, "batch_first": True}, {"batch_first": True, "num_layers": 2, "bias": False}]


@pytest.mark.parametrize("kind", [torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN])
@pytest.mark.parametrize("way", WAYS, ids=["plain", "both ways", "two layers"])
def test_inference_records_one_op(kind, way):
    torch.manual_seed(0)
    layer, x = kind(5, 7, **way), torch.randn(3, 9, 5)
    with torch.no_grad():
        want = tree_leaves(layer(x))
        layer, x = layer.to("tenfold"), x.to("tenfold")
        layer(x)  # types of results are asked for once
        with Count() as seen:
            made = tree_leaves(layer(x))
        for have, wanted in zip(made, want, strict=True):
            assert have.stride() == wanted.stride()
            torch.testing.assert_close(have.cpu(), wanted, rtol=1e-4, atol=1e-5)
    assert seen.count < 20  # states of zeros and the like; taken apart it is hundreds


@pytest.mark.parametrize("kind", [torch.nn.LSTM, torch.nn.GRU])
def test_training_with_dropout_between_layers(kind):
    torch.manual_seed(0)
    layer, x = kind(5, 7, 2, dropout=0.5, bidirectional=True), torch.randn(3, 2, 5)
    want = torch.autograd.grad(layer.eval()(x)[0].sum(), list(layer.parameters()))
    with torch.no_grad():  # of the first layer alone: dropout comes after it
        state = tree_leaves(layer(x)[1])[0][:2]
    layer.to("tenfold")
    have = torch.autograd.grad(layer(x.to("tenfold"))[0].sum(), list(layer.parameters()))
    for a, b in zip(have, want, strict=True):
        torch.testing.assert_close(a.cpu(), b, rtol=1e-4, atol=1e-5)
    for gradients in (True, False):
        with torch.set_grad_enabled(gradients):
            made = [layer.train()(x.to("tenfold")) for _ in range(2)]
            outputs = [y.detach().cpu() for y, _ in made]
            first = [tree_leaves(s)[0].detach().cpu() for _, s in made]
        assert not torch.equal(*outputs)
        for h in first:
            assert h.shape == (4, 2, 7)
            torch.testing.assert_close(h[:2], state, rtol=1e-4, atol=1e-5)
