"""End to end at the size of MNIST: digits drawn here, a CNN from PyTorch, trained here, back to PyTorch."""

from __future__ import annotations

import json
import os
import struct
import subprocess
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (scripts/setup run gets it)")
import numpy as np  # noqa: E402
from torch import nn  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
TENFOLD = Path(os.environ.get("TENFOLD", ROOT / "bin" / "tenfold"))
TRAIN, HELD_OUT, BATCH = 4000, 1000, 50

# Seven rows of five dots each, a digit to a column.
GLYPHS = """
.###. ..#.. .###. .###. ...#. ##### .###. ##### .###. .###.
#...# .##.. #...# #...# ..##. #.... #.... ....# #...# #...#
#...# ..#.. ....# ....# .#.#. ####. #.... ...#. #...# #...#
#...# ..#.. ..##. ..##. #..#. ....# ####. ...#. .###. .####
#...# ..#.. .#... ....# ##### ....# #...# ..#.. #...# ....#
#...# ..#.. #.... #...# ...#. #...# #...# ..#.. #...# ....#
.###. .###. ##### .###. ...#. .###. .###. ..#.. .###. .###.
""".strip()


def draw(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Bytes of [count, 28, 28]: each glyph stretched, slanted, moved, of its own ink, in noise."""
    random = np.random.default_rng(seed)
    rows = [line.split() for line in GLYPHS.splitlines()]
    glyphs = np.array([[[dot == "#" for dot in row[digit]] for row in rows] for digit in range(10)])
    labels = random.integers(0, 10, count).astype(np.uint8)
    images = np.zeros((count, 28, 28), np.float64)
    y, x = np.mgrid[0:28, 0:28]
    for image, label in zip(images, labels, strict=True):
        height, width = random.uniform(17, 24), random.uniform(11, 18)
        top, left, slant = random.uniform(1, 27 - height), random.uniform(2, 26 - width), random.uniform(-0.15, 0.15)
        row = np.floor((y - top) / height * 7).astype(int)
        column = np.floor((x - left + slant * (y - 14)) / width * 5).astype(int)
        inside = (row >= 0) & (row < 7) & (column >= 0) & (column < 5)
        image[inside] = glyphs[label][row[inside], column[inside]] * random.uniform(0.6, 1)
    images += random.normal(0, 0.12, images.shape)
    return (images.clip(0, 1) * 255).astype(np.uint8), labels


def write_idx(path: Path, array: np.ndarray) -> None:
    path.write_bytes(struct.pack(f">HBB{array.ndim}I", 0, 8, array.ndim, *array.shape) + array.tobytes())


def build() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(),
        nn.MaxPool2d(2), nn.Flatten(), nn.Linear(16 * 7 * 7, 10),
    )  # fmt: skip


def load(path: Path) -> dict[str, torch.Tensor]:
    """A safetensors file of f32, without the package that most people would use."""
    raw = path.read_bytes()
    (size,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8 : 8 + size])
    header.pop("__metadata__")
    data = raw[8 + size :]
    return {
        name: torch.frombuffer(bytearray(data[slice(*entry["data_offsets"])]), dtype=torch.float32).reshape(
            entry["shape"]
        )
        for name, entry in header.items()
    }


def test_digits(tmp_path: Path) -> None:
    images, labels = draw(TRAIN, 1)
    data = tmp_path / "digits"
    data.mkdir()
    write_idx(data / "train-images-idx3-ubyte", images)
    write_idx(data / "train-labels-idx1-ubyte", labels)
    batch = torch.export.Dim("batch", min=2, max=2000)
    program = torch.export.export(build(), (torch.zeros(BATCH, 1, 28, 28),), dynamic_shapes=({0: batch},))
    torch.export.save(program, tmp_path / "model.pt2")
    how = ["--optimizer", "adam,lr=2e-3", "--epochs", "6", "--save", "digits.safetensors", "--json"]
    command = [TENFOLD, "train", "model.pt2", "--batch", str(BATCH), "--data", "digits", *how]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["steps"] == 6 * TRAIN // BATCH

    model = build()
    model.load_state_dict(load(tmp_path / "digits.safetensors"))
    held_out, wanted = draw(HELD_OUT, 2)
    x = torch.from_numpy(held_out).float().div(255).unsqueeze(1)
    with torch.no_grad():
        theirs = model(x).argmax(1).numpy()
    assert (theirs == wanted).mean() > 0.97

    np.save(tmp_path / "x.npy", x.numpy())
    program = torch.export.export(model, (x[:BATCH],), dynamic_shapes=({0: batch},))
    torch.export.save(program, tmp_path / "trained.pt2")
    subprocess.run([TENFOLD, "run", "trained.pt2", "-i", "x.npy", "-o", "out"], cwd=tmp_path, check=True)
    assert (np.load(tmp_path / "out" / "0.npy").argmax(1) == theirs).mean() >= 0.999
