"""Step files, open batches, dropout, frozen weights, and what can go wrong in the middle of training."""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import struct
import subprocess
import time
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (scripts/setup run gets it)")
import numpy as np  # noqa: E402
from torch import nn  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
TENFOLD = Path(os.environ.get("TENFOLD", ROOT / "bin" / "tenfold"))


class Model(nn.Module):
    """Every kind of state: trained, frozen, persistent and not; and what stops gradients."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(6, 8), nn.Linear(8, 3)
        self.first.bias.requires_grad_(False)
        self.register_buffer("scale", torch.full((8,), 1.5))
        self.register_buffer("hidden", torch.ones(8), persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.tanh(self.first(x)) * self.scale + self.hidden
        with torch.no_grad():
            z = y * 2
        return self.second(y.detach() * 0.5 + y) + self.second(z)


def run(folder: Path, *arguments: str, check: bool = True, **options) -> subprocess.CompletedProcess:
    done = subprocess.run(
        [TENFOLD, *arguments], cwd=folder, capture_output=True, text=True, check=False, timeout=300, **options
    )
    assert not check or done.returncode == 0, done.stderr
    return done


def losses(path: Path) -> list[float]:
    return [json.loads(line)["loss"] for line in path.read_text().splitlines()]


def tensors(path: Path) -> dict[str, np.ndarray]:
    raw = path.read_bytes()
    (size,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8 : 8 + size])
    header.pop("__metadata__")
    kinds = {"F32": np.float32, "I64": np.int64, "U64": np.uint64}
    return {
        name: np.frombuffer(raw[8 + size :][slice(*entry["data_offsets"])], kinds[entry["dtype"]]).reshape(
            entry["shape"]
        )
        for name, entry in header.items()
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("step")
    torch.manual_seed(0)
    x, y = torch.randn(64, 6), torch.randint(0, 3, (64,))
    np.savez(folder / "data.npz", x=x.numpy(), y=y.numpy())
    batch = torch.export.Dim("batch", min=2, max=64)
    program = torch.export.export(Model(), (x[:16],), dynamic_shapes=({0: batch},))
    torch.export.save(program, folder / "model.pt2")
    dropout = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Dropout(0.5), nn.Linear(32, 3))
    torch.export.save(torch.export.export(dropout, (x[:16],)), folder / "dropout.pt2")
    run(folder, "compile", "model.pt2", "--train", "--optimizer", "adamw,lr=0.01", "--batch", "8", "-o", "step.ten")
    return folder


def test_a_step_file_is_the_same_training(folder: Path) -> None:
    how = ["--data", "data.npz", "--epochs", "3"]
    run(folder, "train", "step.ten", *how, "--save", "a.safetensors")
    run(folder, "train", "model.pt2", "--optimizer", "adamw,lr=0.01", "--batch", "8", *how, "--save", "b.safetensors")
    assert (folder / "a.safetensors").read_bytes() == (folder / "b.safetensors").read_bytes()


def test_a_step_file_says_what_it_is(folder: Path) -> None:
    done = run(folder, "run", "step.ten", check=False)
    assert done.returncode and "tenfold train step.ten" in done.stderr
    done = run(folder, "train", "step.ten", "--data", "data.npz", "--loss", "mse", check=False)
    assert done.returncode and "'--loss' was decided when it was compiled" in done.stderr
    done = run(folder, "compile", "model.pt2", "--optimizer", "sgd", "-o", "x.ten", check=False)
    assert done.returncode and "'--optimizer' goes with '--train'" in done.stderr
    done = run(folder, "train", "dropout.pt2", "--batch", "4", "--data", "data.npz", check=False)
    assert done.returncode and "a batch that is fixed" in done.stderr


def test_a_damaged_step_file_is_refused(folder: Path) -> None:
    whole = (folder / "step.ten").read_bytes()
    chooser = random.Random(3)
    for _ in range(40):
        cut = whole[: chooser.randrange(len(whole))]
        (folder / "cut.ten").write_bytes(cut)
        done = run(folder, "train", "cut.ten", "--data", "data.npz", "--steps", "1", check=False)
        assert done.returncode == 1 and done.stderr.startswith("tenfold: "), (len(cut), done.stderr)


def test_frozen_weights_and_stopped_gradients(folder: Path) -> None:
    model = Model()
    program = torch.export.export(model, (torch.randn(8, 6),))
    torch.export.save(program, folder / "frozen.pt2")
    data = np.load(folder / "data.npz")
    x, y = torch.from_numpy(data["x"]), torch.from_numpy(data["y"])
    optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.1)
    want = []
    for i in range(16):
        rows = slice(i % 8 * 8, i % 8 * 8 + 8)
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        loss.backward()
        optimizer.step()
        want.append(loss.item())
    how = ["--optimizer", "sgd,lr=0.1", "--data", "data.npz", "--in-order", "--epochs", "2"]
    run(folder, "train", "frozen.pt2", *how, "--metrics", "frozen.jsonl", "--save", "frozen.safetensors")
    assert losses(folder / "frozen.jsonl") == pytest.approx(want, rel=1e-5)
    got = tensors(folder / "frozen.safetensors")
    assert set(got) == set(model.state_dict())
    for name, value in model.state_dict().items():
        np.testing.assert_allclose(got[name], value.numpy(), atol=1e-5)


def test_a_padding_row_is_read_and_not_trained(folder: Path) -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Embedding(5, 4, padding_idx=1), nn.Flatten(), nn.Linear(12, 3))
    with torch.no_grad():
        model[0].weight[1] = 0.5
    x, y = torch.arange(24).reshape(8, 3) % 5, torch.arange(8) % 3
    np.savez(folder / "tokens.npz", x=x.numpy(), y=y.numpy())
    torch.export.save(torch.export.export(model, (x,)), folder / "padding.pt2")
    how = ["--optimizer", "sgd,lr=0.1", "--data", "tokens.npz", "--in-order", "--epochs", "3"]
    run(folder, "train", "padding.pt2", *how, "--save", "padding.safetensors")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()
    got = tensors(folder / "padding.safetensors")
    assert (got["0.weight"][1] == 0.5).all()
    for name, value in model.state_dict().items():
        np.testing.assert_allclose(got[name], value.numpy(), atol=1e-6)


def test_dropout_differs_from_step_to_step_and_resumes(folder: Path) -> None:
    np.savez(folder / "one.npz", x=np.ones((16, 6), np.float32), y=np.zeros(16, np.int64))
    how = ["--data", "one.npz", "--optimizer", "sgd,lr=0"]
    run(folder, "train", "dropout.pt2", *how, "--epochs", "6", "--metrics", "d.jsonl", "--save", "d.safetensors")
    assert len(set(losses(folder / "d.jsonl"))) == 6
    run(folder, "train", "dropout.pt2", *how, "--epochs", "3", "--save", "e.safetensors")
    resumed = ["--metrics", "e.jsonl", "--save", "e.safetensors", "--resume", "e.safetensors"]
    run(folder, "train", "dropout.pt2", *how, "--epochs", "6", *resumed)
    assert losses(folder / "e.jsonl") == losses(folder / "d.jsonl")[3:]
    assert (
        tensors(folder / "d.state.safetensors")["random"].tolist()
        == tensors(folder / "e.state.safetensors")["random"].tolist()
    )


def test_killed_at_any_moment(folder: Path) -> None:
    """Several kills, each at a random moment, then on to the end: the same bits as without."""
    how = ["train", "step.ten", "--data", "data.npz", "--epochs", "150", "--save-every", "1"]
    run(folder, *how, "--save", "whole.safetensors")
    chooser, resume = random.Random(5), []
    for _ in range(6):
        command = [TENFOLD, *how, "--save", "cut.safetensors", *resume]
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(chooser.uniform(0.02, 0.5))
        process.send_signal(signal.SIGKILL)
        process.wait()
        if (folder / "cut.state.safetensors").exists():
            resume = ["--resume", "cut.safetensors"]
            tensors(folder / "cut.state.safetensors")  # whole
    run(folder, *how, "--save", "cut.safetensors", *resume)
    whole, cut = tensors(folder / "whole.state.safetensors"), tensors(folder / "cut.state.safetensors")
    assert all(np.array_equal(whole[name], cut[name]) for name in whole)


def test_killed_while_writing(folder: Path) -> None:
    """Ended by the system at a byte of a checkpoint's own choosing: the one before is whole, and goes on the same."""
    how = ["train", "step.ten", "--data", "data.npz", "--epochs", "3", "--save-every", "1", "--save"]
    run(folder, *how, "at-once.safetensors")
    size = (folder / "at-once.state.safetensors").stat().st_size
    resume: list[str] = []
    for done, at in enumerate((0, 1, 7, 8, 9, 100, size // 3, size // 2, size - 8, size - 1), 1):
        run(folder, *how, "bytes.safetensors", "--steps", str(done), *resume)
        resume = ["--resume", "bytes.safetensors"]
        before = {name: (folder / name).read_bytes() for name in ("bytes.safetensors", "bytes.state.safetensors")}
        ended = run(
            folder, *how, "bytes.safetensors", *resume, check=False,
            preexec_fn=lambda at=at: (resource.setrlimit(resource.RLIMIT_CORE, (0, 0)),
                                      resource.setrlimit(resource.RLIMIT_FSIZE, (at, at))),
        )  # fmt: skip
        assert ended.returncode == -signal.SIGXFSZ, (at, ended.returncode, ended.stderr)
        assert all((folder / name).read_bytes() == held for name, held in before.items()), at
    run(folder, *how, "bytes.safetensors", *resume)
    whole, cut = tensors(folder / "at-once.state.safetensors"), tensors(folder / "bytes.state.safetensors")
    assert all(np.array_equal(whole[name], cut[name]) for name in whole)


def test_killed_between_files(folder: Path) -> None:
    """A kill as soon as something of a checkpoint is seen: its temporary file, or the first of its two files."""
    how = ["train", "step.ten", "--data", "data.npz", "--epochs", "20", "--save-every", "1", "--save"]
    run(folder, *how, "through.safetensors")
    resume: list[str] = []
    state = folder / "between.state.safetensors"
    for turn in range(10):
        before = state.stat().st_mtime_ns if state.exists() else 0
        command = [TENFOLD, *how, "between.safetensors", *resume]
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None:
            if turn % 2 and state.exists() and state.stat().st_mtime_ns != before:
                break
            if not turn % 2 and any(path.name.startswith("between") for path in folder.glob("*.tmp")):
                break
        process.kill()
        process.wait()
        if state.exists():
            resume = ["--resume", "between.safetensors"]
            tensors(state)
        for path in folder.glob("*.tmp"):
            path.unlink()
    run(folder, *how, "between.safetensors", *resume)
    whole, cut = tensors(folder / "through.state.safetensors"), tensors(state)
    assert all(np.array_equal(whole[name], cut[name]) for name in whole)


def test_a_full_disk_loses_nothing(folder: Path) -> None:
    how = ["train", "step.ten", "--data", "data.npz", "--save", "full.safetensors"]
    run(folder, *how, "--epochs", "1")
    before = {path.name: path.read_bytes() for path in folder.glob("full*")}
    done = run(
        folder, *how, "--resume", "full.safetensors", "--epochs", "2", check=False,
        preexec_fn=lambda: (signal.signal(signal.SIGXFSZ, signal.SIG_IGN),
                            resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))),
    )  # fmt: skip
    assert done.returncode == 1 and "saving a checkpoint to full.safetensors" in done.stderr, done.stderr
    assert {path.name: path.read_bytes() for path in folder.glob("full*")} == before  # and nothing half-written beside
    run(folder, *how, "--resume", "full.safetensors", "--epochs", "2")


def test_a_nan_keeps_the_state_before_it(folder: Path) -> None:
    data = np.load(folder / "data.npz")
    x = data["x"].copy()
    x[40:] = np.nan
    np.savez(folder / "nan.npz", x=x, y=data["y"])
    how = ["--in-order", "--epochs", "1", "--data"]
    done = run(folder, "train", "step.ten", *how, "nan.npz", "--save", "nan.safetensors", check=False)
    assert done.returncode == 1 and "the loss is nan at step 6; the state before it is kept" in done.stderr
    run(folder, "train", "step.ten", *how, "data.npz", "--steps", "5", "--save", "five.safetensors")
    kept, five = tensors(folder / "nan.state.safetensors"), tensors(folder / "five.state.safetensors")
    assert all(np.array_equal(kept[name], five[name]) for name in five)


def test_wrong_data_and_checkpoints_are_named(folder: Path) -> None:
    data = np.load(folder / "data.npz")
    cases = {
        "a sample has 5 elements, the program expects 6": {"x": data["x"][:, :5], "y": data["y"]},
        "has 32 samples, another array has 64": {"x": data["x"], "y": data["y"][:32]},
        "less than one batch": {"x": data["x"][:4], "y": data["y"][:4]},
        "has no array": {"z": data["x"]},
        "the program expects i64": {"x": data["x"], "y": data["y"] + 0.5},
    }
    for message, arrays in cases.items():
        np.savez(folder / "wrong.npz", **arrays)
        done = run(folder, "train", "step.ten", "--data", "wrong.npz", check=False)
        assert done.returncode and message in done.stderr, (message, done.stderr)
    run(folder, "train", "step.ten", "--data", "data.npz", "--save", "good.safetensors")
    whole = (folder / "good.state.safetensors").read_bytes()
    for size in (0, 7, 8, 100, len(whole) // 2, len(whole) - 1):
        (folder / "bad.state.safetensors").write_bytes(whole[:size])
        done = run(folder, "train", "step.ten", "--data", "data.npz", "--resume", "bad.safetensors", check=False)
        assert done.returncode == 1 and "while resuming from bad.state.safetensors" in done.stderr, done.stderr
    flipped = bytearray(whole)
    flipped[-3] ^= 1
    (folder / "bad.state.safetensors").write_bytes(flipped)
    done = run(folder, "train", "step.ten", "--data", "data.npz", "--resume", "bad.safetensors", check=False)
    assert done.returncode == 1 and "the checkpoint is damaged" in done.stderr, done.stderr
    shutil.copy(folder / "good.state.safetensors", folder / "other.state.safetensors")
    done = run(folder, "train", "dropout.pt2", "--data", "data.npz", "--resume", "other.safetensors", check=False)
    assert done.returncode and "there is no tensor" in done.stderr


def test_the_c_example(folder: Path) -> None:
    compiler = shutil.which("cc")
    library = Path(os.path.realpath(TENFOLD)).parents[2]
    if not compiler or not (library / "libtenfold.so").exists():
        pytest.skip("no C compiler, or no libtenfold.so beside the command")
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'include'}", f"-L{library}", "-ltenfold"]
    source = ROOT / "examples" / "c" / "train.c"
    subprocess.run([compiler, source, *flags[:4], "-o", folder / "train", *flags[4:]], check=True)
    environment = os.environ | {"LD_LIBRARY_PATH": str(library)}
    command = [folder / "train", "dropout.pt2", "c.safetensors"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    assert "gradient: 2 -4 7" in done.stdout and "30 steps: the loss fell" in done.stdout
    assert set(tensors(folder / "c.safetensors")) == {"0.weight", "0.bias", "3.weight", "3.bias"}


def test_bf16_keeps_f32_weights(folder: Path) -> None:
    how = ["train", "model.pt2", "--batch", "8", "--optimizer", "adamw,lr=0.01", "--data", "data.npz", "--epochs", "4"]
    run(folder, *how, "--in-order", "--metrics", "wide.jsonl")
    run(folder, *how, "--in-order", "--metrics", "bf16.jsonl", "--precision", "bf16", "--save", "bf16.safetensors")
    assert losses(folder / "bf16.jsonl") == pytest.approx(losses(folder / "wide.jsonl"), rel=0.05)
    assert losses(folder / "bf16.jsonl") != losses(folder / "wide.jsonl")
    assert all(value.dtype == np.float32 for value in tensors(folder / "bf16.safetensors").values())
