"""`tenfold analyze` on archives: numbers that are known of VGG19, and layers, aliases and lives of small programs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
from torch import nn  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
TENFOLD = os.environ.get("TENFOLD", "build/tools/cli/tenfold")


def analyze(model: nn.Module, inputs: tuple, folder: Path, *options: str, **export) -> dict:
    path = folder / "model.pt2"
    torch.export.save(torch.export.export(model.eval(), inputs, **export), path)
    try:
        done = subprocess.run(
            [TENFOLD, "analyze", str(path), "--json", "--no-measure", *options], capture_output=True, text=True
        )
    finally:
        path.unlink()
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_vgg19(tmp_path):
    sys.path.insert(0, str(ROOT / "bench"))
    from models import VGG19

    found = analyze(VGG19(), (torch.zeros(1, 3, 224, 224),), tmp_path)
    total = found["total"]
    assert total["parameters"] == 143_667_240
    assert total["parameter_bytes"] == 4 * 143_667_240
    assert total["macs"] == 19_632_062_464
    assert found["input_bytes"] == 4 * 3 * 224 * 224
    assert found["output_bytes"] == 4000
    assert found["peak_bytes"] == 2 * 4 * 64 * 224 * 224  # what the first layers read and write
    kinds = {k["name"]: k for k in found["kinds"]}
    assert kinds["aten.conv2d.default"]["ops"] == 16
    assert kinds["aten.linear.default"]["macs"] == 25088 * 4096 + 4096 * 4096 + 4096 * 1000
    layers = {k["name"]: k for k in found["layers"]}
    assert layers["features.0"]["class"] == "torch.nn.modules.conv.Conv2d"
    assert layers["features.0"]["macs"] == 224 * 224 * 64 * 27
    assert layers["features.0"]["parameters"] == 64 * 27 + 64
    assert [k["name"] for k in found["layers"]][:3] == ["features.0", "features.1", "features.2"]
    roofs = {d["name"]: d for d in found["roofline"]}
    assert {"tpu:v2", "tpu:v4", "tpu:v5e", "tpu:v5p", "tpu:v6e", "tpu:tpu7x", "h200"} <= set(roofs)
    least = total["parameter_bytes"] + found["input_bytes"] + found["output_bytes"]
    assert roofs["h200"]["memory_seconds"] == pytest.approx(least / 4.8e12)
    assert roofs["h200"]["compute_seconds"] == pytest.approx(total["flops"] / 989e12)


class Aliased(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(8, 4, bias=False)
        self.register_buffer("count", torch.zeros(3))

    def forward(self, x):
        y = self.inner(x)
        self.count.add_(1)
        return y.transpose(0, 1)[:2] * 2


def test_aliases_and_lives(tmp_path):
    found = analyze(Aliased(), (torch.zeros(5, 8),), tmp_path)
    ops = {op["op"].split(".")[1]: op for op in found["ops"]}
    assert ops["transpose"]["views"] == ops["slice"]["views"] == ops["linear"]["result"]
    assert ops["transpose"]["bytes_read"] == ops["transpose"]["bytes_written"] == 0
    assert ops["add_"]["writes"] == "count"
    assert ops["linear"]["weight_bytes_read"] == 4 * 8 * 4
    assert ops["mul"]["bytes_read"] == ops["mul"]["bytes_written"] == 4 * 2 * 5
    assert ops["mul"]["live_bytes"] == 4 * 5 * 4 + 4 * 2 * 5  # all of what the view looks into
    assert ops["linear"]["layer"] == "inner" and ops["mul"]["layer"] == ""
    assert found["buffer_bytes"] == 12


def test_sizes_are_those_of_the_export(tmp_path):
    shapes = ({0: torch.export.Dim("n", min=2, max=64)},)
    found = analyze(nn.Linear(16, 32), (torch.zeros(7, 16),), tmp_path, dynamic_shapes=shapes)
    assert found["total"]["macs"] == 7 * 16 * 32


def test_recurrent_and_stages(tmp_path):
    model, inputs = nn.LSTM(6, 10, num_layers=2), (torch.zeros(9, 3, 6),)
    macs = 9 * 3 * 40 * (6 + 10 + 10 + 10)
    for stage in ("aten", "stablehlo"):
        found = analyze(model, inputs, tmp_path, "--stage", stage)
        assert found["stage"] == stage
        assert found["total"]["macs"] == macs
        assert found["loops_of_unknown_length"] == 0


def test_text_and_misuse(tmp_path):
    path = tmp_path / "model.pt2"
    torch.export.save(torch.export.export(nn.Linear(4, 4), (torch.zeros(1, 4),)), path)

    def run(*arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run([TENFOLD, "analyze", *arguments], capture_output=True, text=True)

    done = run(str(path), "--ops", "--no-measure")
    assert done.returncode == 0 and "1 op, 16 multiply-adds" in done.stdout and "tpu:v5e" in done.stdout
    assert run(str(path), "--stage", "llvm").returncode == 2
    assert run().returncode == 2
    text = ROOT / "examples" / "mlp.mlir"
    assert "704 multiply-adds" in run(str(text), "--no-measure").stdout
    assert "only a PyTorch archive has an ATen stage" in run(str(text), "--stage", "aten").stderr
