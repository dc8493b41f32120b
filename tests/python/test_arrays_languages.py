"""One network trained in four languages prints the same numbers."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "arrays"
LIBRARY = pathlib.Path(os.environ.get("TENFOLD_LIBRARY", ROOT / "build" / "libtenfold.so")).resolve().parent
ENVIRONMENT = dict(os.environ, LD_LIBRARY_PATH=str(LIBRARY))


def output(command, **options):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=ENVIRONMENT, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def python_prints():
    text = output([sys.executable, EXAMPLES / "moons.py"])
    losses = [float(line.split()[-1]) for line in text.splitlines()]
    assert len(losses) == 6 and losses[-1] < 0.1 < losses[0]
    return text


@pytest.mark.parametrize(("compiler", "source"), [("cc", "moons.c"), ("c++", "moons.cpp")])
def test_c_and_cpp(compiler, source, python_prints, tmp_path):
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    flags = ["-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'include'}", f"-L{LIBRARY}"]
    flags += ["-std=c++17"] if source.endswith("pp") else []
    program = tmp_path / "moons"
    output([compiler, *flags, EXAMPLES / source, "-o", program, "-ltenfold", "-lm"])
    assert output([program]) == python_prints


def test_cpp_prints_throws_and_has_both_names(tmp_path):
    if not shutil.which("c++"):
        pytest.skip("no c++")
    (tmp_path / "program.cpp").write_text(
        """
        #include <iostream>
        #include <tenfold/tenfold.hpp>
        int main() {
          phynexus::Tensor x({2, 3}, phynexus::DataType::FLOAT32, phynexus::Device(phynexus::DeviceType::CPU, 0));
          namespace nn = tenfold::nn;
          nn::Sequential model({std::make_shared<nn::Linear>(3, 4), std::make_shared<nn::ReLU>()});
          std::cout << x << "\\n" << model(x).shape()[1] << "\\n";
          try {
            x + tenfold::Tensor(std::vector<int64_t>{4});
          } catch (const tenfold::Error &error) {
            std::cout << error.what() << "\\n";
          }
        }
        """
    )
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'include'}", f"-L{LIBRARY}"]
    output(["c++", *flags, tmp_path / "program.cpp", "-o", tmp_path / "program", "-ltenfold"])
    assert output([tmp_path / "program"]).splitlines() == [
        "[[0. 0. 0.]",
        " [0. 0. 0.]]",
        "4",
        "operands could not be broadcast together with shapes (2,3) (4,)",
    ]


def test_rust(python_prints, tmp_path):
    if not shutil.which("cargo"):
        pytest.skip("no cargo (Debian: apt-get install cargo)")
    crate = tmp_path / "rust"  # cargo writes next to the sources
    shutil.copytree(ROOT / "bindings" / "rust", crate, ignore=shutil.ignore_patterns("target", "Cargo.lock"))
    ENVIRONMENT["TENFOLD_LIB_DIR"] = str(LIBRARY)
    assert output(["cargo", "run", "-q", "--offline", "--example", "moons"], cwd=crate) == python_prints
    assert "4 passed" in output(["cargo", "test", "-q", "--offline", "--doc"], cwd=crate)
