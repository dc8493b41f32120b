"""Layers of tenfold.nn as in PyTorch: outputs, gradients, state; safetensors files, schedulers, batches."""

import numpy
import pytest
import tenfold as tn

torch = pytest.importorskip("torch")


def close(array, wanted, tolerance=2e-5):
    numpy.testing.assert_allclose(numpy.asarray(array), numpy.asarray(wanted), rtol=tolerance, atol=tolerance)


LAYERS = {
    "batch-norm-1d": (lambda n: n.BatchNorm1d(3), (4, 3)),
    "batch-norm-2d": (lambda n: n.BatchNorm2d(3), (2, 3, 4, 5)),
    "batch-norm-average": (lambda n: n.BatchNorm2d(3, momentum=None), (2, 3, 2, 2)),
    "batch-norm-plain": (lambda n: n.BatchNorm1d(3, affine=False, track_running_stats=False), (4, 3, 5)),
    "group-norm": (lambda n: n.GroupNorm(2, 4), (2, 4, 3)),
    "rms-norm": (lambda n: n.RMSNorm(6), (2, 6)),
    "average": (lambda n: n.Sequential(n.AvgPool2d(2), n.Conv2d(2, 3, 1), n.AdaptiveAvgPool2d(1)), (2, 2, 6, 6)),
    "rnn": (lambda n: n.RNN(3, 4, nonlinearity="relu"), (5, 2, 3)),
    "lstm": (lambda n: n.LSTM(3, 4, 2, bidirectional=True, batch_first=True), (2, 5, 3)),
    "lstm-single": (lambda n: n.LSTM(3, 4), (5, 3)),
    "gru": (lambda n: n.GRU(3, 4, bias=False), (5, 2, 3)),
    "attention": (lambda n: n.MultiheadAttention(8, 2), (5, 2, 8)),
    "attention-single": (lambda n: n.MultiheadAttention(8, 4, bias=False, batch_first=True), (5, 8)),
    "encoder": (lambda n: n.TransformerEncoderLayer(8, 2, 16, dropout=0.0, activation="gelu"), (5, 2, 8)),
    "encoder-first": (
        lambda n: n.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True, norm_first=True),
        (2, 5, 8),
    ),
}


def call(layer, x):
    made = layer(x, x, x) if type(layer).__name__ == "MultiheadAttention" else layer(x)
    return made[0] if isinstance(made, tuple) else made


@pytest.mark.parametrize("name", LAYERS)
def test_layers_are_those_of_pytorch(name):
    build, shape = LAYERS[name]
    torch.manual_seed(0)
    theirs, ours = build(torch.nn), build(tn.nn)
    ours.load_state_dict(theirs.state_dict())
    for _ in range(2):  # what batch norms remember
        x = torch.randn(shape)
        xs = tn.asarray(x.numpy())
        wanted = call(theirs, x)
        close(call(ours, xs), wanted.detach())
    for array, parameter in zip(ours.parameters(), theirs.parameters(), strict=True):
        assert array.shape == tuple(parameter.shape)
    if ours.parameters():
        wanted.square().sum().backward()
        gradients = tn.grad(lambda layer: tn.sum(call(layer, xs) ** 2))(ours)
        for key, parameter in theirs.named_parameters():
            close(gradients[key], parameter.grad, 2e-4)
        call(theirs, x)  # the gradient took one more call
    theirs.eval(), ours.eval()
    with torch.no_grad():
        close(call(ours, xs), call(theirs, x))
    states = ours.state_dict()
    for key, value in theirs.state_dict().items():
        close(states[key], value)


def test_masks_of_attention():
    torch.manual_seed(1)
    theirs, ours = torch.nn.MultiheadAttention(8, 2, kdim=6, vdim=4), tn.nn.MultiheadAttention(8, 2, kdim=6, vdim=4)
    ours.load_state_dict(theirs.state_dict())
    q, k, v = torch.randn(3, 2, 8), torch.randn(5, 2, 6), torch.randn(5, 2, 4)
    causal = torch.ones(3, 5).triu(1).bool()
    added = torch.randn(4, 3, 5)
    padding = torch.tensor([[False] * 5, [False, False, False, True, True]])
    for masks in ({"attn_mask": causal}, {"attn_mask": added}, {"key_padding_mask": padding}):
        wanted, weights = theirs(q, k, v, average_attn_weights=False, **masks)
        given = {name: tn.asarray(mask.numpy()) for name, mask in masks.items()}
        made, shares = ours(*(tn.asarray(x.numpy()) for x in (q, k, v)), average_attn_weights=False, **given)
        close(made, wanted.detach())
        close(shares, weights.detach())
    q, k, v = (torch.randn(2, 3, n, 4) for n in (5, 6, 6))
    attend = "scaled_dot_product_attention"
    for options in ({}, {"is_causal": True}):
        made = getattr(tn.nn.functional, attend)(*(tn.asarray(x.numpy()) for x in (q, k, v)), **options)
        close(made, getattr(torch.nn.functional, attend)(q, k, v, **options))
    with pytest.raises(ValueError, match="embed_dim 8 cannot be divided by num_heads 3"):
        tn.nn.MultiheadAttention(8, 3)


def test_states_are_safetensors_files(tmp_path):
    load = pytest.importorskip("safetensors.torch")
    model = tn.nn.Sequential(tn.nn.Linear(3, 4), tn.nn.BatchNorm1d(4))
    model(tn.random.normal((5, 3)))
    path = tmp_path / "model.safetensors"
    model.save(path)
    theirs = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4))
    theirs.load_state_dict(load.load_file(path))
    again = tn.nn.Sequential(tn.nn.Linear(3, 4), tn.nn.BatchNorm1d(4))
    load.save_file(theirs.state_dict(), path)
    again.load(path)
    for name, array in model.state_dict().items():
        assert numpy.array_equal(numpy.asarray(array), numpy.asarray(again.state_dict()[name])), name
    path.write_bytes(b"\xff" * 64)
    with pytest.raises(tn.Error, match=r"model\.safetensors"):
        again.load(path)
    with pytest.raises(tn.Error, match="No such file"):
        again.load(tmp_path / "missing.safetensors")
    with pytest.raises(tn.Error):
        again.save(tmp_path / "missing" / "model.safetensors")
    with pytest.raises(TypeError, match="not a dict of arrays by name"):
        tn._core.save_arrays(path, {"x": 1})


def schedules(module):
    return {
        "step": lambda o: module.StepLR(o, 2, 0.5),
        "linear": lambda o: module.LinearLR(o, total_iters=3),
        "cosine": lambda o: module.CosineAnnealingLR(o, 4, 0.01),
        "lambda": lambda o: module.LambdaLR(o, lambda epoch: 1 / (1 + epoch)),
    }


@pytest.mark.parametrize("name", schedules(None))
def test_learning_rates_are_those_of_pytorch(name):
    ours = tn.optim.SGD([tn.zeros(1)], lr=0.1)
    theirs = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.1)
    one, two = schedules(tn.optim)[name](ours), schedules(torch.optim.lr_scheduler)[name](theirs)
    for _ in range(5):
        assert abs(ours.lr - theirs.param_groups[0]["lr"]) < 1e-7
        theirs.step()
        one.step(), two.step()


def test_batches():
    x, y = numpy.arange(20.0).reshape(10, 2), numpy.arange(10)
    loader = tn.data.DataLoader(tn.data.ArrayDataset(x, y), 4)
    assert [b.tolist() for _, b in loader] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert len(loader) == 3 and len(tn.data.DataLoader(loader.dataset, 4, drop_last=True)) == 2
    mixed = tn.data.DataLoader(loader.dataset, 3, shuffle=True, generator=tn.random.Generator(7))
    first, second = ([i for _, b in mixed for i in b.tolist()] for _ in range(2))
    assert first != second and sorted(first) == sorted(second) == list(range(10))
    for a, b in mixed:
        assert numpy.array_equal(numpy.asarray(a)[:, 0], 2 * numpy.asarray(b))
    items = tn.data.DataLoader([(numpy.ones(2) * i, i) for i in range(3)], 2)
    assert [(a.shape, b.tolist()) for a, b in items] == [((2, 2), [0, 1]), ((1, 2), [2])]
    with pytest.raises(ValueError, match=r"arrays of one length, not of \[\(10, 2\), \(3,\)\]"):
        tn.data.ArrayDataset(x, y[:3])
    with pytest.raises(ValueError, match="batch_size is at least 1, not 0"):
        tn.data.DataLoader(loader.dataset, 0)


def test_first_values():
    tn.random.seed(3)
    array = tn.zeros((200, 50))
    for fill, bound, spread in (
        (tn.nn.init.xavier_uniform_, (6 / 250) ** 0.5, None),
        (tn.nn.init.kaiming_uniform_, (6 / 50) ** 0.5, None),
        (tn.nn.init.xavier_normal_, None, (2 / 250) ** 0.5),
        (tn.nn.init.kaiming_normal_, None, (2 / 50) ** 0.5),
    ):
        values = numpy.asarray(fill(array))
        assert fill(array) is array and abs(values.mean()) < 0.02
        if bound:
            assert 0.9 * bound < abs(values).max() <= bound
        else:
            assert abs(values.std() / spread - 1) < 0.05
    assert tn.nn.init.constant_(tn.zeros(2), 3).tolist() == [3.0, 3.0]
    with pytest.raises(ValueError, match=r"at least two dimensions .* this one is \(3,\)"):
        tn.nn.init.xavier_uniform_(tn.zeros(3))
