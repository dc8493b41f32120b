"""--memory: what a training step computes again so that it fits, and what it says when nothing does."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (scripts/setup run gets it)")
import numpy as np  # noqa: E402
from torch import nn  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
TENFOLD = Path(os.environ.get("TENFOLD", ROOT / "bin" / "tenfold"))
STEPS = 4


class Block(nn.Module):
    """Attention and a wide layer, as in a transformer: scores, softmax, gelu and norms are what there is to drop."""

    def __init__(self) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(32) for _ in range(2))
        self.joint, self.out = nn.Linear(32, 96), nn.Linear(32, 32)
        self.inner, self.outer = nn.Linear(32, 128), nn.Linear(128, 32)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, _ = x.shape
        q, k, v = self.joint(self.norms[0](x)).view(batch, length, 3, 4, 8).permute(2, 0, 3, 1, 4)
        y = nn.functional.scaled_dot_product_attention(q, k, v)
        x = x + self.out(y.transpose(1, 2).reshape(batch, length, 32))
        return x + self.outer(nn.functional.gelu(self.inner(self.norms[1](x))))


class Blocks(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(6))
        self.head = nn.Linear(32, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean(1))


class Images(nn.Sequential):
    def __init__(self) -> None:
        layers: list[nn.Module] = []
        for i in range(6):
            layers += [nn.Conv2d(8 if i else 3, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU()]
        super().__init__(*layers, nn.MaxPool2d(4), nn.Flatten(), nn.Linear(8 * 8 * 8, 10))


MODELS = {"blocks": (Blocks, (8, 64, 32)), "images": (Images, (8, 3, 32, 32))}


@pytest.fixture(scope="module", params=MODELS)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    model, shape = MODELS[request.param]
    folder = tmp_path_factory.mktemp(request.param)
    torch.manual_seed(0)
    x = torch.randn(*shape)
    np.savez(folder / "data.npz", x=x.numpy(), y=(np.arange(shape[0]) % 10).astype(np.int64))
    torch.export.save(torch.export.export(model(), (x,)), folder / "model.pt2")
    return folder


def tenfold(folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([TENFOLD, *arguments], cwd=folder, capture_output=True, text=True, check=False, timeout=300)


def train(folder: Path, *arguments: str) -> tuple[list[float], dict]:
    how = ["--data", "data.npz", "--optimizer", "adamw,lr=1e-3", "--epochs", str(STEPS), "--in-order"]
    done = tenfold(folder, "train", "model.pt2", *how, "--metrics", "log.jsonl", "--json", *arguments)
    assert done.returncode == 0, done.stderr
    return [json.loads(line)["loss"] for line in (folder / "log.jsonl").read_text().splitlines()], json.loads(
        done.stdout
    )


def least(folder: Path) -> float:
    """What the refusal of a budget below the least says that the least is, in MiB."""
    refused = tenfold(
        folder, "compile", "model.pt2", "--train", "--optimizer", "adamw", "--memory", "1.2M", "-o", "s.ten"
    )
    assert refused.returncode == 1
    found = re.search(r"1\.2 MiB of memory are not enough: ([0-9.]+) MiB is the least", refused.stderr)
    assert found, refused.stderr
    assert not (folder / "s.ten").exists()
    return float(found.group(1))


def test_same_losses_in_less_memory(folder: Path) -> None:
    wanted, free = train(folder)
    bottom = least(folder)
    top = free["memory"]["all"] / 2**20
    assert bottom < 0.8 * top, "recomputing everything must save something here"
    for budget in (0.5 * (bottom + top), bottom + 0.06):
        got, outcome = train(folder, "--memory", f"{budget}M")
        assert outcome["memory"]["all"] <= budget * 2**20
        np.testing.assert_allclose(got, wanted, rtol=2e-5)


def test_step_file_within_memory(folder: Path) -> None:
    wanted, _ = train(folder)
    budget = f"{least(folder) + 0.06}M"
    made = tenfold(
        folder, "compile", "model.pt2", "--train", "--optimizer", "adamw,lr=1e-3", "--memory", budget, "-o", "t.ten"
    )
    assert made.returncode == 0, made.stderr
    how = ["--data", "data.npz", "--epochs", str(STEPS), "--in-order", "--metrics", "log.jsonl"]
    done = tenfold(folder, "train", "t.ten", *how)
    assert done.returncode == 0, done.stderr
    got = [json.loads(line)["loss"] for line in (folder / "log.jsonl").read_text().splitlines()]
    np.testing.assert_allclose(got, wanted, rtol=2e-5)


def test_less_than_the_state(folder: Path) -> None:
    refused = tenfold(
        folder, "compile", "model.pt2", "--train", "--optimizer", "adamw", "--memory", "10K", "-o", "s.ten"
    )
    assert refused.returncode == 1
    assert re.search(r"parameters, state and batch alone are [0-9.]+ MiB", refused.stderr), refused.stderr


@pytest.mark.parametrize("text", ["much", "-1G", "8X", "", "nan"])
def test_not_an_amount(folder: Path, text: str) -> None:
    refused = tenfold(folder, "compile", "model.pt2", "--train", f"--memory={text}", "-o", "s.ten")
    assert refused.returncode == 1
    assert f"'{text}' is not an amount of memory such as 8G or 512M" in refused.stderr


def test_gradient_pass(tmp_path: Path) -> None:
    """opt --pass=grad --memory: more products are in the text, the values are the same."""
    lines = ["func.func @main(%x: tensor<512x64xf32>, %w: tensor<64x64xf32>) -> tensor<f32> {"]
    at, kind, square = "%x", "tensor<512x64xf32>", "tensor<64x64xf32>"
    for i in range(12):
        lines.append(
            f"%d{i} = stablehlo.dot_general {at}, %w, contracting_dims = [1] x [0] : ({kind}, {square}) -> {kind}"
        )
        lines.append(f"%t{i} = stablehlo.tanh %d{i} : {kind}")
        at = f"%t{i}"
    lines += [
        "%z = stablehlo.constant dense<0.0> : tensor<f32>",
        f"%r = stablehlo.reduce({at} init: %z) applies stablehlo.add across dimensions = [0, 1]"
        f" : ({kind}, tensor<f32>) -> tensor<f32>",
        "return %r : tensor<f32>",
        "}",
    ]
    (tmp_path / "deep.mlir").write_text("\n".join(lines))
    counts, results = [], []
    np.save(tmp_path / "x.npy", np.random.default_rng(0).standard_normal((512, 64), np.float32))
    np.save(tmp_path / "w.npy", np.random.default_rng(1).standard_normal((64, 64), np.float32) / 8)
    for memory in ("1G", "2.2M"):
        made = tenfold(tmp_path, "opt", "--pass=grad,dce", "--memory", memory, "deep.mlir", "-o", "grad.mlir")
        assert made.returncode == 0, made.stderr
        counts.append((tmp_path / "grad.mlir").read_text().count("dot_general"))
        ran = tenfold(
            tmp_path,
            "run",
            "grad.mlir",
            "--entry",
            "main.grad",
            "--input",
            "x.npy",
            "--input",
            "w.npy",
            "--output",
            "out",
        )
        assert ran.returncode == 0, ran.stderr
        results.append([np.load(tmp_path / "out" / f"{i}.npy") for i in range(3)])
    assert counts[1] > counts[0]
    for a, b in zip(*results, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
    refused = tenfold(tmp_path, "opt", "--pass=dce", "--memory", "1G", "deep.mlir")
    assert "--memory goes with --pass=grad" in refused.stderr
