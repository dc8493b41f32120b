"""What `tenfold train` can be told, each against the same written in PyTorch: clipping, schedules, accumulation, LAMB,
a loss of one's own, weights that are used twice."""

from __future__ import annotations

import json
import math
import os
import struct
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (scripts/setup run gets it)")
import numpy as np  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
TENFOLD = Path(os.environ.get("TENFOLD", ROOT / "bin" / "tenfold"))
BATCH, BATCHES, EPOCHS = 8, 4, 3


def build() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(12, 24), nn.Tanh(), nn.Linear(24, 5))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("options")
    generator = torch.Generator().manual_seed(1)
    x = torch.randn(BATCH * BATCHES, 12, generator=generator)
    y = torch.randint(0, 5, (BATCH * BATCHES,), generator=generator)
    np.savez(folder / "data.npz", x=x.numpy(), y=y.numpy())
    torch.export.save(torch.export.export(build(), (x[:BATCH],)), folder / "model.pt2")
    return folder


def train(folder: Path, *arguments: str, model: str = "model.pt2", data: str = "data.npz") -> list[float]:
    how = ["--epochs", str(EPOCHS), "--in-order", "--metrics", "log.jsonl", "--save", "out.safetensors"]
    done = subprocess.run(
        [TENFOLD, "train", model, "--data", data, *how, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line)["loss"] for line in (folder / "log.jsonl").read_text().splitlines()]


def tensors(path: Path) -> dict[str, torch.Tensor]:
    raw = path.read_bytes()
    (size,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8 : 8 + size])
    header.pop("__metadata__")
    return {
        name: torch.frombuffer(bytearray(raw[8 + size :][slice(*entry["data_offsets"])]), dtype=torch.float32).view(
            entry["shape"]
        )
        for name, entry in header.items()
    }


def reference(folder: Path, step: Callable, loss: Callable = F.cross_entropy) -> tuple[list[float], nn.Module]:
    """The loop in PyTorch; `step(model, number)` uses the gradients, which it may leave to add up."""
    data, model, out = np.load(folder / "data.npz"), build(), []
    x, y = torch.from_numpy(data["x"]), torch.from_numpy(data["y"])
    for number in range(BATCHES * EPOCHS):
        rows = slice(number % BATCHES * BATCH, (number % BATCHES + 1) * BATCH)
        value = loss(model(x[rows]), y[rows])
        value.backward()
        step(model, number)
        out.append(value.item())
    return out, model


def same(folder: Path, got: list[float], wanted: tuple[list[float], nn.Module]) -> None:
    assert got == pytest.approx(wanted[0], rel=2e-5)
    saved = tensors(folder / "out.safetensors")
    for name, value in wanted[1].state_dict().items():
        torch.testing.assert_close(saved[name], value, rtol=1e-4, atol=1e-5)


def sgd(model: nn.Module, rate: float) -> None:
    with torch.no_grad():
        for p in model.parameters():
            p -= rate * p.grad
    model.zero_grad()


def test_clip(folder: Path) -> None:
    def step(model: nn.Module, number: int) -> None:
        norm = nn.utils.clip_grad_norm_(model.parameters(), 0.3)
        assert norm > 0.3, "there must be something to clip"
        sgd(model, 0.5)

    same(folder, train(folder, "--optimizer", "sgd,lr=0.5", "--clip", "0.3"), reference(folder, step))


@pytest.mark.parametrize("kind", ["cosine:10,warmup=3", "linear:8", "constant,warmup=4"])
def test_schedule(folder: Path, kind: str) -> None:
    def rate(number: int) -> float:
        name, warmup = kind.split(":")[0].split(",")[0], int(kind.partition("warmup=")[2] or 0)
        if number < warmup:
            return (number + 1) / warmup
        if name == "constant":
            return 1.0
        part = min((number - warmup) / (int(kind.split(":")[1].split(",")[0]) - warmup), 1)
        return 1 - part if name == "linear" else 0.5 * (1 + math.cos(math.pi * part))

    wanted = reference(folder, lambda model, number: sgd(model, 0.5 * rate(number)))
    same(folder, train(folder, "--optimizer", "sgd,lr=0.5", "--schedule", kind), wanted)


def test_accumulate(folder: Path) -> None:
    def step(model: nn.Module, number: int) -> None:
        if number % 2:
            sgd(model, 0.25)  # half of the sum of two

    same(folder, train(folder, "--optimizer", "sgd,lr=0.5", "--accumulate", "2"), reference(folder, step))


def test_accumulate_adamw_clip(folder: Path) -> None:
    made: list[torch.optim.Optimizer] = []

    def step(model: nn.Module, number: int) -> None:
        if not number:
            made.append(torch.optim.AdamW(model.parameters(), lr=0.01))
        if number % 2 == 0:
            return
        for p in model.parameters():
            p.grad /= 2
        nn.utils.clip_grad_norm_(model.parameters(), 0.2)
        made[0].step()
        model.zero_grad()

    how = ["--optimizer", "adamw,lr=0.01", "--accumulate", "2", "--clip", "0.2"]
    same(folder, train(folder, *how), reference(folder, step))


def test_lamb(folder: Path) -> None:
    """Of the paper: Adam's direction with weight decay, scaled for each tensor by |p| / |direction|."""
    state: dict[str, tuple[torch.Tensor, torch.Tensor]] = {}

    @torch.no_grad()
    def step(model: nn.Module, number: int) -> None:
        for name, p in model.named_parameters():
            m, v = state.setdefault(name, (torch.zeros_like(p), torch.zeros_like(p)))
            m.mul_(0.9).add_(p.grad, alpha=0.1)
            v.mul_(0.999).addcmul_(p.grad, p.grad, value=0.001)
            r = m / (1 - 0.9 ** (number + 1)) / ((v / (1 - 0.999 ** (number + 1))).sqrt() + 1e-6) + 0.01 * p
            p -= 0.02 * (p.norm() / r.norm()) * r
        model.zero_grad()

    how = "lamb,lr=0.02,weight_decay=0.01,beta1=0.9,beta2=0.999,eps=1e-6"
    same(folder, train(folder, "--optimizer", how), reference(folder, step))


def test_loss_of_ones_own(folder: Path) -> None:
    class Loss(nn.Module):
        def forward(self, output: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
            wanted = F.one_hot(target, 5).to(output.dtype)
            return F.smooth_l1_loss(output, wanted, beta=0.5) + 0.01 * output.square().mean()

    torch.export.save(
        torch.export.export(Loss(), (torch.zeros(BATCH, 5), torch.zeros(BATCH, dtype=torch.int64))), folder / "loss.pt2"
    )
    wanted = reference(folder, lambda model, number: sgd(model, 0.5), Loss())
    same(folder, train(folder, "--optimizer", "sgd,lr=0.5", "--loss", "loss.pt2"), wanted)


class Tied(nn.Module):
    """A language model's shape: the embedding is the last layer too."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.words = nn.Embedding(20, 8)
        self.inner = nn.Linear(8, 8)
        self.head = nn.Linear(8, 20, bias=False)
        self.head.weight = self.words.weight

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.head(torch.tanh(self.inner(self.words(tokens).mean(1))))


def test_tied_weights_are_trained_once_and_load_back(folder: Path) -> None:
    generator = torch.Generator().manual_seed(2)
    tokens = torch.randint(0, 20, (BATCH, 6), generator=generator)
    target = torch.randint(0, 20, (BATCH,), generator=generator)
    np.savez(folder / "tied.npz", x=tokens.numpy(), y=target.numpy())
    model = Tied()
    torch.export.save(torch.export.export(model, (tokens,)), folder / "tied.pt2")
    got = train(folder, "--optimizer", "adamw,lr=0.01", model="tied.pt2", data="tied.npz")
    optimizer, wanted = torch.optim.AdamW(model.parameters(), lr=0.01), []
    for _ in range(EPOCHS):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(tokens), target)
        loss.backward()
        optimizer.step()
        wanted.append(loss.item())
    assert got == pytest.approx(wanted, rel=2e-5)
    saved, fresh = tensors(folder / "out.safetensors"), Tied()
    assert set(saved) == set(model.state_dict()), "both names of the weight are in the checkpoint"
    fresh.load_state_dict(saved)
    for name, value in model.state_dict().items():
        torch.testing.assert_close(fresh.state_dict()[name], value, rtol=1e-4, atol=1e-5)
