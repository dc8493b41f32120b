"""`tenfold quantize -o OUT.pt2`: archives in int8 that PyTorch loads and runs, and that Tenfold reads again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
np = pytest.importorskip("numpy")
tenfold = pytest.importorskip("tenfold")
pytest.importorskip("torch.ao.quantization.fx._decomposed")
from tenfold.torch import quantize as quantizing  # noqa: E402
from torch import nn  # noqa: E402

TENFOLD = os.environ.get("TENFOLD", str(Path(__file__).resolve().parents[2] / "bin" / "tenfold"))


class Network(nn.Module):
    """A batch norm, a depthwise convolution, weights under two names, a matmul by weights that it transposes."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.norm = nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8)
        self.deep = nn.Conv2d(8, 8, 3, padding=1, groups=8)
        self.dense, self.last = nn.Linear(8, 5), nn.Linear(5, 4, bias=False)
        self.same = self.last
        self.matrix = nn.Parameter(torch.randn(3, 4))

    def forward(self, x):
        y = torch.relu(self.norm(self.conv(x)))
        y = nn.functional.max_pool2d(y, 2)
        y = (y + self.deep(y)).mean((2, 3))
        return torch.softmax(torch.mm(self.last(torch.relu(self.dense(y))), self.matrix.t()), -1)


class Tied(nn.Module):
    """The words' table is the last layer's weights, too."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(11, 6)
        self.line = nn.Conv1d(6, 6, 3, padding="same")

    def forward(self, words):
        return self.line(self.words(words).transpose(1, 2)).transpose(1, 2) @ self.words.weight.t()


def write(folder, model, inputs, samples, dynamic=None):
    torch.export.save(torch.export.export(model.eval(), inputs, dynamic_shapes=dynamic), folder / "model.pt2")
    np.save(folder / "samples.npy", samples.numpy())
    return folder / "model.pt2", folder / "int8.pt2"


def command(*words):
    return subprocess.run([TENFOLD, "quantize", *map(str, words)], capture_output=True, text=True, check=False)


def agree(path, x, tolerance=0.0):
    """Loaded by PyTorch, the archive gives what Tenfold's interpreter gives, and its CPU."""
    want = torch.export.load(path).module()(x)
    for device in ("interp", "cpu"):
        have = torch.from_dlpack(tenfold.run(path, x, device=device)[0])
        torch.testing.assert_close(have, want, atol=tolerance, rtol=0)
    return want


def ops(path):
    return [str(n.target) for n in torch.export.load(path).graph.nodes if n.op == "call_function"]


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    torch.manual_seed(0)
    folder, model = tmp_path_factory.mktemp("network"), Network()
    samples = torch.randn(16, 3, 8, 8)
    path, out = write(folder, model, (samples[:2],), samples, ({0: torch.export.Dim("batch")},))
    done = command(path, "--data", folder / "samples.npy", "--batch", 2, "--json", "-o", out)
    assert done.returncode == 0, done.stderr
    return path, out, samples, json.loads(done.stdout)


def test_pytorch_and_tenfold_agree(network):
    path, out, samples, _ = network
    for count in (2, 5):  # sizes that were open stay so
        have = agree(out, samples[:count], 1e-6)
        want = torch.export.load(path).module()(samples[:count])
        assert 0 < (have - want).abs().max() < 0.02


def test_weights_are_bytes(network):
    _, out, _, report = network
    state = torch.export.load(out).state_dict
    names = {name.removesuffix("_int8") for name, value in state.items() if value.dtype == torch.int8}
    assert {"conv.weight", "deep.weight", "dense.weight", "matrix"} <= names and len(names) == 5
    assert not names & state.keys() and "last.weight" not in state
    assert state["conv.weight_scale"].shape == (8,) and state["matrix_scale"].shape == (3,)
    assert [row["layer"] for row in report["layers"]][:3] == ["conv", "deep", "dense"]
    assert [row["op"] for row in report["layers"]] == ["convolution"] * 2 + ["matmul"] * 3 and report["samples"] == 16


def test_scales_are_those_of_the_samples(network):
    _, out, samples, report = network
    low, high = samples.min().item(), samples.max().item()
    row = report["layers"][0]
    assert row["scale"] == pytest.approx((high - low) / 255, rel=1e-5)
    assert row["zero_point"] == round(-low / row["scale"])
    first = next(n for n in torch.export.load(out).graph.nodes if "quantize_per_tensor" in str(n.target))
    assert first.args[1:] == (row["scale"], row["zero_point"], 0, 255, torch.uint8)


def test_ops_are_pt2e(network):
    found = ops(network[1])
    for name, count in (("quantize_per_tensor", 5), ("dequantize_per_tensor", 5), ("dequantize_per_channel", 5)):
        assert sum(op == f"quantized_decomposed.{name}.default" for op in found) == count


def test_again_changes_nothing(network, tmp_path):
    """An archive that is in int8 already has nothing left to quantize."""
    _, out, _, _ = network
    done = command(out, "--data", out.parent / "samples.npy", "--batch", 2, "-o", tmp_path / "again.pt2")
    assert done.returncode == 1 and "no convolution and no matmul" in done.stderr
    assert not list(tmp_path.iterdir())


def test_what_others_read_stays(tmp_path):
    torch.manual_seed(1)
    words = torch.randint(11, (8, 5))
    path, out = write(tmp_path, Tied(), (words[:2],), words)
    quantizing.quantize(str(path), str(out), [TENFOLD, "--data", str(tmp_path / "samples.npy")], True)
    state = torch.export.load(out).state_dict
    assert state["words.weight"].dtype == torch.float32 and state["words.weight_int8"].dtype == torch.int8
    assert "line.weight" not in state
    agree(out, words[:2], 1e-5)


class Batches(nn.Module):
    """In training mode its batch norm changes buffers."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.norm, self.dense = nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.Linear(4, 2)

    def forward(self, x):
        return self.dense(self.norm(self.conv(x)).mean((2, 3)))


def test_matmuls_of_core_aten(tmp_path):
    """After run_decompositions a linear layer is an addmm by permuted weights."""
    torch.manual_seed(2)
    samples = torch.randn(8, 3, 6, 6)
    path, out = write(tmp_path, Batches(), (samples[:2],), samples)
    torch.export.save(torch.export.load(path).run_decompositions(), path)
    quantizing.quantize(str(path), str(out), [TENFOLD, "--data", str(tmp_path / "samples.npy")], True)
    state = torch.export.load(out).state_dict
    assert state["dense.weight_int8"].dtype == torch.int8 and "dense.weight" not in state
    assert state["dense.weight_scale"].shape == (2,)
    assert any("permute" in op for op in ops(out))
    have = agree(out, samples[:2], 1e-6)
    assert 0 < (have - torch.export.load(path).module()(samples[:2])).abs().max() < 0.05


def test_training_mode(tmp_path):
    torch.manual_seed(3)
    model, samples = Batches().train(), torch.randn(8, 3, 6, 6)
    torch.export.save(torch.export.export(model, (samples[:2],)), tmp_path / "model.pt2")
    np.save(tmp_path / "samples.npy", samples.numpy())
    path, out = tmp_path / "model.pt2", tmp_path / "int8.pt2"
    quantizing.quantize(str(path), str(out), [TENFOLD, "--data", str(tmp_path / "samples.npy")], True)
    loaded = torch.export.load(out)
    assert loaded.state_dict["conv.weight_int8"].dtype == torch.int8
    have, want = (p.module() for p in (loaded, torch.export.load(path)))
    assert (have(samples[:2]) - want(samples[:2])).abs().max() < 0.1
    assert have.norm.num_batches_tracked == want.norm.num_batches_tracked == 1


def test_failures_name_the_model(network, tmp_path):
    """Not the file that the ranges are taken from."""
    path, _, samples, _ = network
    np.save(tmp_path / "bad.npy", samples[:, :, 1:].numpy())
    done = command(path, "--data", tmp_path / "bad.npy", "--batch", 2, "-o", tmp_path / "out.pt2")
    assert done.returncode == 1 and f"while quantizing {path}" in done.stderr and "values.pt2" not in done.stderr


def test_an_interrupt_leaves_nothing(network, tmp_path):
    path, _, _, _ = network
    tool = tmp_path / "tool"  # in place of the command that takes ranges: as when one presses Ctrl-C then
    tool.write_text("#!/bin/sh\nkill -INT $PPID\nexec sleep 60\n")
    tool.chmod(0o755)
    words = [sys.executable, "-m", "tenfold.torch.quantize", path, "-o", tmp_path / "out.pt2", "--command", tool]
    env = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False, env=env)
    assert done.returncode == 130 and "Traceback" not in done.stderr, done.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["tool"]


def test_failures_write_nothing(network, tmp_path):
    path, _, samples, _ = network
    out = tmp_path / "out.pt2"
    out.write_bytes(b"before")
    bad = samples.clone()
    bad[3] = float("nan")
    np.save(tmp_path / "bad.npy", bad.numpy())
    (tmp_path / "text.pt2").write_text("no archive")
    data = ["--data", path.parent / "samples.npy", "--batch", 2]
    for words, message in (
        ([path, "--data", tmp_path / "bad.npy", "--batch", 2], "elements have to be finite"),
        ([path, "--batch", 2], "--data"),
        ([tmp_path / "text.pt2", *data], "text.pt2"),
        ([path, *data, "--target", "cpu"], "--target"),
        ([path, *data, "--method", "guess"], "minmax, percentile or mse"),
        ([path, *data, "--ranges"], "--ranges"),
    ):
        done = command(*words, "-o", out)
        assert done.returncode in (1, 2) and message in done.stderr and "Traceback" not in done.stderr, done.stderr
        assert out.read_bytes() == b"before"
        assert sorted(p.name for p in tmp_path.iterdir()) == ["bad.npy", "out.pt2", "text.pt2"]
    done = command(path, *data, "-o", tmp_path / "missing" / "out.pt2")
    assert done.returncode in (1, 2) and "Traceback" not in done.stderr


def test_ranges(network):
    path, _, samples, _ = network
    done = command(path, "--data", path.parent / "samples.npy", "--batch", 2, "--ranges", "--json")
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)["layers"]
    most = torch.export.load(path).module()(samples).max().item()
    assert row["scale"] == pytest.approx(most / 255, rel=1e-4) and row["zero_point"] == 0
