"""Training over a socket: the step is one program there, and its state stays there."""

import json
import signal
import subprocess

import numpy
import pytest
from conftest import TENFOLD, wait_for

torch = pytest.importorskip("torch")


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    """A VGG of small width (its weights are large enough to be held there), and data."""
    folder = tmp_path_factory.mktemp("training")
    torch.manual_seed(0)
    layers = []
    for before, after in (3, 8), (8, 16), (16, 32):
        layers += [torch.nn.Conv2d(before, after, 3, padding=1), torch.nn.ReLU(), torch.nn.MaxPool2d(2)]
    layers += [torch.nn.Flatten(), torch.nn.Linear(32 * 16, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10)]
    net = torch.nn.Sequential(*layers)
    torch.export.save(torch.export.export(net.train(), (torch.zeros(4, 3, 32, 32),)), folder / "vgg.pt2")
    rng = numpy.random.default_rng(0)
    numpy.savez(
        folder / "data.npz",
        x=rng.normal(size=(16, 3, 32, 32)).astype("f4"),
        target=rng.integers(0, 10, 16),
    )
    return folder


def train(work, name, *more):
    done = subprocess.run(
        [TENFOLD, "train", work / "vgg.pt2", "--data", work / "data.npz", "--optimizer", "adamw,lr=1e-3", "--json",
         "--save", work / f"{name}.safetensors", *map(str, more)],
        capture_output=True, text=True, timeout=200,
    )  # fmt: skip
    return done


def test_training_is_the_same_there(work, serve):
    server = serve("--allow-programs", "--http", "off")
    device = f"grpc://{server.grpc}"
    here, there = train(work, "here", "--epochs", 2), train(work, "there", "--epochs", 2, "--device", device)
    assert here.returncode == there.returncode == 0, there.stderr
    assert json.loads(here.stdout)["loss"] == json.loads(there.stdout)["loss"]
    assert json.loads(there.stdout)["device"] == device
    for suffix in ".safetensors", ".state.safetensors":
        assert (work / f"here{suffix}").read_bytes() == (work / f"there{suffix}").read_bytes()
    half = train(work, "half", "--steps", 3, "--device", device)
    assert half.returncode == 0, half.stderr
    rest = train(work, "rest", "--epochs", 2, "--resume", work / "half.safetensors", "--device", device)
    assert rest.returncode == 0, rest.stderr
    assert (work / "rest.safetensors").read_bytes() == (work / "here.safetensors").read_bytes()


def test_training_in_a_process_of_its_own(work, serve):
    server = serve("--allow-programs", "--isolate", "--http", "off")
    here = train(work, "here1", "--steps", 2)
    there = train(work, "there1", "--steps", 2, "--device", f"grpc://{server.grpc}")
    assert there.returncode == 0, there.stderr
    assert json.loads(here.stdout)["loss"] == json.loads(there.stdout)["loss"]


def test_server_killed_while_training(work, serve):
    """What was saved is whole, and the error says what was lost."""
    server = serve("--allow-programs", "--http", "off")
    client = subprocess.Popen(
        [TENFOLD, "train", work / "vgg.pt2", "--data", work / "data.npz", "--epochs", "100000", "--save-every", "1",
         "--optimizer", "adamw,lr=1e-3", "--save", work / "killed.safetensors", "--metrics", work / "log.jsonl",
         "--device", f"grpc://{server.grpc}"],
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    wait_for(lambda: (work / "log.jsonl").exists() and (work / "log.jsonl").read_text().count("\n") > 2, 60)
    server.stop(signal.SIGKILL)
    _, errors = client.communicate(timeout=60)
    assert client.returncode == 1 and "lost" in errors
    resumed = train(work, "resumed", "--steps", 3, "--resume", work / "killed.safetensors")
    assert resumed.returncode == 0, resumed.stderr


def test_torch_compile_trains_there(serve):
    pytest.importorskip("tenfold")
    server = serve("--allow-programs", "--http", "off")
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(64, 512), torch.nn.Tanh(), torch.nn.Linear(512, 3))
    x, y = torch.randn(8, 64), torch.randint(0, 3, (8,))
    losses = []
    for compiled in False, True:
        model = torch.nn.Sequential(*[torch.nn.Linear(64, 512), torch.nn.Tanh(), torch.nn.Linear(512, 3)])
        model.load_state_dict(net.state_dict())
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        run = (
            torch.compile(model, backend="tenfold", options={"device": f"grpc://{server.grpc}"}) if compiled else model
        )
        for _ in range(3):
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(run(x), y)
            loss.backward()
            optimizer.step()
        losses.append([loss.item(), *[p.grad.norm().item() for p in model.parameters()]])
    assert numpy.allclose(losses[0], losses[1], rtol=1e-4), losses
