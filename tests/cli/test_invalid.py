"""Every command that takes a program refuses one that is not valid: exit status 1 and a message, before it runs."""

import subprocess

import numpy as np
import pytest
from conftest import tenfold

SLICE = """func.func @main(%a: tensor<4xf32>) -> tensor<512xf32> {
  %0 = "stablehlo.slice"(%a) <{start_indices = array<i64: 0>, limit_indices = array<i64: 512>,
    strides = array<i64: 1>}> : (tensor<4xf32>) -> tensor<512xf32>
  return %0 : tensor<512xf32>
}
"""
CONCATENATE = """func.func @main(%a: tensor<9000xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.concatenate"(%a, %a) <{dimension = 0 : i64}>
    : (tensor<9000xf32>, tensor<9000xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""
OPEN = """func.func @main(%a: tensor<?xf32>) -> tensor<512xf32> {
  %0 = "stablehlo.slice"(%a) <{start_indices = array<i64: 0>, limit_indices = array<i64: -4>,
    strides = array<i64: 0>}> : (tensor<?xf32>) -> tensor<512xf32>
  return %0 : tensor<512xf32>
}
"""
CHECKED = """func.func @main() {
  %a = stablehlo.constant dense<1.0> : tensor<4xf32>
  %0 = "stablehlo.slice"(%a) <{start_indices = array<i64: 0>, limit_indices = array<i64: 512>,
    strides = array<i64: 1>}> : (tensor<4xf32>) -> tensor<512xf32>
  check.expect_eq %0, %0 : tensor<512xf32>
  return
}
"""
PROGRAMS = {"slice": SLICE, "concatenate": CONCATENATE, "open": OPEN, "checked": CHECKED}

COMMANDS = {
    "run": ["run", "{}", "--random"],
    "run-interp": ["run", "{}", "--random", "--device", "interp"],
    "run-isolated": ["run", "{}", "--random", "--isolate"],
    "check": ["check", "{}"],
    "check-interp": ["check", "--device", "interp", "{}"],
    "show": ["show", "{}"],
    **{f"show-{stage}": ["show", "--stage", stage, "{}"] for stage in ("passes", "plan", "llvm", "asm")},
    "show-train": ["show", "--train", "--loss", "output", "{}"],
    "compile": ["compile", "{}", "-o", "{out}.ten"],
    "compile-shared": ["compile", "{}", "-o", "{out}.so"],
    "compile-train": ["compile", "--train", "--loss", "output", "{}", "-o", "{out}.ten"],
    "convert": ["convert", "{}", "-o", "{out}.mlirbc"],
    "quantize": ["quantize", "{}", "--data", "{data}", "-o", "{out}.mlir"],
    "compile-edge": ["compile", "{}", "--target", "edgetpu", "-o", "{out}.tflite"],
    "opt": ["opt", "--pass=fold,simplify,cse,dce", "{}"],
    "opt-grad": ["opt", "--pass=grad", "{}"],
    "analyze": ["analyze", "--no-measure", "{}"],
    "analyze-stablehlo": ["analyze", "--no-measure", "--stage", "stablehlo", "{}"],
    "train": ["train", "{}", "--data", "{data}", "--loss", "output"],
}


@pytest.mark.parametrize("form", ["text", "bytecode"])
@pytest.mark.parametrize("command", COMMANDS)
def test_is_refused(command, form, tmp_path, build):
    np.savez(tmp_path / "data.npz", a=np.zeros((8, 4), "f4"))
    for name, text in PROGRAMS.items():
        path = tmp_path / f"{name}.mlir"
        path.write_text(text)
        if form == "bytecode":
            path = write_bytecode(path, build)
        words = [w.format(path, out=tmp_path / "out", data=tmp_path / "data.npz") for w in COMMANDS[command]]
        result = tenfold(*words)
        assert result.code == 1, (name, result)
        assert any(op in result.err + result.out for op in ("stablehlo.slice", "stablehlo.concatenate")), (name, result)
    assert not list(tmp_path.glob("out*"))


def write_bytecode(path, build):
    """A tool of the tests writes what `convert` refuses to."""
    out = path.with_suffix(".mlirbc")
    subprocess.run([build / "tests/tools/artifact", "write", "1.11.0", path, out], check=True, timeout=60)
    return out
