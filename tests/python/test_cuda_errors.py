"""What the device cuda says when something is missing or breaks, by a driver that only stands in (cuda_stand_in.c)."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
TENFOLD = HERE.parents[1] / "bin" / "tenfold"
PROGRAM = """func.func @main(%x: tensor<512x512xf32>) -> (tensor<512x512xf32>, tensor<512xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.tanh %x : tensor<512x512xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0]
    : (tensor<512x512xf32>, tensor<f32>) -> tensor<512xf32>
  return %0, %1 : tensor<512x512xf32>, tensor<512xf32>
}"""
pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A driver without NVRTC, which is in `packages` as PyPI's is."""
    place = tmp_path_factory.mktemp("driver")
    library = place / "libcuda.so.1"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, HERE / "cuda_stand_in.c"], check=True, timeout=120)
    packaged = place / "packages" / "nvidia" / "cu13" / "lib"
    packaged.mkdir(parents=True)
    shutil.copy(library, packaged / "libnvrtc.so.13")
    (place / "program.mlir").write_text(PROGRAM)
    return place


def command(folder, *arguments, **environment):
    environment = dict(os.environ, LD_LIBRARY_PATH=str(folder), TENFOLD_CACHE="off", **environment)
    environment.pop("PYTHONPATH", None) if "PYTHONPATH" not in environment else None
    return subprocess.run([TENFOLD, *arguments], env=environment, capture_output=True, text=True, timeout=120)


def test_a_compiler_that_is_missing_is_named_with_what_gets_it(folder):
    done = command(folder, "run", folder / "program.mlir", "--random", "--device", "cuda", PYTHONPATH="/nowhere")
    assert done.returncode == 2
    assert "libnvrtc.so.13 was not found (pip install nvidia-cuda-nvrtc; TENFOLD_NVRTC_LIBRARY says" in done.stderr
    assert "compiler for CUDA" in done.stderr


def test_a_compiler_of_a_python_package_is_found(folder):
    packages = str(folder / "packages")
    done = command(folder, "devices", PYTHONPATH=packages)
    assert "stand-in, sm_90" in done.stdout
    done = command(folder, "run", folder / "program.mlir", "--random", "--device", "cuda:1", PYTHONPATH=packages)
    assert done.returncode == 0, done.stderr
    file = folder / "packages" / "nvidia" / "cu13" / "lib" / "libnvrtc.so.13"
    done = command(folder, "devices", PYTHONPATH="/nowhere", TENFOLD_NVRTC_LIBRARY=str(file))
    assert "stand-in, sm_90" in done.stdout


def test_devices_are_named_by_number(folder):
    packages = str(folder / "packages")
    done = command(folder, "run", folder / "program.mlir", "--random", "--device", "cuda:7", PYTHONPATH=packages)
    assert done.returncode == 2
    assert "no device 'cuda:7'; there are cuda:0 (stand-in, sm_90, 1024 MiB), cuda:1 (stand-in" in done.stderr


START = f"""
import ctypes
import torch
import pytest
from tenfold import _core

driver = ctypes.CDLL("libcuda.so.1")
driver.stand_in_memory.argtypes = [ctypes.c_size_t]
x = torch.ones(512, 512)
program = _core.parse('''{PROGRAM}''')
made = program.compile(device="cuda")
"""


def check(folder, text):
    environment = dict(os.environ, LD_LIBRARY_PATH=str(folder), TENFOLD_CACHE="off")
    environment["TENFOLD_NVRTC_LIBRARY"] = str(folder / "packages" / "nvidia" / "cu13" / "lib" / "libnvrtc.so.13")
    done = subprocess.run(
        [sys.executable, "-c", START + text], env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_memory_that_runs_out_says_how_much_and_for_what(folder):
    check(
        folder,
        """
driver.stand_in_memory(1 << 20)
with pytest.raises(Exception) as caught:
    made.run([x])
text = str(caught.value)
assert "out of GPU memory" in text and "allocating 1048576 bytes" in text and "this process holds" in text, text
driver.stand_in_memory(1 << 40)
assert tuple(made.run([x])[0].shape) == (512, 512)
""",
    )


def test_a_broken_context_is_an_error_and_other_devices_go_on(folder):
    check(
        folder,
        """
driver.stand_in_fail(700)
for _ in range(2):
    with pytest.raises(Exception, match="CUDA error 700.*\\n.*cannot use the GPU any more; other devices go on"):
        made.run([x])
torch.testing.assert_close(torch.as_tensor(program.compile(device="interp").run([x])[0]), torch.tanh(x))
""",
    )
