"""Arrays whose programs run on another machine: device="grpc://HOST:PORT"."""

import signal

import numpy
import pytest

tn = pytest.importorskip("tenfold")


def test_arrays_run_there(serve):
    server = serve("--allow-programs", "--http", "off", "--access-log", "-")
    device = tn.device(f"grpc://{server.grpc}")
    assert device.name == f"grpc://{server.grpc}" and device is tn.device(device.name)
    x = tn.asarray([[1.0, 2.0], [3.0, 4.0]], device=device)
    y = x @ x + 1
    assert y.device == device != tn.device("cpu")
    assert y.tolist() == [[8.0, 11.0], [16.0, 23.0]]
    assert "Device/Execute" in server.log.read_text()
    assert x[x > 2].tolist() == [3.0, 4.0]
    value, gradient = tn.value_and_grad(lambda a: tn.sum(a**3))(x)
    assert float(value) == 100 and gradient.tolist() == [[3.0, 12.0], [27.0, 48.0]]
    data = numpy.random.default_rng(0).standard_normal((600, 500)).astype("f4")
    large = tn.asarray(data, device=device)
    numpy.testing.assert_allclose(numpy.asarray(large @ large.T), data @ data.T, rtol=1e-4, atol=1e-3)
    here = (large + 1).to_device("cpu")
    assert here.device == tn.device("cpu")
    assert float(tn.sum(here)) == pytest.approx(data.sum() + data.size, rel=1e-5)
    with pytest.raises(ValueError, match="move one of them with to_device"):
        here + large


def test_a_network_trains_there(serve):
    server = serve("--allow-programs", "--http", "off")
    device = tn.device(f"grpc://{server.grpc}")
    losses = {}
    for place in (tn.device("cpu"), device):
        weight = tn.asarray(numpy.linspace(-1, 1, 12, dtype="f4").reshape(4, 3), device=place)
        x = tn.asarray(numpy.linspace(0, 1, 20, dtype="f4").reshape(5, 4), device=place)
        step = tn.value_and_grad(lambda w, x=x: tn.mean((tn.tanh(x @ w) - 0.5) ** 2))
        for _ in range(20):
            loss, gradient = step(weight)
            weight = weight - 0.5 * gradient
        losses[place.name] = float(loss)
    here, there = losses.values()
    assert there == pytest.approx(here, rel=1e-4) and there < 0.1


def test_a_lost_server_is_an_error_and_the_next_one_is_used(serve):
    server = serve("--allow-programs", "--http", "off")
    device = tn.device(f"grpc://{server.grpc}")
    x = tn.asarray([1.0, 2.0], device=device)
    assert (x + 1).tolist() == [2.0, 3.0]
    server.stop(signal.SIGKILL)
    y = x * 3
    with pytest.raises(tn.Error, match="grpc://"):
        y.tolist()
    again = serve("--allow-programs", "--http", "off", "--listen", f"grpc://{server.grpc}")
    assert again.grpc == server.grpc
    assert y.tolist() == [3.0, 6.0]  # values are here: nothing was lost


def test_wrong_addresses_are_errors():
    for name in ("grpc://127.0.0.1:1", "grpc://nonsense", "cpu:1", "cuda:x", "cpu:"):
        with pytest.raises((tn.Error, ValueError)):
            tn.device(name)
    assert tn.device("cpu:0") is tn.device("cpu") and tn.device("interp:0").name == "interp"
