"""What `tenfold train` reads and writes is checked before it is used: data sets, checkpoints, and where results go."""

from __future__ import annotations

import io
import json
import os
import struct
import subprocess
import zipfile
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (scripts/setup run gets it)")
import numpy as np  # noqa: E402
from torch import nn  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
TENFOLD = Path(os.environ.get("TENFOLD", ROOT / "bin" / "tenfold"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("train_inputs")
    torch.manual_seed(0)
    model = nn.Sequential(nn.Flatten(), nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, 3))
    torch.export.save(torch.export.export(model, (torch.randn(8, 4, 4),)), folder / "model.pt2")
    generator = np.random.default_rng(0)
    x, y = generator.normal(size=(32, 4, 4)).astype("f4"), generator.integers(0, 3, 32)
    np.savez(folder / "data.npz", x=x, y=y)
    train(folder, "--save", "good.safetensors", "--optimizer", "adamw,lr=1e-3")
    return folder


def train(folder: Path, *arguments: str, code: int = 0, data: str = "data.npz") -> str:
    command = [TENFOLD, "train", "model.pt2", "--data", data, *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == code, (done.returncode, done.stderr)
    return done.stderr


def write_idx(path: Path, dims: list[int], data: bytes) -> None:
    path.write_bytes(struct.pack(f">BBBB{len(dims)}I", 0, 0, 8, len(dims), *dims) + data)


@pytest.mark.parametrize(
    ("images", "labels", "message"),
    [
        ([0, 4, 4], [32], "has 32 samples, another array has 0"),
        ([32, 4, 4], [0], "has 0 samples, another array has 32"),
        ([0, 4, 4], [0], "has 0 samples, less than one batch of 8"),
        ([1 << 31, 4, 4], [32], "its header announces 2147483648 samples of 16 bytes, the file has 512 bytes"),
        ([2, 1 << 31, 1 << 31, 4], [32], "the sizes of a sample overflow"),
        ([32, 0, 4], [32], "its header announces 32 samples of 0 bytes"),
    ],
)
def test_counts_of_idx_files(folder: Path, tmp_path: Path, images: list, labels: list, message: str) -> None:
    write_idx(tmp_path / "images-idx3-ubyte", images, bytes(512))
    write_idx(tmp_path / "labels-idx1-ubyte", labels, bytes(32))
    assert message in train(folder, data=str(tmp_path), code=1)


def test_members_of_npz_files(folder: Path, tmp_path: Path) -> None:
    data = np.load(folder / "data.npz")
    np.savez(tmp_path / "empty.npz", x=data["x"][:0], y=data["y"])
    # a sample of no element has the row of nothing
    assert "a sample has 0 elements, the program expects 16" in train(folder, data=str(tmp_path / "empty.npz"), code=1)
    np.savez(tmp_path / "none.npz", x=data["x"], y=data["y"][:0])
    assert train(folder, data=str(tmp_path / "none.npz"), code=1)
    raw = (folder / "data.npz").read_bytes()
    assert b"(32, 4, 4)" in raw
    for shape in (b"(92, 4, 4)", b"(32, 4, 0)", b"(-2, 4, 4)", b"(32, 4,94)"):
        (tmp_path / "bad.npz").write_bytes(raw.replace(b"(32, 4, 4)", shape))
        train(folder, data=str(tmp_path / "bad.npz"), code=1)


def edit_checkpoint(folder: Path, name: str, edit) -> None:
    raw = (folder / "good.state.safetensors").read_bytes()
    (size,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8 : 8 + size])
    edit(header)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    (folder / f"{name}.state.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + raw[8 + size :])


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("batch", "-31", "tenfold.batch is '-31', not a number from 0"),
        ("batch", "4", "the position is batch 4 of an epoch; data.npz has 4 batches"),
        ("batch", "99999999999999999999", "not a number from 0"),
        ("batch", " 1", "not a number from 0"),
        ("epoch", "-1", "tenfold.epoch is '-1'"),
        ("epoch", "9223372036854775807", "the position is epoch 9223372036854775807"),
        ("epoch", "2305843009213693951", "epochs are counted from 0 to 1099511627776"),
        ("seed", "-1", "tenfold.seed is '-1'"),
        ("seed", "", "tenfold.seed is ''"),
    ],
)
def test_positions_of_checkpoints(folder: Path, key: str, value: str, message: str) -> None:
    edit_checkpoint(folder, "bad", lambda header: header["__metadata__"].__setitem__(f"tenfold.{key}", value))
    how = ["--optimizer", "adamw,lr=1e-3", "--epochs", "3", "--resume", "bad.safetensors"]
    assert message in train(folder, *how, code=1)


@pytest.mark.parametrize(
    "entry",
    [
        {"shape": [8, -16]},
        {"shape": [8, "16"]},
        {"shape": [1 << 62, 1 << 62]},
        {"shape": [16, 8]},
        {"shape": [128]},
        {"data_offsets": [0, 1 << 40]},
        {"data_offsets": [-8, 504]},
        {"data_offsets": [512, 0]},
        {"dtype": "F64"},
        {"dtype": "I32"},
    ],
)
def test_shapes_of_checkpoints(folder: Path, entry: dict) -> None:
    edit_checkpoint(folder, "bad", lambda header: header["1.weight"].update(entry))
    how = ["--optimizer", "adamw,lr=1e-3", "--epochs", "3", "--resume", "bad.safetensors"]
    message = train(folder, *how, code=1)
    assert "1.weight" in message and "while resuming from bad.state.safetensors" in message


def test_another_optimizers_state_says_what_differs(folder: Path) -> None:
    message = train(folder, "--optimizer", "sgd,lr=0.1", "--epochs", "3", "--resume", "good.safetensors", code=1)
    assert "of another model or optimizer" in message and "it holds '" in message and "exp_avg" in message
    assert "which this program does not have" in message and "damaged" not in message
    train(folder, "--optimizer", "sgd,lr=0.1", "--save", "sgd.safetensors")
    message = train(folder, "--optimizer", "adamw,lr=0.1", "--epochs", "3", "--resume", "sgd.safetensors", code=1)
    assert "there is no tensor '" in message and "exp_avg" in message and "which this program needs" in message


def test_outputs_are_checked_before_work(folder: Path) -> None:
    for option in ("--save", "--metrics"):
        message = train(folder, option, "missing/out", code=2)
        assert "missing/out cannot be written: the folder missing: No such file" in message
        assert f"'{option}' before any work" in message
        assert "is a folder" in train(folder, option, ".", code=1)
    if os.path.exists("/dev/full"):
        message = train(folder, "--metrics", "/dev/full", "--save", "full.safetensors", code=1)
        assert "/dev/full: writing: No space left" in message
        assert (folder / "full.safetensors").exists()  # the step that was done


def test_more_epochs_than_can_be_counted_end_at_steps(folder: Path) -> None:
    how = ["--optimizer", "adamw,lr=1e-3", "--epochs", "9223372036854775807", "--steps", "5", "--metrics", "long.jsonl"]
    train(folder, *how)
    assert len((folder / "long.jsonl").read_text().splitlines()) == 5


@pytest.mark.parametrize("option", ["--epochs", "--steps", "--batch", "--accumulate", "--save-every"])
def test_nothing_is_no_number_of_steps(folder: Path, option: str) -> None:
    assert f"'{option}' takes a number of one or more, not '0'" in train(folder, option, "0", code=2)


def test_nothing_left_is_said(folder: Path) -> None:
    how = ["--optimizer", "adamw,lr=1e-3", "--resume", "good.safetensors", "--save", "again.safetensors"]
    assert "nothing is left to train: 4 steps are done" in train(folder, *how)
    again, good = (folder / f"{name}.state.safetensors" for name in ("again", "good"))
    assert again.read_bytes() == good.read_bytes()


@pytest.mark.parametrize("name", ["02-idx-zero-samples", "03-checkpoint-negative-batch"])
def test_findings(tmp_path: Path, name: str) -> None:
    found = ROOT.parent / "shared" / "findings" / name
    if not found.exists():
        pytest.skip("the findings are not here")

    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b = nn.Linear(64, 32), nn.Linear(32, 10)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.b(torch.relu(self.a(x.flatten(1))))

    torch.export.save(torch.export.export(Model(), (torch.randn(8, 8, 8),)), tmp_path / "model.pt2")
    if name.startswith("02"):
        assert "samples" in train(tmp_path, data=str(found / "idx0"), code=1)
    else:
        resume = ["--epochs", "2", "--resume", str(found / "neg.safetensors")]
        assert "not a number from 0" in train(tmp_path, *resume, data=str(found / "data"), code=1)


def test_npz_file_that_ends_early(folder: Path, tmp_path: Path) -> None:
    whole = (folder / "data.npz").read_bytes()
    for size in [0, 3, 30, 100, len(whole) // 2, len(whole) - 1]:
        (tmp_path / "short.npz").write_bytes(whole[:size])
        assert "short.npz" in train(folder, data=str(tmp_path / "short.npz"), code=1)


def test_npz_file_cut_while_it_is_read(folder: Path, tmp_path: Path) -> None:
    """The command is held after its first steps by a pipe that its metrics go to. Data that is aligned is read where it
    lies in the file."""
    generator = np.random.default_rng(0)
    x, y = generator.normal(size=(1 << 14, 4, 4)).astype("f4"), generator.integers(0, 3, 1 << 14)
    with zipfile.ZipFile(tmp_path / "data.npz", "w") as archive:
        for name, values in (("x.npy", x), ("y.npy", y)):
            head = archive.fp.tell() + 30 + len(name)
            info = zipfile.ZipInfo(name)
            info.extra = struct.pack("<HH", 0x6E74, -(head + 4) % 16) + bytes(-(head + 4) % 16)
            file = io.BytesIO()
            np.save(file, values)
            archive.writestr(info, file.getvalue())
    os.mkfifo(tmp_path / "metrics")
    options = ["--metrics", tmp_path / "metrics", "--save", tmp_path / "out.safetensors"]
    command = [TENFOLD, "train", "model.pt2", "--data", tmp_path / "data.npz", *options]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True) as running:
        with open(tmp_path / "metrics") as metrics:
            assert "loss" in metrics.readline()
            os.truncate(tmp_path / "data.npz", 5000)
            for _ in metrics:
                pass
        message = running.communicate(timeout=300)[1]
    assert running.returncode == 1
    assert f"{tmp_path / 'data.npz'} became shorter while it was being read" in message
    assert not (tmp_path / "out.safetensors").exists()
