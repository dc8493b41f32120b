"""Several devices of a kind, and what a device says of itself: in Python, C++ and with a stand-in for CUDA's driver."""

import os
import pathlib
import shutil
import subprocess
import sys

import numpy
import pytest
import tenfold as tn
from tenfold.array import devices

ROOT = pathlib.Path(__file__).parents[2]
LIBRARY = pathlib.Path(os.environ.get("TENFOLD_LIBRARY", ROOT / "build" / "libtenfold.so")).resolve().parent


def output(command, **environment):
    done = subprocess.run(
        command, env=dict(os.environ, **environment), capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


TWO = """
import numpy, pytest, threading
import tenfold as tn

first, second = tn.device("opencl"), tn.device("opencl:1")
assert tn.device("opencl:0") is first and first != second
assert (second.name, second.kind, second.index) == ("opencl:1", "opencl", 1) and first.index == 0
assert {first, second} <= set(tn.__array_namespace_info__().devices())
wanted = numpy.arange(4096, dtype=numpy.float32).reshape(64, 64) / 4096


def work(device):
    x = tn.asarray(wanted, device=device)
    for _ in range(5):
        y = x @ x + x
        device.synchronize()  # values stay where they are
        numpy.testing.assert_allclose(numpy.asarray(y * 2), 2 * (wanted @ wanted + wanted), rtol=1e-5)
    return y


kept = [work(device) for device in (first, second, first, second)]
threads = [threading.Thread(target=work, args=[device]) for device in (first, second) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
numpy.testing.assert_array_equal(numpy.asarray(kept[0].to_device(second) + kept[1]), numpy.asarray(kept[1] * 2))
assert kept[0].to_device("opencl:1").device == second and second.stats()["runs"]
with pytest.raises(ValueError, match='add: arrays of two devices, "opencl" and "opencl:1": move one'):
    kept[0] + kept[1]
with pytest.raises(ValueError, match=r"no device 'opencl:2'; there are opencl:0 \\(basic.*\\), opencl:1 \\(basic.*\\)"):
    tn.device("opencl:2")
"""


def test_two_devices_of_a_kind():
    try:
        devices.device("opencl")
    except tn.Error as why:
        pytest.skip(str(why))
    if "basic" not in output([sys.executable, "-m", "tenfold", "devices"], POCL_DEVICES="basic"):
        pytest.skip("no PoCL, which shows the CPU as several devices")
    output([sys.executable, "-c", TWO], POCL_DEVICES="basic basic")


def test_a_program_is_compiled_for_a_device_by_number(tmp_path):
    text = tmp_path / "double.mlir"
    text.write_text(
        "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n  %0 = stablehlo.add %x, %x : tensor<3xf32>\n"
        "  return %0 : tensor<3xf32>\n}"
    )
    made = tn.load(text, device="cpu:0")(numpy.ones(3, numpy.float32))[0]
    assert numpy.asarray(made).tolist() == [2, 2, 2]
    with pytest.raises(ValueError, match="no device 'cpu:1'; there is cpu:0"):
        tn.load(text, device="cpu:1")(numpy.ones(3, numpy.float32))


def test_a_number_that_is_not_there_names_those_that_are():
    for name in ("cpu:1", "interp:12"):
        kind = name.split(":")[0]
        with pytest.raises(ValueError, match=f"no device '{name}'; there is {kind}:0$"):
            tn.device(name)
    assert tn.device("cpu:0") is tn.device("cpu")


def test_what_a_device_says():
    cpu = tn.device("cpu")
    assert (cpu.name, cpu.kind, cpu.index) == ("cpu", "cpu", 0) and cpu.description
    devices_there = tn.__array_namespace_info__().devices()
    assert cpu in devices_there and len(set(devices_there)) == len(devices_there)


CPP = """
#include <iostream>
#include <tenfold/tenfold.hpp>
using tenfold::Device;
using tenfold::DeviceType;
int main() {
  const Device cpu(DeviceType::CPU, 0);
  const tenfold::Tensor x({256, 256});
  std::cout << cpu.kind() << cpu.index() << " " << !cpu.description().empty() << " "
            << (cpu.stats().bytes >= 262144 && cpu.stats().bytes_peak >= cpu.stats().bytes) << "\\n";
  cpu.set_memory_limit(300000);
  try {
    tenfold::Tensor y({256, 256});
  } catch (const tenfold::Error &error) {
    std::cout << (error.code() == TEN_LIMIT) << " " << cpu.stats().memory_limit << "\\n";
  }
  cpu.set_memory_limit(0);
  for (DeviceType type : {DeviceType::CUDA, DeviceType::ROCM, DeviceType::OPENCL, DeviceType::WEBGPU, DeviceType::TPU,
                          DeviceType::EDGE_TPU, DeviceType::REMOTE, DeviceType::INTERP}) {
    try {
      std::cout << Device(type, 77).name() << "\\n";
    } catch (const tenfold::Error &error) {
      std::cout << error.what() << "\\n";
    }
  }
  std::cout << Device::is_available(DeviceType::EDGE_TPU) << Device::is_available(DeviceType::INTERP) << "\\n";
}
"""


@pytest.mark.skipif(shutil.which("c++") is None, reason="no c++")
def test_device_types_in_cpp(tmp_path):
    source = tmp_path / "program.cpp"
    source.write_text(CPP)
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'include'}", f"-L{LIBRARY}"]
    output(["c++", *flags, source, "-o", tmp_path / "program", "-ltenfold"])
    lines = output([tmp_path / "program"], LD_LIBRARY_PATH=str(LIBRARY)).splitlines()
    assert lines[:2] == ["cpu0 1 1", "1 300000"] and lines[-1] == "01"
    text = "\n".join(lines[2:-1])
    for said in (
        "'cuda:77'",
        "'hip:77'",
        "'opencl:77'",
        "'webgpu:77'",
        "'tpu:77'",
        "TFLite",
        "grpc://",
    ):
        assert said in text
    assert lines[-2] == "no device 'interp:77'; there is interp:0"


def stand_in(folder):
    source, library = pathlib.Path(__file__).parent / "cuda_stand_in.c", folder / "libcuda.so.1"
    output(["cc", "-shared", "-fPIC", "-O1", "-o", library, source])
    shutil.copy(library, folder / "libnvrtc.so")


STAND_IN = """
import ctypes
import pytest
from tenfold import _core

driver = ctypes.CDLL("libcuda.so.1")
TEXT = '''func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = stablehlo.add %x, %x : tensor<64xf32>
  return %0 : tensor<64xf32>
}'''
made = [_core.parse(TEXT).compile(device=name) for name in ("cuda", "cuda:1")]
for device in (1, 0, 1):
    made[device].enqueue([1 << 30], [1 << 31], 64)
    assert driver.stand_in_launched() == device
with pytest.raises(ValueError, match=r"no device 'cuda:2'; there are cuda:0 \\(stand-in.*\\), cuda:1 \\(stand-in.*\\)"):
    _core.parse(TEXT).compile(device="cuda:2")
"""


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_two_cuda_devices(tmp_path):
    stand_in(tmp_path)
    output([sys.executable, "-c", STAND_IN], LD_LIBRARY_PATH=str(tmp_path), TENFOLD_CACHE="off")


RESIDENT = """
import ctypes
import numpy
import tenfold as tn

driver = ctypes.CDLL("libcuda.so.1")
driver.stand_in_copied.restype = ctypes.c_size_t


def copied():
    return driver.stand_in_copied(0), driver.stand_in_copied(1)


cuda = tn.device("cuda")
x = tn.asarray(numpy.ones((128, 128), numpy.float32), device=cuda)
y = x + 1.0
cuda.synchronize()
up, down = copied()
assert up >= 65536 and down == 0, (up, down)
for _ in range(3):
    y = y @ x + y
    cuda.synchronize()
assert copied() == (up, 0), copied()  # inputs and results stay where they are
numpy.asarray(y)
numpy.asarray(y)
assert copied() == (up, 65536), copied()
before = copied()
z = tn.sum(y)  # 4 bytes are read with the run
cuda.synchronize()
assert copied() == (before[0], before[1] + 4), copied()
"""


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_values_stay_on_a_cuda_device(tmp_path):
    stand_in(tmp_path)
    output([sys.executable, "-c", RESIDENT], LD_LIBRARY_PATH=str(tmp_path), TENFOLD_CACHE="off")
