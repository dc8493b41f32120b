"""Archives of torch.export.save, run by the command alone, against eager PyTorch."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess

import pytest

torch = pytest.importorskip("torch")
np = pytest.importorskip("numpy")
import zoo  # noqa: E402

TENFOLD = os.environ.get("TENFOLD", "build/tools/cli/tenfold")
DEVICES = os.environ.get("TENFOLD_DEVICES", "interp").split(",")
MODELS = {**zoo.MODELS, **zoo.transformers_models()}


def run_archive(path: pathlib.Path, inputs, device: str) -> list[np.ndarray]:
    """`tenfold run` in a process of its own: there is no Python in it."""
    out = path.parent / "results"
    shutil.rmtree(out, ignore_errors=True)
    command = [TENFOLD, "run", str(path), "--device", device, "--output", str(out)]
    for i, value in enumerate(inputs):
        np.save(path.parent / f"in{i}.npy", value.detach().numpy())
        command += ["--input", str(path.parent / f"in{i}.npy")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return [np.load(out / f"{i}.npy") for i in range(len(list(out.iterdir())))]


def export(name: str, dynamic: bool, decomposed: bool):
    build, make = MODELS[name]
    torch.manual_seed(0)
    model, inputs = build().eval(), make()
    shapes = tuple({0: torch.export.Dim.DYNAMIC} for _ in inputs) if dynamic else None
    program = torch.export.export(model, inputs, dynamic_shapes=shapes, strict=False)
    if decomposed:
        try:
            program = program.run_decompositions()
        except Exception as error:  # some do not decompose: nothing of ours is at work yet
            pytest.skip(f"run_decompositions: {error}")
    return model, make(3) if dynamic else inputs, program


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("decomposed", [False, True], ids=["saved", "decomposed"])
@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("name", sorted(MODELS))
def test_equals_eager(name, dynamic, decomposed, device, tmp_path):
    if dynamic and name in zoo.FIXED_BATCH:
        pytest.skip("no batch")
    model, inputs, program = export(name, dynamic, decomposed)
    torch.export.save(program, tmp_path / "model.pt2")
    wanted = model(*inputs)
    wanted = [wanted] if isinstance(wanted, torch.Tensor) else list(wanted)
    results = run_archive(tmp_path / "model.pt2", inputs, device)
    assert len(results) >= len(wanted)
    for have, want in zip(results, wanted, strict=False):
        np.testing.assert_allclose(have, want.detach().numpy(), rtol=1e-4, atol=1e-5)


class Mixed(torch.nn.Module):
    """Ops that autocast runs in bf16, among others that it leaves as they are."""

    def __init__(self) -> None:
        super().__init__()
        self.image, self.norm, self.query = torch.nn.Conv2d(3, 8, 3), torch.nn.LayerNorm(8), torch.nn.Linear(8, 8)
        self.up, self.out = torch.nn.ConvTranspose1d(8, 8, 2), torch.nn.Parameter(torch.randn(8, 5))

    def forward(self, x):
        y = self.norm(self.image(x).flatten(2).mT)
        q = self.query(y)
        y = y + torch.nn.functional.scaled_dot_product_attention(q, y.to(q.dtype), torch.ones_like(q))
        return self.up(y.mT).mT @ self.out, torch.bmm(y, y.mT).softmax(-1)


def test_exported_under_autocast(tmp_path):
    """Such a program says that operands are rounded by the types of results alone."""
    torch.manual_seed(0)
    model, x = Mixed().eval(), torch.randn(2, 3, 6, 6)
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
        wanted = model(x)
        torch.export.save(torch.export.export(model, (x,)), tmp_path / "model.pt2")
    for device in ("interp", "cpu"):
        tenfold = pytest.importorskip("tenfold")
        got = [torch.from_dlpack(y) for y in tenfold.load(tmp_path / "model.pt2", device=device)(x)]
        for mine, theirs in zip(got, wanted, strict=True):
            assert mine.dtype == theirs.dtype
            torch.testing.assert_close(mine, theirs, rtol=0.03, atol=0.03)
