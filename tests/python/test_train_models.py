"""Fifty steps of `tenfold train` beside fifty of the same loop in PyTorch, for eight models, with SGD and AdamW.

Each loss is within 1e-3 of eager's. That says something only where eager itself is stable: learning rates are such that
eager in f32 stays within 1e-4 of eager in f64 (TENFOLD_TEST_ALL=1 checks that too).
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (scripts/setup run gets it)")
import numpy as np  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402
from zoo import MODELS, settle, transformers_models  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
TENFOLD = Path(os.environ.get("TENFOLD", ROOT / "bin" / "tenfold"))
MODELS = MODELS | transformers_models()
BATCH, BATCHES, STEPS = 4, 4, 50

# Loss, learning rates of SGD and AdamW. One ReLU or maximum that another rounding decides otherwise grows with AdamW's
# rate: nets full of them get a small one.
TRAINED = {
    "bert": ("mse", 0.05, 1e-3),
    "gpt2": ("tokens", 0.05, 1e-3),
    "llama": ("tokens", 0.05, 1e-3),
    "vit": ("mse", 0.05, 1e-3),
    "vgg19": ("cross_entropy", 0.05, 1e-3),
    "resnet50": ("cross_entropy", 0.005, 1e-4),
    "lstm": ("cross_entropy", 0.5, 1e-2),
    "unet": ("cross_entropy", 0.05, 3e-4),
}


class Tokens(nn.Module):
    """A loss of one's own: each token's logits against the next token."""

    def forward(self, logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        return F.cross_entropy(logits.flatten(0, 1), target.flatten())


LOSSES = {"mse": F.mse_loss, "cross_entropy": F.cross_entropy, "tokens": Tokens()}


def build(name: str) -> nn.Module:
    """Without dropout; batch normalisation as in training."""
    torch.manual_seed(0)
    model = settle(MODELS[name][0]())
    return model.train() if name == "resnet50" else model.eval()


def data(name: str) -> tuple[torch.Tensor, torch.Tensor]:
    torch.manual_seed(1)
    (x,) = MODELS[name][1](BATCH * BATCHES)
    with torch.no_grad():
        output = MODELS[name][0]().eval()(x[:BATCH])
    shape, loss = output.shape, TRAINED[name][0]
    if loss == "mse":
        return x, torch.randn(len(x), *shape[1:])
    classes = shape[2] if loss == "tokens" else shape[1]
    places = shape[1:2] if loss == "tokens" else shape[2:]
    return x, torch.randint(0, classes, (len(x), *places))


def eager(name: str, optimizer: str, dtype: torch.dtype = torch.float32) -> list[float]:
    model = build(name).to(dtype)
    x, y = data(name)
    x, y = [t.to(dtype) if t.is_floating_point() else t for t in (x, y)]
    loss_name, sgd, adamw = TRAINED[name]
    step = (
        torch.optim.SGD(model.parameters(), lr=sgd)
        if optimizer == "sgd"
        else torch.optim.AdamW(model.parameters(), lr=adamw)
    )
    losses = []
    for i in range(STEPS):
        rows = slice(i % BATCHES * BATCH, (i % BATCHES + 1) * BATCH)
        step.zero_grad()
        loss = LOSSES[loss_name](model(x[rows]), y[rows])
        loss.backward()
        step.step()
        losses.append(loss.item())
    return losses


def ours(name: str, optimizer: str, folder: Path) -> list[float]:
    model, (x, y) = build(name), data(name)
    np.savez(folder / "data.npz", x=x.numpy(), y=y.numpy())
    torch.export.save(torch.export.export(model, (x[:BATCH],)), folder / "model.pt2")
    loss, sgd, adamw = TRAINED[name]
    if loss == "tokens":
        example = (model(x[:BATCH]).detach(), y[:BATCH])
        torch.export.save(torch.export.export(Tokens(), example), folder / "loss.pt2")
        loss = "loss.pt2"
    rate = sgd if optimizer == "sgd" else adamw
    how = ["--loss", loss, "--optimizer", f"{optimizer},lr={rate}", "--data", "data.npz", "--in-order"]
    command = [TENFOLD, "train", "model.pt2", *how, "--epochs", "99", "--steps", str(STEPS), "--metrics", "log.jsonl"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    return [json.loads(line)["loss"] for line in (folder / "log.jsonl").read_text().splitlines()]


QUICK = {("bert", "adamw"), ("resnet50", "sgd"), ("lstm", "sgd")}  # in `make test`; `make test-all` has them all


@pytest.mark.parametrize("optimizer", ["sgd", "adamw"])
@pytest.mark.parametrize("name", TRAINED)
def test_fifty_steps(name: str, optimizer: str, tmp_path: Path) -> None:
    if (name, optimizer) not in QUICK and not os.environ.get("TENFOLD_TEST_ALL"):
        pytest.skip("make test-all")
    if name not in MODELS:
        pytest.skip("transformers is not installed")
    want = eager(name, optimizer)
    assert want[-1] < want[0]  # it learns
    if os.environ.get("TENFOLD_TEST_ALL"):
        assert want == pytest.approx(eager(name, optimizer, torch.float64), rel=1e-4)
    got = ours(name, optimizer, tmp_path)
    assert len(got) == STEPS
    assert got == pytest.approx(want, rel=1e-3)
