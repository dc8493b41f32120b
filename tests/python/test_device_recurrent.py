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


TRAINED = [*WAYS, {"num_layers": 2, "bidirectional": True}]


def _gradients(layer, x, state, again):
    leaves = [x, *tree_leaves(state), *layer.parameters()]
    y, end = layer(x, state)
    loss = sum((part * torch.arange(part.numel(), device=part.device).view(part.shape).cos()).sum()
               for part in [y, *tree_leaves(end)])  # fmt: skip
    made = torch.autograd.grad(loss, leaves, create_graph=again)
    if again:
        made = torch.autograd.grad(sum(g.square().sum() for g in made), leaves)
    return [y, *tree_leaves(end), *made]


def _trained(kind, way, again=False):
    torch.manual_seed(0)
    layer, x = kind(5, 7, **way), torch.randn(3, 4, 5)
    count = way.get("num_layers", 1) * (2 if way.get("bidirectional") else 1)
    batch = 3 if way.get("batch_first") else 4
    sizes = [way.get("proj_size", 7), 7] if kind is torch.nn.LSTM else [7]
    state = [torch.randn(count, batch, n) for n in sizes]
    results = []
    for device in ("cpu", "tenfold"):
        layer, given = layer.to(device), [t.detach().to(device).requires_grad_() for t in (x, *state)]
        hidden = tuple(given[1:]) if kind is torch.nn.LSTM else given[1]
        with Count() as seen:
            results.append(_gradients(layer, given[0], hidden, again))
    for have, want in zip(results[1], results[0], strict=True):
        torch.testing.assert_close(have.detach().cpu(), want.detach(), rtol=1e-4, atol=1e-5)
    return seen.count


@pytest.mark.parametrize("kind", [torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN])
@pytest.mark.parametrize("way", TRAINED, ids=["plain", "both ways", "two layers", "all"])
def test_training_records_an_op_for_each_layer(kind, way):
    directions = way.get("num_layers", 1) * (2 if way.get("bidirectional") else 1)
    assert _trained(kind, way) < 20 + 60 * directions  # taken apart it is hundreds


def test_training_of_projections_and_of_relu():
    _trained(torch.nn.LSTM, {"proj_size": 3, "bidirectional": True})
    _trained(torch.nn.RNN, {"nonlinearity": "relu"})


@pytest.mark.parametrize("kind", [torch.nn.LSTM, torch.nn.GRU])
def test_gradients_of_gradients(kind):
    _trained(kind, {}, again=True)


@pytest.mark.parametrize("kind", [torch.nn.LSTM, torch.nn.GRU, torch.nn.RNN])
@pytest.mark.parametrize("batch_first", [False, True])
def test_empty_sequences_are_refused_as_in_eager_mode(kind, batch_first):
    shape = (2, 0, 5) if batch_first else (0, 2, 5)
    for gradients in (False, True):
        for device in ("cpu", "tenfold"):
            layer = kind(5, 7, batch_first=batch_first).to(device)
            with torch.set_grad_enabled(gradients), pytest.raises(RuntimeError, match="length to be larger than 0"):
                layer(torch.zeros(shape, device=device))[0].cpu()
