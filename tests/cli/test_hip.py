"""Generated HIP kernels through clang's AMDGPU target, which needs no GPU and nothing of ROCm."""

import re
import shutil
import subprocess

import pytest
from conftest import tenfold
from test_kernels import PROGRAMS

CLANG = shutil.which("clang-19") or shutil.which("clang")
OPTIONS = ("-x", "hip", "-nogpulib", "-nogpuinc", "--cuda-device-only", "-O2", "-S")


def targets():
    """Whether the clang that is here knows AMD's GPUs."""
    if CLANG is None:
        return False
    done = subprocess.run([CLANG, "-print-targets"], capture_output=True, text=True)
    return "amdgcn" in done.stdout


needs_clang = pytest.mark.skipif(not targets(), reason="no clang with the target amdgcn: apt-get install clang-19")

DTYPES = ("f64", "bf16", "f16", "f8E5M2", "i8", "ui16", "i64", "i1")
TYPES = "".join(
    f"%{dtype} = stablehlo.add %x{dtype}, %x{dtype} : tensor<300x{dtype}>\n"
    f"%f{dtype} = stablehlo.convert %{dtype} : (tensor<300x{dtype}>) -> tensor<300xf32>\n"
    for dtype in DTYPES
)
FUNCTIONS = "".join(
    f"%{name}{i} = stablehlo.{name} %{argument} : tensor<300x{dtype}>\n"
    for name in ("exponential", "log_plus_one", "cosine", "cbrt", "round_nearest_even", "logistic")
    for i, (argument, dtype) in enumerate((("x", "f64"), ("y", "f32")))
)
MORE = {
    "types": f"""func.func @main({", ".join(f"%x{dtype}: tensor<300x{dtype}>" for dtype in DTYPES)})
      -> ({", ".join("tensor<300xf32>" for _ in DTYPES)}) {{
      {TYPES} return {", ".join(f"%f{dtype}" for dtype in DTYPES)}
      : {", ".join("tensor<300xf32>" for _ in DTYPES)} }}""",
    "functions": f"""func.func @main(%x: tensor<300xf64>, %y: tensor<300xf32>) -> (tensor<300xf64>, tensor<300xf32>) {{
      {FUNCTIONS} %p = stablehlo.power %cosine0, %cbrt0 : tensor<300xf64>
      %r = stablehlo.remainder %cosine1, %cbrt1 : tensor<300xf32>
      return %p, %r : tensor<300xf64>, tensor<300xf32> }}""",
}


def program(name):
    if name in MORE:
        return MORE[name]
    arguments, result, body = PROGRAMS[name]
    return f"func.func @main({arguments}) -> {result} {{\n{body}\nreturn %3 : {result}\n}}\n"


@needs_clang
@pytest.mark.parametrize("arch", ["gfx90a", "gfx1100"])
@pytest.mark.parametrize("name", [*PROGRAMS, *MORE])
def test_kernels_compile_and_fit(tmp_path, name, arch):
    path = tmp_path / "program.mlir"
    path.write_text(program(name))
    done = tenfold("show", path, "--stage", "hip")
    assert done.code == 0, done.err
    (tmp_path / "kernels.hip").write_text(done.out)
    built = subprocess.run(
        [CLANG, *OPTIONS, f"--offload-arch={arch}", "-o", tmp_path / "kernels.s", tmp_path / "kernels.hip"],
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stderr[:2000]
    text = (tmp_path / "kernels.s").read_text()
    spills = re.findall(r"\.vgpr_spill_count: (\d+)", text)
    assert len(spills) == done.out.count("\nKERNEL ") > 0
    assert set(spills) == {"0"}
    assert max(map(int, re.findall(r"\.group_segment_fixed_size: (\d+)", text))) <= 65536


def test_without_a_driver_it_says_what_is_missing():
    here = tenfold("devices").out.partition("\nhip ")[2].splitlines()[1]
    assert "not usable here: no libamdhip64.so was found: install AMD's ROCm" in here or "never tried on a GPU" in here
