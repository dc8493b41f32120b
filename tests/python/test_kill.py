"""kill -9 at random moments of training and of writing to the cache, many times over: 20 in `make test`, 500 with
TENFOLD_TEST_ALL (`make test-kill`). After each, the checkpoint is one that was saved whole and the cache answers right;
after the next run that ends by itself nothing is left of what was being written."""

from __future__ import annotations

import json
import os
import random
import subprocess
import time
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (scripts/setup run gets it)")
import numpy as np  # noqa: E402
from test_train_step import TENFOLD, tensors  # noqa: E402
from torch import nn  # noqa: E402

KILLS = 250 if os.environ.get("TENFOLD_TEST_ALL") else 10  # of each kind


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kill")
    torch.manual_seed(2)
    x, y = torch.randn(64, 24), torch.randint(0, 5, (64,))
    model = nn.Sequential(
        nn.Linear(24, 256), nn.GELU(), nn.Dropout(0.2), nn.Linear(256, 256), nn.GELU(), nn.Linear(256, 5)
    )
    np.savez(folder / "data.npz", x=x.numpy(), y=y.numpy())
    torch.export.save(torch.export.export(model, (x[:8],)), folder / "model.pt2")
    wide = nn.Sequential(*[layer for _ in range(4) for layer in (nn.Linear(512, 512), nn.LayerNorm(512), nn.GELU())])
    torch.export.save(torch.export.export(wide.eval(), (torch.randn(4, 512),)), folder / "wide.pt2")
    return folder


def start(folder: Path, *arguments: str, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [TENFOLD, *arguments], cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=os.environ | environment,
    )  # fmt: skip


def whole(folder: Path, *arguments: str, **environment: str) -> str:
    process = start(folder, *arguments, **environment)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return out


def killed(process: subprocess.Popen[str], after: float) -> bool:
    """Whether it was still running."""
    try:
        process.wait(after)
    except subprocess.TimeoutExpired:
        process.kill()
    process.communicate()
    return process.returncode == -9


def train(name: str, epochs: int, *more: str) -> list[str]:
    how = ["train", "model.pt2", "--data", "data.npz", "--epochs", str(epochs), "--seed", "3", "--save-every", "1"]
    return [*how, "--optimizer", "adamw,lr=0.01", "--save", f"{name}.safetensors", *more]


def state_of(path: Path) -> dict[str, bytes]:
    return {name: value.tobytes() for name, value in tensors(path).items()}


def test_killed_in_training(folder: Path) -> None:
    """Every checkpoint that is found is one of those that a run without kills saves, no earlier than the one before."""
    epochs, batches = 2, 8
    saved: list[dict[str, bytes]] = []
    for steps in range(1, epochs * batches + 1):
        more = ["--resume", "steps.safetensors"] if steps > 1 else []
        whole(folder, *train("steps", epochs, "--steps", str(steps), *more))
        saved.append(state_of(folder / "steps.state.safetensors"))
    started = time.monotonic()
    whole(folder, *train("timed", epochs))
    takes = time.monotonic() - started
    chooser = random.Random(os.environ.get("TENFOLD_TEST_SEED", "kill"))
    kills, reached, ends = 0, -1, 0
    state = folder / "cut.state.safetensors"
    while kills < KILLS:
        resume = ["--resume", "cut.safetensors"] if state.exists() else []
        kills += killed(start(folder, *train("cut", epochs, *resume)), chooser.uniform(0, takes))
        if not state.exists():
            continue
        now = saved.index(state_of(state))  # ValueError: none of those that were saved
        assert now >= reached
        model = folder / "cut.safetensors"
        if model.exists():
            assert any(state_of(model).items() <= one.items() for one in saved)
        reached = now
        if now == len(saved) - 1 or kills == KILLS:  # once around: to the end, and from the start again
            whole(folder, *train("cut", epochs, "--resume", "cut.safetensors"))
            assert state_of(state) == saved[-1]
            assert state_of(model) == {name: saved[-1][name] for name in state_of(model)}
            assert [path.name for path in folder.iterdir() if path.name.endswith(".tmp")] == []
            for path in (state, model):
                path.unlink()
            reached, ends = -1, ends + 1
    assert ends


def test_killed_in_writing_the_cache(folder: Path) -> None:
    """The answer is always right, and the run after a kill leaves an entry and nothing else."""
    ask = ["run", "wide.pt2", "--random", "--json"]

    def first(out: str) -> list[float]:
        return json.loads(out)["results"][0]["first"]

    want = first(whole(folder, *ask, TENFOLD_CACHE="off"))
    cache = folder / "cache"
    at = {"TENFOLD_CACHE": "on", "TENFOLD_CACHE_DIR": str(cache)}
    started = time.monotonic()
    assert first(whole(folder, *ask, **at)) == want
    takes = time.monotonic() - started
    chooser = random.Random(os.environ.get("TENFOLD_TEST_SEED", "cache"))
    kills, partial = 0, 0
    while kills < KILLS:
        for path in cache.glob("*.ten"):  # so that there is something to write
            path.unlink()
        process = start(folder, *ask, "--repeat", "3", **at)
        if kills % 2:  # as soon as there is a file half written
            end = time.monotonic() + 2 * takes + 1
            while process.poll() is None and time.monotonic() < end and not any(cache.glob("tmp/*.tmp")):
                time.sleep(0.0002)
            kills += killed(process, chooser.uniform(0, 0.004))
        else:
            kills += killed(process, chooser.uniform(0, takes))
        partial += any(cache.glob("tmp/*.tmp"))
        assert first(whole(folder, *ask, **at)) == want
        left = sorted(path.name for path in cache.rglob("*") if path.is_file() and path.suffix != ".file")
        assert len(left) == 1 and left[0].endswith(".ten"), left
        assert first(whole(folder, *ask, **at)) == want
    assert partial  # or nothing was shown
