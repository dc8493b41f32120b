"""What `make install` puts in place works from there: command, library, pkg-config file, man pages, completions."""

import hashlib
import os
import re
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT, tenfold

PROGRAM = r"""
#include <stdio.h>
#include <tenfold/status.h>
int main(void) {
  ten_status *status = ten_error_at(ten_error(TEN_INVALID, "wrong by %d", 3), "here", 1, 2);
  puts(ten_status_text(status));
  ten_status_free(status);
  return 0;
}
"""


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    build = os.path.realpath(tenfold.path).removesuffix("/tools/cli/tenfold")
    root = tmp_path_factory.mktemp("root")
    command = ["meson", "install", "-C", build, "--no-rebuild", "--strip", "--quiet", "--destdir", str(root)]
    subprocess.run(command, check=True, capture_output=True)
    return next(root.rglob("bin/tenfold")).parent.parent


def test_the_command_runs(prefix):
    done = subprocess.run([prefix / "bin" / "tenfold", "version"], capture_output=True, text=True)
    assert done.stdout == tenfold("version").out


def test_a_program_builds_against_the_library(prefix, tmp_path):
    (tmp_path / "program.c").write_text(PROGRAM)
    config = next(prefix.rglob("tenfold.pc")).parent
    environment = os.environ | {"PKG_CONFIG_PATH": str(config)}
    command = ["pkg-config", f"--define-variable=prefix={prefix}", "--cflags", "--libs", "tenfold"]
    flags = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.split()
    program = tmp_path / "program"
    subprocess.run(["cc", "-o", program, tmp_path / "program.c", *flags], check=True)
    library = next(prefix.rglob("libtenfold.so")).parent
    done = subprocess.run([program], env={"LD_LIBRARY_PATH": str(library)}, capture_output=True, text=True)
    assert done.stdout == "here:1:2: wrong by 3\n"


@pytest.mark.skipif(not shutil.which("cmake") or not shutil.which("c++"), reason="needs cmake and c++")
def test_a_program_in_cpp_builds_with_cmake(prefix, tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(moons CXX)\nset(CMAKE_CXX_STANDARD 17)\n"
        "find_package(tenfold 0.1 REQUIRED)\nadd_executable(add add.cpp)\n"
        "target_link_libraries(add PRIVATE tenfold::tenfold)\n"
    )
    (tmp_path / "add.cpp").write_text(
        "#include <iostream>\n#include <tenfold/tenfold.hpp>\n"
        "int main() { std::cout << tenfold::Tensor({2}, {1.0f, 2.5f}) + tenfold::Tensor(1.0f); }\n"
    )
    command = ["cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}"]
    subprocess.run(command, check=True, capture_output=True)
    subprocess.run(["cmake", "--build", tmp_path / "build"], check=True, capture_output=True)
    done = subprocess.run([tmp_path / "build" / "add"], check=True, capture_output=True, text=True)
    assert done.stdout == "[2.  3.5]"
    lists = tmp_path / "CMakeLists.txt"
    lists.write_text(lists.read_text().replace("tenfold 0.1", "tenfold 9.9"))
    refused = subprocess.run(command, capture_output=True, text=True)
    assert refused.returncode != 0 and "version: 0." in refused.stderr


def test_the_command_makes_shared_objects(prefix, tmp_path):
    command = [prefix / "bin" / "tenfold", "compile", ROOT / "examples" / "mlp.mlir", "-o", tmp_path / "mlp.so"]
    subprocess.run(command, check=True)
    names = subprocess.run(["nm", "-D", tmp_path / "mlp.so"], check=True, capture_output=True, text=True).stdout
    assert " T mlp\n" in names


def test_the_example_in_c(prefix, tmp_path):
    """examples/c/infer.c, which docs/c-api.md explains, built and run as its first lines say."""
    config = next(prefix.rglob("tenfold.pc")).parent
    command = ["pkg-config", f"--define-variable=prefix={prefix}", "--cflags", "--libs", "tenfold"]
    environment = os.environ | {"PKG_CONFIG_PATH": str(config)}
    flags = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.split()
    source = ROOT / "examples" / "c" / "infer.c"
    subprocess.run(["cc", "-Wall", "-Werror", "-o", tmp_path / "infer", source, *flags], check=True)
    environment = os.environ | {"LD_LIBRARY_PATH": str(next(prefix.rglob("libtenfold.so")).parent)}
    run = [tmp_path / "infer", ROOT / "examples" / "mlp.mlir"]
    done = subprocess.run(run, env=environment, check=True, capture_output=True, text=True)
    cost, first = done.stdout.splitlines()
    assert re.fullmatch(r"working memory \d+ bytes, 1408 flops, [1-9] launches", cost)
    assert re.fullmatch(r"output 0: 0\.\d+ 0\.\d+ 0\.\d+ 0\.\d+", first)


def test_every_public_header_stands_alone(prefix, tmp_path):
    headers = sorted((prefix / "include" / "tenfold").glob("*.h"))
    assert {header.name for header in headers} == {path.name for path in (ROOT / "include" / "tenfold").glob("*.h")}
    for header in headers:
        (tmp_path / "one.c").write_text(f"#include <tenfold/{header.name}>\nint main(void) {{ return 0; }}\n")
        command = ["cc", "-Wall", "-Wextra", "-Werror", "-std=c11", "-fsyntax-only", f"-I{prefix}/include", "one.c"]
        subprocess.run(command, cwd=tmp_path, check=True)


def test_only_the_public_api_is_exported(prefix):
    library = next(prefix.rglob("libtenfold.so"))
    done = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True)
    names = [line.split()[-1] for line in done.stdout.splitlines()]
    assert "ten_error" in names
    assert [name for name in names if not name.startswith("ten_")] == []


def test_pages_and_completions_are_there(prefix):
    for path in ["man/man1/tenfold.1", "bash-completion/completions/tenfold", "zsh/site-functions/_tenfold"]:
        assert (prefix / "share" / path).stat().st_size > 100
    assert (prefix / "share" / "fish" / "vendor_completions.d" / "tenfold.fish").exists()


def test_nothing_is_installed_twice_or_with_debug_information(prefix):
    files = [path for path in prefix.rglob("*") if path.is_file() and not path.is_symlink()]
    seen = {}
    for path in files:
        data = path.read_bytes()
        assert b".debug_info" not in data, path
        digest = hashlib.sha256(data).digest()
        assert digest not in seen, f"{path} is {seen[digest]}"
        seen[digest] = path
    plugins = [path.name for path in files if path.name.startswith("libtenfold_pjrt")]
    assert plugins == ["libtenfold_pjrt.so"]
    assert not list(prefix.rglob("_core*")), "the Python package is pip's to install"


def test_the_command_from_python(tmp_path):
    """`python -m tenfold` finds its archive, also in a folder in which something else has the command's name."""
    (tmp_path / "tenfold").mkdir()
    environment = os.environ | {"PYTHONPATH": str(ROOT / "python"), "TENFOLD": tenfold.path, "PYTHONSAFEPATH": "1"}
    command = [sys.executable, "-m", "tenfold", "compile", ROOT / "examples" / "mlp.mlir", "-o", tmp_path / "mlp.so"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "mlp.so").exists()


def test_one_version(prefix):
    """include/tenfold/version.h is where it is written; nothing else is."""
    config = next(prefix.rglob("tenfold.pc")).read_text()
    version = re.search(r'TENFOLD_VERSION "(.+)"', (ROOT / "include" / "tenfold" / "version.h").read_text())[1]
    assert f"Version: {version}\n" in config
    for name in ["meson.build", "pyproject.toml", "python/jax/pyproject.toml", "python/jax/setup.py"]:
        assert version not in (ROOT / name).read_text(), name
