"""The key of the cache is of all the weights: two archives that differ in one of them never share an entry, whatever
their checksums say; and an archive that changes in place is compiled again."""

from __future__ import annotations

import os
import subprocess
import zipfile
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (scripts/setup run gets it)")
import numpy as np  # noqa: E402
from test_train_step import TENFOLD  # noqa: E402
from torch import nn  # noqa: E402

WIDTH = 512


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(WIDTH, WIDTH, bias=False)
        self.more = nn.Sequential(
            *[m for _ in range(3) for m in (nn.Linear(WIDTH, WIDTH), nn.LayerNorm(WIDTH), nn.GELU())]
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.first(x)
        return x + torch.tanh(self.more(x)).cumsum(-1) * 0.01


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("key")
    torch.manual_seed(0)
    x = torch.randn(4, WIDTH)
    np.save(folder / "x.npy", x.numpy())
    torch.export.save(torch.export.export(Model().eval(), (x,)), folder / "good.pt2")
    return folder


def place(archive: Path) -> int:
    """Where the first matrix lies in the file."""
    with zipfile.ZipFile(archive) as opened:
        (info,) = [i for i in opened.infolist() if i.file_size == WIDTH * WIDTH * 4 and i.filename.endswith("weight_0")]
    data = archive.read_bytes()
    name, extra = (int.from_bytes(data[info.header_offset + at :][:2], "little") for at in (26, 28))
    return info.header_offset + 30 + name + extra


def run(folder: Path, archive: str, out: str, cache: str, *options: str) -> np.ndarray:
    environment = os.environ | {"TENFOLD_CACHE_DIR": str(folder / cache), "TENFOLD_CACHE": "on" if cache else "off"}
    command = [TENFOLD, "run", archive, "--input", "x.npy", "--output", out, *options]
    subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
    return np.load(folder / out / "0.npy")


def test_forged_checksums(folder: Path) -> None:
    """One element is another; the archive's checksums are those of the original."""
    data = bytearray((folder / "good.pt2").read_bytes())
    at = place(folder / "good.pt2") + 4 * (100 * WIDTH + 77)
    data[at : at + 4] = np.float32(7).tobytes()
    (folder / "evil.pt2").write_bytes(data)
    good, evil = (run(folder, f"{name}.pt2", f"{name}-plain", "") for name in ("good", "evil"))
    assert not np.array_equal(good, evil)
    for _ in range(2):
        assert np.array_equal(run(folder, "good.pt2", "good", "shared"), good)
        assert np.array_equal(run(folder, "evil.pt2", "evil", "shared"), evil)
    assert len(list((folder / "shared").glob("*.ten"))) == 2


def test_changed_in_place(folder: Path) -> None:
    """The same name, size and time of the last write."""
    archive = folder / "place.pt2"
    archive.write_bytes((folder / "good.pt2").read_bytes())
    at, times = place(archive) + 4 * (200 * WIDTH + 3), archive.stat()
    run(folder, "place.pt2", "before", "place")
    for value in (3.0, -5.0):
        with archive.open("r+b") as opened:
            opened.seek(at)
            opened.write(np.float32(value).tobytes())
        os.utime(archive, ns=(times.st_atime_ns, times.st_mtime_ns))
        want = run(folder, "place.pt2", "plain", "")
        assert np.array_equal(run(folder, "place.pt2", "cached", "place"), want)


def test_settings_are_part_of_the_key(folder: Path) -> None:
    """What is compiled by other options is another entry."""
    ways = [[], ["--precision", "bf16"], ["--exact-conv"]]
    want = [run(folder, "good.pt2", "plain", "", *way) for way in ways]
    assert not np.array_equal(want[0], want[1])
    for _ in range(2):
        for way, result in zip(ways, want, strict=True):
            assert np.array_equal(run(folder, "good.pt2", "cached", "ways", *way), result)
    assert len(list((folder / "ways").glob("*.ten"))) == len(ways)


def test_a_copy_shares_the_entry(folder: Path) -> None:
    """What is named is the content, not the file."""
    want = run(folder, "good.pt2", "one", "copies")
    (folder / "copy.pt2").write_bytes((folder / "good.pt2").read_bytes())
    assert np.array_equal(run(folder, "copy.pt2", "two", "copies"), want)
    assert len(list((folder / "copies").glob("*.ten"))) == 1
