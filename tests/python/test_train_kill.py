"""kill -9 at random moments of training with everything that carries state from step to step, and resuming on another
number of threads: the same bits as a run that nothing happened to."""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import time
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (scripts/setup run gets it)")
import numpy as np  # noqa: E402
from test_train_step import TENFOLD, run, tensors  # noqa: E402
from torch import nn  # noqa: E402

KINDS = {
    "momentum, clipped": ["--optimizer", "momentum,lr=0.1", "--clip", "0.5"],
    "schedule": ["--optimizer", "adamw,lr=0.01", "--schedule", "cosine:100,warmup=20"],
    "accumulated": ["--optimizer", "adamw,lr=0.01", "--accumulate", "3", "--schedule", "linear:40"],
    "bf16": ["--optimizer", "adam,lr=0.01", "--precision", "bf16"],
    "lamb": ["--optimizer", "lamb,lr=0.01"],
    "adafactor": ["--optimizer", "adafactor,lr=0.01"],
}


class Model(nn.Module):
    """Random numbers, running statistics and weights wide enough to be shared out among threads."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(24, 160), nn.BatchNorm1d(160), nn.GELU(), nn.Dropout(0.25), nn.Linear(160, 160), nn.LayerNorm(160)
        )
        self.head = nn.Linear(160, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.body(x))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kill")
    torch.manual_seed(1)
    x, y = torch.randn(96, 24), torch.randint(0, 5, (96,))
    np.savez(folder / "data.npz", x=x.numpy(), y=y.numpy())
    torch.export.save(torch.export.export(Model(), (x[:16],)), folder / "model.pt2")
    return folder


def same(folder: Path, whole: str, cut: str) -> None:
    for kind in (".safetensors", ".state.safetensors"):
        a, b = tensors(folder / (whole + kind)), tensors(folder / (cut + kind))
        assert a.keys() == b.keys()
        assert all(a[name].tobytes() == b[name].tobytes() for name in a), [
            name for name in a if a[name].tobytes() != b[name].tobytes()
        ]


@pytest.mark.parametrize("kind", KINDS)
def test_killed_and_resumed_with_other_threads(folder: Path, kind: str) -> None:
    name = kind.split(",")[0]
    how = ["train", "model.pt2", "--data", "data.npz", "--epochs", "20", "--seed", "7", "--save-every", "1"]
    how += KINDS[kind]
    run(folder, *how, "--save", f"{name}-whole.safetensors", env={**os.environ, "TENFOLD_THREADS": "2"})
    chooser = random.Random(kind)
    resume: list[str] = []
    for threads in ("1", "3", "2", "1"):
        command = [TENFOLD, *how, "--save", f"{name}-cut.safetensors", *resume]
        environment = {**os.environ, "TENFOLD_THREADS": threads}
        state = folder / f"{name}-cut.state.safetensors"
        seen = state.stat().st_mtime_ns if state.exists() else 0
        process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment
        )
        while process.poll() is None and (not state.exists() or state.stat().st_mtime_ns == seen):
            time.sleep(0.001)  # until it gets anywhere
        time.sleep(chooser.uniform(0, 0.05))
        process.send_signal(signal.SIGKILL)
        process.wait()
        resume = ["--resume", f"{name}-cut.safetensors"]
    run(folder, *how, "--save", f"{name}-cut.safetensors", *resume, env={**os.environ, "TENFOLD_THREADS": "3"})
    same(folder, f"{name}-whole", f"{name}-cut")


def test_killed_in_its_first_checkpoint(folder: Path) -> None:
    """Ended at a byte of the first checkpoint there ever was: nothing is there that could be taken for one."""
    how = ["train", "model.pt2", "--data", "data.npz", "--epochs", "1", "--save-every", "1", "--save"]
    run(folder, *how, "first-whole.safetensors")
    for at in (0, 1, 8, 200, 4096):
        ended = run(
            folder, *how, "first.safetensors", check=False,
            preexec_fn=lambda at=at: (resource.setrlimit(resource.RLIMIT_CORE, (0, 0)),
                                      resource.setrlimit(resource.RLIMIT_FSIZE, (at, at))),
            env={**os.environ, "TENFOLD_CACHE": "0"},
        )  # fmt: skip
        assert ended.returncode, at
        assert not (folder / "first.state.safetensors").exists()
        refused = run(folder, *how, "first.safetensors", "--resume", "first.safetensors", check=False)
        assert refused.returncode
        assert "first" in refused.stderr, refused.stderr
    run(folder, *how, "first.safetensors")
    same(folder, "first-whole", "first")


def test_killed_and_started_twice_at_once(folder: Path) -> None:
    """Two kills in a row before anything new was written, then to the end."""
    how = ["train", "model.pt2", "--data", "data.npz", "--epochs", "4", "--save-every", "5", "--save"]
    run(folder, *how, "twice-whole.safetensors")
    run(folder, *how, "twice.safetensors", "--steps", "10")
    for _ in range(2):
        command = [TENFOLD, *how, "twice.safetensors", "--resume", "twice.safetensors"]
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.01)
        process.kill()
        process.wait()
    run(folder, *how, "twice.safetensors", "--resume", "twice.safetensors")
    same(folder, "twice-whole", "twice")
