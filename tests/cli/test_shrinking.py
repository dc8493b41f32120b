"""Files that become shorter while a command has them mapped: an error and exit status 1, never a signal.

The command is held at the moment that matters by an input that comes through a pipe."""

import os
import subprocess
import threading

import numpy as np
import pytest
from conftest import tenfold

COUNT = 1 << 18  # of f32: a megabyte


@pytest.fixture
def program(tmp_path):
    weights = np.arange(COUNT, dtype="f4").tobytes().hex().upper()
    path = tmp_path / "program.mlir"
    path.write_text(f"""func.func @main(%a: tensor<{COUNT}xf32>, %b: tensor<{COUNT}xf32>) -> tensor<{COUNT}xf32> {{
  %w = stablehlo.constant dense<"0x{weights}"> : tensor<{COUNT}xf32>
  %0 = stablehlo.multiply %a, %w : tensor<{COUNT}xf32>
  %1 = stablehlo.add %0, %b : tensor<{COUNT}xf32>
  return %1 : tensor<{COUNT}xf32>
}}
""")
    return path


def run(path, tmp_path, cut, *options):
    """Runs the program; `cut` is cut once the command waits for its second input."""
    np.save(tmp_path / "a.npy", np.ones(COUNT, "f4"))
    np.save(tmp_path / "whole.npy", np.ones(COUNT, "f4"))
    os.mkfifo(tmp_path / "b.npy")

    def feed():
        with open(tmp_path / "b.npy", "wb") as pipe:  # opens once the command reads it
            os.truncate(cut, 5000)
            pipe.write((tmp_path / "whole.npy").read_bytes())

    feeder = threading.Thread(target=feed)
    feeder.start()
    command = [tenfold.path, "run", path, "-i", tmp_path / "a.npy", "-i", tmp_path / "b.npy", "-o", tmp_path / "out"]
    done = subprocess.run([*command, *options], capture_output=True, text=True, timeout=120)
    feeder.join()
    return done


def check(done, cut, tmp_path):
    assert done.returncode == 1, done
    assert f"{cut} became shorter while it was being read" in done.stderr
    assert not list(tmp_path.glob("out/*"))


@pytest.mark.parametrize("device", ["cpu", "interp"])
def test_weights(device, program, tmp_path):
    made = tmp_path / "program.mlirbc"
    assert tenfold("convert", program, "-o", made).code == 0
    check(run(made, tmp_path, made, "--device", device), made, tmp_path)


def test_compiled_file(program, tmp_path):
    made = tmp_path / "program.ten"
    assert tenfold("compile", program, "-o", made).code == 0
    check(run(made, tmp_path, made), made, tmp_path)


def test_input(program, tmp_path):
    check(run(program, tmp_path, tmp_path / "a.npy"), tmp_path / "a.npy", tmp_path)
