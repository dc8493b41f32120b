"""tenfold train against the same loop in PyTorch: losses, weights, resumption, errors."""

from __future__ import annotations

import json
import os
import signal
import struct
import subprocess
import time
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (scripts/setup run gets it)")
import numpy as np  # noqa: E402
from torch import nn  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
TENFOLD = Path(os.environ.get("TENFOLD", ROOT / "bin" / "tenfold"))
BATCH, STEPS = 16, 12


def build() -> nn.Module:
    """No bias before the normalisation: its gradient would be noise around zero, which Adam makes a step of."""
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(8 * 4 * 4, 16), nn.Tanh(), nn.Linear(16, 5),
    )  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("train")
    generator = torch.Generator().manual_seed(1)
    x, y = torch.randn(64, 1, 8, 8, generator=generator), torch.randint(0, 5, (64,), generator=generator)
    np.savez(folder / "data.npz", x=x.numpy(), y=y.numpy())
    torch.export.save(torch.export.export(build(), (x[:BATCH],)), folder / "model.pt2")
    return folder


def tenfold(folder: Path, *arguments: str, check: bool = True) -> subprocess.CompletedProcess:
    command = [TENFOLD, "train", "model.pt2", "--data", "data.npz", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    assert not check or done.returncode == 0, done.stderr
    return done


def losses(path: Path) -> list[float]:
    return [json.loads(line)["loss"] for line in path.read_text().splitlines()]


def tensors(path: Path) -> dict[str, np.ndarray]:
    raw = path.read_bytes()
    (size,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8 : 8 + size])
    header.pop("__metadata__")
    kinds = {"F32": np.float32, "I64": np.int64}
    return {
        name: np.frombuffer(raw[8 + size :][slice(*entry["data_offsets"])], kinds[entry["dtype"]]).reshape(
            entry["shape"]
        )
        for name, entry in header.items()
    }


def torch_run(folder: Path, optimizer: torch.optim.Optimizer, model: nn.Module) -> list[float]:
    data, out = np.load(folder / "data.npz"), []
    x, y = torch.from_numpy(data["x"]), torch.from_numpy(data["y"])
    for step in range(STEPS):
        rows = slice(step % 4 * BATCH, step % 4 * BATCH + BATCH)
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        loss.backward()
        optimizer.step()
        out.append(loss.item())
    return out


OPTIMIZERS = {
    "sgd,lr=0.1": lambda p: torch.optim.SGD(p, lr=0.1),
    "momentum,lr=0.05,momentum=0.9,weight_decay=0.01,nesterov": lambda p: torch.optim.SGD(
        p, lr=0.05, momentum=0.9, weight_decay=0.01, nesterov=True
    ),
    "adam,lr=0.01": lambda p: torch.optim.Adam(p, lr=0.01),
    "adamw,lr=0.01": lambda p: torch.optim.AdamW(p, lr=0.01),
    "adafactor,lr=0.01": lambda p: torch.optim.Adafactor(p, lr=0.01),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_same_as_pytorch(folder: Path, name: str) -> None:
    model = build()
    want = torch_run(folder, OPTIMIZERS[name](model.parameters()), model)
    saved = folder / f"{name.split(',')[0]}.safetensors"
    tenfold(folder, "--optimizer", name, "--epochs", "3", "--in-order", "--metrics", "log.jsonl", "--save", saved.name)
    assert losses(folder / "log.jsonl") == pytest.approx(want, rel=1e-3)
    got = tensors(saved)
    assert set(got) == set(model.state_dict())  # PyTorch loads it as it is
    for key, value in model.state_dict().items():
        np.testing.assert_allclose(got[key], value.detach().numpy(), rtol=1e-2, atol=1e-4)


def test_trace(folder: Path) -> None:
    """Each training step has its span, and the steps of the program lie inside those."""
    tenfold(folder, "--steps", "3", "--trace", "trace.json")
    events = json.loads((folder / "trace.json").read_text())["traceEvents"]
    names = [event["name"] for event in events if event.get("cat") == "phase"]
    assert names == ["compile", *["data", "training step"] * 3]
    spans = [event for event in events if event["name"] == "training step"]
    inside = [
        sum(
            event.get("cat") == "step" and span["ts"] <= event["ts"] <= span["ts"] + span["dur"] + 0.01
            for event in events
        )
        for span in spans
    ]
    assert inside[0] == inside[1] == inside[2] > 0
    assert sum(inside) == sum(event.get("cat") == "step" for event in events)


def test_killed_and_resumed_is_the_same(folder: Path) -> None:
    how = ["--optimizer", "adamw,lr=0.01", "--epochs", "40", "--save-every", "1"]
    tenfold(folder, *how, "--save", "whole.safetensors")
    command = [TENFOLD, "train", "model.pt2", "--data", "data.npz", *how, "--save", "cut.safetensors"]
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while not (folder / "cut.state.safetensors").exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    tenfold(folder, *how, "--save", "cut.safetensors", "--resume", "cut.safetensors")
    whole, cut = tensors(folder / "whole.safetensors"), tensors(folder / "cut.safetensors")
    assert all(np.array_equal(whole[name], cut[name]) for name in whole)


def test_errors(folder: Path) -> None:
    done = tenfold(folder, "--optimizer", "sgdd", check=False)
    assert done.returncode and "unknown optimizer 'sgdd'; use sgd" in done.stderr
    done = tenfold(folder, "--loss", "l7", check=False)
    assert done.returncode and "unknown loss 'l7'; use cross_entropy" in done.stderr
    data = np.load(folder / "data.npz")
    np.savez(folder / "nan.npz", x=np.where(np.arange(64).reshape(64, 1, 1, 1) == 40, np.nan, data["x"]), y=data["y"])
    done = tenfold(folder, "--data", "nan.npz", "--in-order", check=False)
    assert done.returncode == 1 and "the loss is" in done.stderr and "the state before it is kept" in done.stderr
    (folder / "bad.state.safetensors").write_bytes(b"\x10\x00\x00\x00\x00\x00\x00\x00{}")
    done = tenfold(folder, "--resume", "bad.safetensors", check=False)
    assert done.returncode and "is not a safetensors file" in done.stderr


def test_class_that_is_not_there_stops(folder: Path, tmp_path: Path) -> None:
    data = dict(np.load(folder / "data.npz"))
    data["y"][40] = 7
    np.savez(tmp_path / "bad.npz", **data)
    arguments = [TENFOLD, "train", "model.pt2", "--data", tmp_path / "bad.npz", "--in-order", "--steps", "4"]
    done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 1
    assert "Target 7 is out of bounds: there are 5 classes" in done.stderr
    unchecked = os.environ | {"TENFOLD_CHECKS": "off"}
    assert (
        subprocess.run(arguments, cwd=folder, capture_output=True, check=False, timeout=300, env=unchecked).returncode
        == 0
    )
