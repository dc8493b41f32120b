"""Each allocation that the extension makes fails in turn, in one Python process: an exception or the right answer, and
the next call works (tests/tools/faults.c, docs/decisions/001-out-of-memory.md)."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from test_bad_archives import TENFOLD

FAULTS = Path(TENFOLD).resolve().parents[2] / "tests/tools/faults.so"
SCRIPT = """
    import ctypes, sys
    import numpy as np
    import tenfold

    arm = ctypes.CDLL(None).faults_arm
    arm.argtypes, arm.restype = [ctypes.c_long, ctypes.c_int], ctypes.c_long
    device, path = sys.argv[1:]
    TEXT = '''func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>) {
      %w = stablehlo.constant dense<[[1., 2., 3., 4.], [5., 6., 7., 8.], [1., 0., 0., 1.], [0., 1., 1., 0.]]>
          : tensor<4x4xf32>
      %z = stablehlo.constant dense<0.> : tensor<f32>
      %y = stablehlo.dot_general %w, %x, contracting_dims = [1] x [0]
          : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %s = stablehlo.reduce(%y init: %z) applies stablehlo.add across dimensions = [0]
          : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
      return %y, %s : tensor<4xf32>, tensor<f32>
    }'''
    x = np.array([1, -1, 2, 0.5], "f4")
    with open(path, "w") as file:
        file.write(TEXT)
    kept = tenfold.load(path, device=device)

    def call(program):
        y, s = (np.asarray(value) for value in program(x))
        assert y.tolist() == [7, 17, 1.5, 1] and float(s) == 26.5, (y, s)

    def text():
        program = tenfold.load(path, device=device)
        assert "stablehlo.dot_general" in program.text("stablehlo") and "tenfold" in repr(program)

    WORK = {
        "call": lambda: call(kept),
        "load": lambda: call(tenfold.load(path, device=device)),
        "text": text,
    }
    for name, work in WORK.items():
        work()  # modules are imported, classes made
        arm(0, 0)
        arm(1 << 40, 0)
        work()
        total = arm(0, 0)
        assert total > 0, name
        failures = 0
        for at in range(1, total + 1):
            for stays in (0, 1):
                arm(at, stays)
                try:
                    work()
                except (tenfold.Error, MemoryError) as error:
                    arm(0, 0)
                    failures += 1
                    assert "emory" in str(error) or isinstance(error, MemoryError), (name, at, error)
                arm(0, 0)
                call(kept)
        assert failures, name
        print(name, total, failures)
"""


@pytest.mark.skipif(not FAULTS.exists(), reason="tests/tools/faults.c is not built")
@pytest.mark.parametrize("device", ["interp", "cpu"])
def test_allocation_fails(device, tmp_path):
    environment = {**os.environ, "LD_PRELOAD": str(FAULTS), "TENFOLD_CACHE": "off", "TENFOLD_THREADS": "2"}
    command = [sys.executable, "-c", textwrap.dedent(SCRIPT), device, str(tmp_path / "p.mlir")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
