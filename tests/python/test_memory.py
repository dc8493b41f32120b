"""What a program takes: an archive's weights are read where they lie, and packed once."""

import json
import os
import subprocess
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
ROOT = Path(__file__).resolve().parents[2]
TENFOLD = os.environ.get("TENFOLD", str(ROOT / "bin" / "tenfold"))
LAYERS, WIDTH = 8, 1536


def run(path: Path, cache: Path) -> dict:
    environment = os.environ | {"TENFOLD_CACHE_DIR": str(cache), "TENFOLD_CACHE": "on"}
    command = [TENFOLD, "run", str(path), "--random", "--json"]
    return json.loads(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)


def export(module: torch.nn.Module, width: int, path: Path) -> Path:
    torch.export.save(torch.export.export(module.eval(), (torch.zeros(4, width),)), path)
    return path


def test_peak_is_constants_and_arena(tmp_path):
    """And 30 MB at most over what a process takes for a small program: first compiled, then from the cache."""
    torch.manual_seed(0)
    layers = [part for _ in range(LAYERS) for part in (torch.nn.Linear(WIDTH, WIDTH), torch.nn.ReLU())]
    large = export(torch.nn.Sequential(*layers), WIDTH, tmp_path / "large.pt2")
    small = export(torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU()), 8, tmp_path / "small.pt2")
    least = run(small, tmp_path / "cache")["memory"]["peak"]
    for _ in range(2):
        report = run(large, tmp_path / "cache")
        memory = report["memory"]
        assert report["interpreted"] == 0
        assert memory["constants"] >= LAYERS * WIDTH * WIDTH * 4
        assert memory["peak"] - least <= memory["constants"] + memory["arena"] + (30 << 20)
