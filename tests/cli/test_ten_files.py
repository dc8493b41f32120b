"""Compiled files (.ten) that are damaged, cut, of another version, or made by somebody else: an error that says so."""

import random
import re
from pathlib import Path

import pytest
from conftest import ROOT, tenfold

FINDINGS = ROOT.parent / "shared" / "findings" / "10-ten-mutations"
PROGRAM = """func.func @main(%a: tensor<16x24xf32>, %b: tensor<24x8xf32>) -> tensor<16x8xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
    : (tensor<16x24xf32>, tensor<24x8xf32>) -> tensor<16x8xf32>
  %1 = stablehlo.tanh %0 : tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}
"""


@pytest.fixture(scope="module")
def compiled(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("ten")
    (folder / "a.mlir").write_text(PROGRAM)
    assert tenfold("compile", folder / "a.mlir", "-o", folder / "a.ten").code == 0
    return folder / "a.ten"


def refused(path: Path, why: str) -> None:
    done = tenfold("run", path, "--random")
    assert done.code == 1, (done.code, done.err)
    assert re.search(why, done.err), done.err


def test_damaged(compiled, tmp_path):
    whole, chooser = compiled.read_bytes(), random.Random(3)
    for _ in range(20):
        damaged = bytearray(whole)
        damaged[chooser.randrange(128, len(whole))] ^= 1 << chooser.randrange(8)
        (tmp_path / "damaged.ten").write_bytes(damaged)
        refused(tmp_path / "damaged.ten", "is damaged: its checksum is not that of its content")
    for size in (0, 3, 15, 16, 100, 127, 128, len(whole) // 2, len(whole) - 1):
        (tmp_path / "cut.ten").write_bytes(whole[:size])
        refused(tmp_path / "cut.ten", ".")
    (tmp_path / "long.ten").write_bytes(whole + b"\0")
    refused(tmp_path / "long.ten", "has trailing data")


def test_other_formats(compiled, tmp_path):
    whole = compiled.read_bytes()
    (tmp_path / "newer.ten").write_bytes(whole[:16] + (1000).to_bytes(8, "little") + whole[24:])
    refused(tmp_path / "newer.ten", r"has format 1000; Tenfold .* reads format \d+: compile it again")
    (tmp_path / "older.ten").write_bytes(b"TENFOLD object 8" + whole[16:])
    refused(tmp_path / "older.ten", "was compiled by an earlier Tenfold")


@pytest.mark.skipif(not FINDINGS.is_dir(), reason="../shared/findings is not there")
def test_findings():
    for path in sorted(FINDINGS.glob("*.ten")):
        refused(path, "compile it again|damaged")
