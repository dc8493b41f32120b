"""Gradients, functions, networks and optimizers of arrays, held to PyTorch's."""

import numpy
import pytest
import tenfold as tn


def close(array, wanted, tolerance=1e-5):
    numpy.testing.assert_allclose(numpy.asarray(array), numpy.asarray(wanted), rtol=tolerance, atol=tolerance)


def test_gradients_of_functions():
    x = tn.asarray([1.0, 2.0, 3.0])
    close(tn.grad(lambda x: tn.sum(x**3))(x), [3.0, 12.0, 27.0])
    value, gradient = tn.value_and_grad(lambda x, y: tn.sum(x * y), (0, 1))(x, x + 1)
    assert float(value) == 20.0
    close(gradient[0], [2.0, 3.0, 4.0])
    close(gradient[1], [1.0, 2.0, 3.0])
    second = tn.grad(lambda x: tn.sum(tn.grad(lambda x: tn.sum(x**3))(x)))(x)
    close(second, [6.0, 12.0, 18.0])


def test_gradients_go_through_values_that_are_read():
    def function(x):
        y = tn.sum(x * x)
        return y * 3 if float(y) > 1 else y

    close(tn.grad(function)(tn.asarray([1.0, 2.0])), [6.0, 12.0])
    close(tn.grad(function)(tn.asarray([0.1, 0.2])), [0.2, 0.4])


def test_gradients_keep_the_tree():
    def function(tree):
        return tn.sum(tree["a"] * 2) + tn.sum(tree["b"][0] ** 2)

    made = tn.grad(function)({"a": tn.ones(2), "b": [tn.asarray([3.0])]})
    close(made["a"], [2.0, 2.0])
    close(made["b"][0], [6.0])
    with pytest.raises(TypeError, match="one float number"):
        tn.value_and_grad(lambda x: x)(tn.ones(3))
    with pytest.raises(TypeError, match="float arrays"):
        tn.value_and_grad(tn.sum)(tn.asarray([1, 2]))


def test_jit_records_once_and_never_answers_for_other_values():
    calls = []

    def function(x, scale):
        calls.append(1)
        return tn.exp(x) * scale, {"sum": tn.sum(x)}

    made = tn.jit(function)
    for i in range(3):
        x = tn.asarray([float(i), 1.0])
        got, rest = made(x, tn.asarray(2.0))
        close(got, numpy.exp([i, 1.0]) * 2)
        assert float(rest["sum"]) == i + 1.0
        assert x.tolist() == [float(i), 1.0]
    assert len(calls) == 1
    made(tn.ones(3), tn.asarray(2.0))
    assert len(calls) == 2

    def reads(x):
        return x + 1 if float(tn.sum(x)) > 0 else x - 1

    made = tn.jit(reads)
    assert made(tn.asarray([1.0])).tolist() == [2.0]
    assert made(tn.asarray([-1.0])).tolist() == [-2.0]

    def writes(x):
        x[0] = 5.0
        return tn.sum(x)

    made, x = tn.jit(writes), tn.ones(2)
    assert float(made(x)) == 6.0
    assert x.tolist() == [5.0, 1.0]


def test_random_numbers_follow_the_seed():
    tn.random.seed(7)
    first = tn.random.normal((1000,))
    tn.random.seed(7)
    assert tn.random.normal((1000,)).tolist() == first.tolist()
    assert tn.random.normal((1000,)).tolist() != first.tolist()
    values = numpy.asarray(first)
    assert abs(values.mean()) < 0.1 and abs(values.std() - 1) < 0.1
    assert sorted(tn.random.Generator(1).permutation(5).tolist()) == [0, 1, 2, 3, 4]


def networks():
    nn = tn.nn
    return {
        "mlp": (lambda n: n.Sequential(n.Linear(4, 8), n.ReLU(), n.LayerNorm(8), n.Linear(8, 3)), (5, 4)),
        "conv": (
            lambda n: n.Sequential(
                n.Conv2d(2, 4, 3, padding=1), n.GELU(), n.MaxPool2d(2), n.Flatten(), n.Linear(16, 3)
            ),
            (2, 2, 4, 4),
        ),
    }, nn


@pytest.mark.parametrize("name", ["mlp", "conv"])
@pytest.mark.parametrize("optimizer", ["SGD", "Adam", "AdamW"])
def test_networks_train_as_in_pytorch(name, optimizer):
    torch = pytest.importorskip("torch")
    made, nn = networks()
    build, shape = made[name]
    torch.manual_seed(0)
    theirs, ours = build(torch.nn), build(nn)
    ours.load_state_dict(theirs.state_dict())
    options = {"lr": 0.05, "weight_decay": 0.01} | ({"momentum": 0.9} if optimizer == "SGD" else {})
    step_theirs = getattr(torch.optim, optimizer)(theirs.parameters(), **options)
    step_ours = getattr(tn.optim, optimizer)(ours.parameters(), **options)
    x = torch.randn(shape)
    target = torch.arange(shape[0]) % 3
    xs, targets = tn.asarray(x.numpy()), tn.asarray(target.numpy())
    loss_and_grad = tn.value_and_grad(lambda model: nn.CrossEntropyLoss()(model(xs), targets))
    for _ in range(4):
        step_theirs.zero_grad()
        loss = torch.nn.functional.cross_entropy(theirs(x), target)
        loss.backward()
        step_theirs.step()
        value, gradients = loss_and_grad(ours)
        step_ours.step(gradients)
        close(value, loss.detach().numpy(), 1e-4)
    for key, value in theirs.state_dict().items():
        close(ours.state_dict()[key], value.numpy(), 2e-3)


def test_states_that_do_not_fit_are_named():
    model = tn.nn.Linear(2, 3)
    with pytest.raises(KeyError, match=r"missing \['bias'\]"):
        model.load_state_dict({"weight": numpy.zeros((3, 2), numpy.float32)})
    with pytest.raises(ValueError, match=r"weight has shape \(3, 2\); the state has \(2, 2\)"):
        model.load_state_dict({"weight": numpy.zeros((2, 2), numpy.float32), "bias": numpy.zeros(3, numpy.float32)})


NEURENIX = """
import tenfold.compat
tenfold.compat.install()
import neurenix as nx
from neurenix.device import Device, DeviceType
from neurenix.hardware.tpu import TPUBackend, is_tpu_available
from neurenix.nn import Linear, ReLU, Sequential

if is_tpu_available():
    print("initialized", TPUBackend().initialize())
    device = Device(DeviceType.TPU, 0)
else:
    try:
        TPUBackend()
    except RuntimeError as why:
        print("not available:", str(why).split(":")[0])
    device = Device(DeviceType.CPU, 0)
print(device)
a = nx.Tensor([[1.0, 2.0], [3.0, 4.0]], device=device)
print(nx.matmul(a, a))
model = Sequential(Linear(2, 4), ReLU(), Linear(4, 1))
model.to(device)
print(model(a).shape)
print([t.name for t in DeviceType if Device(t, 0).is_available() and t.name in ("CPU", "ROCM", "WEBGPU", "REMOTE")])
"""


@pytest.mark.parametrize("emulated", [False, True])
def test_neurenix(emulated):
    import os
    import subprocess
    import sys

    environment = {k: v for k, v in os.environ.items() if k != "TENFOLD_TPU"}
    if emulated:
        environment["TENFOLD_TPU"] = "emulated"
    done = subprocess.run(
        [sys.executable, "-c", NEURENIX], env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    if emulated:
        assert lines[:2] == ["initialized True", "tpu:0 (emulated on the CPU)"]
    assert lines[2:] == ["[[ 7. 10.]", " [15. 22.]]", "(2, 1)", "['CPU']"]
