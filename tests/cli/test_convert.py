"""`tenfold convert`: text to bytecode and back."""

import pytest
from conftest import tenfold

ADD = """module {
  func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.add %arg0, %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
"""


@pytest.fixture
def add(tmp_path):
    path = tmp_path / "add.mlir"
    path.write_text(ADD)
    return path


@pytest.mark.parametrize("version", ["0.9.0", "1.0.0", None])
def test_convert_there_and_back(add, tmp_path, version):
    target = ["--target-version", version] if version else []
    result = tenfold("convert", add, "-o", tmp_path / "add.mlirbc", *target)
    assert (result.code, result.out, result.err) == (0, "", "")
    assert (tmp_path / "add.mlirbc").read_bytes()[:4] == b"ML\xefR"
    assert tenfold("convert", tmp_path / "add.mlirbc", "-o", "-").out == ADD
    assert tenfold("show", tmp_path / "add.mlirbc").out == ADD


def test_convert_wrong_use(add, tmp_path):
    out = tmp_path / "out"
    assert tenfold("convert", add).err.startswith("tenfold convert: needs -o OUT")
    assert "'--to' takes text or bytecode" in tenfold("convert", add, "-o", out, "--to", "pdf").err
    assert "'x.1' is not a version" in tenfold("convert", add, "-o", out, "--target-version", "x.1").err
    text = tenfold("convert", add, "-o", out, "--to", "text", "--target-version", "1.0.0")
    assert (text.code, out.exists()) == (2, False)
    assert "'--target-version' is for bytecode" in text.err


def test_the_newest_version_is_the_one_the_command_names(add, tmp_path):
    newest = tenfold("version").out.split("StableHLO ")[1].rstrip(")\n")
    result = tenfold("convert", add, "-o", tmp_path / "out.mlirbc", "--target-version", "99.0.0")
    assert (result.code, result.err) == (1, f"tenfold: target version 99.0.0 is not between 0.9.0 and {newest}\n")
    assert tenfold("convert", add, "-o", tmp_path / "out.mlirbc", "--target-version", newest).code == 0
